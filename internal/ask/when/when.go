// Package when reads expressions of time in questions: days, weeks, months, quarters, shopping events, ranges, and
// periods relative to another period. Weeks start on Monday.
package when

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/internal/civil"
	"assay/internal/measure/holiday"
)

// Kind is how an expression refers to time.
type Kind int

// The kinds.
const (
	Absolute Kind = iota
	Future        // after today
	Before        // the period of equal length before another period
	YearAgo       // another period a year earlier
	WeekAgo       // another period a week earlier
	Rolling       // "week over week": the days until today, and the same number of days before
)

// Expression is an expression of time in a question.
type Expression struct {
	At, End int // tokens
	Kind    Kind
	Period  civil.Range
	Unit    string                // day, week, month, quarter or year, if the expression has one
	Count   int                   // number of units
	Event   func(int) civil.Range // the same event in another year
	Parts   []civil.Range         // the two periods in "from June to August", or the one in "since June"
	Point   bool                  // one day that may start or end a range
	Last    bool                  // typed with "last", which may refer to the previous year
	Since   bool                  // until today
}

// calendar reads expressions of time on a day.
type calendar struct {
	today  civil.Date
	tokens []Token
}

// Read returns the expressions of time in a question that is asked today, in order.
func Read(today civil.Date, tokens []Token) []Expression {
	c := calendar{today, tokens}
	var out []Expression
	for i := 0; i < len(c.tokens); {
		w, ok := c.expression(i)
		if !ok {
			i++
			continue
		}
		out = append(out, w)
		i = w.End
	}
	return out
}

// word returns the text of a token, "" beyond the end or in another slot.
func (c calendar) word(i int) string {
	if i < 0 || i >= len(c.tokens) || c.tokens[i].Taken {
		return ""
	}
	return c.tokens[i].Text
}

func (c calendar) oneOf(i int, words string) bool {
	w := c.word(i)
	return w != "" && slices.Contains(strings.Fields(words), w)
}

// phrase reports whether the tokens from index i on are these words.
func (c calendar) phrase(i int, words string) (end int, ok bool) {
	for w := range strings.FieldsSeq(words) {
		if c.word(i) != w {
			return 0, false
		}
		i++
	}
	return i, true
}

// expression reads the longest expression at a token: ranges of two points first.
func (c calendar) expression(i int) (Expression, bool) {
	if c.oneOf(i, "since") || c.word(i) == "starting" || c.word(i) == "from" && c.reachesToday(i+1) {
		if w, ok := c.sincePeriod(i); ok {
			return w, true
		}
	}
	start := i
	if c.oneOf(i, "from between") {
		i++
	}
	w, ok := c.single(i)
	if !ok {
		return Expression{}, false
	}
	w.At = i
	joined := c.oneOf(w.End, "to until till through thru -") || c.word(i-1) == "between" && c.oneOf(w.End, "and &")
	if joined {
		if full, ok := c.upTo(w, start); ok {
			return full, true
		}
	}
	return w, true
}

// reachesToday reports whether "from X on" or "from X until now" follows.
func (c calendar) reachesToday(i int) bool {
	w, ok := c.single(i)
	return ok && c.oneOf(w.End, "on onwards onward forward")
}

// upTo reads the end of a range that starts with w.
func (c calendar) upTo(w Expression, start int) (Expression, bool) {
	next := w.End + 1
	for c.oneOf(next, "the and") {
		next++
	}
	if c.oneOf(next, "now today date") {
		return Expression{At: start, End: next + 1, Period: civil.Range{First: w.Period.First, Last: c.today}, Since: true}, true
	}
	to, ok := c.single(next)
	if !ok && w.Point {
		to, ok = c.dayOfSameMonth(next, w.Period.First)
	}
	if !ok || to.Kind != Absolute || w.Kind != Absolute {
		return Expression{}, false
	}
	if w.Point && to.Point && c.month(w.At) == 0 && c.tokens[w.End-1].Form == Numeral && to.Period.First.Month() != w.Period.First.Month() {
		day := w.Period.First.Day() // "the 1st to the 10th of October"
		w.Period = DayRange(civil.New(to.Period.First.Year(), to.Period.First.Month(), day))
	}
	if to.Period.First.Before(w.Period.First) && to.Point == w.Point {
		earlier := ShiftYears(w.Period, -1) // "November 20 to January 5"
		if earlier.First.After(to.Period.First) || w.Event != nil {
			return Expression{}, false
		}
		if !c.hasYear(w.At, w.End) && w.Point {
			w.Period = earlier
		} else {
			return Expression{}, false
		}
	}
	if to.Period.Last.Before(w.Period.First) {
		return Expression{}, false
	}
	return Expression{
		At: start, End: to.End, Period: civil.Range{First: w.Period.First, Last: to.Period.Last},
		Parts: []civil.Range{w.Period, to.Period},
	}, true
}

