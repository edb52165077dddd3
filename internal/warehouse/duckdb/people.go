package duckdb

import (
	"context"
	"fmt"

	"assay/internal/civil"
)

// panelSize is the number of customers in the panel: enough for ten channels of some thousand each, and few enough
// for a question to read all.
const panelSize = 20_000

// cohortOrders is the approximate number of orders per cohort rebuild. It is larger than a slice, because each
// rebuild scans all customers and an order needs less memory here.
const cohortOrders = 4 * sliceOrders

// people rebuilds roll-ups of customers and answers that span several days: cohorts by month, the panel, answers
// without an order.
func (r rollup) people(ctx context.Context) error {
	if err := r.answersAlone(ctx); err != nil {
		return err
	}
	n, err := r.count(ctx, "SELECT count(*) FROM dirty")
	if err != nil || n == 0 {
		return err
	}
	if err := r.cohorts(ctx); err != nil {
		return fmt.Errorf("cohorts: %w", err)
	}
	return r.panel(ctx)
}

// panel updates the panel.
func (r rollup) panel(ctx context.Context) error {
	err := r.exec(ctx, fmt.Sprintf(`
CREATE TEMP MACRO panel_size() AS %d;
CREATE TEMP TABLE panel_dirty AS SELECT DISTINCT day FROM dirty WHERE day IS NOT NULL`, r.engine.panelSize))
	if err != nil {
		return err
	}
	var days civil.Range
	var n int
	row := r.conn.QueryRowContext(ctx, "SELECT min(day), max(day), count(*) FROM panel_dirty")
	if err := row.Scan(&days.First, &days.Last, &n); err != nil || n == 0 {
		return err
	}
	if err := r.exec(ctx, inDays("in_panel_dirty", "panel_dirty", days, n)); err != nil {
		return err
	}
	return r.runFile(ctx, "rollups/panel.sql")
}

// cohorts rebuilds the months in which the activity of a cohort may have changed: the months of changed days, and all
// months with orders of customers whose first order is on a changed day, because that order may have moved or changed
// its channel. Months are rebuilt together while their number of orders is below a limit.
func (r rollup) cohorts(ctx context.Context) error {
	months := "SELECT day FROM dirty"
	if !r.fresh {
		months += `
    UNION ALL
    SELECT DISTINCT o.day
    FROM {{order_rows}} o
    SEMI JOIN (SELECT customer FROM {{buyers}} WHERE day IN (SELECT day FROM dirty)) b ON b.customer = o.customer`
	}
	err := r.exec(ctx, "CREATE OR REPLACE TEMP TABLE cohort_months_wanted AS SELECT DISTINCT CAST(date_trunc('month', day) AS DATE) AS month FROM ("+months+")")
	if err != nil {
		return err
	}
	if err := r.runFile(ctx, "rollups/cohort_members.sql"); err != nil {
		return err
	}
	batches, err := r.cut(ctx, cohortOrders, `
SELECT w.month, count(o.day)
FROM cohort_months_wanted w
LEFT JOIN {{order_rows}} o ON CAST(date_trunc('month', o.day) AS DATE) = w.month
GROUP BY w.month
ORDER BY w.month`)
	if err != nil {
		return err
	}
	for _, batch := range batches {
		// no month is longer, and cohort_days is exact
		days := civil.Range{First: batch.First, Last: batch.Last.AddDays(30)}
		err := r.exec(ctx, fmt.Sprintf(`
CREATE OR REPLACE TEMP TABLE cohort_months_dirty AS SELECT month FROM cohort_months_wanted WHERE %s;
CREATE OR REPLACE TEMP MACRO in_cohort_months(d) AS (%s)`, between("month", batch), between("d", days)))
		if err != nil {
			return err
		}
		if err := r.runFile(ctx, "rollups/cohorts.sql"); err != nil {
			return err
		}
	}
	return nil
}

// answersAlone updates the answers without an order, if answers were imported or stored ones may have found their
// order.
func (r rollup) answersAlone(ctx context.Context) error {
	c := r.counts[surveys.name]
	alone := c.Inserted + c.Updated + c.Removed
	if alone == 0 {
		var err error
		alone, err = r.count(ctx, "SELECT count(*) FROM (SELECT 1 FROM {{order_answers}} WHERE order_day IS NULL LIMIT 1)")
		if err != nil {
			return err
		}
	}
	if alone == 0 {
		return nil
	}
	if err := r.runFile(ctx, "rollups/answers_alone.sql"); err != nil {
		return err
	}
	return r.runFile(ctx, "rollups/answer_days.sql")
}
