package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/measure"
	"assay/internal/measure/forecast"
	"assay/internal/panics"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
)

// pacing forecasts each goal under way. Without goals it forecasts the current periods.
func pacing(ctx context.Context, c *toolkit.Call, a *ForecastingAnswer) error {
	found, all, err := goals(ctx, c, a)
	if err != nil {
		return err
	}
	found = slices.DeleteFunc(found, func(g goal) bool { return !g.days.Contains(c.Today) })
	a.Metrics = ForecastMetrics{Targets: new(len(found)), OnTrack: new(0), AtRisk: new(0), OffTrack: new(0), Over: new(0)}
	set := len(found) > 0
	if !set {
		found = periodsUnderWay(c, a)
	}
	out, err := newOutlook(ctx, c, found)
	if err != nil {
		return err
	}
	for _, g := range found {
		row, err := out.row(g)
		if err != nil {
			return err
		}
		if row.Expected == nil && !set {
			continue
		}
		if row.Expected != nil && a.Outlook == nil && c.View.DetailLevel == answer.DebugLevel {
			if a.Outlook, err = out.days(g); err != nil {
				return err
			}
		}
		a.Metrics.count(row.Status)
		a.Rows = append(a.Rows, row)
	}
	if slices.ContainsFunc(a.Rows, func(r ForecastRow) bool { return r.Expected != nil }) {
		a.Estimates = &answer.Estimates{LevelPct: 100 * answer.Level90, Method: "conformal prediction intervals of the sum over the rest of the period", Basis: measure.Modelled}
	}
	storeForecasts(ctx, c, out.used)
	a.Past = past(c, a)
	a.Summary = pacingSummary(c, a, set)
	warnPacing(c, a, all, set)
	return nil
}

// periodsUnderWay returns the periods to forecast when no goal is set.
func periodsUnderWay(c *toolkit.Call, a *ForecastingAnswer) []goal {
	kinds := []PeriodType{MonthlyPeriod, QuarterlyPeriod}
	if a.PeriodType != "" {
		kinds = []PeriodType{a.PeriodType}
	}
	var found []goal
	for _, metric := range []snapshot.Metric{snapshot.Revenue, snapshot.Orders} {
		for _, kind := range kinds {
			found = append(found, goal{metric: metric, channel: a.Channel, period: kind, days: kind.around(c.Today)})
		}
	}
	return found
}

// outlook is the series of the goals. Each series is forecast once, to the end of its longest goal.
type outlook struct {
	call  *toolkit.Call
	known map[snapshot.SeriesKey]*snapshot.Daily
	used  []control.Forecast // forecasts in the rows
}

// newOutlook reads the series of the goals in turn and forecasts each one while it reads the next.
func newOutlook(ctx context.Context, c *toolkit.Call, goals []goal) (*outlook, error) {
	o := &outlook{call: c, known: map[snapshot.SeriesKey]*snapshot.Daily{}}
	until := map[snapshot.SeriesKey]civil.Date{}
	for _, g := range goals {
		if key := g.key(); g.days.Last.After(until[key]) {
			until[key] = g.days.Last
		}
	}
	yesterday := c.Today.AddDays(-1)
	var forecasts panics.Group
	failed := make([]error, len(goals)+1) // one per forecast, and one for the reading
	for i, g := range goals {
		key := g.key()
		if o.known[key] != nil {
			continue
		}
		s, err := c.DailySeries(ctx, key, civil.Range{First: yesterday.AddDays(1 - snapshot.ForecastDays), Last: yesterday})
		if err != nil {
			failed[len(goals)] = err
			break
		}
		o.known[key] = s
		forecasts.Go(func() { failed[i] = s.Predict(key, until[key]) })
	}
	forecasts.Wait()
	if err := errors.Join(failed...); err != nil {
		return nil, err
	}
	return o, nil
}

// row returns a goal's result so far and its forecast.
func (o *outlook) row(g goal) (ForecastRow, error) {
	s := o.known[g.key()]
	row := goalRow(o.call, g, s)
	if g.value > 0 {
		row.Status = Unknown
	}
	if s.Prediction == nil || g.days.First.Sub(s.Last) > 1 {
		return row, nil // no forecast, or days before the period are missing
	}
	total, err := s.Prediction.Total(g.days.Last.Sub(s.Last))
	if err != nil {
		return row, fmt.Errorf("sum of %s %s: %w", g.metric, g.days, err)
	}
	o.used = append(o.used, o.call.ForecastRecord(g.key(), s.Prediction.Model, total, civil.Range{First: s.Last.AddDays(1), Last: g.days.Last}))
	if g.value > 0 {
		return row, o.pace(&row, s, g)
	}
	actual := 0.0
	if sofar := g.until(s.Last); sofar.Days() > 0 {
		actual = o.call.Value(g.metric, s.Point(sofar))
	}
	bands := slices.Clone(total.Bands)
	for i := range bands {
		bands[i].Low, bands[i].High = actual+bands[i].Low, actual+bands[i].High
	}
	row.expect(actual+total.Value, bands, o.call.Rounding(g.metric))
	return row, nil
}

