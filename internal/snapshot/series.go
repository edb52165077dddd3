package snapshot

import (
	"context"
	"fmt"
	"math"
	"slices"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/warehouse"
)

// Series contains consecutive days of the store or of a channel. Days without data are zero within the store's range.
// The series excludes days outside the range.
type Series struct {
	Days           civil.Range // days of totals; empty if the store has no data on these days
	totals         []warehouse.DayTotal
	RevenueUnknown bool // for a channel's series: no order is attributed to any channel
}

// Total contains the figures and the spend of the store or of one channel in a window.
type Total struct {
	measure.Sums
	Spend          int64
	SpendKnown     bool // a report or an entry covers a day of the window
	RevenueUnknown bool // for a channel's total: no order is attributed to any channel
}

// Point is a day, a week or a month of a series.
type Point struct {
	Total
	days  civil.Range
	whole bool // the store's range contains all days of the point
}

// SeriesOf returns the days of a channel, or of the store for an empty channel. The end may be in the future.
func (c *Snapshot) SeriesOf(ctx context.Context, channel measure.Channel, days civil.Range) (Series, error) {
	days = days.Intersect(c.Store.Days())
	if days.Days() == 0 {
		return Series{}, nil
	}
	found, err := c.dayTotals(ctx, channel, days)
	if err != nil {
		return Series{}, err
	}
	reported := c.Store.AdDays
	if channel != "" {
		reported = spendDays(found)
	}
	s := newSeries(days, found, reported)
	s.RevenueUnknown = c.RevenueUnknown(channel)
	return s, nil
}

// spendSeries returns only the spend of a channel by day. A call reads the spend of all channels once, which is cheaper
// than reading the attributed orders of one channel.
func (c *Snapshot) spendSeries(ctx context.Context, channel measure.Channel, days civil.Range) (Series, error) {
	days = days.Intersect(c.Store.Days())
	if days.Days() == 0 {
		return Series{}, nil
	}
	// The query includes reports after the period, because a later report shows that a day without rows had no spend.
	all, err := c.spendByDay(ctx, civil.Range{First: days.First, Last: c.Store.Days().Last})
	if err != nil {
		return Series{}, err
	}
	var found []warehouse.DayTotal
	for _, d := range all {
		if d.Channel == channel {
			found = append(found, warehouse.DayTotal{Day: d.Day, Spend: d.Spend, SpendKnown: true})
		}
	}
	s := newSeries(days, found, spendDays(found))
	s.RevenueUnknown = c.RevenueUnknown(channel)
	return s, nil
}

// spendByDay returns the spend of all channels by day. The result is read-only.
func (c *Snapshot) spendByDay(ctx context.Context, days civil.Range) ([]warehouse.SpendDay, error) {
	if known, ok := c.spent[days]; ok {
		return known, nil
	}
	found, err := c.facts.SpendDays(ctx, c.Workspace.ID, days)
	if err != nil {
		return nil, fmt.Errorf("days of spend %s: %w", days, err)
	}
	c.note("spend_days", len(found))
	if c.spent == nil {
		c.spent = map[civil.Range][]warehouse.SpendDay{}
	}
	c.spent[days] = found
	return found, nil
}

// newSeries returns a series of the found days. Within the range reported, the spend is zero on days without a report.
func newSeries(days civil.Range, found []warehouse.DayTotal, reported civil.Range) Series {
	s := Series{Days: days, totals: make([]warehouse.DayTotal, days.Days())}
	for i := range s.totals {
		day := days.First.AddDays(i)
		s.totals[i] = warehouse.DayTotal{Day: day, SpendKnown: reported.Days() > 0 && reported.Contains(day)}
	}
	for _, d := range found {
		if days.Contains(d.Day) {
			known := &s.totals[d.Day.Sub(days.First)].SpendKnown
			d.SpendKnown = d.SpendKnown || *known
			s.totals[d.Day.Sub(days.First)] = d
		}
	}
	return s
}

// dayTotals returns the days of a channel, or of the store for an empty channel, possibly with days outside the store's
// range. A call reads each range of days once for all metrics. The result is read-only.
func (c *Snapshot) dayTotals(ctx context.Context, channel measure.Channel, days civil.Range) (
	[]warehouse.DayTotal, error,
) {
	if channel != "" {
		// The range ends on the store's last day, because later reports show whether earlier days without a report had
		// no spend.
		days.Last = c.Store.Days().Last
	}
	key := daysRead{channel, days}
	if known, ok := c.daysRead[key]; ok {
		return known, nil
	}
	for of, known := range c.daysRead {
		if channel == "" && of.channel == "" && of.days.Intersect(days) == days {
			return known, nil
		}
	}
	found, err := c.readDays(ctx, channel, days)
	if err != nil {
		return nil, err
	}
	if c.daysRead == nil {
		c.daysRead = map[daysRead][]warehouse.DayTotal{}
	}
	c.daysRead[key] = found
	return found, nil
}

