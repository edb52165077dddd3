package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"

	"assay/internal/mcp"
)

// How much of an answer is written.
const (
	summaryRows   = 5      // rows at the summary level unless the caller sets a limit
	maxNext       = 3      // next steps of one answer
	bytesPerToken = 4      // measured on minified JSON and CSV of figures
	ceiling       = 20_000 // tokens that no answer exceeds, whatever was asked
)

// budgets is how many tokens an answer has at each level.
var budgets = map[level]int{summaryLevel: 600, analystLevel: 3_000, debugLevel: 12_000}

// maxWarnings is how many warnings an answer has at each level. They are added in the order of their weight.
var maxWarnings = map[level]int{summaryLevel: 3, analystLevel: 5, debugLevel: 5}

// render writes an answer as the caller wants it: JSON as text and as an object, CSV and summary as text only.
func render(a answer, c *Call) (mcp.CallResult, error) {
	prepare(a, c)
	budget := budgets[c.view.DetailLevel]
	if c.limitGiven {
		budget = ceiling
	}
	text, err := fit(a, c, budget)
	if err != nil {
		return mcp.CallResult{}, err
	}
	result := mcp.CallResult{Content: []mcp.Content{{Type: "text", Text: string(text)}}}
	if c.view.Format == jsonFormat {
		result.StructuredContent = text
	}
	return result, nil
}

// prepare brings an answer into the form in which it is written: no more than what was asked for, rounded.
func prepare(a answer, c *Call) {
	end := a.end()
	end.Warnings = end.Warnings[:min(len(end.Warnings), maxWarnings[c.view.DetailLevel])]
	end.Next = end.Next[:min(len(end.Next), maxNext)]
	if c.view.Compact {
		end.Sources, end.DataQuality, end.StoreDataRange = nil, nil, nil
	}
	total := a.size()
	a.keep(total)
	if end.Pagination == nil && !end.allRows && !c.limitGiven && c.view.DetailLevel == summaryLevel && total > summaryRows {
		a.keep(summaryRows)
		end.Truncated = &Truncated{RowsReturned: summaryRows, RowsTotal: total, Reason: "summary level", How: "detail_level=analyst"}
	}
	finish{level: c.view.DetailLevel, exponent: c.Workspace.Currency.Exponent()}.apply(reflect.ValueOf(a))
}

// fit writes the answer with as many rows as the budget allows. Rows weigh more than a second suggestion.
func fit(a answer, c *Call, tokens int) ([]byte, error) {
	total := a.size()
	for {
		text, err := write(a, c)
		if err != nil {
			return nil, err
		}
		shown, limit := a.size(), tokens*bytesPerToken
		if len(text) <= limit || shown == 0 {
			return text, nil
		}
		if next := &a.end().Next; len(*next) > 1 {
			*next = (*next)[:1]
			continue
		}
		shorten(a, c, min(shown-1, shown*limit/len(text)), total)
	}
}

// shorten cuts rows for which there is no room, and says how to get them.
func shorten(a answer, c *Call, rows, total int) {
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
	case c.view.DetailLevel == summaryLevel:
		end.Truncated.How = "detail_level=analyst"
	case c.view.Format == jsonFormat:
		end.Truncated.How = "format=csv"
	default:
		end.Truncated.How = "a shorter period or a filter"
	}
}

func write(a answer, c *Call) ([]byte, error) {
	switch c.view.Format {
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
