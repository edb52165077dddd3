package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"assay/internal/fault"
	"assay/internal/measure"
)

// postgresEngine is PostgreSQL. Text is sorted and compared by bytes, as in SQLite. Two snapshots of the database are
// equal as text only if they contain the same transactions.
var postgresEngine = engine{
	goose: goose.DialectPostgres, variant: ".postgres.sql", text: regexp.MustCompile(`\bTEXT\b`), by: `TEXT COLLATE "C"`,
	changes: &sql.TxOptions{Isolation: sql.LevelSerializable},
	state:   `SELECT pg_current_snapshot()::text`,
	tables:  `SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename`, rowsAtOnce: 100,
}

const (
	mostConnections = 16 // maximum number of connections of one process
	mostIdle        = 8
	mostLocks       = 16 // maximum number of additional connections for locks
	dialTimeout     = 5 * time.Second
	deadPeer        = 10 * time.Second // time after which an unresponsive connection is closed
)

// sessionSettings are PostgreSQL settings of each session. A setting in the URL takes precedence.
var sessionSettings = map[string]string{
	"application_name": "assay", "statement_timeout": "30s", "lock_timeout": "5s", "idle_in_transaction_session_timeout": "60s",
}

// migrationLock is the key of the advisory lock of a process that migrates the database.
const migrationLock = 0x61737361 // "assa"

// openPostgres connects to a PostgreSQL database and migrates it.
func openPostgres(ctx context.Context, o Options) (*database, error) {
	c, err := parsePostgres(o.URL)
	if err != nil {
		return nil, err
	}
	if err := migratePostgres(ctx, c, o); err != nil {
		return nil, fmt.Errorf("control database %s: %w", addressOf(c), engineFault(err))
	}
	db := stdlib.OpenDB(*c)
	db.SetMaxOpenConns(mostConnections)
	db.SetMaxIdleConns(mostIdle)
	db.SetConnMaxIdleTime(5 * time.Minute)
	db.SetConnMaxLifetime(time.Hour) // so that a pool finds a server that moved to another address
	locks := stdlib.OpenDB(*c)
	locks.SetMaxOpenConns(mostLocks)
	locks.SetMaxIdleConns(0)
	d := &database{engine: postgresEngine, write: db, read: db, states: db, locks: locks}
	if err := d.prepare(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("control database %s: %w", addressOf(c), engineFault(err)), d.Close())
	}
	return d, nil
}

// addressOf returns the name, host and port of a database, without user and password.
func addressOf(c *pgx.ConnConfig) string {
	return fmt.Sprintf("%s on %s:%d", c.Database, c.Host, c.Port)
}

// parsePostgres reads a URL. Errors do not contain the URL, because it may contain a password.
func parsePostgres(text string) (*pgx.ConnConfig, error) {
	c, err := pgx.ParseConfig(text)
	if err != nil || c.Database == "" {
		return nil, fault.New(fault.KindMisconfigured, "the URL of the control database is not valid").
			WithHint("use postgres://user:password@host:port/database?sslmode=verify-full; special characters of the password are percent-encoded")
	}
	if !strings.Contains(text, "connect_timeout=") {
		c.ConnectTimeout = dialTimeout
	}
	for name, value := range sessionSettings {
		if _, set := c.RuntimeParams[name]; !set {
			c.RuntimeParams[name] = value
		}
	}
	dialer := &net.Dialer{
		Timeout:         c.ConnectTimeout,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: deadPeer / 2, Interval: deadPeer / 4, Count: 2},
		Control:         giveUpSending,
	}
	c.DialFunc = dialer.DialContext
	return c, nil
}

// tcpUserTimeout is TCP_USER_TIMEOUT of Linux, which package syscall does not define.
const tcpUserTimeout = 18

// giveUpSending limits the time for which sent data may remain unacknowledged. Keep-alive covers idle connections only.
func giveUpSending(network, _ string, c syscall.RawConn) (err error) {
	if runtime.GOOS != "linux" || !strings.HasPrefix(network, "tcp") {
		return nil
	}
	failed := c.Control(func(fd uintptr) {
		err = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout, int(deadPeer.Milliseconds()))
	})
	return errors.Join(failed, err)
}

