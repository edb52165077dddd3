// Package sqlstore stores control data in SQLite or PostgreSQL, with the same statements and migrations.
//
// Transactions are written as if there were one writer at a time. SQLite has one writer. On PostgreSQL, transactions
// are serializable, and a transaction that conflicts with another transaction is repeated (decision 31).
package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/pressly/goose/v3"
	"modernc.org/sqlite"

	"assay/internal/fault"
)

// Options configure the store.
type Options struct {
	Path        string        // path of the SQLite file; a missing directory is created
	URL         string        // URL of a PostgreSQL database, postgres://user:password@host:port/database; "": SQLite
	BusyTimeout time.Duration // time for which SQLite waits for another writing process; 0: 5 s
	Log         *slog.Logger  // nil: no logging
}

// Store is the control data of one installation. Its methods are safe for concurrent use, and several processes may
// open the same database. Each embedded type stores one kind of data. All types share one database.
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
	modelStore
	jobStore
	mappingStore
	webhookStore
	shareStore
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
	modelStore      struct{ *database } // trained models
	jobStore        struct{ *database } // leases of jobs
	mappingStore    struct{ *database }
	webhookStore    struct{ *database } // secrets and deliveries
	shareStore      struct{ *database } // read-only links to pages
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
		budgetStore: budgetStore{d}, forecastStore: forecastStore{d}, modelStore: modelStore{d}, jobStore: jobStore{d}, mappingStore: mappingStore{d}, webhookStore: webhookStore{d}, shareStore: shareStore{d},
		connectionStore: connectionStore{d}, alertStore: alertStore{d},
		callStore: callStore{d}, eventStore: eventStore{d},
	}
}

// database contains the connections to one database.
type database struct {
	engine engine
	path   string // path of an SQLite file
	write  *sql.DB
	read   *sql.DB
	access *sql.Stmt // prepared on the pool read
	states *sql.DB
	state  *sql.Stmt // prepared on the pool states
	locks  *sql.DB   // connections with locks; nil with SQLite

	commits atomic.Uint64               // changes by this process
	recent  atomic.Pointer[recentState] // last state that was read

	interrupt func(attempt int) error // in tests: fails a transaction before its commit
}

const (
	defaultBusyTimeout = 5 * time.Second
	readConnections    = 4
)

// Open opens the database and migrates it. A file locked by another process, a full disk and a server that does not
// answer are faults of kind unavailable. A database from a newer version of the program is a fault of kind
// misconfigured.
func Open(ctx context.Context, o Options) (*Store, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.BusyTimeout == 0 {
		o.BusyTimeout = defaultBusyTimeout
	}
	open := openSQLite
	if o.URL != "" {
		open = openPostgres
	}
	d, err := open(ctx, o)
	if err != nil {
		return nil, err
	}
	return newStore(d), nil
}

// prepare prepares the statements that every request with an access token uses.
func (d *database) prepare(ctx context.Context) (err error) {
	if d.access, err = d.read.PrepareContext(ctx, accessQuery); err != nil {
		return err
	}
	d.state, err = d.states.PrepareContext(ctx, d.engine.state)
	return err
}

// Close closes all connections.
func (d *database) Close() error {
	err := errors.Join(d.states.Close(), d.read.Close(), d.write.Close())
	if d.locks != nil {
		err = errors.Join(err, d.locks.Close())
	}
	return err
}

// State returns a number that changes with each change of the data by any process. While the number is unchanged, all
// answers are unchanged. The order of numbers has no meaning. With SQLite, a call takes a tenth of the time of a query.
func (d *database) State(ctx context.Context) (uint64, error) {
	var state any
	if d.engine.goose == goose.DialectSQLite3 {
		ctx = context.WithoutCancel(ctx) // it never blocks
	}
	if err := d.state.QueryRowContext(ctx).Scan(&state); err != nil {
		return 0, fmt.Errorf("state of the control database: %w", engineFault(err))
	}
	return stateOf(state), nil
}

// stateTime is the time for which [database.RecentState] does not read the state again.
const stateTime = 10 * time.Millisecond

type recentState struct {
	state   uint64
	commits uint64 // number of commits of this process before the state was read
	at      time.Time
}

// RecentState returns a recent result of [database.State]. The result includes all changes by this process, and changes
// by other processes that are older than [stateTime]. RecentState limits the reads of the state when there are
// thousands of calls per second.
func (d *database) RecentState(ctx context.Context) (uint64, error) {
	now := recentState{commits: d.commits.Load(), at: time.Now()} //nolint:forbidigo // the age of a cached value
	if last := d.recent.Load(); last != nil && last.commits == now.commits && now.at.Sub(last.at) < stateTime {
		return last.state, nil
	}
	var err error
	if now.state, err = d.State(ctx); err != nil {
		return 0, err
	}
	d.recent.Store(&now)
	return now.state, nil
}

// Ping reports whether the database can be written. On a full or read-only disk, reads still succeed. Ping waits for
// the disk, so it is too slow for every request.
func (d *database) Ping(ctx context.Context) error {
	if err := d.exec(ctx, `UPDATE health SET checks = checks + 1`); err != nil {
		return fmt.Errorf("control database: %w", engineFault(err))
	}
	return nil
}

// exec changes data with one statement.
func (d *database) exec(ctx context.Context, statement string, args ...any) error {
	defer d.commits.Add(1)
	_, err := d.write.ExecContext(ctx, statement, args...)
	return err
}

// attemptsOfChange is the maximum number of attempts of a transaction that conflicts with others.
const attemptsOfChange = 30

// change calls the function do in one transaction. If the transaction conflicts with another transaction, change calls
// do again. Therefore, do must start from the caller's values each time.
func (d *database) change(ctx context.Context, do func(tx *sql.Tx) error) error {
	for attempt := 1; ; attempt++ {
		err := d.attempt(ctx, attempt, do)
		if err == nil || !isConflict(err, attempt) || attempt == attemptsOfChange {
			return engineFault(err)
		}
		pause := rand.N(time.Duration(min(attempt, 10)) * 2 * time.Millisecond) //nolint:forbidigo // spreads retries
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (d *database) attempt(ctx context.Context, attempt int, do func(tx *sql.Tx) error) error {
	tx, err := d.write.BeginTx(ctx, d.engine.changes)
	if err != nil {
		return err
	}
	err = do(tx)
	if err == nil && d.interrupt != nil {
		err = d.interrupt(attempt)
	}
	if err != nil {
		return errors.Join(err, rollback(tx))
	}
	defer d.commits.Add(1) // also if the outcome of the commit is unknown
	return tx.Commit()
}

// rollback rolls back a transaction. It ignores a transaction that has already ended, for example with its context.
func rollback(tx *sql.Tx) error {
	if err := tx.Rollback(); err != nil && !errors.Is(err, sql.ErrTxDone) {
		return err
	}
	return nil
}

// engineFault adds a kind and a hint to database failures that an operator can fix. It returns other errors, and errors
// that have a kind, unchanged.
func engineFault(err error) error {
	var known *fault.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return sqliteFault(err, e)
	}
	return postgresFault(err)
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
