package tools

import (
	"context"
	"fmt"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/forecast"
)

// seriesKey names a metric of a channel, or of the store.
type seriesKey struct {
	metric  trendMetric
	channel measure.Channel
}

// expectedSeries is a metric by day up to the last whole day with data, and what will follow.
type expectedSeries struct {
	series
	first, last civil.Date
	raw         []float64            // of the days from first to last, NaN where one is not known
	values      []float64            // the same with days that are not known filled in
	prediction  *forecast.Prediction // nil where none can be made, or none is asked for
}

// forecastDays is how much history a forecast is made from.
const forecastDays = 730

// week is the season of daily figures.
const week = 7

// predict forecasts the series of a metric up to a day.
func (s *expectedSeries) predict(key seriesKey, last civil.Date) error {
	ahead := last.Sub(s.last)
	if key.metric == trendROAS || ahead < 1 || len(s.values) == 0 {
		return nil
	}
	p, err := forecast.Predict(s.values, forecast.Ask{Horizon: ahead, Season: week, Levels: keptLevels()})
	switch {
	case err == nil:
		s.prediction = &p
	case fault.KindOf(err) != fault.KindNotReady:
		return fmt.Errorf("forecast of %s of %q: %w", key.metric, key.channel, err)
	}
	return nil
}

// daily reads a metric by day, from the first to the last day on which it is known.
func (c *Snapshot) daily(ctx context.Context, key seriesKey, days civil.Range) (*expectedSeries, error) {
	of := c.series
	if key.metric == trendSpend && key.channel != "" {
		of = c.spendSeries
	}
	read, err := of(ctx, key.channel, days)
	if err != nil {
		return nil, err
	}
	s := &expectedSeries{series: read, last: days.Last}
	known := c.Store.OrderDays.Intersect(read.days)
	switch key.metric {
	case trendSpend:
		known = spendDays(read.totals)
	case trendROAS:
		known = known.Intersect(spendDays(read.totals))
	case trendRevenue, trendOrders, trendAOV:
	}
	if known.Days() == 0 || read.untold && key.metric != trendSpend {
		return s, nil
	}
	s.first, s.last = known.First, known.Last
	for i := range known.Days() {
		day := known.First.AddDays(i)
		s.raw = append(s.raw, c.value(key.metric, read.point(civil.Range{First: day, Last: day})))
	}
	s.values = forecast.Filled(s.raw, week)
	return s, nil
}

// lastDays are so many whole days before today.
func (c *Snapshot) lastDays(n int) civil.Range {
	return civil.Range{First: c.Today.AddDays(-n), Last: c.Today.AddDays(-1)}
}
