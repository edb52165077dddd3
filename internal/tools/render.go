package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"assay/internal/mcp"
)

// How much of an answer is written.
const (
	summaryRows   = 5      // rows at the summary level unless the caller sets a limit
	maxNext       = 3      // next steps of one answer
	maxWarnings   = 5      // warnings of one answer
	fewWarnings   = 3      // warnings that weigh more than rows
	bytesPerToken = 4      // measured on minified JSON and CSV of figures
	ceiling       = 20_000 // tokens that no answer exceeds, whatever was asked
)

// budgets is how many tokens an answer has at each level.
var budgets = map[level]int{summaryLevel: 600, analystLevel: 3_000, debugLevel: 12_000}

// render writes an answer as the caller wants it: JSON as text and as an object, CSV and summary as text only.
func render(a answer, w *Writer) (mcp.CallResult, error) {
	prepare(a, w)
	budget := budgets[w.view.DetailLevel]
	if w.limitGiven {
		budget = ceiling
	}
	text, err := fit(a, w, budget)
	if err != nil {
		return mcp.CallResult{}, err
	}
	result := mcp.CallResult{Content: []mcp.Content{{Type: "text", Text: string(text)}}}
	if w.view.Format == jsonFormat {
		result.StructuredContent = text
	}
	if p, ok := a.(pictured); ok && w.view.Format != csvFormat {
		result.Content = append(result.Content, p.picture()...)
	}
	return result, nil
}

// pictured is an answer that also shows itself, as images behind the text. A table has none.
type pictured interface{ picture() []mcp.Content }

// prepare brings an answer into the form in which it is written: no more than what was asked for, rounded.
func prepare(a answer, w *Writer) {
	end := a.end()
	byRank(end.Warnings)
	end.Next = end.Next[:min(len(end.Next), maxNext)]
	if w.view.Compact {
		end.Sources, end.DataQuality, end.StoreDataRange = nil, nil, nil
	}
	end.keepWarnings(maxWarnings)
	total := a.size()
	a.keep(total)
	if end.Pagination == nil && !end.allRows && !w.limitGiven && w.view.DetailLevel == summaryLevel && total > summaryRows {
		a.keep(summaryRows)
		end.Truncated = &Truncated{RowsReturned: summaryRows, RowsTotal: total, Reason: "summary level", How: "detail_level=analyst"}
	}
	finish{level: w.view.DetailLevel, exponent: w.figures.currency.Exponent()}.apply(reflect.ValueOf(a))
}

// fit writes the answer with as many rows as the budget allows, and one at least: a page without any would lead
// nowhere. Rows weigh more than what [closing.shed] gives up. A table at the summary level has the rows of the JSON;
// at the others it is the way to see more of them.
func fit(a answer, w *Writer, tokens int) ([]byte, error) {
	measured := w.view.Format
	if measured == csvFormat && w.view.DetailLevel == summaryLevel {
		measured = jsonFormat
	}
	total := a.size()
	for {
		text, err := write(a, measured)
		if err != nil {
			return nil, err
		}
		shown, limit := a.size(), tokens*bytesPerToken
		switch {
		case len(text) > limit && a.end().shed():
		case len(text) > limit && shown > 1:
			shorten(a, w, max(1, min(shown-1, shown*limit/len(text))), total)
		case measured != w.view.Format:
			return write(a, w.view.Format)
		default:
			return text, nil
		}
	}
}

// shed gives up the least that an answer can do without, and reports whether there was anything: the names of sources,
// how the figures were made, a second suggestion, the lighter warnings.
func (c *closing) shed() bool {
	kinds := byKind(c.Sources)
	switch q := c.DataQuality; {
	case len(kinds) < len(c.Sources):
		c.Sources = kinds
	case q != nil && (q.Method != "" || q.Read != nil):
		q.Method, q.Read = "", nil
	case len(c.Next) > 1:
		c.Next = c.Next[:1]
	case len(c.Warnings) > fewWarnings:
		c.keepWarnings(fewWarnings)
	default:
		return false
	}
	return true
}

// keepWarnings cuts the warnings and counts those that are left out.
func (c *closing) keepWarnings(n int) {
	more := len(c.Warnings) - n
	if more <= 0 {
		return
	}
	c.Warnings = c.Warnings[:n]
	if c.DataQuality != nil {
		c.DataQuality.MoreWarnings += more
	}
}

// byKind makes one line of the sources of each kind.
func byKind(sources []Source) []Source {
	out, count := []Source{}, map[string]int{}
	for _, s := range sources {
		count[s.Kind] += 1 + strings.Count(s.Source, ", ") // one line may name several already
		at := slices.IndexFunc(out, func(o Source) bool { return o.Kind == s.Kind })
		if at < 0 {
			out = append(out, s)
			continue
		}
		if s.LastDay.Before(out[at].LastDay) {
			out[at].LastDay = s.LastDay
		}
		if s.FirstDay.Before(out[at].FirstDay) {
			out[at].FirstDay = s.FirstDay
		}
		out[at].MissingDays, out[at].Rows = out[at].MissingDays+s.MissingDays, out[at].Rows+s.Rows
		out[at].Source = plural(count[s.Kind], "source", "sources")
	}
	return out
}

// shorten cuts rows for which there is no room, and says how to get them.
func shorten(a answer, w *Writer, rows, total int) {
	end := a.end()
	a.keep(rows)
	switch {
	case end.Pagination != nil:
		total = end.Pagination.Total
	case end.Truncated != nil:
		total = end.Truncated.RowsTotal
	}
	end.Truncated = &Truncated{RowsReturned: rows, RowsTotal: total, Reason: "size"}
	switch p := end.Pagination; {
	case p != nil:
		p.show(rows)
		p.HasMore, p.NextOffset = true, new(p.Offset+rows)
		end.Truncated.How = fmt.Sprintf("offset=%d", *p.NextOffset)
	case w.view.DetailLevel == summaryLevel:
		end.Truncated.How = "detail_level=analyst"
	case w.view.Format == jsonFormat:
		end.Truncated.How = "format=csv"
	default:
		end.Truncated.How = "a shorter period or a filter"
	}
}

func write(a answer, as format) ([]byte, error) {
	switch as {
	case csvFormat:
		return writeCSV(a)
	case summaryFormat:
		return writeSummary(a)
	case jsonFormat:
	}
	return encode(a)
}

// encode writes JSON without blanks, with the characters <, > and & as they are.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// writeSummary writes the sentences, the key metrics and the warnings.
func writeSummary(a answer) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(a.start().Summary)
	b.WriteByte('\n')
	all, err := membersOf(a)
	if err != nil {
		return nil, err
	}
	for _, m := range all {
		if m.name != "metrics" {
			continue
		}
		lines, err := metricLines(m.value)
		if err != nil {
			return nil, err
		}
		for _, line := range lines {
			fmt.Fprintf(&b, "%s: %s\n", line.name, line.value)
		}
	}
	for _, w := range a.end().Warnings {
		fmt.Fprintf(&b, "%s: %s\n", w.Code, w.Text)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
