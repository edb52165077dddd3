package warehousetest

import (
	"math/big"
	"time"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/warehouse"
)

func emptyStore(on trial) {
	t, w := on.t, on.w
	ctx, in := t.Context(), warehouse.Windows{Recent: january, Earlier: january.Previous()}
	same(t, "totals", warehouse.Pair[measure.Sums]{}, answer[warehouse.Pair[measure.Sums]](t)(w.StoreTotals(ctx, shop, in)))
	for _, model := range measure.Models() {
		rows := answer[warehouse.Pair[[]warehouse.ChannelTotal]](t)(w.ChannelTotals(ctx, shop, model, in))
		same(t, string(model), warehouse.Pair[[]warehouse.ChannelTotal]{}, rows)
		same(t, string(model), 0, len(answer[[]warehouse.ChannelDay](t)(w.ChannelDays(ctx, shop, model, january))))
	}
	same(t, "days", 0, len(answer[[]warehouse.DayTotal](t)(w.StoreDays(ctx, shop, january))))
	same(t, "campaigns", warehouse.CampaignPage{}, answer[warehouse.CampaignPage](t)(w.Campaigns(ctx, shop, warehouse.CampaignsOf{Windows: in, Limit: 5})))
	same(t, "creatives", warehouse.CampaignPage{}, answer[warehouse.CampaignPage](t)(w.Campaigns(ctx, shop, warehouse.CampaignsOf{Windows: in, Limit: 5, Level: warehouse.Creatives})))
	same(t, "products", warehouse.ProductPage{}, answer[warehouse.ProductPage](t)(w.Products(ctx, shop, warehouse.ProductsOf{Windows: in, Limit: 5})))
	same(t, "coupons", warehouse.CouponPage{}, answer[warehouse.CouponPage](t)(w.Coupons(ctx, shop, warehouse.CouponsOf{Windows: in, Limit: 5})))
	same(t, "channels", 0, len(answer[[]warehouse.ChannelVolume](t)(w.Channels(ctx, shop))))
	same(t, "sources", 0, len(answer[[]warehouse.SourceState](t)(w.Sources(ctx, shop))))
	same(t, "imports", 0, len(answer[[]warehouse.ImportRecord](t)(w.Imports(ctx, shop, 5))))
	same(t, "recent orders", int64(0), answer[int64](t)(w.RecentOrders(ctx, shop, january.First)))
	emptyCreators(t, w, in)
	coverage := answer[warehouse.Coverage](t)(w.Coverage(ctx, shop))
	same(t, "order days", civil.Range{}, coverage.OrderDays)
	same(t, "version", version(t, w), coverage.Version)
	if _, known, err := w.Imported(ctx, shop, "abc", true); known || err != nil {
		t.Errorf("an empty store reports a file as imported: %v, %v", known, err)
	}
}

// briefsOfSilentChannel requests the brief figures of a channel that has only impressions. The answer must contain the
// impressions.
func briefsOfSilentChannel(on trial) {
	t, w := on.t, on.w
	load(t, w, warehouse.ImportSpec{}, warehouse.Batch{AdDays: []warehouse.AdDay{{
		Source: "meta", Platform: "facebook", Account: "1", Channel: "facebook", Day: date("2026-01-10"), CampaignID: "c", CampaignName: "C",
		Impressions: 1_000, Original: money.Amount{Currency: "USD"},
	}}})
	in := warehouse.Windows{Recent: january, Earlier: january.Previous()}
	briefs := answer[warehouse.Pair[[]warehouse.ChannelTotal]](t)(w.ChannelBriefs(t.Context(), shop, measure.LastTouch, in))
	totals := answer[warehouse.Pair[[]warehouse.ChannelTotal]](t)(w.ChannelTotals(t.Context(), shop, measure.LastTouch, in))
	same(t, "a channel that was only seen", totals, briefs)
	if len(briefs.Recent) != 1 || briefs.Recent[0].Impressions != 1_000 {
		t.Errorf("the channel with impressions only is %+v", briefs.Recent)
	}
}

