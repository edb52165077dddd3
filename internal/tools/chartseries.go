package tools

import (
	"cmp"
	"context"
	"math"
	"slices"

	"assay/internal/answer"
	drawing "assay/internal/chart"
	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
)

// otherChannels is the name of the series that combines the remaining channels.
const otherChannels measure.Channel = "other"

// chartSeries returns the series of the chart and the total of all requested channels.
func chartSeries(ctx context.Context, c *toolkit.Call, p chartParams, a *ChartAnswer, days civil.Range) (shown []snapshot.NamedSeries, whole snapshot.Series, err error) {
	both := days.Previous().Span(days)
	if a.Breakdown == noBreakdown {
		if searched(p, a) { // the history is read first and includes the window
			if _, err := c.History(ctx, a.Channel, days); err != nil {
				return nil, snapshot.Series{}, err
			}
		}
		s, err := c.SeriesOf(ctx, a.Channel, both)
		if err != nil || s.Days.Intersect(days).Days() == 0 {
			return nil, s, err
		}
		return []snapshot.NamedSeries{{Name: a.Channel, Series: s}}, s, nil
	}
	wanted, err := chartChannels(c, p, a.Channel)
	if err != nil {
		return nil, snapshot.Series{}, err
	}
	found, err := c.ChannelSeries(ctx, both)
	if err != nil {
		return nil, snapshot.Series{}, err
	}
	alone, rest := apart(c, p, days, wanted, found)
	whole = snapshot.SumOf(append(slices.Clone(alone), rest...))
	if len(wanted) == 0 {
		whole = snapshot.SumOf(snapshot.NamedSorted(found))
	}
	return withOther(c, p.Metric, days, alone, rest), whole, nil
}

// chartChannels returns the requested channels without duplicates. None means all.
func chartChannels(c *toolkit.Call, p chartParams, only measure.Channel) ([]measure.Channel, error) {
	if only != "" {
		return []measure.Channel{only}, nil
	}
	var out []measure.Channel
	for _, name := range p.Channels {
		channel, err := c.Channel(name)
		if err != nil {
			return nil, err
		}
		if channel != "" && !slices.Contains(out, channel) {
			out = append(out, channel)
		}
	}
	return out, nil
}

// seriesLimit is the maximum number of channels with their own series: the caller's limit, capped by the number of
// colors that remain distinguishable next to the combined series.
func (p chartParams) seriesLimit() int { return min(p.SeriesLimit, drawing.MaxSeries-1) }

// apart sorts the channels, largest first, and separates those with their own series from the rest. Channels that were
// not requested are part of the rest in a pie, which shows a whole, and are omitted from other charts.
func apart(c *toolkit.Call, p chartParams, days civil.Range, wanted []measure.Channel, found map[measure.Channel]snapshot.Series) (alone, rest []snapshot.NamedSeries) {
	for _, d := range snapshot.NamedSorted(found) {
		size := snapshot.Weight(c.Snapshot, p.Metric, d.Total(days))
		asked := slices.Contains(wanted, d.Name)
		switch {
		case math.IsNaN(size) || size == 0 && !asked:
		case asked, len(wanted) == 0 && d.Name != measure.Unattributed:
			alone = append(alone, d)
		case len(wanted) == 0, p.ChartType == drawing.Pie:
			rest = append(rest, d)
		}
	}
	slices.SortStableFunc(alone, func(x, y snapshot.NamedSeries) int {
		return cmp.Compare(snapshot.Weight(c.Snapshot, p.Metric, y.Total(days)), snapshot.Weight(c.Snapshot, p.Metric, x.Total(days)))
	})
	if limit := p.seriesLimit(); len(alone) > limit {
		alone, rest = alone[:limit], append(slices.Clone(alone[limit:]), rest...)
	}
	return alone, rest
}

