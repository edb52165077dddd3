package duckdb

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/warehouse"
)

// beforeCosts reverts a store to the schema before 0007_costs.sql. In that schema, a product has one cost, which no
// figure uses.
const beforeCosts = `
CREATE TABLE {{products_before}} (
    source VARCHAR, sku VARCHAR, title VARCHAR, kind VARCHAR, vendor VARCHAR, price BIGINT, cost BIGINT, cost_known BOOLEAN
);
INSERT INTO {{products_before}}
SELECT p.source, p.sku, p.title, p.kind, p.vendor, p.price, coalesce(c.cost, 0), c.cost IS NOT NULL
FROM {{products}} p LEFT JOIN {{product_costs}} c ON c.source = p.source AND c.sku = p.sku;
DROP TABLE {{products}}; ALTER TABLE {{products_before}} RENAME TO products; DROP TABLE {{product_costs}};
UPDATE {{product_days}} SET cost = 0, costed = 0;
UPDATE {{goods_days}} SET cost = 0, costed = 0, costed_net = 0;
UPDATE {{panel_days}} SET cost = 0, costed = 0;`

// A store of an earlier release has product costs, but its figures do not include them. The store catches up once,
// without an import.
func TestEarlierStoreCatchesUpWithItsCosts(t *testing.T) {
	t.Parallel()
	e := open(t, Options{Threads: 2})
	facts := warehouse.New(e)
	b := variousOrders(50)
	for _, o := range b.Orders {
		b.Lines = append(b.Lines, warehouse.OrderLine{OrderRef: o.OrderRef, Line: 1, SKU: "CUP", Quantity: 2, Net: 500})
	}
	b.Products = []warehouse.Product{{Source: "shopify", SKU: "CUP", Title: "Cup"}, {Source: "shopify", SKU: "POT", Title: "Pot"}}
	b.Costs = []warehouse.ProductCost{{Source: "shopify", SKU: "CUP", Cost: 120}}
	mustImport(t, facts, "shop", b)
	tables := []string{"products", "product_costs", "product_days", "goods_days", "panel_days"}
	want := storedRows(t, e, tables)
	alter(t, e, beforeCosts)
	revisit(t, e, "0007_costs.sql", 7)
	if cmp.Equal(want, storedRows(t, e, tables)) {
		t.Error("figures do not change when the store is reverted")
	}
	version := mustVersion(t, facts, "shop")
	for i, done := range []bool{true, false} {
		if did, err := facts.CatchUp(t.Context(), "shop"); did != done || err != nil {
			t.Errorf("catching up %d: got %t, %v, want %t", i+1, did, err, done)
		}
	}
	if diff := cmp.Diff(want, storedRows(t, e, tables)); diff != "" {
		t.Errorf("the store differs after it caught up (-before +after):\n%s", diff)
	}
	if got := mustVersion(t, facts, "shop"); got != version+1 {
		t.Errorf("version %d after it caught up, want %d", got, version+1)
	}
}

// beforeUnknownCustomers reverts roll-ups to the state before 0017_unknown_customers.sql, in which an order without a
// customer is new.
const beforeUnknownCustomers = `
UPDATE {{credit_days}} SET new_orders = orders WHERE day IN (SELECT day FROM {{store_days}} WHERE is_new IS NULL);
UPDATE {{store_days}} SET is_new = true WHERE is_new IS NULL;
UPDATE {{segment_days}} SET is_new = true, new_orders = orders WHERE is_new IS NULL;`

// A store of an earlier release has orders without a customer, and roll-ups that treat these as orders of new
// customers.
func TestEarlierStoreCatchesUpWithItsUnknownCustomers(t *testing.T) {
	t.Parallel()
	e := open(t, Options{Threads: 2})
	facts := warehouse.New(e)
	b := variousOrders(60)
	for i := range b.Orders {
		if i%3 == 0 {
			b.Orders[i].Customer = ""
		}
	}
	mustImport(t, facts, "shop", b)
	tables := []string{"store_days", "segment_days", "credit_days"}
	want := storedRows(t, e, tables)
	alter(t, e, beforeUnknownCustomers)
	if cmp.Equal(want, storedRows(t, e, tables)) {
		t.Fatal("no order is without a customer")
	}
	revisit(t, e, "0017_unknown_customers.sql", 17)
	if did, err := facts.CatchUp(t.Context(), "shop"); !did || err != nil {
		t.Fatalf("catching up: got %t, %v", did, err)
	}
	if diff := cmp.Diff(want, storedRows(t, e, tables)); diff != "" {
		t.Errorf("the store differs after it caught up (-before +after):\n%s", diff)
	}
}

// A store of an earlier release has product sales without the roll-up by sales surface. The migration computes it.
func TestEarlierStoreGetsItsGoodsByDayAndSurface(t *testing.T) {
	t.Parallel()
	e := open(t, Options{Threads: 2})
	facts := warehouse.New(e)
	b := variousOrders(60)
	for i, o := range b.Orders {
		line := warehouse.OrderLine{OrderRef: o.OrderRef, Line: 1, SKU: string("ABC"[i%3]), Quantity: 2, Net: 500, Cost: 200, CostKnown: i%3 == 0}
		b.Lines = append(b.Lines, line)
	}
	b.Lines[1].Quantity = 4_006_381_333_931 // an EAN: the line's cost is implausible
	middle := b.Orders[30].Day
	b.Costs = []warehouse.ProductCost{
		{Source: "a", SKU: "B", Cost: 1200}, {Source: "b", SKU: "B", Cost: 1300}, {Source: "b", SKU: "B", Cost: 1400, From: middle},
	}
	mustImport(t, facts, "shop", b)
	tables := []string{"goods_days"}
	want := storedRows(t, e, tables)
	alter(t, e, `DROP TABLE {{goods_days}};`)
	revisit(t, e, "0018_goods_days.sql", 18)
	if diff := cmp.Diff(want, storedRows(t, e, tables)); diff != "" || len(want["goods_days"]) < 2 {
		t.Errorf("the migration gives other rows (-import +migration):\n%s", diff)
	}
}

// revisit applies a migration to the facts of the shop again.
func revisit(t *testing.T, e *Engine, file string, version int) {
	t.Helper()
	w, release, err := e.acquire(t.Context(), "shop")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if err := apply(t.Context(), w.instance.db, w, version, "migrations/"+file); err != nil {
		t.Fatal(err)
	}
}
