package tools

import (
	"context"
	"fmt"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/pacing"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
)

// listTargets lists every goal: in progress, then upcoming, then completed (newest first).
func listTargets(ctx context.Context, c *toolkit.Call, a *ForecastingAnswer) error {
	found, all, err := pacing.Goals(ctx, c, a.Channel, a.PeriodType)
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
	first := found[0].Days.First
	for _, g := range found {
		first = civil.Earliest(first, g.Days.First)
	}
	known := map[snapshot.SeriesKey]*snapshot.Daily{}
	for _, g := range found {
		key := g.Key()
		if known[key] == nil {
			if known[key], err = c.DailySeries(ctx, key, civil.Range{First: first, Last: c.Today.AddDays(-1)}); err != nil {
				return err
			}
		}
		row := pacing.RowOf(c, g, known[key])
		if row.Status = g.Status(c.Today, row); row.Status == pacing.Met || row.Status == pacing.Missed {
			*a.Metrics.Closed++
		}
		if row.Status == pacing.Met {
			*a.Metrics.Met++
		}
		a.Rows = append(a.Rows, row)
	}
	pacing.SortByTime(a.Rows)
	now, ahead := countStatus(a.Rows, pacing.UnderWay), countStatus(a.Rows, pacing.Upcoming)
	a.Summary = fmt.Sprintf("%d of %s under way and %s upcoming. %d of %d closed targets were met.", now, answer.Plural(len(found), "target is", "targets are"), answer.Plural(ahead, "is", "are"), *a.Metrics.Met, *a.Metrics.Closed)
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

func countStatus(rows []pacing.Row, s pacing.Status) int {
	n := 0
	for _, r := range rows {
		if r.Status == s {
			n++
		}
	}
	return n
}

// howToLoadTargets describes the CSV that the import reads without a mapping.
const howToLoadTargets = "Set targets on the Forecasts page, or import a CSV file with the header metric,period,start,channel,value. " +
	"An example of a row is revenue,monthly,%s,,100000. Metrics are revenue, orders, spend and roas; periods are daily, weekly, monthly and quarterly. " +
	"An empty channel means the whole store."
