package merge_test

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/warehouse"
	"assay/internal/warehouse/facts"
	"assay/internal/warehouse/storetest"
)

const shop measure.WorkspaceID = "shop"

func january(day int) civil.Date { return civil.New(2026, time.January, day) }

// noon returns noon of a day in January: the time of a version or an event.
func noon(day int) time.Time { return january(day).UTC().Add(12 * time.Hour) }

func ref(key string) facts.OrderRef { return facts.OrderRef{Source: "shop", Key: key} }

// order returns a version of an order as of January 20.
func order(key string, day int, customer string, charged int64) facts.Order {
	return facts.Order{
		OrderRef: ref(key), Name: "#" + key, At: noon(day), Day: january(day), Surface: measure.OnlineStore, Customer: customer, Charged: charged,
		Original: money.Amount{Minor: charged, Currency: "USD"}, Status: "paid", Units: 1, UpdatedAt: noon(20),
	}
}

// version returns the order as of another day.
func version(o facts.Order, day int) facts.Order {
	o.UpdatedAt = noon(day)
	return o
}

func ad(campaign string, day int, spend int64) facts.AdDay {
	return facts.AdDay{
		Source: "google_ads", Platform: measure.Google, Account: "1", Channel: "google", Day: january(day), CampaignID: campaign,
		Spend: spend, Original: money.Amount{Minor: spend, Currency: "USD"},
	}
}

func window(first, last int) warehouse.AdWindow {
	return warehouse.AdWindow{Source: "google_ads", Platform: measure.Google, Account: "1", Days: days(first, last)}
}

func days(first, last int) civil.Range {
	return civil.Range{First: january(first), Last: january(last)}
}

