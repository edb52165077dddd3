package tools

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"assay/internal/answer"
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
	profiles, err := c.Facts.Creators(ctx, c.Workspace.ID)
	if err != nil {
		return creatorWindows{}, fmt.Errorf("creators: %w", err)
	}
	c.read("creators", len(profiles))
	totals, err := c.Facts.CreatorTotals(ctx, c.Workspace.ID, in)
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

// openWindow returns the period between two days; an end that was not given is that of the store's days, today at most.
func (c *Snapshot) openWindow(start, end civil.Date) (civil.Range, error) {
	have := c.Store.days()
	if have.Days() == 0 {
		have = civil.Range{First: c.Today, Last: c.Today}
	}
	last := end.Or(c.Today)
	return answer.Window(c.Today, start.Or(civil.Earliest(have.First, last)), last, 0)
}

// againstWindow writes a change for a window whose start was asked for. One that holds all there is has none before it.
func againstWindow(start civil.Date, change *answer.Percent, days civil.Range) string {
	if start.IsZero() {
		return ""
	}
	return ", " + answer.Against(change, days)
}

// warnWindow warns of a window's days. Over all of the store's days, the last one does not matter.
func (c *Call) warnWindow(a *answer.Closing, start civil.Date, days civil.Range, undated int64, withAds bool) {
	if start.IsZero() {
		c.warnEnd(a, days)
		return
	}
	c.warnBefore(a, days)
	c.warnDays(a, days, undated, withAds)
}

// ofPlatform keeps the creators of a social platform, all when none is named.
func ofPlatform(all []creatorFacts, platform string) []creatorFacts {
	return slices.DeleteFunc(slices.Clone(all), func(f creatorFacts) bool {
		return platform != "" && !strings.EqualFold(f.Platform, platform)
	})
}

// platforms names the social platforms of creators.
func platforms(all []creatorFacts) []string {
	var out []string
	for _, f := range all {
		if f.Platform != "" && !slices.Contains(out, answer.Clean(f.Platform)) {
			out = append(out, answer.Clean(f.Platform))
		}
	}
	slices.Sort(out)
	return out
}

// largestFirst sorts by a figure, ties by id; what has none comes last.
func largestFirst[T any](rows []T, of func(T) (float64, bool), id func(T) string) {
	slices.SortStableFunc(rows, func(x, y T) int {
		a, hasA := of(x)
		b, hasB := of(y)
		switch {
		case hasA && !hasB:
			return -1
		case hasB && !hasA:
			return 1
		}
		return cmp.Or(cmp.Compare(b, a), cmp.Compare(id(x), id(y)))
	})
}
