package tools

import (
	"context"
	"fmt"
	"slices"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/pacing"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
)

// paceGoals forecasts each target in progress. Without targets it forecasts the current periods.
func paceGoals(ctx context.Context, c *toolkit.Call, a *ForecastingAnswer) error {
	found, all, err := pacing.Goals(ctx, c, a.Channel, a.PeriodType)
	if err != nil {
		return err
	}
	found = slices.DeleteFunc(found, func(g pacing.Goal) bool { return !g.Days.Contains(c.Today) })
	a.Metrics = ForecastMetrics{Targets: new(len(found)), OnTrack: new(0), AtRisk: new(0), OffTrack: new(0), Over: new(0)}
	set := len(found) > 0
	if !set {
		found = pacing.CurrentPeriods(c, a.Channel, a.PeriodType)
	}
	out, err := pacing.NewOutlook(ctx, c, found)
	if err != nil {
		return err
	}
	for _, g := range found {
		row, err := out.Row(g)
		if err != nil {
			return err
		}
		if row.Expected == nil && !set {
			continue
		}
		if row.Expected != nil && a.Outlook == nil && c.View.DetailLevel == answer.DebugLevel {
			if a.Outlook, err = out.ByDay(g); err != nil {
				return err
			}
		}
		a.Metrics.count(row.Status)
		a.Rows = append(a.Rows, row)
	}
	if slices.ContainsFunc(a.Rows, func(r pacing.Row) bool { return r.Expected != nil }) {
		a.Estimates = &answer.Estimates{LevelPct: 100 * answer.Level90, Method: "Intervals of forecasts are 90% conformal prediction intervals.", Basis: measure.Modelled}
	}
	storeForecasts(ctx, c, out.Used)
	a.Past = pacing.Past(c.Records, a.Channel, a.Rows)
	a.Summary = pacingSummary(c, a, set)
	warnPacing(c, a, all, set)
	return nil
}

func pacingSummary(c *toolkit.Call, a *ForecastingAnswer, set bool) string {
	if len(a.Rows) == 0 {
		return explainNoForecast(c, a)
	}
	first := a.Rows[0]
	for _, r := range a.Rows {
		if r.Expected != nil {
			first = r
			break
		}
	}
	if first.Expected == nil {
		return fmt.Sprintf("%s under way. The data are not sufficient for a forecast.", answer.Plural(len(a.Rows), "target is", "targets are"))
	}
	text := fmt.Sprintf("%s %s is forecast at %s (90%% interval %s to %s).", spokenMetric(first), answer.Dates(civil.Range{First: first.Start, Last: first.End}),
		figure(c, first.Metric, first.Expected), figure(c, first.Metric, first.Low), figure(c, first.Metric, first.High))
	past := pastSentence(c, a.Past, first.Metric)
	if !set {
		return text + " No target is set." + past
	}
	reaching := "reaching"
	if first.Metric == snapshot.Spend {
		reaching = "exceeding"
	}
	text += fmt.Sprintf(" The target is %s; ", figure(c, first.Metric, first.Target))
	if first.Chance == nil {
		text += "the probability is unknown, because the data do not include " + first.Unseen + "."
	} else {
		text += fmt.Sprintf("the probability of %s it is %s.", reaching, probability(*first.Chance))
	}
	return text + fmt.Sprintf(" %s under way (%s).", answer.Plural(len(a.Rows), "target is", "targets are"), pacing.Counts(a.Rows)) + past
}

func warnPacing(c *toolkit.Call, a *ForecastingAnswer, all int, set bool) {
	template := fmt.Sprintf(howToLoadTargets, civil.ByMonth.Start(c.Today))
	switch {
	case all == 0:
		a.Warn(answer.WarnNoTargets, "No targets are set. "+template)
	case !set:
		a.Warn(answer.WarnNoTargets, "No target under way matches the filters. "+template)
		c.Suggest(&a.Closing, "forecasting", map[string]any{"aspect": string(TargetsAspect)}, "List all targets.")
	}
	unforecast, unseen, stale := 0, "", false
	for _, r := range a.Rows {
		if r.Expected == nil {
			unforecast++
		}
		if len(r.Unseen) > len(unseen) {
			unseen = r.Unseen
		}
		stale = stale || !r.Through.IsZero() && r.Through.Before(c.Today.AddDays(-snapshot.StaleAfter))
	}
	if unseen != "" {
		a.Warn(answer.WarnSeasonUnknown, fmt.Sprintf("The period contains %s, which the data do not include. The assumed effect is typical of other stores, "+
			"so the interval is wide and the targets have no probability and no status.", unseen))
	}
	if unforecast > 0 {
		a.Warn(answer.WarnNotForecast, fmt.Sprintf("%s no forecast. ROAS is never forecast. Forecasts of other metrics require at least 3 days of data that start by the first day of the target period and reach at least the day before it.", answer.Plural(unforecast, "target has", "targets have")))
	}
	if stale {
		a.Warn(answer.WarnDataEnd, "Some metrics have no data for the most recent days. The figures of these days are forecasts.")
	}
	c.Suggest(&a.Closing, "forecasting", map[string]any{"aspect": string(AlertsAspect)}, "Check for drift alerts.")
	c.Suggest(&a.Closing, "trends", map[string]any{"granularity": string(civil.ByWeek)}, "See the weekly trend.")
}
