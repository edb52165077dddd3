package app

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"assay/internal/config"
	"assay/internal/measure"
)

// DropFacts removes a workspace's facts: through the service that holds the data directory, or directly where none
// does.
func DropFacts(ctx context.Context, dataDir string, id measure.WorkspaceID, now func() time.Time) error {
	_, err := through(ctx, dataDir, "/drop", dropRequest{Workspace: id}, nil, now, func(a *App) (any, error) {
		return nil, a.dropFacts(ctx, id)
	})
	return err
}

// through does something to the facts of a data directory: in this process where nobody holds the directory, else
// by asking the process that does. Exactly one of the two results is set.
func through(ctx context.Context, dataDir, path string, request any, progress func(done, total int64), now func() time.Time,
	here func(*App) (any, error),
) (result any, err error) {
	c := config.Default()
	c.Data = dataDir
	a, err := Open(ctx, c, discard(), now)
	if err == nil {
		result, err = here(a)
		return result, errors.Join(err, a.Close())
	}
	if !errors.Is(err, errHeld) {
		return nil, err
	}
	s, err := connect(dataDir)
	if err != nil {
		return nil, err
	}
	return s.ask(ctx, path, request, progress)
}

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }
