// Package plotting selects what a chart of the store shows: its series, points and marks, from a snapshot.
package plotting

import (
	"cmp"
	"context"
	"math"
	"slices"

	"assay/internal/chart"
	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/snapshot"
)

// Breakdown selects the series of a chart.
type Breakdown string

// The breakdowns.
const (
	Total     Breakdown = "total"
	ByChannel Breakdown = "channel"
)

// Plot is a requested chart.
type Plot struct {
	Metric      snapshot.Metric
	Kind        chart.Kind
	Breakdown   Breakdown
	Channel     measure.Channel   // only this channel; "": all
	Channels    []measure.Channel // channels to compare; none: all
	Limit       int               // maximum number of channels with their own series
	Granularity civil.Granularity
	Days        civil.Range
	Title       string // "": derived from the metric
}

// Additive reports whether values of the metric can be summed.
func Additive(m snapshot.Metric) bool { return m != snapshot.ROAS && m != snapshot.AOV }

// Names are the metrics' names on a chart and at the start of a sentence.
var Names = map[snapshot.Metric]string{
	snapshot.Revenue: "Revenue", snapshot.Orders: "Orders", snapshot.Spend: "Spend", snapshot.ROAS: "ROAS", snapshot.AOV: "Average order value",
}

// searched reports whether the chart marks anomalies.
func (p Plot) searched() bool {
	return p.Kind != chart.Pie && p.Breakdown == Total && p.Metric != snapshot.AOV && p.Granularity != civil.ByMonth
}

// SeriesLimit returns the maximum number of channels with their own series. It is the requested limit, capped by the
// number of distinguishable colors. One color is for the combined series.
func (p Plot) SeriesLimit() int { return min(p.Limit, chart.MaxSeries-1) }

// OtherChannels is the name of the series that combines the remaining channels.
const OtherChannels measure.Channel = "other"

// Series returns the series of the chart and the total of all requested channels.
func (p Plot) Series(ctx context.Context, s *snapshot.Snapshot) (shown []snapshot.NamedSeries, whole snapshot.Series, err error) {
	both := p.Days.Previous().Span(p.Days)
	if p.Breakdown == Total {
		if p.searched() { // read the history first; it includes the window
			if _, err := s.History(ctx, p.Channel, p.Days); err != nil {
				return nil, snapshot.Series{}, err
			}
		}
		only, err := s.SeriesOf(ctx, p.Channel, both)
		if err != nil || only.Days.Intersect(p.Days).Days() == 0 {
			return nil, only, err
		}
		return []snapshot.NamedSeries{{Name: p.Channel, Series: only}}, only, nil
	}
	wanted := p.Channels
	if p.Channel != "" {
		wanted = []measure.Channel{p.Channel}
	}
	found, err := s.ChannelSeries(ctx, both)
	if err != nil {
		return nil, snapshot.Series{}, err
	}
	alone, rest := p.apart(s, wanted, found)
	whole = snapshot.SumOf(append(slices.Clone(alone), rest...))
	if len(wanted) == 0 {
		whole = snapshot.SumOf(snapshot.NamedSorted(found))
	}
	return p.withOther(s, alone, rest), whole, nil
}

// apart sorts the channels, largest first, and separates the channels with their own series from the other channels. A
// pie chart shows the total, so its other channels include those that were not requested. Other types of charts omit
// channels that were not requested.
func (p Plot) apart(
	s *snapshot.Snapshot, wanted []measure.Channel, found map[measure.Channel]snapshot.Series,
) (alone, rest []snapshot.NamedSeries) {
	for _, d := range snapshot.NamedSorted(found) {
		size := snapshot.Weight(s, p.Metric, d.Total(p.Days))
		asked := slices.Contains(wanted, d.Name)
		switch {
		case math.IsNaN(size) || size == 0 && !asked:
		case asked, len(wanted) == 0 && d.Name != measure.Unattributed:
			alone = append(alone, d)
		case len(wanted) == 0, p.Kind == chart.Pie:
			rest = append(rest, d)
		}
	}
	slices.SortStableFunc(alone, func(x, y snapshot.NamedSeries) int {
		return cmp.Compare(snapshot.Weight(s, p.Metric, y.Total(p.Days)), snapshot.Weight(s, p.Metric, x.Total(p.Days)))
	})
	if limit := p.SeriesLimit(); len(alone) > limit {
		alone, rest = alone[:limit], append(slices.Clone(alone[limit:]), rest...)
	}
	return alone, rest
}

// withOther adds the channels in the parameter rest as one series. If these are only unattributed orders, the name of
// the series is unattributed.
func (p Plot) withOther(s *snapshot.Snapshot, alone, rest []snapshot.NamedSeries) []snapshot.NamedSeries {
	if len(rest) == 0 {
		return alone
	}
	group := snapshot.NamedSeries{Name: OtherChannels, Series: snapshot.SumOf(rest)}
	if len(rest) == 1 && rest[0].Name == measure.Unattributed {
		group.Name = measure.Unattributed
	}
	if size := snapshot.Weight(s, p.Metric, group.Total(p.Days)); size == 0 || math.IsNaN(size) {
		return alone
	}
	return append(alone, group)
}

// Points returns the points of a series.
func (p Plot) Points(s *snapshot.Snapshot, of snapshot.Series) []chart.Point {
	var out []chart.Point
	for _, bucket := range p.Days.Intersect(of.Days).Buckets(p.Granularity) {
		value := snapshot.KnownValue(s, p.Metric, of.Point(bucket))
		whole := p.Granularity.Start(bucket.First) == bucket.First && p.Granularity.Next(bucket.First) == bucket.Last.AddDays(1)
		point := chart.Point{Date: bucket.First, Value: value, Partial: !whole || bucket.Contains(s.Today)}
		if math.IsNaN(value) {
			point.Value, point.Missing = 0, true
		}
		out = append(out, point)
	}
	return out
}

const manySlots = 12 // number of slots from which bars of channels are stacked

// Chart returns the chart to draw.
func (p Plot) Chart(s *snapshot.Snapshot, shown []snapshot.NamedSeries, marks []Mark) chart.Chart {
	picture := chart.Chart{
		Kind: p.Kind, Title: p.Title, Metric: Names[p.Metric], Granularity: p.Granularity, Period: p.Days,
	}
	switch p.Metric {
	case snapshot.Revenue, snapshot.Spend, snapshot.AOV:
		picture.Unit, picture.Currency = chart.Money, s.Workspace.Currency
	case snapshot.ROAS:
		picture.Unit = chart.Ratio
	case snapshot.Orders:
		picture.Unit = chart.Count
	}
	switch {
	case p.Title != "":
	case p.Breakdown == ByChannel:
		picture.Title = picture.Metric + " by channel"
	case p.Channel != "":
		picture.Title = picture.Metric + ": " + string(p.Channel)
	default:
		picture.Title = picture.Metric
	}
	for _, d := range shown {
		picture.Series = append(picture.Series, chart.Series{Name: string(d.Name), Points: p.Points(s, d.Series)})
	}
	for _, m := range marks {
		picture.Annotations = append(picture.Annotations, chart.Annotation{Date: m.Date, Label: m.Label})
	}
	picture.Stacked = Additive(p.Metric) && len(shown) > 1 && len(p.Days.Buckets(p.Granularity)) > manySlots
	return picture
}
