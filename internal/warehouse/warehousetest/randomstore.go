package warehousetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

// random is a random store with a seed.
type random struct {
	rng     *rand.Rand
	days    civil.Range
	orders  []warehouse.Order
	rest    warehouse.Batch
	changes int
}

var channels = []measure.Channel{"google", "facebook", "email", "direct", "tiktok"}

// newRandomStore creates a store of n orders in the three months up to February 2026. It has touchpoints, refunds on
// other days, coupons (some of them mapped), lines and ad reports.
func newRandomStore(seed uint64, n int) *random {
	s := &random{rng: rand.New(rand.NewPCG(seed, 1)), days: period("2025-12-01", "2026-02-28")}
	s.rest.CouponMap = []warehouse.CouponChannel{{Code: "C1", Channel: "influencer"}, {Code: "C2", Channel: "partner"}}
	for i := range n {
		s.addOrder(fmt.Sprintf("r%06d", i))
	}
	for i := range s.days.Days() * 3 {
		s.addAd(s.days.First.AddDays(i/3), i)
	}
	s.addAnswers(rand.New(rand.NewPCG(seed, 2)), n/2)
	s.addMessages(rand.New(rand.NewPCG(seed, 3)), n)
	return s
}

func (s *random) addOrder(key string) {
	order := s.order(key)
	s.orders = append(s.orders, order)
	s.addTouches(order)
	if s.rng.IntN(5) == 0 {
		for i := range 1 + s.rng.IntN(2) {
			s.rest.Refunds = append(s.rest.Refunds, warehouse.Refund{
				OrderRef: order.OrderRef, Refund: fmt.Sprint(i), At: order.At, Day: order.Day.AddDays(s.rng.IntN(20)),
				Amount: s.rng.Int64N(5000), DateUnknown: s.rng.IntN(4) == 0,
			})
		}
	}
	for i := range s.rng.IntN(3) {
		s.rest.Coupons = append(s.rest.Coupons, warehouse.OrderCoupon{
			OrderRef: order.OrderRef, Code: fmt.Sprintf("C%d", i+1+s.rng.IntN(3)*2), Discount: s.rng.Int64N(4) * 100,
		})
	}
	for i := range s.rng.IntN(4) {
		product := fmt.Sprint(s.rng.IntN(12))
		s.rest.Lines = append(s.rest.Lines, warehouse.OrderLine{
			OrderRef: order.OrderRef, Line: i + 1, SKU: "P" + product, Title: "Product " + product,
			Quantity: 1 + s.rng.Int64N(3), Net: s.rng.Int64N(9000), CostKnown: s.rng.IntN(2) == 0, Cost: 500,
		})
	}
}

func (s *random) order(key string) warehouse.Order {
	day := s.days.First.AddDays(s.rng.IntN(s.days.Days()))
	o := warehouse.Order{
		OrderRef: ref(key), At: day.UTC().Add(time.Duration(s.rng.IntN(24)) * time.Hour), Day: day,
		Surface: measure.Surfaces()[s.rng.IntN(3)], Charged: s.rng.Int64N(30_000) - 500, Tax: s.rng.Int64N(900),
		Shipping: s.rng.Int64N(2) * 495, Discounts: s.rng.Int64N(700), Units: 1 + s.rng.Int64N(4),
		Country: "US", Region: []string{"CA", "NY", "TX"}[s.rng.IntN(3)],
		Cancelled: s.rng.IntN(20) == 0, Test: s.rng.IntN(40) == 0, UpdatedAt: day.UTC(),
	}
	if s.rng.IntN(5) > 0 {
		o.Customer = fmt.Sprintf("c%d", s.rng.IntN(100))
	}
	if s.rng.IntN(8) == 0 {
		o.Channel = "amazon"
	}
	return o
}

func (s *random) addTouches(o warehouse.Order) {
	at := o.At.Add(-time.Duration(s.rng.IntN(60*24)) * time.Hour)
	for i := range s.rng.IntN(7) {
		channel := channels[s.rng.IntN(len(channels))]
		s.rest.Touches = append(s.rest.Touches, warehouse.Touch{
			OrderRef: o.OrderRef, Seq: i + 1, At: at, Channel: channel, Platform: measure.Platform(channel),
			Campaign: fmt.Sprintf("%s-%d", channel, s.rng.IntN(3)),
		})
		at = at.Add(time.Duration(s.rng.Int64N(int64(o.At.Sub(at)) + 1)))
	}
}

