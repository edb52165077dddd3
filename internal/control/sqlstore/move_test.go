package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/control"
	"assay/internal/fault"
)

func TestControlDataMoveBetweenEngines(t *testing.T) {
	t.Parallel()
	d := newDatabases(t)
	for name, run := range map[string]func(*testing.T, *databases){
		"all rows are moved":                          rowsAreMoved,
		"a database with rows is rejected":            rowsAreNotMixed,
		"a copy that differs is rolled back":          differentCopyIsRolledBack,
		"a row that cannot be stored stops the move":  badRowStopsTheMove,
		"a snapshot of PostgreSQL is an SQLite store": snapshotIsSQLite,
		"a copy has no time limit":                    copyIsUnlimited,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(t, d)
		})
	}
}

// filled returns an SQLite store with rows in each of its tables. Numbers and texts are extreme where the columns allow it.
func filled(t *testing.T) *Store {
	t.Helper()
	s := open(t, Options{Path: filepath.Join(t.TempDir(), "control.db")})
	const rows = 7 // more than SQLite copies in one statement
	for _, table := range copied {
		columns, err := collect(t.Context(), s.read, func(row scanner) (c [2]string, err error) {
			return c, row.Scan(&c[0], &c[1])
		}, `SELECT name, type FROM pragma_table_info('`+table+`')`)
		if err != nil {
			t.Fatal(err)
		}
		for n := range rows {
			var names, places []string
			var values []any
			for i, c := range columns {
				names, places = append(names, c[0]), append(places, fmt.Sprint("$", i+1))
				values = append(values, extreme(c[0], c[1], n))
			}
			if _, err := s.write.ExecContext(t.Context(),
				`INSERT INTO `+table+` (`+strings.Join(names, ", ")+`) VALUES (`+strings.Join(places, ", ")+`)`, values...); err != nil {
				t.Fatalf("%s: %v", table, err)
			}
		}
	}
	return s
}

// extreme returns an extreme value of the column for row n. The columns of references and keys contain "k" and the row
// number, so references are valid.
func extreme(column, kind string, n int) any {
	switch kind {
	case "SMALLINT", "INTEGER":
		return n % 2
	case "BIGINT":
		return []int64{0, 1, -1, 1<<63 - 1, -1 << 63, 1_700_000_000_000_000, 42}[n]
	case "DOUBLE PRECISION":
		return []any{0.0, 0.1, -1.5e300, 5e-324, 3.0, 1.0 / 3, 2.2250738585072014e-308}[n]
	}
	switch column {
	case "cost_rules":
		return "[]"
	case "name", "label", "detail", "body", "reason", "problem", "hint":
		return []string{"", "ä ö ß 漢字 🛒", "a\nb\tc", `'"\%_`, strings.Repeat("x", 100_000), " lead and trail ", "\u00a0"}[n] + fmt.Sprint(n)
	}
	return fmt.Sprint("k", n)
}

