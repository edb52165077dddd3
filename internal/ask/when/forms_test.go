package when_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"assay/internal/ask/when"
	"assay/internal/civil"
)

const friday = "2026-11-20"

func checkPeriods(t *testing.T, today string, periods map[string]string) {
	t.Helper()
	for text, want := range periods {
		got := when.Read(civil.MustParse(today), tokens(text))
		if len(got) != 1 || got[0].Kind != when.Absolute || got[0].Period.String() != want {
			t.Errorf("%q on %s: %+v, want %s", text, today, got, want)
		}
	}
}

// Thanksgiving 2026 is November 26; Easter 2026 is April 5.
func TestEventsOfTheShoppingYear(t *testing.T) {
	t.Parallel()
	checkPeriods(t, "2026-12-08", map[string]string{
		"black friday cyber monday":       "2026-11-27 to 2026-11-30",
		"black friday to cyber monday":    "2026-11-27 to 2026-11-30",
		"black friday week":               "2026-11-23 to 2026-11-29",
		"thanksgiving weekend":            "2026-11-26 to 2026-11-29",
		"thanksgiving week":               "2026-11-23 to 2026-11-29",
		"long weekend after thanksgiving": "2026-11-26 to 2026-11-29",
		"weekend after thanksgiving":      "2026-11-28 to 2026-11-29",
		"cyber weekend":                   "2026-11-27 to 2026-11-30",
		"cyber five":                      "2026-11-26 to 2026-11-30",
		"cyber 5":                         "2026-11-26 to 2026-11-30",
		"cyber monday":                    "2026-11-30 to 2026-11-30",
		"bfcm":                            "2026-11-27 to 2026-11-30",
		"thanksgiving day":                "2026-11-26 to 2026-11-26",
		"thanksgiving":                    "2026-11-26 to 2026-11-26",
		"last thanksgiving":               "2026-11-26 to 2026-11-26",
	})
	checkPeriods(t, friday, map[string]string{
		"christmas eve":          "2025-12-24 to 2025-12-24",
		"christmas day":          "2025-12-25 to 2025-12-25",
		"last christmas":         "2025-12-25 to 2025-12-25",
		"boxing day":             "2025-12-26 to 2025-12-26",
		"new years eve":          "2025-12-31 to 2025-12-31",
		"new years day":          "2026-01-01 to 2026-01-01",
		"valentines day":         "2026-02-14 to 2026-02-14",
		"valentines":             "2026-02-14 to 2026-02-14",
		"halloween":              "2026-10-31 to 2026-10-31",
		"singles day":            "2026-11-11 to 2026-11-11",
		"fourth of july":         "2026-07-04 to 2026-07-04",
		"independence day":       "2026-07-04 to 2026-07-04",
		"easter sunday":          "2026-04-05 to 2026-04-05",
		"easter weekend":         "2026-04-03 to 2026-04-06",
		"easter":                 "2026-04-05 to 2026-04-05",
		"christmas of 2024":      "2024-12-25 to 2024-12-25",
		"christmas , 2024":       "2024-12-25 to 2024-12-25",
		"halloween last year":    "2025-10-31 to 2025-10-31",
		"halloween of last year": "2025-10-31 to 2025-10-31",
		"easter this year":       "2026-04-05 to 2026-04-05",
		"this halloween":         "2026-10-31 to 2026-10-31",
	})
	checkPeriods(t, "2026-11-25", map[string]string{"thanksgiving week": "2026-11-23 to 2026-11-25"})
}

