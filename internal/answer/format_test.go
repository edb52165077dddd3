package answer_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"assay/internal/answer"
	"assay/internal/mcp"
)

// figures is an answer with a metric, a nested value and optional parts.
type figures struct {
	answer.Opening
	Metrics figureMetrics `json:"metrics"`
	answer.Table[figureRow]
	answer.Closing

	pictures []mcp.Content
}

// Picture returns the images of the answer.
func (f *figures) Picture() []mcp.Content { return f.pictures }

type figureMetrics struct {
	Revenue answer.Metric[answer.Money] `json:"revenue"`
	Unknown answer.Metric[answer.Money] `json:"unknown"`
	Label   string                      `json:"label"`
}

type figureRow struct {
	Name   answer.Foreign                 `json:"name"`
	ROAS   *answer.Estimate[answer.Ratio] `json:"roas,omitempty"`
	Never  *answer.Estimate[answer.Ratio] `json:"never,omitempty"`
	Share  answer.Percent                 `json:"share,omitempty" detail:"analyst"`
	Hidden string                         `json:"-"`
	Spend  *answer.Money                  `json:"spend"`
	Detail answer.Percent                 `json:"debug_only,omitempty" detail:"debug"`
}

func figuresOf(n int) *figures {
	a := &figures{Metrics: figureMetrics{Revenue: answer.MetricOf(answer.Money(1234.5), answer.Money(1000)), Label: "all\n of it"}, pictures: []mcp.Content{{Type: "image"}}}
	a.Summary = "A summary."
	a.Warn(answer.WarnPartialDay, "Today is not over.")
	for i := range n {
		r := figureRow{Name: answer.Foreign(fmt.Sprint("row ", i)), Share: 12.34, Detail: 5, Hidden: "x"}
		if i == 0 {
			r.ROAS = &answer.Estimate[answer.Ratio]{Value: 2.345, Low: 1, High: 3}
		}
		a.Rows = append(a.Rows, r)
	}
	return a
}

