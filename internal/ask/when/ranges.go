package when

import (
	"strconv"
	"strings"
	"time"

	"assay/internal/civil"
)

// untilToday ends an incomplete period on the current day.
func (c calendar) untilToday(r civil.Range) civil.Range {
	if r.Last.After(c.today) && !r.First.After(c.today) {
		r.Last = c.today
	}
	return r
}

// IsYear reports whether a word is a year from 1900 to 2099.
func IsYear(w string) bool { return len(w) == 4 && (w[:2] == "20" || w[:2] == "19") && atoi(w) > 0 }

func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

func whole(x float64) bool { return x == float64(int(x)) }

// DayRange returns the period of one day.
func DayRange(d civil.Date) civil.Range { return civil.Range{First: d, Last: d} }

func monthRange(y int, m time.Month) civil.Range {
	return civil.Range{First: civil.New(y, m, 1), Last: civil.New(y, m+1, 1).AddDays(-1)}
}

// StartOf returns the first day of the unit that contains a day.
func StartOf(unit string, d civil.Date) civil.Date {
	switch unit {
	case "week":
		return civil.ByWeek.Start(d)
	case "month":
		return civil.ByMonth.Start(d)
	case "quarter":
		return civil.New(d.Year(), (d.Month()-1)/3*3+1, 1)
	case "year":
		return civil.New(d.Year(), time.January, 1)
	}
	return d
}

// FullUnit returns the calendar unit, such as a month, that starts on the given day.
func FullUnit(unit string, start civil.Date) civil.Range {
	last := start
	switch unit {
	case "week":
		last = start.AddDays(6)
	case "month":
		last = civil.New(start.Year(), start.Month()+1, 1).AddDays(-1)
	case "quarter":
		last = civil.New(start.Year(), start.Month()+3, 1).AddDays(-1)
	case "year":
		last = civil.New(start.Year(), time.December, 31)
	}
	return civil.Range{First: start, Last: last}
}

// UnitBefore returns the full calendar unit that contains the day before a period.
func UnitBefore(unit string, r civil.Range) civil.Range {
	return FullUnit(unit, StartOf(unit, r.First.AddDays(-1)))
}

// shiftMonths moves a day by months. If the month has no such day, it returns the month's last day.
func shiftMonths(d civil.Date, n int) civil.Date {
	first := civil.New(d.Year(), d.Month()+time.Month(n), 1)
	last := FullUnit("month", first).Last
	if day := first.AddDays(d.Day() - 1); !day.After(last) {
		return day
	}
	return last
}

// ShiftYears moves a period by years; February 29 becomes February 28.
func ShiftYears(r civil.Range, n int) civil.Range {
	return civil.Range{First: shiftMonths(r.First, 12*n), Last: shiftMonths(r.Last, 12*n)}
}

// ShiftUnits moves a period by months or quarters. If a period ends on the last day of a month, the result also ends on
// the last day of a month.
func ShiftUnits(r civil.Range, unit string, n int) civil.Range {
	if unit == "quarter" {
		n *= 3
	}
	shifted := civil.Range{First: shiftMonths(r.First, n), Last: shiftMonths(r.Last, n)}
	if r.Last.AddDays(1).Day() == 1 {
		shifted.Last = FullUnit("month", StartOf("month", shifted.Last)).Last
	}
	return shifted
}

// isOrdinal reports whether a numeral is an ordinal such as 3rd.
func isOrdinal(text string) bool {
	return len(text) > 2 && strings.Trim(text, "0123456789") == text[len(text)-2:] && text[0] <= '9'
}
