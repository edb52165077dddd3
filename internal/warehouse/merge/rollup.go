package merge

import (
	"context"
	"fmt"

	"assay/internal/civil"
	"assay/internal/warehouse"
	"assay/internal/warehouse/facts"
)

// sliceOrders is the approximate number of orders that are rolled up together. It limits the memory of a rebuild.
const sliceOrders = 1_000_000

// customers updates the first orders of customers. It records the days of orders that became a first order or stopped
// being one, and the days of their refunds.
func (r rollup) customers(ctx context.Context) error {
	orders := r.of(facts.OrdersTable)
	if r.fresh {
		switch {
		case orders.rows == 0:
			return nil
		case orders.direct && !orders.Tied:
			return r.run(ctx, "sql/first_by_time", nil)
		}
		return r.run(ctx, "sql/first_of_all", nil)
	}
	n, err := r.count(ctx, "touched_customers")
	if err != nil || n == 0 {
		return err
	}
	c := r.counts[orders.Name]
	added := r.of(facts.TiesTable).rows == 0 && c.Updated == 0
	if added && c.Inserted == 0 {
		return nil
	}
	return r.runEach(ctx, args{"added": added}, "sql/first_before", "sql/first_after", "sql/first_changed")
}

// rebuild rebuilds the roll-ups of changed days and of days that a migration marked. The result due reports whether
// days were marked.
func (r rollup) rebuild(ctx context.Context) (due bool, err error) {
	if err := r.rollUpSpend(ctx); err != nil {
		return false, err
	}
	if due, err = r.any(ctx, "rebuild_days"); err != nil {
		return false, err
	}
	if due {
		if err := r.run(ctx, "sql/marked_days", nil); err != nil {
			return false, err
		}
	}
	if err := r.rollUpDays(ctx); err != nil {
		return false, err
	}
	return due, r.people(ctx)
}

// rollUpSpend rebuilds the cost of ads and channels on changed days.
func (r rollup) rollUpSpend(ctx context.Context) error {
	days, n, err := r.span(ctx, "spend_dirty")
	if err != nil || n == 0 {
		return err
	}
	if err := r.inDays(ctx, "in_spend", "spend_dirty", days, n); err != nil {
		return err
	}
	return r.run(ctx, "rollups/spend", nil)
}

// rollUpDays rebuilds the totals of orders and refunds on changed days.
func (r rollup) rollUpDays(ctx context.Context) error {
	days, n, err := r.span(ctx, "dirty")
	if err != nil || n == 0 {
		return err
	}
	slices, err := r.cut(ctx, sliceOrders, "sql/orders_per_day", args{"first": days.First, "last": days.Last})
	if err != nil {
		return err
	}
	steps, err := r.steps(ctx)
	if err != nil {
		return err
	}
	for _, days := range slices {
		if err := r.rollUpSlice(ctx, days, steps); err != nil {
			return fmt.Errorf("roll-up of %s: %w", days, err)
		}
	}
	return nil
}

// steps returns the names of the SQL templates to run for each slice. It skips a step if the store has no facts for the
// step and the import removed none. The roll-ups of the step are then empty. It never skips the store's days, because
// they include refunds without orders.
func (r rollup) steps(ctx context.Context) ([]string, error) {
	if err := r.run(ctx, "rollups/1_tables", nil); err != nil {
		return nil, err
	}
	var names []string
	for _, step := range []struct {
		name string
		of   []*facts.Table // facts that the step reads, at least one of them; nil: the step always runs
	}{
		{"rollups/2_refunds", []*facts.Table{facts.RefundsTable}},
		{"rollups/2_events", []*facts.Table{facts.LinesTable, facts.TouchesTable, facts.CouponsTable, facts.SurveysTable}},
		{"rollups/3_paths", []*facts.Table{facts.TouchesTable}},
		{"rollups/4_codes", []*facts.Table{facts.CouponsTable}},
		{"rollups/5_days", nil},
		{"rollups/6_campaigns", []*facts.Table{facts.TouchesTable}},
		{"rollups/7_lines", []*facts.Table{facts.LinesTable}},
		{"rollups/8_coupons", []*facts.Table{facts.CouponsTable}},
		{"rollups/9_segments", nil},
		{"rollups/10_journeys", []*facts.Table{facts.TouchesTable}},
		{"rollups/11_answers", []*facts.Table{facts.SurveysTable}},
		{"rollups/answer_days", []*facts.Table{facts.SurveysTable}},
		{"rollups/12_ties", []*facts.Table{facts.TouchesTable, facts.CouponsTable, facts.SurveysTable}},
		{"rollups/13_creators", nil},
	} {
		wanted, err := r.concerns(ctx, step.of)
		if err != nil {
			return nil, err
		}
		if wanted {
			names = append(names, step.name)
		}
	}
	return names, nil
}

// concerns reports whether the store has rows of any of the tables, or had rows before this import. Without tables it
// returns true.
func (r rollup) concerns(ctx context.Context, tables []*facts.Table) (bool, error) {
	for _, t := range tables {
		if r.counts[t.Name].Removed > 0 {
			return true, nil
		}
		if any, err := r.any(ctx, t.Name); err != nil || any {
			return any, err
		}
	}
	return len(tables) == 0, nil
}

func (r rollup) rollUpSlice(ctx context.Context, days civil.Range, steps []string) error {
	if err := r.run(ctx, "sql/slice", args{"first": days.First, "last": days.Last}); err != nil {
		return err
	}
	n, err := r.count(ctx, "slice")
	if err != nil {
		return err
	}
	if err := r.inDays(ctx, "in_slice", "slice", days, int(n)); err != nil {
		return err
	}
	for _, name := range steps {
		if err := r.run(ctx, name, nil); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// inDays creates a macro that reports whether a day is one of the n days of a table.
func (r rollup) inDays(ctx context.Context, macro, table string, days civil.Range, n int) error {
	values := args{"macro": macro, "first": days.First, "last": days.Last, "table": ""}
	if n < days.Days() {
		values["table"] = table
	}
	return r.run(ctx, "sql/in_days", values)
}

// cut splits the days that a query returns into periods with a bounded number of orders. Each row of the query has a
// day and its number of orders.
func (r rollup) cut(ctx context.Context, most int64, name string, values args) ([]civil.Range, error) {
	var cut []civil.Range
	var orders int64
	err := r.each(ctx, name, values, func(row warehouse.Row) error {
		var day civil.Date
		var n int64
		if err := row.Scan(&day, &n); err != nil {
			return err
		}
		if len(cut) == 0 || orders+n > most {
			cut, orders = append(cut, civil.Range{First: day}), 0
		}
		orders += n
		cut[len(cut)-1].Last = day
		return nil
	})
	return cut, err
}
