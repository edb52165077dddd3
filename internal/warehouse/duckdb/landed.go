package duckdb

import (
	"context"
	"fmt"
	"strings"

	"assay/internal/warehouse"
)

// assemble creates lines and coupons of the orders concerned by an import from the separate tables of connectors. The
// result depends on the tables' contents only, in any order of import. It runs after orders and tables are up to
// date.
func (l landedParts) assemble(ctx context.Context) error {
	n, err := l.count(ctx, "SELECT count(*) FROM (SELECT 1 FROM {{landed_lines}} UNION ALL SELECT 1 FROM {{landed_codes}} LIMIT 1)")
	if err != nil || n == 0 {
		return err
	}
	if err := l.askLanded(ctx); err != nil {
		return err
	}
	if n, err = l.count(ctx, "SELECT count(*) FROM landed_asked"); err != nil {
		return err
	}
	if n > 0 {
		if err := l.makeParts(ctx); err != nil {
			return err
		}
	}
	return l.countWaiting(ctx)
}

// makeParts computes the parts of the selected orders and writes them to the facts.
func (l landedParts) makeParts(ctx context.Context) error {
	if err := l.noteOwnParts(ctx); err != nil {
		return err
	}
	if err := l.runFile(ctx, "rollups/landed.sql"); err != nil {
		return err
	}
	if err := l.putParts(ctx, orderLines, "lines_made", "lines"); err != nil {
		return err
	}
	if err := l.putParts(ctx, orderCoupons, "codes_made", "codes"); err != nil {
		return err
	}
	return l.exec(ctx, `
UPDATE {{order_rows}} r SET units = u.units
FROM (
    SELECT k.kind, l.key, CAST(sum(l.quantity) AS BIGINT) AS units
    FROM lines_made l INNER JOIN {{order_kinds}} k ON k.source = l.source GROUP BY k.kind, l.key
) u
WHERE r.kind = u.kind AND r.key = u.key AND r.units <> u.units`)
}

// askLanded creates landed_asked: the orders whose parts may have changed.
func (l landedParts) askLanded(ctx context.Context) error {
	const byParent = `
SELECT p.source, coalesce(t.key, p.parent) FROM (%s) p
LEFT JOIN {{landed_orders}} t ON t.source = p.source AND t.row_id = p.parent`
	asked := []string{"SELECT source, key FROM touched"}
	for _, of := range []struct {
		t        *table
		question string
	}{
		{orders, "SELECT source, key FROM %s"},
		{landedOrders, "SELECT source, key FROM %s"},
		{landedLines, fmt.Sprintf(byParent, "SELECT source, parent FROM %s")},
		{landedCodes, fmt.Sprintf(byParent, "SELECT source, parent FROM %s")},
		{landedOff, fmt.Sprintf(byParent, `
    SELECT l.source, l.parent FROM {{landed_lines}} l SEMI JOIN (SELECT source, line FROM %[1]s) d ON d.source = l.source AND d.line = l.id
    UNION ALL
    SELECT l.source, l.parent FROM {{landed_lines}} l SEMI JOIN (SELECT source, line FROM %[1]s) d ON d.source = l.source AND d.line = l.row_id`)},
	} {
		p := l.buffers.of(of.t)
		switch {
		case p.rows == 0 || of.t == orders && !p.direct: // changed orders are in touched
		case p.direct:
			asked = append(asked, fmt.Sprintf(of.question, "{{"+of.t.name+"}}"))
		default:
			asked = append(asked, fmt.Sprintf(of.question, "changed_"+of.t.name))
		}
	}
	return l.exec(ctx, "CREATE TEMP TABLE landed_asked AS SELECT DISTINCT a.source, a.key FROM (\n"+strings.Join(asked, "\nUNION ALL\n")+
		"\n) a(source, key) SEMI JOIN {{orders}} o ON o.source = a.source AND o.key = a.key")
}

