package tools

import (
	"context"
	"fmt"
	"math"
	"os"
	"testing"
	"time"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/ingest/demo"
	"assay/internal/mcp"
	"assay/internal/measure"
	"assay/internal/toolkit"
	"assay/internal/warehouse"
)

// addCreators adds three creators: the first with the fixture's code, the second with links only, the third with a fee
// only.
func addCreators(b *warehouse.Batch) {
	const mira, theo, lou = "5c1f2a34-0000-4000-8000-000000000001", "5c1f2a34-0000-4000-8000-000000000002", "5c1f2a34-0000-4000-8000-000000000003"
	b.Creators = []warehouse.Creator{
		{Source: "creators", ID: mira, Name: "Mira Tea", Handle: "@mira", Platform: "instagram"},
		{Source: "creators", ID: theo, Name: "=Theo\npours", Handle: "@theo", Platform: "youtube"},
		{Source: "creators", ID: lou, Name: "Lou", Handle: "@lou", Platform: "tiktok"},
	}
	b.CreatorCodes = []warehouse.CreatorCode{{Creator: mira, Code: "MIRA10"}}
	for day := civil.MustParse("2025-07-01"); day.Before(fixtureToday); day = day.AddDays(7) {
		n := int64(day.Sub(fixtureFirst))
		b.LinkDays = append(b.LinkDays,
			warehouse.LinkDay{Source: "creators", Creator: theo, Link: "tea.shop/theo", Kind: "vanity", Day: day, Clicks: 40 + n%9, Orders: n % 3, Revenue: n % 3 * 5200},
			warehouse.LinkDay{Source: "creators", Creator: mira, Link: "tea.shop/r/mira", Kind: "referral", Day: day, Clicks: 15 + n%4, Orders: n % 2, Revenue: n % 2 * 4100})
	}
	for month := range 8 {
		day := civil.New(2025, time.July+time.Month(month), 3)
		b.CreatorCosts = append(b.CreatorCosts, warehouse.CreatorCost{Source: "creators", Creator: mira, Day: day, Kind: "fee", Amount: 40_00})
	}
	b.CreatorCosts = append(b.CreatorCosts, warehouse.CreatorCost{Source: "creators", Creator: lou, Day: civil.MustParse("2026-03-02"), Kind: "product", Amount: 75_00})
	coded := map[warehouse.OrderRef]bool{}
	for _, coupon := range b.Coupons {
		coded[coupon.OrderRef] = coupon.Code == "MIRA10"
	}
	for i, o := range b.Orders {
		if coded[o.OrderRef] && i%3 == 0 || i%150 == 0 {
			b.Surveys = append(b.Surveys, warehouse.SurveyResponse{
				Source: "survey", Key: fmt.Sprint(i), OrderRef: o.OrderRef, At: o.At, Day: o.Day, Question: "discovery_channel",
				Answer: "Mira", Channel: "influencer", Creator: mira,
			})
		}
	}
}

// demoStore serves a simulated store and returns its true effects. The function keep returns the facts that the store
// contains.
func demoStore(t *testing.T, opt demo.Options, keep func(*warehouse.Batch) warehouse.Batch) (mcp.Session, demo.Truth) {
	t.Helper()
	return demoStoreWith(t, opt, keep, func(demo.Truth) toolkit.Deps { return plainDeps(nil, nil) })
}

// demoOptions completes the options of a demo store.
func demoOptions(t *testing.T, opt demo.Options) demo.Options {
	t.Helper()
	zone, err := time.LoadLocation(demo.StoreZone)
	if err != nil {
		t.Fatal(err)
	}
	opt.Today, opt.Zone, opt.Currency, opt.HashKey = civil.MustParse("2026-11-18"), zone, demo.StoreCurrency, []byte("key")
	return opt
}

