package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/servertest"
)

func TestPostgreSQLStore(t *testing.T) {
	t.Parallel()
	d := newDatabases(t)
	for name, run := range map[string]func(*testing.T, *databases){
		"the audit log is append-only":              auditLogIsAppendOnly,
		"stores that start at once agree":           func(t *testing.T, d *databases) { startsAgree(t, Options{URL: d.server.NewDatabase(t)}) },
		"the state changes with every change":       stateChanges,
		"a database of a newer release is rejected": newerReleaseIsRejected,
		"text that cannot be stored is invalid":     textIsChecked,
		"text is sorted by bytes":                   textIsSorted,
		"a locked row makes the store busy":         lockedRowIsBusy,
		"all tables are copied":                     allTablesAreCopied,
		"a wrong password is not shown":             passwordIsNotShown,
		"another encoding is rejected":              encodingIsChecked,
		"imports leave connections for queries":     importsLeaveConnections,
		"a released lock can be taken at once":      releasedLockIsFree,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(t, d)
		})
	}
}

func importsLeaveConnections(t *testing.T, d *databases) {
	s := d.open(t)
	var last *Lock
	for n := range mostConnections {
		lock, err := s.LockImport(t.Context(), measure.WorkspaceID(fmt.Sprint("shop-", n)))
		if err != nil {
			t.Fatal(err)
		}
		defer lock.Release()
		last = lock
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if _, err := s.Workspaces(ctx); err != nil {
		t.Errorf("a query during %d imports: %v", mostConnections, err)
	}
	last.Release()
	_, err := s.LockImport(ctx, "shop-0")
	wantFault(t, err, fault.KindUnavailable, "another import")
}

func releasedLockIsFree(t *testing.T, d *databases) {
	s := d.open(t)
	for n := range 300 {
		lock, err := s.LockImport(t.Context(), "acme")
		if err != nil {
			t.Fatalf("lock %d: %v", n, err)
		}
		lock.Release()
	}
}

func auditLogIsAppendOnly(t *testing.T, d *databases) {
	s := d.open(t)
	young, old := time.Now().Add(-729*24*time.Hour), time.Now().Add(-731*24*time.Hour) // the database uses its own clock
	for actor, at := range map[string]time.Time{"user:anna": young, "user:ben": old} {
		if err := s.AppendEvent(t.Context(), control.Event{At: at, Kind: control.SignedIn, Actor: actor}); err != nil {
			t.Fatal(err)
		}
	}
	for _, statement := range []string{
		`UPDATE events SET actor = 'nobody'`, `DELETE FROM events`, `TRUNCATE events`,
		`INSERT INTO events SELECT id, 0, '', 'forged', '', '', '' FROM events ON CONFLICT (id) DO UPDATE SET actor = 'nobody'`,
	} {
		if _, err := s.write.ExecContext(t.Context(), statement); err == nil || !strings.Contains(err.Error(), "append-only") {
			t.Errorf("%s: %v, want an error", statement, err)
		}
	}
	if err := s.Prune(t.Context(), time.Now().Add(24*time.Hour)); err != nil {
		t.Error(err)
	}
	if events, err := s.Events(t.Context(), control.EventFilter{Limit: 10}); err != nil || len(events) != 1 || events[0].Actor != "user:anna" {
		t.Errorf("the log is %+v, %v; want the younger event", events, err)
	}
}

func stateChanges(t *testing.T, d *databases) {
	url := d.take(t)
	here, there := open(t, Options{URL: url}), open(t, Options{URL: url})
	state := func() uint64 {
		t.Helper()
		got, err := here.State(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	for who, s := range map[string]*Store{"here": here, "there": there} {
		before := state()
		if _, err := s.CreateWorkspace(t.Context(), control.NewWorkspace("Acme "+who), by()); err != nil {
			t.Fatal(err)
		}
		if got := state(); got == before {
			t.Errorf("after a change made %s the state is still %d", who, got)
		}
	}
}

func newerReleaseIsRejected(t *testing.T, d *databases) {
	url := d.server.NewDatabase(t)
	s := open(t, Options{URL: url})
	if _, err := s.write.ExecContext(t.Context(), `INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)`); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), Options{URL: url})
	wantFault(t, err, fault.KindMisconfigured, "version 99999")
}

func textIsChecked(t *testing.T, d *databases) {
	s := d.open(t)
	for _, name := range []string{"a\x00b", "a\xffb"} {
		err := s.CreateClient(t.Context(), control.Client{ID: "c", Name: name})
		wantFault(t, err, fault.KindInvalid, "valid UTF-8")
	}
}

func textIsSorted(t *testing.T, d *databases) {
	s := d.open(t)
	w, err := s.CreateWorkspace(t.Context(), control.NewWorkspace("Acme"), by())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"Z", "a b", "a-b", "aB", "ab", "ä"}
	for _, name := range want {
		if err := s.SaveMapping(t.Context(), control.Mapping{Workspace: w.ID, Name: name, At: noon}, by()); err != nil {
			t.Fatal(err)
		}
	}
	all, err := s.Mappings(t.Context(), w.ID)
	var got []string
	for _, m := range all {
		got = append(got, m.Name)
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("names in the order %q, %v; want %q", got, err, want)
	}
}

