package snapshot

import (
	"context"
	"fmt"
	"math"
	"time"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/measure/forecast"
)

// Metric is a metric of a series.
type Metric string

// The metrics.
const (
	Revenue Metric = "revenue"
	Orders  Metric = "orders"
	Spend   Metric = "spend"
	ROAS    Metric = "roas"
	AOV     Metric = "aov" // for charts; not checked for anomalies
)

// historyYears is the number of years of history for expected values.
const historyYears = 2

// HistoryStart returns the first day of the history for expected values. All windows that start in one year have the
// same history, so the expected value of a day does not depend on the window.
func HistoryStart(days civil.Range) civil.Date {
	return civil.New(days.First.Year()-historyYears, time.January, 1)
}

// History returns the series for the detection of a window's anomalies.
func (c *Snapshot) History(ctx context.Context, channel measure.Channel, days civil.Range) (Series, error) {
	return c.SeriesOf(ctx, channel, c.HistoryDays(days))
}

// HistoryDays returns the days of the history for a window's expected values. The days are the same for all windows
// that start in the current or the previous year. A day therefore has the same result in all these windows. The days
// end today or later, because expected values also use the days after the window.
func (c *Snapshot) HistoryDays(window civil.Range) civil.Range {
	whole := civil.Range{First: HistoryStart(window), Last: c.Today}
	if recent := HistoryStart(civil.Range{First: c.Today.AddDays(-365)}); recent.Before(whole.First) {
		whole.First = recent
	}
	if window.Last.After(whole.Last) {
		whole.Last = window.Last
	}
	return whole
}

// JudgedPoint is a point of a series with its anomaly score relative to all points of the history.
type JudgedPoint struct {
	forecast.Judged
	Date    civil.Date // the point's first day inside the window
	Value   float64    // NaN if unknown
	Partial bool       // the window contains only a part of the point's days, or some days are not over
}

// JudgedPoints returns the points of a window with anomaly scores relative to all points of the series.
func (c *Snapshot) JudgedPoints(s Series, metric Metric, g civil.Granularity, window civil.Range) (
	[]JudgedPoint, error,
) {
	points := s.points(g)
	values := make([]float64, len(points))
	for i, point := range points {
		values[i] = c.Value(metric, point)
		if point.days.Contains(c.Today) || !point.whole {
			values[i] = math.NaN() // an incomplete point is not comparable
		}
	}
	judged, err := judge(g, values)
	if err != nil {
		return nil, fmt.Errorf("anomalies of %s: %w", metric, err)
	}
	judged = forecast.Among(judged)
	var out []JudgedPoint
	for i, point := range points {
		inside := point.days.Intersect(window)
		if inside.Days() == 0 {
			continue
		}
		partial := inside.Contains(c.Today) || g.Start(inside.First) != inside.First || g.Next(inside.First).
			AddDays(-1) != inside.Last
		if partial {
			judged[i].Known = false
		}
		out = append(out, JudgedPoint{Judged: judged[i], Date: inside.First, Value: c.Value(metric, s.Point(inside)), Partial: partial})
	}
	return out, nil
}

// judge calculates the anomaly scores of daily or weekly points. Monthly points get no scores, because the history has
// too few months.
func judge(g civil.Granularity, values []float64) ([]forecast.Judged, error) {
	switch g {
	case civil.ByDay:
		return forecast.Judge(values, Week)
	case civil.ByWeek:
		return forecast.Judge(values, 1)
	case civil.ByMonth:
	}
	return make([]forecast.Judged, len(values)), nil
}