// hasYear reports whether the tokens name a year.
func (c calendar) hasYear(from, to int) bool {
	for i := from; i < to; i++ {
		if IsYear(c.word(i)) || c.tokens[i].Form == ISODate || strings.Count(c.tokens[i].Text, "/") == 2 {
			return true
		}
	}
	return false
}

func (c calendar) dayOfSameMonth(i int, of civil.Date) (Expression, bool) {
	if i >= len(c.tokens) || c.tokens[i].Form != Numeral || c.tokens[i].Value < 1 || c.tokens[i].Value > 31 || !whole(c.tokens[i].Value) {
		return Expression{}, false
	}
	day := civil.New(of.Year(), of.Month(), int(c.tokens[i].Value))
	if day.Month() != of.Month() {
		return Expression{}, false
	}
	end := i + 1
	if IsYear(c.word(end)) {
		end++
	}
	return Expression{At: i, End: end, Period: DayRange(day), Point: true}, true
}

func (c calendar) sincePeriod(i int) (Expression, bool) {
	next := i + 1
	for c.oneOf(next, "the on in from") {
		next++
	}
	if end, ok := c.startOf(next); ok {
		w, ok := c.single(end)
		if ok && w.Kind == Absolute {
			return Expression{At: i, End: w.End, Period: civil.Range{First: w.Period.First, Last: c.today}, Since: true}, true
		}
	}
	w, ok := c.single(next)
	if !ok || w.Kind != Absolute {
		return Expression{}, false
	}
	first := w.Period.First
	if c.weekday(next) >= 0 && w.End == next+1 {
		first = civil.ByWeek.Start(c.today).AddDays((c.weekday(next) + 6) % 7)
		if first.After(c.today) {
			first = first.AddDays(-7)
		}
	}
	end := w.End
	if c.oneOf(end, "on onwards onward forward") {
		end++
	}
	since := Expression{At: i, End: end, Period: civil.Range{First: first, Last: c.today}, Since: true}
	if w.Period.Days() > 1 {
		since.Parts = []civil.Range{w.Period}
	}
	return since, true
}

// startOf reads "the start of".
func (c calendar) startOf(i int) (end int, ok bool) {
	if c.oneOf(i, "start beginning") && c.word(i+1) == "of" {
		end = i + 2
		if c.word(end) == "the" {
			end++
		}
		return end, true
	}
	return 0, false
}

// reader reads one form of expression at a token.
type reader func(c calendar, i int) (Expression, bool)

// readers are tried in order; the first match wins.
func readers() []reader {
	return []reader{
		calendar.numericDay, calendar.cadence, calendar.sameTime, calendar.beforeThat, calendar.nextPeriod, calendar.halfOf,
		calendar.toDate, calendar.lastCount, calendar.ago, calendar.lastUnit, calendar.eventPeriod, calendar.weekend,
		calendar.weekOf, calendar.weekdayPeriod, calendar.quarter, calendar.monthPeriod, calendar.season, calendar.dayWord,
		calendar.yearPeriod,
	}
}

// single reads an expression that is not a range.
func (c calendar) single(i int) (Expression, bool) {
	for i < len(c.tokens) && c.oneOf(i, "the") {
		i++
	}
	if i >= len(c.tokens) || c.tokens[i].Taken {
		return Expression{}, false
	}
	for _, read := range readers() {
		if w, ok := read(c, i); ok {
			w.At = i
			return w, true
		}
	}
	return Expression{}, false
}

// numericDay reads 2026-09-30, 9/30 and 9/30/2026. Without a year, it returns the latest such day that is not in the
// future.
func (c calendar) numericDay(i int) (Expression, bool) {
	t := c.tokens[i]
	switch t.Form {
	case ISODate:
		parts := strings.Split(t.Text, "-")
		y, m, d := atoi(parts[0]), atoi(parts[1]), atoi(parts[2])
		if day, ok := c.validDay(y, m, d); ok {
			return Expression{End: i + 1, Period: DayRange(day), Point: true}, true
		}
	case SlashDate:
		parts := strings.Split(t.Text, "/")
		m, d := atoi(parts[0]), atoi(parts[1])
		if m > 12 { // 30/9
			m, d = d, m
		}
		y := 0
		if len(parts) == 3 {
			if y = atoi(parts[2]); y < 100 {
				y += 2000
			}
		}
		return c.dayIn(m, d, y, i+1)
	case Word, Numeral, Other:
	}
	return Expression{}, false
}

// dayIn returns a day of a month. Without a year, it returns the latest such day up to today.
func (c calendar) dayIn(m, d, y, end int) (Expression, bool) {
	guess := y
	if y == 0 {
		guess = c.today.Year()
		if day, ok := c.validDay(guess, m, d); !ok || day.After(c.today) {
			guess--
		}
		for range 4 { // 29 February
			if _, ok := c.validDay(guess, m, d); ok {
				break
			}
			guess--
		}
	}
	day, ok := c.validDay(guess, m, d)
	return Expression{End: end, Period: DayRange(day), Point: true}, ok
}

