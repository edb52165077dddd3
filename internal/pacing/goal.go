package pacing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/measure"
	"assay/internal/measure/forecast"
	"assay/internal/panics"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
	"assay/internal/warehouse"
)

// Goal is a target with its days. Without a value it is only a period to forecast.
type Goal struct {
	Metric  snapshot.Metric
	Channel measure.Channel
	Period  Period
	Days    civil.Range
	Value   float64
	Parts   int // number of daily targets in its sum; 0 or 1 if it is not a sum
}

func goalOf(t warehouse.Target) Goal {
	return Goal{Metric: snapshot.Metric(t.Metric), Channel: t.Channel, Period: Period(t.Period), Days: t.Days(), Value: t.Value}
}

// inOrder compares two targets for sorting: the whole store before channels, revenue first, and months before quarters,
// weeks and days.
func inOrder(a, b Goal) int {
	metrics := []snapshot.Metric{snapshot.Revenue, snapshot.Orders, snapshot.ROAS, snapshot.Spend}
	return cmp.Or(
		cmp.Compare(a.Channel, b.Channel), cmp.Compare(slices.Index(metrics, a.Metric), slices.Index(metrics, b.Metric)),
		cmp.Compare(slices.Index(Periods, a.Period), slices.Index(Periods, b.Period)), a.Days.First.Compare(b.Days.First),
	)
}

// paceStatus returns a target's status from its forecast. For spend it reports whether the budget will be exceeded.
func (g Goal) paceStatus(p forecast.Pace) Status {
	if g.Metric != snapshot.Spend {
		return Status(p.Standing)
	}
	switch {
	case p.Probability >= forecast.OnTrackFrom:
		return OverBudget
	case p.Probability <= 1-forecast.OnTrackFrom:
		return WithinBudget
	}
	return NearBudget
}

// outcome returns the status of a target after the end of its period.
func (g Goal) outcome(actual *float64) Status {
	switch {
	case actual == nil:
		return Unknown
	case g.Metric == snapshot.Spend && *actual > g.Value, g.Metric != snapshot.Spend && *actual < g.Value:
		return Missed
	}
	return Met
}

// Status returns a target's status without a forecast.
func (g Goal) Status(today civil.Date, row Row) Status {
	switch {
	case g.Days.First.After(today):
		return Upcoming
	case g.Days.Contains(today):
		return UnderWay
	case row.Through != g.Days.Last:
		return Unknown
	}
	return g.outcome(row.Actual)
}

// Key returns the key of the target's series.
func (g Goal) Key() snapshot.SeriesKey {
	return snapshot.SeriesKey{Metric: g.Metric, Channel: g.Channel}
}

// until returns the days of the target's period up to and including the given day.
func (g Goal) until(last civil.Date) civil.Range {
	return civil.Range{First: g.Days.First, Last: civil.Earliest(last, g.Days.Last)}
}

// RowOf returns the row of a target with its result so far.
func RowOf(c *toolkit.Call, g Goal, s *snapshot.Daily) Row {
	round := c.Rounding(g.Metric)
	row := Row{Metric: g.Metric, Channel: g.Channel, PeriodType: g.Period, Start: g.Days.First, End: g.Days.Last}
	if g.Value > 0 {
		row.Target = round(g.Value)
	}
	if g.Parts > 1 {
		row.Parts = g.Parts
	}
	sofar := g.until(s.Last)
	if len(s.Values) == 0 || sofar.Days() == 0 || g.Days.First.Before(s.First) {
		return row
	}
	actual := c.Value(g.Metric, s.Point(sofar))
	row.Actual, row.Through = round(actual), sofar.Last
	if row.Actual != nil && g.Value > 0 {
		row.Attained = new(answer.Percent(100 * actual / g.Value))
	}
	return row
}

// Goals returns the targets of a channel and a period type, if these are given, and the number of all targets.
func Goals(ctx context.Context, c *toolkit.Call, channel measure.Channel, period Period) (found []Goal, all int, err error) {
	targets, err := c.Targets(ctx)
	if err != nil {
		return nil, 0, err
	}
	for _, t := range targets {
		g := goalOf(t)
		if (channel == "" || g.Channel == channel) && (period == "" || g.Period == period) {
			found = append(found, g)
		}
	}
	slices.SortStableFunc(found, inOrder)
	return found, len(targets), nil
}

// CurrentPeriods returns the periods to forecast when no target is set.
func CurrentPeriods(c *toolkit.Call, channel measure.Channel, period Period) []Goal {
	kinds := []Period{MonthlyPeriod, QuarterlyPeriod}
	if period != "" {
		kinds = []Period{period}
	}
	var found []Goal
	for _, metric := range []snapshot.Metric{snapshot.Revenue, snapshot.Orders} {
		for _, kind := range kinds {
			found = append(found, Goal{Metric: metric, Channel: channel, Period: kind, Days: kind.around(c.Today)})
		}
	}
	return found
}

// Outlook contains the series of the targets. Each series is forecast once, to the end of its longest target.
type Outlook struct {
	call  *toolkit.Call
	known map[snapshot.SeriesKey]*snapshot.Daily
	Used  []control.Forecast // forecasts in the rows
}

