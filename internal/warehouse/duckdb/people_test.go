package duckdb

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/warehouse"
)

// peoplesTables are the roll-ups that stores got with 0004_customers.sql and 0005_creators.sql.
var peoplesTables = []string{"segment_days", "buyers", "cohort_months", "panel_customers", "panel_days", "creator_days"}

// A store of before lacks the roll-ups of customers and creators. The next import makes them, whatever it brings, and
// the one after that does not.
func TestTheNextImportMakesTheRollUpsThatAStoreOfBeforeLacks(t *testing.T) {
	t.Parallel()
	e := open(t, Options{Threads: 2})
	facts := warehouse.New(e)
	b := variousOrders(300)
	mustImport(t, facts, "shop", b)
	want := storedRows(t, e, peoplesTables)
	for table, rows := range want {
		if len(rows) == 0 {
			t.Errorf("%s is empty before anything was taken away", table)
		}
	}
	alter(t, e, beforeFirstOrders)
	for _, table := range peoplesTables {
		alter(t, e, "DELETE FROM {{"+table+"}}")
	}
	w, release, err := e.acquire(t.Context(), "shop")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if err := apply(t.Context(), w.instance.db, w, "migrations/0006_first_orders.sql", 6); err != nil {
		t.Fatal(err)
	}
	version := mustVersion(t, facts, "shop")
	mustImport(t, facts, "shop", b)
	if diff := cmp.Diff(want, storedRows(t, e, peoplesTables)); diff != "" {
		t.Errorf("roll-ups after the next import differ (-before +after):\n%s", diff)
	}
	if got := mustVersion(t, facts, "shop"); got != version+1 {
		t.Errorf("version after the roll-ups were made: got %d, want %d", got, version+1)
	}
	mustImport(t, facts, "shop", b)
	if got := mustVersion(t, facts, "shop"); got != version+1 {
		t.Errorf("version after another import of the same: got %d, want %d", got, version+1)
	}
}

// storedRows returns the rows of tables of the workspace "shop" as text, in order.
func storedRows(t *testing.T, e *Engine, tables []string) map[string][]string {
	t.Helper()
	w, release, err := e.acquire(t.Context(), "shop")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	stored := map[string][]string{}
	for _, table := range tables {
		row := w.instance.db.QueryRowContext(t.Context(), w.text("SELECT coalesce(string_agg(line, chr(10) ORDER BY line), '') FROM (SELECT CAST(r AS VARCHAR) AS line FROM {{"+table+"}} r)"))
		var text string
		if err := row.Scan(&text); err != nil {
			t.Fatal(err)
		}
		stored[table] = strings.Fields(text)
	}
	return stored
}

func alter(t *testing.T, e *Engine, text string) {
	t.Helper()
	w, release, err := e.acquire(t.Context(), "shop")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if _, err := w.instance.db.ExecContext(t.Context(), w.text(text)); err != nil {
		t.Fatal(err)
	}
}
