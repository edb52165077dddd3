package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/jonboulle/clockwork"

	"assay/internal/backup"
	"assay/internal/config"
	"assay/internal/datadir"
	"assay/internal/fault"
	"assay/internal/toolkit"
	"assay/internal/warehouse/duckdb"
)

// newBackups returns the backups of this data directory and their schedule.
func (a *App) newBackups() (*backup.Schedule, error) {
	facts, err := a.facts.Snapshots()
	if err != nil {
		return nil, err
	}
	plan := backup.Plan{Every: a.config.BackupEvery, Keep: a.config.BackupKeep}
	if a.config.BackupDir != "" {
		if plan.Dir, err = filepath.Abs(a.config.BackupDir); err != nil {
			return nil, fmt.Errorf("backup_dir %q: %w", a.config.BackupDir, err)
		}
	}
	return &backup.Schedule{
		Plan: plan, Clock: clockwork.NewRealClock(),
		Maker: backup.NewMaker(backup.Source{
			Data: a.config.Data, SecretFile: a.config.SecretFile, Control: a.control.Store, Facts: facts, Installation: a.control.Installation.Name(),
			Program: Version(), Now: a.now, Log: a.log,
		}),
	}, nil
}

// backupState returns the state of scheduled backups for the tools.
func (a *App) backupState() toolkit.BackupState {
	s := a.backups.State()
	return toolkit.BackupState{Scheduled: s.Scheduled, Last: s.Last, Problem: s.Problem, Fix: s.Fix}
}

// backupMetric returns the state of scheduled backups for the metrics.
func (a *App) backupMetric() (last time.Time, failing bool) {
	s := a.backups.State()
	return s.Last, s.Problem != ""
}

// Restore restores a backup into the data directory, which must be empty or missing. The directory is locked during the
// restore, so no service can start on it.
func Restore(
	ctx context.Context, c config.Config, dir string, at time.Time, progress func(done, total int64),
) (restored backup.Restored, err error) {
	if err := isEmpty(c.Data); err != nil {
		return restored, err
	}
	held, err := datadir.Acquire(c.Data)
	if err != nil {
		return restored, err
	}
	defer func() { err = errors.Join(err, held.Release()) }()
	if err := isEmpty(c.Data); err != nil { // another process may have created files
		return restored, err
	}
	return backup.Restore{Dir: dir, Data: c.Data, At: at, Totals: duckdb.FileTotals}.Run(ctx, progress)
}

// isEmpty rejects a data directory that has files. The lock file of an ended process is ignored.
func isEmpty(data string) error {
	entries, err := os.ReadDir(data)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fault.Invalid("data directory %s cannot be read", data).Wrap(err).WithHint("name a directory that you own")
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return e.Name() == "lock" })
	if len(entries) == 0 {
		return nil
	}
	if len(entries) == 1 && entries[0].Name() == backup.RestoringDir {
		return interrupted(data)
	}
	return fault.Invalid("data directory %s is not empty: nothing was restored", data).
		WithHint("name a new directory, or move the old one away: a restore never overwrites data")
}

// interrupted returns the fault for a data directory with an unfinished restore.
func interrupted(data string) error {
	return fault.New(fault.KindMisconfigured, "a restore into %s was interrupted", data).
		WithHint("remove all files of the directory and repeat assay restore; the backup is unchanged")
}

// restoreEnded rejects a data directory with an unfinished restore.
func restoreEnded(data string) error {
	if _, err := os.Stat(filepath.Join(data, backup.RestoringDir)); err == nil {
		return interrupted(data)
	}
	return nil
}
