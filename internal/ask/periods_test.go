package ask

import (
	"testing"
	"time"

	"assay/internal/ask/when"
	"assay/internal/civil"
)

func spanOf(first, last string) civil.Range {
	return civil.Range{First: civil.MustParse(first), Last: civil.MustParse(last)}
}

// november is an event that lasts a month.
func november(year int) civil.Range {
	return civil.Range{First: civil.New(year, time.November, 1), Last: civil.New(year, time.November, 30)}
}

func TestTheEarlierPeriodOfAComparison(t *testing.T) {
	t.Parallel()
	week := when.Expression{Period: spanOf("2026-11-09", "2026-11-15"), Unit: "week"}
	weekend := when.Expression{Period: spanOf("2026-11-14", "2026-11-15"), Unit: "weekend"}
	october := when.Expression{Period: spanOf("2026-10-01", "2026-10-31"), Unit: "month"}
	quarter := when.Expression{Period: spanOf("2026-07-01", "2026-09-30"), Unit: "quarter"}
	fortnight := when.Expression{Period: spanOf("2026-11-07", "2026-11-20"), Unit: "day", Count: 14}
	months := when.Expression{Period: spanOf("2026-08-21", "2026-11-20"), Unit: "month", Count: 3}
	event := when.Expression{Period: spanOf("2026-11-01", "2026-11-20"), Unit: "event", Event: november}
	yesterday := when.Expression{Period: spanOf("2026-11-19", "2026-11-19"), Unit: "day"}
	before := when.Expression{Kind: when.Before}
	count := func(n int, unit string) when.Expression {
		return when.Expression{Kind: when.Before, Count: n, Unit: unit}
	}
	for name, c := range map[string]struct {
		w, related when.Expression
		want       string
	}{
		"a week a year ago":            {week, when.Expression{Kind: when.YearAgo}, "2025-11-10 to 2025-11-16"}, // 364 days, the same weekdays
		"a weekend a year ago":         {weekend, when.Expression{Kind: when.YearAgo}, "2025-11-15 to 2025-11-16"},
		"a month a year ago":           {october, when.Expression{Kind: when.YearAgo}, "2025-10-01 to 2025-10-31"},
		"an event a year ago":          {event, when.Expression{Kind: when.YearAgo}, "2025-11-01 to 2025-11-20"},
		"the same days of last month":  {fortnight, when.Expression{Kind: when.Shifted, Unit: "month"}, "2026-10-07 to 2026-10-20"},
		"a week earlier":               {fortnight, when.Expression{Kind: when.WeekAgo}, "2026-10-31 to 2026-11-13"},
		"the 14 before":                {fortnight, count(14, ""), "2026-10-24 to 2026-11-06"},
		"the 14 days before":           {fortnight, count(14, "day"), "2026-10-24 to 2026-11-06"},
		"the 7 before 14 days":         {fortnight, count(7, ""), "2026-10-31 to 2026-11-06"},
		"the 2 weeks before 14 days":   {fortnight, count(2, "week"), "2026-10-24 to 2026-11-06"},
		"the 14 weeks before 14 days":  {fortnight, count(14, "week"), "2026-08-01 to 2026-11-06"},
		"the 3 months before 3 months": {months, count(3, "month"), "2026-05-21 to 2026-08-20"}, // 92 days, like the period
		"the 3 before 3 months":        {months, count(3, ""), "2026-05-21 to 2026-08-20"},
		"the month before October":     {october, count(1, "month"), "2026-09-01 to 2026-09-30"},
		"the 2 months before October":  {october, count(2, "month"), "2026-08-02 to 2026-09-30"},
		"the quarter before October":   {october, count(1, "quarter"), "2026-07-03 to 2026-09-30"},
		"the year before October":      {october, count(1, "year"), "2025-10-01 to 2026-09-30"},
		"the fortnight before October": {october, count(1, "fortnight"), "2026-09-17 to 2026-09-30"},
		"before a week":                {week, before, "2026-11-02 to 2026-11-08"},
		"before a month":               {october, before, "2026-09-01 to 2026-09-30"},
		"before a quarter":             {quarter, before, "2026-04-01 to 2026-06-30"},
		"before a weekend":             {weekend, before, "2026-11-07 to 2026-11-08"},
		"before 14 days":               {fortnight, before, "2026-10-24 to 2026-11-06"},
		"before 3 months":              {months, before, "2026-05-21 to 2026-08-20"},
		"before an event":              {event, before, "2025-11-01 to 2025-11-20"},
		"before a day":                 {yesterday, before, "2026-11-18 to 2026-11-18"},
	} {
		if got := relate(c.w, c.related).String(); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestTwoPeriodsWithOneName(t *testing.T) {
	t.Parallel()
	month := func(first, last string) when.Expression {
		return when.Expression{Period: spanOf(first, last), Unit: "month"}
	}
	year := func(first, last string) when.Expression {
		return when.Expression{Period: spanOf(first, last), Unit: "year"}
	}
	october, thisYear := month("2026-10-01", "2026-10-31"), year("2026-01-01", "2026-11-20")
	last, event := october, october
	last.Last = true
	event.Event = november
	event.Period = november(2026)
	weekend := when.Expression{Period: spanOf("2026-11-14", "2026-11-15"), Unit: "weekend"}
	lastWeekend := weekend
	lastWeekend.Last = true
	for name, c := range map[string]struct {
		a, b        when.Expression
		first, next string
	}{
		"two months":                {october, month("2026-09-01", "2026-09-30"), "2026-10-01 to 2026-10-31", "2026-09-01 to 2026-09-30"},
		"October and last October":  {october, last, "2026-10-01 to 2026-10-31", "2025-10-01 to 2025-10-31"},
		"last October and October":  {last, october, "2025-10-01 to 2025-10-31", "2026-10-01 to 2026-10-31"},
		"an event twice":            {event, event, "2026-11-01 to 2026-11-30", "2025-11-01 to 2025-11-30"},
		"weekend and last weekend":  {weekend, lastWeekend, "2026-11-14 to 2026-11-15", "2026-11-07 to 2026-11-08"},
		"last weekend and weekend":  {lastWeekend, weekend, "2026-11-07 to 2026-11-08", "2026-11-14 to 2026-11-15"},
		"October and 2024":          {october, year("2024-01-01", "2024-12-31"), "2026-10-01 to 2026-10-31", "2024-10-01 to 2024-10-31"},
		"2024 and October":          {year("2024-01-01", "2024-12-31"), october, "2024-10-01 to 2024-10-31", "2026-10-01 to 2026-10-31"},
		"October and its year":      {october, thisYear, "2026-10-01 to 2026-10-31", "2025-10-01 to 2025-10-31"},
		"past November, this year":  {month("2025-11-01", "2025-11-30"), thisYear, "2025-11-01 to 2025-11-20", "2026-11-01 to 2026-11-20"},
		"past December, this year":  {month("2025-12-01", "2025-12-31"), thisYear, "2025-12-01 to 2025-12-31", "2024-12-01 to 2024-12-31"},
		"a winter and a whole year": {month("2025-12-01", "2026-02-28"), year("2024-01-01", "2024-12-31"), "2025-12-01 to 2026-02-28", "2024-12-01 to 2025-02-28"},
	} {
		first, next := twoPeriods(c.a, c.b)
		if first.String() != c.first || next.String() != c.next {
			t.Errorf("%s: %s and %s, want %s and %s", name, first, next, c.first, c.next)
		}
		if p := sorted(first, next); p.recent.First.Before(p.earlier.First) {
			t.Errorf("%s: %v is not sorted", name, p)
		}
	}
}

func TestComparisonsThatEndToday(t *testing.T) {
	t.Parallel()
	today := civil.MustParse("2026-11-20")
	for name, c := range map[string]struct {
		related         when.Expression
		earlier, recent string
	}{
		"week over week":      {when.Expression{Kind: when.Rolling, Unit: "week"}, "2026-11-07 to 2026-11-13", "2026-11-14 to 2026-11-20"},
		"month over month":    {when.Expression{Kind: when.Rolling, Unit: "month"}, "2026-09-22 to 2026-10-21", "2026-10-22 to 2026-11-20"},
		"day over day":        {when.Expression{Kind: when.Rolling, Unit: "day"}, "2026-11-19 to 2026-11-19", "2026-11-20 to 2026-11-20"},
		"the previous 7 days": {when.Expression{Kind: when.Before, Unit: "day", Count: 7}, "2026-11-07 to 2026-11-13", "2026-11-14 to 2026-11-20"},
		"the 7 before":        {when.Expression{Kind: when.Before, Count: 7}, "2026-11-07 to 2026-11-13", "2026-11-14 to 2026-11-20"},
		"the previous period": {when.Expression{Kind: when.Before}, "2026-09-22 to 2026-10-21", "2026-10-22 to 2026-11-20"},
		"a year ago":          {when.Expression{Kind: when.YearAgo, Unit: "year"}, "2025-01-01 to 2025-11-20", "2026-01-01 to 2026-11-20"},
		"last quarter":        {when.Expression{Kind: when.Shifted, Unit: "quarter"}, "2026-07-01 to 2026-08-20", "2026-10-01 to 2026-11-20"},
		"a week ago":          {when.Expression{Kind: when.WeekAgo}, "2026-11-13 to 2026-11-13", "2026-11-20 to 2026-11-20"},
	} {
		if p := untilNow(c.related, today); p.earlier.String() != c.earlier || p.recent.String() != c.recent {
			t.Errorf("%s: %s and %s, want %s and %s", name, p.earlier, p.recent, c.earlier, c.recent)
		}
	}
	october := when.Expression{Period: spanOf("2026-10-01", "2026-10-31"), Unit: "month", Last: true}
	for name, c := range map[string]struct {
		words           []string
		change          func(*when.Expression)
		earlier, recent string
	}{
		"vs last month":      {[]string{"vs"}, func(*when.Expression) {}, "2026-10-01 to 2026-10-31", "2026-11-01 to 2026-11-20"},
		"vs the last month":  {[]string{"vs", "the"}, func(*when.Expression) {}, "2026-10-01 to 2026-10-31", "2026-11-01 to 2026-11-20"},
		"last month":         {nil, func(*when.Expression) {}, "2026-09-01 to 2026-09-30", "2026-10-01 to 2026-10-31"},
		"the last month":     {[]string{"the"}, func(*when.Expression) {}, "2026-09-01 to 2026-09-30", "2026-10-01 to 2026-10-31"},
		"revenue last month": {[]string{"revenue"}, func(*when.Expression) {}, "2026-09-01 to 2026-09-30", "2026-10-01 to 2026-10-31"},
		"vs October":         {[]string{"vs"}, func(w *when.Expression) { w.Last = false }, "2026-09-01 to 2026-09-30", "2026-10-01 to 2026-10-31"},
		"since October": {nil, func(w *when.Expression) {
			w.Since, w.Parts, w.Period.Last = true, []civil.Range{w.Period}, today
		}, "2026-10-01 to 2026-10-31", "2026-11-01 to 2026-11-20"},
		"since this month": {nil, func(w *when.Expression) {
			w.Since, w.Parts = true, []civil.Range{spanOf("2026-11-01", "2026-11-20")}
		}, "2026-11-01 to 2026-11-20", "2026-11-20 to 2026-11-20"},
	} {
		w, clause := october, &clause{}
		for _, text := range c.words {
			clause.tokens = append(clause.tokens, token{text: text})
		}
		w.At = len(c.words)
		c.change(&w)
		if p := clause.onePeriod(w, today); p.earlier.String() != c.earlier || p.recent.String() != c.recent {
			t.Errorf("%s: %s and %s, want %s and %s", name, p.earlier, p.recent, c.earlier, c.recent)
		}
	}
}
