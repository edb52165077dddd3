package duckdb

import (
	"context"
	"embed"
	"fmt"
	"io/fs"

	"assay/internal/civil"
)

//go:embed rollups/*.sql
var rollups embed.FS

// sliceOrders is the approximate number of orders rolled up together; it limits the memory of a rebuild.
const sliceOrders = 1_000_000

// shareMacro defines share(amount, lower, upper, whole): the part of an amount between two points of a whole, as
// floor(amount × upper / whole) - floor(amount × lower / whole). Adjacent shares add up to the amount exactly, also
// for negative amounts. Dividing first keeps the products within 64 bits. Most shares are of the whole amount and
// need no division.
const shareMacro = `
CREATE TEMP MACRO floor_quotient(x, y) AS x // y - CAST(x % y < 0 AS BIGINT);
CREATE TEMP MACRO up_to(amount, point, whole) AS
    (amount // whole) * point + floor_quotient((amount % whole) * point, whole);
CREATE TEMP MACRO share(amount, lower, upper, whole) AS
    CASE WHEN lower = 0 AND upper = whole THEN amount ELSE up_to(amount, upper, whole) - up_to(amount, lower, whole) END;`

// customers updates the first orders of customers. It records the days of orders that became a first order or are no
// longer one, and of their refunds.
func (r rollup) customers(ctx context.Context) error {
	if r.fresh {
		if r.buffers.of(orders).rows == 0 {
			return nil
		}
		first := firstOrders("")
		if p := r.buffers.of(orders); p.direct && !p.tied {
			first = firstByTime
		}
		return r.exec(ctx, "INSERT INTO {{customers}}"+first)
	}
	n, err := r.count(ctx, "SELECT count(*) FROM touched_customers")
	if err != nil || n == 0 {
		return err
	}
	err = r.exec(ctx, "CREATE TEMP TABLE first_before AS SELECT c.* FROM {{customers}} c SEMI JOIN touched_customers t ON t.customer = c.customer")
	if err != nil {
		return err
	}
	after := firstOrders("SEMI JOIN touched_customers t ON t.customer = o.customer")
	if c := r.counts[orders.name]; r.buffers.of(customerTies).rows == 0 && c.Updated == 0 {
		if c.Inserted == 0 {
			return nil
		}
		after = firstOfNew
	}
	return r.exec(ctx, `
CREATE TEMP TABLE first_after AS`+after+`;
CREATE TEMP TABLE first_changed AS
(SELECT * FROM first_before EXCEPT SELECT * FROM first_after) UNION (SELECT * FROM first_after EXCEPT SELECT * FROM first_before);
INSERT INTO dirty SELECT DISTINCT day FROM first_changed;
INSERT INTO dirty
SELECT DISTINCT r.day
FROM {{refunds}} r
SEMI JOIN (SELECT k.source, f.key FROM first_changed f INNER JOIN {{order_kinds}} k ON k.kind = f.kind) f
    ON f.source = r.source AND f.key = r.key
WHERE r.day IS NOT NULL;
DELETE FROM {{customers}} c USING first_changed f WHERE f.customer = c.customer;
INSERT INTO {{customers}} SELECT a.* FROM first_after a SEMI JOIN first_changed f ON f.customer = a.customer ORDER BY first_at, customer;`)
}

// firstOfNew selects the first order of each customer when orders were added and none changed: one of the new orders,
// or the previous first one. Other orders need not be read.
var firstOfNew = `
SELECT customer, f.placed_at AS first_at, f.day AS day, f.kind AS kind, f.key AS key
FROM (
    SELECT customer, min(f) AS f
    FROM (
        SELECT o.customer, {'placed_at': o.placed_at, 'key': o.key, 'source': k.source, 'day': o.day, 'kind': o.kind} AS f
        FROM {{order_rows}} o INNER JOIN {{order_kinds}} k ON k.kind = o.kind
        SEMI JOIN changed_orders n ON n.source = k.source AND n.key = o.key
        WHERE o.customer <> '' AND NOT k.cancelled AND NOT k.test AND ` + within("o", "came") + `
        UNION ALL
        SELECT b.customer, {'placed_at': b.first_at, 'key': b.key, 'source': k.source, 'day': b.day, 'kind': b.kind}
        FROM first_before b INNER JOIN {{order_kinds}} k ON k.kind = b.kind
    )
    GROUP BY customer
)`

