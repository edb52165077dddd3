package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"
)

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// width returns the maximum width of a table in characters.
func width(w io.Writer) int {
	if file, ok := w.(*os.File); ok {
		if columns, _, err := term.GetSize(int(file.Fd())); err == nil && columns > 40 {
			return columns
		}
	}
	return 120
}

// member is one name of a JSON object with its value.
type member struct {
	name  string
	value json.RawMessage
}

// members splits a JSON object without losing its order.
func members(object json.RawMessage) []member {
	decoder := json.NewDecoder(bytes.NewReader(object))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return nil
	}
	var out []member
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return out
		}
		var value json.RawMessage
		if decoder.Decode(&value) != nil {
			return out
		}
		out = append(out, member{name: fmt.Sprint(name), value: value})
	}
	return out
}

// printAnswer prints a tool's JSON answer for a person: the summary, the key metrics, the rows, then the warnings. Text
// that is not a JSON object is printed unchanged.
func printAnswer(w io.Writer, answer string) error {
	parts := members(json.RawMessage(answer))
	if parts == nil {
		_, err := fmt.Fprintln(w, answer)
		return err
	}
	for _, part := range parts {
		switch part.name {
		case "summary":
			fmt.Fprintln(w, text.WrapSoft(cell(part.value), width(w)))
		case "period":
			fmt.Fprintln(w, text.FgHiBlack.Sprint(periodLine(part.value)))
		case "currency":
			fmt.Fprintln(w, text.FgHiBlack.Sprint("amounts in "+cell(part.value)))
		case "metrics":
			printMetrics(w, part.value)
		case "rows":
			printRows(w, part.value)
		case "pagination":
			printPage(w, part.value)
		case "truncated":
			printTruncated(w, part.value)
		case "warnings":
			printWarnings(w, part.value)
		}
	}
	return nil
}

func periodLine(value json.RawMessage) string {
	var p struct {
		Start, End, Timezone string
		Days                 int
		Partial              bool
	}
	if json.Unmarshal(value, &p) != nil {
		return ""
	}
	line := fmt.Sprintf("%s to %s, %d days, %s", p.Start, p.End, p.Days, p.Timezone)
	if p.Partial {
		line += ", last day incomplete"
	}
	return line
}

func newTable(w io.Writer) table.Writer {
	t := table.NewWriter()
	t.SetOutputMirror(w)
	style := table.StyleLight
	style.Format.Header = text.FormatDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Options.SeparateHeader = true
	t.SetStyle(style)
	return t
}

func printMetrics(w io.Writer, value json.RawMessage) {
	t := newTable(w)
	t.AppendHeader(table.Row{"metric", "value", "previous", "change %"})
	t.SetColumnConfigs([]table.ColumnConfig{{Number: 2, Align: text.AlignRight}, {Number: 3, Align: text.AlignRight}, {Number: 4, Align: text.AlignRight}})
	for _, m := range members(value) {
		fields := map[string]string{}
		for _, f := range members(m.value) {
			fields[f.name] = cell(f.value)
		}
		if _, inferred := fields["low"]; inferred || len(fields) == 0 {
			fields["value"] = cell(m.value)
		}
		change := fields["change_pct"]
		if points := fields["change_points"]; points != "" {
			change = points + " points"
		}
		t.AppendRow(table.Row{m.name, fields["value"], fields["previous"], change})
	}
	if t.Length() > 0 {
		fmt.Fprintln(w)
		t.Render()
	}
}

func printRows(w io.Writer, value json.RawMessage) {
	var rows []json.RawMessage
	if json.Unmarshal(value, &rows) != nil || len(rows) == 0 {
		return
	}
	columns := columnsOf(rows)
	shown, left := fitting(columns, width(w))
	t := newTable(w)
	header := table.Row{}
	var configs []table.ColumnConfig
	for i, c := range shown {
		header = append(header, c.name)
		if c.number {
			configs = append(configs, table.ColumnConfig{Number: i + 1, Align: text.AlignRight, AlignHeader: text.AlignRight})
		} else {
			configs = append(configs, table.ColumnConfig{Number: i + 1, WidthMax: max(c.width, minText), WidthMaxEnforcer: text.WrapSoft})
		}
	}
	t.AppendHeader(header)
	t.SetColumnConfigs(configs)
	for i := range rows {
		line := make(table.Row, len(shown))
		for k, c := range shown {
			line[k] = c.cells[i]
		}
		t.AppendRow(line)
	}
	fmt.Fprintln(w)
	t.Render()
	if len(left) > 0 {
		fmt.Fprintf(w, "columns not shown: %s (use --raw)\n", strings.Join(left, ", "))
	}
}