func (c calendar) validDay(y, m, d int) (civil.Date, bool) {
	day, err := civil.Parse(fmt.Sprintf("%04d-%02d-%02d", y, m, d))
	return day, err == nil
}

// cadence reads "week over week" and its abbreviations.
func (c calendar) cadence(i int) (Expression, bool) {
	short := map[string]string{"wow": "week", "mom": "month", "qoq": "quarter", "dod": "day"}
	if unit, ok := short[c.word(i)]; ok {
		return Expression{End: i + 1, Kind: Rolling, Unit: unit}, true
	}
	if c.word(i) == "yoy" {
		return Expression{End: i + 1, Kind: YearAgo, Unit: "year"}, true
	}
	unit := c.word(i)
	if !slices.Contains(Units, unit) || !c.oneOf(i+1, "over on") || c.word(i+2) != unit {
		return Expression{}, false
	}
	if unit == "year" {
		return Expression{End: i + 3, Kind: YearAgo, Unit: unit}, true
	}
	return Expression{End: i + 3, Kind: Rolling, Unit: unit}, true
}

// Units are the units of calendar periods.
var Units = []string{"day", "week", "month", "quarter", "year"}

// UnitOf returns the singular of a unit.
func UnitOf(w string) string {
	w = strings.TrimSuffix(w, "s")
	if slices.Contains(Units, w) || w == "hour" || w == "fortnight" {
		return w
	}
	return ""
}

// sameTime reads "same time last year" and "a year ago".
func (c calendar) sameTime(i int) (Expression, bool) {
	end := i
	switch {
	case c.word(i) == "same":
		end++
		if !c.oneOf(end, "time day period week weekend month quarter days dates point event season") {
			return Expression{}, false
		}
		end++
		if c.oneOf(end, "of in from a the") {
			end++
		}
	case c.oneOf(i, "a one") && c.word(i+1) == "year" && c.oneOf(i+2, "ago earlier before prior"):
		return Expression{End: i + 3, Kind: YearAgo}, true
	case c.word(i) == "year" && c.oneOf(i+1, "ago earlier"):
		return Expression{End: i + 2, Kind: YearAgo}, true
	case c.oneOf(i, "a one") && c.word(i+1) == "week" && c.oneOf(i+2, "earlier before prior"):
		return Expression{End: i + 3, Kind: WeekAgo}, true
	default:
		return Expression{}, false
	}
	switch {
	case c.oneOf(end, "last previous prior") && c.word(end+1) == "year", c.word(end) == "year" && c.oneOf(end+1, "ago before earlier"):
		return Expression{End: end + 2, Kind: YearAgo}, true
	case c.oneOf(end, "last previous prior") && c.word(end+1) == "week", c.word(end) == "week" && c.oneOf(end+1, "ago before earlier"):
		return Expression{End: end + 2, Kind: WeekAgo}, true
	case c.oneOf(end, "last previous prior") && c.oneOf(end+1, "month quarter"):
		return Expression{End: end + 2, Kind: Before, Unit: c.word(end + 1)}, true
	case c.oneOf(end, "before"):
		return Expression{End: end + 1, Kind: Before}, true
	}
	return Expression{}, false
}

// beforeThat reads "the 14 before that", "the previous period", "the year before", and after a comparing word also "the
// previous 30 days".
func (c calendar) beforeThat(i int) (Expression, bool) {
	t := c.tokens[i]
	if t.Form == Numeral && !t.Taken && whole(t.Value) {
		end := i + 1
		unit := UnitOf(c.word(end))
		if unit != "" {
			end++
		}
		if c.oneOf(end, "before prior earlier preceding") {
			end++
			if c.oneOf(end, "that those these them it this") {
				end++
			}
			return Expression{End: end, Kind: Before, Unit: unit, Count: int(t.Value)}, true
		}
		return Expression{}, false
	}
	unit := UnitOf(c.word(i))
	if c.oneOf(i, "one period") || unit != "" {
		end := i + 1
		if c.word(i) == "one" || !c.oneOf(end, "before prior earlier preceding") {
			return Expression{}, false
		}
		end++
		if c.oneOf(end, "last") { // "the week before last"
			if first, ok := c.lastUnit(end); ok {
				return Expression{End: first.End, Period: UnitBefore(unit, first.Period), Unit: unit}, true
			}
			if w, ok := c.previousOf(unit, 2); ok {
				w.End = end + 1
				return w, true
			}
		}
		if c.oneOf(end, "that it this") {
			end++
		}
		if unit == "year" {
			return Expression{End: end, Kind: YearAgo, Unit: unit}, true
		}
		return Expression{End: end, Kind: Before, Unit: unit}, true
	}
	if c.oneOf(i, "previous prior preceding earlier") {
		if c.oneOf(i+1, "period one timeframe window days") {
			return Expression{End: i + 2, Kind: Before}, true
		}
		compared := c.oneOf(i-1, "vs versus to with against from than over") || c.word(i-1) == "the" && c.oneOf(i-2, "vs versus to with against from than over")
		if n, unit, end, ok := c.countOf(i + 1); ok && compared {
			return Expression{End: end, Kind: Before, Unit: unit, Count: n}, true
		}
	}
	return Expression{}, false
}

