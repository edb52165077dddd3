package source

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"assay/internal/civil"
)

// DayOrder is the order of day and month in a file: 03/04/2026 is in April or in March.
type DayOrder byte

// The orders of day and month in a date. They do not affect ISO dates or dates with a month name.
const (
	UnknownOrder DayOrder = iota
	MonthFirst
	DayFirst
)

// String returns the order as DD/MM/YYYY or MM/DD/YYYY, or "" if it is unknown.
func (o DayOrder) String() string {
	switch o {
	case MonthFirst:
		return "MM/DD/YYYY"
	case DayFirst:
		return "DD/MM/YYYY"
	case UnknownOrder:
	}
	return ""
}

// ParseDayOrder reads DD/MM/YYYY and MM/DD/YYYY. The text "" is the unknown order.
func ParseDayOrder(form string) (DayOrder, bool) {
	for _, order := range []DayOrder{UnknownOrder, MonthFirst, DayFirst} {
		if strings.EqualFold(strings.TrimSpace(form), order.String()) {
			return order, true
		}
	}
	return UnknownOrder, false
}

// other returns the opposite order.
func (o DayOrder) other() DayOrder {
	if o == MonthFirst {
		return DayFirst
	}
	return MonthFirst
}

// dayError is the error for an unreadable day. It contains the remedy.
type dayError struct{ text, fix string }

func (e *dayError) Error() string { return e.text }

// DayFix returns the remedy for an unreadable day. If the error contains no remedy, DayFix returns the parameter
// otherwise.
func DayFix(err error, otherwise string) string {
	if e, ok := errors.AsType[*dayError](err); ok {
		return e.fix
	}
	return otherwise
}

// DayOrderOf detects the order from unambiguous days.
func DayOrderOf(cells []string) DayOrder {
	for _, cell := range cells {
		a, b, _, ok := slashed(datePart(strings.TrimSpace(cell)))
		switch {
		case !ok:
		case a > 12 && b <= 12:
			return DayFirst
		case b > 12 && a <= 12:
			return MonthFirst
		}
	}
	return UnknownOrder
}

var errDay = errors.New("is not a day such as 2026-09-30")

// named lists unambiguous layouts of days.
var named = []string{"Jan 2, 2006", "January 2, 2006", "2 Jan 2006", "2 January 2006", "Mon, Jan 2, 2006", "2-Jan-2006", "02.01.2006", "2.1.2006"}

// ParseDay reads a day. It ignores a time after the day.
func ParseDay(cell string, order DayOrder) (civil.Date, error) {
	cell = strings.TrimSpace(cell)
	if len(cell) >= 10 && cell[4] == '-' {
		if d, err := isoDay(cell[:10]); err == nil && (len(cell) == 10 || cell[10] == ' ' || cell[10] == 'T') {
			return d, nil
		}
	}
	if d, ok := compactDay(cell); ok {
		return d, nil
	}
	if a, b, year, ok := slashed(datePart(cell)); ok {
		return slashedDay(a, b, year, order)
	}
	for _, layout := range named {
		if t, err := time.Parse(layout, cell); err == nil {
			return checkedDay(t.Year(), int(t.Month()), t.Day())
		}
	}
	return civil.Date{}, errDay
}

func datePart(cell string) string {
	before, _, _ := strings.Cut(cell, " ")
	return before
}

func isoDay(s string) (civil.Date, error) {
	y, ok1 := digits(s[:4])
	m, ok2 := digits(s[5:7])
	d, ok3 := digits(s[8:10])
	if !ok1 || !ok2 || !ok3 || s[7] != s[4] {
		return civil.Date{}, errDay
	}
	return checkedDay(y, m, d)
}

