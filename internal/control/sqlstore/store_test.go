package sqlstore

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/control/controltest"
	"assay/internal/fault"
)

var noon = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)

func by() control.By { return control.By{Actor: "assay test", At: noon} }

func open(t *testing.T, o Options) *Store {
	t.Helper()
	s, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}

// Migrations are not synced, but a commit of a confirmed change is.
func TestCommitsAreSyncedAfterMigrations(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), Options{Path: filepath.Join(t.TempDir(), "control.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const full = 2
	var synchronous int
	if err := s.write.QueryRowContext(t.Context(), `PRAGMA synchronous`).Scan(&synchronous); err != nil || synchronous != full {
		t.Errorf("synchronous is %d, %v; want %d", synchronous, err, full)
	}
}

func TestSQLitePassesTheSuite(t *testing.T) {
	t.Parallel()
	controltest.Run(t, func(t *testing.T) controltest.Store {
		return open(t, Options{Path: filepath.Join(t.TempDir(), "control.db")})
	})
}

// The audit log states the scopes of a new key, and its tools if it is limited to some.
func TestKeysAreDescribedByTheirPermissions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		key  control.Key
		want string
	}{
		{control.Key{Name: "ci"}, "ci; "},
		{control.Key{Name: "ci", Scopes: []control.Scope{"read"}}, "ci; read"},
		{control.Key{Name: "ci", Scopes: []control.Scope{"read", "act"}, Tools: []string{}}, "ci; read act"},
		{control.Key{Name: "two words", Scopes: []control.Scope{"read"}, Tools: []string{"trends"}}, "two words; read; only trends"},
		{control.Key{Name: "ci", Scopes: []control.Scope{"read", "act"}, Tools: []string{"trends", "chart"}}, "ci; read act; only trends chart"},
	} {
		if got := describe(c.key); got != c.want {
			t.Errorf("%+v is described as %q, want %q", c.key, got, c.want)
		}
	}
}

func TestControlDataSurviveARestart(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a folder", "100% control?.db")
	s, err := Open(t.Context(), Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.CreateWorkspace(t.Context(), control.NewWorkspace("Acme"), by()); err != nil {
		t.Fatal(err)
	}
	first, err := s.LockImport(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, Options{Path: path})
	if w, err := again.Workspace(t.Context(), "acme"); err != nil || w.Name != "Acme" {
		t.Errorf("Workspace after a restart = %+v, %v", w, err)
	}
	if second, err := again.LockImport(t.Context(), "acme"); err != nil || first.Token() != 1 || second.Token() != 2 {
		t.Errorf("the locks before and after a restart have the tokens %d and %d, %v; want 1 and 2", first.Token(), second.Token(), err)
	}
	if err := again.Ping(t.Context()); err != nil {
		t.Errorf("Ping: %v", err)
	}
}

func TestOnlyTheOwnerCanReadTheFiles(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	s := open(t, Options{Path: filepath.Join(dir, "control.db")})
	if _, err := s.CreateWorkspace(t.Context(), control.NewWorkspace("Acme"), by()); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(dir); err != nil {
		t.Error(err)
	} else if info.Mode().Perm() != 0o700 {
		t.Errorf("the folder has mode %v, want 0700", info.Mode().Perm())
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) < 2 {
		t.Fatalf("%d files, %v; want the database and its log", len(files), err)
	}
	for _, f := range files {
		info, err := f.Info()
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v, %v; want 0600", f.Name(), info.Mode().Perm(), err)
		}
	}
}

func TestStoresThatStartAtOnceAgreeOnTheTables(t *testing.T) {
	t.Parallel()
	startsAgree(t, Options{Path: filepath.Join(t.TempDir(), "control.db")})
}

// startsAgree opens a new database with four stores at once, which must all work.
func startsAgree(t *testing.T, o Options) {
	t.Helper()
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			s, err := Open(t.Context(), o)
			if err != nil {
				t.Errorf("store %d: %v", i, err)
				return
			}
			defer s.Close()
			if _, err := s.CreateWorkspace(t.Context(), control.NewWorkspace(fmt.Sprint("shop ", i)), by()); err != nil {
				t.Errorf("store %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	if all, err := open(t, o).Workspaces(t.Context()); err != nil || len(all) != 4 {
		t.Errorf("%d workspaces, %v; want 4", len(all), err)
	}
}

func TestPingNoticesADatabaseThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "control.db")
	s := open(t, Options{Path: path, BusyTimeout: time.Millisecond})
	other := open(t, Options{Path: path})
	if err := s.Ping(t.Context()); err != nil {
		t.Errorf("Ping: %v", err)
	}
	tx, err := other.write.BeginTx(t.Context(), nil) // takes the lock and keeps it
	if err != nil {
		t.Fatal(err)
	}
	wantFault(t, s.Ping(t.Context()), fault.KindUnavailable, "locked")
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := s.Ping(t.Context()); err != nil {
		t.Errorf("Ping after the lock: %v", err)
	}
	if _, err := s.write.ExecContext(t.Context(), `PRAGMA query_only = 1`); err != nil {
		t.Fatal(err)
	}
	wantFault(t, s.Ping(t.Context()), fault.KindUnavailable, "read-only")
	if _, err := s.Workspaces(t.Context()); err != nil {
		t.Errorf("reads: %v; want them to succeed", err)
	}
}

