package answer_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/measure"
)

func day(text string) civil.Date { return civil.MustParse(text) }

func days(first, last string) civil.Range { return civil.Range{First: day(first), Last: day(last)} }

func TestWindowsHaveDefaults(t *testing.T) {
	t.Parallel()
	today := day("2026-03-10")
	for _, c := range []struct {
		start, end string
		back       int
		want       civil.Range
		reversed   bool
	}{
		{"", "", 30, days("2026-02-08", "2026-03-10"), false},
		{"", "2026-03-01", 9, days("2026-02-20", "2026-03-01"), false},
		{"2026-03-09", "", 9, days("2026-03-09", "2026-03-10"), false},
		{"2026-03-01", "2026-03-01", 9, days("2026-03-01", "2026-03-01"), false},
		{"2026-03-02", "2026-03-01", 9, civil.Range{}, true},
	} {
		var start, end civil.Date
		if c.start != "" {
			start = day(c.start)
		}
		if c.end != "" {
			end = day(c.end)
		}
		got, err := answer.Window(today, start, end, c.back)
		if c.reversed != (fault.KindOf(err) == fault.KindInvalid) || !c.reversed && got != c.want {
			t.Errorf("%q to %q: %s, %v; want %s", c.start, c.end, got, err, c.want)
		}
		for _, err := range []error{answer.Last30{StartDate: start, EndDate: end}.Check(), answer.Last90{StartDate: start, EndDate: end}.Check(), answer.Last540{StartDate: start, EndDate: end}.Check()} {
			if c.reversed != (fault.KindOf(err) == fault.KindInvalid) {
				t.Errorf("%q to %q is checked with %v", c.start, c.end, err)
			}
		}
	}
	if w, err := (answer.Last30{}).Window(today); err != nil || w.Days() != 31 {
		t.Errorf("%s, %v", w, err)
	}
	if w, err := (answer.Last90{}).Window(today); err != nil || w.Days() != 91 {
		t.Errorf("%s, %v", w, err)
	}
	if w, err := (answer.Last540{}).Window(today); err != nil || w.Days() != 541 {
		t.Errorf("%s, %v", w, err)
	}
}

func TestPagesOfRows(t *testing.T) {
	t.Parallel()
	rows := []int{0, 1, 2, 3, 4}
	for _, c := range []struct {
		page answer.Page
		want []int
		next int // 0: none
	}{
		{answer.Page{Limit: 2}, []int{0, 1}, 2},
		{answer.Page{Limit: 2, Offset: 2}, []int{2, 3}, 4},
		{answer.Page{Limit: 2, Offset: 3}, []int{3, 4}, 0},
		{answer.Page{Limit: 2, Offset: 4}, []int{4}, 0},
		{answer.Page{Limit: 2, Offset: 5}, nil, 0},
		{answer.Page{Limit: 2, Offset: 9}, nil, 0},
		{answer.Page{Limit: 9}, rows, 0},
	} {
		got := answer.Cut(c.page, rows)
		p := c.page.Pagination(len(got), len(rows))
		if !slices.Equal(got, c.want) || p.Returned != len(c.want) || p.Total != 5 || p.HasMore != (c.next > 0) || (p.NextOffset == nil) != (c.next == 0) || c.next > 0 && *p.NextOffset != c.next {
			t.Errorf("%+v: %v with %+v, want %v and the next offset %d", c.page, got, p, c.want, c.next)
		}
	}
	w := answer.Writer{View: answer.Shared{DetailLevel: answer.SummaryLevel}}
	if got := (answer.Paged{Limit: 25, Offset: 3}).Page(&w); got != (answer.Page{Limit: answer.SummaryRows, Offset: 3}) {
		t.Errorf("a summary has the page %+v", got)
	}
	w.LimitGiven = true
	if got := (answer.Paged{Limit: 25}).Page(&w); got.Limit != 25 {
		t.Errorf("a given limit gives %+v", got)
	}
	w.LimitGiven, w.View.DetailLevel = false, answer.AnalystLevel
	if got := (answer.Paged{Limit: 25}).Page(&w); got.Limit != 25 {
		t.Errorf("an analyst gets %+v", got)
	}
}