// compactDay reads 20260930, 2026/09/30 and workbooks' serial numbers, which count days since 1899-12-30.
func compactDay(s string) (civil.Date, bool) {
	if len(s) == 10 && s[4] == '/' {
		d, err := isoDay(s)
		return d, err == nil
	}
	n, ok := digits(s)
	switch {
	case ok && len(s) == 8:
		d, err := checkedDay(n/10000, n/100%100, n%100)
		return d, err == nil
	case ok && len(s) == 5 && n > 20000 && n < 80000:
		return civil.New(1899, time.December, 30).AddDays(n), true
	}
	return civil.Date{}, false
}

func slashed(s string) (a, b, year int, ok bool) {
	parts := strings.Split(s, "/")
	if len(parts) != 3 || len(parts[2]) != 4 {
		return 0, 0, 0, false
	}
	a, ok1 := digits(parts[0])
	b, ok2 := digits(parts[1])
	year, ok3 := digits(parts[2])
	return a, b, year, ok1 && ok2 && ok3
}

func slashedDay(a, b, year int, order DayOrder) (civil.Date, error) {
	if order == UnknownOrder && a == b {
		order = MonthFirst
	}
	if order == UnknownOrder {
		return civil.Date{}, &dayError{
			"could be day/month or month/day, and no day of the file is unambiguous",
			fmt.Sprintf("import it with --dates %s or --dates %s", DayFirst, MonthFirst),
		}
	}
	month, day := a, b
	if order == DayFirst {
		month, day = b, a
	}
	read, err := checkedDay(year, month, day)
	if err == nil {
		return read, nil
	}
	if _, other := checkedDay(year, day, month); other == nil {
		return read, &dayError{
			fmt.Sprintf("is not a date in the order %s", order),
			fmt.Sprintf("if all days of the file are %s, import the file with --dates %s", order.other(), order.other()),
		}
	}
	return read, err
}

func checkedDay(y, m, d int) (civil.Date, error) {
	if y < 1900 || y > 2199 || m < 1 || m > 12 || d < 1 || d > 31 {
		return civil.Date{}, errDay
	}
	day := civil.New(y, time.Month(m), d)
	if day.Day() != d {
		return civil.Date{}, errors.New("is not a calendar date")
	}
	return day, nil
}

// digits reads a text of one to nine digits. It rejects any other text.
func digits(s string) (int, bool) {
	if len(s) == 0 || len(s) > 9 {
		return 0, false
	}
	n := 0
	for i := range len(s) {
		d := s[i] - '0'
		if d > 9 {
			return 0, false
		}
		n = n*10 + int(d)
	}
	return n, true
}

var errInstant = errors.New("is not a time such as 2026-09-30 14:05:00 +0200")

// ParseInstant reads a day with an optional time of day and an optional offset. The default time is the start of the
// day. The default offset is the offset of the zone. The result is in UTC.
func ParseInstant(cell string, order DayOrder, zone *time.Location) (time.Time, error) {
	if t, ok := plainInstant(cell); ok {
		return t, nil
	}
	cell = strings.TrimSpace(cell)
	if len(cell) > 5 && cell[5] == '.' && strings.Trim(cell, "0123456789") == "." {
		return serialInstant(cell, zone)
	}
	cut := strings.IndexAny(cell, " T")
	if cut < 0 {
		cut = len(cell)
	}
	day, err := ParseDay(cell[:cut], order)
	if err != nil {
		return time.Time{}, err
	}
	if cut == len(cell) {
		return civil.StartOf(day, zone), nil
	}
	clock, offset := splitOffset(strings.TrimSpace(cell[cut+1:]))
	since, ok := timeOfDay(clock)
	if !ok {
		return time.Time{}, errInstant
	}
	if offset == "" {
		h, m, s := since/3600, since/60%60, since%60
		return time.Date(day.Year(), day.Month(), day.Day(), h, m, s, 0, zone).UTC(), nil
	}
	east, ok := offsetSeconds(offset)
	if !ok {
		return time.Time{}, errInstant
	}
	return day.UTC().Add(time.Duration(since-east) * time.Second), nil
}