// factsLock is the key of the advisory lock that the process with the fact store takes. importLock is the first key of
// the locks on imports. The second key is a hash of the workspace.
const (
	factsLock  = migrationLock + 1
	importLock = 0x617373 // "ass"
)

// Lock is a lock that all processes on a PostgreSQL database respect. It lasts until Release, or until its connection
// ends. With SQLite it has no connection, because the lock of the data directory is sufficient.
type Lock struct {
	conn   *sql.Conn
	unlock func() // runs the statement that releases the lock
	token  int64
}

// Token returns the fencing token of a lock on imports. It is larger than the tokens of the workspace's earlier locks.
func (l *Lock) Token() int64 { return l.token }

// Held returns a fault of kind unavailable if the connection has ended. Another process may then have the lock.
func (l *Lock) Held(ctx context.Context) error {
	if l.conn == nil {
		return nil
	}
	if err := l.conn.PingContext(ctx); err != nil && ctx.Err() == nil { // the driver's error is ErrBadConn, without the cause
		return fault.Unavailable("the connection to the control database ended during the import").
			WithHint("repeat the import").Wrap(err)
	}
	return ctx.Err()
}

// releaseTime is the time limit for releasing a lock on a connection that may be lost.
const releaseTime = 2 * time.Second

// Release releases the lock and ends the connection. The end of the connection is not enough: a busy server notices it
// late, and the next import of the same caller would be rejected.
func (l *Lock) Release() {
	if l.conn == nil {
		return
	}
	l.unlock() // after an error, the end of the connection releases the lock
	_ = l.conn.Raw(func(any) error { return driver.ErrBadConn })
}

// LockFacts marks this process as the only process with the facts of all workspaces on its disk. Another process on the
// same database receives a fault of kind unavailable.
func (d *database) LockFacts(ctx context.Context) (*Lock, error) {
	return d.tryLock(ctx, fault.Unavailable("another process uses this control database, with facts on its own disk").
		WithHint("stop that process. Several processes serve one control database only if they share the facts: see docs/scaling.md"),
		`SELECT pg_try_advisory_lock($1)`, factsLock)
}

// LockImport makes this process the only process that imports into a workspace. If another process imports into it,
// LockImport returns a fault of kind unavailable.
func (d *database) LockImport(ctx context.Context, ws measure.WorkspaceID) (*Lock, error) {
	l, err := d.tryLock(ctx, fault.Unavailable("another import into %s is running", ws).WithHint("try again when it has ended"),
		`SELECT pg_try_advisory_lock($1, hashtext($2))`, importLock, string(ws))
	if err != nil {
		return nil, err
	}
	var q querier = d.write
	if l.conn != nil { // the connection with the lock, so that a lost lock gets no token
		q = l.conn
	}
	err = q.QueryRowContext(ctx, `
		INSERT INTO import_tokens (workspace, token) VALUES ($1, 1)
		ON CONFLICT (workspace) DO UPDATE SET token = import_tokens.token + 1 RETURNING token`, ws).Scan(&l.token)
	if err != nil {
		l.Release()
		return nil, engineFault(err)
	}
	return l, nil
}

// tryLock takes an advisory lock on a new connection. If another process has the lock, tryLock returns the error in the
// parameter taken. The connection is not from the pool of the queries. Otherwise, many imports could use all
// connections of the pool and wait forever for another connection.
func (d *database) tryLock(ctx context.Context, taken error, query string, keys ...any) (*Lock, error) {
	if d.path != "" {
		return &Lock{}, nil
	}
	conn, err := d.locks.Conn(ctx)
	if err != nil {
		return nil, engineFault(err)
	}
	var locked bool
	if err := conn.QueryRowContext(ctx, query, keys...).Scan(&locked); err != nil {
		return nil, errors.Join(engineFault(err), conn.Close())
	}
	if !locked {
		return nil, errors.Join(taken, conn.Close())
	}
	unlock := func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTime)
		defer cancel()
		_, _ = conn.ExecContext(ctx, `SELECT pg_advisory_unlock_all()`)
	}
	return &Lock{conn: conn, unlock: unlock}, nil
}

