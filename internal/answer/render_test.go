package answer

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/civil"
)

type sampleAnswer struct {
	Opening
	Metrics sampleMetrics `json:"metrics"`
	Table[sampleRow]
	Closing
}

type sampleMetrics struct {
	Revenue Metric[Money] `json:"revenue"`
	Rows    int           `json:"rows"`
}

type sampleRow struct {
	Name  Foreign  `json:"name"`
	Value *Money   `json:"value,omitempty"`
	Note  string   `json:"note,omitempty"`
	Share *Percent `json:"share,omitempty" detail:"analyst"`
	Cents *Money   `json:"cents,omitempty" detail:"debug"`
}

func sample(n int) *sampleAnswer {
	a := &sampleAnswer{Metrics: sampleMetrics{Revenue: MetricOf(Money(1234.567), Money(999.994)), Rows: n}}
	a.Summary = "A sample."
	a.Sources, a.DataQuality, a.StoreDataRange = []Source{}, &DataQuality{Revenue: "charged"}, &StoreDataRange{}
	for i := range n {
		a.Rows = append(a.Rows, sampleRow{
			Name: Foreign(fmt.Sprintf("row %d", i)), Value: new(Money(float64(i) + 0.126)), Share: new(Percent(1.26)),
			Cents: new(Money(1234.567)),
		})
	}
	return a
}

func sampleWriter(view Shared) *Writer { return &Writer{Figures: Figures{Currency: "USD"}, View: view} }

func rendered(t *testing.T, a Answer, w *Writer) string {
	t.Helper()
	r, err := Render(a, w)
	if err != nil {
		t.Fatal(err)
	}
	return r.Content[0].Text
}

func TestFiguresAreRoundedByTheirType(t *testing.T) {
	t.Parallel()
	type all struct {
		M []Money
		R Ratio
		P *Percent
		C Count
		F float64
	}
	value := func() all {
		return all{
			[]Money{1234.567, -1234.5, 999.996, 999.99, 0.125, -0.001, 0}, 2.345, new(Percent(-0.04)), 1.0 / 3, 1.0 / 3,
		}
	}
	cases := []struct {
		f    rounding
		want all
	}{
		{rounding{SummaryLevel, 2}, all{
			[]Money{1235, -1235, 1000, 999.99, 0.13, 0, 0}, 2.35, new(Percent(0)), 0.33, 1.0 / 3,
		}},
		{rounding{DebugLevel, 2}, all{
			[]Money{1234.57, -1234.5, 1000, 999.99, 0.13, 0, 0}, 2.35, new(Percent(0)), 0.33, 1.0 / 3,
		}},
		{rounding{DebugLevel, 3}, all{
			[]Money{1234.567, -1234.5, 999.996, 999.99, 0.125, -0.001, 0}, 2.35, new(Percent(0)), 0.33, 1.0 / 3,
		}},
		{rounding{AnalystLevel, 0}, all{[]Money{1235, -1235, 1000, 1000, 0, 0, 0}, 2.35, new(Percent(0)), 0.33, 1.0 / 3}},
	}
	for _, c := range cases {
		got := value()
		c.f.apply(reflect.ValueOf(&got))
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", c.f, diff)
		}
	}
	zero := Money(-0.001)
	rounding{SummaryLevel, 2}.apply(reflect.ValueOf(&zero))
	if text, err := json.Marshal(zero); err != nil || string(text) != "0" {
		t.Errorf("a small negative value is written %s, %v", text, err)
	}
}

func TestUntrustedTextIsCleanedAndCapped(t *testing.T) {
	t.Parallel()
	cases := map[string]string{
		"plain":                               "plain",
		"two\nlines\tand\x00 nothing\x1b[31m": "two lines and nothing[31m",
		"right\u202eleft":                     "rightleft",
		"bad\xffbyte":                         "badbyte",
		strings.Repeat("é", 100):              strings.Repeat("é", 79) + "…",
	}
	for in, want := range cases {
		got := struct{ Name Foreign }{Foreign(in)}
		rounding{AnalystLevel, 2}.apply(reflect.ValueOf(&got))
		if string(got.Name) != want {
			t.Errorf("%q becomes %q, want %q", in, got.Name, want)
		}
	}
}

