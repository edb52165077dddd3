package mcp

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"assay/internal/civil"
)

var (
	daysAgo   = regexp.MustCompile(`^(\d{1,3}) (day|week)s? ago$`)
	yearFirst = regexp.MustCompile(`^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[t ].*)?$`)
	compact   = regexp.MustCompile(`^(\d{4})(\d{2})(\d{2})$`)
	yearLast  = regexp.MustCompile(`^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})$`)
)

// meantDay returns the day that a caller meant with a text in a form other than YYYY-MM-DD. The text may be a word such
// as yesterday, a timestamp, another notation, or a day beyond the end of its month. meantDay does not guess the order
// of day and month. If the parameter today is zero, words are not accepted.
func meantDay(s string, today civil.Date) (civil.Date, bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	if day, ok := spokenDay(s, today); ok {
		return day, !today.IsZero()
	}
	for _, notation := range []*regexp.Regexp{yearFirst, compact} {
		if part := notation.FindStringSubmatch(s); part != nil {
			return dayOf(part[1], part[2], part[3])
		}
	}
	part := yearLast.FindStringSubmatch(s)
	if part == nil {
		return civil.Date{}, false
	}
	first, second := number(part[1]), number(part[2])
	switch {
	case first == second, second > 12 && first <= 12:
		return dayOf(part[3], part[1], part[2])
	case first > 12 && second <= 12:
		return dayOf(part[3], part[2], part[1])
	}
	return civil.Date{}, false
}

// spokenDay returns the day that a word names, relative to today.
func spokenDay(s string, today civil.Date) (civil.Date, bool) {
	switch s {
	case "today", "now":
		return today, true
	case "yesterday":
		return today.AddDays(-1), true
	case "tomorrow":
		return today.AddDays(1), true
	}
	part := daysAgo.FindStringSubmatch(s)
	if part == nil {
		return civil.Date{}, false
	}
	days := number(part[1])
	if part[2] == "week" {
		days *= 7
	}
	return today.AddDays(-days), true
}

// dayOf returns a day of the calendar. If the month does not have a day from 29 to 31, dayOf returns the last day of
// the month.
func dayOf(year, month, day string) (civil.Date, bool) {
	y, m, d := number(year), number(month), number(day)
	if m < 1 || m > 12 || d < 1 || d > 31 {
		return civil.Date{}, false
	}
	last := civil.New(y, time.Month(m)+1, 1).AddDays(-1)
	found := civil.Earliest(civil.New(y, time.Month(m), d), last)
	_, err := civil.Parse(found.String())
	return found, err == nil
}

// number parses the digits of a regular expression.
func number(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}
