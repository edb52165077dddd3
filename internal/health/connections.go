package health

import (
	"context"
	"time"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
	"assay/internal/warehouse"
)

// Connection describes the data that one source has delivered.
type Connection struct {
	Source   answer.Foreign   `json:"source"`
	Kind     string           `json:"kind"`
	Platform measure.Platform `json:"platform,omitempty"`
	Account  answer.Foreign   `json:"account,omitempty"`
	Status   string           `json:"status" enum:"current|stale|gaps"`
	Rows     int64            `json:"rows"`
	FirstDay civil.Date       `json:"first_day,omitzero"`
	LastDay  civil.Date       `json:"last_day,omitzero"`
	Behind   *int             `json:"days_behind,omitempty" doc:"Days from the last day with data to today, for daily sources."`
	Missing  int64            `json:"missing_days,omitempty" doc:"Days without a row between the first and the last day with data."`
	Watched  *DaySpan         `json:"watched,omitempty" doc:"Days that were checked for missing rows."`
	Silent   []DaySpan        `json:"silent,omitempty" doc:"Checked days without a row, as ranges of consecutive days."`
	Imported time.Time        `json:"last_import,omitzero" doc:"Time on the actual clock, not on the clock of a demo store."`
}

// DaySpan is a range of consecutive days, both ends included.
type DaySpan struct {
	Start civil.Date `json:"start"`
	End   civil.Date `json:"end"`
}

// ImportLine is an import in the import ledger.
type ImportLine struct {
	At        time.Time      `json:"at" doc:"Time on the actual clock, not on the clock of a demo store."`
	Source    answer.Foreign `json:"source"`
	File      answer.Foreign `json:"file,omitempty"`
	Inserted  int64          `json:"inserted"`
	Updated   int64          `json:"updated"`
	Unchanged int64          `json:"unchanged"`
	Removed   int64          `json:"removed"`
	FirstDay  civil.Date     `json:"first_day,omitzero" doc:"First changed day."`
	LastDay   civil.Date     `json:"last_day,omitzero"`
}

// maxImports is the maximum number of imports in an answer.
const maxImports = 20

// watchedDays is the number of days up to today in which daily sources are checked for missing days.
const watchedDays = 90

// Connections describes each source that has delivered data.
func Connections(ctx context.Context, c *toolkit.Call) ([]Connection, error) {
	watched := civil.Range{First: c.Today.AddDays(1 - watchedDays), Last: c.Today}
	days, err := c.SourceDays(ctx, watched)
	if err != nil {
		return nil, err
	}
	delivered := map[warehouse.SourceDay]bool{}
	for _, d := range days {
		delivered[d] = true
	}
	all := make([]Connection, len(c.Store.Sources))
	for i, s := range c.Store.Sources {
		all[i] = Connection{
			Source: answer.Foreign(s.Source), Kind: s.Kind, Platform: s.Platform, Account: answer.Foreign(s.Account), Status: c.SourceStatus(s), Rows: s.Rows,
			FirstDay: s.Days.First, LastDay: s.Days.Last, Missing: s.MissingDays, Imported: UTC(s.LastImport),
		}
		if snapshot.DeliversDaily(s.Kind) {
			all[i].Behind = new(max(0, c.Today.Sub(s.Days.Last)))
			all[i].Watched, all[i].Silent = silence(s, watched, delivered)
		}
	}
	return all, nil
}

// silence returns the checked part of a period and, as ranges, the days of this part without rows of a source. The
// checked part excludes days before the source's first day. It also excludes the last day of the period, which is today
// and incomplete.
func silence(s warehouse.SourceState, in civil.Range, delivered map[warehouse.SourceDay]bool) (watched *DaySpan, silent []DaySpan) {
	if in.First.Before(s.Days.First) {
		in.First = s.Days.First
	}
	in.Last = in.Last.AddDays(-1)
	for day := in.First; !day.After(in.Last); day = day.AddDays(1) {
		if delivered[warehouse.SourceDay{Kind: s.Kind, Source: s.Source, Account: s.Account, Platform: s.Platform, Day: day}] {
			continue
		}
		if n := len(silent); n > 0 && silent[n-1].End.AddDays(1) == day {
			silent[n-1].End = day
			continue
		}
		silent = append(silent, DaySpan{day, day})
	}
	if in.Last.Before(in.First) {
		return nil, nil
	}
	return &DaySpan{in.First, in.Last}, silent
}

// ImportLines lists imports. It combines consecutive imports without a file, such as webhook messages, into one line
// per source and UTC day.
func ImportLines(imports []warehouse.ImportRecord) []ImportLine {
	var lines []ImportLine
	var last warehouse.ImportRecord
	for _, r := range imports {
		together := r.FileHash == "" && r.Source == last.Source && r.File == last.File && civil.DayOf(r.At, time.UTC) == civil.DayOf(last.At, time.UTC)
		if last = r; together {
			l := &lines[len(lines)-1]
			l.Inserted, l.Updated, l.Unchanged, l.Removed = l.Inserted+r.Inserted, l.Updated+r.Updated, l.Unchanged+r.Unchanged, l.Removed+r.Removed
			days := (civil.Range{First: l.FirstDay, Last: l.LastDay}).Span(r.Days)
			l.FirstDay, l.LastDay = days.First, days.Last
			continue
		}
		if len(lines) == maxImports {
			break
		}
		lines = append(lines, ImportLine{
			At: UTC(r.At), Source: answer.Foreign(r.Source), File: answer.Foreign(r.File), Inserted: r.Inserted, Updated: r.Updated, Unchanged: r.Unchanged,
			Removed: r.Removed, FirstDay: r.Days.First, LastDay: r.Days.Last,
		})
	}
	return lines
}

// UTC returns an instant in UTC without fractions of a second.
func UTC(at time.Time) time.Time { return at.UTC().Truncate(time.Second) }
