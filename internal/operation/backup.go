package operation

import (
	"context"
	"fmt"

	"assay/internal/backup"
	"assay/internal/control"
	"assay/internal/fault"
)

// MakeBackup copies the data directory to a folder of backups. The result may report problems with individual
// workspaces; see [backup.Made.Err].
var MakeBackup = Operation[backup.Request, backup.Made]{
	Spec{
		Name: "backup.make", Needs: Manage, Scope: Installation, Facts: true,
		Undo: "Remove the manifest; the next backup to the folder removes the files that no other backup has.",
	},
	(*Run).makeBackup,
}

func (r *Run) makeBackup(ctx context.Context, in backup.Request) (backup.Made, error) {
	if in.Keep < 0 {
		return backup.Made{}, fault.Invalid("%d is not a valid number of backups to keep", in.Keep).
			WithHint("use 1 or more, or 0 for all")
	}
	made, err := r.Backups.Make(ctx, in, r.Call.Progress)
	if err != nil {
		return made, err
	}
	detail := "without the installation's secret"
	if in.WithSecret {
		detail = "with the installation's secret"
	}
	by := r.By()
	err = r.Store.AppendEvent(context.WithoutCancel(ctx), control.Event{
		At: by.At, Kind: control.BackupMade, Actor: by.Actor, Subject: made.Manifest, Detail: detail,
	})
	if err != nil {
		return made, fmt.Errorf("the backup is complete, but its audit event was not stored: %w", err)
	}
	return made, nil
}
