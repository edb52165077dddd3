package warehousetest

import (
	"testing"

	"assay/internal/measure"
	"assay/internal/warehouse"
)

// surfaceTotals checks that every figure treats a daily total of a surface like unattributed orders. On days with
// stored orders of the surface, figures must ignore the total.
func surfaceTotals(on trial) {
	t, w := on.t, on.w
	total := warehouse.SurfaceDayTotal{
		Source: "till", Day: date("2026-01-10"), Surface: measure.Retail, Country: "US", Region: "CA", Orders: 3, NewOrders: 1, Units: 4, Charged: 10_00,
		Tax: 1_00, Refunds: 2_00,
	}
	order := warehouse.Order{
		OrderRef: ref("1"), Name: "1", At: instant("2026-01-10T12:00:00Z"), Day: date("2026-01-10"), Surface: measure.OnlineStore, Customer: "a",
		Charged: 50_00, Status: "paid", Country: "US", Region: "CA", Units: 1,
	}
	load(t, w, warehouse.ImportSpec{}, warehouse.Batch{Orders: []warehouse.Order{order}})
	counts := load(t, w, warehouse.ImportSpec{}, warehouse.Batch{SurfaceDays: []warehouse.SurfaceDayTotal{total}})
	same(t, "the import", warehouse.Counts{Inserted: 1}, counts.Tables["surface_days"])
	taken := measure.Sums{Orders: whole(3), Charged: 10_00, Tax: 1_00, Refunds: 2_00, NewOrders: whole(1), Units: 4}
	online := measure.Sums{Orders: whole(1), Charged: 50_00, NewOrders: whole(1), Units: 1}
	same(t, "surfaces", map[measure.Surface]measure.Sums{measure.OnlineStore: online, measure.Retail: taken}, bySurface(t, w))
	same(t, "the store", online.Add(taken), januaryTotals(t, w))
	for _, model := range []measure.Model{measure.FirstTouch, measure.LastTouch, measure.Linear} {
		credited := answer[warehouse.Pair[[]warehouse.ChannelTotal]](t)(w.ChannelTotals(t.Context(), shop, model, warehouse.Windows{Recent: january})).Recent
		if len(credited) != 1 || credited[0].Channel != measure.Unattributed || credited[0].Sums != online.Add(taken) {
			t.Errorf("%s: %+v", model, credited)
		}
	}
	segments := answer[warehouse.Pair[warehouse.SegmentTotals]](t)(w.SegmentTotals(t.Context(), shop, "", warehouse.Windows{Recent: january})).Recent
	same(t, "new customers", whole(2), segments.New.Orders)
	same(t, "revenue of new customers", int64(50_00+3_33), segments.New.Charged)
	same(t, "returning customers", measure.Sums{}, segments.Returning)
	same(t, "orders without a customer", whole(2), segments.Unknown.Orders)
	same(t, "refunds without a customer", int64(2_00), segments.Unknown.Refunds)
	same(t, "regions", []warehouse.RegionTotal{{Day: date("2026-01-10"), Region: "CA", Orders: whole(4), Charged: 60_00}}, regionDays(t, w))

	again := load(t, w, warehouse.ImportSpec{}, warehouse.Batch{SurfaceDays: []warehouse.SurfaceDayTotal{total}})
	same(t, "the same again", warehouse.Counts{Unchanged: 1}, again.Tables["surface_days"])
	total.Charged = 12_00
	load(t, w, warehouse.ImportSpec{}, warehouse.Batch{SurfaceDays: []warehouse.SurfaceDayTotal{total}})
	same(t, "a later figure", int64(12_00), bySurface(t, w)[measure.Retail].Charged)

	sold := order
	sold.OrderRef, sold.Name, sold.Surface, sold.Charged, sold.Customer = ref("2"), "2", measure.Retail, 7_00, "b"
	load(t, w, warehouse.ImportSpec{}, warehouse.Batch{Orders: []warehouse.Order{sold}})
	same(t, "orders of the surface take the place of its total", int64(7_00), bySurface(t, w)[measure.Retail].Charged)
	sold.Cancelled = true
	load(t, w, warehouse.ImportSpec{}, warehouse.Batch{Orders: []warehouse.Order{sold}})
	same(t, "and give it back", int64(12_00), bySurface(t, w)[measure.Retail].Charged)
}

func bySurface(t *testing.T, w *warehouse.Warehouse) map[measure.Surface]measure.Sums {
	t.Helper()
	out := map[measure.Surface]measure.Sums{}
	for _, s := range answer[warehouse.Pair[[]warehouse.SurfaceTotal]](t)(w.SurfaceTotals(t.Context(), shop, warehouse.Windows{Recent: january})).Recent {
		out[s.Surface] = s.Sums
	}
	return out
}
