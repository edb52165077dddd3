package tools

import (
	"context"
	"fmt"
	"math"
	"slices"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/measure/forecast"
	"assay/internal/pacing"
	"assay/internal/panics"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
)

const (
	// quietDays is the mean number of days between false alarms over all series.
	quietDays = 365
	// activeDays is the number of days for which an alert is shown.
	activeDays = 28
)

// alerts lists metrics with a small, lasting deviation from their forecast, each with the most likely start of the
// deviation. Then it lists the days that met the condition of an alert rule.
func alerts(ctx context.Context, c *toolkit.Call, a *ForecastingAnswer) error {
	shown := c.LastDays(activeDays)
	whole := civil.Range{First: snapshot.HistoryStart(shown), Last: shown.Last}
	metrics := []snapshot.Metric{snapshot.Revenue, snapshot.Orders, snapshot.Spend, snapshot.ROAS}
	a.Metrics.Alerts, a.Metrics.Watched = new(0), new(0)
	watched, rows := make([]bool, len(metrics)), make([]*pacing.Row, len(metrics))
	var work []func() error
	for i, metric := range metrics {
		s, err := c.DailySeries(ctx, snapshot.SeriesKey{Metric: metric, Channel: a.Channel}, whole)
		if err != nil {
			return err
		}
		work = append(work, func() error {
			judged := forecast.OneStep(s.Values, forecast.SlowDays())
			if watched[i] = slices.ContainsFunc(judged, forecast.Expectation.Judged); !watched[i] {
				return nil
			}
			row, ok, err := drift(s, judged, float64(quietDays*len(metrics)), shown)
			if err != nil {
				return fmt.Errorf("alerts of %s: %w", metric, err)
			}
			if ok {
				row.Metric, row.Channel = metric, a.Channel
				rows[i] = &row
			}
			return nil
		})
	}
	if err := panics.Together(work...); err != nil {
		return err
	}
	for i, row := range rows {
		if watched[i] {
			*a.Metrics.Watched++
		}
		if row != nil {
			a.Rows = append(a.Rows, *row)
		}
	}
	slices.SortStableFunc(a.Rows, func(x, y pacing.Row) int { return y.Raised.Compare(x.Raised) })
	*a.Metrics.Alerts = len(a.Rows)
	rate := float64(*a.Metrics.Watched) / (quietDays * float64(len(metrics)))
	a.Metrics.FalseAlarms = new(answer.Percent(100 * -math.Expm1(-activeDays*rate)))
	alertsSummary(c, a, shown)
	rulesMet(c, a)
	return nil
}

// rulesMet adds the days that met the condition of an alert rule, newest first. Names of rules are untrusted text, so
// the summary does not contain them.
func rulesMet(c *toolkit.Call, a *ForecastingAnswer) {
	a.Metrics.RulesMet = new(0)
	for _, e := range c.AlertEvents {
		rule := e.Alert
		if a.Channel != "" && rule.Channel != a.Channel {
			continue
		}
		row := pacing.Row{
			Metric: snapshot.Metric(rule.Metric), Channel: rule.Channel, Raised: e.Day, Rule: answer.Clean(rule.Name),
			Condition: rule.Condition, Threshold: new(rule.Threshold.Float()), Value: new(e.Value.Float()),
		}
		if e.Reference != nil {
			row.Reference = new(e.Reference.Float())
		}
		a.Rows = append(a.Rows, row)
		*a.Metrics.RulesMet++
	}
	if n := *a.Metrics.RulesMet; n > 0 {
		a.Summary += fmt.Sprintf(" The store's alert rules have raised %s since %s.", answer.Plural(n, "alert", "alerts"), c.Today.AddDays(-snapshot.AlertDays))
	}
}

// drift returns the newest alert in the range shown.
func drift(s *snapshot.Daily, judged []forecast.Expectation, runLength float64, shown civil.Range) (pacing.Row, bool, error) {
	d, err := s.Drift(judged, runLength)
	if err != nil || d == nil || !shown.Contains(d.Raised) {
		return pacing.Row{}, false, err
	}
	row := pacing.Row{Raised: d.Raised, Since: d.Since, Direction: "down", Shift: new(answer.Ratio(d.Excess))}
	if d.Up {
		row.Direction = "up"
	}
	if d.Expected > 0 {
		row.ChangePct = new(answer.Percent(100 * (d.Actual/d.Expected - 1)))
	}
	return row, true, nil
}

func alertsSummary(c *toolkit.Call, a *ForecastingAnswer, shown civil.Range) {
	if *a.Metrics.Watched == 0 {
		a.Summary = explainNoForecast(c, a)
		a.Metrics.FalseAlarms = nil
		return
	}
	chance := *a.Metrics.FalseAlarms
	if len(a.Rows) == 0 {
		a.Summary = fmt.Sprintf("No alert was raised %s across %s.", answer.Dates(shown), answer.Plural(*a.Metrics.Watched, "monitored metric", "monitored metrics"))
	} else {
		r := a.Rows[0]
		a.Summary = fmt.Sprintf("%s %s across %s. %s has been %s since %s", answer.Plural(len(a.Rows), "alert was raised", "alerts were raised"), answer.Dates(shown),
			answer.Plural(*a.Metrics.Watched, "monitored metric", "monitored metrics"), spokenMetric(r), r.Direction, r.Since)
		if r.ChangePct != nil {
			sign := ""
			if *r.ChangePct > 0 {
				sign = "+"
			}
			a.Summary += fmt.Sprintf(" (%s%s compared with the forecast)", sign, *r.ChangePct)
		}
		a.Summary += "."
		a.Warn(answer.WarnSeasonUnknown, "The forecast includes only weekly seasonality, so yearly seasonality or a promotion can also raise an alert.")
		arguments := toolkit.Dated(civil.Range{First: r.Since.AddDays(-activeDays), Last: r.Raised})
		arguments["metric"] = string(r.Metric)
		if a.Channel != "" {
			arguments["channel"] = string(a.Channel)
		}
		c.Suggest(&a.Closing, "trends", arguments, "See the days of the change.")
	}
	a.Warn(answer.WarnFalseAlarms, fmt.Sprintf("There is a %s probability that a %d-day period without a real change has at least one false alert.", chance, activeDays))
	c.Suggest(&a.Closing, "forecasting", map[string]any{"aspect": string(PacingAspect)}, "See pacing against targets.")
}
