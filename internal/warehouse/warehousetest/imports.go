package warehousetest

import (
	"context"
	"testing"
	"time"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

func identicalImport(on trial) {
	t, w := on.t, on.w
	before := version(t, w)
	first := load(t, w, warehouse.ImportSpec{}, smallStore())
	same(t, "first orders", warehouse.Counts{Inserted: 8}, first.Tables["orders"])
	same(t, "first days", period("2026-01-10", "2026-01-25"), first.Days)
	same(t, "first version", before+1, first.Version)
	again := load(t, w, warehouse.ImportSpec{}, smallStore())
	for table, counts := range again.Tables {
		rows := first.Tables[table].Inserted
		same(t, "counts of "+table, warehouse.Counts{Unchanged: rows}, counts)
	}
	same(t, "days", civil.Range{}, again.Days)
	same(t, "version", first.Version, again.Version)
	same(t, "version when asked", first.Version, version(t, w))
	same(t, "totals", smallTotals, januaryTotals(t, w))
}

func januaryTotals(t *testing.T, w *warehouse.Warehouse) measure.Sums {
	t.Helper()
	return answer[warehouse.Pair[measure.Sums]](t)(w.StoreTotals(t.Context(), shop, warehouse.Windows{Recent: january})).Recent
}

// changedOrder imports a newer version of order 2. The version is on another day, has two touchpoints instead of three,
// and has no refund and no line.
func changedOrder(on trial) {
	t, w := on.t, on.w
	small(t, w)
	store := smallStore()
	order := store.Orders[1]
	order.Day, order.At, order.Charged = date("2026-01-20"), instant("2026-01-20T15:00:00Z"), 60_00
	order.UpdatedAt = order.UpdatedAt.Add(time.Hour)
	out := load(t, w, warehouse.ImportSpec{}, warehouse.Batch{Orders: []warehouse.Order{order}, Touches: store.Touches[3:5]})
	same(t, "orders", warehouse.Counts{Updated: 1}, out.Tables["orders"])
	same(t, "touches", warehouse.Counts{Unchanged: 2, Removed: 1}, out.Tables["touches"])
	same(t, "days", []any{period("2026-01-11", "2026-01-20"), 3}, []any{out.Days, out.DaysHit})
	want := smallTotals
	want.Charged += 60_00 - 50_01
	same(t, "totals", want, januaryTotals(t, w))
	rows := answer[warehouse.Pair[[]warehouse.ChannelTotal]](t)(w.ChannelTotals(t.Context(), shop, measure.FirstTouch, warehouse.Windows{Recent: january})).Recent
	same(t, "first touch of google", int64(160_00), credits(rows)["google"].Charged)
	same(t, "its refund follows", int64(20_00), credits(rows)["google"].Refunds)
	product := answer[warehouse.ProductPage](t)(w.Products(t.Context(), shop, warehouse.ProductsOf{Windows: warehouse.Windows{Recent: period("2026-01-20", "2026-01-20")}, Limit: 5}))
	same(t, "its line moved with it", int64(45_00), product.Totals.Recent.Net)
}

func olderVersion(on trial) {
	t, w := on.t, on.w
	small(t, w)
	before, store := version(t, w), smallStore()
	order := store.Orders[1]
	order.Charged, order.UpdatedAt = 1_00, order.UpdatedAt.Add(-time.Hour)
	out := load(t, w, warehouse.ImportSpec{}, warehouse.Batch{
		Orders: []warehouse.Order{order}, Lines: []warehouse.OrderLine{{OrderRef: order.OrderRef, Line: 1, SKU: "X", Net: 1_00}},
	})
	same(t, "orders", warehouse.Counts{Unchanged: 1}, out.Tables["orders"])
	same(t, "lines", warehouse.Counts{Unchanged: 1}, out.Tables["order_lines"])
	same(t, "version", before, out.Version)
	order.UpdatedAt = time.Time{}
	out = load(t, w, warehouse.ImportSpec{}, warehouse.Batch{Orders: []warehouse.Order{order}})
	same(t, "a version without a date that has come no further", warehouse.Counts{Unchanged: 1}, out.Tables["orders"])
	same(t, "orders left out", int64(1), out.Older)
	out = load(t, w, warehouse.ImportSpec{Latest: true}, warehouse.Batch{Orders: []warehouse.Order{order}})
	same(t, "a version that is said to be the latest", warehouse.Counts{Updated: 1}, out.Tables["orders"])
}

func newnessMoves(on trial) {
	t, w := on.t, on.w
	small(t, w)
	order := smallStore().Orders[0]
	order.Cancelled, order.UpdatedAt = true, order.UpdatedAt.Add(time.Hour)
	load(t, w, warehouse.ImportSpec{}, warehouse.Batch{Orders: []warehouse.Order{order}})
	days := answer[[]warehouse.DayTotal](t)(w.StoreDays(t.Context(), shop, period("2026-01-11", "2026-01-11")))
	same(t, "new orders on the 11th", whole(1), days[0].Sums.NewOrders)
	same(t, "new orders", whole(3), januaryTotals(t, w).NewOrders)
	same(t, "orders", whole(5), januaryTotals(t, w).Orders)
}

func couponMapped(on trial) {
	t, w := on.t, on.w
	small(t, w)
	out := load(t, w, warehouse.ImportSpec{}, warehouse.Batch{CouponMap: []warehouse.CouponChannel{{Code: "FREESHIP", Channel: "partner"}}})
	same(t, "days hit", 1, out.DaysHit)
	rows := answer[warehouse.Pair[[]warehouse.ChannelTotal]](t)(w.ChannelTotals(t.Context(), shop, measure.Linear, warehouse.Windows{Recent: january})).Recent
	// FREESHIP has a larger discount than MARY, so the order is now attributed to the partner.
	same(t, "partner", int64(40_00), credits(rows)["partner"].Charged)
	same(t, "influencer", measure.Sums{}, credits(rows)["influencer"])
	same(t, "all", smallTotals, total(rows))
}

// couponChanged maps a code to another channel, imports an order with the code, and unmaps the code.
func couponChanged(on trial) {
	t, w := on.t, on.w
	small(t, w)
	mary := warehouse.CouponChannel{Code: "MARY", Channel: "influencer", Creator: "mary"}
	change := func(channel measure.Channel, before warehouse.CouponChannel) {
		t.Helper()
		c := warehouse.CouponChange{Code: "mary", Channel: channel, Where: "a test"}
		same(t, "mapping before", before, answer[warehouse.CouponChannel](t)(w.MapCoupon(t.Context(), shop, "USD", c)))
	}
	charged := func(of measure.Channel) int64 {
		t.Helper()
		rows := answer[warehouse.Pair[[]warehouse.ChannelTotal]](t)(w.ChannelTotals(t.Context(), shop, measure.Linear, warehouse.Windows{Recent: january})).Recent
		same(t, "all", januaryTotals(t, w), total(rows))
		return credits(rows)[of].Charged
	}
	revenue := charged("influencer")
	if revenue == 0 {
		t.Fatal("no order has the code MARY only")
	}
	change("partner", mary)
	mary.Channel = "partner"
	same(t, "partner", revenue, charged("partner"))
	same(t, "influencer", int64(0), charged("influencer"))
	version := answer[uint64](t)(w.Version(t.Context(), shop))
	change("partner", mary)
	same(t, "version after the same mapping again", version, answer[uint64](t)(w.Version(t.Context(), shop)))
	ref := warehouse.OrderRef{Source: "shopify", Key: "later"}
	later := sold("later", "2026-01-20", 25_00)
	later.OrderRef = ref
	load(t, w, warehouse.ImportSpec{}, warehouse.Batch{Orders: []warehouse.Order{later}, Coupons: []warehouse.OrderCoupon{{OrderRef: ref, Code: "MARY", Discount: 1_00}}})
	same(t, "partner after another order", revenue+25_00, charged("partner"))
	change("", mary)
	same(t, "partner without the code", int64(0), charged("partner"))
	mary.Channel = ""
	same(t, "mapping", mary, answer[warehouse.CouponChannel](t)(w.CouponChannel(t.Context(), shop, "MARY")))
	same(t, "an unknown code", warehouse.CouponChannel{Code: "NONE"}, answer[warehouse.CouponChannel](t)(w.CouponChannel(t.Context(), shop, "none")))
}

func adWindows(on trial) {
	t, w := on.t, on.w
	small(t, w)
	window := warehouse.AdWindow{Source: "googleads", Platform: measure.Google, Account: "123", Days: period("2026-01-10", "2026-01-12")}
	out := load(t, w, warehouse.ImportSpec{Replace: []warehouse.AdWindow{window}}, warehouse.Batch{AdDays: []warehouse.AdDay{
		ad("g1", "Brand old", "2026-01-10", 10_00, 1_500_000, 90_00),
		ad("g1", "Brand", "2026-01-11", 6_00, 250_000, 10_00),
		ad("g3", "New", "2026-01-11", 1_00, 0, 0),
	}})
	same(t, "counts", warehouse.Counts{Inserted: 1, Updated: 1, Unchanged: 1, Removed: 2}, out.Tables["ad_days"])
	same(t, "days", []any{period("2026-01-11", "2026-01-12"), 2}, []any{out.Days, out.DaysHit})
	page := answer[warehouse.CampaignPage](t)(w.Campaigns(t.Context(), shop, warehouse.CampaignsOf{Windows: warehouse.Windows{Recent: january}, Limit: 9}))
	same(t, "campaigns", []string{"g1", "g3"}, ids(page))
	same(t, "spend", int64(17_00), page.Totals.Recent.Spend)

	window.Days = period("2026-01-11", "2026-01-11")
	out = load(t, w, warehouse.ImportSpec{Replace: []warehouse.AdWindow{window}})
	same(t, "an empty report empties its window", warehouse.Counts{Removed: 2}, out.Tables["ad_days"])
	days := answer[[]warehouse.DayTotal](t)(w.StoreDays(t.Context(), shop, period("2026-01-11", "2026-01-11")))
	same(t, "spend on that day is unknown", false, days[0].SpendKnown)
}

// adProducts imports reports of an ad product that an earlier release stored in an account without the product.
func adProducts(on trial) {
	t, w := on.t, on.w
	report := func(account string) (warehouse.ImportSpec, warehouse.Batch) {
		rows := []warehouse.AdDay{ad("g1", "Video", "2026-01-10", 4_00, 0, 0), ad("g1", "Video", "2026-01-11", 5_00, 0, 0)}
		for i := range rows {
			rows[i].Account = account
		}
		window := warehouse.AdWindow{Source: "googleads", Platform: measure.Google, Account: account, Days: period("2026-01-10", "2026-01-11")}
		return warehouse.ImportSpec{Replace: []warehouse.AdWindow{window}}, warehouse.Batch{AdDays: rows}
	}
	spec, rows := report("123")
	rows.AdDays = append(rows.AdDays, ad("g2", "Search", "2026-01-11", 7_00, 0, 0))
	load(t, w, spec, rows)
	spec, rows = report("123 (Sponsored Brands)")
	load(t, w, spec, rows)
	days := answer[[]warehouse.DayTotal](t)(w.StoreDays(t.Context(), shop, period("2026-01-10", "2026-01-11")))
	same(t, "the report has all campaigns of the day", int64(4_00), days[0].Spend)
	same(t, "the report lacks a campaign of the day", int64(17_00), days[1].Spend)
	spec, rows = report("123")
	load(t, w, spec, rows)
	days = answer[[]warehouse.DayTotal](t)(w.StoreDays(t.Context(), shop, period("2026-01-10", "2026-01-10")))
	same(t, "another product of the account", int64(8_00), days[0].Spend)
}

func spendAddsUp(on trial) {
	t, w := on.t, on.w
	spot := warehouse.ChannelSpend{Source: "manual", Channel: "tv", Day: date("2026-01-10"), Spend: 10_00}
	batch := warehouse.Batch{ChannelSpend: []warehouse.ChannelSpend{spot, spot}}
	load(t, w, warehouse.ImportSpec{}, batch)
	again := load(t, w, warehouse.ImportSpec{}, batch)
	same(t, "the same import", warehouse.Counts{Unchanged: 2}, again.Tables["channel_spend"])
	days := answer[[]warehouse.DayTotal](t)(w.StoreDays(t.Context(), shop, january))
	same(t, "spend", int64(20_00), days[0].Spend)
}

func dryRun(on trial) {
	t, w := on.t, on.w
	before := version(t, w)
	dry := load(t, w, warehouse.ImportSpec{DryRun: true}, smallStore())
	same(t, "totals", measure.Sums{}, januaryTotals(t, w))
	same(t, "version", []uint64{before, before}, []uint64{dry.Version, version(t, w)})
	wet := load(t, w, warehouse.ImportSpec{}, smallStore())
	same(t, "counts", wet.Tables, dry.Tables)
	same(t, "days", wet.Days, dry.Days)
	again := load(t, w, warehouse.ImportSpec{DryRun: true}, smallStore())
	same(t, "a dry repetition", warehouse.Counts{Unchanged: 8}, again.Tables["orders"])
}

func abortedImport(on trial) {
	t, w := on.t, on.w
	in, err := w.Begin(t.Context(), warehouse.ImportSpec{Workspace: shop})
	if err != nil {
		t.Fatal(err)
	}
	store := smallStore()
	if err := in.Add(t.Context(), &store); err != nil {
		t.Fatal(err)
	}
	in.Abort()
	in.Abort()
	if _, err := in.Commit(t.Context()); fault.KindOf(err) != fault.KindConflict {
		t.Errorf("commit after abort: %v", err)
	}
	same(t, "totals", measure.Sums{}, januaryTotals(t, w))
	small(t, w)
	same(t, "totals after all", smallTotals, januaryTotals(t, w))
}

func knownFile(on trial) {
	t, w := on.t, on.w
	file := warehouse.ImportSpec{File: "orders.csv", FileHash: "abc"}
	if out := load(t, w, file, smallStore()); out.Already {
		t.Error("the first import of a file is a repetition")
	}
	record, known, err := w.Imported(t.Context(), shop, "abc", true)
	if err != nil || !known || record.File != "orders.csv" {
		t.Errorf("the file is unknown: %+v, %v, %v", record, known, err)
	}
	load(t, w, warehouse.ImportSpec{}, warehouse.Batch{Targets: []warehouse.Target{{Metric: "revenue", Period: "daily", Start: january.First, Value: 5}}})
	if out := load(t, w, file, smallStore()); !out.Already {
		t.Error("targets made orders out of date")
	}
	rates := warehouse.Batch{FXRates: []warehouse.FXRate{{Day: january.First, From: "EUR", To: "USD", Rate: "1.1", Source: "test"}}}
	load(t, w, warehouse.ImportSpec{File: "rates.csv", FileHash: "rates"}, rates)
	if _, known, err := w.Imported(t.Context(), shop, "abc", true); known || err != nil {
		t.Errorf("the file counts as current after a rate changed: %v", err)
	}
	if _, known, err := w.Imported(t.Context(), shop, "rates", true); !known || err != nil {
		t.Errorf("the file of rates is unknown: %v", err)
	}
	if out := load(t, w, file, smallStore()); out.Already {
		t.Error("the file is a repetition after a rate changed")
	}
	load(t, w, warehouse.ImportSpec{File: "rates.csv", FileHash: "rates"}, rates)
	if _, known, err := w.Imported(t.Context(), shop, "abc", true); !known || err != nil {
		t.Errorf("the file is unknown after an import of the same rates: %v", err)
	}
	order := smallStore().Orders[0]
	order.Charged, order.UpdatedAt = 1, order.UpdatedAt.Add(time.Hour)
	load(t, w, warehouse.ImportSpec{}, warehouse.Batch{Orders: []warehouse.Order{order}})
	if _, known, err := w.Imported(t.Context(), shop, "abc", true); known || err != nil {
		t.Errorf("the file counts as current after an order changed: %v", err)
	}
}

func readersDuringImport(on trial) {
	t, w := on.t, on.w
	small(t, w)
	store := newRandomStore(5, 500)
	in, err := w.Begin(t.Context(), warehouse.ImportSpec{Workspace: shop})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Abort()
	for _, batch := range store.pieces(100) {
		if err := in.Add(t.Context(), &batch); err != nil {
			t.Fatal(err)
		}
		same(t, "totals during the import", smallTotals, januaryTotals(t, w))
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 20 {
			got := januaryTotals(t, w)
			if got.Orders != smallTotals.Orders && got.Orders != smallTotals.Orders+store.ordersIn(january) {
				t.Errorf("%d orders are neither the old nor the new state", got.Orders)
			}
		}
	}()
	if _, err := in.Commit(t.Context()); err != nil {
		t.Error(err)
	}
	<-done
	same(t, "orders afterwards", smallTotals.Orders+store.ordersIn(january), januaryTotals(t, w).Orders)
}

func importsInSequence(on trial) {
	t, w := on.t, on.w
	first, err := w.Begin(t.Context(), warehouse.ImportSpec{Workspace: shop})
	if err != nil {
		t.Fatal(err)
	}
	defer first.Abort()
	impatient, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.Begin(impatient, warehouse.ImportSpec{Workspace: shop}); fault.KindOf(err) != fault.KindUnavailable {
		t.Errorf("a second import did not wait: %v", err)
	}
	other, err := w.Begin(t.Context(), warehouse.ImportSpec{Workspace: "other"})
	if err != nil {
		t.Fatalf("an import into another workspace: %v", err)
	}
	other.Abort()
	done := make(chan warehouse.Outcome)
	go func() { done <- load(t, w, warehouse.ImportSpec{}, smallStore()) }()
	store := smallStore()
	if err := first.Add(t.Context(), &store); err != nil {
		t.Error(err)
	}
	if _, err := first.Commit(t.Context()); err != nil {
		t.Error(err)
	}
	same(t, "the second import", warehouse.Counts{Unchanged: 8}, (<-done).Tables["orders"])
}

func workspacesApart(on trial) {
	t, w := on.t, on.w
	small(t, w)
	totals := answer[warehouse.Pair[measure.Sums]](t)(w.StoreTotals(t.Context(), "other", warehouse.Windows{Recent: january}))
	same(t, "totals of another workspace", measure.Sums{}, totals.Recent)
	for _, id := range []measure.WorkspaceID{"", "../shop", "Shop", "a b", `a"b`, "-a"} {
		if _, err := w.StoreTotals(t.Context(), id, warehouse.Windows{Recent: january}); fault.KindOf(err) != fault.KindInvalid {
			t.Errorf("workspace %q: %v, want a refusal", id, err)
		}
	}
}

func refusedRows(on trial) {
	t, w := on.t, on.w
	in, err := w.Begin(t.Context(), warehouse.ImportSpec{Workspace: shop})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Abort()
	noKey, noDay := smallStore().Orders[0], smallStore().Orders[0]
	noKey.Key, noDay.Day = "", civil.Date{}
	for _, order := range []warehouse.Order{noKey, noDay} {
		if err := in.Add(t.Context(), &warehouse.Batch{Orders: []warehouse.Order{order}}); fault.KindOf(err) != fault.KindInvalid {
			t.Errorf("order %+v: %v, want a refusal", order, err)
		}
	}
}
