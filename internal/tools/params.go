package tools

import (
	"assay/internal/civil"
	"assay/internal/fault"
)

// level is how much an answer tells.
type level string

const (
	summaryLevel level = "summary"
	analystLevel level = "analyst"
	debugLevel   level = "debug"
)

// format is how an answer is written.
type format string

const (
	jsonFormat    format = "json"
	csvFormat     format = "csv"
	summaryFormat format = "summary"
)

// shared are the parameters of every tool that only reads.
type shared struct {
	DetailLevel level  `json:"detail_level" enum:"summary|analyst|debug" default:"summary" doc:"How much."`
	Format      format `json:"format" enum:"json|csv|summary" default:"json" doc:"How written."`
	Compact     bool   `json:"compact" doc:"Omit metadata."`
}

func (s shared) viewed() shared { return s }

// viewer is a tool's parameters, seen as how the answer is to be written.
type viewer interface{ viewed() shared }

// last30 is a period that starts 30 days before its end unless the caller says otherwise.
type last30 struct {
	StartDate civil.Date `json:"start_date" doc:"Default 30 days ago."`
	EndDate   civil.Date `json:"end_date" doc:"Default today."`
}

// Check refuses a reversed period.
func (p last30) Check() error { return checkOrder("start_date", p.StartDate, "end_date", p.EndDate) }

func (p last30) window(today civil.Date) (civil.Range, error) {
	return window(today, p.StartDate, p.EndDate, 30)
}

// last90 is a period that starts 90 days before its end unless the caller says otherwise.
type last90 struct {
	StartDate civil.Date `json:"start_date" doc:"Default 90 days ago."`
	EndDate   civil.Date `json:"end_date" doc:"Default today."`
}

// Check refuses a reversed period.
func (p last90) Check() error { return checkOrder("start_date", p.StartDate, "end_date", p.EndDate) }

func (p last90) window(today civil.Date) (civil.Range, error) {
	return window(today, p.StartDate, p.EndDate, 90)
}

// anyTime is a period whose ends are open unless the caller closes them.
type anyTime struct {
	StartDate civil.Date `json:"start_date" doc:"First day."`
	EndDate   civil.Date `json:"end_date" doc:"Last day."`
}

// Check refuses a reversed period.
func (p anyTime) Check() error { return checkOrder("start_date", p.StartDate, "end_date", p.EndDate) }

// checkOrder refuses a last day before the first. A day that was not given stands in nobody's way.
func checkOrder(firstName string, first civil.Date, lastName string, last civil.Date) error {
	if first.IsZero() || last.IsZero() || !last.Before(first) {
		return nil
	}
	return fault.Invalid("%s %s lies after %s %s", firstName, first, lastName, last).
		WithHint(`Corrected arguments: {"%s":"%s","%s":"%s"}`, firstName, last, lastName, first)
}

// paged are the parameters of a tool that answers page by page.
type paged struct {
	Limit  int `json:"limit" default:"25" min:"1" max:"100" doc:"Rows."`
	Offset int `json:"offset" default:"0" min:"0" doc:"Rows to skip."`
}

// page returns the page to show: what the caller asked for, or as many rows as the level of detail calls for.
func (p paged) page(w *Writer) page {
	if !w.limitGiven && w.view.DetailLevel == summaryLevel {
		p.Limit = summaryRows
	}
	return page{limit: p.Limit, offset: p.Offset}
}

// page is a part of all rows.
type page struct{ limit, offset int }

// pagination tells the caller where the page lies.
func (p page) pagination(returned, total int) *Pagination {
	out := &Pagination{Limit: p.limit, Offset: p.offset, Total: total}
	out.show(returned)
	return out
}

// cut returns the page of rows that are all at hand.
func cut[R any](p page, rows []R) []R {
	from := min(p.offset, len(rows))
	return rows[from:min(from+p.limit, len(rows))]
}
