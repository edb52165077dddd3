package duckdb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"time"

	"assay/internal/warehouse"
	"assay/internal/warehouse/facts"
	"assay/internal/warehouse/merge"
)

// Begin starts an import; see [warehouse.Warehouse.Begin].
func (e *Engine) Begin(ctx context.Context, spec warehouse.ImportSpec) (warehouse.Import, error) {
	leave, err := e.enterWriter(ctx, spec.Workspace)
	if err != nil {
		return nil, err
	}
	w, release, err := e.acquire(ctx, spec.Workspace)
	if err != nil {
		leave()
		return nil, err
	}
	ended := func() { release(); leave() }
	s, err := e.session(ctx, w)
	if err != nil {
		ended()
		return nil, fmt.Errorf("import into %s: %w", spec.Workspace, e.noticed(ctx, w, err))
	}
	i, err := merge.Begin(ctx, merge.Options{
		Session: s, Dialect: Dialect{}, Spec: spec, Clock: e.options.Clock, BlockRows: spanRows * e.feedThreads(),
		PanelSize: e.panelSize, Version: w.version.Load(), InTurn: e.options.ImportThreads == 1,
		Explain:   func(ctx context.Context, err error) error { return e.noticed(ctx, w, err) },
		Committed: w.version.Store, Ended: ended,
	})
	if err != nil {
		return nil, err
	}
	return i, nil
}

// feedThreads returns the number of threads that write a block: at most four, because each thread needs memory for a
// span.
func (e *Engine) feedThreads() int { return min(e.options.ImportThreads, 4) }

// session is the transaction of an import on its own connection; see [merge.Session].
type session struct {
	conn      *sql.Conn
	feeds     *feeds
	most      int // maximum number of threads that write a block
	workspace *workspace
	publisher Publisher       // nil: the file is not a replica
	updated   map[string]bool // tables that were updated in place
}

func (e *Engine) session(ctx context.Context, w *workspace) (*session, error) {
	// The connection stays open after the call that starts the import.
	conn, err := w.instance.db.Conn(context.WithoutCancel(ctx))
	if err != nil {
		return nil, err
	}
	s := &session{
		conn: conn, feeds: e.feeds, most: e.feedThreads(), workspace: w, publisher: e.options.Publish, updated: map[string]bool{},
	}
	if err := s.Run(ctx, "BEGIN TRANSACTION"); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Run executes statements without parameters.
func (s *session) Run(ctx context.Context, text string) error {
	s.noteUpdates(text)
	return execute(ctx, s.conn, text)
}

// Change executes one statement and returns the number of changed rows.
func (s *session) Change(ctx context.Context, text string, args ...any) (int64, error) {
	s.noteUpdates(text)
	done, err := s.conn.ExecContext(ctx, text, args...)
	if err != nil {
		return 0, err
	}
	return done.RowsAffected()
}

// Read runs a statement and calls the function each for every row.
func (s *session) Read(ctx context.Context, text string, each func(warehouse.Row) error) error {
	rows, err := s.conn.QueryContext(ctx, text)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Append writes a block of rows to a table.
func (s *session) Append(ctx context.Context, table string, rows facts.Rows, inOrder bool) error {
	threads := s.most
	if inOrder {
		threads = 1
	}
	return s.feeds.insert(ctx, s.conn, table, rows, threads)
}

// commitTime is the time limit of the commit, which continues even if the caller cancels.
const commitTime = 5 * time.Minute

// Commit makes the changes visible. In a replica, it first publishes the changes. Publishing a large workspace can take
// a long time, so there is no time limit, but the caller can cancel it.
func (s *session) Commit(ctx context.Context) error {
	if s.publisher != nil {
		if err := s.publish(ctx); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitTime)
	defer cancel()
	err := s.Run(ctx, "COMMIT")
	if err != nil && s.publisher != nil { // the changes are published
		err = fmt.Errorf("%w: %w", warehouse.ErrUnknownOutcome, err)
	}
	return err
}

// Close closes the connection, which rolls back an uncommitted transaction and drops temporary tables.
func (s *session) Close() {
	// The pool does not reuse a connection after ErrBadConn. Raw returns the same error, which is expected.
	_ = s.conn.Raw(func(any) error { return driver.ErrBadConn })
}
