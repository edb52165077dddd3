package warehousetest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

func productPages(on trial) {
	t, w := on.t, on.w
	in := warehouse.Windows{Recent: january, Earlier: period("2026-01-12", "2026-01-12")}
	cup := warehouse.ProductTotal{SKU: "CUP", Title: "Cup", Units: 5, Orders: 3, Net: 145_00, Discount: 2_00, Cost: 60_00, Costed: 3}
	pot := warehouse.ProductTotal{SKU: "POT", Title: "Pot", Units: 1, Orders: 1, Net: 35_00, Cost: 9_00, Costed: 1}
	page := answer[warehouse.ProductPage](t)(w.Products(t.Context(), shop, warehouse.ProductsOf{Windows: in, Limit: 10}))
	same(t, "products", warehouse.ProductPage{
		Rows: []warehouse.ProductTotal{cup, pot}, Total: 2,
		Totals: warehouse.Pair[warehouse.ProductTotal]{
			Recent:  warehouse.ProductTotal{Units: 6, Orders: 3, Net: 180_00, Discount: 2_00, Cost: 69_00, Costed: 4},
			Earlier: warehouse.ProductTotal{Units: 2, Orders: 1, Net: 40_00, Cost: 9_00, Costed: 1},
		},
	}, page)
	// The cup is first in both sort orders. Its revenue per order is USD 48.33, and the pot's is USD 35.00. The cup
	// also has more units.
	for _, sort := range []warehouse.ProductSort{warehouse.ByAOV, warehouse.ByUnits} {
		page = answer[warehouse.ProductPage](t)(w.Products(t.Context(), shop, warehouse.ProductsOf{Windows: in, Sort: sort, Limit: 1, Offset: 1}))
		same(t, "second by "+string(sort), []warehouse.ProductTotal{pot}, page.Rows)
	}
}

func productSpans(on trial) {
	t, w := on.t, on.w
	spans := answer[warehouse.Pair[[]warehouse.ProductSpan]](t)(w.ProductSpans(t.Context(), shop, warehouse.Windows{Recent: january, Earlier: period("2026-01-12", "2026-01-12")}))
	pot := warehouse.ProductSpan{SKU: "POT", Title: "Pot", Units: 1, Net: 35_00, Sold: period("2026-01-12", "2026-01-12")}
	same(t, "spans of products", warehouse.Pair[[]warehouse.ProductSpan]{
		Recent: []warehouse.ProductSpan{{SKU: "CUP", Title: "Cup", Units: 5, Net: 145_00, Discount: 2_00, Sold: period("2026-01-10", "2026-01-12")}, pot},
		Earlier: []warehouse.ProductSpan{
			{SKU: "CUP", Title: "Cup", Units: 1, Net: 5_00, Sold: period("2026-01-12", "2026-01-12")}, pot,
		},
	}, spans)
}

func couponPages(on trial) {
	t, w := on.t, on.w
	in := warehouse.Windows{Recent: january}
	mary := warehouse.CouponTotal{Code: "MARY", Channel: "influencer", Creator: "mary", Orders: 2, Charged: 140_00, Discount: 2_50, NewOrders: 2}
	free := warehouse.CouponTotal{Code: "FREESHIP", Orders: 1, Charged: 40_00, Discount: 1_50, NewOrders: 1}
	page := answer[warehouse.CouponPage](t)(w.Coupons(t.Context(), shop, warehouse.CouponsOf{Windows: in, Limit: 10}))
	same(t, "coupons", warehouse.CouponPage{
		Rows: []warehouse.CouponTotal{mary, free}, Total: 2,
		Totals: warehouse.Pair[warehouse.CouponTotal]{Recent: warehouse.CouponTotal{Orders: 2, Charged: 140_00, Discount: 4_00, NewOrders: 2}},
	}, page)
	page = answer[warehouse.CouponPage](t)(w.Coupons(t.Context(), shop, warehouse.CouponsOf{Windows: in, Code: "freeship", Limit: 10}))
	same(t, "one coupon", warehouse.CouponPage{
		Rows: []warehouse.CouponTotal{free}, Total: 1,
		Totals: warehouse.Pair[warehouse.CouponTotal]{Recent: warehouse.CouponTotal{Orders: 1, Charged: 40_00, Discount: 1_50, NewOrders: 1}},
	}, page)
}