// NewOutlook reads the series of the targets in turn and forecasts each series while it reads the next.
func NewOutlook(ctx context.Context, c *toolkit.Call, goals []Goal) (*Outlook, error) {
	o := &Outlook{call: c, known: map[snapshot.SeriesKey]*snapshot.Daily{}}
	until := map[snapshot.SeriesKey]civil.Date{}
	for _, g := range goals {
		if key := g.Key(); g.Days.Last.After(until[key]) {
			until[key] = g.Days.Last
		}
	}
	yesterday := c.Today.AddDays(-1)
	var forecasts panics.Group
	failed := make([]error, len(goals)+1) // one per forecast, and one for the reading
	for i, g := range goals {
		key := g.Key()
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

// Row returns a target's result so far and its forecast.
func (o *Outlook) Row(g Goal) (Row, error) {
	s := o.known[g.Key()]
	row := RowOf(o.call, g, s)
	if g.Value > 0 {
		row.Status = Unknown
	}
	if s.Prediction == nil || g.Days.First.Sub(s.Last) > 1 {
		return row, nil // no forecast, or days before the period are missing
	}
	if g.Value > 0 && g.Days.First.Before(s.First) {
		return row, nil // the result so far is unknown
	}
	total, err := s.Prediction.Total(g.Days.Last.Sub(s.Last))
	if err != nil {
		return row, fmt.Errorf("sum of %s %s: %w", g.Metric, g.Days, err)
	}
	o.Used = append(o.Used, o.call.ForecastRecord(g.Key(), s.Prediction.Model, total, civil.Range{First: s.Last.AddDays(1), Last: g.Days.Last}))
	if g.Value > 0 {
		return row, o.pace(&row, s, g)
	}
	actual := 0.0
	if sofar := g.until(s.Last); sofar.Days() > 0 {
		actual = o.call.Value(g.Metric, s.Point(sofar))
	}
	bands := slices.Clone(total.Bands)
	for i := range bands {
		bands[i].Low, bands[i].High = actual+bands[i].Low, actual+bands[i].High
	}
	row.expect(actual+total.Value, bands, o.call.Rounding(g.Metric))
	row.Unseen = strings.Join(s.Unseen(g.Days.Last.Sub(s.Last)), ", ")
	return row, nil
}

// ByDay returns the cumulative values of a target that has a forecast.
func (o *Outlook) ByDay(g Goal) ([]Day, error) {
	s := o.known[g.Key()]
	round := o.call.Rounding(g.Metric)
	var out []Day
	sofar := 0.0
	for i := range g.Days.Days() {
		day := Day{Date: g.Days.First.AddDays(i)}
		if ahead := day.Date.Sub(s.Last); ahead < 1 {
			if day.Date.Before(s.First) {
				continue
			}
			sofar = o.call.Value(g.Metric, s.Point(g.until(day.Date)))
			day.Actual = round(sofar)
		} else {
			total, err := s.Prediction.Total(ahead)
			if err != nil {
				return nil, fmt.Errorf("%s up to %s: %w", g.Metric, day.Date, err)
			}
			narrow, wide := total.Bands[0], total.Bands[2]
			day.Expected = round(sofar + total.Value)
			day.Low80, day.High80, day.Low95, day.High95 = round(sofar+narrow.Low), round(sofar+narrow.High), round(sofar+wide.Low), round(sofar+wide.High)
		}
		out = append(out, day)
	}
	return out, nil
}

// pace adds the forecast of a target for the end of its period.
func (o *Outlook) pace(row *Row, s *snapshot.Daily, g Goal) error {
	of := forecast.Goal{Target: g.Value, Elapsed: max(0, s.Last.Sub(g.Days.First)+1), Length: g.Days.Days()}
	pace, err := s.Prediction.Pace(s.Values, of)
	if err != nil {
		return fmt.Errorf("pace of %s %s: %w", g.Metric, g.Days, err)
	}
	round := o.call.Rounding(g.Metric)
	row.expect(pace.Finish, pace.Bands, round)
	row.Required = round(pace.Required)
	if row.Unseen = strings.Join(s.Unseen(of.Length-of.Elapsed), ", "); row.Unseen == "" {
		row.Chance, row.Status = new(answer.Percent(100*pace.Probability)), g.paceStatus(pace)
	}
	if o.call.View.DetailLevel != answer.SummaryLevel {
		if i := s.Index(of); i != nil {
			row.Index = new(answer.Ratio(*i))
		}
	}
	return nil
}

// SortByTime sorts targets: in progress, then upcoming (earliest first), then completed (newest first).
func SortByTime(rows []Row) {
	rank := func(r Row) (place, day int) {
		day = r.Start.Sub(civil.Date{})
		if r.Status == UnderWay {
			return 0, 0
		}
		if r.Status == Upcoming {
			return 1, day
		}
		return 2, -day
	}
	slices.SortStableFunc(rows, func(a, b Row) int {
		placeA, dayA := rank(a)
		placeB, dayB := rank(b)
		return cmp.Or(cmp.Compare(placeA, placeB), cmp.Compare(dayA, dayB))
	})
}