func TestWeeksAndWeekends(t *testing.T) {
	t.Parallel()
	checkPeriods(t, friday, map[string]string{
		"monday":                  "2026-11-16 to 2026-11-16",
		"mondays":                 "2026-11-16 to 2026-11-16",
		"tuesday":                 "2026-11-17 to 2026-11-17",
		"tue":                     "2026-11-17 to 2026-11-17",
		"wed":                     "2026-11-18 to 2026-11-18",
		"thu":                     "2026-11-19 to 2026-11-19",
		"thurs":                   "2026-11-19 to 2026-11-19",
		"past thursday":           "2026-11-19 to 2026-11-19",
		"last friday":             "2026-11-13 to 2026-11-13",
		"this friday":             "2026-11-20 to 2026-11-20",
		"saturday":                "2026-11-14 to 2026-11-14",
		"sunday":                  "2026-11-15 to 2026-11-15",
		"last long weekend":       "2026-11-14 to 2026-11-15",
		"past weekend":            "2026-11-14 to 2026-11-15",
		"the weekend before last": "2026-11-07 to 2026-11-08",
		"week starting october 7": "2026-10-05 to 2026-10-11",
		"week of november 18":     "2026-11-16 to 2026-11-20",
		"week of october":         "2026-10-01 to 2026-10-31",
		"wtd":                     "2026-11-16 to 2026-11-20",
		"running week":            "2026-11-16 to 2026-11-20",
		"2 weeks ago":             "2026-11-02 to 2026-11-08",
		"a week ago":              "2026-11-09 to 2026-11-15",
		"2 fortnights ago":        "2026-10-19 to 2026-10-25",
		"preceding week":          "2026-11-09 to 2026-11-15",
		"week before last week":   "2026-11-02 to 2026-11-08",
		"last week of september":  "2026-09-24 to 2026-09-30",
		"first week of october":   "2026-10-01 to 2026-10-07",
	})
	checkPeriods(t, "2026-11-21", map[string]string{"this weekend": "2026-11-21 to 2026-11-21", "last weekend": "2026-11-14 to 2026-11-15"})
	checkPeriods(t, "2026-11-22", map[string]string{"this weekend": "2026-11-21 to 2026-11-22", "last sunday": "2026-11-15 to 2026-11-15"})
	checkPeriods(t, "2026-11-23", map[string]string{"this weekend": "2026-11-21 to 2026-11-22", "since sunday": "2026-11-22 to 2026-11-23"})
}

func TestMonthsAndDaysOfMonths(t *testing.T) {
	t.Parallel()
	checkPeriods(t, friday, map[string]string{
		"in jan":                      "2026-01-01 to 2026-01-31",
		"sept":                        "2026-09-01 to 2026-09-30",
		"in mar":                      "2026-03-01 to 2026-03-31",
		"in may":                      "2026-05-01 to 2026-05-31",
		"may 2025":                    "2025-05-01 to 2025-05-31",
		"may vs":                      "2026-05-01 to 2026-05-31",
		"last december":               "2025-12-01 to 2025-12-31",
		"october of last year":        "2025-10-01 to 2025-10-31",
		"october this year":           "2026-10-01 to 2026-10-31",
		"mar 5":                       "2026-03-05 to 2026-03-05",
		"oct 31":                      "2026-10-31 to 2026-10-31",
		"october 1":                   "2026-10-01 to 2026-10-01",
		"oct 3 2025":                  "2025-10-03 to 2025-10-03",
		"october 3 of last year":      "2025-10-03 to 2025-10-03",
		"3rd of october":              "2026-10-03 to 2026-10-03",
		"3 october 2025":              "2025-10-03 to 2025-10-03",
		"31 october":                  "2026-10-31 to 2026-10-31",
		"1 october":                   "2026-10-01 to 2026-10-01",
		"november 20":                 "2026-11-20 to 2026-11-20",
		"november 21":                 "2025-11-21 to 2025-11-21",
		"february 29":                 "2024-02-29 to 2024-02-29",
		"9/30/25":                     "2025-09-30 to 2025-09-30",
		"30/9":                        "2026-09-30 to 2026-09-30",
		"12/12":                       "2025-12-12 to 2025-12-12",
		"the 10th":                    "2026-11-10 to 2026-11-10",
		"the 20th":                    "2026-11-20 to 2026-11-20",
		"the 31st":                    "2026-10-31 to 2026-10-31",
		"the 10th of last month":      "2026-10-10 to 2026-10-10",
		"the 10th of this month":      "2026-11-10 to 2026-11-10",
		"a month ago":                 "2026-10-01 to 2026-10-31",
		"last full month":             "2026-10-01 to 2026-10-31",
		"the month before last":       "2026-09-01 to 2026-09-30",
		"current month":               "2026-11-01 to 2026-11-20",
		"the month so far":            "2026-11-01 to 2026-11-20",
		"1st half of october":         "2026-10-01 to 2026-10-15",
		"2nd half of october":         "2026-10-16 to 2026-10-31",
		"first half of november":      "2026-11-01 to 2026-11-15",
		"second half of november":     "2026-11-16 to 2026-11-20",
		"since the start of october":  "2026-10-01 to 2026-11-20",
		"since the start of the 10th": "2026-11-10 to 2026-11-20",
	})
	checkPeriods(t, "2026-12-01", map[string]string{"december": "2026-12-01 to 2026-12-01", "last november": "2026-11-01 to 2026-11-30"})
	checkPeriods(t, "2026-10-10", map[string]string{"first half of this month": "2026-10-01 to 2026-10-10"})
}

