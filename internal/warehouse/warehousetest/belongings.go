package warehousetest

import (
	"testing"
	"time"

	"assay/internal/measure"
	"assay/internal/warehouse"
)

// returnsAlone imports refunds and touchpoints without their orders. The import adds them to the stored rows.
func returnsAlone(on trial) {
	t, w := on.t, on.w
	small(t, w)
	back := warehouse.Batch{Refunds: []warehouse.Refund{{OrderRef: ref("2"), Refund: "r2", At: instant("2026-01-20T12:00:00Z"), Day: date("2026-01-20"), Amount: 5_00}}}
	out := load(t, w, warehouse.ImportSpec{}, back)
	same(t, "refunds", warehouse.Counts{Inserted: 1}, out.Tables["refunds"])
	want := smallTotals
	want.Refunds += 5_00
	same(t, "both refunds count", want, januaryTotals(t, w))
	again := load(t, w, warehouse.ImportSpec{}, back)
	same(t, "the same refund again", warehouse.Counts{Unchanged: 1}, again.Tables["refunds"])
	same(t, "version", out.Version, again.Version)
	back.Refunds[0].Amount = 6_00
	same(t, "a corrected refund", warehouse.Counts{Updated: 1}, load(t, w, warehouse.ImportSpec{}, back).Tables["refunds"])

	later := warehouse.Touch{OrderRef: ref("2"), Seq: 4, At: instant("2026-01-11T12:00:00Z"), Channel: "tiktok"}
	out = load(t, w, warehouse.ImportSpec{}, warehouse.Batch{Touches: []warehouse.Touch{later}})
	same(t, "touches", warehouse.Counts{Inserted: 1}, out.Tables["touches"])
	first := answer[warehouse.Pair[[]warehouse.ChannelTotal]](t)(w.ChannelTotals(t.Context(), shop, measure.FirstTouch, warehouse.Windows{Recent: january})).Recent
	same(t, "the first touch is still facebook's", int64(50_01-5_00), credits(first)["facebook"].Charged)
	var many []warehouse.Touch
	for range 18 {
		later.Seq++
		many = append(many, later)
	}
	out = load(t, w, warehouse.ImportSpec{}, warehouse.Batch{Touches: many})
	same(t, "of more than twenty touches the oldest go", warehouse.Counts{Inserted: 18, Removed: 2}, out.Tables["touches"])
}

// ordersWithoutRefunds imports new versions of orders 1 and 2 without coupons, refunds and lines, in a file with
// coupons, refunds and lines of other orders.
func ordersWithoutRefunds(on trial) {
	t, w := on.t, on.w
	small(t, w)
	store := smallStore()
	for i := range store.Orders {
		store.Orders[i].UpdatedAt = store.Orders[i].UpdatedAt.Add(time.Hour)
	}
	out := load(t, w, warehouse.ImportSpec{}, warehouse.Batch{
		Orders: []warehouse.Order{store.Orders[0], store.Orders[1], store.Orders[2], store.Orders[5]},
		// The refund belongs to order 3. The coupons and lines belong to order 6.
		Refunds: store.Refunds[1:2], Coupons: store.Coupons[1:3], Lines: store.Lines[3:5],
	})
	same(t, "refunds", warehouse.Counts{Unchanged: 1, Removed: 1}, out.Tables["refunds"])
	same(t, "coupons", warehouse.Counts{Unchanged: 2, Removed: 1}, out.Tables["order_coupons"])
	same(t, "lines", warehouse.Counts{Unchanged: 2}, out.Tables["order_lines"])
	want := smallTotals
	want.Refunds -= 20_00
	same(t, "the refund of order 2 is gone", want, januaryTotals(t, w))
	page := answer[warehouse.ProductPage](t)(w.Products(t.Context(), shop, warehouse.ProductsOf{Windows: warehouse.Windows{Recent: january}, Limit: 5}))
	same(t, "all lines are still there", int64(60_00+35_00+45_00+35_00+5_00), page.Totals.Recent.Net)

	order := store.Orders[2]
	order.UpdatedAt = order.UpdatedAt.Add(time.Hour)
	load(t, w, warehouse.ImportSpec{}, warehouse.Batch{Orders: []warehouse.Order{order}})
	same(t, "a file without refunds leaves them", want, januaryTotals(t, w))
}