// countOf reads "14 days", "couple of weeks" or "few months".
func (c calendar) countOf(i int) (n int, unit string, end int, ok bool) {
	if i >= len(c.tokens) {
		return 0, "", 0, false
	}
	switch {
	case c.tokens[i].Form == Numeral && !c.tokens[i].Taken && whole(c.tokens[i].Value) && c.tokens[i].Value >= 1 && c.tokens[i].Value < 4000:
		n, end = int(c.tokens[i].Value), i+1
	case c.oneOf(i, "few several"):
		n, end = 3, i+1
	default:
		return 0, "", 0, false
	}
	if c.oneOf(end, "full calendar whole of business") {
		end++
	}
	unit = UnitOf(c.word(end))
	return n, unit, end + 1, unit != ""
}

// nextPeriod reads "next week", "the coming 14 days" and "tomorrow".
func (c calendar) nextPeriod(i int) (Expression, bool) {
	if c.word(i) == "tomorrow" {
		return Expression{End: i + 1, Kind: Future, Unit: "day", Count: 1}, true
	}
	if !c.oneOf(i, "next coming upcoming following") {
		return Expression{}, false
	}
	if n, unit, end, ok := c.countOf(i + 1); ok {
		return Expression{End: end, Kind: Future, Unit: unit, Count: n}, true
	}
	unit := UnitOf(c.word(i + 1))
	if unit == "fortnight" {
		return Expression{End: i + 2, Kind: Future, Unit: "week", Count: 2}, true
	}
	if unit != "" && unit != "hour" {
		return Expression{End: i + 2, Kind: Future, Unit: unit, Count: 1}, true
	}
	if c.month(i+1) > 0 || c.weekday(i+1) >= 0 {
		return Expression{End: i + 2, Kind: Future, Unit: "month", Count: 1}, true
	}
	return Expression{}, false
}

// halfOf reads "the first half of October" and "the last week of September".
func (c calendar) halfOf(i int) (Expression, bool) {
	half := map[string]int{"first": 1, "second": 2, "1st": 1, "2nd": 2, "last": 2, "h1": 1, "h2": 2}[c.word(i)]
	if c.oneOf(i, "h1 h2") {
		year, end := c.yearAt(i + 1)
		return c.halfYear(half, year, end)
	}
	if half == 0 || !c.oneOf(i+1, "half week") || !c.oneOf(i+2, "of in") {
		return Expression{}, false
	}
	whole, ok := c.single(i + 3)
	if !ok || whole.Kind != Absolute {
		return Expression{}, false
	}
	r := whole.Period
	switch first := r.First; {
	case c.word(i+1) == "week" && half == 1:
		r.Last = first.AddDays(6)
	case c.word(i+1) == "week":
		r.First = r.Last.AddDays(-6)
	case first.Day() == 1 && first.Month() == 1 && whole.Unit == "year":
		return c.halfYear(half, first.Year(), whole.End)
	case whole.Unit == "month":
		full := monthRange(first.Year(), first.Month())
		if r.First, r.Last = full.First, full.First.AddDays(14); half == 2 {
			r.First, r.Last = full.First.AddDays(15), full.Last
		}
	default:
		middle := r.First.AddDays(r.Days() / 2)
		if half == 1 {
			r.Last = middle.AddDays(-1)
		} else {
			r.First = middle
		}
	}
	return Expression{End: whole.End, Period: c.untilToday(r)}, true
}

func (c calendar) halfYear(half, year, end int) (Expression, bool) {
	start := time.Month(6*half - 5)
	if year == 0 {
		year = c.today.Year()
		if civil.New(year, start, 1).After(c.today) {
			year--
		}
	}
	r := civil.Range{First: civil.New(year, start, 1), Last: civil.New(year, start+6, 1).AddDays(-1)}
	return Expression{End: end, Period: c.untilToday(r)}, true
}

// toDate reads "month to date", "mtd" and "so far this month".
func (c calendar) toDate(i int) (Expression, bool) {
	short := map[string]string{"mtd": "month", "qtd": "quarter", "ytd": "year", "wtd": "week"}
	if unit, ok := short[c.word(i)]; ok {
		return Expression{End: i + 1, Period: civil.Range{First: StartOf(unit, c.today), Last: c.today}, Unit: unit}, true
	}
	unit := UnitOf(c.word(i))
	if unit == "" || c.word(i+1) != "to" || c.word(i+2) != "date" {
		return Expression{}, false
	}
	return Expression{End: i + 3, Period: civil.Range{First: StartOf(unit, c.today), Last: c.today}, Unit: unit}, true
}

