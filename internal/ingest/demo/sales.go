package demo

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"time"
)

// sales draws orders from the expected numbers of orders and computes the totals for [Truth].
type sales struct {
	p         *plan
	out       *feed
	shoppers  *shoppers
	goods     picker
	campaigns *paths
	clock     picker // hours of a day
	morning   picker // hours before noon
	visitors  *rand.Rand
	baskets   *rand.Rand
	refunds   *rand.Rand
	answers   *rand.Rand

	placed         int
	today          volume // counted orders of the store's last day
	counted        int    // orders that are neither canceled nor tests
	untracked      int    // counted orders without a touchpoint
	orders         [surfaceCount]int
	charged        [surfaceCount]int64
	creatorOrders  []int
	creatorRevenue []int64
	links          [][]linkUse // by creator and day
	before         [][]float64 // by state and day: counted orders before the A/A test
}

// visit is an order before its basket is drawn.
type visit struct {
	cause
	day       int
	at        time.Time
	state     int
	who       int // index of the shopper; -1 for a guest
	isNew     bool
	creator   int // index of the creator; -1: none
	cancelled bool
	test      bool
}

// Shares of orders that all figures exclude.
const (
	cancelledShare = 0.006
	testShare      = 0.001
)

// sell places all orders, sorted by time.
func (p *plan) sell(out *feed) *sales {
	s := &sales{
		p: p, out: out, shoppers: p.newShoppers(), goods: p.goodsPicker(), campaigns: p.newPaths(),
		clock: newPicker(hours), morning: newPicker(hours[:noonHour]),
		visitors: p.stream("visitors"), baskets: p.stream("baskets"), refunds: p.stream("refunds"), answers: p.stream("surveys"),
		creatorOrders: make([]int, len(p.creators)), creatorRevenue: make([]int64, len(p.creators)),
		links: make([][]linkUse, len(p.creators)), before: make([][]float64, len(states)),
	}
	for i := range s.before {
		s.before[i] = make([]float64, max(0, p.scheduled(nullSpec).first))
	}
	for i := range s.links {
		s.links[i] = make([]linkUse, p.opt.Days)
	}
	for t, n := range p.arrivals(p.stream("arrivals")) {
		_, onSale := saleOn(p.day(t))
		s.shoppers.open(t, onSale)
		for _, v := range s.visits(t, n) {
			s.place(v)
			if out.err != nil {
				return s
			}
		}
	}
	return s
}

// visits draws the time, place and cause of each order of a day, sorted by time.
func (s *sales) visits(t, n int) []visit {
	causes, pick := s.p.causes(t)
	creators := s.p.creatorPicker(t)
	where := map[*medium]picker{nil: newPicker(s.p.places.own)}
	for _, m := range s.p.media {
		where[m] = m.statePicker(s.p, t)
	}
	visits := make([]visit, n)
	for i := range visits {
		c := causes[pick.pick(s.visitors)]
		v := visit{cause: c, day: t, at: s.timeOn(t), state: where[c.medium].pick(s.visitors), creator: -1}
		if c.medium != nil && c.medium.channel == influencer {
			v.creator = creators.pick(s.visitors)
		}
		fate := s.visitors.Float64()
		v.cancelled, v.test = fate < cancelledShare, fate >= 1-testShare
		visits[i] = v
	}
	slices.SortStableFunc(visits, func(a, b visit) int { return cmp.Compare(a.at.UnixNano(), b.at.UnixNano()) })
	return visits
}

// timeOn draws an instant of a day. If the store's data end at noon of the day, the instant is before noon.
func (s *sales) timeOn(t int) time.Time {
	clock := s.clock
	if s.p.dayShare(t) < 1 {
		clock = s.morning
	}
	d := s.p.day(t)
	hour, second := clock.pick(s.visitors), s.visitors.IntN(3600)
	return time.Date(d.Year(), d.Month(), d.Day(), hour, 0, second, 0, s.p.opt.Zone).UTC()
}

// place writes an order with its parts.
func (s *sales) place(v visit) {
	v.who, v.isNew = s.shoppers.serve(v.cause)
	o := s.fill(v)
	tracked := s.campaigns.walk(s.out, v, o.OrderRef)
	s.giveBack(v, &o)
	s.out.batch.Orders = append(s.out.batch.Orders, o)
	s.out.added(1)
	s.orders[v.surface]++
	if v.cancelled || v.test {
		return
	}
	if v.who >= 0 {
		s.shoppers.after(v.who, v.surface, v.day)
	}
	s.counted++
	s.charged[v.surface] += o.Charged
	if days := s.before[v.state]; v.day < len(days) {
		days[v.day]++
	}
	if v.day == s.p.opt.Days-1 {
		s.today.orders++
		s.today.charged += o.Charged
	}
	if !tracked {
		s.untracked++
	}
	s.credit(v, o.Charged)
	s.ask(v, o)
}

// linkShare is the share of a creator's online orders that come through one of the creator's links.
const linkShare = 0.40

// credit adds an order to the totals of its creator, and for some online orders to the totals of the creator's link.
func (s *sales) credit(v visit, charged int64) {
	if v.creator < 0 {
		return
	}
	s.creatorOrders[v.creator]++
	s.creatorRevenue[v.creator] += charged
	if v.surface == online && chance(s.visitors, linkShare) {
		k := 0
		if chance(s.visitors, 0.3) {
			k = 1
		}
		use := &s.links[v.creator][v.day]
		use.orders[k]++
		use.revenue[k] += charged
	}
}

// orderValues returns the mean order value by surface, in whole units of the currency. Canceled and test orders have
// the value zero.
func (s *sales) orderValues() [surfaceCount]float64 {
	var values [surfaceCount]float64
	for surface, n := range s.orders {
		if n > 0 {
			values[surface] = float64(s.charged[surface]) / s.p.unit / float64(n)
		}
	}
	return values
}
