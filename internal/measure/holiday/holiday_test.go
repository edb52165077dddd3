package holiday

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"assay/internal/civil"
	"assay/internal/fault"
)

// The Easter Sundays include the latest possible date and one after a change of century. They are from the table of the
// Astronomical Applications Department of the US Naval Observatory.
func TestEasterMatchesTheTables(t *testing.T) {
	t.Parallel()
	for _, want := range []string{
		"1943-04-25", "1954-04-18", "1961-04-02", "1981-04-19", "2000-04-23", "2008-03-23", "2011-04-24", "2016-03-27",
		"2019-04-21",
		"2020-04-12", "2021-04-04", "2022-04-17", "2023-04-09", "2024-03-31", "2025-04-20", "2026-04-05", "2027-03-28",
		"2038-04-25", "2100-03-28",
	} {
		day := civil.MustParse(want)
		if got := Easter(day.Year()); got != day {
			t.Errorf("Easter of %d is %s, want %s", day.Year(), got, day)
		}
	}
}

// TestDaysOffMatchAPublishedCalendar compares every day off of every country with the calendar of Robyn. Its sources
// are Prophet and the package holidays.
func TestDaysOffMatchAPublishedCalendar(t *testing.T) {
	t.Parallel()
	published := publishedDays(t)
	absent := map[string]bool{
		"US easter 0":       true,                           // a day of shopping, not a legal holiday
		"GB early_may 2020": true, "GB memorial 2022": true, // moved once for jubilees
	}
	for _, country := range known {
		holidays, err := Of([]string{country}, true)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range holidays {
			for year := 2017; year <= 2030; year++ { // several laws changed in the years before
				days, ok := h.In(year)
				name := country + " " + h.Name
				if !ok || h.Kind != Off || absent[name+" 0"] || absent[fmt.Sprint(name, " ", year)] {
					continue
				}
				// The reference omits Sundays for Spain.
				if country == "ES" && days.Days() < 4 &&
					slices.ContainsFunc(each(days), func(d civil.Date) bool { return d.Weekday() == time.Sunday }) {
					continue
				}
				if !slices.ContainsFunc(each(days), func(d civil.Date) bool { return published[country][d] }) {
					t.Errorf("%s: %s of %d is %s, and none of these is in the calendar", country, h.Name, year, days)
				}
			}
		}
	}
}

func each(r civil.Range) []civil.Date {
	var out []civil.Date
	for d := r.First; !d.After(r.Last); d = d.AddDays(1) {
		out = append(out, d)
	}
	return out
}

func publishedDays(t *testing.T) map[string]map[civil.Date]bool {
	t.Helper()
	const path = "../../../../shared/data/mmm/robyn_dt_prophet_holidays.csv"
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the shared data sets are not next to the project")
	}
	if err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]map[civil.Date]bool{}
	for _, record := range records[1:] {
		if record[1] == "Sunday" { // the reference contains all Swedish Sundays
			continue
		}
		country := record[2]
		if out[country] == nil {
			out[country] = map[civil.Date]bool{}
		}
		out[country][civil.MustParse(record[0])] = true
	}
	return out
}

func TestShoppingDaysAreWhereTheyWere(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{ // last day of each
		"cyber_weekend": "2024-12-02", "christmas": "2024-12-18", "mothers_day": "2024-05-12",
		"mothering_sunday": "2024-03-10", "mothers_day_fr": "2024-05-26",
		"mothers_day_es_pt": "2024-05-05", "mothers_day_se": "2024-05-26", "mothers_day_no": "2024-02-11",
		"fathers_day": "2024-06-16", "fathers_day_au_nz": "2024-09-01",
		"fathers_day_at_be": "2024-06-09", "fathers_day_se_no_fi": "2024-11-10", "fathers_day_de": "2024-05-09",
		"new_year": "2024-01-01", "kings_day_nl": "2024-04-27",
	} {
		if days, ok := Named(name).In(2024); !ok || days.Last != civil.MustParse(want) {
			t.Errorf("%s of 2024 ends on %s, want %s", name, days.Last, want)
		}
	}
	// Whitsun was on the last Sunday of May, so Mother's Day in France was a week later.
	if days, _ := Named("mothers_day_fr").In(2023); days.Last != civil.MustParse("2023-06-04") {
		t.Errorf("mothers' day of France in 2023 is %s, want 4 June", days.Last)
	}
	if days, _ := Named("cyber_weekend").In(2023); days.First.Weekday() != time.Friday || days.Days() != 4 {
		t.Errorf("the weekend after Thanksgiving is %s, want Friday to Monday", days)
	}
}

