package warehousetest

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

// withCreators adds creators to a random store: codes in CreatorCodes and CouponMap, survey answers that name creators,
// links and costs. Some answers are for orders with another creator's code.
func (s *random) withCreators() warehouse.Batch {
	b := s.batch()
	b.Creators = []warehouse.Creator{
		{Source: "b", ID: "k1", Name: "Not this one"},
		{Source: "a", ID: "k1", Name: "Ann", Handle: "@ann", Platform: "instagram"},
		{Source: "a", ID: "k2", Name: "Bea", Platform: "tiktok"},
		{Source: "a", ID: "k3", Name: "Cid"},
	}
	b.CreatorCodes = []warehouse.CreatorCode{{Creator: "k1", Code: "C1"}}
	b.CouponMap = append(b.CouponMap,
		warehouse.CouponChannel{Code: "C3", Channel: "tiktok", Creator: "k2"},
		warehouse.CouponChannel{Code: "C1", Channel: "influencer", Creator: "k3"})
	for i, o := range s.orders {
		if i%4 == 0 {
			b.Surveys = append(b.Surveys, warehouse.SurveyResponse{
				Source: "survey", Key: fmt.Sprint(i), OrderRef: o.OrderRef, At: o.At, Day: o.Day, Question: "discovery_channel",
				Answer: "?", Creator: []string{"k1", "k2", "k3", ""}[s.rng.IntN(4)],
			})
		}
	}
	for i := range 40 {
		creator, day := fmt.Sprintf("k%d", 1+i%3), s.days.First.AddDays(2*i)
		if creator != "k2" {
			b.LinkDays = append(b.LinkDays, warehouse.LinkDay{
				Source: "links", Creator: creator, Link: "l" + creator, Kind: []string{"vanity", "referral"}[i%2], Day: day,
				Clicks: int64(10 + i), Orders: int64(i % 3), Revenue: int64(i%3) * 40_00,
			})
		}
		b.CreatorCosts = append(b.CreatorCosts, warehouse.CreatorCost{Source: "a", Creator: creator, Day: day, Kind: "fee", Amount: int64(i) * 1_00})
	}
	return b
}

// creatorSignals compares creators' totals with totals from individual orders, for one import and for an import in two
// parts.
func creatorSignals(on trial) {
	t, w := on.t, on.w
	store := newRandomStore(11, 400)
	b := store.withCreators()
	for i := range b.Touches {
		if i%9 == 0 {
			b.Touches[i].Channel = "influencer"
		}
	}
	late := warehouse.Batch{CreatorCodes: b.CreatorCodes, CouponMap: b.CouponMap, Surveys: b.Surveys, Creators: b.Creators, CreatorCosts: b.CreatorCosts, LinkDays: b.LinkDays}
	early := b
	early.CreatorCodes, early.CouponMap, early.Surveys = nil, nil, nil
	load(t, w, warehouse.ImportSpec{Workspace: "at-once"}, b)
	load(t, w, warehouse.ImportSpec{Workspace: "later"}, early)
	load(t, w, warehouse.ImportSpec{Workspace: "later"}, late)
	in := warehouse.Windows{Recent: period("2026-01-10", "2026-02-20"), Earlier: store.days}
	var wantClicks, wantCost int64
	for _, l := range b.LinkDays {
		wantClicks += l.Clicks
	}
	for _, c := range b.CreatorCosts {
		wantCost += c.Amount
	}
	for _, ws := range []measure.WorkspaceID{"at-once", "later"} {
		got := answer[warehouse.Pair[warehouse.CreatorTotals]](t)(w.CreatorTotals(t.Context(), ws, in))
		same(t, string(ws)+" orders", creatorOrders(b, in.Recent.Contains), got.Recent.Orders)
		same(t, string(ws)+" orders of all days", creatorOrders(b, store.days.Contains), got.Earlier.Orders)
		var clicks, cost int64
		for _, l := range got.Earlier.Links {
			clicks += l.Clicks
		}
		for _, c := range got.Earlier.Costs {
			cost += c.Amount
		}
		same(t, string(ws)+" clicks and costs", []int64{wantClicks, wantCost}, []int64{clicks, cost})
		profiles := answer[[]warehouse.CreatorProfile](t)(w.Creators(t.Context(), ws))
		same(t, string(ws)+" creators", []warehouse.CreatorProfile{
			{ID: "k1", Name: "Ann", Handle: "@ann", Platform: "instagram", HasCode: true, HasLink: true},
			{ID: "k2", Name: "Bea", Platform: "tiktok", HasCode: true},
			{ID: "k3", Name: "Cid", HasCode: true, HasLink: true},
		}, profiles)
	}
}

// tie connects an order with one creator.
type tie struct {
	creator      string
	named, coded bool
	discount     int64
}

