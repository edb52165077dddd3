package when_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"assay/internal/ask/when"
	"assay/internal/civil"
)

// checkAll compares all periods in a text, in order. It writes "future" for a period without dates.
func checkAll(t *testing.T, today string, texts map[string][]string) {
	t.Helper()
	for text, want := range texts {
		var got []string
		for _, w := range when.Read(civil.MustParse(today), tokens(text)) {
			switch w.Kind {
			case when.Absolute:
				got = append(got, w.Period.String())
			case when.Future:
				got = append(got, "future")
			default:
				got = append(got, "relative")
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q on %s (-want +got):\n%s", text, today, diff)
		}
	}
}

func TestTheFirstAndLastDaysOfAPeriod(t *testing.T) {
	t.Parallel()
	checkPeriods(t, friday, map[string]string{
		"first 10 days of november":      "2026-11-01 to 2026-11-10",
		"first 1 day of october":         "2026-10-01 to 2026-10-01",
		"last 1 day of october":          "2026-10-31 to 2026-10-31",
		"last 10 days of october":        "2026-10-22 to 2026-10-31",
		"last 2 weeks of q3":             "2026-09-17 to 2026-09-30",
		"first 40 days of october":       "2026-10-01 to 2026-10-31",
		"last 40 days of october":        "2026-10-01 to 2026-10-31",
		"first 3 days of bfcm 2024":      "2024-11-29 to 2024-12-01",
		"last 3 days in 2025":            "2025-12-29 to 2025-12-31",
		"first 2 days of the q3":         "2026-07-01 to 2026-07-02",
		"sales 10 days of november":      "2026-11-01 to 2026-11-20",
		"first 3 days of oct 5":          "2026-10-05 to 2026-10-05",
		"last half of october":           "2026-10-16 to 2026-10-31",
		"first half of january":          "2026-01-01 to 2026-01-15",
		"first half of q1":               "2026-01-01 to 2026-02-14", // 45 of 90 days
		"second half of q1":              "2026-02-15 to 2026-03-31",
		"first half of the last 2 years": "2024-11-21 to 2025-11-20", // 365 of 730 days
		"first week of q3":               "2026-07-01 to 2026-07-07",
		"last week of 2025":              "2025-12-25 to 2025-12-31",
		"h1":                             "2026-01-01 to 2026-06-30",
		"h2 2025":                        "2025-07-01 to 2025-12-31",
		"last quarter of 2026":           "2026-10-01 to 2026-11-20",
		"last month of 2025":             "2025-12-01 to 2025-12-31",
	})
	checkAll(t, friday, map[string][]string{
		"first 3 days of next month":  {"future"},
		"last 3 days of next month":   {"2026-11-18 to 2026-11-20", "future"},
		"last 2 months of 2025":       {"2026-09-21 to 2026-11-20", "2025-01-01 to 2025-12-31"},
		"first half of next month":    {"future"},
		"last month of 2026":          {"future"},
		"last month of next year":     {"2026-10-01 to 2026-10-31", "future"},
		"last month of september":     {"2026-10-01 to 2026-10-31", "2026-09-01 to 2026-09-30"},
		"last quarter of q2":          {"2026-07-01 to 2026-09-30", "2026-04-01 to 2026-06-30"},
		"last month of revenue":       {"2026-10-01 to 2026-10-31"},
		"last month compared to q2":   {"2026-10-01 to 2026-10-31", "2026-04-01 to 2026-06-30"},
		"last week of revenue for q2": {"2026-11-09 to 2026-11-15", "2026-04-01 to 2026-06-30"},
	})
}

// A calendar period "to date" ends as many days after its start as today after the start of the current period.
func TestPeriodsToDate(t *testing.T) {
	t.Parallel()
	checkPeriods(t, friday, map[string]string{
		"october mtd":          "2026-10-01 to 2026-10-20",
		"october same days":    "2026-10-01 to 2026-10-20",
		"same days of october": "2026-10-01 to 2026-10-20",
		"same week of october": "2026-10-01 to 2026-10-31",
		"june to date":         "2026-06-01 to 2026-06-20",
		"last month to date":   "2026-10-01 to 2026-10-20",
		"last week to date":    "2026-11-09 to 2026-11-13",
		"q3 qtd":               "2026-07-01 to 2026-08-20", // November 20 is 50 days after October 1
		"in 2025 ytd":          "2025-01-01 to 2025-11-20",
		"ytd 2025":             "2025-01-01 to 2025-11-20",
		"ytd 2026":             "2026-01-01 to 2026-11-20",
		"ytd last year":        "2025-01-01 to 2025-11-20",
		"ytd 2027":             "2026-01-01 to 2026-11-20",
		"mtd last month":       "2026-10-01 to 2026-10-20",
		"mtd last year":        "2025-11-01 to 2025-11-20",
		"wtd previous week":    "2026-11-09 to 2026-11-13",
		"week to date":         "2026-11-16 to 2026-11-20",
		"november so far":      "2026-11-01 to 2026-11-20",
		"october so far":       "2026-10-01 to 2026-10-31",
		"last 2 weeks to date": "2026-11-07 to 2026-11-20",
		"last 1 week to date":  "2026-11-14 to 2026-11-20",
		"bfcm 2025 to date":    "2025-11-28 to 2026-11-20",
		"week so far":          "2026-11-16 to 2026-11-20",
		"year so far":          "2026-01-01 to 2026-11-20",
		"current full month":   "2026-11-01 to 2026-11-20",
		"this whole week":      "2026-11-16 to 2026-11-20",
	})
	checkPeriods(t, "2026-03-30", map[string]string{"february to date": "2026-02-01 to 2026-02-28"})
	checkPeriods(t, "2024-11-20", map[string]string{ // a leap year has one more day until November 20
		"in 2023 ytd": "2023-01-01 to 2023-11-20",
		"in 2022 ytd": "2022-01-01 to 2022-11-20",
	})
	checkAll(t, friday, map[string][]string{
		"qtd last month":             {"2026-10-01 to 2026-11-20", "2026-10-01 to 2026-10-31"},
		"same days of december 2026": {"future"},
		"same time week on bfcm":     {"2025-11-28 to 2025-12-01"},
		"same days of bfcm":          {"2025-11-28 to 2025-12-01"},
	})
}

func TestBothEndsOfARange(t *testing.T) {
	t.Parallel()
	checkPeriods(t, friday, map[string]string{
		"oct 5 to date":                   "2026-10-05 to 2026-11-20",
		"oct 5 to today":                  "2026-10-05 to 2026-11-20",
		"the 5th to october 10":           "2026-10-05 to 2026-10-10",
		"the 25th to september 28":        "2026-09-25 to 2026-09-28",
		"the 1st to the 15th":             "2026-11-01 to 2026-11-15",
		"oct 1 - 1":                       "2026-10-01 to 2026-10-01",
		"oct 1 - 31":                      "2026-10-01 to 2026-10-31",
		"oct 1 - 32":                      "2026-10-01 to 2026-10-01",
		"oct 1 - 0":                       "2026-10-01 to 2026-10-01",
		"oct 1 - 5.5":                     "2026-10-01 to 2026-10-01",
		"sep 1 - 31":                      "2026-09-01 to 2026-09-01",
		"oct 1 to":                        "2026-10-01 to 2026-10-01",
		"first week of october":           "2026-10-01 to 2026-10-07",
		"second week of october":          "2026-10-08 to 2026-10-14",
		"last week of october":            "2026-10-25 to 2026-10-31",
		"first half of the last 2 months": "2026-09-21 to 2026-10-20",
		"june to 15":                      "2026-06-01 to 2026-06-30",
		"3 october to 5":                  "2026-10-03 to 2026-10-05",
		"1 to 31 september":               "2026-09-01 to 2026-09-30",
		"1 to 15th":                       "2026-11-15 to 2026-11-15",
		"last week to november 9":         "2026-11-09 to 2026-11-09",
		"since the start of this month":   "2026-11-01 to 2026-11-20",
		"since last friday":               "2026-11-13 to 2026-11-20",
		"since friday before last":        "2026-11-06 to 2026-11-20",
		"since saturday":                  "2026-11-14 to 2026-11-20",
		"from june 5 on":                  "2026-06-05 to 2026-11-20",
		"since the launch , on october 3": "2026-10-03 to 2026-10-03",
		"since the launch on october":     "2026-10-01 to 2026-10-31",
		"since the launch of our new store for kids on june 5":      "2026-06-05 to 2026-11-20", // 8 words before "on"
		"since the launch of our very new store for kids on june 5": "2026-06-05 to 2026-06-05",
	})
	checkPeriods(t, "2026-11-22", map[string]string{"since sunday": "2026-11-22 to 2026-11-22"})
	checkPeriods(t, "2026-12-02", map[string]string{"last friday to yesterday": "2026-11-27 to 2026-12-01"})
	checkAll(t, friday, map[string][]string{
		"yesterday to tomorrow":             {"2026-11-19 to 2026-11-19", "future"},
		"next month to yesterday":           {"future", "2026-11-19 to 2026-11-19"},
		"november 10 to october 5 2024":     {"2026-11-10 to 2026-11-10", "2024-10-05 to 2024-10-05"},
		"last week to october":              {"2026-11-09 to 2026-11-15", "2026-10-01 to 2026-10-31"},
		"oct 5 2026 to jan 5 2026":          {"2026-10-05 to 2026-10-05", "2026-01-05 to 2026-01-05"},
		"since the start of next month":     {"future"},
		"next month to date":                {"future"},
		"oct 1 and oct 15":                  {"2026-10-01 to 2026-10-01", "2026-10-15 to 2026-10-15"},
		"from june 5 compared with june 10": {"2026-06-05 to 2026-06-05", "2026-06-10 to 2026-06-10"},
	})
}

func TestLimitsOfDaysAndYears(t *testing.T) {
	t.Parallel()
	checkPeriods(t, friday, map[string]string{
		"january": "2026-01-01 to 2026-01-31", "february": "2026-02-01 to 2026-02-28", "april": "2026-04-01 to 2026-04-30",
		"apr": "2026-04-01 to 2026-04-30", "jun": "2026-06-01 to 2026-06-30", "julys": "2026-07-01 to 2026-07-31",
		"aug": "2026-08-01 to 2026-08-31", "december": "2025-12-01 to 2025-12-31", "dec": "2025-12-01 to 2025-12-31",
		"wednesday": "2026-11-18 to 2026-11-18", "mon": "2026-11-16 to 2026-11-16", "fri": "2026-11-13 to 2026-11-13",
		"1st quarter": "2026-01-01 to 2026-03-31", "first quarter": "2026-01-01 to 2026-03-31", "second quarter": "2026-04-01 to 2026-06-30",
		"3rd quarter": "2026-07-01 to 2026-09-30", "4th quarter 2025": "2025-10-01 to 2025-12-31", "q2": "2026-04-01 to 2026-06-30",
		"the 21st":                  "2026-10-21 to 2026-10-21",
		"10 of last month":          "2026-10-10 to 2026-10-10",
		"10 last month":             "2026-10-01 to 2026-10-31",
		"10 of this week":           "2026-11-16 to 2026-11-20",
		"32 october":                "2026-10-01 to 2026-10-31",
		"0 october":                 "2026-10-01 to 2026-10-31",
		"5.5 october":               "2026-10-01 to 2026-10-31",
		"oct 32":                    "2026-10-01 to 2026-10-31",
		"oct 0":                     "2026-10-01 to 2026-10-31",
		"oct 5.5":                   "2026-10-01 to 2026-10-31",
		"13/12":                     "2025-12-13 to 2025-12-13",
		"this weekend":              "2026-11-14 to 2026-11-15",
		"this monday":               "2026-11-16 to 2026-11-16",
		"week of bfcm":              "2025-11-24 to 2025-11-30",
		"week of last week":         "2026-11-09 to 2026-11-15",
		"this morning":              "2026-11-20 to 2026-11-20",
		"over the summer under 10":  "2026-06-01 to 2026-08-31",
		"halloween per year":        "2026-10-31 to 2026-10-31",
		"day before last":           "2026-11-18 to 2026-11-18",
		"show the previous 30 days": "2026-10-22 to 2026-11-20",
		"last 3999 days":            "2015-12-10 to 2026-11-20",
		"last 7d":                   "2026-11-14 to 2026-11-20",
		"fortnight":                 "2026-11-07 to 2026-11-20",
		"past several weeks":        "2026-10-31 to 2026-11-20",
		"last 2 business days":      "2026-11-19 to 2026-11-20",
		"last 1 day":                "2026-11-20 to 2026-11-20",
		"over 2 days":               "2026-11-19 to 2026-11-20",
		"last 2 full fortnights":    "2026-10-24 to 2026-11-20",
		"last 3 full months":        "2026-08-01 to 2026-10-31",
		"last 1 quarter":            "2026-08-21 to 2026-11-20",
		"last 1 year":               "2025-11-21 to 2026-11-20",
		"last 11 hours":             "2026-11-20 to 2026-11-20", // hours are rounded to days
		"last 12 hours":             "2026-11-19 to 2026-11-20",
		"last 35 hours":             "2026-11-19 to 2026-11-20",
		"last 36 hours":             "2026-11-18 to 2026-11-20",
	})
	checkPeriods(t, "2026-11-08", map[string]string{"week of november": "2026-11-01 to 2026-11-08"})
	checkPeriods(t, "2026-09-30", map[string]string{"q4": "2025-10-01 to 2025-12-31", "september": "2026-09-01 to 2026-09-30"})
	checkPeriods(t, "2026-10-01", map[string]string{"q4": "2026-10-01 to 2026-10-01"})
	checkPeriods(t, "2026-05-31", map[string]string{"over the summer": "2025-06-01 to 2025-08-31"})
	checkPeriods(t, "2026-08-31", map[string]string{"last summer": "2025-06-01 to 2025-08-31"})
	checkPeriods(t, "2026-06-30", map[string]string{"h2": "2025-07-01 to 2025-12-31"})
	checkPeriods(t, "2028-02-28", map[string]string{"february 29": "2024-02-29 to 2024-02-29"})
	checkPeriods(t, "2028-02-29", map[string]string{"february 29": "2028-02-29 to 2028-02-29"})
	checkPeriods(t, "2101-03-01", map[string]string{"february 29": "2096-02-29 to 2096-02-29"}) // 2100 is not a leap year
	checkAll(t, friday, map[string][]string{
		"halloween last month": {"2026-10-31 to 2026-10-31", "2026-10-01 to 2026-10-31"},
		"halloween this month": {"2026-10-31 to 2026-10-31", "2026-11-01 to 2026-11-20"},
		"week of next month":   {"future"},
		"next january":         {"future"},
		"next sunday":          {"future"},
		"this time next year":  {"future"},
		"q1 2027":              {"future"},
		"this thanksgiving":    {"future"},
	})
	for _, text := range []string{
		"q", "q10", "x3", "a year", "a week", "1 to the", "1 to", "1 to 15", "over 1 day", "sales 30 days", "over 30 days after",
		"last hour", "this hour", "day so far", "month or date", "a campaign ago", "revenue quarter", "1.5 before",
	} {
		if got := when.Read(civil.MustParse(friday), tokens(text)); len(got) > 0 {
			t.Errorf("%q: %+v, want no date", text, got)
		}
	}
}

func TestWordsOfLongerExpressions(t *testing.T) {
	t.Parallel()
	days := func(first, last string) civil.Range {
		return civil.Range{First: civil.MustParse(first), Last: civil.MustParse(last)}
	}
	october := days("2026-10-01", "2026-10-31")
	halloween := days("2026-10-31", "2026-10-31")
	lastHalloween := days("2025-10-31", "2025-10-31")
	for text, want := range map[string]when.Expression{
		"halloween last year":       {End: 3, Period: lastHalloween, Unit: "event"},
		"halloween of last year":    {End: 4, Period: lastHalloween, Unit: "event"},
		"halloween this year":       {End: 3, Period: halloween, Unit: "event"},
		"halloween 2025":            {End: 2, Period: lastHalloween, Unit: "event"},
		"halloween , 2025":          {End: 3, Period: lastHalloween, Unit: "event"},
		"last weekend":              {End: 2, Period: days("2026-11-14", "2026-11-15"), Unit: "weekend", Last: true},
		"past weekend":              {End: 2, Period: days("2026-11-14", "2026-11-15"), Unit: "weekend"},
		"weekend before last":       {End: 3, Period: days("2026-11-07", "2026-11-08"), Unit: "weekend"},
		"friday before last":        {End: 3, Period: days("2026-11-06", "2026-11-06"), Point: true},
		"last friday before":        {End: 2, Period: days("2026-11-13", "2026-11-13"), Point: true},
		"week of october 7":         {End: 4, Period: days("2026-10-05", "2026-10-11"), Unit: "week"},
		"q3 revenue":                {End: 1, Period: days("2026-07-01", "2026-09-30"), Unit: "quarter"},
		"third quarter":             {End: 2, Period: days("2026-07-01", "2026-09-30"), Unit: "quarter"},
		"the 10th of last month":    {End: 5, Period: days("2026-10-10", "2026-10-10"), Point: true},
		"3rd of october 2025":       {End: 4, Period: days("2025-10-03", "2025-10-03"), Point: true},
		"this summer":               {End: 2, Period: days("2026-06-01", "2026-08-31"), Unit: "season"},
		"this morning":              {End: 2, Period: days(friday, friday), Unit: "day", Point: true},
		"day before yesterday":      {End: 3, Period: days("2026-11-18", "2026-11-18"), Unit: "day", Point: true},
		"in 2025":                   {At: 1, End: 2, Period: days("2025-01-01", "2025-12-31"), Unit: "year"},
		"qoq":                       {End: 1, Kind: when.Rolling, Unit: "quarter"},
		"mom":                       {End: 1, Kind: when.Rolling, Unit: "month"},
		"dod":                       {End: 1, Kind: when.Rolling, Unit: "day"},
		"yoy":                       {End: 1, Kind: when.YearAgo, Unit: "year"},
		"day over day":              {End: 3, Kind: when.Rolling, Unit: "day"},
		"year ago":                  {End: 2, Kind: when.YearAgo},
		"same days of last month":   {End: 5, Kind: when.Shifted, Unit: "month"},
		"same days of october":      {End: 4, Period: days("2026-10-01", "2026-10-20"), Unit: "month"},
		"this point of last year":   {End: 5, Kind: when.YearAgo},
		"same time previous year":   {End: 4, Kind: when.YearAgo},
		"same time year before":     {End: 4, Kind: when.YearAgo},
		"same time prior week":      {End: 4, Kind: when.WeekAgo},
		"a day earlier":             {At: 1, End: 3, Kind: when.Before, Unit: "day"},
		"a month earlier":           {At: 1, End: 3, Kind: when.Before, Unit: "month"},
		"same time month earlier":   {At: 2, End: 4, Kind: when.Before, Unit: "month"},
		"sales year before":         {At: 1, End: 3, Kind: when.YearAgo, Unit: "year"},
		"the 1 before":              {End: 3, Kind: when.Before},
		"the 1 day before":          {End: 4, Kind: when.Before, Unit: "day", Count: 1},
		"the 2 before":              {End: 3, Kind: when.Before, Count: 2},
		"week before last":          {End: 3, Period: days("2026-11-02", "2026-11-08"), Unit: "week"},
		"week before last week":     {End: 4, Period: days("2026-11-02", "2026-11-08"), Unit: "week"},
		"earlier period":            {End: 2, Kind: when.Before},
		"next week":                 {End: 2, Kind: when.Future, Unit: "week", Count: 1},
		"last month of 2026":        {End: 4, Kind: when.Future, Period: days("2026-12-01", "2026-12-31"), Unit: "month"},
		"last month of q3":          {End: 4, Period: days("2026-09-01", "2026-09-30"), Unit: "month"},
		"first half of october":     {End: 4, Period: days("2026-10-01", "2026-10-15")},
		"first 10 days of october":  {End: 5, Period: days("2026-10-01", "2026-10-10")},
		"h1 2025":                   {End: 2, Period: days("2025-01-01", "2025-06-30")},
		"ytd 2025":                  {End: 2, Period: days("2025-01-01", "2025-11-20"), Unit: "year"},
		"ytd 2027":                  {End: 1, Period: days("2026-01-01", friday), Unit: "year"},
		"mtd last month":            {End: 3, Period: days("2026-10-01", "2026-10-20"), Unit: "month"},
		"month to date":             {End: 3, Period: days("2026-11-01", friday), Unit: "month"},
		"november so far":           {End: 3, Period: days("2026-11-01", friday), Unit: "month"},
		"year so far":               {End: 3, Period: days("2026-01-01", friday), Unit: "year"},
		"october mtd":               {End: 2, Period: days("2026-10-01", "2026-10-20"), Unit: "month"},
		"october same days":         {End: 3, Period: days("2026-10-01", "2026-10-20"), Unit: "month"},
		"june to date":              {End: 3, Period: days("2026-06-01", "2026-06-20"), Unit: "month"},
		"last 30d":                  {End: 2, Period: days("2026-10-22", friday), Unit: "day", Count: 30},
		"over a few weeks":          {At: 1, End: 4, Period: days("2026-10-31", friday), Unit: "week", Count: 3},
		"last 3 full months":        {End: 4, Period: days("2026-08-01", "2026-10-31"), Unit: "month", Count: 3},
		"2 weeks ago":               {End: 3, Period: days("2026-11-02", "2026-11-08"), Unit: "week"},
		"a day ago":                 {End: 3, Period: days("2026-11-19", "2026-11-19"), Point: true},
		"this full week":            {End: 3, Period: days("2026-11-16", friday), Unit: "week"},
		"last day":                  {End: 2, Period: days("2026-11-19", "2026-11-19"), Unit: "day"},
		"last full fortnight":       {End: 3, Period: days("2026-11-07", friday), Unit: "day", Count: 14},
		"past day":                  {End: 2, Period: days(friday, friday), Unit: "day", Count: 1},
		"previous full month":       {End: 3, Period: october, Unit: "month", Last: true},
		"sales since start of q4":   {At: 1, End: 5, Period: days("2026-10-01", friday), Since: true},
		"since october 5 onwards":   {End: 4, Period: days("2026-10-05", friday), Since: true},
		"since launch on october 5": {End: 5, Period: days("2026-10-05", friday), Since: true},
		"sales from oct 5 to today": {At: 1, End: 6, Period: days("2026-10-05", friday), Since: true},
		"oct 1 - 15 2026": {
			End: 5, Period: days("2026-10-01", "2026-10-15"),
			Parts: []civil.Range{days("2026-10-01", "2026-10-01"), days("2026-10-15", "2026-10-15")},
		},
		"between 1 and the 15 october": {
			End: 6, Period: days("2026-10-01", "2026-10-15"),
			Parts: []civil.Range{days("2026-10-01", "2026-10-01"), days("2026-10-15", "2026-10-15")},
		},
		"9/30 2 days": {End: 1, Period: days("2026-09-30", "2026-09-30"), Point: true},
	} {
		got := when.Read(civil.MustParse(friday), tokens(text))
		if diff := cmp.Diff([]when.Expression{want}, got, cmpopts.EquateComparable(civil.Date{}), cmpopts.IgnoreFields(when.Expression{}, "Event")); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

// Words of a name, such as the campaign "May 2026-10-03", are not dates.
func TestTakenWordsAreNoDates(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"2026-10-03", "9/30", "october", "last month", "3 days ago", "the 14 before that", "1 to 15 november", "the 10th"} {
		taken := tokens(text)
		for i := range taken {
			taken[i].Taken = true
		}
		if got := when.Read(civil.MustParse(friday), taken); len(got) > 0 {
			t.Errorf("taken %q: %+v, want no date", text, got)
		}
	}
}

func TestCalendarUnits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ unit, day, want, before string }{
		{"day", "2026-11-20", "2026-11-20 to 2026-11-20", "2026-11-19 to 2026-11-19"},
		{"week", "2026-11-16", "2026-11-16 to 2026-11-22", "2026-11-09 to 2026-11-15"},
		{"week", "2026-11-22", "2026-11-16 to 2026-11-22", "2026-11-09 to 2026-11-15"},
		{"month", "2024-02-29", "2024-02-01 to 2024-02-29", "2024-01-01 to 2024-01-31"},
		{"month", "2026-12-31", "2026-12-01 to 2026-12-31", "2026-11-01 to 2026-11-30"},
		{"quarter", "2026-01-01", "2026-01-01 to 2026-03-31", "2025-10-01 to 2025-12-31"},
		{"quarter", "2026-03-31", "2026-01-01 to 2026-03-31", "2025-10-01 to 2025-12-31"},
		{"quarter", "2026-04-01", "2026-04-01 to 2026-06-30", "2026-01-01 to 2026-03-31"},
		{"quarter", "2026-12-31", "2026-10-01 to 2026-12-31", "2026-07-01 to 2026-09-30"},
		{"year", "2026-11-20", "2026-01-01 to 2026-12-31", "2025-01-01 to 2025-12-31"},
	} {
		unit := when.FullUnit(c.unit, when.StartOf(c.unit, civil.MustParse(c.day)))
		if unit.String() != c.want {
			t.Errorf("%s of %s: %s, want %s", c.unit, c.day, unit, c.want)
		}
		if before := when.UnitBefore(c.unit, unit); before.String() != c.before {
			t.Errorf("%s before %s: %s, want %s", c.unit, unit, before, c.before)
		}
	}
}