// lastCount reads "past 30 days": the days until today, including today.
func (c calendar) lastCount(i int) (Expression, bool) {
	next := i
	if c.oneOf(i, "last past previous trailing prior recent preceding") {
		next++
	} else if !c.oneOf(i-1, "over for in during within of") && c.word(i-1) != "a" && i != 0 {
		return Expression{}, false
	}
	if c.oneOf(next, "fortnight") || c.oneOf(next, "30d 7d 14d 60d 90d") {
		n := 14
		if c.word(next) != "fortnight" {
			n = atoi(strings.TrimSuffix(c.word(next), "d"))
		}
		return Expression{End: next + 1, Period: c.daysToToday(n), Unit: "day", Count: n}, true
	}
	if c.word(next) == "a" {
		next++
	}
	n, unit, end, ok := c.countOf(next)
	if !ok || c.oneOf(end, "ago before earlier prior after from") {
		return Expression{}, false
	}
	if next == i && n == 1 {
		return Expression{}, false
	}
	w := Expression{End: end, Unit: unit, Count: n}
	switch unit {
	case "hour":
		w.Period = civil.Range{First: c.today.AddDays(-(n + 12) / 24), Last: c.today}
	case "day":
		w.Period = c.daysToToday(n)
	case "week":
		w.Period = c.daysToToday(7 * n)
	case "fortnight":
		w.Period = c.daysToToday(14 * n)
	case "month":
		w.Period = c.monthsToToday(n)
	case "quarter":
		w.Period = c.monthsToToday(3 * n)
	case "year":
		w.Period = c.monthsToToday(12 * n)
	}
	return w, true
}

func (c calendar) daysToToday(n int) civil.Range {
	return civil.Range{First: c.today.AddDays(1 - n), Last: c.today}
}

func (c calendar) monthsToToday(n int) civil.Range {
	if n == 1 {
		return c.daysToToday(30)
	}
	return civil.Range{First: shiftMonths(c.today, -n).AddDays(1), Last: c.today}
}

// ago reads "3 days ago" and "two weeks ago".
func (c calendar) ago(i int) (Expression, bool) {
	n, unit, end, ok := c.countOf(i)
	if !ok && c.oneOf(i, "a") && UnitOf(c.word(i+1)) != "" {
		n, unit, end, ok = 1, UnitOf(c.word(i+1)), i+2, true
	}
	if !ok || c.word(end) != "ago" || unit == "hour" {
		return Expression{}, false
	}
	switch unit {
	case "day":
		return Expression{End: end + 1, Period: DayRange(c.today.AddDays(-n)), Point: true}, true
	case "fortnight":
		unit, n = "week", 2*n
	}
	w, ok := c.previousOf(unit, n)
	w.End = end + 1
	return w, ok
}

// previousOf returns the nth full unit before the current unit.
func (c calendar) previousOf(unit string, n int) (Expression, bool) {
	if !slices.Contains(Units, unit) {
		return Expression{}, false
	}
	start := StartOf(unit, c.today)
	for range n {
		start = StartOf(unit, start.AddDays(-1))
	}
	return Expression{Period: FullUnit(unit, start), Unit: unit}, true
}

// lastUnit reads "last week", "past week", "this month" and "the quarter so far".
func (c calendar) lastUnit(i int) (Expression, bool) {
	how := c.word(i)
	next := i + 1
	if how == "current" || how == "running" {
		how = "this"
	}
	if c.oneOf(next, "full calendar whole entire running current complete") {
		next++
	}
	unit := UnitOf(c.word(next))
	if how == "week" || how == "month" || how == "quarter" || how == "year" {
		if end, ok := c.phrase(i+1, "so far"); ok {
			return Expression{End: end, Period: civil.Range{First: StartOf(how, c.today), Last: c.today}, Unit: how}, true
		}
	}
	if unit == "" || unit == "hour" {
		return Expression{}, false
	}
	switch how {
	case "this":
		return Expression{End: next + 1, Period: civil.Range{First: StartOf(unit, c.today), Last: c.today}, Unit: unit}, true
	case "last", "previous", "prior", "preceding":
		if unit == "fortnight" {
			return Expression{End: next + 1, Period: c.daysToToday(14), Unit: "day", Count: 14}, true
		}
		if unit == "day" {
			return Expression{End: next + 1, Period: DayRange(c.today.AddDays(-1)), Unit: unit}, true
		}
		w, ok := c.previousOf(unit, 1)
		w.End, w.Last = next+1, true
		return w, ok
	case "past", "trailing":
		days := map[string]int{"day": 1, "week": 7, "fortnight": 14, "month": 30, "quarter": 90, "year": 365}[unit]
		return Expression{End: next + 1, Period: c.daysToToday(days), Unit: "day", Count: days}, true
	}
	return Expression{}, false
}

// event is a day or period of the shopping year.
type event struct {
	words  string
	Period func(year int) civil.Range
}

func fixed(m time.Month, d int) func(int) civil.Range {
	return func(year int) civil.Range { return DayRange(civil.New(year, m, d)) }
}

