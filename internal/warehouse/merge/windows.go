package merge

import (
	"cmp"
	"context"
	"slices"

	"assay/internal/civil"
	"assay/internal/warehouse"
	"assay/internal/warehouse/facts"
)

// accountDay identifies rows of ad reports that are replaced together: all rows of a source for an account and day.
var accountDay = []string{"source", "platform", "account", "day"}

// values returns the parameters of SQL templates for ad reports.
func (w reportWindows) values() args { return args{"unit": accountDay, "fact": facts.AdDaysTable} }

// replaceEmptyWindows adds ad reports to the merge if the import replaces windows but has no rows for these windows.
func (w reportWindows) replaceEmptyWindows(ctx context.Context) error {
	ads := w.of(facts.AdDaysTable)
	if len(w.windows) == 0 || ads.rows > 0 {
		return nil
	}
	if err := w.open(ctx, ads); err != nil {
		return err
	}
	if !ads.direct {
		w.parts = append(w.parts, ads)
	}
	return nil
}

// compareWindows finds the changes of an ad report in its windows. Without a window from the reader, the report's days
// are the window. Rows have no unique key, so compareWindows compares them as multisets. It compares only accounts and
// days with stored rows; on other days, all rows are new.
func (w reportWindows) compareWindows(ctx context.Context, of *part) error {
	if err := w.spellOut(ctx); err != nil {
		return err
	}
	if err := w.findShared(ctx); err != nil {
		return err
	}
	var days civil.Range
	if err := w.one(ctx, "sql/window_span", nil, &days.First, &days.Last); err != nil {
		return err
	}
	values := w.values()
	values["first"], values["last"] = days.First.String(), days.Last.String()
	if err := w.run(ctx, "sql/before_windows", values); err != nil {
		return err
	}
	met, err := w.count(ctx, "days_before")
	if err != nil {
		return err
	}
	w.counts[of.Name] = warehouse.Counts{Inserted: of.rows}
	if met > 0 {
		if err := w.compareDays(ctx, of); err != nil {
			return err
		}
	}
	values["met"] = met > 0
	return w.run(ctx, "sql/replaced", values)
}

// spellOut creates window_days: the accounts and days of the report.
func (w reportWindows) spellOut(ctx context.Context) error {
	if err := w.run(ctx, "sql/window_days", w.values()); err != nil {
		return err
	}
	for _, win := range joinWindows(w.windows) {
		_, err := w.change(ctx, "sql/add_window", nil, win.Source, string(win.Platform), win.Account, win.Days.First.String(), win.Days.Last.String())
		if err != nil {
			return err
		}
	}
	if err := w.run(ctx, "sql/same_account", args{"unnamed": warehouse.UnnamedAccount}); err != nil {
		return err
	}
	return w.run(ctx, "sql/same_product", nil)
}

// findShared finds stored accounts that may be accounts of the report under another name. The rows of
// these accounts are not replaced.
func (w reportWindows) findShared(ctx context.Context) error {
	values := w.values()
	values["unnamed"] = warehouse.UnnamedAccount
	return w.each(ctx, "sql/shared_spend", values, func(row warehouse.Row) error {
		var s warehouse.SharedSpend
		err := row.Scan(&s.Account, &s.Stored, &s.Days.First, &s.Days.Last)
		w.shared = append(w.shared, s)
		return err
	})
}

// joinWindows merges overlapping and adjacent windows of an account, because a Singer tap sends each day as a window.
func joinWindows(windows []warehouse.AdWindow) []warehouse.AdWindow {
	var joined []warehouse.AdWindow
	for _, w := range slices.SortedFunc(slices.Values(windows), func(a, b warehouse.AdWindow) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Platform, b.Platform), cmp.Compare(a.Account, b.Account),
			a.Days.First.Compare(b.Days.First))
	}) {
		if n := len(joined); n > 0 {
			last := &joined[n-1]
			if last.Source == w.Source && last.Platform == w.Platform && last.Account == w.Account &&
				!w.Days.First.After(last.Days.Last.AddDays(1)) {
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

// compareDays creates the table differing. On account days with stored rows, it contains the rows that do not occur
// equally often in the import and in the store. compareDays also counts the changes.
func (w reportWindows) compareDays(ctx context.Context, of *part) error {
	if err := w.run(ctx, "sql/differing", w.values()); err != nil {
		return err
	}
	var fresh, changed, gone, updated int64
	if err := w.one(ctx, "sql/tally_windows", w.values(), &fresh, &changed, &gone, &updated); err != nil {
		return err
	}
	changed += fresh
	updated = min(updated, gone)
	w.counts[of.Name] = warehouse.Counts{
		Inserted: changed - updated, Updated: updated, Unchanged: of.rows - changed, Removed: gone - updated,
	}
	return nil
}

// applyWindows replaces the account days with differences.
func (w reportWindows) applyWindows(ctx context.Context, of *part) error {
	c := w.counts[of.Name]
	if c.Updated+c.Removed+c.Unchanged > 0 { // without these counts, the store has no rows of these days
		if err := w.run(ctx, "sql/delete_replaced", w.values()); err != nil {
			return err
		}
	}
	if c.Inserted+c.Updated+c.Removed == 0 {
		return nil
	}
	values := w.values()
	values["unsorted"] = of.Unsorted
	return w.run(ctx, "sql/insert_replaced", values)
}
