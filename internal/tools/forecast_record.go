package tools

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"

	"assay/internal/answer"
	"assay/internal/control"
	"assay/internal/number"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
)

// keepAnswered keeps what an answer stands on. An answer does not fail because it cannot be kept.
func keepAnswered(ctx context.Context, c *toolkit.Call, all []control.Forecast) {
	if err := c.RecordForecasts(ctx, all); err != nil {
		c.Log.WarnContext(ctx, "forecasts of an answer are not kept", slog.String("workspace", string(c.Workspace.ID)), slog.Any("error", err))
	}
}

// What it takes to say how past forecasts did: so many judged, and so many of them that share no day.
const (
	leastJudged   = 20
	leastSeparate = 8
)

// past returns how forecasts of the answer's metrics and channel did, those kept at the time first.
func past(c *toolkit.Call, a *forecastingAnswer) []pastForecasts {
	var all []pastForecasts
	for _, r := range c.Records {
		if r.Channel != a.Channel || !slices.ContainsFunc(a.Rows, func(row forecastRow) bool { return string(row.Metric) == r.Metric }) {
			continue
		}
		p := pastForecasts{
			Metric: snapshot.Metric(r.Metric), Channel: r.Channel, Days: r.Points, Afterwards: r.BackMade, Judged: r.Judged, Separate: r.Separate,
			Enough: r.Judged >= leastJudged && r.Separate >= leastSeparate, Start: r.Days.First, End: r.Days.Last,
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
	slices.SortStableFunc(all, func(x, y pastForecasts) int {
		kept := func(p pastForecasts) int {
			if p.Afterwards {
				return 1
			}
			return 0
		}
		return cmp.Or(cmp.Compare(slices.Index(metrics, x.Metric), slices.Index(metrics, y.Metric)), cmp.Compare(kept(x), kept(y)), cmp.Compare(x.Days, y.Days))
	})
	return all
}

func shareIn(r control.ForecastRecord, level int) *answer.Percent {
	return new(answer.Percent(100 * float64(r.Inside[level]) / float64(r.Judged)))
}

// pastSentence says how forecasts of a week did, for the metric that the answer begins with.
func pastSentence(c *toolkit.Call, past []pastForecasts, metric snapshot.Metric) string {
	if !c.RecordsForecasts() {
		return ""
	}
	judged := 0
	var told *pastForecasts
	for i, p := range past {
		if p.Metric != metric || p.Days != snapshot.Week {
			continue
		}
		if !p.Afterwards {
			judged = p.Judged
		}
		if told == nil && p.Enough {
			told = &past[i]
		}
	}
	few := fmt.Sprintf("Of forecasts kept so far %d of a week can be judged: not enough yet to say how they do", judged)
	switch {
	case told == nil:
		return " " + few + "."
	case told.Afterwards:
		return fmt.Sprintf(" %s; of %d made afterwards for past weeks, %s, %s %% came within their 80 %% interval.", few, told.Judged, told.apart(), number.Grouped(answer.Decimals(float64(*told.Inside80), 0), 0))
	}
	return fmt.Sprintf(" Of %d past forecasts of a week, %s, %s %% came within their 80 %% interval.", told.Judged, told.apart(), number.Grouped(answer.Decimals(float64(*told.Inside80), 0), 0))
}
