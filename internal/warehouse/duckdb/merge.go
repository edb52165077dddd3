package duckdb

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"assay/internal/measure"
	"assay/internal/warehouse"
)

// maxTouches is the maximum number of stored touches per order; the oldest are dropped. The weights of touches depend
// on it (rollups/3_paths.sql).
const maxTouches = 20

// compare finds the changes of a table: changed_T has new and different rows, gone_T the keys of rows removed without
// a successor.
func (m *merge) compare(ctx context.Context, p *part) error {
	if p.direct {
		return m.settle(ctx, p)
	}
	if p.table.kind == bag {
		return reportWindows{m}.compareWindows(ctx, p)
	}
	t := p.table
	if t == refunds {
		if err := m.noteTotals(ctx); err != nil {
			return err
		}
	}
	if t.kind == ofOrder {
		if err := m.complete(ctx, p); err != nil {
			return err
		}
	}
	if t != orders && t != profiles { // orders are deduplicated already, and profiles are joined with stored ones
		if err := m.deduplicate(ctx, p, stage(t)); err != nil {
			return err
		}
	}
	var err error
	switch t {
	case refunds:
		err = m.settleRefunds(ctx)
	case messageDays:
		err = m.meetCampaigns(ctx)
	}
	if err != nil {
		return err
	}
	if err := m.noteRowsBefore(ctx, t); err != nil {
		return err
	}
	if t == orders || t.kind == ofOrder {
		before, err := m.count(ctx, "SELECT count(*) FROM before_"+t.name)
		if err != nil {
			return err
		}
		if before == 0 {
			return m.takeAll(ctx, p)
		}
	}
	switch {
	case t == orders:
		err = m.dropStale(ctx)
	case t == profiles:
		err = m.joinProfiles(ctx, "before_profiles")
	case t.version != "":
		err = m.dropEarlier(ctx, t)
	}
	if err != nil {
		return err
	}
	gone := "LIMIT 0" // an import removes only rows that belong to an order
	if t.kind == ofOrder {
		gone = fmt.Sprintf("ANTI JOIN stage_%s s ON %s", t.name, same("s", "t", t.key))
	}
	err = m.exec(ctx, fmt.Sprintf(`
CREATE TEMP TABLE changed_%[1]s AS SELECT * FROM stage_%[1]s EXCEPT SELECT * FROM before_%[1]s;
CREATE TEMP TABLE gone_%[1]s AS SELECT %[2]s FROM before_%[1]s t %[3]s`, t.name, columnList(t.key), gone))
	if err != nil {
		return err
	}
	if err := m.noteDays(ctx, t, "changed_"+t.name, "before_"+t.name+" SEMI JOIN changed_"+t.name+" USING ("+strings.Join(t.key, ", ")+")"); err != nil {
		return err
	}
	return m.tally(ctx, p)
}

// noteRowsBefore creates before_T: the stored rows with keys in the import.
func (m *merge) noteRowsBefore(ctx context.Context, t *table) error {
	span := ""
	if t == orders || t.kind == ofOrder {
		span = " WHERE " + within("t", "came")
	}
	return m.exec(ctx, fmt.Sprintf("CREATE TEMP TABLE before_%[1]s AS SELECT t.* FROM {{%[1]s}} t SEMI JOIN %s%s", t.name, t.scope(), span))
}

// takeAll is compare for orders, or rows of orders, without stored ones: every row is new. Keys are unique, so each
// row is inserted once.
func (m *merge) takeAll(ctx context.Context, p *part) error {
	t := p.table
	err := m.exec(ctx, fmt.Sprintf(`
CREATE TEMP VIEW changed_%[1]s AS SELECT * FROM stage_%[1]s;
CREATE TEMP TABLE gone_%[1]s AS SELECT %[2]s FROM before_%[1]s t;
INSERT INTO touched SELECT DISTINCT source, key FROM stage_%[1]s c ANTI JOIN touched t ON %[3]s`,
		t.name, columnList(t.key), same("t", "c", t.key[:2])))
	if err != nil {
		return err
	}
	fresh, err := m.count(ctx, "SELECT count(*) FROM stage_"+t.name)
	m.counts[t.name] = warehouse.Counts{Inserted: fresh, Unchanged: p.rows - fresh}
	return err
}

