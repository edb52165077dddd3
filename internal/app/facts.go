package app

import (
	"context"
	"fmt"
	"path/filepath"

	"assay/internal/control/sqlstore"
	"assay/internal/fault"
	"assay/internal/measure"
)

// factFiles notes in the control data which workspaces have a file of facts. It implements [duckdb.Files].
type factFiles struct {
	store *sqlstore.Store
	dir   string
}

// MayMake implements [duckdb.Files].
func (f factFiles) MayMake(ctx context.Context, ws measure.WorkspaceID) error {
	had, err := f.store.HasFactsFile(ctx, ws)
	if err != nil || !had {
		return err
	}
	return fault.Unavailable("the facts of workspace %q are missing", ws).Wrap(fmt.Errorf("no file %s", filepath.Join(f.dir, string(ws)+".duckdb"))).
		WithHint("restore the workspace's file from a backup. To start without facts, delete the workspace and create it again")
}

// Opened implements [duckdb.Files].
func (f factFiles) Opened(ctx context.Context, ws measure.WorkspaceID) error {
	return f.store.SetHasFactsFile(ctx, ws, true)
}

// Dropping implements [duckdb.Files].
func (f factFiles) Dropping(ctx context.Context, ws measure.WorkspaceID) error {
	return f.store.SetHasFactsFile(ctx, ws, false)
}
