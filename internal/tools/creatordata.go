package tools

import (
	"context"
	"fmt"
	"math"
	"slices"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/measure/creator"
	"assay/internal/warehouse"
)

// creatorFacts is a creator and all that is known of a window.
type creatorFacts struct {
	warehouse.CreatorProfile
	code, named  measure.Sums // orders by code, and by survey; those with both are in both
	both         measure.Sums
	seen         measure.Sums // orders by code or survey, each once
	codeTouched  int64
	namedTouched int64
	vanityClicks int64
	referral     int64 // clicks
	linkOrders   int64
	linkRevenue  int64
	cost         int64
	costKnown    bool // a fee, commission or gift is booked in the window
}

// clicks are those of all links.
func (f creatorFacts) clicks() int64 { return f.vanityClicks + f.referral }

// signals are what the estimate is made of.
func (f creatorFacts) signals() creator.Signals {
	return creator.Signals{
		ID: f.ID, HasCode: f.HasCode, HasLink: f.HasLink,
		Code: f.code.OrderCount(), CodeTouched: float64(f.codeTouched) / measure.Millionths,
		Named: f.named.OrderCount(), NamedTouched: float64(f.namedTouched) / measure.Millionths,
		Both: f.both.OrderCount(), Link: float64(f.linkOrders),
	}
}

// creatorWindows are the creators in a window, in the one before, and the ground of the first.
type creatorWindows struct {
	now, before []creatorFacts // both with all creators, sorted by name
	ground      creator.Ground // of now
}

// creatorFacts reads all creators in two windows.
func (c *Snapshot) creatorFacts(ctx context.Context, in warehouse.Windows) (creatorWindows, error) {
	profiles, err := c.facts.Creators(ctx, c.Workspace.ID)
	if err != nil {
		return creatorWindows{}, fmt.Errorf("creators: %w", err)
	}
	c.read("creators", len(profiles))
	totals, err := c.facts.CreatorTotals(ctx, c.Workspace.ID, in)
	if err != nil {
		return creatorWindows{}, fmt.Errorf("creators %s: %w", in.Recent, err)
	}
	c.read("creator_orders", len(totals.Recent.Orders)+len(totals.Earlier.Orders))
	out := creatorWindows{now: creatorsOf(profiles, totals.Recent), before: creatorsOf(profiles, totals.Earlier)}
	for _, o := range totals.Recent.Orders {
		if o.Creator == "" {
			out.ground = creator.Ground{Orders: o.Sums.OrderCount(), Touched: float64(o.Touched) / measure.Millionths}
		}
	}
	return out, nil
}

// creatorsOf puts the rows of a window together by creator. Rows of creators without a profile get one of their id.
func creatorsOf(profiles []warehouse.CreatorProfile, t warehouse.CreatorTotals) []creatorFacts {
	out := make([]creatorFacts, len(profiles))
	at := map[string]int{}
	for i, p := range profiles {
		out[i].CreatorProfile, at[p.ID] = p, i
	}
	of := func(id string) *creatorFacts {
		if _, known := at[id]; !known {
			at[id] = len(out)
			out = append(out, creatorFacts{CreatorProfile: warehouse.CreatorProfile{ID: id, Name: id, HasCode: true, HasLink: true}})
		}
		return &out[at[id]]
	}
	for _, o := range t.Orders {
		if o.Creator != "" {
			of(o.Creator).take(o)
		}
	}
	for _, l := range t.Links {
		f := of(l.Creator)
		f.linkOrders += l.Orders
		f.linkRevenue += l.Revenue
		if l.Kind == "referral" {
			f.referral += l.Clicks
		} else {
			f.vanityClicks += l.Clicks
		}
	}
	for _, s := range t.Costs {
		f := of(s.Creator)
		f.cost, f.costKnown = s.Amount, true
	}
	return out
}

