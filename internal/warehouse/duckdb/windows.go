package duckdb

import (
	"context"
	"fmt"

	"assay/internal/warehouse"
)

// replaceEmptyWindows takes part in the merge when windows are to be replaced and no row came for any of them.
func (m *merge) replaceEmptyWindows(ctx context.Context) error {
	p := m.buffers.of(adDays)
	if len(m.windows) == 0 || p.rows > 0 {
		return nil
	}
	if err := m.openPart(ctx, p); err != nil {
		return err
	}
	if !p.direct {
		m.parts = append(m.parts, p)
	}
	return nil
}

// compareWindows finds out what an ad report changes in the windows it covers. A report's days are a window even
// where the reader named none. Rows have no key that holds them apart, so they are compared as they are.
func (m *merge) compareWindows(ctx context.Context, p *part) error {
	err := m.exec(ctx, `
CREATE TEMP TABLE windows AS SELECT DISTINCT source, platform, account, day AS first_day, day AS last_day FROM stage_ad_days`)
	if err != nil {
		return err
	}
	for _, w := range m.windows {
		err := m.exec(ctx, "INSERT INTO windows VALUES ($1, $2, $3, CAST($4 AS DATE), CAST($5 AS DATE))",
			w.Source, string(w.Platform), w.Account, w.Days.First.String(), w.Days.Last.String())
		if err != nil {
			return err
		}
	}
	err = m.exec(ctx, `
CREATE TEMP TABLE before_ad_days AS
SELECT * FROM {{ad_days}} t WHERE EXISTS (
    SELECT 1 FROM windows w WHERE w.source = t.source AND w.platform = t.platform AND w.account = t.account
        AND t.day >= w.first_day AND t.day <= w.last_day
);
CREATE TEMP TABLE changed_ad_days AS SELECT * FROM stage_ad_days EXCEPT ALL SELECT * FROM before_ad_days;
CREATE TEMP TABLE gone_ad_days AS SELECT * FROM before_ad_days EXCEPT ALL SELECT * FROM stage_ad_days;
CREATE TEMP TABLE replaced AS
SELECT source, platform, account, day FROM changed_ad_days UNION SELECT source, platform, account, day FROM gone_ad_days;
INSERT INTO spend_dirty SELECT DISTINCT day FROM replaced`)
	if err != nil {
		return err
	}
	var changed, gone, updated int64
	err = m.conn.QueryRowContext(ctx, fmt.Sprintf(`
SELECT (SELECT count(*) FROM changed_ad_days), (SELECT count(*) FROM gone_ad_days),
    (SELECT count(*) FROM changed_ad_days c SEMI JOIN gone_ad_days g ON %s)`, same("g", "c", p.table.key)),
	).Scan(&changed, &gone, &updated)
	updated = min(updated, gone)
	m.counts[p.table.name] = warehouse.Counts{
		Inserted: changed - updated, Updated: updated, Unchanged: p.rows - changed, Removed: gone - updated,
	}
	return err
}

// applyWindows writes the accounts' days anew on which anything differs.
func (m *merge) applyWindows(ctx context.Context) error {
	where := same("r", "t", []string{"source", "platform", "account", "day"})
	return m.exec(ctx, fmt.Sprintf(`
DELETE FROM {{ad_days}} t USING replaced r WHERE %[1]s;
INSERT INTO {{ad_days}} SELECT t.* FROM stage_ad_days t SEMI JOIN replaced r ON %[1]s
ORDER BY t.day, t.platform, t.account, t.campaign_id`, where))
}
