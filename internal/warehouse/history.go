package warehouse

import (
	"context"
	"time"

	"assay/internal/civil"
	"assay/internal/measure"
)

// DayVersions returns every version of the daily totals of a period. Each import that changed totals creates a version.
// Versions are sorted by kind, part, day and import. Changes by feeds within a clock hour are one version; see
// [ImportSpec]. In a store of an earlier release, the first versions are the totals at the time of the update.
func (w *historyQuestions) DayVersions(ctx context.Context, ws measure.WorkspaceID, days civil.Range) ([]measure.DayVersion, error) {
	return w.versions(ctx, ws, "day_versions", bindDays(days))
}

// DaysAsOf returns the daily totals of a period as of an instant, sorted by kind, part and day. If a feed changed a day
// before and after the instant in one clock hour, the totals are those before these changes.
func (w *historyQuestions) DaysAsOf(ctx context.Context, ws measure.WorkspaceID, days civil.Range, at time.Time) ([]measure.DayVersion, error) {
	bind := bindDays(days)
	bind["at"] = instantText(at)
	return w.versions(ctx, ws, "days_as_of", bind)
}

func (w *historyQuestions) versions(ctx context.Context, ws measure.WorkspaceID, question string, bind values) ([]measure.DayVersion, error) {
	var out []measure.DayVersion
	err := w.ask(ctx, ws, question, bind, func(row Row) error {
		var v measure.DayVersion
		err := row.Scan(versionOf(&v)...)
		v.Gone = !v.Gone
		out = append(out, v)
		return err
	})
	return out, err
}

// versionOf returns the scan destinations of a version. The query returns false for Gone if the part was removed, so
// the caller negates the scanned value.
func versionOf(v *measure.DayVersion) []any {
	into := append([]any{&v.Day, &v.Kind, &v.Name, &v.Gone}, sumsOf(&v.Sums)...)
	return append(into, &v.Spend, &v.Impressions, &v.Clicks, &v.Claimed, &v.ClaimedSum, &v.Import, &v.At, &v.Seen, &v.Source, &v.File)
}

// DayChanges returns the days with totals that changed after they were first visible. The newest days are first. Within
// a day, parts are sorted by kind and name. A limit of 0 means no limit.
func (w *historyQuestions) DayChanges(ctx context.Context, ws measure.WorkspaceID, limit, offset int) ([]measure.DayChange, error) {
	var out []measure.DayChange
	err := w.ask(ctx, ws, "day_changes", values{"limit": orAll(limit), "offset": offset}, func(row Row) error {
		var v measure.DayVersion
		var changes int
		err := row.Scan(append(versionOf(&v), &changes)...)
		v.Gone = !v.Gone
		if n := len(out); n > 0 && out[n-1].First.DayPart == v.DayPart {
			out[n-1].Now = v
		} else {
			out = append(out, measure.DayChange{First: v, Changes: changes})
		}
		return err
	})
	return out, err
}

// LateChanges returns the number of daily totals of surfaces and platforms that changed after they were first visible,
// and the range of their days. It includes only changes by imports in the given period.
func (w *historyQuestions) LateChanges(ctx context.Context, ws measure.WorkspaceID, imported civil.Range) (parts int, days civil.Range, err error) {
	err = w.ask(ctx, ws, "late_changes", bindDays(imported), func(row Row) error {
		return row.Scan(&parts, &days.First, &days.Last)
	})
	return parts, days, err
}

// Settling returns the versions of a period's days, sorted by part, day and import. It also returns the dates on which
// imports contained these days unchanged. There is one version at the end of each day on which an import changed the
// figures. A version has the components of revenue, the spend and the platform-reported conversions.
func (w *historyQuestions) Settling(ctx context.Context, ws measure.WorkspaceID, kind measure.TotalsKind, days civil.Range) ([]measure.DayVersion, []measure.Look, error) {
	bind := bindDays(days)
	bind["kind"] = string(kind)
	var versions []measure.DayVersion
	err := w.ask(ctx, ws, "settling", bind, func(row Row) error {
		v := measure.DayVersion{DayPart: measure.DayPart{Kind: kind}}
		err := row.Scan(&v.Day, &v.Name, &v.Gone, &v.Sums.Charged, &v.Sums.Tax, &v.Sums.Shipping, &v.Sums.Refunds, &v.Spend, &v.Claimed, &v.Seen)
		v.Gone = !v.Gone
		versions = append(versions, v)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	var looks []measure.Look
	err = w.ask(ctx, ws, "looks", bind, func(row Row) error {
		l := measure.Look{Kind: kind}
		err := row.Scan(&l.Name, &l.Seen, &l.Days.First, &l.Days.Last)
		looks = append(looks, l)
		return err
	})
	return versions, looks, err
}
