package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/warehouse"
	"assay/internal/warehouse/duckdb"
)

// fileIsLater states how to delete the facts in ClickHouse if they do not come from the file and the file has later
// imports.
const fileIsLater = "If the file has the latest imports: move it to another folder, move the facts to DuckDB, and then replace the new file with the file that you moved"

// Receive stores another engine's facts of a workspace as the first commit. It reads the facts back into the local copy
// and compares the totals of every table by day. If an earlier call was interrupted after the commit, Receive only
// compares.
func (e *Engine) Receive(ctx context.Context, ws measure.WorkspaceID, from *duckdb.Engine) ([]warehouse.TableTotals, error) {
	if err := e.first(ctx, ws, from); err != nil {
		return nil, err
	}
	want, err := from.Totals(ctx, ws)
	if err != nil {
		return nil, err
	}
	got, err := e.Totals(ctx, ws)
	if err != nil {
		return nil, err
	}
	if !warehouse.EqualTotals(want, got) {
		return nil, fault.Conflict("the facts of %s in ClickHouse differ from those in its file: %s", ws, differences(want, got)).
			WithHint("the file is unchanged and stays in use. If ClickHouse has the latest imports, move the file to another folder, "+
				"and then move the facts to DuckDB. %s", fileIsLater)
	}
	return got, nil
}

// first writes the first commit, unless the workspace has a commit.
func (e *Engine) first(ctx context.Context, ws measure.WorkspaceID, from *duckdb.Engine) (err error) {
	c := e.copyOf(ws)
	if err := c.enter(ctx, ws); err != nil {
		return err
	}
	defer c.leave()
	defer c.forget()
	if e.options.Lock != nil {
		if c.lock, err = e.options.Lock(ctx, ws); err != nil {
			return err
		}
		defer func() { c.lock.Release(); c.lock = nil }()
	}
	if c.latest, err = e.store.commits(ctx, ws, 0); err != nil || len(c.latest.live()) > 0 {
		return err
	}
	return from.Publish(ctx, ws, e.publish)
}

// Totals updates the local copy to the latest commit and returns the totals of all its tables.
func (e *Engine) Totals(ctx context.Context, ws measure.WorkspaceID) ([]warehouse.TableTotals, error) {
	if err := e.Try(ctx, ws); err != nil {
		return nil, err
	}
	return e.Engine.Totals(ctx, ws)
}

// Give writes the facts of a workspace to a new file in another engine's directory. The file gets its name when it is
// complete. A workspace without facts in ClickHouse results in a fault of kind not_found.
func (e *Engine) Give(ctx context.Context, ws measure.WorkspaceID, path string) error {
	all, err := e.store.commits(ctx, ws, 0)
	if err != nil {
		return err
	}
	if len(all.live()) == 0 {
		return fault.NotFound("workspace %q has no facts in ClickHouse", ws)
	}
	s, err := e.Snapshot(ctx, ws, filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("facts of %s: %w", ws, err)
	}
	if err := os.Rename(s.Path, path); err != nil {
		return errors.Join(fmt.Errorf("facts of %s: %w", ws, err), os.Remove(s.Path))
	}
	return nil
}

// DropCopied deletes the facts of a workspace for all nodes if another engine has the same facts. The totals of all
// tables by day must be equal. If the last commit in ClickHouse came from the other engine's file, the file may also
// have later imports. If an earlier call was interrupted after the deletion, nothing is compared.
func (e *Engine) DropCopied(ctx context.Context, ws measure.WorkspaceID, to *duckdb.Engine) ([]warehouse.TableTotals, error) {
	got, err := to.Totals(ctx, ws)
	if err != nil {
		return nil, err
	}
	return got, e.drop(ctx, ws, func(c *localCopy) error {
		all, err := e.applyLatest(ctx, ws, c)
		if err != nil || len(all.live()) == 0 {
			return err
		}
		if from, _, err := to.Place(ctx, ws); err != nil || from == all.last().place() {
			return err
		}
		want, err := e.Engine.Totals(ctx, ws)
		if err == nil && !warehouse.EqualTotals(want, got) {
			err = fault.Conflict("the facts of %s in the file differ from those in ClickHouse: %s", ws, differences(want, got)).
				WithHint("if ClickHouse has the latest imports, move the file to another folder and repeat the command. %s", fileIsLater)
		}
		return err
	})
}

// differences names the first table that differs, with its numbers of rows.
func differences(want, got []warehouse.TableTotals) string {
	for i, t := range want {
		if i >= len(got) {
			break
		}
		if !t.Equal(got[i]) {
			return fmt.Sprintf("the first table with a difference is %s, with %d and %d rows", t.Table, got[i].Rows, t.Rows)
		}
	}
	return "the number of tables"
}