func smallStoreTotals(on trial) {
	t, w := on.t, on.w
	in := warehouse.Windows{Recent: january, Earlier: period("2026-01-12", "2026-02-15")}
	totals := answer[warehouse.Pair[measure.Sums]](t)(w.StoreTotals(t.Context(), shop, in))
	same(t, "January", smallTotals, totals.Recent)
	same(t, "from the 12th", measure.Sums{
		Orders: whole(3), Charged: 115_00, Tax: 11_50, Shipping: 15_00, Discounts: 6_00, Refunds: 20_00,
		NewOrders: whole(2), Units: 6,
	}, totals.Earlier)
	same(t, "orders since the 11th", int64(5), answer[int64](t)(w.RecentOrders(t.Context(), shop, date("2026-01-11"))))
}

func smallStoreDays(on trial) {
	t, w := on.t, on.w
	days := answer[[]warehouse.DayTotal](t)(w.StoreDays(t.Context(), shop, january))
	same(t, "days", []warehouse.DayTotal{
		{Day: date("2026-01-10"), Sums: measure.Sums{Orders: whole(1), Charged: 100_00, Tax: 10_00, Shipping: 5_00, Discounts: 2_00, NewOrders: whole(1), Units: 2}, Spend: 310_00, SpendKnown: true},
		{Day: date("2026-01-11"), Sums: measure.Sums{Orders: whole(2), Charged: 80_01, Tax: 8_00, Shipping: 10_00, Discounts: 4_00, Refunds: 10_00, Undated: 10_00, Units: 4}, Spend: 25_00, SpendKnown: true},
		{Day: date("2026-01-12"), Sums: measure.Sums{Orders: whole(3), Charged: 115_00, Tax: 11_50, Shipping: 15_00, Discounts: 6_00, NewOrders: whole(2), Units: 6}, SpendKnown: true},
		{Day: date("2026-01-15"), Sums: measure.Sums{Refunds: 20_00}},
	}, days)
	podcast := answer[[]warehouse.ChannelDay](t)(w.ChannelDays(t.Context(), shop, measure.LastTouch, january, "podcast", "influencer"))
	same(t, "channel days", []warehouse.ChannelDay{
		{Channel: "influencer", DayTotal: warehouse.DayTotal{Day: date("2026-01-12"), Sums: measure.Sums{Orders: whole(1), Charged: 40_00, Tax: 4_00, Shipping: 5_00, Discounts: 2_00, NewOrders: whole(1), Units: 2}}},
		{Channel: "podcast", DayTotal: warehouse.DayTotal{Day: date("2026-01-10"), Spend: 300_00, SpendKnown: true}},
	}, podcast)
}

// modelShares checks the three orders with touchpoints. Order 1 has touchpoints from google and direct. Order 2 has
// touchpoints from facebook, google and email, 14, 7 and 0 days before the order. Order 4 has the same three channels
// at one instant and a charge of -5.00.
func modelShares(on trial) {
	t, w := on.t, on.w
	in := warehouse.Windows{Recent: january}
	charged := map[measure.Model]map[measure.Channel]int64{
		measure.LastTouch:     {"google": 100_00, "email": 50_01 - 5_00},
		measure.FirstTouch:    {"google": 100_00, "facebook": 50_01 - 5_00},
		measure.Linear:        {"google": 50_00 + 16_67 - 1_67, "direct": 50_00, "facebook": 16_67 - 1_67, "email": 16_67 - 1_66},
		measure.PositionBased: {"google": 50_00 + 10_00 - 1_00, "direct": 50_00, "facebook": 20_00 - 2_00, "email": 20_01 - 2_00},
		// For order 1, the weights 2^(-4/7) and 1 give google 40.22. For order 2, the credits are 1/7, 2/7 and 4/7 of
		// 50.01.
		measure.TimeDecay: {"google": 40_22 + 14_29 - 1_67, "direct": 59_78, "facebook": 7_14 - 1_67, "email": 28_58 - 1_66},
	}
	for model, want := range charged {
		rows := answer[warehouse.Pair[[]warehouse.ChannelTotal]](t)(w.ChannelTotals(t.Context(), shop, model, in)).Recent
		same(t, string(model)+" adds up to the store", smallTotals, total(rows))
		got := credits(rows)
		for channel, amount := range want {
			same(t, string(model)+" charged "+string(channel), amount, got[channel].Charged)
		}
		same(t, string(model)+" amazon", int64(80_00), got["amazon"].Charged)
		same(t, string(model)+" influencer", int64(40_00), got["influencer"].Charged)
		same(t, string(model)+" unattributed", measure.Sums{
			Orders: whole(1), Charged: 30_00, Tax: 3_00, Shipping: 5_00, Discounts: 2_00, Refunds: 10_00, Undated: 10_00,
			Units: 2,
		}, got[measure.Unattributed])
	}
	linear := credits(answer[warehouse.Pair[[]warehouse.ChannelTotal]](t)(w.ChannelTotals(t.Context(), shop, measure.Linear, in)).Recent)
	same(t, "linear orders of facebook", int64(666_666), linear["facebook"].Orders)
	same(t, "linear orders of email", int64(666_668), linear["email"].Orders)
	same(t, "linear refunds of facebook", int64(6_66), linear["facebook"].Refunds)
}