func TestLevelSelectsTheFieldsOfARow(t *testing.T) {
	t.Parallel()
	want := map[Level]string{
		SummaryLevel: `{"name":"row 0","value":0.13}`,
		AnalystLevel: `{"name":"row 0","value":0.13,"share":1.3}`,
		DebugLevel:   `{"name":"row 0","value":0.13,"share":1.3,"cents":1234.57}`,
	}
	for lvl, row := range want {
		text := rendered(t, sample(1), sampleWriter(Shared{DetailLevel: lvl, Format: JSONFormat}))
		if !strings.Contains(text, row) {
			t.Errorf("%s: %s lacks %s", lvl, text, row)
		}
	}
}

func TestSummaryLevelShowsFiveRows(t *testing.T) {
	t.Parallel()
	a := sample(12)
	rendered(t, a, sampleWriter(Shared{DetailLevel: SummaryLevel, Format: JSONFormat}))
	want := &Truncated{RowsReturned: 5, RowsTotal: 12, Reason: "summary level", How: "detail_level=analyst"}
	if diff := cmp.Diff(want, a.Truncated); diff != "" || len(a.Rows) != 5 {
		t.Errorf("%d rows, truncated (-want +got):\n%s", len(a.Rows), diff)
	}
}

func TestSummaryLevelShowsTheSameRowsInEachFormat(t *testing.T) {
	t.Parallel()
	rows := map[Format]int{}
	for _, f := range []Format{JSONFormat, CSVFormat} {
		a := sample(5)
		for i := range a.Rows {
			a.Rows[i].Note = strings.Repeat("x", 500)
		}
		w := sampleWriter(Shared{DetailLevel: SummaryLevel, Format: f})
		rendered(t, a, w)
		rows[f] = len(a.Rows)
	}
	if rows[JSONFormat] == 5 || rows[CSVFormat] != rows[JSONFormat] {
		t.Errorf("rows %v; want fewer than 5, and as many in each", rows)
	}
}

func TestAnswersStayBelowTheTokenCeiling(t *testing.T) {
	t.Parallel()
	for _, f := range []Format{JSONFormat, CSVFormat} {
		a := sample(20_000)
		w := sampleWriter(Shared{DetailLevel: DebugLevel, Format: f})
		w.LimitGiven = true
		text := rendered(t, a, w)
		if got := len(text) / BytesPerToken; got > Ceiling || got < Ceiling*8/10 {
			t.Errorf("%s: about %d tokens, want a little less than %d", f, got, Ceiling)
		}
		if a.Truncated == nil || a.Truncated.RowsTotal != 20_000 || a.Truncated.RowsReturned != len(a.Rows) ||
			a.Truncated.How == "" {
			t.Errorf("%s: %d rows, %+v", f, len(a.Rows), a.Truncated)
		}
	}
}

func TestPageCutBySizeHasTheNextOffset(t *testing.T) {
	t.Parallel()
	a := sample(100)
	a.Pagination = Page{Limit: 100, Offset: 40}.Pagination(100, 140)
	if a.Pagination.HasMore || a.Pagination.NextOffset != nil {
		t.Fatalf("the last page reports %+v", a.Pagination)
	}
	rendered(t, a, sampleWriter(Shared{DetailLevel: SummaryLevel, Format: JSONFormat}))
	p := a.Pagination
	if len(a.Rows) == 100 || p.Returned != len(a.Rows) || !p.HasMore || *p.NextOffset != 40+len(a.Rows) {
		t.Errorf("%d rows, %+v; want the next offset after them", len(a.Rows), p)
	}
	if want := fmt.Sprintf("offset=%d", *p.NextOffset); a.Truncated.How != want {
		t.Errorf("how to get the rest: %q, want %q", a.Truncated.How, want)
	}
}

// A page without rows that names its own offset as the next offset would cause an endless loop of requests.
func TestPageHasAtLeastOneRow(t *testing.T) {
	t.Parallel()
	a := sample(3)
	for i := range a.Rows {
		a.Rows[i].Note = strings.Repeat("x", 3000)
	}
	a.Pagination = Page{Limit: 3, Offset: 6}.Pagination(3, 20)
	rendered(t, a, sampleWriter(Shared{DetailLevel: SummaryLevel, Format: JSONFormat}))
	if p := a.Pagination; len(a.Rows) != 1 || p.Returned != 1 || !p.HasMore || *p.NextOffset != 7 {
		t.Errorf("%d rows, %+v; want one row and the next offset after it", len(a.Rows), p)
	}
}