func TestMetricsOfUnknownFigures(t *testing.T) {
	t.Parallel()
	two, four := answer.Count(2), answer.Count(4)
	m := answer.MetricOfKnown(&four, &two)
	if m.ChangePct == nil || *m.ChangePct != 100 {
		t.Errorf("%+v", m)
	}
	for _, c := range [][2]*answer.Count{{nil, &two}, {&four, nil}, {nil, nil}} {
		if got := answer.MetricOfKnown(c[0], c[1]); got.ChangePct != nil || got.Value != c[0] || got.Previous != c[1] {
			t.Errorf("%+v", got)
		}
	}
	if m.AddPerDay(10, 5); m.PerDay == nil || *m.PerDay != 0 {
		t.Errorf("twice as much in twice the days changes by %v per day", m.PerDay)
	}
	if m.AddPerDay(5, 5); *m.PerDay != 100 {
		t.Errorf("twice as much in the same days changes by %v per day", *m.PerDay)
	}
	half := answer.MetricOfKnown(&four, nil)
	if half.AddPerDay(5, 5); half.PerDay != nil {
		t.Errorf("%+v", half)
	}
	if got := m.Where(false, true); got.Value != nil || got.Previous == nil || got.ChangePct != nil || got.PerDay != nil {
		t.Errorf("%+v", got)
	}
	if got := m.Where(true, false); got.Value == nil || got.Previous != nil || got.ChangePct != nil || got.PerDay != nil {
		t.Errorf("%+v", got)
	}
	if got := m.Where(true, true); got.Value == nil || got.Previous == nil || got.ChangePct == nil || got.PerDay == nil {
		t.Errorf("%+v", got)
	}
	if zero := answer.MetricOf(answer.Count(3), 0); zero.ChangePct != nil {
		t.Errorf("a change from zero is %v", *zero.ChangePct)
	}
}

