package answer

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"assay/internal/sheet"
)

// writeCSV writes an answer as one CSV table (RFC 4180) after lines of the form "# key: value".
func writeCSV(a Answer) ([]byte, error) {
	var preamble, b bytes.Buffer
	if err := writePreamble(&preamble, a); err != nil {
		return nil, err
	}
	for line := range strings.Lines(preamble.String()) {
		b.WriteString(sheet.Line(line))
	}
	w := csv.NewWriter(&b)
	rows := a.rows()
	columns := columnsOf(rows)
	header := make([]string, len(columns))
	for i, column := range columns {
		header[i] = column.name
	}
	if err := w.Write(header); err != nil {
		return nil, err
	}
	for i := range rows.Len() {
		record := make([]string, len(columns))
		for j, column := range columns {
			cell, err := column.cell(rows.Index(i))
			if err != nil {
				return nil, err
			}
			record[j] = cell
		}
		if err := w.Write(record); err != nil {
			return nil, err
		}
	}
	w.Flush()
	return b.Bytes(), w.Error()
}

// writePreamble writes everything except the members rows and next: one line per member, metric and warning.
func writePreamble(b *bytes.Buffer, a Answer) error {
	all, err := MembersOf(a)
	if err != nil {
		return err
	}
	for _, m := range all {
		switch m.Name {
		case "rows", "next":
		case "metrics":
			lines, err := metricLines(m.value)
			if err != nil {
				return err
			}
			for _, line := range lines {
				fmt.Fprintf(b, "# %s: %s\n", line.name, line.value)
			}
		case "pagination":
			p := a.end().Pagination
			fmt.Fprintf(b, "# rows: %d of %d\n", p.Returned, p.Total)
			if p.NextOffset != nil {
				fmt.Fprintf(b, "# next_offset: %d\n", *p.NextOffset)
			}
		case "warnings":
			for _, w := range a.end().Warnings {
				fmt.Fprintf(b, "# warning: %s: %s\n", w.Code, w.Text)
			}
		default:
			fmt.Fprintf(b, "# %s: %s\n", m.Name, plain(m.value))
		}
	}
	return nil
}

// member is a name and an encoded value of a JSON object.
type member struct {
	Name  string
	value json.RawMessage
}

// MembersOf encodes a value as a JSON object and lists its members in order.
func MembersOf(v any) ([]member, error) {
	text, err := Encode(v)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	var out []member
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		m := member{Name: fmt.Sprint(name)}
		if err := d.Decode(&m.value); err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}

// line is a metric as text.
type line struct{ name, value string }

// metricLines writes metrics as "118240, previous 113000, change 4.6%".
func metricLines(metrics json.RawMessage) ([]line, error) {
	all, err := MembersOf(metrics)
	if err != nil {
		return nil, err
	}
	out := make([]line, len(all))
	for i, m := range all {
		var metric figures
		out[i] = line{m.Name, plain(m.value)}
		if m.value[0] != '{' {
			continue
		}
		if err := json.Unmarshal(m.value, &metric); err != nil {
			return nil, err
		}
		out[i].value = metric.line()
	}
	return out, nil
}

// figures are the members of a [Metric] or a [Share].
type figures struct {
	Metric[float64]
	ChangePoints *float64 `json:"change_points"`
}

func (m figures) line() string {
	text := "unknown"
	if m.Value != nil {
		text = shortest(float64(*m.Value))
	}
	if m.Previous != nil {
		text += ", previous " + shortest(float64(*m.Previous))
	}
	if m.ChangePct != nil {
		text += ", change " + shortest(float64(*m.ChangePct)) + "%"
	}
	if m.PerDay != nil {
		text += ", change per day " + shortest(float64(*m.PerDay)) + "%"
	}
	if m.ChangePoints != nil {
		text += ", change " + shortest(*m.ChangePoints) + " percentage points"
	}
	return text
}

func shortest(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// plain writes a JSON value on one line: strings without quotes, other values unchanged.
func plain(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil && value[0] == '"' {
		return oneLine(text)
	}
	return string(value)
}

// oneLine joins the words of a text with single spaces.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// column is a column of a CSV table: a field of the row struct or of a nested struct.
type column struct {
	name     string
	index    []int
	optional bool // omitted if zero
	inside   bool // field of an optional nested struct
}

// columnsOf lists the columns of the rows. It omits an optional field that no row has.
func columnsOf(rows reflect.Value) []column {
	var out []column
	for _, c := range fieldColumns(rows.Type().Elem(), nil, "") {
		used := !c.optional && !c.inside
		for i := 0; i < rows.Len() && !used; i++ {
			_, used = c.value(rows.Index(i))
		}
		if used {
			out = append(out, c)
		}
	}
	return out
}

func fieldColumns(t reflect.Type, index []int, prefix string) []column {
	var out []column
	for i := range t.NumField() {
		field := t.Field(i)
		at := append(append([]int{}, index...), i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		inner := field.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		switch {
		case name == "-" || !field.IsExported() && !field.Anonymous:
		case field.Anonymous && name == "":
			out = append(out, fieldColumns(inner, at, prefix)...)
		case inner.Kind() == reflect.Struct && inner.NumField() > 0 && inner.Field(0).IsExported():
			for _, c := range fieldColumns(inner, at, prefix+name+".") {
				c.inside = c.inside || field.Type.Kind() == reflect.Pointer
				out = append(out, c)
			}
		default:
			out = append(out, column{name: prefix + name, index: at, optional: strings.Contains(options, "omit")})
		}
	}
	return out
}

// value returns the row's value in the column. The result ok is false if the row has no value.
func (c column) value(row reflect.Value) (v reflect.Value, ok bool) {
	v = row
	for _, i := range c.index {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return v, false
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	if c.optional && v.IsZero() || v.Kind() == reflect.Pointer && v.IsNil() {
		return v, false
	}
	return v, true
}

// cell writes one value. Text that a spreadsheet would run as a formula gets a leading apostrophe.
func (c column) cell(row reflect.Value) (string, error) {
	v, ok := c.value(row)
	if !ok {
		return "", nil
	}
	encoded, err := Encode(v.Interface())
	if err != nil {
		return "", err
	}
	text := plain(encoded)
	if encoded[0] == '"' {
		return sheet.Text(text), nil
	}
	return text, nil
}
