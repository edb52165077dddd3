package answer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"assay/internal/civil"
	"assay/internal/mcp"
)

// Limits on the size of an answer.
const (
	SummaryRows   = 5      // rows at the summary level unless the caller sets a limit
	maxNext       = 3      // maximum number of next steps in one answer
	maxWarnings   = 5      // warnings of one answer
	fewWarnings   = 3      // number of warnings that have priority over rows
	BytesPerToken = 4      // measured on minified JSON and CSV of figures
	Ceiling       = 20_000 // maximum tokens of any answer
)

// Budgets is the token budget of each level.
var Budgets = map[Level]int{SummaryLevel: 600, AnalystLevel: 3_000, DebugLevel: 12_000}

// Render writes an answer in the requested format: JSON as text and as an object, CSV and summary as text only.
func Render(a Answer, w *Writer) (mcp.CallResult, error) {
	prepare(a, w)
	budget := Budgets[w.View.DetailLevel]
	if w.LimitGiven {
		budget = Ceiling
	}
	text, err := fit(a, w, budget)
	if err != nil {
		return mcp.CallResult{}, err
	}
	result := mcp.CallResult{Content: []mcp.Content{{Type: "text", Text: string(text)}}}
	if w.View.Format == JSONFormat {
		result.StructuredContent = text
	}
	if f, ok := a.(failing); ok && f.Failed() {
		result.IsError, result.StructuredContent = true, nil
	}
	if p, ok := a.(pictured); ok && w.View.Format == JSONFormat {
		result.Content = append(result.Content, p.Picture()...)
	}
	if v, ok := a.(viewed); ok && !result.IsError {
		result.Meta = v.ViewData()
	}
	return result, nil
}

// failing is implemented by the answer of a call that may fail. The answer of a failed call is the text of an error.
type failing interface{ Failed() bool }

// pictured is an answer with images after the text. CSV and summary output have none.
type pictured interface{ Picture() []mcp.Content }

// viewed is an answer with data for the client's view, in every format. The data are nil for clients without views.
type viewed interface{ ViewData() json.RawMessage }

// prepare rounds an answer and removes the parts that were not requested.
func prepare(a Answer, w *Writer) {
	end := a.end()
	byRank(end.Warnings)
	end.Next = end.Next[:min(len(end.Next), maxNext)]
	if w.View.Compact {
		end.Sources, end.DataQuality, end.StoreDataRange = nil, nil, nil
	}
	end.keepWarnings(maxWarnings)
	total := a.size()
	a.keep(total)
	if end.Pagination == nil && !end.allRows && !w.LimitGiven && w.View.DetailLevel == SummaryLevel &&
		total > SummaryRows {
		a.keep(SummaryRows)
		end.Truncated = &Truncated{
			RowsReturned: SummaryRows, RowsTotal: total, Reason: "summary level", How: "detail_level=analyst",
		}
	}
	rounding{level: w.View.DetailLevel, exponent: w.Figures.Currency.Exponent()}.apply(reflect.ValueOf(a))
}

// fit writes the answer with as many rows as the token budget allows. It writes at least one row, because an empty page
// has no next offset. [Closing.shed] removes less important parts before rows are cut. [Closing.shedMore] removes
// further parts before fewer than [SummaryRows] rows are left. At the summary level, CSV has the same rows as JSON. At
// the other levels, more rows fit in CSV.
func fit(a Answer, w *Writer, tokens int) ([]byte, error) {
	measured := w.View.Format
	if measured == CSVFormat && w.View.DetailLevel == SummaryLevel {
		measured = JSONFormat
	}
	total := a.size()
	for {
		text, err := write(a, measured)
		if err != nil {
			return nil, err
		}
		shown, limit := a.size(), tokens*BytesPerToken
		switch {
		case len(text) > limit && a.end().shed():
		case len(text) > limit && shown > SummaryRows:
			shorten(a, w, max(SummaryRows, min(shown-1, shown*limit/len(text))), total)
		case len(text) > limit && a.end().shedMore():
		case len(text) > limit && shown > 1:
			shorten(a, w, max(1, min(shown-1, shown*limit/len(text))), total)
		case measured != w.View.Format:
			return write(a, w.View.Format)
		default:
			return text, nil
		}
	}
}

// shed removes the least important part of an answer and reports whether it removed a part. The order is: names of
// sources, description of the method, suggestions after the first, low-priority warnings.
func (c *Closing) shed() bool {
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

// shedMore removes a part that is less important than the first rows, and reports whether it removed a part. The order
// is: the kinds of sources, all suggestions, all warnings but the first, the definition of revenue.
func (c *Closing) shedMore() bool {
	switch q := c.DataQuality; {
	case len(c.Sources) > 1:
		c.Sources = []Source{oneSource(c.Sources)}
	case len(c.Next) > 0:
		c.Next = nil
	case len(c.Warnings) > 1 && q != nil:
		c.keepWarnings(1)
	case q != nil && q.Revenue != "":
		q.Revenue = ""
	default:
		return false
	}
	return true
}

// oneSource combines sources of several kinds into one source.
func oneSource(sources []Source) Source {
	one, kinds := sources[0], []string{sources[0].Kind}
	for _, s := range sources[1:] {
		kinds = append(kinds, s.Kind)
		if one.LastDay.IsZero() || !s.LastDay.IsZero() && s.LastDay.Before(one.LastDay) {
			one.LastDay = s.LastDay
		}
		one.MissingDays, one.Rows = one.MissingDays+s.MissingDays, one.Rows+s.Rows
	}
	one.Source, one.Kind, one.FirstDay = "all", strings.Join(kinds, ", "), civil.Date{}
	return one
}

// keepWarnings keeps the first n warnings and records the number of removed warnings.
func (c *Closing) keepWarnings(n int) {
	more := len(c.Warnings) - n
	if more <= 0 {
		return
	}
	c.Warnings = c.Warnings[:n]
	if c.DataQuality != nil {
		c.DataQuality.MoreWarnings += more
	}
}

// byKind combines the sources of each kind into one source.
func byKind(sources []Source) []Source {
	out, count := []Source{}, map[string]int{}
	for _, s := range sources {
		count[s.Kind] += 1 + strings.Count(s.Source, ", ") // a line may already name several sources
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
		out[at].Source = Plural(count[s.Kind], "source", "sources")
	}
	return out
}

// shorten keeps the rows that fit and reports how to get the other rows.
func shorten(a Answer, w *Writer, rows, total int) {
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
	case w.View.DetailLevel == SummaryLevel:
		end.Truncated.How = "detail_level=analyst"
	case w.View.Format == JSONFormat:
		end.Truncated.How = "format=csv"
	default:
		end.Truncated.How = "a shorter period or a filter"
	}
}

func write(a Answer, as Format) ([]byte, error) {
	switch as {
	case CSVFormat:
		return writeCSV(a)
	case SummaryFormat:
		return writeSummary(a)
	case JSONFormat:
	}
	return Encode(a)
}

// Encode writes minified JSON without escaping <, > and &.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// writeSummary writes the sentences, the key metrics and the warnings.
func writeSummary(a Answer) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(a.start().Summary)
	b.WriteByte('\n')
	all, err := MembersOf(a)
	if err != nil {
		return nil, err
	}
	for _, m := range all {
		if m.Name != "metrics" {
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
