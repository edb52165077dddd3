// Package sqlstore keeps control data in a relational database. SQLite is the one it opens; statements and
// migrations are written so that PostgreSQL runs them too.
package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"
)

// Options say where control data are kept.
type Options struct {
	Path        string        // of the database file; its folder is made where it is missing
	BusyTimeout time.Duration // how long to wait for another process that writes; 5 s when 0
	Log         *slog.Logger  // nothing is logged when nil
}

// Store is the control data of one installation. Its methods may be called from many goroutines, and several
// processes may hold the same file open.
//
// Writes go through one connection, because SQLite takes one writer at a time: waiting for it here is fairer
// than polling for the lock. Reads have connections of their own and never wait for a write.
type Store struct {
	write  *sql.DB
	read   *sql.DB
	access *sql.Stmt // on read
	states *sql.DB   // one connection that never writes
	state  *sql.Stmt // on states
}

const (
	defaultBusyTimeout = 5 * time.Second
	readConnections    = 4
)

// Open opens the database and brings its tables up to date. A file that another process keeps locked, a full
// disk and the like are faults of kind unavailable; a file that a newer program wrote is misconfigured.
func Open(ctx context.Context, o Options) (*Store, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.BusyTimeout == 0 {
		o.BusyTimeout = defaultBusyTimeout
	}
	path, err := filepath.Abs(o.Path)
	if err != nil || o.Path == "" {
		return nil, fmt.Errorf("path %q of the control database: %w", o.Path, errors.Join(err, os.ErrInvalid))
	}
	if err := private(path); err != nil {
		return nil, fmt.Errorf("control database: %w", err)
	}
	s, err := connect(path, o.BusyTimeout)
	if err != nil {
		return nil, fmt.Errorf("control database %s: %w", path, err)
	}
	if err := migrate(ctx, s.write, o.BusyTimeout, o.Log); err != nil {
		return nil, errors.Join(fmt.Errorf("control database %s: %w", path, engineFault(err)), s.Close())
	}
	if err := s.prepare(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("control database %s: %w", path, engineFault(err)), s.Close())
	}
	return s, nil
}

// prepare prepares what is asked at every call with an access token.
func (s *Store) prepare(ctx context.Context) (err error) {
	if s.access, err = s.read.PrepareContext(ctx, accessQuery); err != nil {
		return err
	}
	s.state, err = s.states.PrepareContext(ctx, stateQuery)
	return err
}

// private makes the file so that only its owner can read it. SQLite gives its side files the same mode.
func private(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// Close ends all connections.
func (s *Store) Close() error { return errors.Join(s.states.Close(), s.read.Close(), s.write.Close()) }

// State returns a number that is another one after each change of the data, by whichever process: as long as it stays,
// so does every answer. Before and after say nothing about size. Asking costs a tenth of a question to the tables.
func (s *Store) State(ctx context.Context) (uint64, error) {
	var state uint64
	// Nothing is waited for, so nothing has to be given up.
	if err := s.state.QueryRowContext(context.WithoutCancel(ctx)).Scan(&state); err != nil {
		return 0, fmt.Errorf("state of the control database: %w", engineFault(err))
	}
	return state, nil
}

// Ping reports whether the database can be written: on a full or read-only disk it still answers questions. It waits for the
// disk, so it is not for every request.
func (s *Store) Ping(ctx context.Context) error {
	if _, err := s.write.ExecContext(ctx, `UPDATE health SET checks = checks + 1`); err != nil {
		return fmt.Errorf("control database: %w", engineFault(err))
	}
	return nil
}

// change runs do in one transaction, which is kept whole or not at all.
func (s *Store) change(ctx context.Context, do func(tx *sql.Tx) error) error {
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return engineFault(err)
	}
	if err := do(tx); err != nil {
		return errors.Join(engineFault(err), rollback(tx))
	}
	return engineFault(tx.Commit())
}

// rollback ends a transaction that may already have been ended by its context.
func rollback(tx *sql.Tx) error {
	if err := tx.Rollback(); err != nil && !errors.Is(err, sql.ErrTxDone) {
		return err
	}
	return nil
}

// querier is a connection pool or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// collect reads all rows with scan.
func collect[T any](ctx context.Context, q querier, scan func(scanner) (T, error), query string, args ...any) ([]T, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, engineFault(err)
	}
	defer rows.Close()
	var all []T
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, engineFault(rows.Err())
}

// scanner is a row.
type scanner interface{ Scan(dest ...any) error }