func (c *Snapshot) readDays(ctx context.Context, channel measure.Channel, days civil.Range) (
	[]warehouse.DayTotal, error,
) {
	if channel == "" {
		found, err := c.facts.StoreDays(ctx, c.Workspace.ID, days)
		if err != nil {
			return nil, fmt.Errorf("days of the store %s: %w", days, err)
		}
		c.note("store_days", len(found))
		return found, nil
	}
	found, err := c.facts.ChannelDays(ctx, c.Workspace.ID, measure.LastTouch, days, channel)
	if err != nil {
		return nil, fmt.Errorf("days of channel %q %s: %w", channel, days, err)
	}
	c.note("channel_days", len(found))
	out := make([]warehouse.DayTotal, len(found))
	for i, d := range found {
		out[i] = d.DayTotal
	}
	return out, nil
}

// ChannelSeries returns the days of every channel by last touch with one query. Channels without data have no series.
func (c *Snapshot) ChannelSeries(ctx context.Context, days civil.Range) (map[measure.Channel]Series, error) {
	return ChannelSeriesBy(ctx, c, measure.LastTouch, days)
}

// ChannelSeriesBy returns the days of every channel by an attribution model that the warehouse stores.
func ChannelSeriesBy(ctx context.Context, c *Snapshot, model measure.Model, days civil.Range) (
	map[measure.Channel]Series, error,
) {
	days = days.Intersect(c.Store.Days())
	if days.Days() == 0 {
		return nil, nil
	}
	asked := civil.Range{First: days.First, Last: c.Store.Days().Last} // later reports show which days had no spend
	found, err := c.facts.ChannelDays(ctx, c.Workspace.ID, model, asked)
	if err != nil {
		return nil, fmt.Errorf("days of the channels %s: %w", days, err)
	}
	c.note("channel_days", len(found))
	totals := map[measure.Channel][]warehouse.DayTotal{}
	for _, d := range found {
		totals[d.Channel] = append(totals[d.Channel], d.DayTotal)
	}
	out := map[measure.Channel]Series{}
	for channel, its := range totals {
		s := newSeries(days, its, spendDays(its))
		s.RevenueUnknown = c.RevenueUnknown(channel)
		out[channel] = s
	}
	return out, nil
}

// Plus returns the sum of two series of the same days.
func (s Series) Plus(t Series) Series {
	if s.Days.Days() == 0 {
		return t
	}
	sum := Series{Days: s.Days, totals: slices.Clone(s.totals), RevenueUnknown: s.RevenueUnknown && t.RevenueUnknown}
	for i, d := range t.totals {
		sum.totals[i].Sums = sum.totals[i].Sums.Add(d.Sums)
		sum.totals[i].Spend += d.Spend
		sum.totals[i].SpendKnown = sum.totals[i].SpendKnown || d.SpendKnown
	}
	return sum
}

// Minus returns the series without a part. The part has the same days as the series, or no days.
func (s Series) Minus(part Series) Series {
	rest := Series{Days: s.Days, totals: slices.Clone(s.totals), RevenueUnknown: s.RevenueUnknown}
	for i, d := range part.totals {
		rest.totals[i].Sums = rest.totals[i].Sums.Add(d.Sums.Negated())
		rest.totals[i].Spend -= d.Spend
	}
	return rest
}

// spendDays returns the range from the first to the last day with known spend. Within this range, days without a report
// or manual entry have zero spend. Attributed orders may extend beyond the range.
func spendDays(found []warehouse.DayTotal) civil.Range {
	var days civil.Range
	for _, d := range found {
		if d.SpendKnown {
			days = days.Span(civil.Range{First: d.Day, Last: d.Day})
		}
	}
	return days
}

// points groups the days of the series by day, week or month.
func (s Series) points(g civil.Granularity) []Point {
	buckets := s.Days.Buckets(g)
	out := make([]Point, len(buckets))
	for i, b := range buckets {
		out[i] = s.Point(b)
		out[i].whole = g.Start(b.First) == b.First && g.Next(b.First) == b.Last.AddDays(1)
	}
	return out
}

// Point returns the total of the given days.
func (s Series) Point(days civil.Range) Point {
	p := Point{days: days}
	p.RevenueUnknown = s.RevenueUnknown
	inside := days.Intersect(s.Days)
	for i := range inside.Days() {
		d := s.totals[inside.First.AddDays(i).Sub(s.Days.First)]
		p.Sums = p.Add(d.Sums)
		p.Spend += d.Spend
		p.SpendKnown = p.SpendKnown || d.SpendKnown
	}
	return p
}

// Total returns the total of the series' days in a window.
func (s Series) Total(days civil.Range) Total { return s.Point(days).Total }

// Value returns the metric of a point in whole units, or NaN if it is undefined.
func (c *Snapshot) Value(metric Metric, p Point) float64 {
	currency, revenue := c.Workspace.Currency, c.Workspace.Basis.Revenue(p.Sums)
	switch metric {
	case Revenue:
		return money.Major(revenue, currency)
	case Orders:
		return float64(p.Orders) / measure.Millionths
	case Spend:
		if p.SpendKnown {
			return money.Major(p.Spend, currency)
		}
	case ROAS:
		if roas, ok := measure.ROAS(revenue, p.Spend); ok && p.SpendKnown && !p.RevenueUnknown {
			return roas
		}
	case AOV:
		if minor, ok := measure.AOV(revenue, p.Orders); ok {
			return minor * money.Major(1, currency)
		}
	}
	return math.NaN()
}
