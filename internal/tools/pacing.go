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
	"assay/internal/number"
	"assay/internal/panics"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
)

// pacing shows where each goal under way stands. Without goals it shows what to expect of the periods under way.
func pacing(ctx context.Context, c *toolkit.Call, a *forecastingAnswer) error {
	found, all, err := goals(ctx, c, a)
	if err != nil {
		return err
	}
	found = slices.DeleteFunc(found, func(g goal) bool { return !g.days.Contains(c.Today) })
	a.Metrics = forecastMetrics{Targets: new(len(found)), OnTrack: new(0), AtRisk: new(0), OffTrack: new(0), Over: new(0)}
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
	if slices.ContainsFunc(a.Rows, func(r forecastRow) bool { return r.Expected != nil }) {
		a.Estimates = &answer.Estimates{LevelPct: 100 * answer.Level90, Method: "conformal intervals of the sum of the rest of the period", Basis: measure.Modelled}
	}
	keepAnswered(ctx, c, out.kept)
	a.Past = past(c, a)
	a.Summary = pacingSummary(c, a, set)
	warnPacing(c, a, all, set)
	return nil
}

// periodsUnderWay are the periods to forecast where no goal is set.
func periodsUnderWay(c *toolkit.Call, a *forecastingAnswer) []goal {
	kinds := []periodType{monthlyPeriod, quarterlyPeriod}
	if a.PeriodType != "" {
		kinds = []periodType{a.PeriodType}
	}
	var found []goal
	for _, metric := range []snapshot.Metric{snapshot.Revenue, snapshot.Orders} {
		for _, kind := range kinds {
			found = append(found, goal{metric: metric, channel: a.Channel, period: kind, days: kind.around(c.Today)})
		}
	}
	return found
}

// outlook is the series of goals, each forecast once and as far as the longest goal reaches.
type outlook struct {
	call  *toolkit.Call
	known map[snapshot.SeriesKey]*snapshot.Daily
	kept  []control.Forecast // what the rows stand on
}

// newOutlook reads the series of the goals one after the other, and forecasts each beside the reading of the next.
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
	failed := make([]error, len(goals)+1) // of each forecast, and of the reading
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

// row says where a goal stands and what to expect at its end.
func (o *outlook) row(g goal) (forecastRow, error) {
	s := o.known[g.key()]
	row := goalRow(o.call, g, s)
	if g.value > 0 {
		row.Status = unknown
	}
	if s.Prediction == nil || g.days.First.Sub(s.Last) > 1 {
		return row, nil // nothing is forecast, or days before the period are missing
	}
	total, err := s.Prediction.Total(g.days.Last.Sub(s.Last))
	if err != nil {
		return row, fmt.Errorf("sum of %s %s: %w", g.metric, g.days, err)
	}
	o.kept = append(o.kept, o.call.ForecastRecord(g.key(), s.Prediction.Model, total, civil.Range{First: s.Last.AddDays(1), Last: g.days.Last}))
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

// days are a goal's sums by day. The goal has a forecast.
func (o *outlook) days(g goal) ([]outlookDay, error) {
	s := o.known[g.key()]
	round := o.call.Rounding(g.metric)
	var out []outlookDay
	sofar := 0.0
	for i := range g.days.Days() {
		day := outlookDay{Date: g.days.First.AddDays(i)}
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

// pace adds what is expected of a goal at the end of its period.
func (o *outlook) pace(row *forecastRow, s *snapshot.Daily, g goal) error {
	of := forecast.Goal{Target: g.value, Elapsed: max(0, s.Last.Sub(g.days.First)+1), Length: g.days.Days()}
	pace, err := s.Prediction.Pace(s.Values, of)
	if err != nil {
		return fmt.Errorf("pace of %s %s: %w", g.metric, g.days, err)
	}
	round := o.call.Rounding(g.metric)
	row.expect(pace.Finish, pace.Bands, round)
	row.Chance, row.Required, row.Status = new(answer.Percent(100*pace.Probability)), round(pace.Required), g.standing(pace)
	if o.call.View.DetailLevel != answer.SummaryLevel {
		if i := forecast.Index(s.Values, of, forecast.Ask{Season: snapshot.Week}); i != nil {
			row.Index = new(answer.Ratio(*i))
		}
	}
	return nil
}

func pacingSummary(c *toolkit.Call, a *forecastingAnswer, set bool) string {
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
		return fmt.Sprintf("%s under way; where they will end cannot be told from the data.", answer.Plural(len(a.Rows), "target is", "targets are"))
	}
	text := fmt.Sprintf("%s %s %s is expected to end at %s (90 %% interval %s to %s)", spokenMetric(first), first.PeriodType.said(),
		answer.Dates(civil.Range{First: first.Start, Last: first.End}), figure(c, first.Metric, first.Expected), figure(c, first.Metric, first.Low), figure(c, first.Metric, first.High))
	past := pastSentence(c, a.Past, first.Metric)
	if !set {
		return text + "; no target is set for it." + past
	}
	text += fmt.Sprintf(", against a target of %s: a chance of %s %% to get there.", figure(c, first.Metric, first.Target), number.Grouped(answer.Decimals(float64(*first.Chance), 0), 0))
	m := a.Metrics
	return text + fmt.Sprintf(" %s under way: %d on track, %d at risk, %d off, %d over budget.", answer.Plural(*m.Targets, "target", "targets"),
		*m.OnTrack, *m.AtRisk, *m.OffTrack, *m.Over) + past
}

func warnPacing(c *toolkit.Call, a *forecastingAnswer, all int, set bool) {
	template := fmt.Sprintf(howToLoadTargets, civil.ByMonth.Start(c.Today))
	switch {
	case all == 0:
		a.Warn(answer.WarnNoTargets, "No targets are loaded. "+template)
	case !set:
		a.Warn(answer.WarnNoTargets, "No target under way matches. "+template)
		c.Suggest(&a.Closing, "forecasting", map[string]any{"aspect": string(targetsAspect)}, "See which targets there are.")
	}
	unforecast, stale := 0, false
	for _, r := range a.Rows {
		if r.Expected == nil {
			unforecast++
		}
		stale = stale || !r.Through.IsZero() && r.Through.Before(c.Today.AddDays(-snapshot.StaleAfter))
	}
	if a.Estimates != nil {
		a.Warn(answer.WarnSeasonUnknown, "The forecast knows the week and not the year: a season ahead, such as the holidays, is not in it, though it may be in the target.")
	}
	if unforecast > 0 {
		a.Warn(answer.WarnNotForecast, fmt.Sprintf("%s no forecast: ROAS is a ratio of sums, and other metrics need history up to the last days.", answer.Plural(unforecast, "target has", "targets have")))
	}
	if stale {
		a.Warn(answer.WarnDataEnd, "Some figures end days ago; their later days are forecast.")
	}
	c.Suggest(&a.Closing, "forecasting", map[string]any{"aspect": string(alertsAspect)}, "See whether something has drifted away from what was expected.")
	c.Suggest(&a.Closing, "trends", map[string]any{"granularity": string(civil.ByWeek)}, "See the last weeks.")
}