// unknownOrders imports refunds before their order.
func unknownOrders(on trial) {
	t, w := on.t, on.w
	out := load(t, w, warehouse.ImportSpec{}, warehouse.Batch{Refunds: []warehouse.Refund{
		{OrderRef: ref("x"), Refund: "r1", At: instant("2026-01-20T12:00:00Z"), Day: date("2026-01-20"), Amount: 7_00},
		{OrderRef: ref("x"), Refund: "r2", At: instant("2026-01-21T12:00:00Z"), Day: date("2026-01-21"), Amount: 1_00, DateUnknown: true},
	}})
	same(t, "days", []any{period("2026-01-20", "2026-01-21"), 2}, []any{out.Days, out.DaysHit})
	dated, undated := measure.Sums{Refunds: 7_00}, measure.Sums{Refunds: 1_00, Undated: 1_00}
	wantDays(t, w, warehouse.DayTotal{Day: date("2026-01-20"), Sums: dated}, warehouse.DayTotal{Day: date("2026-01-21"), Sums: undated})
	for _, model := range measure.Models() {
		rows := answer[warehouse.Pair[[]warehouse.ChannelTotal]](t)(w.ChannelTotals(t.Context(), shop, model, warehouse.Windows{Recent: january})).Recent
		same(t, string(model), dated.Add(undated), credits(rows)[measure.Unattributed])
	}

	order := warehouse.Order{
		OrderRef: ref("x"), At: instant("2026-01-12T12:00:00Z"), Day: date("2026-01-12"), Surface: measure.Marketplace,
		Customer: "c9", Channel: "amazon", Charged: 90_00, Units: 1, UpdatedAt: instant("2026-01-12T12:00:00Z"),
	}
	out = load(t, w, warehouse.ImportSpec{}, warehouse.Batch{Orders: []warehouse.Order{order}})
	same(t, "days", period("2026-01-12", "2026-01-21"), out.Days)
	sold := measure.Sums{Orders: whole(1), Charged: 90_00, NewOrders: whole(1), Units: 1}
	wantDays(t, w, warehouse.DayTotal{Day: order.Day, Sums: sold.Add(undated)}, warehouse.DayTotal{Day: date("2026-01-20"), Sums: dated})
	rows := answer[warehouse.Pair[[]warehouse.ChannelTotal]](t)(w.ChannelTotals(t.Context(), shop, measure.LastTouch, warehouse.Windows{Recent: january})).Recent
	same(t, "amazon", sold.Add(undated).Add(dated), credits(rows)["amazon"])

	order.Cancelled, order.UpdatedAt = true, order.UpdatedAt.Add(time.Hour)
	load(t, w, warehouse.ImportSpec{}, warehouse.Batch{Orders: []warehouse.Order{order}})
	wantDays(t, w)
}

func wantDays(t *testing.T, w *warehouse.Warehouse, want ...warehouse.DayTotal) {
	t.Helper()
	same(t, "days", want, answer[[]warehouse.DayTotal](t)(w.StoreDays(t.Context(), shop, january)))
}

// totalOfRefunds imports, alternately, the dated refunds of one order and only their total.
func totalOfRefunds(on trial) {
	t, w := on.t, on.w
	order := warehouse.Order{OrderRef: ref("9"), At: instant("2026-01-10T12:00:00Z"), Day: date("2026-01-10"), Charged: 100_00, Units: 1}
	dated := func(key, day string, amount int64) warehouse.Refund {
		return warehouse.Refund{OrderRef: ref("9"), Refund: key, At: instant(day + "T12:00:00Z"), Day: date(day), Amount: amount}
	}
	total := func(amount int64) warehouse.Batch {
		return warehouse.Batch{Orders: []warehouse.Order{order}, Refunds: []warehouse.Refund{{OrderRef: ref("9"), Refund: "total", Amount: amount, DateUnknown: true}}}
	}
	refundsOn := func(what, day string, want int64) {
		t.Helper()
		days := answer[[]warehouse.DayTotal](t)(w.StoreDays(t.Context(), shop, period(day, day)))
		var got int64
		if len(days) > 0 {
			got = days[0].Sums.Refunds
		}
		same(t, what+" on "+day, want, got)
	}
	load(t, w, warehouse.ImportSpec{}, total(30_00))
	refundsOn("a total alone", "2026-01-10", 30_00)
	load(t, w, warehouse.ImportSpec{}, warehouse.Batch{Refunds: []warehouse.Refund{dated("r1", "2026-01-12", 20_00)}})
	refundsOn("what a refund leaves of the total", "2026-01-10", 10_00)
	refundsOn("the refund", "2026-01-12", 20_00)
	for _, again := range []warehouse.Batch{{Refunds: []warehouse.Refund{dated("r1", "2026-01-12", 20_00)}}, total(30_00)} {
		out := load(t, w, warehouse.ImportSpec{}, again)
		same(t, "the same again", warehouse.Counts{Unchanged: 1}, out.Tables["refunds"])
	}
	load(t, w, warehouse.ImportSpec{}, warehouse.Batch{Refunds: []warehouse.Refund{dated("r2", "2026-01-13", 10_00)}})
	refundsOn("nothing is left of the total", "2026-01-10", 0)
	load(t, w, warehouse.ImportSpec{}, total(35_00))
	refundsOn("a later total is what the refunds leave of it", "2026-01-10", 5_00)
	refundsOn("and leaves them", "2026-01-12", 20_00)
	load(t, w, warehouse.ImportSpec{}, warehouse.Batch{
		Orders: []warehouse.Order{order}, Refunds: []warehouse.Refund{dated("r1", "2026-01-12", 20_00), dated("r2", "2026-01-13", 10_00), dated("r3", "2026-01-14", 5_00)},
	})
	refundsOn("all refunds with their days replace the total", "2026-01-10", 0)
	same(t, "the sum", int64(35_00), januaryTotals(t, w).Refunds)
	load(t, w, warehouse.ImportSpec{}, total(20_00))
	refundsOn("a total below what the refunds add up to", "2026-01-10", 0)
	same(t, "the sum after it", int64(35_00), januaryTotals(t, w).Refunds)
}

func orderByKey(on trial) {
	t, w := on.t, on.w
	small(t, w)
	for _, want := range smallStore().Orders {
		got, known, err := w.Order(t.Context(), shop, want.OrderRef)
		if err != nil || !known {
			t.Fatalf("order %s: %v, %v", want.Key, known, err)
		}
		if got.Name == want.Key && want.Name == "" {
			got.Name = ""
		}
		same(t, "order "+want.Key, want, got)
	}
	if _, known, err := w.Order(t.Context(), shop, ref("none")); known || err != nil {
		t.Errorf("an order that does not exist: %v, %v", known, err)
	}
}