func TestQuartersSeasonsAndYears(t *testing.T) {
	t.Parallel()
	checkPeriods(t, friday, map[string]string{
		"q1":                        "2026-01-01 to 2026-03-31",
		"2nd quarter":               "2026-04-01 to 2026-06-30",
		"q4":                        "2026-10-01 to 2026-11-20",
		"fourth quarter of 2025":    "2025-10-01 to 2025-12-31",
		"first quarter last year":   "2025-01-01 to 2025-03-31",
		"last q3":                   "2026-07-01 to 2026-09-30",
		"prior quarter":             "2026-07-01 to 2026-09-30",
		"this quarter":              "2026-10-01 to 2026-11-20",
		"quarter to date":           "2026-10-01 to 2026-11-20",
		"quarter so far":            "2026-10-01 to 2026-11-20",
		"h2":                        "2026-07-01 to 2026-11-20",
		"h1 last year":              "2025-01-01 to 2025-06-30",
		"first half of 2025":        "2025-01-01 to 2025-06-30",
		"second half of 2025":       "2025-07-01 to 2025-12-31",
		"first half of q3":          "2026-07-01 to 2026-08-15",
		"second half of q3":         "2026-08-16 to 2026-09-30",
		"in 2024":                   "2024-01-01 to 2024-12-31",
		"in 2026":                   "2026-01-01 to 2026-11-20",
		"last calendar year":        "2025-01-01 to 2025-12-31",
		"the year before last":      "2024-01-01 to 2024-12-31",
		"in spring 2025":            "2025-03-01 to 2025-05-31",
		"over the fall":             "2026-09-01 to 2026-11-20",
		"last summer":               "2026-06-01 to 2026-08-31",
		"last autumn":               "2025-09-01 to 2025-11-30",
		"this winter":               "2025-12-01 to 2026-02-28",
		"last winter":               "2025-12-01 to 2026-02-28",
		"the summer of last year":   "2025-06-01 to 2025-08-31",
		"since the start of summer": "2026-06-01 to 2026-11-20",
	})
	checkPeriods(t, "2026-05-10", map[string]string{"h2": "2025-07-01 to 2025-12-31", "last summer": "2025-06-01 to 2025-08-31"})
	checkPeriods(t, "2026-07-01", map[string]string{"h2": "2026-07-01 to 2026-07-01", "q3": "2026-07-01 to 2026-07-01"})
	checkPeriods(t, "2026-06-01", map[string]string{"this summer": "2026-06-01 to 2026-06-01", "last summer": "2025-06-01 to 2025-08-31"})
	checkPeriods(t, "2026-09-01", map[string]string{"last summer": "2026-06-01 to 2026-08-31"})
}

