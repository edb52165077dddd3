package warehouse

import (
	"context"
	"time"

	"assay/internal/civil"
	"assay/internal/measure"
)

// Targets returns every goal, sorted by first day, kind of period, metric and channel.
func (w *Warehouse) Targets(ctx context.Context, ws measure.WorkspaceID) ([]Target, error) {
	var out []Target
	err := w.ask(ctx, ws, "targets", nil, func(row Row) error {
		var t Target
		err := row.Scan(&t.Metric, &t.Period, &t.Start, &t.Channel, &t.Value)
		out = append(out, t)
		return err
	})
	return out, err
}

// Days returns the days that the goal is for: one, seven, or those until the same day of the next month or of the third
// month after. A day that the month does not have carries over into the one after.
func (t Target) Days() civil.Range {
	days := civil.Range{First: t.Start, Last: t.Start}
	later := func(months int) civil.Date {
		return civil.New(t.Start.Year(), t.Start.Month()+time.Month(months), t.Start.Day()).AddDays(-1)
	}
	switch t.Period {
	case "weekly":
		days.Last = t.Start.AddDays(6)
	case "monthly":
		days.Last = later(1)
	case "quarterly":
		days.Last = later(3)
	}
	return days
}
