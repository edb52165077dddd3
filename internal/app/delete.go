package app

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"assay/internal/config"
	"assay/internal/control"
	"assay/internal/measure"
)

// DeleteWorkspace removes a workspace with its keys and facts: through the service that holds the data directory, or
// directly where none does. Imports into the workspace end first.
func DeleteWorkspace(ctx context.Context, c config.Config, id measure.WorkspaceID, actor string, now func() time.Time) error {
	_, err := through(ctx, c, "/delete", deleteRequest{Workspace: id, Actor: actor}, nil, now, func(a *App) (any, error) {
		return nil, a.deleteWorkspace(ctx, id, actor)
	})
	return err
}

// ClearFacts removes facts that a workspace of the same id left behind, when a process died between the steps of
// its deletion. Where nothing was left, nobody is asked.
func ClearFacts(ctx context.Context, c config.Config, id measure.WorkspaceID, now func() time.Time) error {
	if _, err := os.Stat(filepath.Join(c.Data, factsDir, string(id)+".duckdb")); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	_, err := through(ctx, c, "/clear", deleteRequest{Workspace: id}, nil, now, func(a *App) (any, error) {
		return nil, a.clearFacts(ctx, id)
	})
	return err
}

// deleteWorkspace removes the workspace for callers first, so that nobody sees half of it.
func (a *App) deleteWorkspace(ctx context.Context, id measure.WorkspaceID, actor string) error {
	leave, err := a.writing.enter(ctx, id)
	if err != nil {
		return err
	}
	defer leave()
	if err := a.control.Store.DeleteWorkspace(ctx, id, control.By{Actor: actor, At: a.now()}); err != nil {
		return err
	}
	a.ended()
	return a.dropFacts(ctx, id)
}

func (a *App) clearFacts(ctx context.Context, id measure.WorkspaceID) error {
	leave, err := a.writing.enter(ctx, id)
	if err != nil {
		return err
	}
	defer leave()
	return a.dropFacts(ctx, id)
}

// writing lets one import or deletion at a time into a workspace.
type writing struct {
	mu    sync.Mutex // guards lanes
	lanes map[measure.WorkspaceID]chan struct{}
}

// enter waits for the workspace. The caller calls leave when it is done.
func (w *writing) enter(ctx context.Context, id measure.WorkspaceID) (leave func(), err error) {
	w.mu.Lock()
	if w.lanes == nil {
		w.lanes = map[measure.WorkspaceID]chan struct{}{}
	}
	lane := w.lanes[id]
	if lane == nil {
		lane = make(chan struct{}, 1)
		w.lanes[id] = lane
	}
	w.mu.Unlock()
	select {
	case lane <- struct{}{}:
		return func() { <-lane }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// busy reports whether somebody is in the workspace.
func (w *writing) busy(id measure.WorkspaceID) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.lanes[id]) > 0
}

// through does something to the facts of a data directory: in this process where nobody holds the directory, else
// by asking the process that does, whose result is JSON.
func through(ctx context.Context, c config.Config, path string, request any, progress func(done, total int64), now func() time.Time,
	here func(*App) (any, error),
) (result any, err error) {
	a, s, err := reach(ctx, c, now)
	if err != nil {
		return nil, err
	}
	if a == nil {
		return s.ask(ctx, path, request, progress)
	}
	result, err = here(a)
	return result, errors.Join(err, a.Close())
}

// reach opens a data directory, or returns the service that holds it: one of a and s is nil.
func reach(ctx context.Context, c config.Config, now func() time.Time) (a *App, s *service, err error) {
	a, err = Open(ctx, c, discard(), now)
	if errors.Is(err, errHeld) {
		s, err = connect(c.Data)
		return nil, s, err
	}
	return a, nil, err
}

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }
