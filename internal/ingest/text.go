package ingest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"assay/internal/money"
)

// Text returns the report for a terminal.
func (r Report) Text() string {
	var out strings.Builder
	for i, f := range r.Files {
		if i > 0 {
			out.WriteByte('\n')
		}
		f.write(&out)
	}
	return out.String()
}

func (f FileReport) write(out *strings.Builder) {
	fmt.Fprintf(out, "%s: %s\n", f.File, f.outcome())
	if f.Source != "" {
		fmt.Fprintf(out, "  %s (%s)%s\n", f.Title, f.Source, f.form())
	}
	if f.Problem != "" && len(f.RejectedRows) == 0 {
		fmt.Fprintf(out, "  %s\n", f.Problem)
	}
	if f.Status != Already && f.Source != "" {
		f.writeTotals(out)
		f.writeTables(out)
	}
	f.writeRejected(out)
	for _, w := range f.Warnings {
		fmt.Fprintf(out, "  warning: %s", w.Text)
		if w.Count > 1 {
			fmt.Fprintf(out, " (%d times)", w.Count)
		}
		out.WriteByte('\n')
	}
	if f.Hint != "" {
		fmt.Fprintf(out, "  next: %s\n", f.Hint)
	}
}

func (f FileReport) outcome() string {
	switch f.Status {
	case Already:
		if f.ImportedAt == nil {
			return "already imported, nothing changed"
		}
		return fmt.Sprintf("already imported on %s, nothing changed", f.ImportedAt.UTC().Format("2006-01-02 15:04 UTC"))
	case Checked:
		return "dry run, nothing changed"
	case Refused:
		return "rejected, nothing changed"
	case Empty:
		return "no rows, nothing changed"
	case Imported:
		return "imported"
	case Unknown:
		return "outcome unknown, may be stored"
	}
	return "not finished, nothing changed"
}

func (f FileReport) form() string {
	var form strings.Builder
	for _, part := range []string{f.Encoding, f.Delimiter} {
		if part != "" {
			form.WriteString(", " + part)
		}
	}
	if f.Compressed {
		form.WriteString(", gzip")
	}
	return form.String()
}

func (f FileReport) writeTotals(out *strings.Builder) {
	rows := "rows"
	if f.Rows == 1 {
		rows = "row"
	}
	fmt.Fprintf(out, "  %d %s, %d rejected", f.Rows, rows, f.Rejected)
	if f.PassedOver > 0 {
		fmt.Fprintf(out, ", %d skipped (totals, headers)", f.PassedOver)
	}
	out.WriteByte('\n')
	if f.Totals == nil {
		return
	}
	if !f.Totals.First.IsZero() {
		fmt.Fprintf(out, "  days %s to %s\n", f.Totals.First, f.Totals.Last)
	}
	t := newTable("compare with the platform's own report", "")
	for _, line := range []struct {
		name  string
		count int64
	}{
		{"orders", f.Totals.Orders},
		{"canceled orders, not counted", f.Totals.Cancelled},
		{"test orders, not counted", f.Totals.Tests},
		{"refunds", f.Totals.Refunds},
		{"repeated in the file, counted once", f.Totals.Repeated},
	} {
		if line.count > 0 {
			t.AppendRow(table.Row{line.name, line.count})
		}
	}
	appendAmounts(t, "charged", f.Totals.Charged)
	appendAmounts(t, "refunded", f.Totals.Refunded)
	appendAmounts(t, "spend", f.Totals.Spend)
	render(out, t)
}

func appendAmounts(t table.Writer, name string, sums map[string]string) {
	for _, currency := range slices.Sorted(maps.Keys(sums)) {
		t.AppendRow(table.Row{name, money.TextOf(sums[currency], money.Currency(currency))})
	}
}

func (f FileReport) writeTables(out *strings.Builder) {
	t := newTable("table", "inserted", "updated", "unchanged", "removed")
	for _, name := range slices.Sorted(maps.Keys(f.Tables)) {
		c := f.Tables[name]
		t.AppendRow(table.Row{name, c.Inserted, c.Updated, c.Unchanged, c.Removed})
	}
	render(out, t)
}

func (f FileReport) writeRejected(out *strings.Builder) {
	t := newTable("line", "column", "value", "reason")
	t.SetColumnConfigs([]table.ColumnConfig{{Name: "reason", WidthMax: reasonWidth, WidthMaxEnforcer: text.WrapSoft}})
	listed := 0
	for _, r := range f.RejectedRows {
		reason := r.Reason
		if r.Rows > 1 {
			reason += fmt.Sprintf(" (%d rows)", r.Rows)
		}
		if r.Fix != "" {
			reason += "; " + r.Fix
		}
		t.AppendRow(table.Row{r.Line, r.Column, r.Value, reason})
		listed += max(r.Rows, 1)
	}
	render(out, t)
	switch more := f.Rejected - listed; {
	case more == 1:
		fmt.Fprintln(out, "  and 1 more rejected row")
	case more > 1:
		fmt.Fprintf(out, "  and %d more rejected rows\n", more)
	}
}

// reasonWidth is the maximum width of the reason column. With this width, the table of rejected rows fits a wide
// terminal.
const reasonWidth = 70

func newTable(columns ...any) table.Writer {
	t := table.NewWriter()
	t.AppendHeader(columns)
	style := table.StyleLight
	style.Format.Header = text.FormatDefault
	t.SetStyle(style)
	return t
}

func render(out *strings.Builder, t table.Writer) {
	if t.Length() == 0 {
		return
	}
	for line := range strings.SplitSeq(t.Render(), "\n") {
		out.WriteString("  " + line + "\n")
	}
}