// days returns the cumulative values of a goal that has a forecast.
func (o *outlook) days(g goal) ([]OutlookDay, error) {
	s := o.known[g.key()]
	round := o.call.Rounding(g.metric)
	var out []OutlookDay
	sofar := 0.0
	for i := range g.days.Days() {
		day := OutlookDay{Date: g.days.First.AddDays(i)}
		if ahead := day.Date.Sub(s.Last); ahead < 1 {
			if day.Date.Before(s.First) {
				continue
			}
			sofar = o.call.Value(g.metric, s.Point(g.until(day.Date)))
			day.Actual = round(sofar)
		} else {
			total, err := s.Prediction.Total(ahead)
			if err != nil {
				return nil, fmt.Errorf("%s up to %s: %w", g.metric, day.Date, err)
			}
			narrow, wide := total.Bands[0], total.Bands[2]
			day.Expected = round(sofar + total.Value)
			day.Low80, day.High80, day.Low95, day.High95 = round(sofar+narrow.Low), round(sofar+narrow.High), round(sofar+wide.Low), round(sofar+wide.High)
		}
		out = append(out, day)
	}
	return out, nil
}

// pace adds the forecast of a goal for the end of its period.
func (o *outlook) pace(row *ForecastRow, s *snapshot.Daily, g goal) error {
	of := forecast.Goal{Target: g.value, Elapsed: max(0, s.Last.Sub(g.days.First)+1), Length: g.days.Days()}
	pace, err := s.Prediction.Pace(s.Values, of)
	if err != nil {
		return fmt.Errorf("pace of %s %s: %w", g.metric, g.days, err)
	}
	round := o.call.Rounding(g.metric)
	row.expect(pace.Finish, pace.Bands, round)
	row.Chance, row.Required, row.Status = new(answer.Percent(100*pace.Probability)), round(pace.Required), g.paceStatus(pace)
	if o.call.View.DetailLevel != answer.SummaryLevel {
		if i := forecast.Index(s.Values, of, forecast.Ask{Season: snapshot.Week}); i != nil {
			row.Index = new(answer.Ratio(*i))
		}
	}
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
		return fmt.Sprintf("%s under way. No forecast is possible from the data.", answer.Plural(len(a.Rows), "target is", "targets are"))
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
	text += fmt.Sprintf(" The target is %s; the probability of %s it is %s.", figure(c, first.Metric, first.Target), reaching, probability(*first.Chance))
	m := a.Metrics
	return text + fmt.Sprintf(" %s under way: %d on track, %d at risk, %d off track, %d over budget.", answer.Plural(*m.Targets, "target", "targets"),
		*m.OnTrack, *m.AtRisk, *m.OffTrack, *m.Over) + past
}

func warnPacing(c *toolkit.Call, a *ForecastingAnswer, all int, set bool) {
	template := fmt.Sprintf(howToLoadTargets, civil.ByMonth.Start(c.Today))
	switch {
	case all == 0:
		a.Warn(answer.WarnNoTargets, "No targets are loaded. "+template)
	case !set:
		a.Warn(answer.WarnNoTargets, "No target under way matches the filters. "+template)
		c.Suggest(&a.Closing, "forecasting", map[string]any{"aspect": string(TargetsAspect)}, "List all targets.")
	}
	unforecast, stale := 0, false
	for _, r := range a.Rows {
		if r.Expected == nil {
			unforecast++
		}
		stale = stale || !r.Through.IsZero() && r.Through.Before(c.Today.AddDays(-snapshot.StaleAfter))
	}
	if a.Estimates != nil {
		a.Warn(answer.WarnSeasonUnknown, "The forecast includes weekly seasonality only. A coming season such as the holidays is not in the forecast, but may be in the target.")
	}
	if unforecast > 0 {
		a.Warn(answer.WarnNotForecast, fmt.Sprintf("%s no forecast: ROAS is not forecast, and other metrics need recent history.", answer.Plural(unforecast, "target has", "targets have")))
	}
	if stale {
		a.Warn(answer.WarnDataEnd, "Some metrics have no data for the last days; these days are forecast.")
	}
	c.Suggest(&a.Closing, "forecasting", map[string]any{"aspect": string(AlertsAspect)}, "Check for drift alerts.")
	c.Suggest(&a.Closing, "trends", map[string]any{"granularity": string(civil.ByWeek)}, "See the weekly trend.")
}
