package duckdb

import (
	"context"
	"fmt"

	"assay/internal/measure"
	"assay/internal/warehouse"
)

// CatchUp rebuilds the roll-ups of days that a migration marked; see [warehouse.Successor]. It runs an empty import.
func (e *Engine) CatchUp(ctx context.Context, ws measure.WorkspaceID) (bool, error) {
	return e.CatchUpBy(ctx, ws, e.Begin)
}

// CatchUpBy works like [Engine.CatchUp]. The function begin starts the import.
func (e *Engine) CatchUpBy(
	ctx context.Context, ws measure.WorkspaceID, begin func(context.Context, warehouse.ImportSpec) (warehouse.Import, error),
) (bool, error) {
	due, err := e.due(ctx, ws)
	if err != nil || !due {
		return false, err
	}
	in, err := begin(ctx, warehouse.ImportSpec{Workspace: ws, Source: "update", File: "roll-ups rebuilt after an update"})
	if err != nil {
		return false, err
	}
	defer in.Abort()
	_, err = in.Commit(ctx)
	return err == nil, err
}

// due reports whether a migration marked days for a rebuild of roll-ups.
func (e *Engine) due(ctx context.Context, ws measure.WorkspaceID) (due bool, err error) {
	w, release, err := e.acquire(ctx, ws)
	if err != nil {
		return false, err
	}
	defer release()
	row := w.instance.db.QueryRowContext(ctx, w.text("SELECT count(*) > 0 FROM (SELECT 1 FROM {{rebuild_days}} LIMIT 1)"))
	if err := row.Scan(&due); err != nil {
		return false, fmt.Errorf("days to rebuild in %s: %w", ws, e.noticed(ctx, w, err))
	}
	return due, nil
}
