package tools

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"

	"assay/internal/answer"
	"assay/internal/control"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
)

// storeForecasts stores the forecasts in an answer. A failure is logged and does not fail the answer.
func storeForecasts(ctx context.Context, c *toolkit.Call, all []control.Forecast) {
	if err := c.RecordForecasts(ctx, all); err != nil {
		c.Log.WarnContext(ctx, "cannot store the forecasts of an answer", slog.String("workspace", string(c.Workspace.ID)), slog.Any("error", err))
	}
}

// Accuracy is reported from at least leastJudged past forecasts, of which leastSeparate share no day.
const (
	leastJudged   = 20
	leastSeparate = 8
)

// past returns the accuracy of past forecasts of the answer's metrics and channel, stored forecasts before backtests.
func past(c *toolkit.Call, a *ForecastingAnswer) []PastForecasts {
	var all []PastForecasts
	for _, r := range c.Records {
		if r.Channel != a.Channel || !slices.ContainsFunc(a.Rows, func(row ForecastRow) bool { return string(row.Metric) == r.Metric }) {
			continue
		}
		p := PastForecasts{
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
	slices.SortStableFunc(all, func(x, y PastForecasts) int {
		backtest := func(p PastForecasts) int {
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

// pastSentence reports the accuracy of weekly forecasts of a metric.
func pastSentence(c *toolkit.Call, past []PastForecasts, metric snapshot.Metric) string {
	if !c.RecordsForecasts() {
		return ""
	}
	judged := 0
	var shown *PastForecasts
	for i, p := range past {
		if p.Metric != metric || p.Days != snapshot.Week {
			continue
		}
		if !p.Afterwards {
			judged = p.Judged
		}
		if shown == nil && p.Enough {
			shown = &past[i]
		}
	}
	few := " No stored weekly forecast is due yet."
	if judged > 0 {
		few = fmt.Sprintf(" Only %s due, too few to report accuracy.", answer.Plural(judged, "stored weekly forecast is", "stored weekly forecasts are"))
	}
	if shown == nil {
		return few
	}
	inside := shown.Inside80.Whole()
	if shown.Afterwards {
		return fmt.Sprintf("%s In a backtest of %d past weeks%s, %s of results were inside the 80%% interval.", few, shown.Judged, shown.overlap(), inside)
	}
	return fmt.Sprintf(" Of %d past weekly forecasts%s, %s had the result inside the 80%% interval.", shown.Judged, shown.overlap(), inside)
}
