package when_test

import (
	"strconv"
	"strings"
	"testing"

	"assay/internal/ask/when"
	"assay/internal/civil"
)

// tokens splits a text at blanks.
func tokens(text string) []when.Token {
	var out []when.Token
	for w := range strings.FieldsSeq(text) {
		t := when.Token{Text: w}
		if n, err := strconv.ParseFloat(strings.TrimRight(w, "stndrh"), 64); err == nil {
			t.Form, t.Value = when.Numeral, n
		}
		switch {
		case strings.Count(w, "-") == 2:
			t.Form = when.ISODate
		case strings.Contains(w, "/"):
			t.Form = when.SlashDate
		}
		out = append(out, t)
	}
	return out
}

func TestExpressionsArePeriods(t *testing.T) {
	t.Parallel()
	const friday, monday, leap, newYear = "2026-11-20", "2026-11-30", "2024-02-29", "2027-01-01"
	for _, c := range []struct{ today, text, want string }{
		{friday, "today", "2026-11-20 to 2026-11-20"},
		{newYear, "yesterday", "2026-12-31 to 2026-12-31"},
		{friday, "last 24 hours", "2026-11-19 to 2026-11-20"},
		{friday, "past 7 days", "2026-11-14 to 2026-11-20"},
		{friday, "last 2 weeks", "2026-11-07 to 2026-11-20"},
		{friday, "past week", "2026-11-14 to 2026-11-20"},
		{friday, "past quarter", "2026-08-23 to 2026-11-20"},
		{monday, "this week", "2026-11-30 to 2026-11-30"},
		{friday, "last week", "2026-11-09 to 2026-11-15"},
		{friday, "the week before last", "2026-11-02 to 2026-11-08"},
		{friday, "last weekend", "2026-11-14 to 2026-11-15"},
		{"2026-11-22", "over the weekend", "2026-11-14 to 2026-11-15"},
		{friday, "on friday", "2026-11-13 to 2026-11-13"},
		{friday, "since monday", "2026-11-16 to 2026-11-20"},
		{monday, "since monday", "2026-11-30 to 2026-11-30"},
		{friday, "mtd", "2026-11-01 to 2026-11-20"},
		{newYear, "last month", "2026-12-01 to 2026-12-31"},
		{friday, "qtd", "2026-10-01 to 2026-11-20"},
		{leap, "last quarter", "2023-10-01 to 2023-12-31"},
		{friday, "year to date", "2026-01-01 to 2026-11-20"},
		{leap, "last year", "2023-01-01 to 2023-12-31"},
		{leap, "past 12 months", "2023-03-01 to 2024-02-29"},
		{"2026-05-31", "last 3 months", "2026-03-01 to 2026-05-31"},
		{friday, "in october", "2026-10-01 to 2026-10-31"},
		{friday, "november", "2026-11-01 to 2026-11-20"},
		{friday, "in december", "2025-12-01 to 2025-12-31"},
		{monday, "in december", "2025-12-01 to 2025-12-31"}, // it begins tomorrow
		{"2026-12-01", "in december", "2026-12-01 to 2026-12-01"},
		{friday, "in october 2025", "2025-10-01 to 2025-10-31"},
		{friday, "q3", "2026-07-01 to 2026-09-30"},
		{"2026-05-10", "q3", "2025-07-01 to 2025-09-30"},
		{friday, "third quarter of 2025", "2025-07-01 to 2025-09-30"},
		{friday, "since june 1", "2026-06-01 to 2026-11-20"},
		{"2026-05-10", "since june", "2025-06-01 to 2026-05-10"},
		{friday, "10/1 - 10/15", "2026-10-01 to 2026-10-15"},
		{friday, "12/24", "2025-12-24 to 2025-12-24"},
		{friday, "oct 1 - 15", "2026-10-01 to 2026-10-15"},
		{friday, "2026-09-01 to 2026-09-30", "2026-09-01 to 2026-09-30"},
		{friday, "between june and august", "2026-06-01 to 2026-08-31"},
		{"2027-01-10", "from december 20 to january 5", "2026-12-20 to 2027-01-05"},
		{friday, "the 1st to the 10th of october", "2026-10-01 to 2026-10-10"},
		{friday, "first half of october", "2026-10-01 to 2026-10-15"},
		{friday, "second half of last month", "2026-10-16 to 2026-10-31"},
		{friday, "h1 2025", "2025-01-01 to 2025-06-30"},
		{friday, "since the price change on october 3", "2026-10-03 to 2026-11-20"},
		{friday, "last quarter of 2025", "2025-10-01 to 2025-12-31"},
		{friday, "last month of q3", "2026-09-01 to 2026-09-30"},
		{friday, "black friday", "2025-11-28 to 2025-11-28"},
		{"2026-12-08", "black friday weekend", "2026-11-27 to 2026-11-30"},
		{"2026-12-08", "cyber week", "2026-11-26 to 2026-11-30"},
		{"2026-12-08", "since black friday", "2026-11-27 to 2026-12-08"},
		{friday, "bfcm 2024", "2024-11-29 to 2024-12-02"},
		{friday, "3 days ago", "2026-11-17 to 2026-11-17"},
		{friday, "week of november 11", "2026-11-09 to 2026-11-15"},
		{friday, "over the summer", "2026-06-01 to 2026-08-31"},
	} {
		got := when.Read(civil.MustParse(c.today), tokens(c.text))
		if len(got) != 1 || got[0].Kind != when.Absolute || got[0].Period.String() != c.want {
			t.Errorf("%q on %s: %+v, want %s", c.text, c.today, got, c.want)
		}
	}
}

func TestExpressionsThatRelateToAnother(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]when.Kind{
		"next month": when.Future, "the coming 14 days": when.Future, "tomorrow": when.Future, "same time last year": when.YearAgo, "yoy": when.YearAgo,
		"the 30 days before": when.Before, "the previous period": when.Before, "the same day last week": when.WeekAgo, "week over week": when.Rolling,
	} {
		got := when.Read(civil.MustParse("2026-11-20"), tokens(text))
		if len(got) != 1 || got[0].Kind != want {
			t.Errorf("%q: %+v, want kind %d", text, got, want)
		}
	}
}

func TestOtherWordsAreNoDates(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"may i see revenue", "top 5 campaigns", "orders over 2000", "sales fall under 10", "the second campaign", "second half", "13/45", "2026-02-30"} {
		if got := when.Read(civil.MustParse("2026-11-20"), tokens(text)); len(got) > 0 {
			t.Errorf("%q: %+v, want no date", text, got)
		}
	}
}
