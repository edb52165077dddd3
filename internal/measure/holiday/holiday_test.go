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