// plainInstant is a fast path for the most frequent forms, 2026-09-30T14:05:00Z and 2026-09-30 14:05:00 +0200. It must
// agree with ParseInstant, which reads all other forms.
func plainInstant(s string) (time.Time, bool) {
	if len(s) < 20 || s[4] != '-' || s[10] != 'T' && s[10] != ' ' || s[13] != ':' || s[16] != ':' {
		return time.Time{}, false
	}
	day, err := isoDay(s[:10])
	hours, ok1 := digits(s[11:13])
	minutes, ok2 := digits(s[14:16])
	seconds, ok3 := digits(s[17:19])
	if err != nil || !ok1 || !ok2 || !ok3 || hours > 23 || minutes > 59 || seconds > 60 {
		return time.Time{}, false
	}
	east := 0
	if offset := strings.TrimPrefix(s[19:], " "); offset != "Z" {
		var ok bool
		if offset == "" || offset[0] != '+' && offset[0] != '-' {
			return time.Time{}, false
		}
		if east, ok = offsetSeconds(offset); !ok {
			return time.Time{}, false
		}
	}
	return day.UTC().Add(time.Duration(hours*3600+minutes*60+seconds-east) * time.Second), true
}

// serialInstant reads a workbook's serial number: days since 1899-12-30, with the time of day as the fraction.
func serialInstant(cell string, zone *time.Location) (time.Time, error) {
	day, err := ParseDay(cell[:5], UnknownOrder)
	fraction, err2 := strconv.ParseFloat("0"+cell[5:], 64)
	if err != nil || err2 != nil {
		return time.Time{}, errInstant
	}
	seconds := int(fraction*24*60*60 + 0.5)
	return time.Date(day.Year(), day.Month(), day.Day(), 0, 0, seconds, 0, zone).UTC(), nil
}

func splitOffset(s string) (clock, offset string) {
	if s, ok := strings.CutSuffix(s, "Z"); ok {
		return strings.TrimSpace(s), "+0000"
	}
	if s, ok := strings.CutSuffix(s, " UTC"); ok {
		return s, "+0000"
	}
	if i := strings.LastIndexAny(s, "+-"); i > 0 {
		return strings.TrimSpace(s[:i]), s[i:]
	}
	return s, ""
}

// timeOfDay reads HH:MM, HH:MM:SS and HH:MM:SS.fff, with an optional AM or PM. It drops fractions.
func timeOfDay(s string) (seconds int, ok bool) {
	half := 0
	if upper := strings.ToUpper(s); strings.HasSuffix(upper, "M") {
		switch {
		case strings.HasSuffix(upper, "AM"):
			half = 1
		case strings.HasSuffix(upper, "PM"):
			half = 2
		}
		s = strings.TrimSpace(s[:max(0, len(s)-2)])
	}
	s, _, _ = strings.Cut(s, ".")
	h, rest, ok := strings.Cut(s, ":")
	m, sec, withSeconds := strings.Cut(rest, ":")
	hours, ok1 := digits(h)
	minutes, ok2 := digits(m)
	secs, ok3 := digits(sec)
	if !withSeconds {
		secs, ok3 = 0, true
	}
	switch {
	case half == 1 && hours == 12:
		hours = 0
	case half == 2 && hours < 12:
		hours += 12
	}
	return hours*3600 + minutes*60 + secs, ok && ok1 && ok2 && ok3 && hours < 24 && minutes < 60 && secs < 61
}

// offsetSeconds reads +HHMM, +HH:MM and +HH as seconds east of Greenwich.
func offsetSeconds(s string) (int, bool) {
	text := strings.Replace(s[1:], ":", "", 1)
	if len(text) == 2 {
		text += "00"
	}
	n, ok := digits(text)
	if !ok || len(text) != 4 || n/100 > 14 || n%100 > 59 {
		return 0, false
	}
	east := n/100*3600 + n%100*60
	if s[0] == '-' {
		east = -east
	}
	return east, true
}
