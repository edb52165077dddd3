package duckdb

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"assay/internal/civil"
	"assay/internal/warehouse"
)

// accountDay is the unit of replacement in ad reports: all rows of a source for an account and day.
var accountDay = []string{"source", "platform", "account", "day"}

// replaceEmptyWindows adds ad reports to the merge if windows have to be replaced and the import has no rows for
// them.
func (w reportWindows) replaceEmptyWindows(ctx context.Context) error {
	p := w.buffers.of(adDays)
	if len(w.windows) == 0 || p.rows > 0 {
		return nil
	}
	if err := w.openPart(ctx, p); err != nil {
		return err
	}
	if !p.direct {
		w.parts = append(w.parts, p)
	}
	return nil
}

// compareWindows finds the changes of an ad report in its windows. A report's days are a window even if the reader
// named none. Rows have no unique key, so they are compared as multisets, but only where the store has rows of the
// same account and day: elsewhere all rows are new.
func (w reportWindows) compareWindows(ctx context.Context, p *part) error {
	if err := w.spellOutWindows(ctx); err != nil {
		return err
	}
	var days civil.Range
	if err := w.conn.QueryRowContext(ctx, "SELECT min(day), max(day) FROM window_days").Scan(&days.First, &days.Last); err != nil {
		return err
	}
	inside := "false"
	if !days.First.IsZero() {
		inside = between("t.day", days) // constants, so the database skips blocks of other days
	}
	err := w.exec(ctx, fmt.Sprintf(`
CREATE TEMP TABLE before_ad_days AS SELECT t.* FROM {{ad_days}} t SEMI JOIN window_days w ON %s WHERE %s;
CREATE TEMP TABLE days_before AS SELECT DISTINCT %s FROM before_ad_days t`, same("w", "t", accountDay), inside, columnList(accountDay)))
	if err != nil {
		return err
	}
	met, err := w.count(ctx, "SELECT count(*) FROM days_before")
	if err != nil {
		return err
	}
	fresh := fmt.Sprintf("SELECT DISTINCT %s FROM stage_ad_days t", columnList(accountDay))
	if met == 0 {
		w.counts[p.table.name] = warehouse.Counts{Inserted: p.rows}
	} else {
		if err := w.compareDays(ctx, p); err != nil {
			return err
		}
		fresh = fmt.Sprintf("%[1]s ANTI JOIN days_before d ON %[2]s UNION SELECT %[3]s FROM differing t",
			fresh, same("d", "t", accountDay), columnList(accountDay))
	}
	return w.exec(ctx, "CREATE TEMP TABLE replaced AS "+fresh+"; INSERT INTO spend_dirty SELECT DISTINCT day FROM replaced")
}

// spellOutWindows creates window_days: the accounts and days of the report.
func (w reportWindows) spellOutWindows(ctx context.Context) error {
	err := w.exec(ctx, fmt.Sprintf("CREATE TEMP TABLE window_days AS SELECT DISTINCT %s FROM stage_ad_days t", columnList(accountDay)))
	if err != nil {
		return err
	}
	for _, win := range joinWindows(w.windows) {
		err := w.exec(ctx, `
INSERT INTO window_days
SELECT $1, $2, $3, CAST(unnest(generate_series(CAST($4 AS DATE), CAST($5 AS DATE), INTERVAL 1 DAY)) AS DATE)`,
			win.Source, string(win.Platform), win.Account, win.Days.First.String(), win.Days.Last.String())
		if err != nil {
			return err
		}
	}
	return nil
}

// joinWindows merges overlapping and adjacent windows of an account: a Singer tap names each day.
func joinWindows(windows []warehouse.AdWindow) []warehouse.AdWindow {
	var joined []warehouse.AdWindow
	for _, w := range slices.SortedFunc(slices.Values(windows), func(a, b warehouse.AdWindow) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Platform, b.Platform), cmp.Compare(a.Account, b.Account),
			a.Days.First.Compare(b.Days.First))
	}) {
		if n := len(joined); n > 0 {
			last := &joined[n-1]
			if last.Source == w.Source && last.Platform == w.Platform && last.Account == w.Account && !w.Days.First.After(last.Days.Last.AddDays(1)) {
				if w.Days.Last.After(last.Days.Last) {
					last.Days.Last = w.Days.Last
				}
				continue
			}
		}
		joined = append(joined, w)
	}
	return joined
}

// compareDays creates differing: the rows whose number of copies differs from the stored one, on account days with
// stored rows. One pass counts both sides. It counts the changes.
func (w reportWindows) compareDays(ctx context.Context, p *part) error {
	err := w.exec(ctx, fmt.Sprintf(`
CREATE TEMP TABLE differing AS
SELECT *
FROM (
    SELECT * EXCLUDE (side), CAST(sum(side) AS BIGINT) AS more
    FROM (
        SELECT t.*, 1 AS side FROM stage_ad_days t SEMI JOIN days_before d ON %s
        UNION ALL
        SELECT *, -1 FROM before_ad_days
    )
    GROUP BY ALL
)
WHERE more <> 0`, same("d", "t", accountDay)))
	if err != nil {
		return err
	}
	var fresh, changed, gone, updated int64
	err = w.conn.QueryRowContext(ctx, fmt.Sprintf(`
SELECT (SELECT count(*) FROM stage_ad_days t ANTI JOIN days_before d ON %s),
    (SELECT coalesce(CAST(sum(more) AS BIGINT), 0) FROM differing WHERE more > 0),
    (SELECT coalesce(CAST(-sum(more) AS BIGINT), 0) FROM differing WHERE more < 0),
    (SELECT coalesce(CAST(sum(c.more) AS BIGINT), 0) FROM differing c
     SEMI JOIN (SELECT * FROM differing WHERE more < 0) g ON %s WHERE c.more > 0)`,
		same("d", "t", accountDay), same("g", "c", p.table.key))).Scan(&fresh, &changed, &gone, &updated)
	changed += fresh
	updated = min(updated, gone)
	w.counts[p.table.name] = warehouse.Counts{
		Inserted: changed - updated, Updated: updated, Unchanged: p.rows - changed, Removed: gone - updated,
	}
	return err
}

// applyWindows replaces the account days with differences.
func (w reportWindows) applyWindows(ctx context.Context, p *part) error {
	where := same("r", "t", accountDay)
	c := w.counts[p.table.name]
	if c.Updated+c.Removed+c.Unchanged > 0 { // otherwise the store has no rows of these days
		if err := w.exec(ctx, "DELETE FROM {{ad_days}} t USING replaced r WHERE "+where); err != nil {
			return err
		}
	}
	if c.Inserted+c.Updated+c.Removed == 0 {
		return nil
	}
	order := " ORDER BY t.day, t.platform, t.account, t.campaign_id"
	if !p.unsorted {
		order = ""
	}
	return w.exec(ctx, "INSERT INTO {{ad_days}} SELECT t.* FROM stage_ad_days t SEMI JOIN replaced r ON "+where+order)
}