// scope returns the rows that an import may change, as the right side of a join of t.
func (t *table) scope() string {
	switch {
	case t.kind == ofOrder && t.whole:
		return fmt.Sprintf("(SELECT source, key FROM stage_%s UNION ALL SELECT source, key FROM imported_orders) s ON %s", t.name, same("s", "t", t.key[:2]))
	case t.kind == ofOrder:
		return fmt.Sprintf("stage_%s s ON %s", t.name, same("s", "t", t.key[:2]))
	default:
		return fmt.Sprintf("stage_%s s ON %s", t.name, same("s", "t", t.key))
	}
}

// complete drops the rows of stale orders, and adds the stored rows of orders that are not in the import themselves.
// The staged rows of an order are then complete.
func (m *merge) complete(ctx context.Context, p *part) error {
	t := p.table
	ofOrder, ofRow := t.key[:2], t.key
	err := m.exec(ctx, fmt.Sprintf("DELETE FROM stage_%s s USING stale o WHERE %s", t.name, same("o", "s", ofOrder)))
	if err != nil {
		return err
	}
	added, err := m.conn.ExecContext(ctx, m.w.text(fmt.Sprintf(`
INSERT INTO stage_%[1]s
SELECT t.* FROM {{%[1]s}} t SEMI JOIN stage_%[1]s s ON %[2]s ANTI JOIN imported_orders o ON %[3]s ANTI JOIN stage_%[1]s r ON %[4]s
WHERE %[5]s`, t.name, same("s", "t", ofOrder), same("o", "t", ofOrder), same("r", "t", ofRow), within("t", "came"))))
	if err != nil {
		return err
	}
	n, err := added.RowsAffected()
	p.long = p.long || n > 0
	return err
}

// tally counts the changes that compare found. Of duplicate or late rows the last version counts; the others are
// unchanged.
func (m *merge) tally(ctx context.Context, p *part) error {
	t := p.table
	var changed, updated, gone int64
	err := m.conn.QueryRowContext(ctx, fmt.Sprintf(`
SELECT (SELECT count(*) FROM changed_%[1]s),
    (SELECT count(*) FROM changed_%[1]s c SEMI JOIN before_%[1]s b ON %[2]s),
    (SELECT count(*) FROM gone_%[1]s)`, t.name, same("b", "c", t.key))).Scan(&changed, &updated, &gone)
	if err != nil {
		return err
	}
	m.counts[t.name] = warehouse.Counts{
		Inserted: changed - updated, Updated: updated, Unchanged: p.rows - changed, Removed: gone,
	}
	if t.kind != ofOrder && t != orders || changed+gone == 0 {
		return nil
	}
	return m.exec(ctx, fmt.Sprintf(
		"INSERT INTO touched SELECT source, key FROM changed_%[1]s UNION SELECT source, key FROM gone_%[1]s", t.name))
}

// apply writes the changes that compare found.
func (m *merge) apply(ctx context.Context, p *part) error {
	if p.direct {
		return nil
	}
	t := p.table
	c := m.counts[t.name]
	switch {
	case t.kind == bag:
		return reportWindows{m}.applyWindows(ctx, p)
	case t == orders && c.Updated > 0:
		return m.exec(ctx, deleteOrders+";"+insertOrders)
	case t == orders:
		return m.exec(ctx, insertOrders)
	}
	if c.Updated > 0 {
		err := m.exec(ctx, fmt.Sprintf("DELETE FROM {{%[1]s}} t USING changed_%[1]s c WHERE %[2]s", t.name, same("c", "t", t.key)))
		if err != nil {
			return err
		}
	}
	if c.Removed > 0 {
		err := m.exec(ctx, fmt.Sprintf("DELETE FROM {{%[1]s}} t USING gone_%[1]s c WHERE %[2]s", t.name, same("c", "t", t.key)))
		if err != nil {
			return err
		}
	}
	return m.exec(ctx, fmt.Sprintf("INSERT INTO {{%[1]s}} SELECT * FROM changed_%[1]s ORDER BY %[2]s", t.name, strings.Join(t.key, ", ")))
}