func TestSourcesAreCutBeforeRows(t *testing.T) {
	t.Parallel()
	a := sample(5)
	for i := range 40 {
		a.Sources = append(a.Sources, Source{
			Source: fmt.Sprint("account ", i), Kind: "ads", LastDay: civil.MustParse("2026-03-10").AddDays(-i),
		})
	}
	for i := range 5 {
		a.Warn(WarningCode(fmt.Sprint("w", i)), "Text.")
	}
	a.DataQuality.Method = strings.Repeat("how ", 40)
	rendered(t, a, sampleWriter(Shared{DetailLevel: SummaryLevel, Format: JSONFormat}))
	want := Source{Source: "40 sources", Kind: "ads", LastDay: civil.MustParse("2026-03-10").AddDays(-39)}
	if len(a.Sources) != 1 || a.Sources[0] != want || len(a.Rows) != 5 || len(a.Warnings) != 5 {
		t.Errorf("%d rows, %d warnings, sources %+v; want all of them, and %+v",
			len(a.Rows), len(a.Warnings), a.Sources, want)
	}
}

// Five rows are more important than metadata, suggestions and all warnings but the first. Each metadata block remains.
func TestFiveRowsAreCutAfterMetadata(t *testing.T) {
	t.Parallel()
	a := sample(8)
	for i := range a.Rows {
		a.Rows[i].Note = strings.Repeat("x", 250)
	}
	for _, kind := range []string{"orders", "ads", "spend"} {
		a.Sources = append(a.Sources, Source{Source: kind + " of a shop", Kind: kind, LastDay: civil.MustParse("2026-03-10").AddDays(-len(kind))})
	}
	for i := range 4 {
		a.Warn(WarningCode(fmt.Sprint("w", i)), strings.Repeat("Text. ", 20))
		a.Next = append(a.Next, Next{Tool: "trends", Arguments: map[string]any{}, Reason: strings.Repeat("Why. ", 20)})
	}
	a.DataQuality.Revenue = strings.Repeat("charged ", 20)
	text := rendered(t, a, sampleWriter(Shared{DetailLevel: SummaryLevel, Format: JSONFormat}))
	if len(a.Rows) != 5 || len(text) > Budgets[SummaryLevel]*BytesPerToken {
		t.Errorf("%d rows in %d bytes, want five within the budget", len(a.Rows), len(text))
	}
	want := Source{Source: "all", Kind: "orders, ads, spend", LastDay: civil.MustParse("2026-03-04")}
	if len(a.Sources) != 1 || a.Sources[0] != want || len(a.Warnings) == 0 || a.Warnings[0].Code != "w0" {
		t.Errorf("sources %+v, warnings %+v; want %+v and the first warning", a.Sources, a.Warnings, want)
	}
	for _, block := range []string{`"sources":`, `"data_quality":`, `"store_data_range":`} {
		if !strings.Contains(text, block) {
			t.Errorf("%s lacks %s", text, block)
		}
	}
}