func campaignPages(on trial) {
	t, w := on.t, on.w
	in := warehouse.Windows{Recent: january, Earlier: period("2026-01-11", "2026-01-11")}
	ask := func(of warehouse.CampaignsOf) warehouse.CampaignPage {
		t.Helper()
		of.Windows = in
		if of.Limit == 0 {
			of.Limit = 10
		}
		return answer[warehouse.CampaignPage](t)(w.Campaigns(t.Context(), shop, of))
	}
	page := ask(warehouse.CampaignsOf{})
	same(t, "campaigns by spend", []string{"g2", "g1", "g0"}, ids(page))
	brand := page.Rows[1]
	same(t, "latest name", "Brand", brand.CampaignName)
	same(t, "first and last day", period("2026-01-10", "2026-01-11").String(), brand.FirstDay.String()+" to "+brand.LastDay.String())
	// The last touch of order 1 that is not direct is campaign g1 of google.
	same(t, "credit", measure.Sums{Orders: whole(1), Charged: 100_00, Tax: 10_00, Shipping: 5_00, Discounts: 2_00, NewOrders: whole(1), Units: 2}, brand.Credited)
	same(t, "totals", warehouse.CampaignTotal{
		Spend: 35_00, Impressions: 4000, Clicks: 40, Conversions: 2_750_000, Value: 130_00, Credited: brand.Credited,
		FirstDay: date("2026-01-10"), LastDay: date("2026-01-12"),
	}, page.Totals.Recent)
	same(t, "earlier spend", int64(25_00), page.Totals.Earlier.Spend)
	same(t, "by platform-reported revenue", []string{"g1", "g2", "g0"}, ids(ask(warehouse.CampaignsOf{Sort: warehouse.ByRevenue})))
	same(t, "by conversions", []string{"g1", "g2", "g0"}, ids(ask(warehouse.CampaignsOf{Sort: warehouse.ByConversions})))
	same(t, "by roas", []string{"g1", "g2", "g0"}, ids(ask(warehouse.CampaignsOf{Sort: warehouse.ByROAS})))
	same(t, "one campaign", 1, ask(warehouse.CampaignsOf{Campaign: "g2"}).Total)
	same(t, "another platform", 0, ask(warehouse.CampaignsOf{Platform: measure.TikTok}).Total)
	creatives := ask(warehouse.CampaignsOf{Level: warehouse.Creatives, Platform: measure.Google})
	same(t, "creatives", 3, creatives.Total)
	same(t, "a creative's name and id", "a-g1 Ad Brand", creatives.Rows[1].AdID+" "+creatives.Rows[1].AdName)
	same(t, "a creative has no attributed orders", measure.Sums{}, creatives.Rows[1].Credited)
}

func ids(page warehouse.CampaignPage) (out []string) {
	for _, r := range page.Rows {
		out = append(out, r.CampaignID)
	}
	return out
}

func pagesTile(on trial) {
	t, w := on.t, on.w
	store := newRandomStore(3, 400)
	load(t, w, warehouse.ImportSpec{}, store.batch())
	in := warehouse.Windows{Recent: store.days}
	ctx := t.Context()
	for _, sort := range []warehouse.CampaignSort{warehouse.BySpend, warehouse.ByRevenue, warehouse.ByROAS, warehouse.ByConversions} {
		for _, level := range []warehouse.CampaignLevel{warehouse.Campaigns, warehouse.Creatives} {
			tile(t, func(limit, offset int) ([]warehouse.CampaignTotal, int) {
				p := answer[warehouse.CampaignPage](t)(w.Campaigns(ctx, shop, warehouse.CampaignsOf{Windows: in, Level: level, Sort: sort, Limit: limit, Offset: offset}))
				return p.Rows, p.Total
			})
		}
	}
	for _, sort := range []warehouse.ProductSort{warehouse.ByProductRevenue, warehouse.ByUnits, warehouse.ByAOV} {
		tile(t, func(limit, offset int) ([]warehouse.ProductTotal, int) {
			p := answer[warehouse.ProductPage](t)(w.Products(ctx, shop, warehouse.ProductsOf{Windows: in, Sort: sort, Limit: limit, Offset: offset}))
			return p.Rows, p.Total
		})
	}
	tile(t, func(limit, offset int) ([]warehouse.CouponTotal, int) {
		p := answer[warehouse.CouponPage](t)(w.Coupons(ctx, shop, warehouse.CouponsOf{Windows: in, Limit: limit, Offset: offset}))
		return p.Rows, p.Total
	})
}

// tile checks that pages of three rows combine to the page of all rows.
func tile[T any](t *testing.T, page func(limit, offset int) ([]T, int)) {
	t.Helper()
	all, total := page(1000, 0)
	if len(all) != total || total < 4 {
		t.Fatalf("%d rows of %d", len(all), total)
	}
	var pieces []T
	for offset := 0; offset < total; offset += 3 {
		rows, _ := page(3, offset)
		pieces = append(pieces, rows...)
	}
	same(t, "pages", all, pieces)
}