// TestEachImportReportsItsChanges imports into one store, step by step. The counts and days of each step, and the days
// of the store, are computed by hand.
func TestEachImportReportsItsChanges(t *testing.T) {
	t.Parallel()
	w := storetest.OpenAt(t, func() time.Time { return noon(31) })
	type counts = warehouse.Counts
	line := func(id string, gross int64, gone bool) facts.LandedLine {
		return facts.LandedLine{Source: "shop", Order: "d", ID: id, SKU: id, Quantity: 1, Gross: gross, Currency: "USD", Gone: gone}
	}
	goal := facts.Target{Metric: "revenue", Period: "daily", Start: january(1), Value: 100}
	a, b := order("a", 10, "c1", 100_00), order("b", 11, "c1", 50_00)
	gone := version(order("z", 5, "c1", 40_00), 21)
	gone.Cancelled = true
	for i, step := range []struct {
		name string
		spec warehouse.ImportSpec
		in   facts.Batch
		want warehouse.Outcome // the outcome without its ID
	}{
		{
			"all rows of an empty store are new; of two rows with a key, one remains",
			warehouse.ImportSpec{},
			facts.Batch{
				Orders:       []facts.Order{order("c", 12, "c2", 30_00), version(b, 19), b, a},
				Lines:        []facts.OrderLine{{OrderRef: ref("a"), Line: 1, SKU: "cup", Quantity: 1, Net: 100_00}},
				Touches:      []facts.Touch{{OrderRef: ref("a"), Seq: 1, At: noon(9), Channel: "google", Platform: measure.Google, Campaign: "g1"}},
				Profiles:     []facts.Profile{{Source: "mail", Customer: "c7", Phone: "p7"}, {Source: "mail", Customer: "c8"}},
				Targets:      []facts.Target{goal},
				ChannelSpend: []facts.ChannelSpend{{Source: "manual", Channel: "tv", Day: january(10), Spend: 5_00}, {Source: "manual", Channel: "tv", Day: january(10), Spend: 2_00}},
				AdDays:       []facts.AdDay{ad("g1", 10, 10_00), ad("g2", 11, 20_00), ad("g3", 12, 5_00)},
			},
			warehouse.Outcome{Tables: map[string]counts{
				"orders": {Inserted: 3, Unchanged: 1}, "order_lines": {Inserted: 1}, "touches": {Inserted: 1}, "profiles": {Inserted: 2},
				"targets": {Inserted: 1}, "channel_spend": {Inserted: 1, Unchanged: 1}, "ad_days": {Inserted: 3},
			}, Days: days(10, 12), DaysHit: 3, Version: 1},
		},
		{
			"a later version replaces an order, an earlier version does not",
			warehouse.ImportSpec{},
			facts.Batch{
				Orders:  []facts.Order{a, version(order("b", 11, "c1", 60_00), 21), version(order("c", 12, "c2", 1_00), 19)},
				Targets: []facts.Target{goal}, AdDays: []facts.AdDay{ad("g1", 10, 10_00)},
			},
			warehouse.Outcome{Tables: map[string]counts{
				"orders": {Updated: 1, Unchanged: 2}, "targets": {Unchanged: 1}, "ad_days": {Unchanged: 1},
			}, Older: 1, Days: days(11, 11), DaysHit: 1, Version: 2},
		},
		{
			"a refund changes its own day and its order's",
			warehouse.ImportSpec{},
			facts.Batch{Refunds: []facts.Refund{{OrderRef: ref("a"), Refund: "r", At: noon(15), Day: january(15), Amount: 20_00}}},
			warehouse.Outcome{Tables: map[string]counts{"refunds": {Inserted: 1}}, Days: days(10, 15), DaysHit: 2, Version: 3},
		},
		{
			"an earlier first order makes a later order one of a returning customer",
			warehouse.ImportSpec{},
			facts.Batch{Orders: []facts.Order{order("z", 5, "c1", 40_00)}},
			warehouse.Outcome{Tables: map[string]counts{"orders": {Inserted: 1}}, Days: days(5, 15), DaysHit: 3, Version: 4},
		},
		{
			"an ad report replaces its window",
			warehouse.ImportSpec{Replace: []warehouse.AdWindow{window(10, 12)}},
			facts.Batch{AdDays: []facts.AdDay{ad("g1", 10, 10_00), ad("g2", 11, 25_00), ad("g4", 11, 1_00)}},
			warehouse.Outcome{Tables: map[string]counts{"ad_days": {Inserted: 1, Updated: 1, Unchanged: 1, Removed: 1}}, Days: days(11, 12), DaysHit: 2, Version: 5},
		},
		{
			"an empty ad report empties its window",
			warehouse.ImportSpec{Replace: []warehouse.AdWindow{window(9, 10)}},
			facts.Batch{},
			warehouse.Outcome{Tables: map[string]counts{"ad_days": {Removed: 1}}, Days: days(10, 10), DaysHit: 1, Version: 6},
		},
		{
			"lines and codes wait for their order",
			warehouse.ImportSpec{},
			facts.Batch{
				LandedLines: []facts.LandedLine{line("cup", 6_00, false), line("pot", 4_00, false)},
				LandedCodes: []facts.LandedCode{{Source: "shop", Order: "d", Code: "MARY"}},
			},
			warehouse.Outcome{Tables: map[string]counts{"landed_lines": {Inserted: 2}, "landed_codes": {Inserted: 1}}, Waiting: 2, Version: 7},
		},
		{
			"the order takes its lines and codes",
			warehouse.ImportSpec{},
			facts.Batch{Orders: []facts.Order{order("d", 13, "", 10_00)}},
			warehouse.Outcome{Tables: map[string]counts{
				"orders": {Inserted: 1}, "order_lines": {Inserted: 2}, "order_coupons": {Inserted: 1},
			}, Days: days(13, 13), DaysHit: 1, Version: 8},
		},
		{
			"a changed line and a line that is gone change the order",
			warehouse.ImportSpec{},
			facts.Batch{LandedLines: []facts.LandedLine{line("cup", 7_00, false), line("pot", 4_00, true)}},
			warehouse.Outcome{Tables: map[string]counts{"landed_lines": {Updated: 2}, "order_lines": {Updated: 1, Removed: 1}}, Days: days(13, 13), DaysHit: 1, Version: 9},
		},
		{
			"a tie makes two customers one",
			warehouse.ImportSpec{},
			facts.Batch{Ties: []facts.CustomerTie{{Source: "shop", KnownAs: "c2", Customer: "c1"}}},
			warehouse.Outcome{Tables: map[string]counts{"customer_ties": {Inserted: 1}}, Days: days(12, 12), DaysHit: 1, Version: 10},
		},
		{
			"a canceled first order makes the next order the first; a code that is mapped changes the days of its orders",
			warehouse.ImportSpec{},
			facts.Batch{Orders: []facts.Order{gone}, CouponMap: []facts.CouponChannel{{Code: "MARY", Channel: "influencer"}}},
			warehouse.Outcome{Tables: map[string]counts{"orders": {Updated: 1}, "coupon_channels": {Inserted: 1}}, Days: days(5, 15), DaysHit: 4, Version: 11},
		},
		{
			"a customer is forgotten by a phone number, and a target is removed",
			warehouse.ImportSpec{Forget: []string{"", "p7"}, Unset: []facts.Target{goal}},
			facts.Batch{},
			warehouse.Outcome{Tables: map[string]counts{"profiles": {Removed: 1}, "targets": {Removed: 1}}, Version: 12},
		},
		{
			"a dry run counts and stores nothing",
			warehouse.ImportSpec{DryRun: true},
			facts.Batch{Orders: []facts.Order{order("e", 14, "c9", 900_00)}},
			warehouse.Outcome{Tables: map[string]counts{"orders": {Inserted: 1}}, Days: days(14, 14), DaysHit: 1, Version: 12},
		},
	} {
		out, err := imported(t, w, step.spec, step.in)
		if err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if wantID := i + 1; !step.spec.DryRun && out.ID != strconv.Itoa(wantID) || step.spec.DryRun && out.ID != "" {
			t.Errorf("%s: the entry of the ledger is %q", step.name, out.ID)
		}
		out.ID = ""
		if diff := cmp.Diff(step.want, out, cmp.AllowUnexported(civil.Date{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, diff)
		}
		if stored, err := w.Version(t.Context(), shop); err != nil || stored != step.want.Version {
			t.Errorf("%s: the store has version %d, %v; want %d", step.name, stored, err, step.want.Version)
		}
	}
	one := func(charged, isNew int64) measure.Sums {
		return measure.Sums{Orders: measure.Millionths, Charged: charged, NewOrders: isNew * measure.Millionths, Units: 1}
	}
	got, err := w.StoreDays(t.Context(), shop, days(1, 31))
	if diff := cmp.Diff([]warehouse.DayTotal{
		{Day: january(10), Sums: one(100_00, 1), Spend: 7_00, SpendKnown: true},
		{Day: january(11), Sums: one(60_00, 0), Spend: 26_00, SpendKnown: true},
		{Day: january(12), Sums: one(30_00, 0)},
		{Day: january(13), Sums: one(10_00, 0)},
		{Day: january(15), Sums: measure.Sums{Refunds: 20_00}},
	}, got, cmp.AllowUnexported(civil.Date{})); diff != "" || err != nil {
		t.Errorf("days of the store (-want +got): %v\n%s", err, diff)
	}
}

func imported(t *testing.T, w *warehouse.Warehouse, spec warehouse.ImportSpec, b facts.Batch) (warehouse.Outcome, error) {
	t.Helper()
	spec.Workspace, spec.Source, spec.Base = shop, "test", "USD"
	in, err := w.Begin(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Abort()
	in.Replace(spec.Replace...) // the same windows a second time change nothing
	if err := in.Add(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return in.Commit(t.Context())
}

func TestAnImportThatHasEndedTakesNoRows(t *testing.T) {
	t.Parallel()
	w := storetest.OpenAt(t, func() time.Time { return noon(31) })
	in, err := w.Begin(t.Context(), warehouse.ImportSpec{Workspace: shop})
	if err != nil {
		t.Fatal(err)
	}
	in.Abort()
	in.Abort()
	if err := in.Add(t.Context(), &facts.Batch{}); fault.KindOf(err) != fault.KindConflict {
		t.Errorf("rows after the end: %v", err)
	}
	if _, err := in.Commit(t.Context()); fault.KindOf(err) != fault.KindConflict {
		t.Errorf("a commit after the end: %v", err)
	}
	if got, err := w.Version(t.Context(), shop); err != nil || got != 0 {
		t.Errorf("the store has version %d, %v", got, err)
	}
}

// In a currency with large amounts, the product of a discount and an order total exceeds 64 bits.
func TestALargeDiscountIsSpreadExactly(t *testing.T) {
	t.Parallel()
	w := storetest.OpenAt(t, func() time.Time { return noon(31) })
	const total = 90_000_000_00
	line := func(id string, gross int64) facts.LandedLine {
		return facts.LandedLine{Source: "shop", Order: "a", ID: id, SKU: id, Quantity: 1, Gross: gross, Currency: "USD"}
	}
	_, err := imported(t, w, warehouse.ImportSpec{}, facts.Batch{
		Orders:       []facts.Order{order("a", 10, "ann", total)},
		LandedOrders: []facts.LandedOrder{{OrderRef: ref("a"), Subtotal: total, SubtotalKnown: true, UpdatedAt: noon(20)}},
		LandedLines:  []facts.LandedLine{line("cup", 33_333_333_34), line("pot", 66_666_666_66)},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int64{}
	for _, p := range products(t, w) {
		got[p.SKU] = p.Net
	}
	if diff := cmp.Diff(map[string]int64{"cup": 30_000_000_01, "pot": 59_999_999_99}, got); diff != "" {
		t.Errorf("revenue by product (-want +got):\n%s", diff)
	}
}

// A barcode number (EAN) in the quantity column makes a line's cost implausible.
func TestAnImplausibleCostOfALineIsUnknown(t *testing.T) {
	t.Parallel()
	w := storetest.OpenAt(t, func() time.Time { return noon(31) })
	const ean = 4_006_381_333_931
	for name, b := range map[string]facts.Batch{
		"orders": {
			Orders: []facts.Order{order("a", 10, "ann", 50_00), order("b", 10, "bob", 30_00)},
			Lines: []facts.OrderLine{
				{OrderRef: ref("a"), Line: 1, SKU: "desk", Quantity: ean, Net: 50_00},
				{OrderRef: ref("b"), Line: 1, SKU: "desk", Quantity: 2, Net: 30_00},
			},
		},
		"costs": {Costs: []facts.ProductCost{{Source: "shop", SKU: "desk", Cost: 25_000_00}}},
	} {
		if _, err := imported(t, w, warehouse.ImportSpec{}, b); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	if got := products(t, w); len(got) != 1 || got[0].Units != ean+2 || got[0].Costed != 2 || got[0].Cost != 50_000_00 {
		t.Errorf("products %+v, want 2 units with a known cost of 50,000", got)
	}
	panel, err := w.Panel(t.Context(), shop)
	if err != nil {
		t.Fatal(err)
	}
	var got []warehouse.PanelDay
	for _, c := range panel.Customers {
		got = append(got, c.Days...)
	}
	slices.SortFunc(got, func(a, b warehouse.PanelDay) int { return int(a.Net - b.Net) })
	want := []warehouse.PanelDay{
		{Day: january(10), Orders: 1, Charged: 30_00, Net: 30_00, Costed: 30_00, Cost: 50_000_00},
		{Day: january(10), Orders: 1, Charged: 50_00, Net: 50_00},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(civil.Date{})); diff != "" {
		t.Errorf("days of the panel (-want +got):\n%s", diff)
	}
}

func products(t *testing.T, w *warehouse.Warehouse) []warehouse.ProductTotal {
	t.Helper()
	page, err := w.Products(t.Context(), shop, warehouse.ProductsOf{Windows: warehouse.Windows{Recent: days(1, 31)}, Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	return page.Rows
}
