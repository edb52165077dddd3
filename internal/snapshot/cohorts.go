package snapshot

import (
	"context"
	"fmt"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/measure/cohort"
	"assay/internal/warehouse"
)

// Cohorts returns the monthly cohorts of customers with a first order in the given months.
func (c *Snapshot) Cohorts(ctx context.Context, channel measure.Channel, months civil.Range) ([]cohort.Cohort, error) {
	found, err := c.facts.Cohorts(ctx, c.Workspace.ID, channel, months)
	if err != nil {
		return nil, fmt.Errorf("cohorts %s: %w", months, err)
	}
	c.note("cohorts", len(found))
	return cohortsOf(found, civil.ByMonth.Start(c.Store.OrderDays.Last), monthIsPartial(c)), nil
}

// monthIsPartial reports whether the month of the store's last order is incomplete: it is still running, or the orders
// end before its last day.
func monthIsPartial(c *Snapshot) bool {
	last := c.Store.OrderDays.Last
	end := civil.ByMonth.Next(last).AddDays(-1)
	return !last.IsZero() && (last.Before(end) || !end.Before(c.Today))
}

// cohortsOf returns cohorts by month, up to the store's last month. A month without customers has a cohort with zeros.
func cohortsOf(found []warehouse.CohortMonth, last civil.Date, partial bool) []cohort.Cohort {
	var list []cohort.Cohort
	at := map[civil.Date]int{}
	for _, m := range found {
		if m.Month == m.Cohort {
			at[m.Cohort] = len(list)
			later := cohort.Cohort{Start: m.Cohort, Customers: int(m.Active), LastIsPartial: partial}
			for month := civil.ByMonth.Next(m.Cohort); !month.After(last); month = civil.ByMonth.Next(month) {
				later.Active = append(later.Active, 0)
			}
			list = append(list, later)
			continue
		}
		months := (m.Month.Year()-m.Cohort.Year())*12 + int(m.Month.Month()) - int(m.Cohort.Month())
		if i, ok := at[m.Cohort]; ok && months <= len(list[i].Active) {
			list[i].Active[months-1] = int(m.Active)
		}
	}
	return list
}
