package warehousetest

import (
	"context"

	"assay/internal/measure"
	"assay/internal/warehouse"
)

// forgottenCustomer forgets the customer of orders 1, 2 and 4, who comes again with a later import.
func forgottenCustomer(on trial) {
	t, w := on.t, on.w
	small(t, w)
	before := version(t, w)
	lines := func() warehouse.ProductPage {
		return answer[warehouse.ProductPage](t)(w.Products(t.Context(), shop, warehouse.ProductsOf{Windows: warehouse.Windows{Recent: january}, Limit: 10}))
	}
	sold := lines()
	n, err := w.Forget(t.Context(), shop, "USD", "c1", "nobody", "")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "orders of the customer", 3, n)
	same(t, "version", before+1, version(t, w))
	want := smallTotals
	want.NewOrders = whole(6) // an order of nobody counts as a first one
	same(t, "totals", want, januaryTotals(t, w))
	same(t, "lines", sold, lines())
	n, err = w.Forget(t.Context(), shop, "USD", "c1")
	same(t, "orders when asked again", []any{0, error(nil)}, []any{n, err})
	same(t, "version when asked again", before+1, version(t, w))

	w.Forgetting(func(context.Context, measure.WorkspaceID) (map[string]struct{}, error) {
		return map[string]struct{}{"c1": {}}, nil
	})
	again := smallStore()
	for i := range again.Orders {
		again.Orders[i].UpdatedAt = instant("2026-02-01T00:00:00Z")
	}
	load(t, w, warehouse.ImportSpec{}, again)
	same(t, "totals after the customer came again", want, januaryTotals(t, w))
}
