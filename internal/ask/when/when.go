// Package when reads expressions of time in questions: days, weeks, months, quarters, shopping events, ranges, and
// periods relative to another period. Weeks start on Monday.
package when

import (
	"fmt"
	"slices"
	"strings"

	"assay/internal/civil"
)

// Kind is the way in which an expression refers to time.
type Kind int

// The kinds.
const (
	Absolute Kind = iota
	Future        // after today
	Before        // the period of equal length before another period
	YearAgo       // another period a year earlier
	WeekAgo       // another period a week earlier
	Rolling       // "week over week": the days until today, and the same number of days before
	Shifted       // another period a month or a quarter earlier
)

// Expression is a time expression in a question.
type Expression struct {
	At, End int // positions of the tokens
	Kind    Kind
	Period  civil.Range
	Unit    string                // day, week, month, quarter or year, if the expression has one
	Count   int                   // number of units
	Event   func(int) civil.Range // the same event in another year
	Parts   []civil.Range         // the two periods in "from June to August", or the period in "since June"
	Point   bool                  // one day that may start or end a range
	Last    bool                  // typed with "last", which may refer to the previous year
	Since   bool                  // the period lasts until today
}

// calendar reads the time expressions in a question that is asked on a given day.
type calendar struct {
	today  civil.Date
	tokens []Token
}

// Read returns the time expressions in a question that is asked today, in order.
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

// word returns the text of a token. It returns "" for an index out of range and for a token that is already part of
// another slot.
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

// phrase reports whether the tokens from index i on are the given words.
func (c calendar) phrase(i int, words string) (end int, ok bool) {
	for w := range strings.FieldsSeq(words) {
		if c.word(i) != w {
			return 0, false
		}
		i++
	}
	return i, true
}

