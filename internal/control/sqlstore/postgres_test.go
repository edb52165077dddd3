package sqlstore

import (
	"context"
	"path/filepath"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"assay/internal/control/controltest"
	"assay/internal/servertest"
)

// databases is a pool of PostgreSQL databases on one server. Each test has its own database. Later tests reuse the
// emptied databases, because creating a database takes longer than most tests.
type databases struct {
	server *servertest.Postgres
	mu     sync.Mutex // guards free
	free   []string
}

func newDatabases(t *testing.T) *databases {
	t.Helper()
	return &databases{server: servertest.StartPostgres(t)}
}

// take returns the URL of an empty database.
func (d *databases) take(t *testing.T) string {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	var url string
	if last := len(d.free) - 1; last >= 0 {
		url, d.free = d.free[last], d.free[:last]
	} else {
		url = d.server.NewDatabase(t)
	}
	t.Cleanup(func() {
		d.empty(t, url)
		d.mu.Lock()
		defer d.mu.Unlock()
		d.free = append(d.free, url)
	})
	return url
}

// empty removes all rows, including rows that triggers protect.
func (d *databases) empty(t *testing.T, url string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context()) // the test has ended
	s, err := Open(ctx, Options{URL: url})
	if err != nil {
		t.Error(err)
		return
	}
	defer s.Close()
	statements := "SET LOCAL session_replication_role = replica"
	for _, table := range copied {
		statements += "; DELETE FROM " + table
	}
	if _, err := s.write.ExecContext(ctx, statements); err != nil {
		t.Error(err)
	}
}

func (d *databases) open(t *testing.T) *Store {
	t.Helper()
	return open(t, Options{URL: d.take(t)})
}

func TestPostgreSQLPassesTheSuite(t *testing.T) {
	t.Parallel()
	databases := newDatabases(t)
	t.Run("control data", func(t *testing.T) {
		controltest.Run(t, func(t *testing.T) controltest.Store { return databases.open(t) })
	})
	t.Run("people and grants", func(t *testing.T) {
		controltest.RunPeople(t, func(t *testing.T) controltest.PeopleStore { return databases.open(t) })
	})
	t.Run("several nodes", func(t *testing.T) {
		controltest.RunNodes(t, func(t *testing.T) []controltest.PeopleStore { return nodes(t, Options{URL: databases.take(t)}) })
	})
}

// nodes returns several stores of one database.
func nodes(t *testing.T, o Options) []controltest.PeopleStore {
	t.Helper()
	return []controltest.PeopleStore{open(t, o), open(t, o), open(t, o)}
}

func TestSQLiteServesSeveralProcesses(t *testing.T) {
	t.Parallel()
	controltest.RunNodes(t, func(t *testing.T) []controltest.PeopleStore {
		return nodes(t, Options{Path: filepath.Join(t.TempDir(), "control.db")})
	})
}

// Each transaction is repeated once, as after a conflict with another transaction. The repetition does not change the
// results.
func TestChangesCanBeRepeated(t *testing.T) {
	t.Parallel()
	open := func(t *testing.T) *Store {
		s := open(t, Options{Path: filepath.Join(t.TempDir(), "control.db")})
		s.interrupt = func(attempt int) error {
			if attempt == 1 {
				return &pgconn.PgError{Code: serializationFailure}
			}
			return nil
		}
		return s
	}
	t.Run("control data", func(t *testing.T) {
		controltest.Run(t, func(t *testing.T) controltest.Store { return open(t) })
	})
	t.Run("people and grants", func(t *testing.T) {
		controltest.RunPeople(t, func(t *testing.T) controltest.PeopleStore { return open(t) })
	})
}