// column is one column of a table before the layout is decided.
type column struct {
	name   string
	cells  []string
	number bool // every cell is a number or empty
	width  int
}

const (
	minText = 16 // minimum width of a wrapped text column
	gap     = 2  // between columns
)

// columnsOf converts rows to columns, in the order in which their names first appear.
func columnsOf(rows []json.RawMessage) []*column {
	var columns []*column
	byName := map[string]*column{}
	for i, row := range rows {
		for _, m := range members(row) {
			c := byName[m.name]
			if c == nil {
				c = &column{name: m.name, cells: make([]string, len(rows)), number: true, width: len(m.name)}
				byName[m.name] = c
				columns = append(columns, c)
			}
			c.cells[i] = cell(m.value)
			c.width = max(c.width, text.StringWidth(c.cells[i]))
			c.number = c.number && strings.ContainsAny(string(m.value[:1]), "-0123456789n")
		}
	}
	return columns
}

// fitting fits columns into the available width. It first narrows text columns, so that their text wraps, then drops
// columns from the right. It never narrows a number column. It returns the remaining columns and the names of the
// dropped columns.
func fitting(columns []*column, room int) (shown []*column, left []string) {
	total := gap
	for _, c := range columns {
		total += c.width + gap
	}
	for _, c := range columns {
		if over := total - room; over > 0 && !c.number && c.width > minText {
			narrower := max(minText, c.width-over)
			total -= c.width - narrower
			c.width = narrower
		}
	}
	for len(columns) > 1 && total > room {
		last := columns[len(columns)-1]
		columns = columns[:len(columns)-1]
		total -= last.width + gap
		left = append([]string{last.name}, left...)
	}
	return columns, left
}

func printPage(w io.Writer, value json.RawMessage) {
	var p struct {
		Offset, Returned, Total int
		HasMore                 bool `json:"has_more"`
		NextOffset              *int `json:"next_offset"`
	}
	if json.Unmarshal(value, &p) == nil && p.HasMore && p.NextOffset != nil {
		fmt.Fprintf(w, "%d of %d rows; next offset %d\n", p.Returned, p.Total, *p.NextOffset)
	}
}

func printTruncated(w io.Writer, value json.RawMessage) {
	var t struct {
		Returned int `json:"rows_returned"`
		Total    int `json:"rows_total"`
		How      string
	}
	if json.Unmarshal(value, &t) == nil && t.Total > t.Returned {
		fmt.Fprintf(w, "%d of %d rows; for more: %s\n", t.Returned, t.Total, t.How)
	}
}

func printWarnings(w io.Writer, value json.RawMessage) {
	var warnings []struct{ Code, Text string }
	if json.Unmarshal(value, &warnings) != nil {
		return
	}
	if len(warnings) > 0 {
		fmt.Fprintln(w)
	}
	for _, warning := range warnings {
		fmt.Fprintln(w, text.FgYellow.Sprint("! ")+text.WrapSoft(warning.Text, width(w)-2))
	}
}

// cell returns a JSON value as plain text. Strings have no quotes, null is an empty string, and an estimate is "26.3
// (24.4 to 28.2)". Other objects and lists are JSON.
func cell(value json.RawMessage) string {
	var s string
	if json.Unmarshal(value, &s) == nil {
		return s
	}
	if string(value) == "null" {
		return ""
	}
	var estimate struct {
		Value, Low, High *json.Number
		Partial          bool
	}
	if value[0] != '{' || json.Unmarshal(value, &estimate) != nil || estimate.Value == nil {
		return string(value)
	}
	s = estimate.Value.String()
	if estimate.Low != nil && estimate.High != nil {
		s += " (" + estimate.Low.String() + " to " + estimate.High.String() + ")"
	}
	if estimate.Partial {
		s += " so far"
	}
	return s
}