// demoStoreWith is demoStore with other dependencies of the service, which may use the true effects.
func demoStoreWith(t *testing.T, opt demo.Options, keep func(*warehouse.Batch) warehouse.Batch, depsOf func(demo.Truth) toolkit.Deps) (mcp.Session, demo.Truth) {
	t.Helper()
	opt = demoOptions(t, opt)
	facts, err := openFacts(context.Background(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	in, err := facts.Begin(t.Context(), warehouse.ImportSpec{Workspace: "demo", Source: "demo", Base: demo.StoreCurrency})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Abort()
	truth, err := demo.Generate(opt, func(b *warehouse.Batch) error {
		kept := keep(b)
		return in.Add(t.Context(), &kept)
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := in.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	deps := depsOf(truth)
	deps.Facts, deps.Clock, deps.Now = facts, opt.Now, opt.Now
	s, err := toolkit.NewService(deps, All())
	if err != nil {
		t.Fatal(err)
	}
	w := newWorkspace("demo")
	w.Zone = demo.StoreZone
	return s.Session(reader(w), "r1"), truth
}

// nightly reports whether the long forms of tests run (ASSAY_NIGHTLY is set).
func nightly() bool { return os.Getenv("ASSAY_NIGHTLY") != "" }

// 90% of the intervals contain the orders that a creator truly generated. All creators of a store share the error of its
// rates, so coverage varies between stores. The short form with one small store allows 3 misses of 16.
func TestCreatorIntervalsCoverTrueOrders(t *testing.T) {
	t.Parallel()
	stores, least := []demo.Options{{Seed: 7, Days: 365, Orders: 12_000}}, 13.0/16
	if nightly() {
		stores, least = nil, 0.86
		for seed := range uint64(10) {
			stores = append(stores, demo.Options{Seed: seed + 1, Days: 730, Orders: 60_000})
		}
	}
	inside, all, squares, known := 0, 0, 0.0, 0.0
	for _, opt := range stores {
		session, truth := demoStore(t, opt, func(b *warehouse.Batch) warehouse.Batch {
			return warehouse.Batch{
				Orders: b.Orders, Coupons: b.Coupons, Touches: b.Touches, Surveys: b.Surveys, Creators: b.Creators, CreatorCodes: b.CreatorCodes,
				CreatorCosts: b.CreatorCosts, LinkDays: b.LinkDays, CouponMap: b.CouponMap,
			}
		})
		a := decoded[CreatorsAnswer](t, callAs(t, session, "creators", `{"start_date":"2020-01-01","limit":100,"detail_level":"analyst"}`).StructuredContent)
		planted := map[string]demo.CreatorTruth{}
		for _, c := range truth.Creators {
			planted[c.ID] = c
		}
		here := 0
		for _, r := range a.Rows {
			want := float64(planted[r.ID].TrueOrders)
			if float64(r.OrdersLow) <= want && want <= float64(r.OrdersHigh) {
				here++
			}
			squares += (float64(r.Orders) - want) * (float64(r.Orders) - want)
			known += want * want
		}
		t.Logf("seed %d: %d of %d creators, rates %+v", opt.Seed, here, len(a.Rows), a.Blend)
		inside, all = inside+here, all+len(a.Rows)
	}
	t.Logf("%d of %d intervals contain the true orders, relative error %.3f", inside, all, math.Sqrt(squares/known))
	if got := float64(inside) / float64(all); got < least || all != 16*len(stores) {
		t.Errorf("%d of %d intervals contain the true orders, want %.2f", inside, all, least)
	}
}

// Both tools report the same code orders, and each order belongs to one creator.
func TestCreatorsAndInfluencersAgree(t *testing.T) {
	t.Parallel()
	const window = `"start_date":"2025-08-01","end_date":"2026-02-20","detail_level":"debug","limit":100`
	tracked := answerAs[InfluencersAnswer](t, "influencers", `{"action":"list",`+window+`}`)
	blended := answerAs[CreatorsAnswer](t, "creators", `{`+window+`}`)
	rows := map[string]CreatorRow{}
	revenue := answer.Money(0)
	for _, r := range blended.Rows {
		rows[r.ID] = r
		revenue += r.Revenue
	}
	for _, r := range tracked.Rows {
		b := rows[r.ID]
		if b.CodeOrders != nil && *b.CodeOrders != r.Orders || b.LinkOrders != nil && *b.LinkOrders != r.Conversions {
			t.Errorf("%s: influencers has %v by code and %v by link, creators has %v and %v", r.Name, r.Orders, r.Conversions, b.CodeOrders, b.LinkOrders)
		}
		if b.CodeOrders != nil && (*b.SeenOrders > *b.CodeOrders+*b.SurveyMentions || *b.SeenOrders < max(*b.CodeOrders, *b.SurveyMentions)) {
			t.Errorf("%s: %v seen orders, with %v by code and %v by survey", r.Name, *b.SeenOrders, *b.CodeOrders, *b.SurveyMentions)
		}
		if b.OrdersLow > b.Orders || b.Orders > b.OrdersHigh {
			t.Errorf("%s: %v orders outside %v to %v", r.Name, b.Orders, b.OrdersLow, b.OrdersHigh)
		}
	}
	near(t, "revenue of all creators", float64(revenue), float64(*blended.Metrics.TotalRevenue.Value), len(rows))
	one := answerAs[InfluencersAnswer](t, "influencers", `{"action":"performance","influencer_id":"`+tracked.Rows[0].ID+`",`+window+`}`)
	tracked.Rows[0].Rank = 0
	if one.Rows[0].Orders != tracked.Rows[0].Orders || *one.Metrics.Orders.Value != tracked.Rows[0].Orders {
		t.Errorf("one influencer has %v orders, in the list %v", one.Rows[0].Orders, tracked.Rows[0].Orders)
	}
}

// The total ROI is the ROI of the creators with a known cost: revenue and cost of the same creators.
func TestTotalROIIsOfTheCreatorsWithAKnownCost(t *testing.T) {
	t.Parallel()
	tracked := answerAs[InfluencersAnswer](t, "influencers", `{"action":"list","detail_level":"debug","limit":100}`)
	blended := answerAs[CreatorsAnswer](t, "creators", `{"detail_level":"debug","limit":100}`)
	var revenue, estimated, cost float64
	unknown := 0
	for _, r := range tracked.Rows {
		if r.Cost == nil {
			unknown++
			continue
		}
		revenue, cost = revenue+float64(r.Revenue), cost+float64(*r.Cost)
	}
	for _, r := range blended.Rows {
		if r.Cost != nil {
			estimated += float64(r.Revenue)
		}
	}
	if unknown == 0 {
		t.Fatal("every creator has a known cost, want one without")
	}
	for tool, roi := range map[string]struct{ got, want float64 }{
		"influencers": {float64(*tracked.Metrics.ROI.Value), (revenue - cost) / cost},
		"creators":    {float64(*blended.Metrics.ROI.Value), (estimated - cost) / cost},
	} {
		if math.Abs(roi.got-roi.want) > 0.011 { // rounding of the ROI and of each row
			t.Errorf("%s: ROI %v, want %v", tool, roi.got, roi.want)
		}
	}
}

// Influencers are ranked by the revenue of the rows, on the workspace's basis.
func TestInfluencersAreRankedOnTheBasisOfTheRows(t *testing.T) {
	t.Parallel()
	const ada, bea = "5c1f2a34-0000-4000-8000-000000000001", "5c1f2a34-0000-4000-8000-000000000002"
	b := shop(1, 2, func(i int, o *warehouse.Order) { o.Charged = int64(10_000 - 5_000*i) })
	b.Creators = []warehouse.Creator{{Source: "creators", ID: ada, Name: "Ada"}, {Source: "creators", ID: bea, Name: "Bea"}}
	b.CreatorCodes = []warehouse.CreatorCode{{Creator: ada, Code: "ADA"}, {Creator: bea, Code: "BEA"}}
	first, second := b.Orders[0], b.Orders[1]
	b.Coupons = []warehouse.OrderCoupon{{OrderRef: first.OrderRef, Code: "ADA"}, {OrderRef: second.OrderRef, Code: "BEA"}}
	b.Refunds = []warehouse.Refund{{OrderRef: first.OrderRef, Refund: "1", Day: first.Day, At: first.At, Amount: 10_000}}
	w := newWorkspace("w1")
	w.Basis = measure.RevenueBasis{NetOfRefunds: true}
	s := serviceOver(t, b).Session(reader(w), "r1")
	a := decoded[InfluencersAnswer](t, callAs(t, s, "influencers", `{"action":"top_performers"}`).StructuredContent)
	if len(a.Rows) != 2 || a.Rows[0].ID != bea || a.Rows[0].Revenue < a.Rows[1].Revenue {
		t.Errorf("ranked %+v, want Bea with 50 before Ada with 0", a.Rows)
	}
}