func TestFileOfANewerReleaseIsRejected(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "control.db")
	s := open(t, Options{Path: path})
	if _, err := s.write.ExecContext(t.Context(), `INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, 1)`); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), Options{Path: path})
	wantFault(t, err, fault.KindMisconfigured, "version 99999")
}

func TestLockedDatabaseIsUnavailable(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "control.db")
	s := open(t, Options{Path: path, BusyTimeout: time.Millisecond})
	other := open(t, Options{Path: path})
	tx, err := other.write.BeginTx(t.Context(), nil) // takes the lock immediately
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.CreateWorkspace(t.Context(), control.NewWorkspace("Acme"), by())
	wantFault(t, err, fault.KindUnavailable, "locked")
	if _, err := s.Workspaces(t.Context()); err != nil {
		t.Errorf("a reader has to wait for the writer: %v", err)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.CreateWorkspace(t.Context(), control.NewWorkspace("Acme"), by()); err != nil {
		t.Errorf("after the lock: %v", err)
	}
}

func TestFullDiskIsUnavailableAndLeavesNoPartialChange(t *testing.T) {
	t.Parallel()
	s := open(t, Options{Path: filepath.Join(t.TempDir(), "control.db")})
	w, err := s.CreateWorkspace(t.Context(), control.NewWorkspace("Acme"), by())
	if err != nil {
		t.Fatal(err)
	}
	limitPages(t, s.write)
	big := control.Key{ID: "k1", Workspace: w.ID, Name: strings.Repeat("x", 1<<20), Hash: []byte("h"), CreatedAt: noon}
	err = s.CreateKey(t.Context(), big, by())
	wantFault(t, err, fault.KindUnavailable, "full")
	if keys, err := s.Keys(t.Context(), w.ID); err != nil || len(keys) != 0 {
		t.Errorf("%d keys, %v; want none", len(keys), err)
	}
	if events, err := s.Events(t.Context(), control.EventFilter{Workspace: w.ID, Limit: 10}); err != nil || len(events) != 1 {
		t.Errorf("%d events, %v; want only the workspace's", len(events), err)
	}
}

// limitPages stops the file from growing, as a full disk would.
func limitPages(t *testing.T, db *sql.DB) {
	t.Helper()
	var pages int
	if err := db.QueryRowContext(t.Context(), `PRAGMA max_page_count = 1`).Scan(&pages); err != nil {
		t.Fatal(err)
	}
}

func TestFileThatIsNotADatabaseIsUnavailable(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "control.db")
	if err := os.WriteFile(path, []byte(strings.Repeat("not a database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), Options{Path: path})
	wantFault(t, err, fault.KindUnavailable, "damaged")
}

func TestPathIsNeeded(t *testing.T) {
	t.Parallel()
	if _, err := Open(t.Context(), Options{}); err == nil {
		t.Error("Open without a path: no error")
	}
}

func wantFault(t *testing.T, err error, kind fault.Kind, text string) {
	t.Helper()
	if fault.KindOf(err) != kind || err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("error = %v (%s), want %s that contains %q", err, fault.KindOf(err), kind, text)
		return
	}
	if _, hint, ok := fault.Public(err); !ok || hint == "" {
		t.Errorf("%v has no hint", err)
	}
}

func TestStateChangesWithEveryChange(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "control.db")
	here, there := open(t, Options{Path: path}), open(t, Options{Path: path})
	state := func() uint64 {
		t.Helper()
		got, err := here.State(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	before := state()
	if _, err := here.Workspaces(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := state(); got != before {
		t.Errorf("after reading the state is %d, was %d", got, before)
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

func TestTheRecentStateIncludesOwnChanges(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "control.db")
	here, there := open(t, Options{Path: path}), open(t, Options{Path: path})
	state := func() uint64 {
		t.Helper()
		got, err := here.RecentState(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	for i := range 5 {
		before := state()
		if _, err := here.CreateWorkspace(t.Context(), control.NewWorkspace("Acme "+strconv.Itoa(i)), by()); err != nil {
			t.Fatal(err)
		}
		if got := state(); got == before {
			t.Errorf("after a change the state is still %d", got)
		}
	}
	before := state()
	if _, err := there.CreateWorkspace(t.Context(), control.NewWorkspace("Other"), by()); err != nil {
		t.Fatal(err)
	}
	time.Sleep(stateTime)
	if got := state(); got == before {
		t.Errorf("%s after a change by another process the state is still %d", stateTime, got)
	}
}

func TestForecastsAreRemovedAfterTwoYears(t *testing.T) {
	t.Parallel()
	s := open(t, Options{Path: filepath.Join(t.TempDir(), "control.db")})
	w, err := s.CreateWorkspace(t.Context(), control.NewWorkspace("Acme"), by())
	if err != nil {
		t.Fatal(err)
	}
	today := civil.DayOf(noon, time.UTC)
	for _, made := range []civil.Date{today.AddDays(-731), today.AddDays(-730)} {
		f := control.Forecast{Metric: "revenue", Made: made, Days: civil.Range{First: made, Last: made}, Occasion: control.DailyForecast, At: noon}
		if err := s.KeepForecasts(t.Context(), w.ID, []control.Forecast{f}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Prune(t.Context(), noon); err != nil {
		t.Fatal(err)
	}
	if left, err := s.Forecasts(t.Context(), w.ID, civil.Date{}); err != nil || len(left) != 1 || left[0].Made != today.AddDays(-730) {
		t.Errorf("%+v, %v remain; want the event of 730 days ago", left, err)
	}
}
