package merge

import (
	"context"

	"assay/internal/warehouse"
	"assay/internal/warehouse/facts"
)

// values returns the parameters of the SQL templates for a fact table.
func (of *part) values() args {
	return args{"fact": of.Table, "part": of.Kind == facts.PartOfOrder, "order": of.Key[:min(2, len(of.Key))]}
}

// compare finds the changes of a table. changed_T contains new and different rows. gone_T contains the keys of rows
// that are removed and not replaced.
func (p *plan) compare(ctx context.Context, of *part) error {
	if of.direct {
		return p.settle(ctx, of)
	}
	if of.Kind == facts.InWindow {
		return reportWindows{p}.compareWindows(ctx, of)
	}
	if err := p.completeStage(ctx, of); err != nil {
		return err
	}
	if err := p.run(ctx, "sql/before", of.values()); err != nil {
		return err
	}
	if of.OfOrders() {
		before, err := p.count(ctx, "before_"+of.Name)
		if err != nil {
			return err
		}
		if before == 0 {
			return p.takeAll(ctx, of)
		}
	}
	if err := p.dropOlder(ctx, of); err != nil {
		return err
	}
	if err := p.run(ctx, "sql/changes", of.values()); err != nil {
		return err
	}
	replaced := "before_" + of.Name + " SEMI JOIN changed_" + of.Name + " USING (" + columns("", of.Key) + ")"
	if err := p.noteDays(ctx, of.Table, "changed_"+of.Name, replaced); err != nil {
		return err
	}
	return p.tally(ctx, of)
}

// completeStage changes the staged rows to the rows that the table must contain: one row per key, and all rows of an
// order.
func (p *plan) completeStage(ctx context.Context, of *part) error {
	if of.Table == facts.RefundsTable {
		if err := p.run(ctx, "sql/note_totals", nil); err != nil {
			return err
		}
	}
	if of.Kind == facts.PartOfOrder {
		if err := p.complete(ctx, of); err != nil {
			return err
		}
	}
	// Orders are already deduplicated, and profiles are joined with stored profiles.
	if of.Table != facts.OrdersTable && of.Table != facts.ProfilesTable {
		if err := p.deduplicate(ctx, of); err != nil {
			return err
		}
	}
	switch of.Table {
	case facts.RefundsTable:
		return p.settleRefunds(ctx)
	case facts.MessagesTable:
		return p.run(ctx, "sql/meet_campaigns", nil)
	}
	return nil
}

// complete drops the rows of outdated orders. For orders without imported rows of a table, it adds the stored rows.
func (p *plan) complete(ctx context.Context, of *part) error {
	if err := p.run(ctx, "sql/drop_stale_parts", of.values()); err != nil {
		return err
	}
	added, err := p.change(ctx, "sql/complete", of.values())
	of.Long = of.Long || added > 0
	return err
}

// settleRefunds retains dated refunds if an import contains only the refunded total of their order.
func (p *plan) settleRefunds(ctx context.Context) error {
	totals, err := p.count(ctx, "stage_refunds WHERE date_unknown")
	if err != nil || totals == 0 {
		return err
	}
	return p.run(ctx, "sql/settle_refunds", nil)
}

// dropOlder drops imported rows that are older than the stored versions.
func (p *plan) dropOlder(ctx context.Context, of *part) error {
	switch {
	case of.Table == facts.OrdersTable:
		return p.dropStale(ctx)
	case of.Table == facts.ProfilesTable:
		return p.run(ctx, "sql/join_profiles", args{"before": true})
	case of.Version != "":
		return p.run(ctx, "sql/drop_earlier", of.values())
	}
	return nil
}

// dropStale drops versions of orders that are older than the stored versions. If Latest is set, all versions of the
// import are treated as the latest.
func (p *plan) dropStale(ctx context.Context) (err error) {
	if !p.spec.Latest {
		// Refunds are compared only if the import contains refunds.
		if err := p.run(ctx, "sql/stale_orders", args{"refunds": p.of(facts.RefundsTable).rows > 0}); err != nil {
			return err
		}
	}
	if err := p.run(ctx, "sql/date_orders", nil); err != nil {
		return err
	}
	p.stale, err = p.count(ctx, "stale")
	return err
}

// takeAll replaces compare for orders and their rows if the store has no orders, so every row is new. Keys are unique,
// so each row is inserted once.
func (p *plan) takeAll(ctx context.Context, of *part) error {
	if err := p.run(ctx, "sql/take_all", of.values()); err != nil {
		return err
	}
	fresh, err := p.count(ctx, stage(of.Table))
	p.counts[of.Name] = warehouse.Counts{Inserted: fresh, Unchanged: of.rows - fresh}
	return err
}