func (s *random) addAd(day civil.Date, i int) {
	a := ad(fmt.Sprintf("google-%d", i%7), fmt.Sprintf("Campaign %d", i), day.String(), s.rng.Int64N(3)*1000, s.rng.Int64N(3)*500_000, s.rng.Int64N(5)*700)
	a.AdID = fmt.Sprint(s.rng.IntN(4))
	s.rest.AdDays = append(s.rest.AdDays, a)
}

// batch returns all rows of the store.
func (s *random) batch() warehouse.Batch {
	b := s.rest
	b.Orders = s.orders
	return b
}

// pieces returns the store's orders in batches of n. The last batch contains the rows of all other tables.
func (s *random) pieces(n int) (out []warehouse.Batch) {
	for from := 0; from < len(s.orders); from += n {
		out = append(out, warehouse.Batch{Orders: s.orders[from:min(from+n, len(s.orders))]})
	}
	return append(out, s.rest)
}

// ordersIn returns the number of orders in a period, in millionths.
func (s *random) ordersIn(days civil.Range) (n int64) {
	for _, o := range s.orders {
		if !o.Cancelled && !o.Test && days.Contains(o.Day) {
			n += whole(1)
		}
	}
	return n
}

// change returns new versions of some orders (some with other touchpoints), new orders with their rows, and refunds of
// other orders, stored and unknown.
func (s *random) change(n int) warehouse.Batch {
	next := newRandomStore(s.rng.Uint64(), 0)
	next.rest = warehouse.Batch{}
	s.changes++
	for i, at := range s.rng.Perm(len(s.orders))[:n] {
		old := s.orders[at]
		order := next.order(old.Key)
		order.UpdatedAt = old.UpdatedAt.Add(time.Duration(s.rng.IntN(5)-2) * time.Hour)
		next.orders = append(next.orders, order)
		if order.UpdatedAt.After(old.UpdatedAt) {
			s.orders[at] = order
			next.addTouches(order)
		}
		next.addOrder(fmt.Sprintf("n%d-%06d", s.changes, i))
	}
	for i := range n {
		key := s.orders[next.rng.IntN(len(s.orders))].Key
		if i%4 == 0 {
			key = fmt.Sprintf("unknown%d", i)
		}
		if slices.ContainsFunc(next.orders, func(o warehouse.Order) bool { return o.Key == key }) {
			continue
		}
		next.rest.Refunds = append(next.rest.Refunds, warehouse.Refund{
			OrderRef: ref(key), Refund: fmt.Sprint(next.rng.IntN(3)), At: next.days.Last.UTC(), Day: next.days.Last.AddDays(i),
			Amount: next.rng.Int64N(5000), DateUnknown: i%3 == 0,
		})
	}
	next.addAnswers(rand.New(rand.NewPCG(uint64(s.changes), 4)), n/2)
	return next.batch()
}

func randomStore(on trial) {
	t, w := on.t, on.w
	seeds := uint64(3)
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		ws := measure.WorkspaceID(fmt.Sprintf("random-%d", seed))
		store, want := newRandomStore(seed, 300), newReference()
		load(t, w, warehouse.ImportSpec{Workspace: ws}, store.batch())
		want.take(store.batch())
		compare(t, w, ws, want)
		for range 3 {
			change := store.change(20)
			load(t, w, warehouse.ImportSpec{Workspace: ws}, change)
			want.take(change)
			compare(t, w, ws, want)
		}
	}
}

// randomPieces imports a store in pieces. Orders are imported twice and unsorted, after their lines, coupons, refunds
// and touchpoints.
func randomPieces(on trial) {
	if testing.Short() {
		on.t.Skip("a long series")
	}
	t, w := on.t, on.w
	store, want := newRandomStore(11, 300), newReference()
	pieces := store.pieces(70)
	want.take(store.batch())
	load(t, w, warehouse.ImportSpec{}, store.rest)
	early := newReference()
	early.take(store.rest)
	compare(t, w, shop, early)
	all := load(t, w, warehouse.ImportSpec{}, append(pieces[:len(pieces)-1:len(pieces)-1], pieces[0], pieces[1])...)
	compare(t, w, shop, want)
	again := load(t, w, warehouse.ImportSpec{}, pieces...)
	same(t, "the same in one import", all.Version, again.Version)
}

