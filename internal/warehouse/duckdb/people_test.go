package duckdb

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/measure"
	"assay/internal/warehouse"
)

// peoplesTables lists the roll-ups that 0004_customers.sql and 0005_creators.sql add.
var peoplesTables = []string{"segment_days", "buyers", "cohort_months", "panel_customers", "panel_days", "creator_days"}

// A store of an earlier release lacks the roll-ups of customers and creators. The next import builds them, and the
// import after that does not rebuild them.
func TestTheNextImportBuildsMissingRollUpsOfAnEarlierStore(t *testing.T) {
	t.Parallel()
	e := open(t, Options{Threads: 2})
	facts := warehouse.New(e)
	b := variousOrders(300)
	mustImport(t, facts, "shop", b)
	want := storedRows(t, e, peoplesTables)
	for table, rows := range want {
		if len(rows) == 0 {
			t.Errorf("%s is empty before the test empties it", table)
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
	if err := apply(t.Context(), w.instance.db, w, 6, "migrations/0006_first_orders.sql"); err != nil {
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

// TestThePanelDoesNotDependOnTheOrderOfImports imports into small panels. Some customers displace others from the
// panel, and canceled orders let others enter it. Some refunds are on other days than their orders, and some costs
// apply to earlier sales.
func TestThePanelDoesNotDependOnTheOrderOfImports(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("imports a shop in many parts and orders")
	}
	shop := func(from, step int, cancelled bool) (b warehouse.Batch) {
		for i := from; i < 60; i += step {
			day := month.First.AddDays(i * 11 % 28)
			ref := warehouse.OrderRef{Source: "test", Key: fmt.Sprintf("%04d", i)}
			b.Orders = append(b.Orders, warehouse.Order{
				OrderRef: ref, At: day.UTC().Add(time.Duration(i) * time.Minute), Day: day, Surface: "online_store",
				Customer: fmt.Sprintf("c%02d", i%20), Channel: []measure.Channel{"google", "email"}[i%2], Charged: int64(1000 + i),
				Status: "paid", Cancelled: cancelled && i%20 < 2,
			})
			b.Lines = append(b.Lines, warehouse.OrderLine{OrderRef: ref, Line: 1, SKU: "CUP", Quantity: 2, Net: 500})
		}
		return b
	}
	refunds := warehouse.Batch{}
	for i := 0; i < 60; i += 4 {
		r := warehouse.Refund{OrderRef: warehouse.OrderRef{Source: "test", Key: fmt.Sprintf("%04d", i)}, Refund: "1", Amount: int64(100 + i), DateUnknown: i%8 == 0}
		if !r.DateUnknown {
			r.Day = month.First.AddDays(i % 28)
		}
		refunds.Refunds = append(refunds.Refunds, r)
	}
	costs := warehouse.Batch{Costs: []warehouse.ProductCost{{Source: "test", SKU: "CUP", From: month.First.AddDays(9), Cost: 120}}}
	last := shop(0, 1, true)
	all := warehouse.Batch{Orders: last.Orders, Lines: last.Lines, Refunds: refunds.Refunds, Costs: costs.Costs}
	tables := []string{"panel_customers", "panel_days"}
	kept := func(imports ...warehouse.Batch) map[string][]string {
		e := open(t, Options{Threads: 2})
		e.panelSize = 5
		for _, b := range imports {
			mustImport(t, warehouse.New(e), "shop", b)
		}
		return storedRows(t, e, tables)
	}
	want := kept(all)
	if n := len(want["panel_customers"]); n == 0 {
		t.Fatal("the panel is empty")
	}
	for name, imports := range map[string][]warehouse.Batch{
		"the first customers last":   {shop(1, 2, false), shop(0, 2, false), refunds, costs, last},
		"cancelled before refunds":   {shop(0, 1, false), last, costs, refunds},
		"costs and refunds at first": {costs, refunds, shop(1, 3, true), shop(0, 3, false), shop(2, 3, true), last},
	} {
		if diff := cmp.Diff(want, kept(imports...)); diff != "" {
			t.Errorf("%s: the panel differs from that of one import (-want +got):\n%s", name, diff)
		}
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