// settle fixes rows written directly into an empty table: it removes duplicate keys and sorts days.
func (m *merge) settle(ctx context.Context, p *part) error {
	t := p.table
	home := m.w.table(t.home())
	switch {
	case t == orders:
		if err := m.settleOrders(ctx, p); err != nil {
			return err
		}
	case t.kind != bag && p.unordered || p.long:
		rows := fmt.Sprintf("CREATE TEMP TABLE %s AS SELECT * FROM %s; DELETE FROM %s", stage(t), home, home)
		if err := m.exec(ctx, rows); err != nil {
			return err
		}
		if err := m.deduplicate(ctx, p, stage(t)); err != nil {
			return err
		}
		if err := m.exec(ctx, fmt.Sprintf("INSERT INTO %s SELECT * FROM %s ORDER BY %s", home, stage(t), strings.Join(t.key, ", "))); err != nil {
			return err
		}
	}
	kept, err := m.count(ctx, "SELECT count(*) FROM "+home)
	if err != nil {
		return err
	}
	m.counts[t.name] = warehouse.Counts{Inserted: kept, Unchanged: p.rows - kept}
	if t == orders || t.kind == ofOrder {
		return m.noteFirstOrders(ctx, t)
	}
	return m.noteDays(ctx, t, home)
}

// deduplicate keeps one row per key: the last one, or the sum.
func (m *merge) deduplicate(ctx context.Context, p *part, from string) error {
	t := p.table
	if t == profiles {
		return m.joinProfiles(ctx, "")
	}
	if p.unordered {
		if err := m.exec(ctx, t.distinct(p.columns, from)); err != nil {
			return err
		}
	}
	if t != touches || !p.long && !p.unordered {
		return nil
	}
	return m.exec(ctx, fmt.Sprintf(`
CREATE OR REPLACE TEMP TABLE %[1]s AS SELECT * FROM %[1]s
QUALIFY row_number() OVER (PARTITION BY source, key ORDER BY seq DESC) <= %[2]d`, from, maxTouches))
}

// distinct returns the statement that leaves one row per key.
func (t *table) distinct(columns []column, from string) string {
	key := strings.Join(t.key, ", ")
	if t.sum == "" {
		later := "rowid DESC"
		if t.version != "" {
			later = t.version + " DESC NULLS LAST, " + later
		}
		return fmt.Sprintf("CREATE OR REPLACE TEMP TABLE %[1]s AS SELECT * FROM %[1]s QUALIFY row_number() OVER (PARTITION BY %[2]s ORDER BY %[3]s) = 1",
			from, key, later)
	}
	exprs := make([]string, len(columns))
	for i, c := range columns {
		switch {
		case c.name == t.sum:
			exprs[i] = "CAST(sum(" + c.name + ") AS BIGINT) AS " + c.name
		case !slices.Contains(t.key, c.name):
			exprs[i] = "max(" + c.name + ") AS " + c.name
		default:
			exprs[i] = c.name
		}
	}
	return fmt.Sprintf("CREATE OR REPLACE TEMP TABLE %[1]s AS SELECT %[2]s FROM %[1]s GROUP BY %[3]s", from, strings.Join(exprs, ", "), key)
}

// forget deletes the profiles of forgotten customers.
func (m *merge) forget(ctx context.Context) error {
	for _, customer := range m.spec.Forget {
		if customer == "" {
			continue
		}
		if err := m.takeAway(ctx, profiles, "customer = $1 OR phone = $1", customer); err != nil {
			return err
		}
		if err := m.takeAway(ctx, customerTies, "customer = $1 OR known_as = $1", customer); err != nil {
			return err
		}
		if err := m.exec(ctx, "DELETE FROM {{identities}} WHERE known_as = $1", customer); err != nil {
			return err
		}
	}
	return nil
}