// migratePostgres applies pending migrations. Other processes wait for the lock. Migrations have no time limit, because
// a migration of a large table takes long.
func migratePostgres(ctx context.Context, c *pgx.ConnConfig, o Options) (err error) {
	own := c.Copy()
	own.RuntimeParams["statement_timeout"], own.RuntimeParams["lock_timeout"] = "0", "0"
	own.RuntimeParams["idle_in_transaction_session_timeout"] = "0"
	db := stdlib.OpenDB(*own)
	defer func() { err = errors.Join(err, db.Close()) }()
	lock, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }() // closing releases the lock, because the pool closes too
	var encoding string
	if err := lock.QueryRowContext(ctx, `SHOW server_encoding`).Scan(&encoding); err != nil {
		return err
	}
	if encoding != "UTF8" {
		return fault.New(fault.KindMisconfigured, "the control database has the encoding %s", encoding).
			WithHint("create it with: createdb --encoding UTF8 --template template0 NAME")
	}
	if _, err := lock.ExecContext(ctx, `SELECT pg_advisory_lock($1)`, migrationLock); err != nil {
		return err
	}
	return migrate(ctx, postgresEngine, db, 0, o.Log)
}

// SQLSTATE codes of PostgreSQL.
const (
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
	uniqueViolation      = "23505"
	foreignKeyViolation  = "23503"
)

// isConflict reports whether a transaction failed because of a concurrent transaction and can be retried. A row that
// another transaction has just added can cause a constraint violation. The retry distinguishes this case from an
// invalid row.
func isConflict(err error, attempt int) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return false
	}
	switch e.Code {
	case serializationFailure, deadlockDetected:
		return true
	case uniqueViolation, foreignKeyViolation:
		return attempt <= 2
	}
	return false
}

// postgresFault does the work of [engineFault] for an error of PostgreSQL or of a connection to it.
func postgresFault(err error) error {
	e, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		if isDisconnected(err) {
			return fault.Unavailable("the control database does not respond").
				WithHint("try again in a few seconds; if the problem persists, check that PostgreSQL is running and that control_url is correct").Wrap(err)
		}
		return err
	}
	switch class := e.Code[:min(2, len(e.Code))]; {
	case e.Code == serializationFailure || e.Code == deadlockDetected || e.Code == "55P03": // lock_not_available
		return fault.Unavailable("the control database is busy").WithHint("try again in a few seconds").Wrap(err)
	case e.Code == uniqueViolation:
		return fault.Conflict("the record already exists").WithHint("read the current state and repeat the change").Wrap(err)
	case e.Code == foreignKeyViolation:
		return fault.Conflict("a record to which the change refers was removed").WithHint("read the current state and repeat the change").Wrap(err)
	case e.Code == "22021" || e.Code == "22P05": // character_not_in_repertoire, untranslatable_character
		return fault.Invalid("a text contains a NUL character or is not valid UTF-8").WithHint("remove these characters").Wrap(err)
	case e.Code == "57014": // query_canceled
		return fault.Unavailable("the control database did not answer in time").WithHint("try again in a few seconds").Wrap(err)
	case e.Code == "53100": // disk_full
		return fault.Unavailable("the disk of the control database is full").WithHint("free space on the disk of PostgreSQL").Wrap(err)
	case e.Code == "25006": // read_only_sql_transaction
		return fault.Unavailable("the control database is read-only").WithHint("connect to the primary server, not to a standby").Wrap(err)
	case class == "28" || e.Code == "3D000" || e.Code == "42501": // authorization, invalid_catalog_name, insufficient_privilege
		return fault.New(fault.KindMisconfigured, "PostgreSQL rejects the user of control_url: %s", e.Message).
			WithHint("check the user, the password and the database of control_url; the user must own the tables").Wrap(err)
	case class == "08" || class == "53" || class == "57" || class == "58" || class == "XX":
		return fault.Unavailable("the control database is not available").WithHint("try again in a few seconds; see the PostgreSQL log for the cause").Wrap(err)
	}
	return err
}

// isDisconnected reports whether the server could not be reached or the connection ended.
func isDisconnected(err error) bool {
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok && !errors.Is(err, context.Canceled) {
		return true
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) && !pgconn.Timeout(err) {
		return false
	}
	var network net.Error
	return errors.As(err, &network) || pgconn.SafeToRetry(err) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed)
}