func whatThereIs(on trial) {
	t, w := on.t, on.w
	before := version(t, w)
	small(t, w)
	// A day without a report is between two days with reports.
	load(t, w, warehouse.ImportSpec{Source: "googleads"}, warehouse.Batch{AdDays: []warehouse.AdDay{ad("g1", "Brand", "2026-01-15", 1_00, 0, 0)}})
	coverage := answer[warehouse.Coverage](t)(w.Coverage(t.Context(), shop))
	same(t, "orders", []int64{6, 1, 1}, []int64{coverage.Orders, coverage.Cancelled, coverage.Tests})
	same(t, "order days", period("2026-01-10", "2026-01-12"), coverage.OrderDays)
	same(t, "ad days", period("2026-01-10", "2026-01-15"), coverage.AdDays)
	same(t, "rows", []int64{8, 5, 8}, []int64{coverage.Counts["orders"], coverage.Counts["ad_days"], coverage.Counts["touches"]})
	same(t, "version", before+2, coverage.Version)

	channels := map[measure.Channel]warehouse.ChannelVolume{}
	for _, c := range answer[[]warehouse.ChannelVolume](t)(w.Channels(t.Context(), shop)) {
		channels[c.Channel] = c
	}
	same(t, "google", warehouse.ChannelVolume{
		Channel: "google", Platform: measure.Google, Credited: whole(1), Charged: 100_00, Spend: 36_00, SpendDays: 4,
		Days: period("2026-01-10", "2026-01-15"),
	}, channels["google"])
	same(t, "podcast", int64(1), channels["podcast"].SpendDays)

	states := map[string]warehouse.SourceState{}
	for _, s := range answer[[]warehouse.SourceState](t)(w.Sources(t.Context(), shop)) {
		states[s.Kind] = s
		if s.LastImport.IsZero() {
			t.Errorf("%s of %s were never imported", s.Kind, s.Source)
		}
	}
	same(t, "ads", warehouse.SourceState{
		Source: "googleads", Kind: "ads", Account: "123", Platform: measure.Google, Rows: 5, Days: period("2026-01-10", "2026-01-15"), MissingDays: 2,
		LastGap: date("2026-01-14"),
	}, states["ads"], cmpopts.IgnoreTypes(time.Time{}))
	same(t, "orders", int64(8), states["orders"].Rows)
	days := map[string][]civil.Date{}
	for _, d := range answer[[]warehouse.SourceDay](t)(w.SourceDays(t.Context(), shop, period("2026-01-11", "2026-01-31"))) {
		days[d.Kind+" "+d.Source+" "+string(d.Platform)+" "+d.Account] = append(days[d.Kind+" "+d.Source+" "+string(d.Platform)+" "+d.Account], d.Day)
	}
	same(t, "days of sources", map[string][]civil.Date{
		// the last order is not a sale
		"orders shopify  ":         {date("2026-01-11"), date("2026-01-12"), date("2026-01-13")},
		"ads googleads google 123": {date("2026-01-11"), date("2026-01-12"), date("2026-01-15")},
	}, days)

	imports := answer[[]warehouse.ImportRecord](t)(w.Imports(t.Context(), shop, 1))
	if len(imports) != 1 || imports[0].Source != "googleads" || imports[0].Inserted != 1 || imports[0].Days != period("2026-01-15", "2026-01-15") {
		t.Errorf("latest import is %+v", imports)
	}
}

// platformGaps uses the same account number on two platforms. If the query confused the accounts, each report would
// fill the other report's gaps.
func platformGaps(on trial) {
	t, w := on.t, on.w
	report := func(p measure.Platform, day string) warehouse.AdDay {
		a := ad("1", "Brand", day, 1_00, 0, 0)
		a.Source, a.Platform, a.Channel = "sheet", p, measure.Channel(p)
		return a
	}
	load(t, w, warehouse.ImportSpec{}, warehouse.Batch{AdDays: []warehouse.AdDay{
		report(measure.Google, "2026-01-10"), report(measure.Google, "2026-01-13"), report(measure.Google, "2026-01-14"),
		report(measure.Facebook, "2026-01-11"), report(measure.Facebook, "2026-01-12"),
	}})
	var missing []int64
	for _, s := range answer[[]warehouse.SourceState](t)(w.Sources(t.Context(), shop)) {
		missing = append(missing, s.MissingDays)
	}
	same(t, "missing days of facebook and google", []int64{0, 2}, missing)
}

func ratesInOrder(on trial) {
	t, w := on.t, on.w
	var rates []warehouse.FXRate
	for _, source := range []string{"manual", "ecb", "bank", "card"} {
		rates = append(rates, warehouse.FXRate{Day: january.First, From: "EUR", To: "USD", Rate: "1.1", Source: source})
	}
	load(t, w, warehouse.ImportSpec{}, warehouse.Batch{FXRates: rates[:2]})
	load(t, w, warehouse.ImportSpec{}, warehouse.Batch{FXRates: rates[2:]})
	var sources []string
	for _, r := range answer[[]warehouse.FXRate](t)(w.FXRates(t.Context(), shop)) {
		sources = append(sources, r.Source)
	}
	same(t, "sources", []string{"bank", "card", "ecb", "manual"}, sources)
}