func rowsAreMoved(t *testing.T, d *databases) {
	from, to := filled(t), d.open(t)
	moved, err := from.Move(t.Context(), to)
	if err != nil {
		t.Fatal(err)
	}
	if len(moved) != len(copied) {
		t.Errorf("%d tables were moved, want %d", len(moved), len(copied))
	}
	for _, m := range moved {
		var has int64
		if err := to.read.QueryRowContext(t.Context(), `SELECT count(*) FROM `+m.Table).Scan(&has); err != nil || m.Rows != 7 || has != 7 {
			t.Errorf("%s: %d rows moved, %d found, %v; want 7", m.Table, m.Rows, has, err)
		}
	}
	before, err := from.Workspaces(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	after, err := to.Workspaces(t.Context())
	if diff := cmp.Diff(before, after); diff != "" || err != nil {
		t.Errorf("workspaces (-want +got): %v\n%s", err, diff)
	}
	back := open(t, Options{Path: filepath.Join(t.TempDir(), "back.db")})
	again, err := to.Move(t.Context(), back)
	if diff := cmp.Diff(moved, again); diff != "" || err != nil {
		t.Errorf("moved back (-want +got): %v\n%s", err, diff)
	}
}

func rowsAreNotMixed(t *testing.T, d *databases) {
	from, to := filled(t), d.open(t)
	if err := to.AppendEvent(t.Context(), control.Event{At: noon, Kind: control.SignedIn}); err != nil {
		t.Fatal(err)
	}
	_, err := from.Move(t.Context(), to)
	wantFault(t, err, fault.KindConflict, "rows already")
	wantEmpty(t, to, 1)
}

func differentCopyIsRolledBack(t *testing.T, d *databases) {
	url := d.server.NewDatabase(t)
	from, to := filled(t), open(t, Options{URL: url})
	for _, statement := range []string{
		`CREATE FUNCTION louder() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.label = upper(NEW.label); RETURN NEW; END $$`,
		`CREATE TRIGGER louder BEFORE INSERT ON annotations FOR EACH ROW EXECUTE FUNCTION louder()`,
	} {
		if _, err := to.write.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	_, err := from.Move(t.Context(), to)
	wantFault(t, err, fault.KindUnavailable, "table annotations: the copy differs")
	wantEmpty(t, to, 0)
}

func badRowStopsTheMove(t *testing.T, d *databases) {
	from, to := filled(t), d.open(t)
	if _, err := from.write.ExecContext(t.Context(), `UPDATE reports SET name = 'a' || char(0) WHERE id = 'k3'`); err != nil {
		t.Fatal(err)
	}
	_, err := from.Move(t.Context(), to)
	wantFault(t, err, fault.KindInvalid, "table reports")
	wantEmpty(t, to, 0)
	if _, err := from.CreateWorkspace(t.Context(), control.NewWorkspace("Later"), by()); err != nil {
		t.Errorf("a change after the failed move: %v", err)
	}
}

// wantEmpty checks that nothing was copied.
func wantEmpty(t *testing.T, s *Store, events int) {
	t.Helper()
	for _, table := range copied {
		var has, want int
		if table == "events" {
			want = events
		}
		if err := s.read.QueryRowContext(t.Context(), `SELECT count(*) FROM `+table).Scan(&has); err != nil || has != want {
			t.Errorf("%s has %d rows, %v; want %d", table, has, err, want)
		}
	}
}

func snapshotIsSQLite(t *testing.T, d *databases) {
	from, middle := filled(t), d.open(t)
	if _, err := from.Move(t.Context(), middle); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "copy.db")
	if err := middle.Snapshot(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if files, err := filepath.Glob(path + "*"); err != nil || len(files) != 1 {
		t.Errorf("files %q, %v; want one", files, err)
	}
	counts, err := Counts(t.Context(), path)
	if err != nil || counts["events"] != 7 || counts["alert_message_events"] != 7 {
		t.Errorf("rows of the snapshot: %v, %v; want 7 in each table", counts, err)
	}
	before, err := from.Workspaces(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	after, err := open(t, Options{Path: path}).Workspaces(t.Context())
	if diff := cmp.Diff(before, after); diff != "" || err != nil {
		t.Errorf("workspaces (-want +got): %v\n%s", err, diff)
	}
}

func copyIsUnlimited(t *testing.T, d *databases) {
	s := d.open(t)
	for name, begin := range map[string]func(context.Context) (*sql.Tx, error){"reading": s.beginReading, "writing": s.beginWriting} {
		tx, err := begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, limit := range []string{"statement_timeout", "idle_in_transaction_session_timeout"} {
			var got string
			if err := tx.QueryRowContext(t.Context(), `SHOW `+limit).Scan(&got); err != nil || got != "0" {
				t.Errorf("%s: %s is %s, %v; want 0", name, limit, got, err)
			}
		}
		if err := tx.Rollback(); err != nil {
			t.Error(err)
		}
	}
}