// withOther adds the rest as one series. If the rest is only unattributed orders, the series keeps that name.
func withOther(c *toolkit.Call, metric snapshot.Metric, days civil.Range, alone, rest []snapshot.NamedSeries) []snapshot.NamedSeries {
	if len(rest) == 0 {
		return alone
	}
	group := snapshot.NamedSeries{Name: otherChannels, Series: snapshot.SumOf(rest)}
	if len(rest) == 1 && rest[0].Name == measure.Unattributed {
		group.Name = measure.Unattributed
	}
	if size := snapshot.Weight(c.Snapshot, metric, group.Total(days)); size == 0 || math.IsNaN(size) {
		return alone
	}
	return append(alone, group)
}

// chartPoints returns the points of a series.
func chartPoints(c *toolkit.Call, p chartParams, s snapshot.Series, days civil.Range) []drawing.Point {
	var out []drawing.Point
	for _, bucket := range days.Intersect(s.Days).Buckets(p.Granularity) {
		value := snapshot.KnownValue(c.Snapshot, p.Metric, s.Point(bucket))
		whole := p.Granularity.Start(bucket.First) == bucket.First && p.Granularity.Next(bucket.First) == bucket.Last.AddDays(1)
		point := drawing.Point{Date: bucket.First, Value: value, Partial: !whole || bucket.Contains(c.Today)}
		if math.IsNaN(value) {
			point.Value, point.Missing = 0, true
		}
		out = append(out, point)
	}
	return out
}

// chartRows lists the points of all series, or the slices of a pie.
func chartRows(c *toolkit.Call, p chartParams, shown []snapshot.NamedSeries, days civil.Range) []ChartRow {
	round := c.Rounding(p.Metric)
	var rows []ChartRow
	if p.ChartType == drawing.Pie {
		whole := snapshot.Weight(c.Snapshot, p.Metric, snapshot.SumOf(shown).Total(days))
		for _, d := range shown {
			size := snapshot.Weight(c.Snapshot, p.Metric, d.Total(days))
			rows = append(rows, ChartRow{Channel: d.Name, Value: round(size), Share: answer.PercentOf(100*size/whole, whole > 0)})
		}
		return rows
	}
	for _, d := range shown {
		for _, point := range chartPoints(c, p, d.Series, days) {
			row := ChartRow{Date: point.Date, Channel: d.Name, Partial: point.Partial}
			if !point.Missing {
				row.Value = round(point.Value)
			}
			rows = append(rows, row)
		}
	}
	return rows
}

const (
	dotsPerPixel = 1.25 // sharp on dense screens and still a small file
	manySlots    = 12   // from which bars of channels are stacked
)

// chartOf returns the chart to draw.
func chartOf(c *toolkit.Call, p chartParams, a *ChartAnswer, shown []snapshot.NamedSeries, days civil.Range) drawing.Chart {
	picture := drawing.Chart{
		Kind: p.ChartType, Title: p.Title, Metric: metricName[p.Metric], Granularity: p.Granularity, Period: days,
	}
	switch p.Metric {
	case snapshot.Revenue, snapshot.Spend, snapshot.AOV:
		picture.Unit, picture.Currency = drawing.Money, c.Workspace.Currency
	case snapshot.ROAS:
		picture.Unit = drawing.Ratio
	case snapshot.Orders:
		picture.Unit = drawing.Count
	}
	switch {
	case p.Title != "":
	case a.Breakdown == byChannel:
		picture.Title = picture.Metric + " by channel"
	case a.Channel != "":
		picture.Title = picture.Metric + ": " + string(a.Channel)
	default:
		picture.Title = picture.Metric
	}
	for _, d := range shown {
		picture.Series = append(picture.Series, drawing.Series{Name: string(d.Name), Points: chartPoints(c, p, d.Series, days)})
	}
	for _, m := range a.Annotations {
		picture.Annotations = append(picture.Annotations, drawing.Annotation{Date: m.Date, Label: m.Label})
	}
	picture.Stacked = additive(p.Metric) && len(shown) > 1 && len(days.Buckets(p.Granularity)) > manySlots
	return picture
}