// expression reads the longest expression at a token. It prefers a range of two points to a single expression.
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
	if w, ok := c.daysOfMonth(i); ok {
		w.At = start
		return w, true
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

// reachesToday reports whether the tokens at i are open-ended, such as "June 1 on" or "June 1 onward".
func (c calendar) reachesToday(i int) bool {
	w, ok := c.single(i)
	return ok && c.oneOf(w.End, "on onwards onward forward")
}

// upTo reads the end of a range that starts with w. If the end has no year, it is the latest such day or month that has
// begun. The start is the latest such day or month before the end. In November 2026, "October to March" is October 2025
// to March 2026, and "September to November" is September 1, 2026 to today.
func (c calendar) upTo(w Expression, start int) (Expression, bool) {
	next := w.End + 1
	for c.oneOf(next, "the and") {
		next++
	}
	if c.oneOf(next, "now today date") && w.Kind == Absolute {
		return Expression{At: start, End: next + 1, Period: civil.Range{First: w.Period.First, Last: c.today}, Since: true}, true
	}
	to, ok := c.lastOfRange(w, next)
	if !ok || to.Kind != Absolute || w.Kind != Absolute {
		return Expression{}, false
	}
	if w.Point && to.Point && c.month(w.At) == 0 && c.tokens[w.End-1].Form == Numeral && to.Period.First.Month() != w.Period.First.Month() {
		day := w.Period.First.Day() // "the 1st to the 10th of October"
		w.Period = DayRange(civil.New(to.Period.First.Year(), to.Period.First.Month(), day))
	}
	if to.Period.First.Before(w.Period.First) && to.Point == w.Point {
		if w.Period, ok = c.earlierStart(w, to); !ok {
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

// lastOfRange reads the last day or period of a range that starts with w. After a day with a month, such as October 1,
// "the 15th" is in the same month. Days after today are left out.
func (c calendar) lastOfRange(w Expression, i int) (Expression, bool) {
	to, ok := c.single(i)
	if !w.Point || ok && (to.End > i+1 || !c.namesMonth(w)) {
		return to, ok
	}
	day, same := c.dayOfSameMonth(i, w.Period.First)
	if ok && (!same || day.Period.First.Day() < w.Period.First.Day()) { // "October 28 to the 3rd"
		return to, true
	}
	if !w.Period.First.After(c.today) {
		day.Period = DayRange(civil.Earliest(day.Period.First, c.today))
	}
	return day, same
}

// namesMonth reports whether an expression names its month, unlike "the 10th".
func (c calendar) namesMonth(w Expression) bool {
	for i := w.At; i < w.End; i++ {
		if c.month(i) > 0 || c.word(i) == "month" || c.tokens[i].Form == ISODate || c.tokens[i].Form == SlashDate {
			return true
		}
	}
	return false
}

// earlierStart returns the start of a range, such as "November 20 to January 5" or "October to March", in an earlier
// year than w. It returns false if w names its year, or if two months are compared. "Between October and September"
// names two months, not a year.
func (c calendar) earlierStart(w, to Expression) (civil.Range, bool) {
	first, last := w.Period.First, to.Period.First
	switch {
	case c.hasYear(w.At, w.End):
		return civil.Range{}, false
	case w.Point && first.Month() == last.Month(): // "October 1 to 15, 2024"
		return ShiftYears(w.Period, min(-1, last.Year()-first.Year())), true
	case w.Point:
		earlier := ShiftYears(w.Period, -1)
		return earlier, !earlier.First.After(last)
	case c.month(w.End-1) == 0, c.word(w.End-2) == "this", w.Event == nil, to.Event == nil, to.Unit != "month",
		first.Month() == last.Month(), c.oneOf(w.End, "and &") && last.Month()%12+1 == first.Month(), c.compares(w.At, to.End):
		return civil.Range{}, false
	}
	earlier := w.Event(last.Year())
	if earlier.First.After(last) {
		earlier = w.Event(last.Year() - 1)
	}
	return earlier, true
}

// compares reports whether "October to September" from index i to end are the two periods of a comparison.
func (c calendar) compares(i, end int) bool {
	const others = "and against than to versus vs with"
	if c.oneOf(i-1, others) || c.oneOf(end, others) { // the range is one of the compared periods
		return false
	}
	for ; i >= 0; i-- {
		if c.oneOf(i, "compare compared comparing comparison difference different") {
			return true
		}
	}
	return false
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

// dayOfSameMonth reads "15" and "15, 2025" after or before a day of the same month.
func (c calendar) dayOfSameMonth(i int, of civil.Date) (Expression, bool) {
	if i >= len(c.tokens) || c.tokens[i].Form != Numeral || c.tokens[i].Value < 1 || c.tokens[i].Value > 31 || !whole(c.tokens[i].Value) {
		return Expression{}, false
	}
	year, end := c.yearAt(i + 1)
	if year == 0 {
		year = of.Year()
	}
	day, ok := c.validDay(year, int(of.Month()), int(c.tokens[i].Value))
	return Expression{At: i, End: end, Period: DayRange(day), Point: true}, ok
}

// longestOccasion is the maximum number of words between "since" and the "on" that precedes a date.
const longestOccasion = 8

// sincePeriod reads "since June 1" and "since the launch on June 1".
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
	for at := next; !ok && at < min(len(c.tokens), next+longestOccasion) && !c.oneOf(at, "? ; , . !"); at++ { // "since the launch on October 3"
		if c.word(at) != "on" {
			continue
		}
		if w, ok = c.single(at + 1); ok && w.Point {
			next = at + 1
		} else {
			ok = false
		}
	}
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

// readers returns the readers in the order in which they are tried. The first match is used.
func readers() []reader {
	return []reader{
		calendar.numericDay, calendar.dayWord, calendar.endOf, calendar.cadence, calendar.sameTime, calendar.beforeThat, calendar.nextPeriod,
		calendar.lastOf, calendar.halfOf, calendar.toDate, calendar.lastCount, calendar.ago, calendar.lastUnit, calendar.eventPeriod,
		calendar.weekend, calendar.weekOf, calendar.weekdayPeriod, calendar.quarter, calendar.monthPeriod, calendar.season,
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
			return c.elapsed(w), true
		}
	}
	return Expression{}, false
}

// elapsed reads "so far" after a period. It also reads words such as "same days" in "October same days". Such words
// shorten a calendar period to the days that have passed in the current period.
func (c calendar) elapsed(w Expression) Expression {
	if w.Kind != Absolute {
		return w
	}
	if end, ok := c.phrase(w.End, "so far"); ok {
		w.End = end
		return w
	}
	if w.Count > 0 || !slices.Contains(Units, w.Unit) {
		return w
	}
	switch {
	case c.oneOf(w.End, "mtd qtd ytd wtd"):
		w.End++
	case c.oneOf(w.End, "same") && c.oneOf(w.End+1, sameSpans), c.word(w.End) == "to" && c.word(w.End+1) == "date":
		w.End += 2
	default:
		return w
	}
	return c.shorten(w)
}

// shorten ends a calendar period on the day that corresponds to today.
func (c calendar) shorten(w Expression) Expression {
	passed := c.today.Sub(StartOf(w.Unit, c.today))
	w.Period.Last = civil.Earliest(w.Period.Last, w.Period.First.AddDays(passed))
	if w.Unit == "year" {
		w.Period.Last = civil.Earliest(w.Period.Last, shiftMonths(c.today, 12*(w.Period.First.Year()-c.today.Year())))
	}
	return w
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
		if m > 12 { // day before month, as in 30/9
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

// dayIn returns a day of a month. Without a year, it returns the latest day up to today with this day and month.
func (c calendar) dayIn(m, d, y, end int) (Expression, bool) {
	guess := y
	if y == 0 {
		guess = c.today.Year()
		if day, ok := c.validDay(guess, m, d); !ok || day.After(c.today) {
			guess--
		}
		for range 4 { // February 29 exists only in leap years
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