func render(t *testing.T, a answer.Answer, view answer.Shared) mcp.CallResult {
	t.Helper()
	r, err := answer.Render(a, &answer.Writer{Figures: answer.Figures{Currency: "USD"}, View: view})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestAnAnswerInEachFormat(t *testing.T) {
	t.Parallel()
	for format, want := range map[answer.Format]string{
		answer.SummaryFormat: "A summary.\nrevenue: 1235, previous 1000, change 23.5%\nunknown: unknown\nlabel: all of it\npartial_day: Today is not over.",
		answer.CSVFormat: "# summary: A summary.\n# revenue: 1235, previous 1000, change 23.5%\n# unknown: unknown\n# label: all of it\n# warning: partial_day: Today is not over.\n" +
			"name,roas.value,roas.low,roas.high,share,spend\nrow 0,2.35,1,3,12.3,\nrow 1,,,,12.3,\n",
		answer.JSONFormat: `{"summary":"A summary.","metrics":{"revenue":{"value":1235,"previous":1000,"change_pct":23.5},"unknown":{"value":null,"previous":null,"change_pct":null},"label":"all\n of it"},` +
			`"rows":[{"name":"row 0","roas":{"value":2.35,"low":1,"high":3},"share":12.3,"spend":null},{"name":"row 1","share":12.3,"spend":null}],"warnings":[{"code":"partial_day","text":"Today is not over."}]}`,
	} {
		r := render(t, figuresOf(2), answer.Shared{DetailLevel: answer.AnalystLevel, Format: format})
		if got := r.Content[0].Text; got != want {
			t.Errorf("%s is\n%s\nwant\n%s", format, got, want)
		}
		if (r.StructuredContent != nil) != (format == answer.JSONFormat) || (len(r.Content) == 2) != (format == answer.JSONFormat) || r.IsError {
			t.Errorf("%s has %d parts, structured: %t", format, len(r.Content), r.StructuredContent != nil)
		}
	}
	if got := render(t, figuresOf(1), answer.Shared{DetailLevel: answer.DebugLevel, Format: answer.JSONFormat}).Content[0].Text; !strings.Contains(got, `"debug_only":5`) || !strings.Contains(got, "1234.5,") {
		t.Errorf("at the debug level: %s", got)
	}
	if got := render(t, figuresOf(1), answer.Shared{DetailLevel: answer.SummaryLevel, Format: answer.JSONFormat}).Content[0].Text; strings.Contains(got, "share") {
		t.Errorf("at the summary level: %s", got)
	}
}

func TestRowsOfASummary(t *testing.T) {
	t.Parallel()
	for n, truncated := range map[int]bool{answer.SummaryRows: false, answer.SummaryRows + 1: true} {
		a := figuresOf(n)
		render(t, a, answer.Shared{DetailLevel: answer.SummaryLevel, Format: answer.JSONFormat})
		if len(a.Rows) != answer.SummaryRows || (a.Truncated != nil) != truncated || truncated && (a.Truncated.RowsReturned != answer.SummaryRows || a.Truncated.RowsTotal != n || a.Truncated.How != "detail_level=analyst") {
			t.Errorf("%d rows: %d are shown, %+v", n, len(a.Rows), a.Truncated)
		}
	}
	few := figuresOf(answer.SummaryRows + 2)
	few.ShowAll(true)
	if render(t, few, answer.Shared{DetailLevel: answer.SummaryLevel, Format: answer.JSONFormat}); len(few.Rows) != answer.SummaryRows+2 || few.Truncated != nil {
		t.Errorf("%d rows that belong together are shown, %+v", len(few.Rows), few.Truncated)
	}
	compact := figuresOf(1)
	compact.Sources, compact.DataQuality, compact.StoreDataRange = []answer.Source{{Source: "a"}}, &answer.DataQuality{}, &answer.StoreDataRange{}
	if render(t, compact, answer.Shared{DetailLevel: answer.AnalystLevel, Format: answer.JSONFormat, Compact: true}); compact.Sources != nil || compact.DataQuality != nil || compact.StoreDataRange != nil {
		t.Errorf("a compact answer has %+v", compact.Closing)
	}
}

// If an answer is too long, source names, the method and suggestions are cut before rows.
func TestLessImportantPartsAreCutFirst(t *testing.T) {
	t.Parallel()
	a := figuresOf(1)
	a.Sources = []answer.Source{
		{Source: strings.Repeat("a", 900), Kind: "ads", Rows: 1, FirstDay: day("2026-01-02"), LastDay: day("2026-03-02"), MissingDays: 1},
		{Source: strings.Repeat("b", 900) + ", c", Kind: "ads", Rows: 2, FirstDay: day("2026-01-01"), LastDay: day("2026-03-01"), MissingDays: 2},
		{Source: "shop", Kind: "orders", Rows: 4},
	}
	a.DataQuality = &answer.DataQuality{Method: strings.Repeat("m", 3000)}
	a.Next = []answer.Next{{Tool: "first"}, {Tool: "second", Reason: strings.Repeat("r", 3000)}}
	render(t, a, answer.Shared{DetailLevel: answer.SummaryLevel, Format: answer.JSONFormat})
	if len(a.Sources) != 2 || a.Sources[0].Source != "3 sources" || a.Sources[0].LastDay != day("2026-03-01") || a.Sources[1].Source != "shop" || a.DataQuality.Method != "" || len(a.Next) != 1 || a.Next[0].Tool != "first" || len(a.Rows) != 1 {
		t.Errorf("%+v", a.Closing)
	}
	short := figuresOf(1)
	short.Sources, short.DataQuality = slices.Clone(a.Sources), &answer.DataQuality{Method: "m"}
	short.Next = []answer.Next{{Tool: "first"}, {Tool: "second"}}
	if render(t, short, answer.Shared{DetailLevel: answer.AnalystLevel, Format: answer.JSONFormat}); short.DataQuality.Method != "m" || len(short.Next) != 2 {
		t.Errorf("a short answer is cut: %+v", short.Closing)
	}
}

func TestALongTableSaysHowToGetTheRest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		view answer.Shared
		page bool
		how  string
	}{
		{answer.Shared{DetailLevel: answer.AnalystLevel, Format: answer.JSONFormat}, false, "format=csv"},
		{answer.Shared{DetailLevel: answer.AnalystLevel, Format: answer.CSVFormat}, false, "a shorter period or a filter"},
		{answer.Shared{DetailLevel: answer.AnalystLevel, Format: answer.JSONFormat}, true, "offset="},
	} {
		a := figuresOf(3000)
		if c.page {
			a.Pagination = answer.Page{Limit: 3000, Offset: 10}.Pagination(3000, 9000)
		}
		r := render(t, a, c.view)
		if a.Truncated == nil || a.Truncated.Reason != "size" || !strings.HasPrefix(a.Truncated.How, c.how) || a.Truncated.RowsReturned != len(a.Rows) || len(r.Content[0].Text) > answer.Budgets[answer.AnalystLevel]*answer.BytesPerToken {
			t.Errorf("%+v: %+v with %d rows in %d bytes", c.view, a.Truncated, len(a.Rows), len(r.Content[0].Text))
			continue
		}
		if total := a.Truncated.RowsTotal; total != map[bool]int{false: 3000, true: 9000}[c.page] {
			t.Errorf("%d rows in total", total)
		}
		if p := a.Pagination; c.page && (!p.HasMore || *p.NextOffset != 10+len(a.Rows) || a.Truncated.How != fmt.Sprint("offset=", *p.NextOffset)) {
			t.Errorf("%+v, %s", p, a.Truncated.How)
		}
	}
}
