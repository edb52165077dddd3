// Package holiday is a calendar of holidays and shopping events for twenty countries, including holidays relative to
// Easter.
//
// The calendar contains only nationwide days. It excludes days of states, cantons and provinces, and days that are
// announced each year (a shop's sales, marketplace events, school holidays). A holiday has its own date, even if the
// day off moves to a Monday.
package holiday

import (
	"slices"
	"strings"
	"time"

	"assay/internal/civil"
	"assay/internal/fault"
)

// Kind is the kind of a holiday.
type Kind string

// Kinds of holidays. Days of one kind have similar effects on sales.
const (
	Off      Kind = "holiday"  // a day off
	Shopping Kind = "shopping" // days with additional shopping, or shopping before a day
)

// Holiday is a period that recurs every year.
type Holiday struct {
	Name      string
	Kind      Kind
	Countries []string // ISO 3166-1 alpha-2; nil: all countries

	days  func(year int) civil.Range
	since int  // first year; 0: no first year
	daily bool // only daily data can separate it from another holiday
}

// In returns the holiday's days in a year. It returns false for years before the holiday existed.
func (h Holiday) In(year int) (civil.Range, bool) {
	if year < h.since {
		return civil.Range{}, false
	}
	return h.days(year), true
}

// Within returns every occurrence of the holiday that has a day in the range, in order.
func (h Holiday) Within(r civil.Range) []civil.Range {
	var out []civil.Range
	for year := r.First.Year() - 1; year <= r.Last.Year()+1; year++ {
		if days, ok := h.In(year); ok && r.Intersect(days).Days() > 0 {
			out = append(out, days)
		}
	}
	return out
}

// Of returns the holidays of countries, without duplicates, for daily data or for longer periods. Codes are ISO 3166-1
// alpha-2 in upper or lower case. An unknown code results in a fault of kind invalid.
func Of(countries []string, daily bool) ([]Holiday, error) {
	asked := make([]string, len(countries))
	for i, country := range countries {
		asked[i] = strings.ToUpper(strings.TrimSpace(country))
		if !slices.Contains(known, asked[i]) {
			return nil, fault.Invalid("no holidays for country %q", country).
				WithHint("the countries are %s", strings.Join(known, ", "))
		}
	}
	var out []Holiday
	for _, h := range calendar {
		observed := h.Countries == nil ||
			slices.ContainsFunc(asked, func(c string) bool { return slices.Contains(h.Countries, c) })
		if len(asked) > 0 && observed && (daily || !h.daily) {
			out = append(out, h)
		}
	}
	return out, nil
}

// CountryOf returns the country of a time zone. It returns "" if the zone belongs to none of the calendar's countries,
// or to several.
func CountryOf(zone string) string {
	if country, ok := zones[zone]; ok {
		return country
	}
	if strings.HasPrefix(zone, "Australia/") {
		return "AU"
	}
	return ""
}

// Named returns the holiday with the name. The holiday must exist.
func Named(name string) Holiday {
	return calendar[slices.IndexFunc(calendar, func(h Holiday) bool { return h.Name == name })]
}

// Thanksgiving returns the fourth Thursday of November. It determines the date of the Black Friday weekend in all
// countries.
func Thanksgiving(year int) civil.Date { return nth(4, time.Thursday, time.November)(year) }

// Easter returns Easter Sunday in the Gregorian calendar. The algorithm was published anonymously in Nature of April
// 20, 1876; see Meeus (Astronomical Algorithms, 1991, chapter 8).
func Easter(year int) civil.Date {
	a, b, c := year%19, year/100, year%100
	d, e := b/4, b%4
	g := (b - (b+8)/25 + 1) / 3
	h := (19*a + b - d - g + 15) % 30
	i, k := c/4, c%4
	l := (32 + 2*e + 2*i - h - k) % 7
	m := (a + 11*h + 22*l) / 451
	n := h + l - 7*m + 114
	return civil.New(year, time.Month(n/31), n%31+1)
}

// on returns a function that returns the given month and day of a year.
func on(month time.Month, day int) func(int) civil.Date {
	return func(year int) civil.Date { return civil.New(year, month, day) }
}

// nth returns a function that returns the n-th given weekday of a month in a year.
func nth(n int, weekday time.Weekday, month time.Month) func(int) civil.Date {
	return func(year int) civil.Date { return from(civil.New(year, month, 1), weekday).AddDays(7 * (n - 1)) }
}

// last returns the last given weekday of a month.
func last(weekday time.Weekday, month time.Month) func(int) civil.Date {
	return func(year int) civil.Date { return from(civil.New(year, month+1, 1), weekday).AddDays(-7) }
}

// from returns the first given weekday that is not before a day.
func from(day civil.Date, weekday time.Weekday) civil.Date {
	return day.AddDays((int(weekday-day.Weekday()) + 7) % 7)
}

// easter returns a function that returns the day that is the given number of days after Easter Sunday.
func easter(days int) func(int) civil.Date {
	return func(year int) civil.Date { return Easter(year).AddDays(days) }
}
