package snapshot

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

// Creator is a creator with the figures of a window.
type Creator struct {
	warehouse.CreatorProfile
	Code, Named  measure.Sums // orders by code and orders by survey; an order with both signals is in both
	both         measure.Sums
	Seen         measure.Sums // orders by code or survey, each counted once
	codeTouched  int64
	namedTouched int64
	VanityClicks int64
	Referral     int64 // clicks
	LinkOrders   int64
	LinkRevenue  int64
	Cost         int64
	CostKnown    bool // the window has a fee, commission or gift
}

// Clicks returns the clicks on all links.
func (f Creator) Clicks() int64 { return f.VanityClicks + f.Referral }

// signals returns the input of the estimate.
func (f Creator) signals() creator.Signals {
	return creator.Signals{
		ID: f.ID, HasCode: f.HasCode, HasLink: f.HasLink,
		Code: f.Code.OrderCount(), CodeTouched: float64(f.codeTouched) / measure.Millionths,
		Named: f.Named.OrderCount(), NamedTouched: float64(f.namedTouched) / measure.Millionths,
		Both: f.both.OrderCount(), Link: float64(f.LinkOrders),
	}
}

// CreatorWindows contains the creators in a window and in the previous window, and the number of orders without a
// creator signal in the later window.
type CreatorWindows struct {
	Now, Before []Creator      // both contain all creators, sorted by name
	ground      creator.Ground // orders without a creator signal in the later window
}

// CreatorsIn returns all creators in two windows.
func (c *Snapshot) CreatorsIn(ctx context.Context, in warehouse.Windows) (CreatorWindows, error) {
	profiles, err := c.facts.Creators(ctx, c.Workspace.ID)
	if err != nil {
		return CreatorWindows{}, fmt.Errorf("creators: %w", err)
	}
	c.note("creators", len(profiles))
	totals, err := c.facts.CreatorTotals(ctx, c.Workspace.ID, in)
	if err != nil {
		return CreatorWindows{}, fmt.Errorf("creators %s: %w", in.Recent, err)
	}
	c.note("creator_orders", len(totals.Recent.Orders)+len(totals.Earlier.Orders))
	out := CreatorWindows{Now: creatorsOf(profiles, totals.Recent), Before: creatorsOf(profiles, totals.Earlier)}
	for _, o := range totals.Recent.Orders {
		if o.Creator == "" {
			out.ground = creator.Ground{Orders: o.Sums.OrderCount(), Touched: float64(o.Touched) / measure.Millionths}
		}
	}
	return out, nil
}