// noteOwnParts records which of those orders have their own lines or coupons.
func (l landedParts) noteOwnParts(ctx context.Context) error {
	for _, of := range []struct {
		t         *table
		own, part string
	}{{orderLines, "own_lines", "lines"}, {orderCoupons, "own_codes", "codes"}} {
		if p := l.buffers.of(of.t); p.rows > 0 && !p.direct {
			err := l.exec(ctx, fmt.Sprintf("DELETE FROM {{assembled_orders}} a USING stage_%s s WHERE a.part = '%s' AND s.source = a.source AND s.key = a.key", of.t.name, of.part))
			if err != nil {
				return err
			}
		}
		err := l.exec(ctx, fmt.Sprintf(`
CREATE TEMP TABLE %s AS
SELECT DISTINCT t.source, t.key FROM {{%s}} t SEMI JOIN landed_asked o ON o.source = t.source AND o.key = t.key
ANTI JOIN (SELECT source, key FROM {{assembled_orders}} WHERE part = '%s') a ON a.source = t.source AND a.key = t.key`, of.own, of.t.name, of.part))
		if err != nil {
			return err
		}
	}
	return nil
}

// putParts writes the computed parts of the orders and counts the changes.
func (l landedParts) putParts(ctx context.Context, t *table, made, part string) error {
	err := l.exec(ctx, fmt.Sprintf(`
CREATE TEMP TABLE had_%[2]s AS SELECT t.* FROM {{%[1]s}} t SEMI JOIN %[2]s s ON s.source = t.source AND s.key = t.key;
CREATE TEMP TABLE new_%[2]s AS SELECT * FROM %[2]s EXCEPT SELECT * FROM had_%[2]s;
CREATE TEMP TABLE old_%[2]s AS SELECT * FROM had_%[2]s EXCEPT SELECT * FROM %[2]s`, t.name, made))
	if err != nil {
		return err
	}
	var came, left, changed int64
	err = l.conn.QueryRowContext(ctx, fmt.Sprintf(`
SELECT (SELECT count(*) FROM new_%[1]s), (SELECT count(*) FROM old_%[1]s),
    (SELECT count(*) FROM new_%[1]s n SEMI JOIN old_%[1]s o ON %[2]s)`, made, same("o", "n", t.key))).Scan(&came, &left, &changed)
	if err != nil {
		return err
	}
	if came+left > 0 {
		counts := l.counts[t.name]
		l.counts[t.name] = warehouse.Counts{
			Inserted: counts.Inserted + came - changed, Updated: counts.Updated + changed, Unchanged: counts.Unchanged, Removed: counts.Removed + left - changed,
		}
	}
	return l.exec(ctx, fmt.Sprintf(`
DELETE FROM {{%[1]s}} t USING old_%[2]s o WHERE %[3]s;
INSERT INTO {{%[1]s}} SELECT * FROM new_%[2]s ORDER BY %[4]s;
INSERT INTO touched SELECT source, key FROM new_%[2]s UNION SELECT source, key FROM old_%[2]s;
INSERT INTO {{assembled_orders}}
SELECT DISTINCT n.source, n.key, '%[5]s' FROM new_%[2]s n
ANTI JOIN (SELECT source, key FROM {{assembled_orders}} WHERE part = '%[5]s') a ON a.source = n.source AND a.key = n.key`,
		t.name, made, same("o", "t", t.key), strings.Join(t.key, ", "), part))
}

// keepUnits keeps the stored number of units of orders that come without lines.
func (m *merge) keepUnits(ctx context.Context) error {
	return m.exec(ctx, `
UPDATE stage_orders s SET units = b.units FROM before_orders b
WHERE b.source = s.source AND b.key = s.key AND s.units = 0 AND b.units <> 0`)
}

// countWaiting counts the orders with parts in the import that are not in the store or are in another currency.
func (l landedParts) countWaiting(ctx context.Context) error {
	for _, t := range []*table{landedLines, landedCodes} {
		p := l.buffers.of(t)
		if p.rows == 0 {
			continue
		}
		from := stage(t)
		if p.direct {
			from = "{{" + t.name + "}}"
		}
		waiting, err := l.count(ctx, fmt.Sprintf(`
SELECT count(*) FROM (SELECT DISTINCT source, parent, currency FROM %s WHERE NOT gone) p
ANTI JOIN (
    SELECT source, key AS parent, original_currency AS currency FROM {{orders}}
    UNION ALL
    SELECT o.source, t.row_id, o.original_currency FROM {{landed_orders}} t INNER JOIN {{orders}} o ON o.source = t.source AND o.key = t.key
) o ON o.source = p.source AND o.parent = p.parent AND o.currency = p.currency`, from))
		if err != nil {
			return err
		}
		l.waiting += waiting
	}
	return nil
}
