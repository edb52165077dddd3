package pacing

import (
	"context"

	"assay/internal/civil"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
)

// Judged returns the rows of targets with their results and statuses, sorted by time.
func Judged(ctx context.Context, c *toolkit.Call, goals []Goal) ([]Row, error) {
	var first civil.Date
	for _, g := range goals {
		first = civil.Earliest(first.Or(g.Days.First), g.Days.First)
	}
	known := map[snapshot.SeriesKey]*snapshot.Daily{}
	rows := make([]Row, 0, len(goals))
	for _, g := range goals {
		key := g.Key()
		if known[key] == nil {
			series, err := c.DailySeries(ctx, key, civil.Range{First: first, Last: c.Today.AddDays(-1)})
			if err != nil {
				return nil, err
			}
			known[key] = series
		}
		row := RowOf(c, g, known[key])
		row.Status = g.Status(c.Today, row)
		rows = append(rows, row)
	}
	SortByTime(rows)
	return rows, nil
}

// Combined reduces the number of targets to at most the parameter fit, if possible. It sums daily targets by week, or
// by month if there are too many weeks. If there are not more than that, the targets are unchanged and the granularity
// is "".
func Combined(goals []Goal, fit int) ([]Goal, civil.Granularity) {
	if len(goals) <= fit {
		return goals, ""
	}
	weeks := summed(goals, civil.ByWeek)
	if len(weeks) <= fit {
		return weeks, civil.ByWeek
	}
	return summed(goals, civil.ByMonth), civil.ByMonth
}

// summed sums daily targets of consecutive days in a calendar week or month. Targets for a ratio are combined only if
// they are equal, because ratios have no sum.
func summed(goals []Goal, g civil.Granularity) []Goal {
	var out []Goal
	for _, next := range goals {
		last := len(out) - 1
		if last < 0 || !out[last].joins(next, g) {
			next.Parts = 1
			out = append(out, next)
			continue
		}
		out[last].Days.Last = next.Days.Last
		out[last].Parts++
		if next.Metric != snapshot.ROAS {
			out[last].Value += next.Value
		}
	}
	return out
}

// joins reports whether the next daily target continues this target in the same week or month.
func (g Goal) joins(next Goal, by civil.Granularity) bool {
	return g.Period == DailyPeriod && next.Period == DailyPeriod && g.Key() == next.Key() &&
		next.Days.First == g.Days.Last.AddDays(1) && by.Start(next.Days.First) == by.Start(g.Days.First) &&
		(g.Metric != snapshot.ROAS || g.Value == next.Value)
}
