package duckdb

import (
	"context"
	"fmt"
	"strings"

	"assay/internal/measure"
)

// remember stores the current totals of the changed days with the import's ledger entry, where they differ from the
// previous ones, and the days in the import, changed or not.
func (h dayHistory) remember(ctx context.Context) error {
	touched, err := h.count(ctx, "SELECT count(*) FROM (SELECT day FROM dirty UNION ALL SELECT day FROM spend_dirty LIMIT 1)")
	if err != nil {
		return err
	}
	if touched > 0 {
		if err := h.rememberChanges(ctx); err != nil {
			return err
		}
	}
	return h.rememberDays(ctx)
}

func (h dayHistory) rememberChanges(ctx context.Context) error {
	if err := h.runFile(ctx, "rollups/history.sql"); err != nil {
		return err
	}
	if h.spec.Feed {
		if err := h.outlive(ctx); err != nil {
			return err
		}
	}
	return h.exec(ctx, `
INSERT INTO {{day_history}} SELECT (SELECT max(id) FROM {{imports}}), * FROM changed_versions ORDER BY day, kind, part`)
}

// outlive removes history rows younger than an hour, if the import is a feed and contains their days.
func (h dayHistory) outlive(ctx context.Context) error {
	if err := h.runFile(ctx, "rollups/outlived.sql"); err != nil {
		return err
	}
	n, err := h.count(ctx, "SELECT count(*) FROM outlived")
	if err != nil || n == 0 {
		return err
	}
	return h.runFile(ctx, "rollups/history_hour.sql")
}

// rememberDays stores the days in the import. Rows written directly into an empty table are the first of their days,
// so they need no such entry.
func (h dayHistory) rememberDays(ctx context.Context) error {
	var reported []string
	if p := h.buffers.of(orders); p.rows > 0 && !p.direct {
		days := "min(day), max(day)"
		if h.spec.Feed { // a feed contains all changes, on any day
			days = "DATE '1900-01-01', DATE '2199-12-31'"
		}
		reported = append(reported, fmt.Sprintf("SELECT '%s', surface, %s FROM stage_orders GROUP BY surface", measure.OrderTotals, days))
	}
	if p := h.buffers.of(adDays); p.opened && !p.direct {
		reported = append(reported, fmt.Sprintf("SELECT '%s', platform, min(day), max(day) FROM window_days GROUP BY source, platform, account",
			measure.SpendTotals))
	}
	if len(reported) == 0 {
		return nil
	}
	return h.exec(ctx, fmt.Sprintf(`
CREATE TEMP TABLE days_now AS
SELECT DISTINCT n.kind, n.part, i.seen, n.first_day, n.last_day
FROM (%s) n(kind, part, first_day, last_day)
JOIN {{imports}} i ON i.id = (SELECT max(id) FROM {{imports}});
DELETE FROM {{told_days}} t USING days_now n
WHERE n.kind = t.kind AND n.part = t.part AND n.seen = t.seen AND n.first_day <= t.first_day AND n.last_day >= t.last_day;
INSERT INTO {{told_days}} SELECT * FROM days_now ORDER BY kind, part, first_day`, strings.Join(reported, " UNION ALL ")))
}