// unset removes targets.
func (m *merge) unset(ctx context.Context) error {
	for _, t := range m.spec.Unset {
		if err := m.takeAway(ctx, targets, "metric = $1 AND period = $2 AND start_day = CAST($3 AS DATE) AND coalesce(channel, '') = $4",
			t.Metric, t.Period, t.Start.String(), string(t.Channel)); err != nil {
			return err
		}
	}
	return nil
}

// takeAway deletes the rows of a table that meet a condition, and counts them.
func (m *merge) takeAway(ctx context.Context, t *table, condition string, args ...any) error {
	deleted, err := m.conn.ExecContext(ctx, m.w.text(fmt.Sprintf("DELETE FROM {{%s}} WHERE %s", t.name, condition)), args...)
	if err != nil {
		return err
	}
	n, err := deleted.RowsAffected()
	if err != nil {
		return err
	}
	if n > 0 {
		counts := m.counts[t.name]
		counts.Removed += n
		m.counts[t.name] = counts
	}
	return nil
}

// noteDays records the days of changed rows. noteOrders does so for orders and their rows, and for orders that codes
// and answers tie to a channel or a creator.
func (m *merge) noteDays(ctx context.Context, t *table, relations ...string) error {
	if err := m.noteTies(ctx, t, relations); err != nil {
		return err
	}
	switch t {
	case productCosts:
		return m.noteCosts(ctx, relations)
	case adNames:
		return m.noteNames(ctx, relations)
	}
	if t.day == "" || t == orders || t.kind == ofOrder {
		return nil
	}
	into := "other_dirty"
	switch t {
	case channelSpend, adDays:
		into = "spend_dirty"
	case surfaceDays:
		into = "dirty"
	}
	for _, from := range relations {
		if err := m.exec(ctx, fmt.Sprintf("INSERT INTO %s SELECT DISTINCT %s FROM %s", into, t.day, from)); err != nil {
			return err
		}
	}
	return nil
}

// noteTies records the orders that changed rows tie to a channel or a creator.
func (m *merge) noteTies(ctx context.Context, t *table, relations []string) error {
	for _, from := range relations {
		var orders string
		switch t {
		case couponChannel, creatorCodes:
			orders = "SELECT c.source, c.key FROM {{order_coupons}} c SEMI JOIN (SELECT upper(code) AS code FROM " + from + ") m ON m.code = c.code"
		case surveys:
			orders = "SELECT order_source, order_key FROM " + from
		default:
			return nil
		}
		if err := m.exec(ctx, "INSERT INTO touched SELECT DISTINCT * FROM ("+orders+")"); err != nil {
			return err
		}
	}
	return nil
}

// noteCosts records the days with sales of products whose cost may have changed.
func (m *merge) noteCosts(ctx context.Context, relations []string) error {
	for _, from := range relations {
		err := m.exec(ctx, `
INSERT INTO dirty
SELECT DISTINCT o.day
FROM {{order_lines}} l
INNER JOIN {{orders}} o ON o.source = l.source AND o.key = l.key
INNER JOIN (SELECT sku, min(since) AS since FROM `+from+` GROUP BY sku) c ON c.sku = l.sku AND o.day >= c.since
WHERE NOT l.cost_known`)
		if err != nil {
			return err
		}
	}
	return nil
}

// noteNames records the days of report rows whose name or campaign may have changed.
func (m *merge) noteNames(ctx context.Context, relations []string) error {
	for _, from := range relations {
		for _, level := range []measure.AdLevel{measure.AdCampaign, measure.AdSet, measure.AdItself} {
			err := m.exec(ctx, fmt.Sprintf(`
INSERT INTO spend_dirty
SELECT DISTINCT d.day FROM {{named_ad_days}} d
SEMI JOIN (SELECT platform, id FROM %[1]s WHERE level = '%[2]s') n ON n.platform = d.platform AND n.id = d.%[2]s_id`, from, level))
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// same returns the condition that joins two relations on columns.
func same(a, b string, columns []string) string {
	terms := make([]string, len(columns))
	for i, c := range columns {
		terms[i] = a + "." + c + " = " + b + "." + c
	}
	return strings.Join(terms, " AND ")
}

// columnList returns columns of the relation t.
func columnList(columns []string) string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = "t." + c
	}
	return strings.Join(names, ", ")
}