// compare compares every total of the warehouse with the reference.
func compare(t *testing.T, w *warehouse.Warehouse, ws measure.WorkspaceID, want *reference) {
	t.Helper()
	ctx, days := t.Context(), period("2025-11-01", "2026-06-30")
	storeDays := map[civil.Date]measure.Sums{}
	var sum measure.Sums
	for _, d := range answer[[]warehouse.DayTotal](t)(w.StoreDays(ctx, ws, days)) {
		if d.Sums != (measure.Sums{}) {
			storeDays[d.Day] = d.Sums
		}
		sum = sum.Add(d.Sums)
	}
	same(t, "store days", notZero(want.storeDays()), storeDays)
	totals := answer[warehouse.Pair[measure.Sums]](t)(w.StoreTotals(ctx, ws, warehouse.Windows{Recent: days}))
	same(t, "store totals", sum, totals.Recent)
	comparePeople(t, w, ws, want)
	for _, model := range measure.Models() {
		rows := answer[warehouse.Pair[[]warehouse.ChannelTotal]](t)(w.ChannelTotals(ctx, ws, model, warehouse.Windows{Recent: days})).Recent
		same(t, string(model)+" adds up", sum, total(rows))
		checkAdjacent(t, w, ws, model)
		checkBriefs(t, w, ws, model)
		if model == measure.PlatformReported {
			continue
		}
		got := map[channelDay]measure.Sums{}
		for _, d := range answer[[]warehouse.ChannelDay](t)(w.ChannelDays(ctx, ws, model, days)) {
			got[channelDay{d.Channel, d.Day}] = d.Sums
		}
		same(t, string(model)+" days", notZero(want.channelDays(model)), notZero(got))
	}
}

// checkBriefs compares the channels' brief figures with those of the full totals.
func checkBriefs(t *testing.T, w *warehouse.Warehouse, ws measure.WorkspaceID, model measure.Model) {
	t.Helper()
	days := period("2026-02-01", "2026-03-15")
	in := warehouse.Windows{Recent: days, Earlier: days.Previous()}
	want := answer[warehouse.Pair[[]warehouse.ChannelTotal]](t)(w.ChannelTotals(t.Context(), ws, model, in))
	got := answer[warehouse.Pair[[]warehouse.ChannelTotal]](t)(w.ChannelBriefs(t.Context(), ws, model, in))
	same(t, string(model)+" in brief", shortened(want.Recent), shortened(got.Recent))
	same(t, string(model)+" before in brief", shortened(want.Earlier), shortened(got.Earlier))
}

// shortened returns the rows with only the figures of [warehouse.Warehouse.ChannelBriefs].
func shortened(rows []warehouse.ChannelTotal) []warehouse.ChannelTotal {
	short := make([]warehouse.ChannelTotal, 0, len(rows))
	for _, r := range rows {
		short = append(short, warehouse.ChannelTotal{
			Channel: r.Channel, Spend: r.Spend, SpendKnown: r.SpendKnown,
			Sums: measure.Sums{Orders: r.Sums.Orders, Charged: r.Sums.Charged, Refunds: r.Sums.Refunds, Undated: r.Sums.Undated},
		})
	}
	return short
}

// checkAdjacent compares two adjacent windows with the same windows requested individually.
func checkAdjacent(t *testing.T, w *warehouse.Warehouse, ws measure.WorkspaceID, model measure.Model) {
	t.Helper()
	recent := period("2026-02-01", "2026-03-15")
	both := answer[warehouse.Pair[[]warehouse.ChannelTotal]](t)(w.ChannelTotals(t.Context(), ws, model,
		warehouse.Windows{Recent: recent, Earlier: recent.Previous()}))
	for name, c := range map[string]struct {
		days civil.Range
		got  []warehouse.ChannelTotal
	}{"recent": {recent, both.Recent}, "earlier": {recent.Previous(), both.Earlier}} {
		alone := answer[warehouse.Pair[[]warehouse.ChannelTotal]](t)(w.ChannelTotals(t.Context(), ws, model, warehouse.Windows{Recent: c.days}))
		same(t, string(model)+" "+name+" of two windows that meet", alone.Recent, c.got)
	}
}

func notZero[K comparable](days map[K]measure.Sums) map[K]measure.Sums {
	for key, sums := range days {
		if sums == (measure.Sums{}) {
			delete(days, key)
		}
	}
	return days
}