func TestDaysUntilToday(t *testing.T) {
	t.Parallel()
	checkPeriods(t, friday, map[string]string{
		"tonight":              "2026-11-20 to 2026-11-20",
		"yesterdays":           "2026-11-19 to 2026-11-19",
		"day before yesterday": "2026-11-18 to 2026-11-18",
		"a day ago":            "2026-11-19 to 2026-11-19",
		"last day":             "2026-11-19 to 2026-11-19",
		"past day":             "2026-11-20 to 2026-11-20",
		"last 48 hours":        "2026-11-18 to 2026-11-20",
		"30 days":              "2026-10-22 to 2026-11-20",
		"over 30 days":         "2026-10-22 to 2026-11-20",
		"last 30d":             "2026-10-22 to 2026-11-20",
		"previous 30 days":     "2026-10-22 to 2026-11-20",
		"past month":           "2026-10-22 to 2026-11-20",
		"past 1 month":         "2026-10-22 to 2026-11-20",
		"past year":            "2025-11-21 to 2026-11-20",
		"trailing quarter":     "2026-08-23 to 2026-11-20",
		"last fortnight":       "2026-11-07 to 2026-11-20",
		"last full fortnight":  "2026-11-07 to 2026-11-20",
		"past full fortnight":  "2026-11-07 to 2026-11-20",
		"last 2 fortnights":    "2026-10-24 to 2026-11-20",
		"last few weeks":       "2026-10-31 to 2026-11-20",
		"last 2 full weeks":    "2026-11-02 to 2026-11-15",
		"last 2 quarters":      "2026-05-21 to 2026-11-20",
		"last 2 years":         "2024-11-21 to 2026-11-20",
	})
}