func TestShiftedPeriods(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		first, last, unit string
		n                 int
		want              string
	}{
		{"2026-11-01", "2026-11-20", "month", -1, "2026-10-01 to 2026-10-20"},
		{"2026-11-01", "2026-11-30", "month", -1, "2026-10-01 to 2026-10-31"},
		{"2026-11-01", "2026-11-29", "month", -1, "2026-10-01 to 2026-10-29"},
		{"2026-03-01", "2026-03-31", "month", -1, "2026-02-01 to 2026-02-28"},
		{"2026-03-30", "2026-03-30", "month", -1, "2026-02-28 to 2026-02-28"},
		{"2026-01-05", "2026-01-10", "month", -2, "2025-11-05 to 2025-11-10"},
		{"2026-10-01", "2026-11-20", "quarter", -1, "2026-07-01 to 2026-08-20"},
		{"2026-04-01", "2026-06-30", "quarter", -1, "2026-01-01 to 2026-03-31"},
		{"2026-04-01", "2026-06-30", "quarter", 2, "2026-10-01 to 2026-12-31"},
	} {
		r := civil.Range{First: civil.MustParse(c.first), Last: civil.MustParse(c.last)}
		if got := when.ShiftUnits(r, c.unit, c.n); got.String() != c.want {
			t.Errorf("%s by %d %s: %s, want %s", r, c.n, c.unit, got, c.want)
		}
	}
	r := civil.Range{First: civil.MustParse("2024-02-01"), Last: civil.MustParse("2024-02-29")}
	if got := when.ShiftYears(r, -1); got.String() != "2023-02-01 to 2023-02-28" {
		t.Errorf("a year before %s: %s", r, got)
	}
	if got := when.ShiftYears(r, 4); got.String() != "2028-02-01 to 2028-02-29" {
		t.Errorf("4 years after %s: %s", r, got)
	}
}

func TestNamesOfYearsAndUnits(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]bool{
		"2026": true, "2000": true, "1999": true, "1900": true, "1899": false, "2100": false, "20": false, "202": false, "20261": false, "20a1": false, "": false,
	} {
		if got := when.IsYear(word); got != want {
			t.Errorf("%q is a year: %t, want %t", word, got, want)
		}
	}
	for word, want := range map[string]string{
		"day": "day", "weeks": "week", "months": "month", "quarter": "quarter", "years": "year", "hours": "hour", "fortnight": "fortnight", "orders": "", "": "",
	} {
		if got := when.UnitOf(word); got != want {
			t.Errorf("unit of %q: %q, want %q", word, got, want)
		}
	}
}
