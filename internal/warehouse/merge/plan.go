package merge

import (
	"context"
	"fmt"

	"assay/internal/civil"
	"assay/internal/warehouse"
	"assay/internal/warehouse/facts"
)

// merge merges the rows. Unless the import is a dry run, it also rebuilds roll-ups and writes the import ledger and the
// history of days.
func (p *plan) merge(ctx context.Context) (out warehouse.Outcome, err error) {
	for _, of := range p.all {
		if of.rows > 0 {
			p.parts = append(p.parts, of)
		}
	}
	if err := p.mergeRows(ctx); err != nil {
		return out, err
	}
	out = warehouse.Outcome{Tables: p.counts, Version: p.version, Older: p.stale, Waiting: p.waiting, Shared: p.shared}
	if err := p.one(ctx, "sql/days_hit", nil, &out.Days.First, &out.Days.Last, &out.DaysHit); err != nil || p.spec.DryRun {
		return out, err
	}
	due, err := rollup{p}.rebuild(ctx)
	if err != nil {
		return out, err
	}
	first, err := p.firstOfDay(ctx)
	if err != nil {
		return out, err
	}
	if due || first || p.changed() {
		out.Version++
	}
	if out.ID, err = p.record(ctx, out); err != nil {
		return out, fmt.Errorf("ledger: %w", err)
	}
	if err := (dayHistory{p}).remember(ctx); err != nil {
		return out, fmt.Errorf("history of days: %w", err)
	}
	return out, nil
}

// changed reports whether any row changed.
func (p *plan) changed() bool {
	for _, c := range p.counts {
		if c.Inserted+c.Updated+c.Removed > 0 {
			return true
		}
	}
	return false
}

// mergeRows finds all changes before it writes any, because roll-ups are rebuilt on the days of both old and new rows.
func (p *plan) mergeRows(ctx context.Context) error {
	if err := p.prepare(ctx); err != nil {
		return err
	}
	if err := (identities{p}).unite(ctx); err != nil {
		return fmt.Errorf("customer identities: %w", err)
	}
	if err := (reportWindows{p}).replaceEmptyWindows(ctx); err != nil {
		return err
	}
	if err := p.forget(ctx); err != nil {
		return fmt.Errorf("profiles of forgotten customers: %w", err)
	}
	if err := p.unset(ctx); err != nil {
		return fmt.Errorf("removed targets: %w", err)
	}
	for _, of := range p.parts {
		if err := p.compare(ctx, of); err != nil {
			return fmt.Errorf("merge of %s: %w", of.Name, err)
		}
	}
	if err := p.noteOrders(ctx); err != nil {
		return err
	}
	for _, of := range p.parts {
		if err := p.apply(ctx, of); err != nil {
			return fmt.Errorf("merge of %s: %w", of.Name, err)
		}
	}
	if err := (landedParts{p}).assemble(ctx); err != nil {
		return fmt.Errorf("order parts from separate tables: %w", err)
	}
	if err := p.noteOrders(ctx); err != nil {
		return err
	}
	if err := (rollup{p}).customers(ctx); err != nil {
		return fmt.Errorf("first orders of customers: %w", err)
	}
	return nil
}

// prepare creates the tables of the merge and lists the orders in the import.
func (p *plan) prepare(ctx context.Context) error {
	if err := p.run(ctx, "sql/start", nil); err != nil {
		return err
	}
	orders := p.of(facts.OrdersTable)
	if orders.rows > 0 && !orders.direct {
		if err := p.run(ctx, "sql/staged_orders", args{"unordered": orders.Unordered}); err != nil {
			return err
		}
	}
	if err := p.run(ctx, "sql/imported_orders", args{"any": orders.rows > 0, "direct": orders.direct}); err != nil {
		return err
	}
	var stages []string
	for _, of := range p.parts {
		if of.Kind == facts.PartOfOrder && !of.direct {
			stages = append(stages, stage(of.Table))
		}
	}
	if len(stages) == 0 && (orders.rows == 0 || orders.direct) {
		return nil // no statement reads stored rows of orders
	}
	return p.run(ctx, "sql/span_came", args{"stages": stages})
}

// noteOrders records the current days and customers of the changed orders.
func (p *plan) noteOrders(ctx context.Context) error {
	n, err := p.count(ctx, "touched")
	if err != nil || n == 0 {
		return err
	}
	return p.run(ctx, "sql/note_orders", nil)
}

// forget deletes the profiles of forgotten customers.
func (p *plan) forget(ctx context.Context) error {
	for _, customer := range p.spec.Forget {
		if customer == "" {
			continue
		}
		if err := p.takeAway(ctx, facts.ProfilesTable, "sql/forget_profile", customer); err != nil {
			return err
		}
		if err := p.takeAway(ctx, facts.TiesTable, "sql/forget_ties", customer); err != nil {
			return err
		}
		if _, err := p.change(ctx, "sql/forget_identity", nil, customer); err != nil {
			return err
		}
	}
	return nil
}

// unset removes targets.
func (p *plan) unset(ctx context.Context) error {
	for _, t := range p.spec.Unset {
		err := p.takeAway(ctx, facts.TargetsTable, "sql/unset_target", t.Metric, t.Period, t.Start.String(), string(t.Channel))
		if err != nil {
			return err
		}
	}
	return nil
}

// takeAway deletes rows of a table and counts them.
func (p *plan) takeAway(ctx context.Context, t *facts.Table, name string, bound ...any) error {
	n, err := p.change(ctx, name, nil, bound...)
	if err != nil || n == 0 {
		return err
	}
	counts := p.counts[t.Name]
	counts.Removed += n
	p.counts[t.Name] = counts
	return nil
}

// span returns the first day, the last day and the number of days of a table.
func (p *plan) span(ctx context.Context, from string) (days civil.Range, n int, err error) {
	err = p.one(ctx, "sql/day_span", args{"from": from}, &days.First, &days.Last, &n)
	return days, n, err
}
