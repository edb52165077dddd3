package warehousetest

import (
	"cmp"
	"fmt"
	"slices"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

// unitCosts returns the costs of the random store's products. Some costs have no first day, some apply starting on a
// day, some differ between two sources, and one is for a product without sales. Other products have no known cost.
func unitCosts() []warehouse.ProductCost {
	cost := func(source, sku, from string, minor int64) warehouse.ProductCost {
		c := warehouse.ProductCost{Source: source, SKU: sku, Cost: minor}
		if from != "" {
			c.From = date(from)
		}
		return c
	}
	return []warehouse.ProductCost{
		cost("shopify", "P1", "", 300), cost("shopify", "P2", "", 0), cost("shopify", "P3", "", 700), cost("shopify", "GONE", "", 5),
		cost("costs", "P3", "", 650), cost("costs", "P1", "2026-01-15", 320), cost("costs", "P1", "2026-02-10", 280),
		cost("costs", "P4", "2026-02-01", 900), cost("shopify", "P4", "2026-02-01", 950), cost("costs", "P5", "2027-01-01", 1),
	}
}

// costsFillLines imports orders and costs in different sequences. A line without its own cost has the cost of its
// product on the day.
func costsFillLines(on trial) {
	t, w := on.t, on.w
	store, costs := newRandomStore(21, 150), unitCosts()
	want := productsWith(store, costs)
	pieces := map[byte]warehouse.Batch{
		'o': store.batch(), 'a': {Costs: costs[:4]}, 'b': {Costs: costs[4:7]}, 'c': {Costs: costs[7:]},
		'w': {Costs: []warehouse.ProductCost{{Source: "shopify", SKU: "P1", Cost: 999}, {Source: "costs", SKU: "P4", From: date("2026-02-01"), Cost: 1}}},
	}
	var panel []warehouse.PanelCustomer
	for i, order := range []string{"oabc", "cbao", "owabc"} {
		ws := measure.WorkspaceID(fmt.Sprintf("costs-%d", i))
		for _, piece := range []byte(order) {
			load(t, w, warehouse.ImportSpec{Workspace: ws}, pieces[piece])
		}
		page := answer[warehouse.ProductPage](t)(w.Products(t.Context(), ws, warehouse.ProductsOf{
			Windows: warehouse.Windows{Recent: store.days}, Limit: 100,
		}))
		slices.SortFunc(page.Rows, func(a, b warehouse.ProductTotal) int { return cmp.Compare(a.SKU, b.SKU) })
		same(t, "products imported as "+order, want, page.Rows)
		got := answer[warehouse.Panel](t)(w.Panel(t.Context(), ws)).Customers
		if panel == nil {
			panel = got
		}
		same(t, "panel imported as "+order, panel, got)
	}
	ws := measure.WorkspaceID("costs-0")
	again := load(t, w, warehouse.ImportSpec{Workspace: ws}, pieces['b'])
	same(t, "the same costs again", warehouse.Counts{Unchanged: 3}, again.Tables["product_costs"])
	same(t, "days that change with them", 0, again.DaysHit)
	later := load(t, w, warehouse.ImportSpec{Workspace: ws}, warehouse.Batch{Costs: []warehouse.ProductCost{{Source: "costs", SKU: "P1", From: date("2026-01-20"), Cost: 270}}})
	if later.Days.First.Before(date("2026-01-20")) || later.DaysHit == 0 {
		t.Errorf("a cost from 20 January changes %d days, %s", later.DaysHit, later.Days)
	}
}

// productsWith returns the random store's sales by product, with costs.
func productsWith(store *random, costs []warehouse.ProductCost) []warehouse.ProductTotal {
	days := map[warehouse.OrderRef]civil.Date{}
	for _, o := range store.orders {
		if !o.Cancelled && !o.Test {
			days[o.OrderRef] = o.Day
		}
	}
	totals, counted := map[string]*warehouse.ProductTotal{}, map[string]bool{}
	for _, l := range store.rest.Lines {
		day, counts := days[l.OrderRef]
		if !counts {
			continue
		}
		if totals[l.SKU] == nil {
			totals[l.SKU] = &warehouse.ProductTotal{SKU: l.SKU, Title: l.Title}
		}
		p := totals[l.SKU]
		p.Units, p.Net, p.Discount = p.Units+l.Quantity, p.Net+l.Net, p.Discount+l.Discount
		if once := l.Key + " " + l.SKU; !counted[once] {
			counted[once] = true
			p.Orders++
		}
		if unit, known := costOn(costs, l.SKU, day); l.CostKnown {
			p.Cost, p.Costed = p.Cost+l.Cost, p.Costed+l.Quantity
		} else if known {
			p.Cost, p.Costed = p.Cost+unit*l.Quantity, p.Costed+l.Quantity
		}
	}
	var all []warehouse.ProductTotal
	for _, p := range totals {
		all = append(all, *p)
	}
	slices.SortFunc(all, func(a, b warehouse.ProductTotal) int { return cmp.Compare(a.SKU, b.SKU) })
	return all
}

// costOn returns the cost of a product on a day.
func costOn(costs []warehouse.ProductCost, sku string, day civil.Date) (cost int64, known bool) {
	var best warehouse.ProductCost
	for _, c := range costs {
		if c.SKU != sku || c.From.After(day) {
			continue
		}
		if !known || c.From.After(best.From) || c.From == best.From && c.Source < best.Source {
			best, known = c, true
		}
	}
	return best.Cost, known
}
