package ingest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/internal/control"
	"assay/internal/ingest/source"
	"assay/internal/ingest/tabular"
	"assay/internal/money"
	"assay/internal/warehouse"
	"assay/internal/warehouse/facts"
)

// Limits of a preview.
const (
	previewRows    = 5
	previewColumns = 12
)

// Seen contains the columns and the first rows of a file, even if no reader fits the file. Cells are shortened and
// masked by [source.Shown]. Column names are unchanged.
type Seen struct {
	Header source.Header
	Rows   [][]string
}

// Preview returns the columns and rows that fit on a page.
func (s Seen) Preview() Preview {
	names := s.Header.Names()
	p := Preview{Columns: shownCells(names, previewColumns), More: max(0, len(names)-previewColumns)}
	for _, row := range s.Rows {
		p.Rows = append(p.Rows, row[:min(len(row), previewColumns)])
	}
	return p
}

// Preview is the beginning of a file as the reader receives it. Cells are shortened and masked by [source.Shown].
type Preview struct {
	Columns []string
	Rows    [][]string
	More    int // columns that are not shown
}

func seenIn(t source.Table) Seen {
	s := Seen{Header: t.Header}
	for _, row := range t.Sample[:min(len(t.Sample), previewRows)] {
		s.Rows = append(s.Rows, shownCells(row, len(row)))
	}
	return s
}

// guessed returns the likely table of a file that no reader fits. It assumes that the widest row is the header.
func guessed(samples []tabular.Sample) Seen {
	var table source.Table
	wide := widest(samples)
	for _, s := range samples {
		for i, r := range s.Records[:min(len(s.Records), headerRows)] {
			if len(wide) > 0 && slices.Equal(r.Fields, wide) {
				table.Header, table.Sample = source.NewHeader(wide), below(s.Records[i+1:])
				return seenIn(table)
			}
		}
	}
	return seenIn(table)
}

func shownCells(cells []string, most int) []string {
	row := make([]string, min(len(cells), most))
	for i := range row {
		row[i] = source.Shown(cells[i])
	}
	return row
}

// Reading contains the first rows of a fact table from a file.
type Reading struct {
	Table   string
	Columns []string
	Rows    [][]string // without columns that are empty in all rows
}

// readings collects the first facts of an import.
type readings struct {
	zone *time.Location
	base money.Currency
	list []Reading
}

func newReadings(w control.Workspace) *readings {
	return &readings{zone: w.Location(), base: w.Currency}
}

// take adds the first facts of a batch, until each table has enough rows.
func (r *readings) take(b *warehouse.Batch) {
	for _, p := range b.Previews(previewRows) {
		t := r.of(p)
		for _, values := range p.Rows[:min(len(p.Rows), previewRows-len(t.Rows))] {
			row := make([]string, len(values))
			for i, value := range values {
				row[i] = source.Shown(r.text(p.Columns[i].Format, value))
			}
			t.Rows = append(t.Rows, row)
		}
	}
}

// of returns the collected rows of a table.
func (r *readings) of(p facts.Preview) *Reading {
	at := slices.IndexFunc(r.list, func(t Reading) bool { return t.Table == p.Title })
	if at < 0 {
		at = len(r.list)
		t := Reading{Table: p.Title}
		for _, c := range p.Columns {
			t.Columns = append(t.Columns, c.Title)
		}
		r.list = append(r.list, t)
	}
	return &r.list[at]
}

// tables returns the collected rows without empty columns.
func (r *readings) tables() []Reading {
	for i := range r.list {
		t := &r.list[i]
		for c := range slices.Backward(t.Columns) {
			if slices.ContainsFunc(t.Rows, func(row []string) bool { return row[c] != "" }) {
				continue
			}
			t.Columns = slices.Delete(t.Columns, c, c+1)
			for j := range t.Rows {
				t.Rows[j] = slices.Delete(t.Rows[j], c, c+1)
			}
		}
	}
	return r.list
}

// text formats a value for display.
func (r *readings) text(format facts.Format, value any) string {
	text := r.plain(value)
	switch format {
	case facts.Plain:
	case facts.Money, facts.Amount:
		amount, own := value.(money.Amount)
		if minor, ok := value.(int64); ok && !own {
			amount = money.Amount{Minor: minor, Currency: r.base}
		}
		if value == nil || format == facts.Amount && amount.Minor == 0 {
			return ""
		}
		return amount.String()
	case facts.Nonzero:
		if text == "0" {
			return ""
		}
	case facts.Hash:
		if text != "" {
			return "stored as a hash"
		}
	case facts.Words:
		return strings.ReplaceAll(text, "_", " ")
	}
	return text
}

// plain formats a value as text. Times are in the workspace's time zone, which determines the day of a time.
func (r *readings) plain(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case time.Time:
		return value.In(r.zone).Format("2006-01-02 15:04 MST")
	case float64:
		return strconv.FormatFloat(value, 'f', -1, 64)
	}
	return fmt.Sprint(value)
}
