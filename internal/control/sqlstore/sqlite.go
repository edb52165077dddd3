package sqlstore

import (
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"assay/internal/fault"
)

// connect opens the connection pools. Commits are synced to disk (synchronous=FULL): they are rare, and a confirmed
// revocation must survive a power failure.
func connect(path string, busyTimeout time.Duration) (*database, error) {
	common := []string{
		fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds()), // first, because the others may wait for a lock
		"journal_mode(WAL)", "foreign_keys(1)", "synchronous(FULL)",
	}
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
	return &database{path: path, write: write, read: read, states: states}, nil
}

// stateQuery reads the header of the write-ahead log that all processes share. It counts the changes of other
// connections, so it always runs on the same connection, which never writes.
const stateQuery = `PRAGMA data_version`

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

// engineFault adds a kind and a hint to database failures that an operator can fix. It returns other errors, and errors
// that have a kind, unchanged.
func engineFault(err error) error {
	var known *fault.Error
	var e *sqlite.Error
	if errors.As(err, &known) || !errors.As(err, &e) {
		return err
	}
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

// isLocked reports whether another process holds the lock.
func isLocked(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && (codeOf(e) == sqlite3.SQLITE_BUSY || codeOf(e) == sqlite3.SQLITE_LOCKED)
}
