package warehouse

import (
	"context"
	"time"

	"assay/internal/civil"
	"assay/internal/measure"
)

// Sources returns the state of each source's data, sorted by kind, source and account.
func (w *coverageQuestions) Sources(ctx context.Context, ws measure.WorkspaceID) ([]SourceState, error) {
	latest, err := w.lastImports(ctx, ws)
	if err != nil {
		return nil, err
	}
	gaps, err := w.adGaps(ctx, ws)
	if err != nil {
		return nil, err
	}
	var out []SourceState
	err = w.ask(ctx, ws, "sources", nil, func(row Row) error {
		var s SourceState
		var fact string
		err := row.Scan(&s.Kind, &fact, &s.Source, &s.Account, &s.Platform, &s.Rows, &s.Days.First, &s.Days.Last)
		s.LastImport = latest.of(s.Source, fact)
		if s.Kind == "ads" {
			gap := gaps[account{s.Source, s.Platform, s.Account}]
			s.MissingDays, s.LastGap = gap.missing, gap.last
		}
		out = append(out, s)
		return err
	})
	return out, err
}

// SourceDays returns the days of a period with data of daily sources, sorted by kind, source, account and day.
func (w *coverageQuestions) SourceDays(ctx context.Context, ws measure.WorkspaceID, days civil.Range) ([]SourceDay, error) {
	var out []SourceDay
	err := w.ask(ctx, ws, "source_days", bindDays(days), func(row Row) error {
		var d SourceDay
		err := row.Scan(&d.Kind, &d.Source, &d.Account, &d.Platform, &d.Day)
		out = append(out, d)
		return err
	})
	return out, err
}

// lastImports contains the times of the latest imports, by reader and fact table.
type lastImports map[[2]string]time.Time

// of returns the time of the last import of a source's facts. The name of a facts' source may differ from the name of
// the reader that imported the file. In this case, of returns the time of the latest import of the table by any reader.
func (l lastImports) of(source, fact string) time.Time {
	if at, ok := l[[2]string{source, fact}]; ok {
		return at
	}
	return l[[2]string{"", fact}]
}

func (w *coverageQuestions) lastImports(ctx context.Context, ws measure.WorkspaceID) (lastImports, error) {
	latest := lastImports{}
	err := w.ask(ctx, ws, "last_imports", nil, func(row Row) error {
		var source, fact string
		var at time.Time
		err := row.Scan(&source, &fact, &at)
		latest[[2]string{source, fact}] = at
		if any := [2]string{"", fact}; at.After(latest[any]) {
			latest[any] = at
		}
		return err
	})
	return latest, err
}

// account is an ad account of a source. Platforms number accounts independently.
type account struct {
	source   string
	platform measure.Platform
	id       string
}

// gap describes the missing days between an account's first and last day.
type gap struct {
	missing int64
	last    civil.Date
}

func (w *coverageQuestions) adGaps(ctx context.Context, ws measure.WorkspaceID) (map[account]gap, error) {
	gaps := map[account]gap{}
	var before account
	var seen civil.Date
	err := w.ask(ctx, ws, "ad_report_days", nil, func(row Row) error {
		var a account
		var day civil.Date
		err := row.Scan(&a.source, &a.platform, &a.id, &day)
		if missing := int64(day.Sub(seen) - 1); a == before && !seen.IsZero() && missing > 0 {
			g := gaps[a]
			gaps[a] = gap{missing: g.missing + missing, last: day.AddDays(-1)}
		}
		before, seen = a, day
		return err
	})
	return gaps, err
}
