package servertest

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
)

// Password is the password of every database. Tests search for it where it must not appear.
const Password = "correct-horse-battery"

// SkipShort skips a test that starts a server if the tests run with -short.
func SkipShort(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: no server is started")
	}
}

// Postgres is a running PostgreSQL server.
type Postgres struct {
	account account
	bin     string // folder of the server's programs
	dir     string
	port    string
	env     []string // added to the server's environment
	running *process
	made    atomic.Int64 // databases
}

// StartPostgres starts a server that ends with the test. The variables in env are added to the server's environment.
func StartPostgres(t testing.TB, env ...string) *Postgres {
	t.Helper()
	SkipShort(t)
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	if err != nil || len(found) == 0 {
		t.Skip("PostgreSQL is not installed; apt-get install postgresql installs it")
	}
	p := &Postgres{account: accountOf(t, "postgres"), bin: filepath.Dir(found[len(found)-1]), port: FreePort(t), env: env}
	p.dir = p.account.directory(t)
	password := filepath.Join(p.dir, "password")
	if err := os.WriteFile(password, []byte(Password+"\n"), 0o644); err != nil { //nolint:gosec // another account reads it
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	initdb := p.account.command(ctx, p.dir, filepath.Join(p.bin, "initdb"), "--pgdata", p.data(), "--username", "assay",
		"--pwfile", password, "--auth", "scram-sha-256", "--encoding", "UTF8", "--locale", "C.UTF-8", "--no-sync")
	if text, err := initdb.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, text)
	}
	p.Start(t)
	t.Cleanup(func() { p.running.stop(t) })
	return p
}

func (p *Postgres) data() string { return filepath.Join(p.dir, "data") }

// Start starts the server again after [Postgres.Kill].
func (p *Postgres) Start(t testing.TB) {
	t.Helper()
	// PostgreSQL does not sync files to disk. The files remain after the server ends, and tests need not survive a
	// power failure.
	p.running = p.account.start(t, p.dir, p.env, filepath.Join(p.bin, "postgres"), "-D", p.data(), "-h", "127.0.0.1", "-p", p.port,
		"-c", "unix_socket_directories=", "-c", "fsync=off", "-c", "full_page_writes=off", "-c", "max_connections=200")
	await(t, p.running, func(ctx context.Context) error {
		db, err := sql.Open("pgx", p.url("postgres"))
		if err != nil {
			return err
		}
		defer db.Close()
		return db.PingContext(ctx)
	})
}

// Kill ends the server immediately, like a crash.
func (p *Postgres) Kill(t testing.TB) {
	t.Helper()
	p.running.kill(t)
}

// NewDatabase creates an empty database and returns its URL.
func (p *Postgres) NewDatabase(t testing.TB) string {
	t.Helper()
	db, err := sql.Open("pgx", p.url("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	name := fmt.Sprintf("assay%d", p.made.Add(1))
	if _, err := db.ExecContext(context.Background(), "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	return p.url(name)
}

func (p *Postgres) url(database string) string {
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword("assay", Password), Host: net.JoinHostPort("127.0.0.1", p.port), Path: "/" + database,
		RawQuery: "sslmode=disable",
	}
	return u.String()
}