// take adds orders with the same signals.
func (f *creatorFacts) take(o warehouse.CreatorOrders) {
	f.seen = f.seen.Add(o.Sums)
	if o.ByCode {
		f.code = f.code.Add(o.Sums)
		f.codeTouched += o.Touched
	}
	if o.BySurvey {
		f.named = f.named.Add(o.Sums)
		f.namedTouched += o.Touched
	}
	if o.ByCode && o.BySurvey {
		f.both = f.both.Add(o.Sums)
	}
}

// creatorLevel is the level of the intervals.
const creatorLevel = 0.9

// among returns the same creators in another window.
func among(all, chosen []creatorFacts) []creatorFacts {
	wanted := map[string]bool{}
	for _, f := range chosen {
		wanted[f.ID] = true
	}
	return slices.DeleteFunc(slices.Clone(all), func(f creatorFacts) bool { return !wanted[f.ID] })
}

// trackedOrders are the orders with the creator's code, in millionths; for a creator without one those that links count.
func (f creatorFacts) trackedOrders() int64 {
	if f.HasCode {
		return f.code.Orders
	}
	return f.linkOrders * measure.Millionths
}

// trackedRevenue is the revenue of the tracked orders. What a link's tool counts has no other basis than its own.
func (f creatorFacts) trackedRevenue(basis measure.RevenueBasis) int64 {
	if f.HasCode {
		return basis.Revenue(f.code)
	}
	return f.linkRevenue
}

// influencerSums are the tracked figures of several influencers together.
type influencerSums struct {
	revenue, orders, clicks, conversions, cost int64
	costKnown                                  bool
}

func (c *Snapshot) influencerSums(all []creatorFacts) (sum influencerSums) {
	for _, f := range all {
		sum.revenue += f.trackedRevenue(c.Workspace.Basis)
		sum.orders += f.trackedOrders()
		sum.clicks += f.clicks()
		sum.conversions += f.linkOrders
		sum.cost += f.cost
		sum.costKnown = sum.costKnown || f.costKnown
	}
	return sum
}

// creatorEstimate is a creator with the estimate.
type creatorEstimate struct {
	creatorFacts
	creator.Estimate
	revenue int64 // estimated, minor units
	value   float64
}

// creatorRates learns the rates from all of the store's days, so that a window's estimates do not hang on the window.
func (c *Snapshot) creatorRates(ctx context.Context) (creator.Rates, error) {
	history, err := c.creatorFacts(ctx, warehouse.Windows{Recent: c.wholeDays()})
	if err != nil {
		return creator.Rates{}, err
	}
	signals := make([]creator.Signals, len(history.now))
	for i, f := range history.now {
		signals[i] = f.signals()
	}
	return creator.Learn(signals, history.ground)
}

// estimates returns the estimates of some creators. An order is worth the mean of the creator's orders that are seen, or
// of all creators' where none is.
func (c *Snapshot) estimates(rates creator.Rates, chosen, all []creatorFacts) ([]creatorEstimate, error) {
	usual := c.meanValue(all)
	out := make([]creatorEstimate, 0, len(chosen))
	for _, f := range chosen {
		e, err := rates.Of(f.signals(), creatorLevel)
		if err != nil {
			return nil, err
		}
		value := c.meanValue([]creatorFacts{f})
		if value == 0 {
			value = usual
		}
		out = append(out, creatorEstimate{f, e, int64(math.Round(e.Orders * value)), value})
	}
	return out, nil
}

// meanValue is the revenue of an order that codes, surveys or links see, in minor units, 0 without any.
func (c *Snapshot) meanValue(all []creatorFacts) float64 {
	var revenue, count int64
	for _, f := range all {
		revenue += c.Workspace.Basis.Revenue(f.seen) + f.linkRevenue
		count += f.seen.Orders + f.linkOrders*measure.Millionths
	}
	value, _ := measure.AOV(revenue, count)
	return value
}

// of returns the figure by which creators are sorted.
// wholeDays are the store's days up to today, today alone where it has none.
func (c *Snapshot) wholeDays() civil.Range {
	if have := c.Store.days(); have.Days() > 0 {
		return civil.Range{First: civil.Earliest(have.First, c.Today), Last: c.Today}
	}
	return civil.Range{First: c.Today, Last: c.Today}
}