// firstOrders returns the query for the first order of each customer, by time and then by key.
func firstOrders(restriction string) string {
	return `
SELECT customer, f.placed_at AS first_at, f.day AS day, f.kind AS kind, f.key AS key
FROM (
    SELECT o.customer, min({'placed_at': o.placed_at, 'key': o.key, 'source': k.source, 'day': o.day, 'kind': o.kind}) AS f
    FROM {{order_rows}} o INNER JOIN {{order_kinds}} k ON k.kind = o.kind ` + restriction + `
    WHERE o.customer <> '' AND NOT k.cancelled AND NOT k.test
    GROUP BY o.customer
)`
}

// firstByTime selects the first order of each customer when no two orders of a customer have the same instant. Then
// the time alone decides, which is half the work.
const firstByTime = `
SELECT customer, min(placed_at) AS first_at, arg_min(day, placed_at) AS day, arg_min(kind, placed_at) AS kind,
    arg_min(key, placed_at) AS key
FROM {{order_rows}}
WHERE customer <> '' AND kind IN (SELECT kind FROM {{order_kinds}} WHERE NOT cancelled AND NOT test)
GROUP BY customer`

// rebuild rebuilds the roll-ups of changed days and of days marked earlier. It returns the number of the latter.
func (r rollup) rebuild(ctx context.Context) (due int64, err error) {
	if err := r.rollUpSpend(ctx); err != nil {
		return 0, err
	}
	if due, err = r.count(ctx, "SELECT count(*) FROM {{rebuild_days}}"); err != nil {
		return 0, err
	}
	if due > 0 {
		err := r.exec(ctx, "INSERT INTO dirty SELECT day FROM {{rebuild_days}};\nDELETE FROM {{rebuild_days}}")
		if err != nil {
			return 0, err
		}
	}
	if err := r.rollUpDays(ctx); err != nil {
		return 0, err
	}
	return due, r.people(ctx)
}

// rollUpSpend rebuilds the cost of ads and channels on changed days.
func (r rollup) rollUpSpend(ctx context.Context) error {
	var days civil.Range
	var n int
	row := r.conn.QueryRowContext(ctx, "SELECT min(day), max(day), count(DISTINCT day) FROM spend_dirty")
	if err := row.Scan(&days.First, &days.Last, &n); err != nil || n == 0 {
		return err
	}
	if err := r.exec(ctx, inDays("in_spend", "spend_dirty", days, n)); err != nil {
		return err
	}
	return r.runFile(ctx, "rollups/spend.sql")
}

