package duckdb

import (
	"context"
	"fmt"
	"strings"
	"time"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/warehouse"
)

// Commit merges the rows, rebuilds roll-ups and makes everything visible; see [warehouse.Import].
func (l *load) Commit(ctx context.Context) (warehouse.Outcome, error) {
	if l.ended {
		return warehouse.Outcome{}, fault.Conflict("the import has ended")
	}
	defer l.end()
	out, err := l.commit(ctx)
	if err != nil {
		return warehouse.Outcome{}, fmt.Errorf("import into %s: %w", l.spec.Workspace, l.engine.noticed(ctx, l.w, err))
	}
	return out, nil
}

func (l *load) commit(ctx context.Context) (warehouse.Outcome, error) {
	if err := l.drain(ctx); err != nil {
		return warehouse.Outcome{}, err
	}
	m := newMerge(l)
	if err := m.run(ctx); err != nil {
		return warehouse.Outcome{}, err
	}
	out := warehouse.Outcome{Tables: m.counts, Version: l.w.version.Load()}
	out.Older, out.Waiting = m.stale, m.waiting
	var err error
	if out.Days, out.DaysHit, err = m.daysHit(ctx); err != nil {
		return warehouse.Outcome{}, err
	}
	if l.spec.DryRun {
		return out, nil
	}
	due, err := rollup{m}.rebuild(ctx)
	if err != nil {
		return warehouse.Outcome{}, err
	}
	if due > 0 || m.changed() {
		out.Version++
	}
	if out.ID, err = l.record(ctx, out); err != nil {
		return warehouse.Outcome{}, fmt.Errorf("ledger: %w", err)
	}
	if err := (dayHistory{m}).remember(ctx); err != nil {
		return warehouse.Outcome{}, fmt.Errorf("history of days: %w", err)
	}
	if err := l.makeVisible(ctx); err != nil {
		return warehouse.Outcome{}, err
	}
	l.w.version.Store(out.Version)
	return out, nil
}

// commitTime is the time limit of the commit, which continues even if the caller cancels.
const commitTime = 5 * time.Minute

// makeVisible commits the transaction. A canceled caller does not stop it: otherwise facts could be visible without a
// known data version.
func (l *load) makeVisible(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitTime)
	defer cancel()
	return l.exec(ctx, "COMMIT")
}

// merge merges the rows of an import into the facts and the roll-ups.
type merge struct {
	*load
	parts  []*part // parts with rows
	counts map[string]warehouse.Counts
	stale  int64 // orders dropped because the store has a later version

	waiting int64 // orders with parts in separate tables that are not in the store
}

// Parts of the merge with their own tables.
type (
	identities    struct{ *merge } // customers that ties unite
	reportWindows struct{ *merge } // days of ad reports, which replace what the store has of them
	landedParts   struct{ *merge } // lines and codes from tables of their own
	rollup        struct{ *merge } // tables that are derived from facts
	dayHistory    struct{ *merge } // previous totals of changed days
)

func newMerge(l *load) *merge {
	m := &merge{load: l, counts: map[string]warehouse.Counts{}}
	for _, in := range l.buffers {
		if p := in.about(); p.rows > 0 {
			m.parts = append(m.parts, p)
		}
	}
	return m
}

// changed reports whether any row changed.
func (m *merge) changed() bool {
	for _, c := range m.counts {
		if c.Inserted+c.Updated+c.Removed > 0 {
			return true
		}
	}
	return false
}

// run finds all changes before it makes any, because the days to rebuild are those of the old and the new rows.
func (m *merge) run(ctx context.Context) error {
	if err := m.exec(ctx, startMerge); err != nil {
		return err
	}
	if err := m.spellOut(ctx); err != nil {
		return err
	}
	if err := m.nameOrders(ctx); err != nil {
		return err
	}
	if err := m.spanKeys(ctx); err != nil {
		return err
	}
	if err := (identities{m}).unite(ctx); err != nil {
		return fmt.Errorf("customer identities: %w", err)
	}
	if err := (reportWindows{m}).replaceEmptyWindows(ctx); err != nil {
		return err
	}
	if err := m.forget(ctx); err != nil {
		return fmt.Errorf("profiles of forgotten customers: %w", err)
	}
	if err := m.unset(ctx); err != nil {
		return fmt.Errorf("removed targets: %w", err)
	}
	for _, p := range m.parts {
		if err := m.compare(ctx, p); err != nil {
			return fmt.Errorf("merge of %s: %w", p.table.name, err)
		}
	}
	if err := m.noteOrders(ctx); err != nil {
		return err
	}
	for _, p := range m.parts {
		if err := m.apply(ctx, p); err != nil {
			return fmt.Errorf("merge of %s: %w", p.table.name, err)
		}
	}
	if err := (landedParts{m}).assemble(ctx); err != nil {
		return fmt.Errorf("order parts from separate tables: %w", err)
	}
	if err := m.noteOrders(ctx); err != nil {
		return err
	}
	if err := (rollup{m}).customers(ctx); err != nil {
		return fmt.Errorf("first orders of customers: %w", err)
	}
	return nil
}

