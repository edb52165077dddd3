package tools

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/measure/forecast"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
	"assay/internal/warehouse"
)

// periodType is the kind of period that a target is for.
type periodType string

const (
	dailyPeriod     periodType = "daily"
	weeklyPeriod    periodType = "weekly"
	monthlyPeriod   periodType = "monthly"
	quarterlyPeriod periodType = "quarterly"
)

// periodTypes are in the order in which goals are looked at.
var periodTypes = []periodType{monthlyPeriod, quarterlyPeriod, weeklyPeriod, dailyPeriod}

// around returns the calendar's period of this kind that holds the day.
func (t periodType) around(day civil.Date) civil.Range {
	switch t {
	case weeklyPeriod:
		first := civil.ByWeek.Start(day)
		return civil.Range{First: first, Last: first.AddDays(6)}
	case monthlyPeriod:
		first := civil.ByMonth.Start(day)
		return civil.Range{First: first, Last: civil.ByMonth.Next(first).AddDays(-1)}
	case quarterlyPeriod:
		first := civil.New(day.Year(), (day.Month()-1)/3*3+1, 1)
		return civil.Range{First: first, Last: civil.New(first.Year(), first.Month()+3, 1).AddDays(-1)}
	case dailyPeriod:
	}
	return civil.Range{First: day, Last: day}
}

// forecastStatus is where a goal stands.
type forecastStatus string

const (
	onTrack  = forecastStatus(forecast.OnTrack)
	atRisk   = forecastStatus(forecast.AtRisk)
	offTrack = forecastStatus(forecast.Off)

	// Spend has no goal but a limit.
	overBudget   forecastStatus = "over_budget"
	withinBudget forecastStatus = "within_budget"
	eitherBudget forecastStatus = "near_budget"

	upcoming forecastStatus = "upcoming"
	underWay forecastStatus = "under_way"
	met      forecastStatus = "met"
	missed   forecastStatus = "missed"
	unknown  forecastStatus = "unknown"
)

// goal is a target with the days it is for; without a value it is only a period to forecast.
type goal struct {
	metric  snapshot.Metric
	channel measure.Channel
	period  periodType
	days    civil.Range
	value   float64
}

// goals reads the targets that match the answer's filters, and counts all.
func goals(c *toolkit.Call, ctx context.Context, a *forecastingAnswer) (found []goal, all int, err error) {
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
	return goal{metric: snapshot.Metric(t.Metric), channel: t.Channel, period: periodType(t.Period), days: t.Days(), value: t.Value}
}

// inOrder sorts the store before channels, revenue first, months before quarters, weeks and days.
func inOrder(a, b goal) int {
	metrics := []snapshot.Metric{snapshot.Revenue, snapshot.Orders, snapshot.ROAS, snapshot.Spend}
	return cmp.Or(
		cmp.Compare(a.channel, b.channel), cmp.Compare(slices.Index(metrics, a.metric), slices.Index(metrics, b.metric)),
		cmp.Compare(slices.Index(periodTypes, a.period), slices.Index(periodTypes, b.period)), a.days.First.Compare(b.days.First),
	)
}

// standing is a goal's status; a budget's says whether it will be exceeded.
func (g goal) standing(p forecast.Pace) forecastStatus {
	if g.metric != snapshot.Spend {
		return forecastStatus(p.Standing)
	}
	switch {
	case p.Probability >= 0.8:
		return overBudget
	case p.Probability <= 0.2:
		return withinBudget
	}
	return eitherBudget
}

// outcome is the status of a goal whose period is over.
func (g goal) outcome(actual *float64) forecastStatus {
	switch {
	case actual == nil:
		return unknown
	case g.metric == snapshot.Spend && *actual > g.value, g.metric != snapshot.Spend && *actual < g.value:
		return missed
	}
	return met
}

// listTargets shows every goal: those under way, then those to come, then those that are over, the last first.
func listTargets(c *toolkit.Call, ctx context.Context, a *forecastingAnswer) error {
	found, all, err := goals(c, ctx, a)
	if err != nil {
		return err
	}
	a.Metrics = forecastMetrics{Targets: new(len(found)), Closed: new(0), Met: new(0)}
	if len(found) == 0 {
		a.Summary = "There are no targets."
		if all > 0 {
			a.Summary = fmt.Sprintf("None of %s matches.", answer.Plural(all, "target", "targets"))
		}
		a.Warn(answer.WarnNoTargets, fmt.Sprintf(howToLoadTargets, civil.ByMonth.Start(c.Today)))
		return nil
	}
	first := found[0].days.First
	for _, g := range found {
		first = civil.Earliest(first, g.days.First)
	}
	known := map[snapshot.SeriesKey]*snapshot.Daily{}
	for _, g := range found {
		key := snapshot.SeriesKey{Metric: g.metric, Channel: g.channel}
		if known[key] == nil {
			if known[key], err = c.DailySeries(ctx, key, civil.Range{First: first, Last: c.Today.AddDays(-1)}); err != nil {
				return err
			}
		}
		row := goalRow(c, g, known[key])
		if row.Status = g.status(c.Today, row); row.Status == met || row.Status == missed {
			*a.Metrics.Closed++
		}
		if row.Status == met {
			*a.Metrics.Met++
		}
		a.Rows = append(a.Rows, row)
	}
	byTime(a.Rows)
	now, ahead := countStatus(a.Rows, underWay), countStatus(a.Rows, upcoming)
	a.Summary = fmt.Sprintf("%s: %d under way, %d to come. %d of %d that are over were met.", answer.Plural(len(found), "target", "targets"), now, ahead, *a.Metrics.Met, *a.Metrics.Closed)
	if open := len(found) - now - ahead - *a.Metrics.Closed; open > 0 {
		a.Warn(answer.WarnNotJudged, fmt.Sprintf("%s over and cannot be judged: the data do not cover the whole period.", answer.Plural(open, "target is", "targets are")))
	}
	arguments := map[string]any{"aspect": string(pacingAspect)}
	if a.Channel != "" {
		arguments["channel"] = string(a.Channel)
	}
	c.Suggest(&a.Closing, "forecasting", arguments, "See whether the targets under way will be met.")
	return nil
}

// status is where a goal stands without a forecast.
func (g goal) status(today civil.Date, row forecastRow) forecastStatus {
	switch {
	case g.days.First.After(today):
		return upcoming
	case g.days.Contains(today):
		return underWay
	case row.Through != g.days.Last:
		return unknown
	}
	return g.outcome(row.Actual)
}

// byTime sorts goals under way first, then those to come, the next first, then those that are over, the last first.
func byTime(rows []forecastRow) {
	rank := func(r forecastRow) (place, day int) {
		day = r.Start.Sub(civil.Date{})
		if r.Status == underWay {
			return 0, 0
		}
		if r.Status == upcoming {
			return 1, day
		}
		return 2, -day
	}
	slices.SortStableFunc(rows, func(a, b forecastRow) int {
		placeA, dayA := rank(a)
		placeB, dayB := rank(b)
		return cmp.Or(cmp.Compare(placeA, placeB), cmp.Compare(dayA, dayB))
	})
}

func countStatus(rows []forecastRow, s forecastStatus) int {
	n := 0
	for _, r := range rows {
		if r.Status == s {
			n++
		}
	}
	return n
}