// rollUpDays rebuilds the totals of orders and refunds on changed days.
func (r rollup) rollUpDays(ctx context.Context) error {
	slices, err := r.slices(ctx)
	if err != nil || len(slices) == 0 {
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

// steps returns the files to run for each slice. It skips steps about facts that the store does not have and that
// this import did not remove: their roll-ups are empty. The store's days are always rebuilt, because refunds count
// without orders.
func (r rollup) steps(ctx context.Context) ([]string, error) {
	if err := r.runFile(ctx, "rollups/1_tables.sql"); err != nil {
		return nil, err
	}
	var files []string
	for _, step := range []struct {
		file string
		of   []*table // any of these; nil for every store
	}{
		{"rollups/2_refunds.sql", []*table{refunds}},
		{"rollups/2_events.sql", []*table{orderLines, touches, orderCoupons, surveys}},
		{"rollups/3_paths.sql", []*table{touches}},
		{"rollups/4_codes.sql", []*table{orderCoupons}},
		{"rollups/5_days.sql", nil},
		{"rollups/6_campaigns.sql", []*table{touches}},
		{"rollups/7_lines.sql", []*table{orderLines}},
		{"rollups/8_coupons.sql", []*table{orderCoupons}},
		{"rollups/9_segments.sql", nil},
		{"rollups/10_journeys.sql", []*table{touches}},
		{"rollups/11_answers.sql", []*table{surveys}},
		{"rollups/answer_days.sql", []*table{surveys}},
		{"rollups/12_ties.sql", []*table{touches, orderCoupons, surveys}},
		{"rollups/13_creators.sql", nil},
	} {
		wanted, err := r.concerns(ctx, step.of)
		if err != nil {
			return nil, err
		}
		if wanted {
			files = append(files, step.file)
		}
	}
	return files, nil
}

// concerns reports whether the store has rows of any of the tables, or had some before this import. Without tables it
// is true.
func (r rollup) concerns(ctx context.Context, tables []*table) (bool, error) {
	for _, t := range tables {
		if r.counts[t.name].Removed > 0 {
			return true, nil
		}
		n, err := r.count(ctx, "SELECT count(*) FROM (SELECT 1 FROM {{"+t.name+"}} LIMIT 1)")
		if err != nil || n > 0 {
			return n > 0, err
		}
	}
	return len(tables) == 0, nil
}

func (r rollup) rollUpSlice(ctx context.Context, days civil.Range, steps []string) error {
	if err := r.exec(ctx, fmt.Sprintf(`
DELETE FROM slice;
INSERT INTO slice SELECT DISTINCT day FROM dirty WHERE %s`, between("day", days))); err != nil {
		return err
	}
	n, err := r.count(ctx, "SELECT count(*) FROM slice")
	if err != nil {
		return err
	}
	if err := r.exec(ctx, inDays("in_slice", "slice", days, int(n))); err != nil {
		return err
	}
	for _, file := range steps {
		if err := r.runFile(ctx, file); err != nil {
			return err
		}
	}
	return nil
}

// inDays returns a macro that reports whether a day is one of the n days of a table. The period of the days is two
// constants, so the database skips blocks of rows outside.
func inDays(macro, table string, days civil.Range, n int) string {
	is := between("d", days)
	if n < days.Days() {
		is += " AND d IN (SELECT day FROM " + table + ")"
	}
	return "CREATE OR REPLACE TEMP MACRO " + macro + "(d) AS (" + is + ")"
}

// between returns the condition that a day is in a period.
func between(day string, days civil.Range) string {
	return fmt.Sprintf("%[1]s >= DATE '%[2]s' AND %[1]s <= DATE '%[3]s'", day, days.First, days.Last)
}

// slices splits the days to rebuild into periods with a bounded number of orders.
func (r rollup) slices(ctx context.Context) ([]civil.Range, error) {
	return r.cut(ctx, sliceOrders, `
SELECT d.day, count(o.day)
FROM (SELECT DISTINCT day FROM dirty) d LEFT JOIN {{order_rows}} o ON o.day = d.day
GROUP BY d.day
ORDER BY d.day`)
}

// cut splits the days of a query into periods with a bounded number of orders. The query returns days with their
// number of orders.
func (r rollup) cut(ctx context.Context, most int64, days string) ([]civil.Range, error) {
	rows, err := r.conn.QueryContext(ctx, r.w.text(days))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var cut []civil.Range
	var orders int64
	for rows.Next() {
		var day civil.Date
		var n int64
		if err := rows.Scan(&day, &n); err != nil {
			return nil, err
		}
		if len(cut) == 0 || orders+n > most {
			cut, orders = append(cut, civil.Range{First: day}), 0
		}
		orders += n
		cut[len(cut)-1].Last = day
	}
	return cut, rows.Err()
}

func (m *merge) runFile(ctx context.Context, file string) error {
	text, err := fs.ReadFile(rollups, file)
	if err != nil {
		return err
	}
	if err := m.exec(ctx, string(text)); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}
