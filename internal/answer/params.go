package answer

import (
	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/mcp"
)

// Window returns the period between two days. The end defaults to today. The start defaults to the day that is daysBack
// days before the end. A period that has begun ends today at the latest. Days after today have no data, so a comparison
// with the previous period would treat them as days without sales.
func Window(today, start, end civil.Date, daysBack int) (civil.Range, error) {
	w := civil.Range{First: start, Last: end.Or(today)}.UpTo(today)
	w.First = start.Or(w.Last.AddDays(-daysBack))
	if w.Last.Before(w.First) {
		rejected := &mcp.RejectedError{
			Fault: fault.Invalid("start_date %s is after end_date %s", w.First, w.Last), Set: map[string]any{"start_date": w.Last, "end_date": w.First},
		}
		if end.IsZero() { // a period in the future
			rejected.Set, rejected.Drop = nil, []string{"start_date"}
		}
		return w, rejected
	}
	return w, nil
}

// Level is the level of detail of an answer.
type Level string

// The levels, in order of increasing detail.
const (
	SummaryLevel Level = "summary"
	AnalystLevel Level = "analyst"
	DebugLevel   Level = "debug"
)

// Format is the output format of an answer.
type Format string

// The formats.
const (
	JSONFormat    Format = "json"
	CSVFormat     Format = "csv"
	SummaryFormat Format = "summary"
)

// Shared are the parameters of every read-only tool.
type Shared struct {
	DetailLevel Level  `json:"detail_level" enum:"summary|analyst|debug" default:"summary" doc:"Detail."`
	Format      Format `json:"format" enum:"json|csv|summary" default:"json" doc:"Format."`
	Compact     bool   `json:"compact" doc:"Omit metadata."`
}

// Viewed returns the parameters themselves.
func (s Shared) Viewed() Shared { return s }

// Viewer is implemented by parameters that select how the answer is written.
type Viewer interface{ Viewed() Shared }

// Last30 is a period that by default starts 30 days before its end.
type Last30 struct {
	StartDate civil.Date `json:"start_date" doc:"Default 30 days ago."`
	EndDate   civil.Date `json:"end_date" doc:"Default today."`
}

// Check rejects a reversed period.
func (p Last30) Check() error { return CheckOrder("start_date", p.StartDate, "end_date", p.EndDate) }

// Window returns the period.
func (p Last30) Window(today civil.Date) (civil.Range, error) {
	return Window(today, p.StartDate, p.EndDate, 30)
}

// Last90 is a period that by default starts 90 days before its end.
type Last90 struct {
	StartDate civil.Date `json:"start_date" doc:"Default 90 days ago."`
	EndDate   civil.Date `json:"end_date" doc:"Default today."`
}

// Check rejects a reversed period.
func (p Last90) Check() error { return CheckOrder("start_date", p.StartDate, "end_date", p.EndDate) }

// Window returns the period.
func (p Last90) Window(today civil.Date) (civil.Range, error) {
	return Window(today, p.StartDate, p.EndDate, 90)
}

// Last540 is a period that by default starts 540 days (18 months) before its end.
type Last540 struct {
	StartDate civil.Date `json:"start_date" doc:"Default 540 days ago."`
	EndDate   civil.Date `json:"end_date" doc:"Default today."`
}

// Check rejects a reversed period.
func (p Last540) Check() error { return CheckOrder("start_date", p.StartDate, "end_date", p.EndDate) }

// Window returns the period.
func (p Last540) Window(today civil.Date) (civil.Range, error) {
	return Window(today, p.StartDate, p.EndDate, 540)
}

// CheckOrder rejects a period that ends before it starts. It accepts missing days.
func CheckOrder(firstName string, first civil.Date, lastName string, last civil.Date) error {
	if first.IsZero() || last.IsZero() || !last.Before(first) {
		return nil
	}
	return &mcp.RejectedError{
		Fault: fault.Invalid("%s %s is after %s %s", firstName, first, lastName, last), Set: map[string]any{firstName: last, lastName: first},
	}
}

// Paged are the pagination parameters of a tool.
type Paged struct {
	Limit  int `json:"limit" default:"25" min:"1" max:"100" doc:"Rows."`
	Offset int `json:"offset" default:"0" min:"0" doc:"Rows to skip."`
}

// Page returns the requested page. Without a limit, the level of detail sets the number of rows.
func (p Paged) Page(w *Writer) Page {
	if !w.LimitGiven && w.View.DetailLevel == SummaryLevel {
		p.Limit = SummaryRows
	}
	return Page(p)
}

// Page is a part of all rows.
type Page struct{ Limit, Offset int }

// Pagination returns the pagination of an answer with this page.
func (p Page) Pagination(returned, total int) *Pagination {
	out := &Pagination{Limit: p.Limit, Offset: p.Offset, Total: total}
	out.show(returned)
	return out
}

// Cut returns the page's part of all rows.
func Cut[R any](p Page, rows []R) []R {
	from := min(p.Offset, len(rows))
	return rows[from:min(from+p.Limit, len(rows))]
}
