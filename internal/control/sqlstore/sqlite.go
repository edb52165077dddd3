package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/pressly/goose/v3"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"assay/internal/fault"
)

// sqliteEngine is SQLite. The query in its field state returns a number that changes after another connection changes
// the database. The query therefore always uses the same connection, which never writes.
var sqliteEngine = engine{
	goose: goose.DialectSQLite3, state: `PRAGMA data_version`,
	tables:     `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`,
	rowsAtOnce: callsAtOnce,
}

// openSQLite opens a database file and migrates it.
func openSQLite(ctx context.Context, o Options) (*database, error) {
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
	if err := migrateFile(ctx, path, o); err != nil {
		return nil, errors.Join(fmt.Errorf("control database %s: %w", path, engineFault(err)), d.Close())
	}
	if err := d.prepare(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("control database %s: %w", path, engineFault(err)), d.Close())
	}
	return d, nil
}

// migrateFile migrates a database on a connection that does not sync each commit. A new file needs more than 20
// migrations, and each sync waits for the disk. After a power failure, the file may lack the last migrations, and the next start applies them.
func migrateFile(ctx context.Context, path string, o Options) error {
	db, err := pool(path, "immediate", pragmasOf(o.BusyTimeout, "NORMAL"), 1)
	if err != nil {
		return err
	}
	return errors.Join(migrate(ctx, sqliteEngine, db, o.BusyTimeout, o.Log), db.Close())
}

// private creates the file so that only its owner can read it. SQLite gives its write-ahead log and its shared-memory
// file the same mode.
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

// connect opens the connection pools. Commits are synced to disk (synchronous=FULL), because a confirmed revocation
// must remain after a power failure. Commits are rare.
//
// Writes go through one connection, because SQLite allows one writer at a time. Waiting for this connection is fairer
// than polling for the lock. Reads have their own connections and never wait for a write.
func connect(path string, busyTimeout time.Duration) (*database, error) {
	common := pragmasOf(busyTimeout, "FULL")
	// A write transaction takes the lock at its start. If the transaction read first, SQLite would reject its write
	// without waiting when another process wrote in between.
	write, err := pool(path, "immediate", common, 1)
	if err != nil {
		return nil, err
	}
	common = append(common, "query_only(1)")
	read, err := pool(path, "deferred", common, readConnections)
	if err != nil {
		return nil, errors.Join(err, write.Close())
	}
	states, err := pool(path, "deferred", common, 1)
	if err != nil {
		return nil, errors.Join(err, read.Close(), write.Close())
	}
	return &database{engine: sqliteEngine, path: path, write: write, read: read, states: states}, nil
}

func pragmasOf(busyTimeout time.Duration, synchronous string) []string {
	return []string{
		fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds()), // first, because the other settings may wait for a lock
		"journal_mode(WAL)", "foreign_keys(1)", "synchronous(" + synchronous + ")",
	}
}

func pool(path, lock string, pragmas []string, size int) (*sql.DB, error) {
	settings := url.Values{"_pragma": pragmas, "_txlock": {lock}}
	dsn := url.URL{Scheme: "file", Path: path, RawQuery: settings.Encode()}
	connector, err := sqlite.NewConnector(dsn.String())
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	return db, nil
}

// sqliteFault does the work of [engineFault] for an error of SQLite.
func sqliteFault(err error, e *sqlite.Error) error {
	if isLocked(e) {
		return fault.Unavailable("the control database is locked by another process").
			WithHint("try again in a few seconds").Wrap(err)
	}
	switch codeOf(e) {
	case sqlite3.SQLITE_FULL:
		return fault.Unavailable("the disk of the control database is full").
			WithHint("free space on the disk of the data directory").Wrap(err)
	case sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN:
		return fault.Unavailable("the control database cannot be read or written").
			WithHint("check the disk of the data directory").Wrap(err)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
		return fault.Unavailable("the control database is read-only").
			WithHint("give the service's user write permission for the data directory").Wrap(err)
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return fault.Unavailable("the control database is damaged").
			WithHint("restore the data directory from a backup").Wrap(err)
	}
	return err
}

// codeOf returns the primary result code of SQLite, without the extended part.
func codeOf(e *sqlite.Error) int { return e.Code() & 0xff }

// isLocked reports whether another process has the lock.
func isLocked(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && (codeOf(e) == sqlite3.SQLITE_BUSY || codeOf(e) == sqlite3.SQLITE_LOCKED)
}
