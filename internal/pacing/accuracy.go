package pacing

import (
	"cmp"
	"slices"

	"assay/internal/answer"
	"assay/internal/control"
	"assay/internal/measure"
	"assay/internal/snapshot"
)

// Accuracy is reported if there are at least MinJudged past forecasts, and at least MinSeparate of them share no day.
const (
	MinJudged   = 20
	MinSeparate = 8
)

// Past returns the accuracy of one channel's past forecasts for the metrics of the rows. The results are sorted by
// metric, and stored forecasts come before backtests.
func Past(records []control.ForecastRecord, channel measure.Channel, rows []Row) []Accuracy {
	var all []Accuracy
	for _, r := range records {
		if r.Channel != channel || !slices.ContainsFunc(rows, func(row Row) bool { return string(row.Metric) == r.Metric }) {
			continue
		}
		p := Accuracy{
			Metric: snapshot.Metric(r.Metric), Channel: r.Channel, Days: r.Points, Afterwards: r.BackMade, Judged: r.Judged, Separate: r.Separate,
			Enough: r.Judged >= MinJudged && r.Separate >= MinSeparate, Start: r.Days.First, End: r.Days.Last,
		}
		if p.Enough {
			p.Inside80, p.Inside90, p.Inside95 = shareIn(r, 0), shareIn(r, 1), shareIn(r, 2)
			if r.Actual > 0 {
				p.Error, p.Bias = new(answer.Percent(100*r.Size/r.Actual)), new(answer.Percent(100*r.Error/r.Actual))
			}
			if r.Scaled > 0 {
				p.MASE = new(answer.Ratio(r.MASE))
			}
		}
		all = append(all, p)
	}
	metrics := []snapshot.Metric{snapshot.Revenue, snapshot.Orders, snapshot.Spend}
	slices.SortStableFunc(all, func(x, y Accuracy) int {
		backtest := func(p Accuracy) int {
			if p.Afterwards {
				return 1
			}
			return 0
		}
		return cmp.Or(cmp.Compare(slices.Index(metrics, x.Metric), slices.Index(metrics, y.Metric)), cmp.Compare(backtest(x), backtest(y)), cmp.Compare(x.Days, y.Days))
	})
	return all
}

func shareIn(r control.ForecastRecord, level int) *answer.Percent {
	return new(answer.Percent(100 * float64(r.Inside[level]) / float64(r.Judged)))
}