func TestDaysOffEverywhere(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][2]string{
		"new_year": {"2024-12-31", "2025-01-01"}, "easter": {"2025-04-18", "2025-04-21"}, "christmas_days": {"2025-12-24", "2025-12-26"},
	} {
		days, ok := Named(name).In(2025)
		if got := [2]string{days.First.String(), days.Last.String()}; !ok || got != want {
			t.Errorf("%s of 2025 is %s, want %s to %s", name, days, want[0], want[1])
		}
	}
}

func TestHolidaysOfCountriesAreUnique(t *testing.T) {
	t.Parallel()
	both, err := Of([]string{"us", " CA"}, false)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, h := range both {
		if seen[h.Name] {
			t.Errorf("%s is there twice", h.Name)
		}
		seen[h.Name] = true
	}
	if !seen["independence_us"] || !seen["victoria"] || !seen["easter"] || seen["bastille"] || seen["black_friday"] {
		t.Errorf("the United States and Canada have %v", seen)
	}
	if days, _ := Of([]string{"US"}, true); !slices.ContainsFunc(
		days, func(h Holiday) bool { return h.Name == "black_friday" }) {
		t.Error("data of days do not know Black Friday")
	}
	if _, err := Of([]string{"US", "XX"}, false); fault.KindOf(err) != fault.KindInvalid ||
		!strings.Contains(err.Error(), strconv.Quote("XX")) {
		t.Errorf("holidays of XX: %v, want a fault of kind invalid that names it", err)
	}
}

func TestAHolidayOverTheYearsEndIsFoundFromBothSides(t *testing.T) {
	t.Parallel()
	for _, r := range []civil.Range{
		{First: civil.MustParse("2024-12-30"), Last: civil.MustParse("2024-12-31")},
		{First: civil.MustParse("2025-01-01"), Last: civil.MustParse("2025-01-05")},
	} {
		if got := Named("new_year").Within(r); len(got) != 1 || got[0].Days() != 2 {
			t.Errorf("%s has the new years %v, want one of two days", r, got)
		}
	}
	if _, ok := Named("juneteenth").In(2020); ok {
		t.Error("Juneteenth was a day off in 2020")
	}
}

func TestTheCountryOfATimeZone(t *testing.T) {
	t.Parallel()
	for zone, want := range map[string]string{
		"America/New_York": "US", "Europe/Berlin": "DE", "Australia/Sydney": "AU", "UTC": "", "Asia/Tokyo": "", "": "",
	} {
		if got := CountryOf(zone); got != want {
			t.Errorf("country of %q: %q, want %q", zone, got, want)
		}
	}
	for zone, country := range zones {
		if _, err := time.LoadLocation(zone); err != nil {
			t.Errorf("zone of %s: %v", country, err)
		}
		if !slices.Contains(known, country) {
			t.Errorf("zone %s is in %s, which is not in the calendar", zone, country)
		}
	}
}

