package tools

import (
	"context"
	"fmt"
	"math"
	"time"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/measure/forecast"
)

// trendMetric is what a series can follow.
type trendMetric string

const (
	trendRevenue trendMetric = "revenue"
	trendOrders  trendMetric = "orders"
	trendSpend   trendMetric = "spend"
	trendROAS    trendMetric = "roas"
	trendAOV     trendMetric = "aov" // is drawn, and not checked for anomalies
)

// historyYears is how far back what is expected is learnt.
const historyYears = 2

// historyStart returns the first day that is read to know what to expect. It is the same for all windows that begin in
// one year, so that a day is judged alike whichever window shows it.
func historyStart(days civil.Range) civil.Date {
	return civil.New(days.First.Year()-historyYears, time.January, 1)
}

// history is the series that anomalies of a window are looked for in.
func (c *Snapshot) history(ctx context.Context, channel measure.Channel, days civil.Range) (series, error) {
	return c.series(ctx, channel, c.historyDays(days))
}

// historyDays reach to today or beyond: what followed a day says more of it than the window shows.
func (c *Snapshot) historyDays(window civil.Range) civil.Range {
	whole := civil.Range{First: historyStart(window), Last: c.Today}
	if window.Last.After(whole.Last) {
		whole.Last = window.Last
	}
	return whole
}

// judgedPoint is a point of a series, and how unusual it is among all points of the store.
type judgedPoint struct {
	forecast.Judged
	Date    civil.Date // its first day inside the window
	Value   float64    // NaN where it is unknown
	Partial bool       // the window cuts the point, or it is not over
}

// judgedPoints returns the points of a window, judged among all points of the series.
func (c *Snapshot) judgedPoints(s series, metric trendMetric, g civil.Granularity, window civil.Range) ([]judgedPoint, error) {
	points := s.points(g)
	values := make([]float64, len(points))
	for i, point := range points {
		values[i] = c.value(metric, point)
		if point.days.Contains(c.Today) || !point.whole {
			values[i] = math.NaN() // what is not over is not comparable
		}
	}
	judged, err := judge(g, values)
	if err != nil {
		return nil, fmt.Errorf("anomalies of %s: %w", metric, err)
	}
	var out []judgedPoint
	var among []forecast.Judged
	for i, point := range points {
		inside := point.days.Intersect(window)
		if inside.Days() == 0 {
			continue
		}
		partial := inside.Contains(c.Today) || g.Start(inside.First) != inside.First || g.Next(inside.First).AddDays(-1) != inside.Last
		if partial {
			judged[i].Known = false
		}
		out = append(out, judgedPoint{Date: inside.First, Value: c.value(metric, s.point(inside)), Partial: partial})
		among = append(among, judged[i])
	}
	for i, j := range forecast.Among(among) {
		out[i].Judged = j
	}
	return out, nil
}

// judge says how unusual points are, by days of the week or by weeks. Months are too few to judge.
func judge(g civil.Granularity, values []float64) ([]forecast.Judged, error) {
	switch g {
	case civil.ByDay:
		return forecast.Judge(values, week)
	case civil.ByWeek:
		return forecast.Judge(values, 1)
	case civil.ByMonth:
	}
	return make([]forecast.Judged, len(values)), nil
}
