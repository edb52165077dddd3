package duckdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"assay/internal/measure"
	"assay/internal/warehouse"
)

// Select runs a statement that reads one workspace; see [warehouse.Engine].
func (e *Engine) Select(ctx context.Context, ws measure.WorkspaceID, s warehouse.Statement, each func(warehouse.Row) error) error {
	ctx, cancel := context.WithTimeout(ctx, e.options.Deadline)
	defer cancel()
	leave, err := e.pools.enter(ctx, s.Heavy)
	if err != nil {
		return err
	}
	defer leave()
	w, release, err := e.acquire(ctx, ws)
	if err != nil {
		return err
	}
	defer release()
	if err := e.read(ctx, w, s, each); err != nil {
		return fmt.Errorf("question %s: %w", s.Name, e.noticed(ctx, w, err))
	}
	return nil
}

func (e *Engine) read(ctx context.Context, w *workspace, s warehouse.Statement, each func(warehouse.Row) error) error {
	args := make([]any, len(s.Args))
	for i, arg := range s.Args {
		args[i] = arg
	}
	stmt, err := w.prepared(ctx, s.Text) //nolint:sqlclosecheck // cached until the workspace is detached
	if err != nil {
		return err
	}
	rows, err := stmt.QueryContext(ctx, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for n := 0; rows.Next(); n++ {
		if n == e.options.MaxRows {
			return tooManyRows(s.Name, n)
		}
		if err := each(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// prepared returns the prepared statement of an SQL text. Planning takes longer than reading a roll-up, so each
// connection plans a text once. The number of different texts is fixed.
func (w *workspace) prepared(ctx context.Context, text string) (*sql.Stmt, error) {
	if known, ok := w.statements.Load(text); ok {
		return known.(*sql.Stmt), nil
	}
	fresh, err := w.instance.db.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	known, raced := w.statements.LoadOrStore(text, fresh)
	if raced {
		err = fresh.Close() //nolint:sqlclosecheck // another goroutine's statement is used
	}
	return known.(*sql.Stmt), err
}

// forget closes the prepared statements. It is called before the file is detached.
func (w *workspace) forget() error {
	var failed error
	w.statements.Range(func(text, stmt any) bool {
		failed = errors.Join(failed, stmt.(*sql.Stmt).Close())
		w.statements.Delete(text)
		return true
	})
	return failed
}