func aroundThanksgiving(from, to int) func(int) civil.Range {
	return func(year int) civil.Range {
		day := holiday.Thanksgiving(year)
		return civil.Range{First: day.AddDays(from), Last: day.AddDays(to)}
	}
}

// events lists longer names first.
var events = []event{
	{"black friday cyber monday", aroundThanksgiving(1, 4)},
	{"black friday to cyber monday", aroundThanksgiving(1, 4)},
	{"black friday weekend", aroundThanksgiving(1, 4)},
	{"black friday week", aroundThanksgiving(-3, 3)},
	{"thanksgiving weekend", aroundThanksgiving(0, 3)},
	{"thanksgiving week", aroundThanksgiving(-3, 3)},
	{"long weekend after thanksgiving", aroundThanksgiving(0, 3)},
	{"weekend after thanksgiving", aroundThanksgiving(2, 3)},
	{"cyber weekend", aroundThanksgiving(1, 4)},
	{"cyber week", aroundThanksgiving(0, 4)},
	{"cyber five", aroundThanksgiving(0, 4)},
	{"cyber 5", aroundThanksgiving(0, 4)},
	{"cyber monday", aroundThanksgiving(4, 4)},
	{"black friday", aroundThanksgiving(1, 1)},
	{"bfcm", aroundThanksgiving(1, 4)},
	{"thanksgiving day", aroundThanksgiving(0, 0)},
	{"thanksgiving", aroundThanksgiving(0, 0)},
	{"christmas eve", fixed(time.December, 24)},
	{"christmas day", fixed(time.December, 25)},
	{"christmas", fixed(time.December, 25)},
	{"boxing day", fixed(time.December, 26)},
	{"new years eve", fixed(time.December, 31)},
	{"new years day", fixed(time.January, 1)},
	{"valentines day", fixed(time.February, 14)},
	{"valentines", fixed(time.February, 14)},
	{"halloween", fixed(time.October, 31)},
	{"singles day", fixed(time.November, 11)},
	{"fourth of july", fixed(time.July, 4)},
	{"independence day", fixed(time.July, 4)},
	{"easter sunday", func(y int) civil.Range { return DayRange(holiday.Easter(y)) }},
	{"easter weekend", func(y int) civil.Range {
		return civil.Range{First: holiday.Easter(y).AddDays(-2), Last: holiday.Easter(y).AddDays(1)}
	}},
	{"easter", func(y int) civil.Range { return DayRange(holiday.Easter(y)) }},
}

// eventPeriod reads an event with an optional year. Without a year, it returns the latest event that has begun.
func (c calendar) eventPeriod(i int) (Expression, bool) {
	last := false
	start := i
	if c.oneOf(i, "last this") {
		last = c.word(i) == "last"
		i++
	}
	for _, e := range events {
		end, ok := c.phrase(i, e.words)
		if !ok {
			continue
		}
		year, end := c.yearAt(end)
		w := Expression{End: end, Event: e.Period, Last: last}
		if year == 0 {
			year = c.today.Year()
			if e.Period(year).First.After(c.today) {
				year--
			}
			if c.word(start) == "this" && c.today.Year() > year {
				year = c.today.Year()
			}
		}
		w.Period = e.Period(year)
		if w.Period.First.After(c.today) {
			w.Kind, w.Unit = Future, "day"
			return w, true
		}
		w.Period = c.untilToday(w.Period)
		w.Unit = "event"
		return w, true
	}
	return Expression{}, false
}

// yearAt reads "2025", "of 2025", "this year" and "last year" after a name. It returns 0 if there is none.
func (c calendar) yearAt(i int) (year, end int) {
	next := i
	if c.oneOf(next, "of in") || c.word(next) == "," {
		next++
	}
	switch {
	case IsYear(c.word(next)):
		return atoi(c.word(next)), next + 1
	case c.word(next) == "last" && c.word(next+1) == "year":
		return c.today.Year() - 1, next + 2
	case c.word(next) == "this" && c.word(next+1) == "year":
		return c.today.Year(), next + 2
	}
	return 0, i
}

// weekend reads "last weekend", "over the weekend" and "the weekend before".
func (c calendar) weekend(i int) (Expression, bool) {
	how := ""
	if c.oneOf(i, "last this past previous prior") {
		how = c.word(i)
		i++
	}
	if c.oneOf(i, "long") {
		i++
	}
	if !c.oneOf(i, "weekend weekends") {
		return Expression{}, false
	}
	saturday := civil.ByWeek.Start(c.today).AddDays(-2)
	if c.today.Weekday() == time.Sunday && how == "this" {
		saturday = c.today.AddDays(-1)
	}
	if c.today.Weekday() == time.Saturday && how == "this" {
		return Expression{End: i + 1, Period: DayRange(c.today), Unit: "weekend"}, true
	}
	end := i + 1
	if c.oneOf(end, "before prior earlier") {
		end++
		if c.oneOf(end, "that last it") {
			if c.word(end) != "last" {
				return Expression{End: end + 1, Kind: WeekAgo, Unit: "weekend"}, true
			}
			end++
			saturday = saturday.AddDays(-7)
			return Expression{End: end, Period: civil.Range{First: saturday, Last: saturday.AddDays(1)}, Unit: "weekend"}, true
		}
		return Expression{End: end, Kind: WeekAgo, Unit: "weekend"}, true
	}
	return Expression{End: end, Period: civil.Range{First: saturday, Last: saturday.AddDays(1)}, Unit: "weekend"}, true
}

