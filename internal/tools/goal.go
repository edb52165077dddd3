package tools

import (
	"cmp"
	"context"
	"slices"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/measure/forecast"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
	"assay/internal/warehouse"
)

// goal is a target with its days. Without a value it is only a period to forecast.
type goal struct {
	metric  snapshot.Metric
	channel measure.Channel
	period  PeriodType
	days    civil.Range
	value   float64
}

// goals returns the targets that match the answer's filters, and the number of all targets.
func goals(ctx context.Context, c *toolkit.Call, a *ForecastingAnswer) (found []goal, all int, err error) {
	targets, err := c.Targets(ctx)
	if err != nil {
		return nil, 0, err
	}
	for _, t := range targets {
		g := goalOf(t)
		if (a.Channel == "" || g.channel == a.Channel) && (a.PeriodType == "" || g.period == a.PeriodType) {
			found = append(found, g)
		}
	}
	slices.SortStableFunc(found, inOrder)
	return found, len(targets), nil
}

func goalOf(t warehouse.Target) goal {
	return goal{metric: snapshot.Metric(t.Metric), channel: t.Channel, period: PeriodType(t.Period), days: t.Days(), value: t.Value}
}

// inOrder sorts the whole store before channels, revenue first, and months before quarters, weeks and days.
func inOrder(a, b goal) int {
	metrics := []snapshot.Metric{snapshot.Revenue, snapshot.Orders, snapshot.ROAS, snapshot.Spend}
	return cmp.Or(
		cmp.Compare(a.channel, b.channel), cmp.Compare(slices.Index(metrics, a.metric), slices.Index(metrics, b.metric)),
		cmp.Compare(slices.Index(periodTypes, a.period), slices.Index(periodTypes, b.period)), a.days.First.Compare(b.days.First),
	)
}

// paceStatus is a goal's status from its forecast. For spend it reports whether the budget will be exceeded.
func (g goal) paceStatus(p forecast.Pace) ForecastStatus {
	if g.metric != snapshot.Spend {
		return ForecastStatus(p.Standing)
	}
	switch {
	case p.Probability >= 0.8:
		return OverBudget
	case p.Probability <= 0.2:
		return WithinBudget
	}
	return NearBudget
}

// outcome is the status of a goal whose period is over.
func (g goal) outcome(actual *float64) ForecastStatus {
	switch {
	case actual == nil:
		return Unknown
	case g.metric == snapshot.Spend && *actual > g.value, g.metric != snapshot.Spend && *actual < g.value:
		return Missed
	}
	return Met
}

// status is a goal's status without a forecast.
func (g goal) status(today civil.Date, row ForecastRow) ForecastStatus {
	switch {
	case g.days.First.After(today):
		return Upcoming
	case g.days.Contains(today):
		return UnderWay
	case row.Through != g.days.Last:
		return Unknown
	}
	return g.outcome(row.Actual)
}

func (g goal) key() snapshot.SeriesKey {
	return snapshot.SeriesKey{Metric: g.metric, Channel: g.channel}
}

// until returns the days of the goal up to a day.
func (g goal) until(last civil.Date) civil.Range {
	return civil.Range{First: g.days.First, Last: civil.Earliest(last, g.days.Last)}
}

// goalRow returns the row of a goal with its result so far.
func goalRow(c *toolkit.Call, g goal, s *snapshot.Daily) ForecastRow {
	round := c.Rounding(g.metric)
	row := ForecastRow{Metric: g.metric, Channel: g.channel, PeriodType: g.period, Start: g.days.First, End: g.days.Last}
	if g.value > 0 {
		row.Target = round(g.value)
	}
	sofar := g.until(s.Last)
	if len(s.Values) == 0 || sofar.Days() == 0 || g.days.First.Before(s.First) {
		return row
	}
	actual := c.Value(g.metric, s.Point(sofar))
	row.Actual, row.Through = round(actual), sofar.Last
	if row.Actual != nil && g.value > 0 {
		row.Attained = new(answer.Percent(100 * actual / g.value))
	}
	return row
}

// howToLoadTargets describes the CSV that the import reads without a mapping.
const howToLoadTargets = "Import a CSV with assay import: header metric,period,start,channel,value and rows such as revenue,monthly,%s,,100000 " +
	"(metric revenue, orders, spend or roas; period daily, weekly, monthly or quarterly; leave channel empty for the whole store)."
