package duckdb

import (
	"context"
	"fmt"

	"assay/internal/civil"
)

// panelSize is how many customers the panel holds: enough for ten channels of some thousand each, and few enough to be
// read whole by a question.
const panelSize = 20_000

// people rebuilds the roll-ups that follow customers and answers over more than their day: cohorts by month, the panel,
// answers without an order.
func (m *merge) people(ctx context.Context) error {
	if err := m.answersAlone(ctx); err != nil {
		return err
	}
	n, err := m.count(ctx, "SELECT count(*) FROM dirty")
	if err != nil || n == 0 {
		return err
	}
	months, err := m.cohortMonths(ctx)
	if err != nil {
		return fmt.Errorf("months of cohorts: %w", err)
	}
	for _, month := range months {
		if err := m.exec(ctx, "CREATE OR REPLACE TEMP TABLE cohort_month AS SELECT CAST('"+month.String()+"' AS DATE) AS month"); err != nil {
			return err
		}
		if err := m.runFile(ctx, "rollups/cohorts.sql"); err != nil {
			return err
		}
	}
	if err := m.exec(ctx, fmt.Sprintf("CREATE OR REPLACE TEMP MACRO panel_size() AS %d", panelSize)); err != nil {
		return err
	}
	return m.runFile(ctx, "rollups/panel.sql")
}

// cohortMonths lists the months in which the activity of a cohort may have changed: those of the days that changed,
// and all months in which customers ordered whose first order is of such a day, because it may have moved there or
// have got another channel.
func (m *merge) cohortMonths(ctx context.Context) ([]civil.Date, error) {
	rows, err := m.conn.QueryContext(ctx, m.w.text(`
SELECT DISTINCT CAST(date_trunc('month', day) AS DATE) AS month
FROM (
    SELECT day FROM dirty
    UNION ALL
    SELECT DISTINCT o.day
    FROM {{orders}} o
    SEMI JOIN (SELECT customer FROM {{buyers}} WHERE day IN (SELECT day FROM dirty)) b ON b.customer = o.customer
)
ORDER BY month`))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var months []civil.Date
	for rows.Next() {
		var month civil.Date
		if err := rows.Scan(&month); err != nil {
			return nil, err
		}
		months = append(months, month)
	}
	return months, rows.Err()
}

// answersAlone brings the answers without an order up to date, when answers came or when there are some whose order
// may have come.
func (m *merge) answersAlone(ctx context.Context) error {
	c := m.counts[surveys.name]
	alone := c.Inserted + c.Updated + c.Removed
	if alone == 0 {
		var err error
		alone, err = m.count(ctx, "SELECT count(*) FROM (SELECT 1 FROM {{order_answers}} WHERE order_day IS NULL LIMIT 1)")
		if err != nil {
			return err
		}
	}
	if alone == 0 {
		return nil
	}
	return m.runFile(ctx, "rollups/answers_alone.sql")
}