// weekOf reads "the week of November 9".
func (c calendar) weekOf(i int) (Expression, bool) {
	if c.word(i) != "week" || !c.oneOf(i+1, "of starting beginning") {
		return Expression{}, false
	}
	day, ok := c.single(i + 2)
	if !ok || day.Kind != Absolute || day.Period.Days() > 7 {
		return Expression{}, false
	}
	start := civil.ByWeek.Start(day.Period.First)
	return Expression{End: day.End, Period: c.untilToday(FullUnit("week", start)), Unit: "week"}, true
}

func (c calendar) weekday(i int) int {
	w := strings.TrimSuffix(c.word(i), "s")
	for d := time.Sunday; d <= time.Saturday; d++ {
		name := strings.ToLower(d.String())
		if w == name || w == name[:3] && w != "sun" && w != "sat" || w == "tue" || w == "thur" && d == time.Thursday {
			if w == "tue" && d != time.Tuesday {
				continue
			}
			return int(d)
		}
	}
	return -1
}

// weekdayPeriod reads "on Friday" and "last Friday": the latest Friday before today.
func (c calendar) weekdayPeriod(i int) (Expression, bool) {
	next := i
	if c.oneOf(i, "last this past") {
		next++
	}
	day := c.weekday(next)
	if day < 0 {
		return Expression{}, false
	}
	back := (int(c.today.Weekday()) - day + 7) % 7
	if back == 0 {
		back = 7
	}
	if c.word(i) == "this" && back == 7 {
		back = 0
	}
	return Expression{End: next + 1, Period: DayRange(c.today.AddDays(-back)), Point: true}, true
}