// The dates are those of the countries' published calendars of 2025: Easter was on April 20, Thanksgiving on November 27.
func TestEveryHolidayOf2025IsOnItsDays(t *testing.T) {
	t.Parallel()
	want := map[string]string{ // first and last day
		"valentines": "02-07 02-14", "mothers_day": "05-04 05-11", "mothering_sunday": "03-23 03-30", "mothers_day_fr": "05-18 05-25",
		"mothers_day_es_pt": "04-27 05-04", "mothers_day_pl": "05-19 05-26", "mothers_day_se": "05-18 05-25",
		"mothers_day_no": "02-02 02-09", "fathers_day": "06-08 06-15", "fathers_day_at_be": "06-01 06-08",
		"fathers_day_ch": "05-25 06-01", "fathers_day_de": "05-22 05-29", "fathers_day_au_nz": "08-31 09-07",
		"fathers_day_es_it_pt": "03-12 03-19", "fathers_day_se_no_fi": "11-02 11-09", "fathers_day_pl": "06-16 06-23",
		"fathers_day_dk": "05-29 06-05", "halloween": "10-24 10-31", "cyber_weekend": "11-28 12-01", "black_friday": "11-28 11-28",
		"cyber_monday": "12-01 12-01", "sinterklaas": "11-21 12-05", "christmas": "12-02 12-18", "after_christmas": "12-27 12-30",
		"easter": "04-18 04-21", "christmas_days": "12-24 12-26",
		"epiphany": "01-06", "ascension": "05-29", "whit_monday": "06-09", "corpus_christi": "06-19", "assumption": "08-15",
		"all_saints": "11-01", "immaculate_conception": "12-08",
		"martin_luther_king": "01-20", "australia_day": "01-26", "waitangi": "02-06", "washington": "02-17", "st_patrick": "03-17",
		"anzac": "04-25", "liberation_it_pt": "04-25", "kings_day_nl": "04-26", "may_day": "05-01", "early_may": "05-05",
		"constitution_pl": "05-03", "victory_fr": "05-08", "constitution_no": "05-17", "victoria": "05-19", "memorial": "05-26",
		"june_monday": "06-02", "republic_it": "06-02", "national_se": "06-06", "portugal": "06-10", "midsummer": "06-20 06-21",
		"juneteenth": "06-19", "canada": "07-01", "independence_us": "07-04", "bastille": "07-14", "national_be": "07-21",
		"national_ch": "08-01", "august_ie": "08-04", "summer_gb": "08-25", "labor_day": "09-01", "unity": "10-03",
		"republic_pt": "10-05", "october_monday": "10-13", "national_es": "10-12", "labour_nz": "10-27", "national_at": "10-26",
		"october_ie": "10-27", "november_11": "11-11", "thanksgiving": "11-27", "restoration_pt": "12-01", "december_6": "12-06",
	}
	for _, h := range calendar {
		if h.Name == "new_year" { // begins in the year before
			continue
		}
		days, ok := h.In(2025)
		got := days.First.String()[5:]
		if days.Days() > 1 {
			got += " " + days.Last.String()[5:]
		}
		if dates := strings.Fields(want[h.Name]); len(dates) == 2 && dates[0] == dates[1] {
			want[h.Name] = dates[0]
		}
		if !ok || got != want[h.Name] || days.First.Year() != 2025 {
			t.Errorf("%s of 2025 is %s, want %s", h.Name, days, want[h.Name])
		}
	}
	for name, dates := range map[string][2]string{ // the first and the last day that a rule allows, and a Monday that stays
		"victoria": {"2026-05-18", "2027-05-24"}, "midsummer": {"2026-06-20", "2027-06-26"}, "kings_day_nl": {"2026-04-27", "2031-04-26"},
		"memorial": {"2027-05-31", "2022-05-30"}, "labour_nz": {"2029-10-22", "2024-10-28"},
	} {
		for _, date := range dates {
			day := civil.MustParse(date)
			if days, _ := Named(name).In(day.Year()); days.Last != day {
				t.Errorf("%s of %d is %s, want %s", name, day.Year(), days.Last, date)
			}
		}
	}
	if _, ok := Named("juneteenth").In(2021); !ok {
		t.Error("Juneteenth was not a day off in 2021")
	}
}

// The earliest date of Easter in three centuries is March 23, the latest possible date April 25.
func TestEasterIsBetweenMarchAndApril(t *testing.T) {
	t.Parallel()
	for _, want := range []string{"1913-03-23", "2008-03-23", "2160-03-23", "1943-04-25", "2038-04-25", "2190-04-25"} {
		day := civil.MustParse(want)
		if got := Easter(day.Year()); got != day {
			t.Errorf("Easter of %d is %s, want %s", day.Year(), got, day)
		}
	}
}

func TestWithoutCountriesThereAreNoHolidays(t *testing.T) {
	t.Parallel()
	if all, err := Of(nil, true); len(all) > 0 || err != nil {
		t.Errorf("%v, %v", all, err)
	}
	for daily, want := range map[bool]int{true: 1, false: 0} { // a holiday that only daily data can separate
		all, err := Of([]string{"US"}, daily)
		n := 0
		for _, h := range all {
			if h.Name == "thanksgiving" {
				n++
			}
		}
		if err != nil || n != want {
			t.Errorf("daily data %t: Thanksgiving is there %d times, %v", daily, n, err)
		}
	}
}
