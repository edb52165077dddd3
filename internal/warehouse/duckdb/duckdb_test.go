package duckdb

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/warehouse"
	"assay/internal/warehouse/facts"
	"assay/internal/warehouse/warehousetest"
)

func clock() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// open starts an engine that closes with the test.
func open(tb testing.TB, options Options) *Engine {
	tb.Helper()
	if options.Clock == nil {
		options.Clock = clock
	}
	if options.Dir == "" {
		options.Dir = tb.TempDir()
	}
	e, err := Open(tb.Context(), options)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := e.Close(context.Background()); err != nil {
			tb.Error(err)
		}
	})
	return e
}

func TestEnginePassesTheWarehouseSuite(t *testing.T) {
	t.Parallel()
	warehousetest.Run(t, func(t *testing.T, clock func() time.Time) *warehouse.Warehouse {
		t.Helper()
		return warehouse.New(open(t, Options{Threads: 2, Clock: clock}))
	})
}

// With one import thread, an import alternates between reading and writing, and every statement has one thread.
func TestAnImportWithOneThreadStoresTheSame(t *testing.T) {
	t.Parallel()
	b := someOrders("csv", spanRows+10)
	e := open(t, Options{Threads: 4, ImportThreads: 1})
	w := warehouse.New(e)
	mustImport(t, w, "shop", b)
	wantOrders(t, w, "shop", spanRows+10)
	var threads int
	row := e.instance.db.QueryRowContext(t.Context(), "SELECT current_setting('threads')")
	if err := row.Scan(&threads); err != nil || threads != 1 {
		t.Errorf("statements have %d threads, %v; want 1", threads, err)
	}
}

// Imports match columns by name. A column that exists only in the table becomes NULL. A column that exists only in the
// facts causes an error.
func TestStoredTablesHaveTheColumnsOfFacts(t *testing.T) {
	t.Parallel()
	e := open(t, Options{})
	mustImport(t, warehouse.New(e), "shop", someOrders("csv", 1))
	types := map[facts.Type]string{
		facts.Text: "VARCHAR", facts.Int: "BIGINT", facts.Flag: "BOOLEAN", facts.Float: "DOUBLE", facts.Instant: "TIMESTAMP",
		facts.Day: "DATE",
	}
	for _, table := range facts.Tables {
		want := map[string]string{}
		for _, c := range table.Columns {
			want[c.Name] = types[c.Type]
		}
		got := map[string]string{}
		text := "SELECT column_name, data_type FROM duckdb_columns() WHERE database_name = 'ws_shop' AND table_name = '" + table.Name + "'"
		err := e.Select(t.Context(), "shop", warehouse.Statement{Name: "columns", Text: text}, func(row warehouse.Row) error {
			var name, kind string
			err := row.Scan(&name, &kind)
			got[name] = kind
			return err
		})
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("columns of %s (-facts +stored): %v\n%s", table.Name, err, diff)
		}
	}
}
