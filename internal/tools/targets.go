package tools

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
)

// listTargets lists every goal: under way, then upcoming, then over (newest first).
func listTargets(ctx context.Context, c *toolkit.Call, a *ForecastingAnswer) error {
	found, all, err := goals(ctx, c, a)
	if err != nil {
		return err
	}
	a.Metrics = ForecastMetrics{Targets: new(len(found)), Closed: new(0), Met: new(0)}
	if len(found) == 0 {
		a.Summary = "No targets are loaded."
		if all > 0 {
			a.Summary = fmt.Sprintf("None of %s matches the filters.", answer.Plural(all, "target", "targets"))
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
		if row.Status = g.status(c.Today, row); row.Status == Met || row.Status == Missed {
			*a.Metrics.Closed++
		}
		if row.Status == Met {
			*a.Metrics.Met++
		}
		a.Rows = append(a.Rows, row)
	}
	byTime(a.Rows)
	now, ahead := countStatus(a.Rows, UnderWay), countStatus(a.Rows, Upcoming)
	a.Summary = fmt.Sprintf("%s: %d under way, %d upcoming. %d of %d closed targets were met.", answer.Plural(len(found), "target", "targets"), now, ahead, *a.Metrics.Met, *a.Metrics.Closed)
	if open := len(found) - now - ahead - *a.Metrics.Closed; open > 0 {
		a.Warn(answer.WarnNotJudged, fmt.Sprintf("%s over without a result: the data do not cover the whole period.", answer.Plural(open, "target is", "targets are")))
	}
	arguments := map[string]any{"aspect": string(PacingAspect)}
	if a.Channel != "" {
		arguments["channel"] = string(a.Channel)
	}
	c.Suggest(&a.Closing, "forecasting", arguments, "Forecast the targets under way.")
	return nil
}

// byTime sorts goals: under way, then upcoming (earliest first), then over (newest first).
func byTime(rows []ForecastRow) {
	rank := func(r ForecastRow) (place, day int) {
		day = r.Start.Sub(civil.Date{})
		if r.Status == UnderWay {
			return 0, 0
		}
		if r.Status == Upcoming {
			return 1, day
		}
		return 2, -day
	}
	slices.SortStableFunc(rows, func(a, b ForecastRow) int {
		placeA, dayA := rank(a)
		placeB, dayB := rank(b)
		return cmp.Or(cmp.Compare(placeA, placeB), cmp.Compare(dayA, dayB))
	})
}

func countStatus(rows []ForecastRow, s ForecastStatus) int {
	n := 0
	for _, r := range rows {
		if r.Status == s {
			n++
		}
	}
	return n
}
