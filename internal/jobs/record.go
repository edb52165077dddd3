package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
)

// record is a background job in the file of an earlier release.
type record struct {
	Kind      string              `json:"kind"`
	Workspace measure.WorkspaceID `json:"workspace"`
	By        string              `json:"by"`
}

// UnmarshalJSON also reads the records of the first releases, which contain only the workspace of a training.
func (r *record) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &r.Workspace) == nil {
		r.Kind, r.By = Training.Name, scheduler
		return nil
	}
	type plain record
	return json.Unmarshal(text, (*plain)(r))
}

// takeOver stores the interrupted jobs that an earlier release recorded in a file, and then removes the file. If it is
// interrupted and runs again, it stores the same jobs.
func (r *Runner) takeOver(ctx context.Context) error {
	if r.File == "" {
		return nil
	}
	text, err := os.ReadFile(r.File)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fault.Unavailable("recorded jobs in %s cannot be read", r.File).Wrap(err)
	}
	var all []record
	if err := json.Unmarshal(text, &all); err != nil {
		r.Log.WarnContext(ctx, "recorded jobs are discarded", slog.String("path", r.File), slog.Any("error", err))
	}
	now := r.Clock.Now()
	for _, one := range all {
		if r.routine(one.Kind) == nil {
			continue
		}
		err := r.Store.ClaimJob(ctx, control.JobLease{
			Workspace: one.Workspace, Kind: one.Kind, By: one.By, Asked: now, Resumes: true, Node: r.node,
		}, now)
		if k := fault.KindOf(err); err != nil && k != fault.KindNotFound && k != fault.KindConflict { // deleted, or running on another node
			return err
		}
	}
	if err := os.Remove(r.File); err != nil {
		return fault.Unavailable("recorded jobs in %s cannot be removed", r.File).Wrap(err)
	}
	return nil
}