// tally counts the changes that compare found. If a row has several versions, the last version counts as a change, and
// the other versions count as unchanged.
func (p *plan) tally(ctx context.Context, of *part) error {
	var changed, updated, gone int64
	if err := p.one(ctx, "sql/tally", of.values(), &changed, &updated, &gone); err != nil {
		return err
	}
	p.counts[of.Name] = warehouse.Counts{
		Inserted: changed - updated, Updated: updated, Unchanged: of.rows - changed, Removed: gone,
	}
	if !of.OfOrders() || changed+gone == 0 {
		return nil
	}
	return p.run(ctx, "sql/note_touched", of.values())
}

// apply writes the changes that compare found.
func (p *plan) apply(ctx context.Context, of *part) error {
	c := p.counts[of.Name]
	switch {
	case of.direct:
		return nil
	case of.Kind == facts.InWindow:
		return reportWindows{p}.applyWindows(ctx, of)
	case of.Table == facts.OrdersTable && c.Updated > 0:
		return p.runEach(ctx, nil, "sql/delete_orders", "sql/insert_orders")
	case of.Table == facts.OrdersTable:
		return p.run(ctx, "sql/insert_orders", nil)
	}
	for _, old := range []struct {
		from string
		rows int64
	}{{"changed", c.Updated}, {"gone", c.Removed}} {
		if old.rows == 0 {
			continue
		}
		values := of.values()
		values["from"] = old.from
		if err := p.run(ctx, "sql/delete_old", values); err != nil {
			return err
		}
	}
	return p.run(ctx, "sql/insert_changed", of.values())
}

// settle removes duplicate keys from rows that were written directly into an empty table, and sorts the rows by day.
func (p *plan) settle(ctx context.Context, of *part) error {
	if err := p.settleRows(ctx, of); err != nil {
		return err
	}
	kept, err := p.count(ctx, p.texts.table(of.Stored))
	if err != nil {
		return err
	}
	p.counts[of.Name] = warehouse.Counts{Inserted: kept, Unchanged: of.rows - kept}
	if of.OfOrders() {
		return p.run(ctx, "sql/note_first_orders", args{"orders": of.Table == facts.OrdersTable})
	}
	return p.noteDays(ctx, of.Table, p.texts.table(of.Name))
}

func (p *plan) settleRows(ctx context.Context, of *part) error {
	switch {
	case of.Table == facts.OrdersTable && (of.Unordered || of.Unsorted):
		return p.run(ctx, "sql/settle_orders", args{"unordered": of.Unordered})
	case of.Table == facts.OrdersTable:
		return nil
	case of.Kind != facts.InWindow && of.Unordered || of.Long:
		if err := p.run(ctx, "sql/restage", of.values()); err != nil {
			return err
		}
		if err := p.deduplicate(ctx, of); err != nil {
			return err
		}
		return p.run(ctx, "sql/insert_staged", of.values())
	}
	return nil
}

// deduplicate retains one staged row per key: the last row or the sum. For an order, it retains at most the maximum
// number of rows per order.
func (p *plan) deduplicate(ctx context.Context, of *part) error {
	if of.Table == facts.ProfilesTable {
		return p.run(ctx, "sql/join_profiles", args{"before": false})
	}
	if of.Unordered {
		if err := p.run(ctx, "sql/deduplicate", of.values()); err != nil {
			return err
		}
	}
	if of.Most == 0 || !of.Long && !of.Unordered {
		return nil
	}
	values := of.values()
	values["last"] = of.Key[len(of.Key)-1]
	return p.run(ctx, "sql/keep_most", values)
}

// noteDays records the days of changed rows. noteOrders records the days for orders, for their rows, and for orders
// that codes and answers tie to a channel or a creator.
func (p *plan) noteDays(ctx context.Context, t *facts.Table, relations ...string) error {
	values := args{"fact": t, "levels": levels}
	name := ""
	switch t {
	case facts.CouponMapTable, facts.CreatorCodesTable:
		name = "sql/note_code_orders"
	case facts.SurveysTable:
		name = "sql/note_answered_orders"
	case facts.CostsTable:
		name = "sql/note_costs"
	case facts.AdNamesTable:
		name = "sql/note_names"
	}
	names := []string{name}
	if t.Day != "" && !t.OfOrders() {
		names = append(names, "sql/note_days")
		values["into"] = dayTable(t)
	}
	for _, from := range relations {
		values["from"] = from
		for _, name := range names {
			if name == "" {
				continue
			}
			if err := p.run(ctx, name, values); err != nil {
				return err
			}
		}
	}
	return nil
}

// dayTable returns the table that collects the changed days of a fact table. The choice depends on the roll-ups of the
// fact table.
func dayTable(t *facts.Table) string {
	switch t {
	case facts.ChannelSpendTable, facts.AdDaysTable:
		return "spend_dirty"
	case facts.SurfaceDaysTable:
		return "dirty"
	}
	return "other_dirty"
}