func lockedRowIsBusy(t *testing.T, d *databases) {
	url := d.take(t)
	s, other := open(t, Options{URL: url + "&lock_timeout=100ms"}), open(t, Options{URL: url})
	w, err := s.CreateWorkspace(t.Context(), control.NewWorkspace("Acme"), by())
	if err != nil {
		t.Fatal(err)
	}
	tx, err := other.write.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.ExecContext(t.Context(), `UPDATE workspaces SET name = 'locked'`); err != nil {
		t.Fatal(err)
	}
	_, err = s.UpdateWorkspace(t.Context(), w, by())
	wantFault(t, err, fault.KindUnavailable, "busy")
	if _, err := s.Workspaces(t.Context()); err != nil {
		t.Errorf("a reader has to wait for the writer: %v", err)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if _, err = s.UpdateWorkspace(t.Context(), w, by()); err != nil {
		t.Errorf("after the lock: %v", err)
	}
}

func allTablesAreCopied(t *testing.T, d *databases) {
	for name, s := range map[string]*Store{"SQLite": open(t, Options{Path: t.TempDir() + "/control.db"}), "PostgreSQL": d.open(t)} {
		tables, err := tablesOf(t.Context(), s.engine, s.read)
		if err != nil {
			t.Fatal(err)
		}
		want := slices.Sorted(slices.Values(append(slices.Clone(copied), "goose_db_version", "health", "installation")))
		if !slices.Equal(tables, want) {
			t.Errorf("%s has the tables\n%q, the list of copied ones and two more are\n%q", name, tables, want)
		}
	}
}

func passwordIsNotShown(t *testing.T, d *databases) {
	url := d.server.NewDatabase(t)
	for text, kind := range map[string]fault.Kind{
		strings.Replace(url, servertest.Password, "wrong-"+servertest.Password, 1): fault.KindMisconfigured,
		strings.Replace(url, "/assay", "/absent", 1):                               fault.KindMisconfigured,
		url + "&sslmode=nonsense":                                                  fault.KindMisconfigured,
		strings.Replace(url, "127.0.0.1:", "127.0.0.1:x", 1):                       fault.KindMisconfigured,
		strings.Replace(url, "postgres://assay:", "postgres://assay:\x01", 1):      fault.KindMisconfigured,
		"postgres://assay:" + servertest.Password + "@127.0.0.1:1/assay":           fault.KindUnavailable,
	} {
		_, err := Open(t.Context(), Options{URL: text})
		if fault.KindOf(err) != kind {
			t.Errorf("%s: %v (%s), want %s", text, err, fault.KindOf(err), kind)
		}
		public, hint, _ := fault.Public(err)
		if all := fmt.Sprintf("%v %+v %s %s", err, err, public, hint); strings.Contains(all, servertest.Password) || hint == "" {
			t.Errorf("%s: the error shows the password or has no hint: %s", text, all)
		}
	}
}

func encodingIsChecked(t *testing.T, d *databases) {
	db, err := sql.Open("pgx", d.server.NewDatabase(t))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), `CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`); err != nil {
		t.Fatal(err)
	}
	url := d.server.NewDatabase(t)
	_, err = Open(t.Context(), Options{URL: url[:strings.LastIndex(url, "/")] + "/latin?sslmode=disable"})
	wantFault(t, err, fault.KindMisconfigured, "LATIN1")
}

func TestAKilledServerIsUnavailableUntilItStarts(t *testing.T) {
	t.Parallel()
	server := servertest.StartPostgres(t)
	s := open(t, Options{URL: server.NewDatabase(t)})
	if _, err := s.CreateWorkspace(t.Context(), control.NewWorkspace("Acme"), by()); err != nil {
		t.Fatal(err)
	}
	lock, err := s.LockImport(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release()
	if err := lock.Held(t.Context()); err != nil {
		t.Errorf("the lock of a running import: %v", err)
	}
	server.Kill(t)
	for range 3 { // first on open connections, then without
		_, err := s.Workspaces(t.Context())
		wantFault(t, err, fault.KindUnavailable, "control database")
		_, err = s.CreateWorkspace(t.Context(), control.NewWorkspace("Lost"), by())
		wantFault(t, err, fault.KindUnavailable, "control database")
		_, err = s.State(t.Context())
		wantFault(t, err, fault.KindUnavailable, "control database")
		wantFault(t, s.Ping(t.Context()), fault.KindUnavailable, "control database")
		_, err = s.Access(t.Context(), "g")
		wantFault(t, err, fault.KindUnavailable, "control database")
	}
	server.Start(t)
	if all, err := s.Workspaces(t.Context()); err != nil || len(all) != 1 {
		t.Errorf("after the start: %d workspaces, %v; want 1", len(all), err)
	}
	if err := s.Ping(t.Context()); err != nil {
		t.Errorf("Ping after the start: %v", err)
	}
	wantFault(t, lock.Held(t.Context()), fault.KindUnavailable, "ended during the import")
	again, err := s.LockImport(t.Context(), "acme")
	if err != nil {
		t.Fatalf("a lock after the start: %v", err)
	}
	if again.Token() <= lock.Token() || lock.Token() < 1 {
		t.Errorf("the locks before and after the crash have the tokens %d and %d; want increasing positive tokens", lock.Token(), again.Token())
	}
	again.Release()
	if _, err := s.Access(t.Context(), "g"); fault.KindOf(err) != fault.KindNotFound {
		t.Errorf("a prepared query after the start: %v", err)
	}
}

// The server accepts connections and sends nothing.
func TestASilentServerIsUnavailable(t *testing.T) {
	t.Parallel()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, err = Open(ctx, Options{URL: "postgres://u:p@" + l.Addr().String() + "/assay?sslmode=disable&connect_timeout=1"})
	wantFault(t, err, fault.KindUnavailable, "does not respond")
}