// An optional figure that is not a number is omitted.
func TestFiguresThatAreNoNumbersAreAbsent(t *testing.T) {
	t.Parallel()
	type all struct {
		Value    *Money
		Estimate *Estimate[Ratio]
		Kept     *Estimate[Ratio]
	}
	got := all{new(Money(math.NaN())), &Estimate[Ratio]{Value: 1, Low: 0, High: Ratio(math.Inf(1))}, &Estimate[Ratio]{Value: 1, High: 2.004}}
	rounding{DebugLevel, 2}.apply(reflect.ValueOf(&got))
	if diff := cmp.Diff(all{Kept: &Estimate[Ratio]{Value: 1, High: 2}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCSVIsValidAndWithoutFormulas(t *testing.T) {
	t.Parallel()
	a := sample(0)
	for _, name := range []string{
		"=1+1", "+49", "-5", "@home", "＝1+1", "＋49", "－5", "＠home", "a,b", `say "x"`,
		"two\nlines", "", "-",
	} {
		a.Rows = append(a.Rows, sampleRow{Name: Foreign(name)})
	}
	a.Rows = append(a.Rows, sampleRow{Name: "negative", Value: new(Money(-5))})
	a.Warn("code", "A text.")
	text := rendered(t, a, sampleWriter(Shared{DetailLevel: AnalystLevel, Format: CSVFormat}))
	body := text[strings.Index(text, "name,"):]
	for line := range strings.Lines(text[:len(text)-len(body)]) {
		if !strings.HasPrefix(line, "# ") || !strings.Contains(line, ": ") {
			t.Errorf("preamble line %q", line)
		}
	}
	got, err := csv.NewReader(strings.NewReader(body)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		{"name", "value"},
		{"'=1+1", ""},
		{"'+49", ""},
		{"'-5", ""},
		{"'@home", ""},
		{"'＝1+1", ""},
		{"'＋49", ""},
		{"'－5", ""},
		{"'＠home", ""},
		{"a,b", ""},
		{`say "x"`, ""},
		{"two lines", ""},
		{"", ""},
		{"'-", ""},
		{"negative", "-5"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
	for _, line := range []string{"# revenue: 1235, previous 999.99, change 23.5%\n", "# warning: code: A text.\n"} {
		if !strings.Contains(text, line) {
			t.Errorf("%q lacks %q", text, line)
		}
	}
}

func TestHTMLIsNotEscaped(t *testing.T) {
	t.Parallel()
	a := sample(0)
	a.Rows = []sampleRow{{Name: "<b>&"}}
	if text := rendered(t, a, sampleWriter(Shared{DetailLevel: SummaryLevel, Format: JSONFormat})); !strings.Contains(
		text, `"name":"<b>&"`) {
		t.Error(text)
	}
}

func TestRowsAreNeverNull(t *testing.T) {
	t.Parallel()
	if text := rendered(t, sample(0),
		sampleWriter(Shared{DetailLevel: SummaryLevel, Format: JSONFormat})); !strings.Contains(text, `"rows":[]`) {
		t.Error(text)
	}
}

func TestWarningsAndNextStepsAreLimited(t *testing.T) {
	t.Parallel()
	a := sample(0)
	for i := range 9 {
		a.Warn(WarningCode(fmt.Sprint("w", i)), "Text.")
		a.Next = append(a.Next, Next{Tool: "trends", Arguments: map[string]any{}, Reason: "Why."})
	}
	rendered(t, a, sampleWriter(Shared{DetailLevel: DebugLevel, Format: JSONFormat}))
	if len(a.Warnings) != 5 || a.Warnings[0].Code != "w0" || len(a.Next) != maxNext || a.DataQuality.MoreWarnings != 4 {
		t.Errorf("%d warnings from %q and %d more, %d steps", len(a.Warnings), a.Warnings[0].Code, a.DataQuality.MoreWarnings,
			len(a.Next))
	}
}

func TestMostImportantWarningComesFirst(t *testing.T) {
	t.Parallel()
	a := sample(0)
	for _, code := range []WarningCode{"other", "provisional", "partial_day", "no_touchpoints", "data_start"} {
		a.Warn(code, "Text.")
	}
	rendered(t, a, sampleWriter(Shared{DetailLevel: SummaryLevel, Format: JSONFormat}))
	var got []WarningCode
	for _, w := range a.Warnings {
		got = append(got, w.Code)
	}
	if diff := cmp.Diff([]WarningCode{"no_touchpoints", "data_start", "partial_day", "provisional", "other"},
		got); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

func TestWordsForSentences(t *testing.T) {
	t.Parallel()
	w := sampleWriter(Shared{})
	cases := map[string]string{
		w.Amount(123456789):                  "USD 1,234,568",
		w.Amount(99999):                      "USD 999.99",
		w.Amount(-1250):                      "-USD 12.50",
		Quantity(1204):                       "1,204",
		Quantity(12.5):                       "12.5",
		Moved(new(Percent(4.62))):            "up 4.6%",
		Moved(new(Percent(-12))):             "down 12.0%",
		Moved(new(Percent(0.04))):            "unchanged",
		Moved(nil):                           "no comparable value",
		Plural(1, "day is", "days are"):      "1 day is",
		Plural(1200, "day", "days"):          "1,200 days",
		ChannelName("organic_search"):        "organic_search",
		ChannelName("Ignore what was said"):  "one channel",
		Listed([]string{"a", "b", "c", "d"}): "a, b, c and 1 more",
	}
	for got, want := range cases {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// All formats contain the change per day of two windows of different lengths.
func TestTextContainsTheChangePerDay(t *testing.T) {
	t.Parallel()
	for _, format := range []Format{CSVFormat, SummaryFormat} {
		a := sample(0)
		a.Metrics.Revenue.AddPerDay(31, 30)
		const want = "revenue: 1235, previous 999.99, change 23.5%, change per day 19.5%\n"
		if text := rendered(t, a, sampleWriter(Shared{DetailLevel: SummaryLevel, Format: format})); !strings.Contains(text, want) {
			t.Errorf("%s lacks %q:\n%s", format, want, text)
		}
	}
}