func TestRanges(t *testing.T) {
	t.Parallel()
	checkPeriods(t, friday, map[string]string{
		"from june on":                    "2026-06-01 to 2026-11-20",
		"starting june":                   "2026-06-01 to 2026-11-20",
		"since last week":                 "2026-11-09 to 2026-11-20",
		"since friday":                    "2026-11-20 to 2026-11-20",
		"since october 5 onwards":         "2026-10-05 to 2026-11-20",
		"from october to now":             "2026-10-01 to 2026-11-20",
		"from 2026-10-05 until yesterday": "2026-10-05 to 2026-11-19",
		"oct 20 through nov 5":            "2026-10-20 to 2026-11-05",
		"between oct 1 and oct 15":        "2026-10-01 to 2026-10-15",
		"oct 1 to the 31":                 "2026-10-01 to 2026-10-31",
		"from oct 1 - 15 2026":            "2026-10-01 to 2026-10-15",
		"november 20 to january 5":        "2025-11-20 to 2026-01-05",
		"oct 5 to oct 5":                  "2026-10-05 to 2026-10-05",
		"1 to 15 november":                "2026-11-01 to 2026-11-15",
		"between 3 and 10 november":       "2026-11-03 to 2026-11-10",
		"between the 3 and the 10 of may": "2026-05-03 to 2026-05-10",
		"10 - 12 october 2025":            "2025-10-10 to 2025-10-12",
		"5 to 5 november":                 "2026-11-05 to 2026-11-05",
	})
	for text, want := range map[string][]string{
		"october and september":          {"2026-10-01 to 2026-10-31", "2026-09-01 to 2026-09-30"},
		"2026-09-30 to 2026-09-01":       {"2026-09-30 to 2026-09-30", "2026-09-01 to 2026-09-01"},
		"between october - 2026-09-15":   {"2026-10-01 to 2026-10-31", "2026-09-15 to 2026-09-15"},
		"9/30/2026 to 9/1/2026":          {"2026-09-30 to 2026-09-30", "2026-09-01 to 2026-09-01"},
		"october 15 to september 2026":   {"2026-10-15 to 2026-10-15", "2026-09-01 to 2026-09-30"},
		"15 to 1 november":               {"2026-11-01 to 2026-11-01"},
		"31 to 15 november":              {"2026-11-15 to 2026-11-15"},
		"3 and 10 november":              {"2026-11-10 to 2026-11-10"},
		"from oct 1 compared with oct 2": {"2026-10-01 to 2026-10-01", "2026-10-02 to 2026-10-02"},
	} {
		var got []string
		for _, w := range when.Read(civil.MustParse(friday), tokens(text)) {
			got = append(got, w.Period.String())
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

// At and End are the positions of the expression's words. Unit and Count are the length of a period that another period
// is compared with.
func TestAnExpressionHasItsWordsAndItsUnit(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]when.Expression{
		"wow":                            {End: 1, Kind: when.Rolling, Unit: "week"},
		"month on month growth":          {End: 3, Kind: when.Rolling, Unit: "month"},
		"year over year growth":          {End: 3, Kind: when.YearAgo, Unit: "year"},
		"a year ago":                     {End: 3, Kind: when.YearAgo},
		"one year earlier":               {End: 3, Kind: when.YearAgo},
		"sales year ago":                 {At: 1, End: 3, Kind: when.YearAgo},
		"a week earlier":                 {End: 3, Kind: when.WeekAgo},
		"one week before":                {End: 3, Kind: when.WeekAgo},
		"same month a year ago":          {End: 5, Kind: when.YearAgo},
		"same day of last week":          {End: 5, Kind: when.WeekAgo},
		"same weekend a week earlier":    {End: 5, Kind: when.WeekAgo},
		"same days last quarter":         {End: 4, Kind: when.Shifted, Unit: "quarter"},
		"the friday before":              {End: 3, Kind: when.WeekAgo},
		"this time last year":            {End: 4, Kind: when.YearAgo},
		"vs ly":                          {At: 1, End: 2, Kind: when.YearAgo},
		"same period before":             {End: 3, Kind: when.Before},
		"the 14 before that":             {End: 4, Kind: when.Before, Count: 14},
		"2 weeks prior":                  {End: 3, Kind: when.Before, Unit: "week", Count: 2},
		"the 2 weeks before those sales": {End: 5, Kind: when.Before, Unit: "week", Count: 2},
		"the period before it":           {End: 4, Kind: when.Before},
		"the month before":               {End: 3, Kind: when.Before, Unit: "month"},
		"the year before that":           {End: 4, Kind: when.YearAgo, Unit: "year"},
		"prior window":                   {End: 2, Kind: when.Before},
		"vs the previous 30 days":        {At: 1, End: 5, Kind: when.Before, Unit: "day", Count: 30},
		"than preceding 2 weeks":         {At: 1, End: 4, Kind: when.Before, Unit: "week", Count: 2},
		"the weekend before that":        {End: 4, Kind: when.WeekAgo, Unit: "weekend"},
		"the weekend before":             {End: 3, Kind: when.WeekAgo, Unit: "weekend"},
		"tomorrow":                       {End: 1, Kind: when.Future, Unit: "day", Count: 1},
		"next 3 months":                  {End: 3, Kind: when.Future, Unit: "month", Count: 3},
		"coming few weeks":               {End: 3, Kind: when.Future, Unit: "week", Count: 3},
		"next fortnight":                 {End: 2, Kind: when.Future, Unit: "week", Count: 2},
		"upcoming quarter":               {End: 2, Kind: when.Future, Unit: "quarter", Count: 1},
		"next december":                  {End: 2, Kind: when.Future, Unit: "month", Count: 1},
	} {
		got := when.Read(civil.MustParse(friday), tokens(text))
		if diff := cmp.Diff([]when.Expression{want}, got, cmpopts.EquateComparable(civil.Date{})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestPropertiesOfPeriods(t *testing.T) {
	t.Parallel()
	day := func(text string) civil.Range { return when.DayRange(civil.MustParse(text)) }
	days := func(first, last string) civil.Range {
		return civil.Range{First: civil.MustParse(first), Last: civil.MustParse(last)}
	}
	for text, want := range map[string]when.Expression{
		"last october":      {End: 2, Period: days("2026-10-01", "2026-10-31"), Unit: "month", Last: true},
		"this october":      {End: 2, Period: days("2026-10-01", "2026-10-31"), Unit: "month"},
		"last q3":           {End: 2, Period: days("2026-07-01", "2026-09-30"), Unit: "quarter", Last: true},
		"last month":        {End: 2, Period: days("2026-10-01", "2026-10-31"), Unit: "month", Last: true},
		"last easter":       {End: 2, Period: day("2026-04-05"), Unit: "event", Last: true},
		"easter":            {End: 1, Period: day("2026-04-05"), Unit: "event"},
		"this christmas":    {End: 2, Kind: when.Future, Period: day("2026-12-25"), Unit: "day"},
		"december 2026":     {End: 2, Kind: when.Future, Period: days("2026-12-01", "2026-12-31"), Unit: "month"},
		"last 2 weeks":      {End: 3, Period: days("2026-11-07", "2026-11-20"), Unit: "week", Count: 2},
		"last fortnight":    {End: 2, Period: days("2026-11-07", "2026-11-20"), Unit: "day", Count: 14},
		"past month":        {End: 2, Period: days("2026-10-22", "2026-11-20"), Unit: "day", Count: 30},
		"yesterday":         {End: 1, Period: day("2026-11-19"), Unit: "day", Point: true},
		"tonight":           {End: 1, Period: day("2026-11-20"), Unit: "day", Point: true},
		"3 days ago":        {End: 3, Period: day("2026-11-17"), Point: true},
		"last monday":       {End: 2, Period: day("2026-11-16"), Point: true},
		"the 10th":          {End: 2, Period: day("2026-11-10"), Point: true},
		"oct 3":             {End: 2, Period: day("2026-10-03"), Point: true},
		"2026-10-03":        {End: 1, Period: day("2026-10-03"), Point: true},
		"since june":        {End: 2, Period: days("2026-06-01", "2026-11-20"), Since: true, Parts: []civil.Range{days("2026-06-01", "2026-06-30")}},
		"since june 5":      {End: 3, Period: days("2026-06-05", "2026-11-20"), Since: true},
		"from june to now":  {End: 4, Period: days("2026-06-01", "2026-11-20"), Since: true},
		"from june onwards": {End: 3, Period: days("2026-06-01", "2026-11-20"), Since: true, Parts: []civil.Range{days("2026-06-01", "2026-06-30")}},
		"june to july": {
			End: 3, Period: days("2026-06-01", "2026-07-31"), Parts: []civil.Range{days("2026-06-01", "2026-06-30"), days("2026-07-01", "2026-07-31")},
		},
	} {
		got := when.Read(civil.MustParse(friday), tokens(text))
		if diff := cmp.Diff([]when.Expression{want}, got, cmpopts.EquateComparable(civil.Date{}), cmpopts.IgnoreFields(when.Expression{}, "Event")); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
	for _, text := range []string{"last october", "q3", "easter"} {
		got := when.Read(civil.MustParse(friday), tokens(text))
		if len(got) != 1 || got[0].Event == nil {
			t.Errorf("%q has no event", text)
			continue
		}
		want := map[string]string{"last october": "2024-10-01 to 2024-10-31", "q3": "2024-07-01 to 2024-09-30", "easter": "2024-03-31 to 2024-03-31"}[text]
		if event := got[0].Event(2024).String(); event != want {
			t.Errorf("%q in 2024 is %s, want %s", text, event, want)
		}
	}
}

func TestIncompleteExpressionsAreNoDates(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"sat", "sun", "q5", "q0", "fifth quarter", "next hour", "3 hours ago", "1 day", "the same thing", "week over month", "same time as",
		"prices fall", "in the fall under 10", "summer", "2025", "in 2027", "the period", "first half", "first half of revenue", "next", "tomorrows",
		"may i", "week of revenue", "4000 days", "0 days", "month to", "month to dates",
	} {
		if got := when.Read(civil.MustParse(friday), tokens(text)); len(got) > 0 {
			t.Errorf("%q: %+v, want no date", text, got)
		}
	}
	if got := when.Read(civil.MustParse("2026-10-10"), tokens("the 31st")); len(got) > 0 {
		t.Errorf("September 31: %+v, want no date", got)
	}
}
