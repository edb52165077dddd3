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

// width returns how many columns a table may take.
func width(w io.Writer) int {
	if file, ok := w.(*os.File); ok {
		if columns, _, err := term.GetSize(int(file.Fd())); err == nil && columns > 40 {
			return columns
		}
	}
	return 120
}

// member is one name of a JSON object with its value, in the order of the document.
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

// printAnswer shows a tool's JSON answer as a person reads it: the summary, the key metrics, the rows, then what
// to be careful about. Text that is no JSON object is printed as it is.
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
		case "metrics":
			printMetrics(w, part.value)
		case "rows":
			printRows(w, part.value)
		case "pagination":
			printPage(w, part.value)
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
		line += ", the last day is not over"
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
	style.Size.WidthMax = width(w)
	t.SetStyle(style)
	return t
}

func printMetrics(w io.Writer, value json.RawMessage) {
	t := newTable(w)
	t.AppendHeader(table.Row{"metric", "value", "before", "change %"})
	t.SetColumnConfigs([]table.ColumnConfig{{Number: 2, Align: text.AlignRight}, {Number: 3, Align: text.AlignRight}, {Number: 4, Align: text.AlignRight}})
	for _, m := range members(value) {
		fields := map[string]string{}
		for _, f := range members(m.value) {
			fields[f.name] = cell(f.value)
		}
		if len(fields) == 0 {
			fields["value"] = cell(m.value)
		}
		t.AppendRow(table.Row{m.name, fields["value"], fields["previous"], fields["change_pct"]})
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
	t := newTable(w)
	var names []string
	header := table.Row{}
	var configs []table.ColumnConfig
	for _, row := range rows {
		for _, m := range members(row) {
			if !contains(names, m.name) {
				names = append(names, m.name)
				header = append(header, m.name)
				if len(m.value) > 0 && strings.ContainsAny(string(m.value[:1]), "-0123456789") {
					configs = append(configs, table.ColumnConfig{Number: len(names), Align: text.AlignRight, AlignHeader: text.AlignRight})
				}
			}
		}
	}
	t.AppendHeader(header)
	t.SetColumnConfigs(configs)
	for _, row := range rows {
		values := map[string]string{}
		for _, m := range members(row) {
			values[m.name] = cell(m.value)
		}
		line := make(table.Row, len(names))
		for i, name := range names {
			line[i] = values[name]
		}
		t.AppendRow(line)
	}
	fmt.Fprintln(w)
	t.Render()
}

func contains(names []string, name string) bool {
	for _, n := range names {
		if n == name {
			return true
		}
	}
	return false
}

func printPage(w io.Writer, value json.RawMessage) {
	var p struct {
		Offset, Returned, Total int
		HasMore                 bool `json:"has_more"`
		NextOffset              *int `json:"next_offset"`
	}
	if json.Unmarshal(value, &p) == nil && p.HasMore && p.NextOffset != nil {
		fmt.Fprintf(w, "%d of %d rows; the next begin at offset %d\n", p.Returned, p.Total, *p.NextOffset)
	}
}

func printWarnings(w io.Writer, value json.RawMessage) {
	var warnings []struct{ Code, Text string }
	if json.Unmarshal(value, &warnings) != nil {
		return
	}
	for _, warning := range warnings {
		fmt.Fprintln(w, text.FgYellow.Sprint("! ")+text.WrapSoft(warning.Text, width(w)-2))
	}
}

// cell returns a JSON value as plain text: strings without quotes, null as nothing, objects and lists as JSON.
func cell(value json.RawMessage) string {
	var s string
	if json.Unmarshal(value, &s) == nil {
		return s
	}
	if string(value) == "null" {
		return ""
	}
	return string(value)
}