func TestFiguresOfTotals(t *testing.T) {
	t.Parallel()
	f := answer.Figures{Currency: "USD", Basis: measure.RevenueBasis{WithoutTax: true}}
	sums := measure.Sums{Charged: 11000, Tax: 1000, Orders: 4e6}
	if got := f.Revenue(sums); got != 100 {
		t.Errorf("revenue %v", got)
	}
	if got := f.AOV(sums); got == nil || *got != 25 {
		t.Errorf("AOV %v", got)
	}
	if got := f.ROAS(sums, 2500); got == nil || *got != 4 {
		t.Errorf("ROAS %v", got)
	}
	if f.AOV(measure.Sums{}) != nil || f.ROAS(sums, 0) != nil || f.PerMinor(1, false) != nil || answer.PercentOf(1, false) != nil {
		t.Error("an undefined figure has a value")
	}
	if got := (answer.Figures{Currency: "JPY"}).Money(123); got != 123 {
		t.Errorf("123 yen are %v", got)
	}
	if got := answer.Orders(2_500_000); got != 2.5 {
		t.Errorf("%v orders", got)
	}
	in := measure.Interval{Low: 0.1, High: 0.3}
	if diff := cmp.Diff(&answer.Estimate[answer.Percent]{Value: 20, Low: 10, High: 30}, answer.Percents(measure.Estimate{Value: 0.2, Interval: in}), cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Errorf("percents (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(&answer.Estimate[answer.Money]{Value: 2, Low: 1, High: 3}, f.Estimate(measure.Estimate{Value: 200, Interval: measure.Interval{Low: 100, High: 300}}), cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Errorf("money (-want +got):\n%s", diff)
	}
}

func TestAmountsInSentences(t *testing.T) {
	t.Parallel()
	w := answer.Writer{Figures: answer.Figures{Currency: "USD"}, View: answer.Shared{DetailLevel: answer.SummaryLevel}}
	for minor, want := range map[int64]string{1250: "USD 12.50", 99999: "USD 999.99", 100000: "USD 1,000", 100050: "USD 1,001", -1250: "-USD 12.50", 0: "USD 0.00"} {
		if got := w.Amount(minor); got != want {
			t.Errorf("%d is %q, want %q", minor, got, want)
		}
	}
	yen := answer.Writer{Figures: answer.Figures{Currency: "JPY"}}
	if got := yen.Amount(950); got != "JPY 950" {
		t.Errorf("%q", got)
	}
	for level, want := range map[answer.Level][2]float64{answer.SummaryLevel: {12.35, 1234}, answer.AnalystLevel: {12.35, 1234}, answer.DebugLevel: {12.35, 1234.46}} {
		w.View.DetailLevel = level
		if got := [2]float64{w.RoundMoney(12.3456), w.RoundMoney(1234.4567)}; got != want {
			t.Errorf("%s: %v, want %v", level, got, want)
		}
	}
	w.View.DetailLevel = answer.SummaryLevel
	for x, want := range map[float64]float64{999.994: 999.99, 999.995: 1000, -999.995: -1000, -0.001: 0} {
		if got := w.RoundMoney(x); got != want {
			t.Errorf("%v is rounded to %v, want %v", x, got, want)
		}
	}
	for x, want := range map[float64]string{1204: "1,204", 12.5: "12.5", 0.25: "0.25", 10: "10", 1234.5: "1,234.5", 0.004: "0"} {
		if got := answer.Quantity(x); got != want {
			t.Errorf("%v is %q, want %q", x, got, want)
		}
	}
	percent := func(x float64) *answer.Percent { p := answer.Percent(x); return &p }
	for _, c := range []struct {
		change         *answer.Percent
		moved, against string
	}{
		{nil, "no comparable value", "with no comparable value in the previous 2 days"},
		{percent(4.56), "up 4.6%", "up 4.6% from the previous 2 days"},
		{percent(-12), "down 12.0%", "down 12.0% from the previous 2 days"},
		{percent(0.04), "unchanged", "unchanged from the previous 2 days"},
		{percent(-0.04), "unchanged", "unchanged from the previous 2 days"},
	} {
		if got := answer.Moved(c.change); got != c.moved {
			t.Errorf("%q, want %q", got, c.moved)
		}
		if got := answer.Against(c.change, days("2026-03-01", "2026-03-02")); got != c.against {
			t.Errorf("%q, want %q", got, c.against)
		}
	}
	if got := answer.Against(percent(1), days("2026-03-01", "2026-03-01")); got != "up 1.0% from the previous day" {
		t.Errorf("%q", got)
	}
	if one, more := answer.Dates(days("2026-03-01", "2026-03-01")), answer.Dates(days("2026-03-01", "2026-03-02")); one != "on 2026-03-01" || more != "from 2026-03-01 to 2026-03-02" {
		t.Errorf("%q, %q", one, more)
	}
}

func TestListsInSentences(t *testing.T) {
	t.Parallel()
	items := []string{"a", "b", "c", "d"}
	for n, want := range map[int]string{0: "", 1: "a", 3: "a, b, c", 4: "a, b, c and 1 more"} {
		if got := answer.Listed(items[:n]); got != want {
			t.Errorf("%d items: %q, want %q", n, got, want)
		}
	}
	if got := answer.ListedUpTo(4, items); got != "a, b, c, d" {
		t.Errorf("%q", got)
	}
	if got := answer.ListedUpTo(1, items); got != "a and 3 more" {
		t.Errorf("%q", got)
	}
	if one, none, many := answer.Plural(1, "day", "days"), answer.Plural(0, "day", "days"), answer.Plural(1200, "day", "days"); one != "1 day" || none != "0 days" || many != "1,200 days" {
		t.Errorf("%q, %q, %q", one, none, many)
	}
	for name, want := range map[measure.Channel]string{
		"facebook": "facebook", "a_1": "a_1", measure.Channel(strings.Repeat("a", 40)): strings.Repeat("a", 40), measure.Channel(strings.Repeat("a", 41)): "one channel", "buy now!": "one channel", "": "one channel", "Facebook": "one channel",
	} {
		if got := answer.ChannelName(name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
	for text, want := range map[string]string{
		" a\n b\tc ": "a b c", "a\x00\u202eb\u200dc": "abc", strings.Repeat("é", 80): strings.Repeat("é", 80), strings.Repeat("é", 81): strings.Repeat("é", 79) + "…",
	} {
		if got := answer.Clean(text); got != want {
			t.Errorf("%q is cleaned to %q, want %q", text, got, want)
		}
	}
}

func TestSchemasOfFiguresAllowNull(t *testing.T) {
	t.Parallel()
	for name, schema := range map[string]json.RawMessage{"metric": answer.Metric[answer.Money]{}.JSONSchema(), "pagination": answer.Pagination{}.JSONSchema()} {
		var s struct {
			Properties map[string]struct{ Type any }
			Required   []string
		}
		if err := json.Unmarshal(schema, &s); err != nil {
			t.Fatal(err)
		}
		for _, required := range s.Required {
			if _, known := s.Properties[required]; !known {
				t.Errorf("%s requires %q, which it does not have", name, required)
			}
		}
		if len(s.Required) < 3 {
			t.Errorf("%s requires %q", name, s.Required)
		}
	}
}