// startMerge creates the tables that collect changed orders, their customers, and the days to rebuild or report.
const startMerge = `
CREATE TEMP TABLE touched (source VARCHAR, key VARCHAR);
CREATE TEMP TABLE touched_customers (customer VARCHAR);
CREATE TEMP TABLE stale (source VARCHAR, key VARCHAR);
CREATE TEMP TABLE dirty (day DATE);
CREATE TEMP TABLE spend_dirty (day DATE);
CREATE TEMP TABLE other_dirty (day DATE);`

// nameOrders creates the view imported_orders: the orders in the import, without stale ones once those are known.
func (m *merge) nameOrders(ctx context.Context) error {
	from := "{{orders}} s WHERE false"
	switch p := m.buffers.of(orders); {
	case p.rows > 0 && p.direct:
		from = "{{orders}} s"
	case p.rows > 0:
		from = stage(orders) + " s ANTI JOIN stale o ON o.source = s.source AND o.key = s.key"
	}
	return m.exec(ctx, "CREATE TEMP VIEW imported_orders AS SELECT s.source, s.key FROM "+from)
}

// spanKeys stores the smallest and largest key of the orders in the import, or with rows in it.
func (m *merge) spanKeys(ctx context.Context) error {
	from := []string{"SELECT key FROM imported_orders"}
	for _, p := range m.parts {
		if p.table.kind == ofOrder && !p.direct {
			from = append(from, "SELECT key FROM "+stage(p.table))
		}
	}
	return m.noteSpan(ctx, "came", strings.Join(from, " UNION ALL "))
}

// noteSpan stores the smallest and largest key as variables. Later statements use them as constants, so the database
// skips blocks of other orders. Shops number their orders.
func (m *merge) noteSpan(ctx context.Context, name, keys string) error {
	return m.exec(ctx, fmt.Sprintf(`
SET VARIABLE first_%[1]s = (SELECT min(key) FROM (%[2]s));
SET VARIABLE last_%[1]s = (SELECT max(key) FROM (%[2]s))`, name, keys))
}

// within returns the condition that a relation's key is in a span.
func within(relation, span string) string {
	return fmt.Sprintf("%[1]s.key >= getvariable('first_%[2]s') AND %[1]s.key <= getvariable('last_%[2]s')", relation, span)
}

// noteOrders records the current days and customers of the changed orders.
func (m *merge) noteOrders(ctx context.Context) error {
	n, err := m.count(ctx, "SELECT count(*) FROM touched")
	if err != nil || n == 0 {
		return err
	}
	if err := m.noteSpan(ctx, "touched", "SELECT key FROM touched"); err != nil {
		return err
	}
	return m.exec(ctx, fmt.Sprintf(`
CREATE OR REPLACE TEMP TABLE touched_rows AS
SELECT DISTINCT r.day, r.customer
FROM {{order_rows}} r
INNER JOIN {{order_kinds}} k ON k.kind = r.kind
SEMI JOIN touched t ON t.source = k.source AND t.key = r.key
WHERE %s;
INSERT INTO dirty SELECT DISTINCT day FROM touched_rows;
INSERT INTO touched_customers SELECT DISTINCT customer FROM touched_rows WHERE customer <> '';
INSERT INTO dirty SELECT DISTINCT r.day FROM {{refunds}} r SEMI JOIN touched t ON t.source = r.source AND t.key = r.key
WHERE r.day IS NOT NULL AND %s`, within("r", "touched"), within("r", "touched")))
}

// noteFirstOrders records the days to rebuild when a store gets its first orders or refunds: all days of orders and
// refunds.
func (m *merge) noteFirstOrders(ctx context.Context, t *table) error {
	if t == orders {
		if err := m.exec(ctx, "INSERT INTO dirty SELECT DISTINCT day FROM {{order_rows}}"); err != nil {
			return err
		}
	}
	return m.exec(ctx, "INSERT INTO dirty SELECT DISTINCT day FROM {{refunds}} WHERE day IS NOT NULL")
}

// daysHit returns the range and number of changed days.
func (m *merge) daysHit(ctx context.Context) (days civil.Range, hit int, err error) {
	row := m.conn.QueryRowContext(ctx, `
SELECT min(day), max(day), count(DISTINCT day)
FROM (SELECT day FROM dirty UNION ALL SELECT day FROM spend_dirty UNION ALL SELECT day FROM other_dirty)
WHERE day IS NOT NULL`)
	err = row.Scan(&days.First, &days.Last, &hit)
	return days, hit, err
}
