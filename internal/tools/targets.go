package tools

import (
	"context"
	"fmt"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/pacing"
	"assay/internal/toolkit"
)

// listTargets lists every target: in progress, then upcoming, then completed (newest first).
func listTargets(ctx context.Context, c *toolkit.Call, a *ForecastingAnswer) error {
	found, all, err := pacing.Goals(ctx, c, a.Channel, a.PeriodType)
	if err != nil {
		return err
	}
	a.Metrics = ForecastMetrics{Targets: new(len(found)), Closed: new(0), Met: new(0)}
	if len(found) == 0 {
		a.Summary = "No targets are set."
		if all > 0 {
			a.Summary = fmt.Sprintf("None of %s matches the filters.", answer.Plural(all, "target", "targets"))
		}
		a.Warn(answer.WarnNoTargets, fmt.Sprintf(howToLoadTargets, civil.ByMonth.Start(c.Today)))
		return nil
	}
	rows, err := pacing.Judged(ctx, c, found)
	if err != nil {
		return err
	}
	*a.Metrics.Met = countStatus(rows, pacing.Met)
	*a.Metrics.Closed = *a.Metrics.Met + countStatus(rows, pacing.Missed)
	now, ahead := countStatus(rows, pacing.UnderWay), countStatus(rows, pacing.Upcoming)
	a.Summary = fmt.Sprintf("%d of %s under way and %s upcoming. %d of %d closed targets were met.", now, answer.Plural(len(found), "target is", "targets are"), answer.Plural(ahead, "is", "are"), *a.Metrics.Met, *a.Metrics.Closed)
	if open := len(found) - now - ahead - *a.Metrics.Closed; open > 0 {
		a.Warn(answer.WarnNotJudged, fmt.Sprintf("%s ended without a result, because the data do not cover the whole period.", answer.Plural(open, "target has", "targets have")))
	}
	if a.Rows, err = combineTargets(ctx, c, a, found, rows); err != nil {
		return err
	}
	arguments := map[string]any{"aspect": string(PacingAspect)}
	if a.Channel != "" {
		arguments["channel"] = string(a.Channel)
	}
	c.Suggest(&a.Closing, "forecasting", arguments, "Forecast the targets under way.")
	return nil
}

// maxTargets is the maximum number of rows that fit at the analyst level.
const maxTargets = 60

// combineTargets sums daily targets by week or month if there are too many rows, and suggests a call that lists every
// daily target.
func combineTargets(ctx context.Context, c *toolkit.Call, a *ForecastingAnswer, found []pacing.Goal, rows []pacing.Row) ([]pacing.Row, error) {
	goals, by := pacing.Combined(found, maxTargets)
	if by == "" || c.View.DetailLevel == answer.DebugLevel {
		return rows, nil
	}
	a.Summary += fmt.Sprintf(" Each row is the sum of the daily targets of a %s.", by)
	arguments := map[string]any{
		"aspect": string(TargetsAspect), "period_type": string(pacing.DailyPeriod), "detail_level": string(answer.DebugLevel), "format": string(answer.CSVFormat),
	}
	if a.Channel != "" {
		arguments["channel"] = string(a.Channel)
	}
	c.Suggest(&a.Closing, "forecasting", arguments, "See every daily target.")
	return pacing.Judged(ctx, c, goals)
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
const howToLoadTargets = "To set targets, use the Forecasts & targets page or import a CSV file with the header metric,period,start,channel,value. " +
	"An example of a row is revenue,monthly,%s,,100000. Metrics are revenue, orders, spend and roas; periods are daily, weekly, monthly and quarterly. " +
	"An empty channel means the whole store."