// creatorsOf groups the rows of a window by creator. A creator without a profile has the ID as its name.
func creatorsOf(profiles []warehouse.CreatorProfile, t warehouse.CreatorTotals) []Creator {
	out := make([]Creator, len(profiles))
	at := map[string]int{}
	for i, p := range profiles {
		out[i].CreatorProfile, at[p.ID] = p, i
	}
	of := func(id string) *Creator {
		if _, known := at[id]; !known {
			at[id] = len(out)
			out = append(out, Creator{CreatorProfile: warehouse.CreatorProfile{ID: id, Name: id, HasCode: true, HasLink: true}})
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
		f.LinkOrders += l.Orders
		f.LinkRevenue += l.Revenue
		if l.Kind == "referral" {
			f.Referral += l.Clicks
		} else {
			f.VanityClicks += l.Clicks
		}
	}
	for _, s := range t.Costs {
		f := of(s.Creator)
		f.Cost, f.CostKnown = s.Amount, true
	}
	return out
}

// take adds the totals of a group of orders with equal signals.
func (f *Creator) take(o warehouse.CreatorOrders) {
	f.Seen = f.Seen.Add(o.Sums)
	if o.ByCode {
		f.Code = f.Code.Add(o.Sums)
		f.codeTouched += o.Touched
	}
	if o.BySurvey {
		f.Named = f.Named.Add(o.Sums)
		f.namedTouched += o.Touched
	}
	if o.ByCode && o.BySurvey {
		f.both = f.both.Add(o.Sums)
	}
}

// CreatorLevel is the level of the creators' intervals.
const CreatorLevel = 0.9

// Among returns the creators in the first list that are also in the second list. The two lists may be for different
// windows.
func Among(all, chosen []Creator) []Creator {
	wanted := map[string]bool{}
	for _, f := range chosen {
		wanted[f.ID] = true
	}
	return slices.DeleteFunc(slices.Clone(all), func(f Creator) bool { return !wanted[f.ID] })
}

// TrackedOrders returns the number of orders with the creator's code, in millionths. For a creator without a code, it
// returns the number of orders that the link tool reports.
func (f Creator) TrackedOrders() int64 {
	if f.HasCode {
		return f.Code.Orders
	}
	return f.LinkOrders * measure.Millionths
}

// TrackedRevenue returns the revenue of the tracked orders. For a creator without a code, it returns the revenue that
// the link tool reports.
func (f Creator) TrackedRevenue(basis measure.RevenueBasis) int64 {
	if f.HasCode {
		return basis.Revenue(f.Code)
	}
	return f.LinkRevenue
}

// TrackedSums contains the total tracked figures of several creators.
type TrackedSums struct {
	Revenue, Orders, Clicks, Conversions, Cost int64
	CostedRevenue                              int64 // part of Revenue from creators with a known cost
	CostKnown                                  bool  // the cost of at least one creator is known
}

// TrackedSums returns the total tracked figures of creators.
func (c *Snapshot) TrackedSums(all []Creator) (sum TrackedSums) {
	for _, f := range all {
		sum.Revenue += f.TrackedRevenue(c.Workspace.Basis)
		sum.Orders += f.TrackedOrders()
		sum.Clicks += f.Clicks()
		sum.Conversions += f.LinkOrders
		if f.CostKnown {
			sum.Cost += f.Cost
			sum.CostedRevenue += f.TrackedRevenue(c.Workspace.Basis)
			sum.CostKnown = true
		}
	}
	return sum
}

// CreatorEstimate is a creator with estimated orders and revenue.
type CreatorEstimate struct {
	Creator
	creator.Estimate
	Revenue int64 // estimated, minor units
	Value   float64
}

// CreatorRates estimates the rates from all of the store's days, so the rates do not depend on the window.
func (c *Snapshot) CreatorRates(ctx context.Context) (creator.Rates, error) {
	history, err := c.CreatorsIn(ctx, warehouse.Windows{Recent: wholeDays(c)})
	if err != nil {
		return creator.Rates{}, err
	}
	signals := make([]creator.Signals, len(history.Now))
	for i, f := range history.Now {
		signals[i] = f.signals()
	}
	return creator.Learn(signals, history.ground)
}

// CreatorEstimates returns the estimates of the chosen creators. The value of an order is the mean of the creator's
// observed orders, or of all creators' orders if the creator has none.
func (c *Snapshot) CreatorEstimates(rates creator.Rates, chosen, all []Creator) ([]CreatorEstimate, error) {
	usual := meanValue(c, all)
	out := make([]CreatorEstimate, 0, len(chosen))
	for _, f := range chosen {
		e, err := rates.Of(f.signals(), CreatorLevel)
		if err != nil {
			return nil, err
		}
		value := meanValue(c, []Creator{f})
		if value == 0 {
			value = usual
		}
		out = append(out, CreatorEstimate{f, e, int64(math.Round(e.Orders.Value * value)), value})
	}
	return out, nil
}

// meanValue returns the mean revenue of orders observed through codes, surveys or links, in minor units, or 0 without
// orders.
func meanValue(c *Snapshot, all []Creator) float64 {
	var revenue, count int64
	for _, f := range all {
		revenue += c.Workspace.Basis.Revenue(f.Seen) + f.LinkRevenue
		count += f.Seen.Orders + f.LinkOrders*measure.Millionths
	}
	value, _ := measure.AOV(revenue, count)
	return value
}

// wholeDays returns the store's days up to today, or only today if the store has no days.
func wholeDays(c *Snapshot) civil.Range {
	if have := c.Store.Days(); have.Days() > 0 {
		return civil.Range{First: civil.Earliest(have.First, c.Today), Last: c.Today}
	}
	return civil.Range{First: c.Today, Last: c.Today}
}
