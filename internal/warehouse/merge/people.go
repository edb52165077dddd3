package merge

import (
	"context"
	"fmt"

	"assay/internal/warehouse/facts"
)

// PanelSize is the number of customers in the panel. The number is sufficient for ten channels with a few thousand
// customers each, and small enough for one query.
const PanelSize = 20_000

// cohortOrders is the approximate number of orders per cohort rebuild. The number is larger than sliceOrders, because
// each rebuild scans all customers and an order needs less memory in this roll-up.
const cohortOrders = 4 * sliceOrders

// people rebuilds the roll-ups of customers and survey answers that span several days: monthly cohorts, the panel, and
// survey answers without an order.
func (r rollup) people(ctx context.Context) error {
	if err := r.answersAlone(ctx); err != nil {
		return err
	}
	n, err := r.count(ctx, "dirty")
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
	if err := r.run(ctx, "sql/panel_days_dirty", args{"size": r.panelSize}); err != nil {
		return err
	}
	days, n, err := r.span(ctx, "panel_dirty")
	if err != nil || n == 0 {
		return err
	}
	if err := r.inDays(ctx, "in_panel_dirty", "panel_dirty", days, n); err != nil {
		return err
	}
	refunds, err := r.any(ctx, facts.RefundsTable.Name)
	if err != nil {
		return err
	}
	lines, err := r.any(ctx, facts.LinesTable.Name)
	if err != nil {
		return err
	}
	return r.run(ctx, "rollups/panel", args{"fresh": r.fresh, "refunds": refunds, "lines": lines})
}

// cohorts rebuilds the months in which the activity of a cohort may have changed. It rebuilds months together, up to a
// limit on their number of orders.
func (r rollup) cohorts(ctx context.Context) error {
	if err := r.run(ctx, "sql/cohort_months_wanted", args{"fresh": r.fresh}); err != nil {
		return err
	}
	if err := r.run(ctx, "rollups/cohort_members", nil); err != nil {
		return err
	}
	batches, err := r.cut(ctx, cohortOrders, "sql/orders_per_month", nil)
	if err != nil {
		return err
	}
	for _, batch := range batches {
		values := args{"first": batch.First, "last": batch.Last}
		if err := r.runEach(ctx, values, "sql/cohort_months_dirty", "rollups/cohorts"); err != nil {
			return err
		}
	}
	return nil
}

// answersAlone updates the roll-up of survey answers without an order. It runs if the import changed survey answers, or
// if stored answers have no order yet.
func (r rollup) answersAlone(ctx context.Context) error {
	c := r.counts[facts.SurveysTable.Name]
	alone := c.Inserted + c.Updated + c.Removed
	if alone == 0 {
		var err error
		alone, err = r.count(ctx, "(SELECT 1 FROM "+r.texts.table("order_answers")+" WHERE order_day IS NULL LIMIT 1)")
		if err != nil {
			return err
		}
	}
	if alone == 0 {
		return nil
	}
	return r.runEach(ctx, nil, "rollups/answers_alone", "rollups/answer_days")
}
