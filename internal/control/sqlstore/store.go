// Package sqlstore stores control data in SQLite. Statements and migrations are written so that PostgreSQL runs them
// too.
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

// Options configure the store.
type Options struct {
	Path        string        // of the database file; a missing directory is created
	BusyTimeout time.Duration // how long to wait for another writing process; 5 s when 0
	Log         *slog.Logger  // nil: no logging
}

// Store is the control data of one installation. Its methods are safe for concurrent use, and several processes may
// open the same file. Each embedded type stores one kind of data; all share one database.
type Store struct {
	*database
	workspaceStore
	forgottenStore
	keyStore
	userStore
	sessionStore
	memberStore
	clientStore
	grantStore
	experimentStore
	recordStore
	budgetStore
	forecastStore
	mappingStore
	webhookStore
	connectionStore
	alertStore
	callStore
	eventStore
}

type (
	workspaceStore  struct{ *database } // workspaces and whether they have a facts file
	forgottenStore  struct{ *database } // forgotten customers
	keyStore        struct{ *database } // API keys
	userStore       struct{ *database } // accounts and their passwords
	sessionStore    struct{ *database } // sessions of signed-in people
	memberStore     struct{ *database } // roles of people in workspaces, and invitations
	clientStore     struct{ *database } // OAuth clients
	grantStore      struct{ *database } // authorization requests, grants, codes and refresh tokens
	experimentStore struct{ *database }
	recordStore     struct{ *database } // annotations, saved reports and dismissed insights
	budgetStore     struct{ *database } // changes on ad platforms and their guardrails
	forecastStore   struct{ *database } // forecasts and their accuracy
	mappingStore    struct{ *database }
	webhookStore    struct{ *database } // secrets and deliveries
	connectionStore struct{ *database } // accounts of ad platforms
	alertStore      struct{ *database } // alert rules, their events, destinations and messages
	callStore       struct{ *database } // the call log
	eventStore      struct{ *database } // the audit log
)

func newStore(d *database) *Store {
	return &Store{
		database:       d,
		workspaceStore: workspaceStore{d}, forgottenStore: forgottenStore{d}, keyStore: keyStore{d},
		userStore: userStore{d}, sessionStore: sessionStore{d}, memberStore: memberStore{d},
		clientStore: clientStore{d}, grantStore: grantStore{d}, experimentStore: experimentStore{d}, recordStore: recordStore{d},
		budgetStore: budgetStore{d}, forecastStore: forecastStore{d}, mappingStore: mappingStore{d}, webhookStore: webhookStore{d},
		connectionStore: connectionStore{d}, alertStore: alertStore{d},
		callStore: callStore{d}, eventStore: eventStore{d},
	}
}

// database is the connections to one file.
//
// Writes go through one connection, because SQLite allows one writer at a time: waiting for this connection is fairer
// than polling for the lock. Reads have their own connections and never wait for a write.
type database struct {
	path   string
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

// Open opens the database and migrates it. A file locked by another process or a full disk is a fault of kind
// unavailable. A file from a newer version of the program is a fault of kind misconfigured.
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
	d, err := connect(path, o.BusyTimeout)
	if err != nil {
		return nil, fmt.Errorf("control database %s: %w", path, err)
	}
	if err := migrate(ctx, d.write, o.BusyTimeout, o.Log); err != nil {
		return nil, errors.Join(fmt.Errorf("control database %s: %w", path, engineFault(err)), d.Close())
	}
	if err := d.prepare(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("control database %s: %w", path, engineFault(err)), d.Close())
	}
	return newStore(d), nil
}

// prepare prepares the statements of every request with an access token.
func (d *database) prepare(ctx context.Context) (err error) {
	if d.access, err = d.read.PrepareContext(ctx, accessQuery); err != nil {
		return err
	}
	d.state, err = d.states.PrepareContext(ctx, stateQuery)
	return err
}

// private creates the file so that only its owner can read it. SQLite gives its side files the same mode.
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

// Close closes all connections.
func (d *database) Close() error {
	return errors.Join(d.states.Close(), d.read.Close(), d.write.Close())
}

// State returns a number that changes with each change of the data by any process. While it is unchanged, all answers
// are unchanged. Its order has no meaning. A call costs a tenth of a query.
func (d *database) State(ctx context.Context) (uint64, error) {
	var state uint64
	// It never blocks, so it needs no cancellation.
	if err := d.state.QueryRowContext(context.WithoutCancel(ctx)).Scan(&state); err != nil {
		return 0, fmt.Errorf("state of the control database: %w", engineFault(err))
	}
	return state, nil
}

// Ping reports whether the database can be written. On a full or read-only disk, reads still succeed. Ping waits for
// the disk, so it is too slow for every request.
func (d *database) Ping(ctx context.Context) error {
	if _, err := d.write.ExecContext(ctx, `UPDATE health SET checks = checks + 1`); err != nil {
		return fmt.Errorf("control database: %w", engineFault(err))
	}
	return nil
}

// change calls the function do in one transaction.
func (d *database) change(ctx context.Context, do func(tx *sql.Tx) error) error {
	tx, err := d.write.BeginTx(ctx, nil)
	if err != nil {
		return engineFault(err)
	}
	if err := do(tx); err != nil {
		return errors.Join(engineFault(err), rollback(tx))
	}
	return engineFault(tx.Commit())
}

// rollback rolls back a transaction, unless the end of its context has already ended the transaction.
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

// collect reads all rows with the function scan.
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