// quarter reads "Q3", "third quarter" and "Q3 2025".
func (c calendar) quarter(i int) (Expression, bool) {
	last := false
	if c.oneOf(i, "last this") {
		last = c.word(i) == "last"
		i++
	}
	n, end := 0, i+1
	switch w := c.word(i); {
	case len(w) == 2 && w[0] == 'q' && '1' <= w[1] && w[1] <= '4':
		n = int(w[1] - '0')
	case c.word(i+1) == "quarter":
		n = map[string]int{"first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4}[w]
		end = i + 2
	}
	if n == 0 {
		return Expression{}, false
	}
	year, end := c.yearAt(end)
	month := time.Month(3*n - 2)
	if year == 0 {
		year = c.today.Year()
		if civil.New(year, month, 1).After(c.today) {
			year--
		}
	}
	r := FullUnit("quarter", civil.New(year, month, 1))
	w := Expression{End: end, Period: c.untilToday(r), Unit: "quarter", Last: last, Event: func(y int) civil.Range {
		return FullUnit("quarter", civil.New(y, month, 1))
	}}
	if r.First.After(c.today) {
		w.Kind = Future
	}
	return w, true
}

func (c calendar) month(i int) time.Month {
	w := c.word(i)
	for m := time.January; m <= time.December; m++ {
		name := strings.ToLower(m.String())
		if w == name || w == name+"s" || len(w) == 3 && w == name[:3] && w != "may" && w != "mar" || w == "sept" && m == time.September || w == "mar" && m == time.March {
			return m
		}
	}
	return 0
}

// monthPeriod reads "October", "Oct 2025", "Oct 3", "Oct 1-15", "3rd of October".
func (c calendar) monthPeriod(i int) (Expression, bool) {
	if t := c.tokens[i]; t.Form == Numeral && whole(t.Value) && t.Value >= 1 && t.Value <= 31 {
		next := i + 1
		if c.word(next) == "of" {
			next++
		}
		if m := c.month(next); m > 0 {
			year, end := c.yearAt(next + 1)
			return c.dayIn(int(m), int(t.Value), year, end)
		}
		if c.oneOf(next, "this last") && c.word(next+1) == "month" && c.word(i+1) == "of" || isOrdinal(t.Text) {
			return c.dayOfMonth(i, next)
		}
		return Expression{}, false
	}
	last := false
	if c.oneOf(i, "last this") && c.month(i+1) > 0 {
		last = c.word(i) == "last"
		i++
	}
	m := c.month(i)
	if m == 0 || c.word(i) == "may" && !c.mayIsMonth(i) {
		return Expression{}, false
	}
	if i+1 < len(c.tokens) && c.tokens[i+1].Form == Numeral && !IsYear(c.word(i+1)) && whole(c.tokens[i+1].Value) &&
		c.tokens[i+1].Value >= 1 && c.tokens[i+1].Value <= 31 {
		year, end := c.yearAt(i + 2)
		return c.dayIn(int(m), int(c.tokens[i+1].Value), year, end)
	}
	year, end := c.yearAt(i + 1)
	if year == 0 {
		year = c.today.Year()
		if civil.New(year, m, 1).After(c.today) {
			year--
		}
	}
	r := monthRange(year, m)
	w := Expression{End: end, Period: c.untilToday(r), Unit: "month", Last: last, Event: func(y int) civil.Range { return monthRange(y, m) }}
	if r.First.After(c.today) {
		w.Kind = Future
	}
	return w, true
}

// mayIsMonth distinguishes the month from the verb.
func (c calendar) mayIsMonth(i int) bool {
	return c.oneOf(i-1, "in for of since during from last this to until and vs versus through - than with late early") ||
		IsYear(c.word(i+1)) || i+1 < len(c.tokens) && c.tokens[i+1].Form == Numeral || c.word(i+1) == "" || c.oneOf(i+1, "vs versus to and - ?")
}

// dayOfMonth reads "the 10th" and "the 10th of this month".
func (c calendar) dayOfMonth(i, next int) (Expression, bool) {
	d := int(c.tokens[i].Value)
	month, end := c.today, i+1
	if c.oneOf(next, "this last") && c.word(next+1) == "month" {
		end = next + 2
		if c.word(next) == "last" {
			month = StartOf("month", c.today).AddDays(-1)
		}
	} else if d > c.today.Day() {
		month = StartOf("month", c.today).AddDays(-1)
	}
	day, ok := c.validDay(month.Year(), int(month.Month()), d)
	return Expression{End: end, Period: DayRange(day), Point: true}, ok
}

var seasons = map[string]time.Month{
	"spring": time.March, "summer": time.June, "autumn": time.September, "fall": time.September, "winter": time.December,
}

// season reads "this summer" and "over the winter". The words alone are also verbs and names of coupons.
func (c calendar) season(i int) (Expression, bool) {
	next := i
	if c.oneOf(i, "last this") {
		next++
	}
	start, ok := seasons[c.word(next)]
	if !ok || next == i && !c.oneOf(i-1, "the in over during since for of") || c.word(next) == "fall" && c.oneOf(next+1, "under below short off") {
		return Expression{}, false
	}
	year, end := c.yearAt(next + 1)
	if year == 0 {
		year = c.today.Year()
		if civil.New(year, start, 1).After(c.today) {
			year--
		}
		if c.word(i) == "last" && civil.New(year, start+3, 1).After(c.today) {
			year--
		}
	}
	r := civil.Range{First: civil.New(year, start, 1), Last: civil.New(year, start+3, 1).AddDays(-1)}
	return Expression{End: end, Period: c.untilToday(r), Unit: "season"}, true
}

// dayWord reads "today" and "yesterday".
func (c calendar) dayWord(i int) (Expression, bool) {
	switch c.word(i) {
	case "today", "tonight":
		return Expression{End: i + 1, Period: DayRange(c.today), Unit: "day", Point: true}, true
	case "yesterday", "yesterdays":
		return Expression{End: i + 1, Period: DayRange(c.today.AddDays(-1)), Unit: "day", Point: true}, true
	case "day":
		if end, ok := c.phrase(i, "day before yesterday"); ok {
			return Expression{End: end, Period: DayRange(c.today.AddDays(-2)), Unit: "day", Point: true}, true
		}
	}
	return Expression{}, false
}

// yearPeriod reads "in 2025". A four-digit number is a year only after a preposition.
func (c calendar) yearPeriod(i int) (Expression, bool) {
	if !IsYear(c.word(i)) || !c.oneOf(i-1, "in of for during since year vs versus to and from full than with calendar through until") {
		return Expression{}, false
	}
	y := atoi(c.word(i))
	if y > c.today.Year() {
		return Expression{}, false
	}
	r := FullUnit("year", civil.New(y, 1, 1))
	return Expression{End: i + 1, Period: c.untilToday(r), Unit: "year"}, true
}

// untilToday ends a period that is not over on today.
func (c calendar) untilToday(r civil.Range) civil.Range {
	if r.Last.After(c.today) && !r.First.After(c.today) {
		r.Last = c.today
	}
	return r
}

// IsYear reports whether a word is a year of this or the last century.
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

// FullUnit returns the full unit with this first day.
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

// UnitBefore returns the full unit before a period.
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

// ShiftYears moves a period by years; 29 February becomes 28 February.
func ShiftYears(r civil.Range, n int) civil.Range {
	return civil.Range{First: shiftMonths(r.First, 12*n), Last: shiftMonths(r.Last, 12*n)}
}

// isOrdinal reports whether a numeral is written like 3rd.
func isOrdinal(text string) bool {
	return len(text) > 2 && strings.Trim(text, "0123456789") == text[len(text)-2:] && text[0] <= '9'
}