// creatorOrders examines all events individually.
func creatorOrders(b warehouse.Batch, inside func(civil.Date) bool) []warehouse.CreatorOrders {
	r := newReference()
	r.take(b)
	owner := map[string]string{}
	for _, m := range b.CouponMap {
		if m.Creator != "" {
			owner[m.Code] = m.Creator
		}
	}
	for _, c := range b.CreatorCodes {
		owner[c.Code] = c.Creator
	}
	named := map[warehouse.OrderRef]string{}
	for _, s := range b.Surveys {
		named[s.OrderRef] = s.Creator
	}
	sums := map[warehouse.CreatorOrders]measure.Sums{}
	touched := map[warehouse.CreatorOrders]int64{}
	for _, e := range r.events() {
		if !inside(e.day) {
			continue
		}
		key, ok := r.tieOf(e.ref, owner, named[e.ref])
		if o, known := r.orders[e.ref]; !ok && known && o.Surface != measure.OnlineStore {
			continue
		}
		sums[key] = sums[key].Add(e.order)
		if slices.ContainsFunc(r.touches[e.ref], func(x warehouse.Touch) bool { return x.Channel == "influencer" }) {
			touched[key] += e.order.Orders
		}
	}
	var out []warehouse.CreatorOrders
	for key, s := range sums {
		key.Sums, key.Touched = s, touched[key]
		out = append(out, key)
	}
	slices.SortFunc(out, func(x, y warehouse.CreatorOrders) int {
		return cmp.Or(cmp.Compare(x.Creator, y.Creator), compareFlags(x.ByCode, y.ByCode), compareFlags(x.BySurvey, y.BySurvey))
	})
	return out
}

// tieOf returns the order's creator and signals. The creator in the survey answer takes precedence over the creator of
// the code with the largest discount.
func (r *reference) tieOf(ref warehouse.OrderRef, owner map[string]string, named string) (warehouse.CreatorOrders, bool) {
	ties := map[string]tie{}
	for _, c := range r.coupons[ref] {
		if creator := owner[c.Code]; creator != "" {
			ties[creator] = tie{creator: creator, coded: true, discount: ties[creator].discount + c.Discount}
		}
	}
	if named != "" {
		x := ties[named]
		x.creator, x.named = named, true
		ties[named] = x
	}
	var best tie
	for _, x := range ties {
		first := cmp.Or(compareFlags(best.named, x.named), cmp.Compare(best.discount, x.discount), cmp.Compare(x.creator, best.creator)) < 0
		if best.creator == "" || first {
			best = x
		}
	}
	return warehouse.CreatorOrders{Creator: best.creator, ByCode: best.coded, BySurvey: best.named}, best.creator != ""
}

func compareFlags(x, y bool) int {
	switch {
	case x == y:
		return 0
	case y:
		return -1
	}
	return 1
}

func surfaces(on trial) {
	t, w := on.t, on.w
	in := warehouse.Windows{Recent: january, Earlier: period("2026-01-12", "2026-01-12")}
	totals := answer[warehouse.Pair[[]warehouse.SurfaceTotal]](t)(w.SurfaceTotals(t.Context(), shop, in))
	market := measure.Sums{Orders: whole(1), Charged: 80_00, Tax: 8_00, Shipping: 5_00, Discounts: 2_00, NewOrders: whole(1), Units: 2}
	online := smallTotals
	for field, amount := range map[*int64]int64{
		&online.Orders: market.Orders, &online.Charged: market.Charged, &online.Tax: market.Tax, &online.Shipping: market.Shipping,
		&online.Discounts: market.Discounts, &online.NewOrders: market.NewOrders, &online.Units: market.Units,
	} {
		*field -= amount
	}
	same(t, "surfaces", []warehouse.SurfaceTotal{{Surface: measure.Marketplace, Sums: market}, {Surface: measure.OnlineStore, Sums: online}}, totals.Recent)
	same(t, "surfaces of the 12th", int64(80_00), totals.Earlier[0].Sums.Charged)

	sums := map[measure.Surface]measure.Sums{}
	for _, d := range answer[[]measure.SalesDay](t)(w.SurfaceDays(t.Context(), shop, january)) {
		sums[d.Surface] = sums[d.Surface].Add(d.Sums)
	}
	same(t, "days add up", map[measure.Surface]measure.Sums{measure.Marketplace: market, measure.OnlineStore: online}, sums)
	same(t, "spend", []warehouse.SpendDay{
		{Channel: "google", Day: date("2026-01-10"), Spend: 10_00},
		{Channel: "google", Day: date("2026-01-11"), Spend: 25_00},
		{Channel: "google", Day: date("2026-01-12")},
		{Channel: "podcast", Day: date("2026-01-10"), Spend: 300_00},
	}, answer[[]warehouse.SpendDay](t)(w.SpendDays(t.Context(), shop, january)))
}

func emptyCreators(t *testing.T, w *warehouse.Warehouse, in warehouse.Windows) {
	t.Helper()
	ctx := t.Context()
	same(t, "creators", 0, len(answer[[]warehouse.CreatorProfile](t)(w.Creators(ctx, shop))))
	same(t, "creators' totals", warehouse.Pair[warehouse.CreatorTotals]{}, answer[warehouse.Pair[warehouse.CreatorTotals]](t)(w.CreatorTotals(ctx, shop, in)))
	same(t, "surfaces", warehouse.Pair[[]warehouse.SurfaceTotal]{}, answer[warehouse.Pair[[]warehouse.SurfaceTotal]](t)(w.SurfaceTotals(ctx, shop, in)))
	same(t, "surface days", 0, len(answer[[]measure.SalesDay](t)(w.SurfaceDays(ctx, shop, january))))
	same(t, "regions", 0, len(regionDays(t, w)))
	same(t, "goals", 0, len(targetsOf(t, w)))
	same(t, "spend days", 0, len(answer[[]warehouse.SpendDay](t)(w.SpendDays(ctx, shop, january))))
}