// longPath checks an order with an amount beyond the precision of a float and 25 touchpoints in 25 minutes. Every other
// touchpoint is from google. The oldest five touchpoints are dropped.
func longPath(on trial) {
	t, w := on.t, on.w
	const made, kept, charged = 25, 20, int64(9_007_199_254_740_993)
	store := warehouse.Batch{Orders: smallStore().Orders[:1]}
	store.Orders[0].Charged = charged
	for i := range made {
		store.Touches = append(store.Touches, warehouse.Touch{
			OrderRef: ref("1"), Seq: i + 1, At: instant("2026-01-05T00:00:00Z").Add(time.Duration(i) * time.Minute),
			Channel: []measure.Channel{"google", "email"}[i%2],
		})
	}
	load(t, w, warehouse.ImportSpec{}, store)
	for _, model := range []measure.Model{measure.Linear, measure.TimeDecay, measure.PositionBased} {
		touches, want := store.Touches[made-kept:], map[measure.Channel]int64{}
		upto := new(big.Rat)
		for i, part := range weights(model, touches) {
			next := new(big.Rat).Add(upto, part)
			want[touches[i].Channel] += floor(charged, next) - floor(charged, upto)
			upto = next
		}
		rows := answer[warehouse.Pair[[]warehouse.ChannelTotal]](t)(w.ChannelTotals(t.Context(), shop, model, warehouse.Windows{Recent: january})).Recent
		got := credits(rows)
		for channel, amount := range want {
			same(t, string(model)+" charged "+string(channel), amount, got[channel].Charged)
		}
		same(t, string(model)+" adds up to the order", charged, total(rows).Charged)
	}
}

func platformClaims(on trial) {
	t, w := on.t, on.w
	in := warehouse.Windows{Recent: january}
	rows := answer[warehouse.Pair[[]warehouse.ChannelTotal]](t)(w.ChannelTotals(t.Context(), shop, measure.PlatformReported, in)).Recent
	rest := smallTotals
	rest.Orders -= 2_750_000
	rest.Charged -= 130_00
	same(t, "platform-reported figures", []warehouse.ChannelTotal{
		{
			Channel: "google", Sums: measure.Sums{Orders: 2_750_000, Charged: 130_00}, Spend: 35_00, SpendKnown: true,
			Impressions: 4000, Clicks: 40, Claimed: 2_750_000, ClaimedSum: 130_00,
		},
		{Channel: "podcast", Spend: 300_00, SpendKnown: true},
		{Channel: measure.Unattributed, Sums: rest},
	}, rows)
	last := answer[warehouse.Pair[[]warehouse.ChannelTotal]](t)(w.ChannelTotals(t.Context(), shop, measure.LastTouch, in)).Recent
	for _, r := range last {
		if r.Channel == "google" {
			same(t, "google's reported orders", rows[0].Claimed, r.Claimed)
		}
		if r.Channel == "email" && r.SpendKnown {
			t.Error("the spend of email is known without a report")
		}
	}
	days := answer[[]warehouse.ChannelDay](t)(w.ChannelDays(t.Context(), shop, measure.PlatformReported, january))
	var sum measure.Sums
	for _, d := range days {
		sum = sum.Add(d.Sums)
	}
	same(t, "platform-reported days add up to the store", smallTotals, sum)
}
