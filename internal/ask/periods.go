package ask

import (
	"slices"

	"assay/internal/ask/when"
	"assay/internal/civil"
)

// comparing words come before the earlier period of a comparison.
var comparing = setOf("vs versus to with against than from over of compared")

// span returns the past period that a clause names, if there is one.
func (c *clause) span() (when.Expression, bool) {
	at := slices.IndexFunc(c.whens, func(w when.Expression) bool { return w.Kind == when.Absolute })
	if at < 0 {
		return when.Expression{}, false
	}
	return c.whens[at], true
}

// pair is the two periods of a comparison.
type pair struct{ earlier, recent civil.Range }

// periods returns the periods that a clause compares. Without a date the tool's defaults apply.
func (c *clause) periods(today civil.Date) (pair, bool) {
	named, related := c.expressions()
	named = slices.DeleteFunc(named, func(w when.Expression) bool { return w.Period.First.After(today) })
	if p, ok := c.eventToCome(named, today); ok {
		return p, true
	}
	if len(named) == 1 && len(named[0].Parts) == 2 && len(related) == 0 && isNamed(named[0], c) {
		return pair{named[0].Parts[0], named[0].Parts[1]}, true
	}
	switch {
	case len(named) >= 2:
		return sorted(c.resolve(named[0], named[1])), true
	case len(named) == 1 && len(related) > 0:
		return pair{relate(named[0], related[0]), named[0].Period}, true
	case len(named) == 1:
		return c.onePeriod(named[0], today), true
	case len(related) > 0:
		return untilNow(related[0], today), true
	}
	return pair{}, false
}

// eventToCome returns the two most recent periods of an event that has not begun this year, as in "BFCM this year vs
// last year".
func (c *clause) eventToCome(named []when.Expression, today civil.Date) (pair, bool) {
	at := slices.IndexFunc(c.whens, func(w when.Expression) bool { return w.Kind == when.Future && w.Event != nil })
	if at < 0 || len(named) != 1 || named[0].Unit != "year" {
		return pair{}, false
	}
	event, year := c.whens[at].Event, named[0].Period.First.Year()
	if event(year).First.After(today) {
		year--
	}
	return pair{event(year - 1), event(year)}, true
}

// expressions returns the past periods that a clause names, and the expressions that refer to another period.
func (c *clause) expressions() (named, related []when.Expression) {
	for _, w := range c.whens {
		switch w.Kind {
		case when.Absolute:
			named = append(named, w)
		case when.Before, when.YearAgo, when.WeekAgo, when.Shifted, when.Rolling:
			related = append(related, w)
		case when.Future:
		}
	}
	return named, related
}

// resolve resolves and stores the two periods that a clause compares, so that the assumptions state them.
func (c *clause) resolve(a, b when.Expression) (civil.Range, civil.Range) {
	first, second := twoPeriods(a, b)
	c.whens = slices.Clone(c.whens)
	for i, w := range c.whens {
		period := first
		switch {
		case w.At == b.At:
			period = second
		case w.At != a.At:
			continue
		}
		if w.Unit != "year" || period.First.Year() == w.Period.First.Year() {
			c.whens[i].Period = period
		}
	}
	return first, second
}

// each returns the periods of a clause in the question's order. If a tool accepts only one period, each period is a
// separate call.
func (c *clause) each() []civil.Range {
	named, related := c.expressions()
	var out []civil.Range
	switch {
	case len(named) == 2:
		first, second := c.resolve(named[0], named[1])
		out = []civil.Range{first, second}
	case len(named) == 1 && len(related) > 0:
		out = []civil.Range{named[0].Period, relate(named[0], related[0])}
	default:
		for _, w := range named {
			out = append(out, w.Period)
		}
	}
	return out
}

// isNamed reports whether both ends of a range are periods with a name, as in "from Q2 to Q3".
func isNamed(w when.Expression, c *clause) bool {
	return w.Parts[0].Days() > 1 && w.Parts[1].Days() > 1 && c.has("compare compared change changed grow grew growth difference improve increase decrease drop fall move moved")
}

// twoPeriods resolves "BFCM 2025 vs 2024", "this October vs last October" and pairs of unrelated periods.
func twoPeriods(a, b when.Expression) (civil.Range, civil.Range) {
	first, second := a.Period, b.Period
	switch {
	case b.Unit == "year" && a.Unit != "year":
		first, second = withYear(a, b)
	case a.Unit == "year" && b.Unit != "year":
		second, first = withYear(b, a)
	case first == second && a.Unit == "weekend" && b.Unit == "weekend":
		before := civil.Range{First: first.First.AddDays(-7), Last: first.Last.AddDays(-7)}
		if a.Last {
			first = before
		} else {
			second = before
		}
	case first == second && a.Last != b.Last, first == second && a.Event != nil:
		if a.Last {
			first = inYear(a, first.First.Year()-1)
		} else {
			second = inYear(b, second.First.Year()-1)
		}
	}
	return first, second
}

// withYear returns a period and the same period in another year. If the named period is in that year or has not begun
// in that year, the other period is one year before the named period. If the other period would end after today, it
// ends today, and the named period is shortened to the same length.
func withYear(w, year when.Expression) (named, other civil.Range) {
	named, other = w.Period, inYear(w, year.Period.First.Year())
	last := year.Period.Last
	switch {
	case other == named, other.First.After(last):
		return named, inYear(w, named.First.Year()-1)
	case other.Last.After(last) && last.Before(when.FullUnit("year", year.Period.First).Last):
		other.Last = last
		named.Last = civil.Earliest(named.Last, named.First.AddDays(other.Days()-1))
	}
	return named, other
}

// inYear returns a period in another year.
func inYear(w when.Expression, year int) civil.Range {
	if w.Event != nil {
		full := w.Event(year)
		now := w.Event(w.Period.First.Year())
		if cut := now.Days() - w.Period.Days(); cut > 0 {
			full.Last = full.Last.AddDays(-cut)
		}
		return full
	}
	return when.ShiftYears(w.Period, year-w.Period.First.Year())
}

func sorted(a, b civil.Range) pair {
	if b.First.Before(a.First) {
		a, b = b, a
	}
	return pair{a, b}
}

// relate returns the earlier period that an expression such as "the week before" describes relative to another period
// in the question.
func relate(w, r when.Expression) civil.Range {
	switch r.Kind {
	case when.YearAgo:
		if w.Unit == "week" || w.Unit == "weekend" { // the same weekdays
			return civil.Range{First: w.Period.First.AddDays(-daysOf(52, "week")), Last: w.Period.Last.AddDays(-daysOf(52, "week"))}
		}
		return inYear(w, w.Period.First.Year()-1)
	case when.Shifted:
		return when.ShiftUnits(w.Period, r.Unit, -1)
	case when.WeekAgo:
		return civil.Range{First: w.Period.First.AddDays(-7), Last: w.Period.Last.AddDays(-7)}
	case when.Before:
		if r.Count > 0 && r.Count == w.Count && (r.Unit == "" || r.Unit == w.Unit) {
			return w.Period.Previous() // months differ in length
		}
		unit := r.Unit
		if unit == "" && r.Count == w.Count {
			unit = w.Unit
		}
		if r.Count > 0 {
			return civil.Range{First: w.Period.First.AddDays(-daysOf(r.Count, unit)), Last: w.Period.First.AddDays(-1)}
		}
	case when.Absolute, when.Future, when.Rolling:
	}
	return precede(w)
}

// daysOf converts a number of units to days. Without a unit, the number is in days.
func daysOf(n int, unit string) int {
	switch unit {
	case "week":
		return 7 * n
	case "fortnight":
		return 14 * n
	case "month":
		return 30 * n
	case "quarter":
		return 90 * n
	case "year":
		return 365 * n
	}
	return n
}

// precede returns the period before a named period. For a calendar unit, it is the previous full unit. For a weekend,
// it is the previous weekend. For an event, it is the same event one year earlier. Otherwise, it has the same number of
// days as the named period.
func precede(w when.Expression) civil.Range {
	switch {
	case w.Unit == "event" && w.Event != nil:
		return inYear(w, w.Period.First.Year()-1)
	case w.Count == 0 && (w.Unit == "week" || w.Unit == "month" || w.Unit == "quarter" || w.Unit == "year"), w.Last && slices.Contains(when.Units, w.Unit):
		return when.UnitBefore(w.Unit, w.Period)
	case w.Unit == "weekend":
		return civil.Range{First: w.Period.First.AddDays(-7), Last: w.Period.Last.AddDays(-7)}
	}
	return w.Period.Previous()
}

// onePeriod completes a comparison that names one period. After a word such as "versus", as in "versus last month", it
// adds the current unit until today. Otherwise, it adds the period before the named period.
func (c *clause) onePeriod(w when.Expression, today civil.Date) pair {
	if w.Since && len(w.Parts) == 1 {
		return pair{w.Parts[0], civil.Range{First: civil.Earliest(w.Parts[0].Last.AddDays(1), today), Last: today}}
	}
	at := w.At - 1
	for at >= 0 && c.tokens[at].text == "the" {
		at--
	}
	isBase := at >= 0 && c.tokens[at].slot == plain && comparing[c.tokens[at].text]
	if isBase && w.Last && slices.Contains(when.Units, w.Unit) && w.Unit != "day" {
		return pair{w.Period, civil.Range{First: when.StartOf(w.Unit, today), Last: today}}
	}
	return pair{precede(w), w.Period}
}

// untilNow resolves "week over week" and "vs the previous 30 days" in a question without another date. The later of the
// two periods ends today.
func untilNow(r when.Expression, today civil.Date) pair {
	n, unit := max(1, r.Count), r.Unit
	recent := civil.Range{First: today.AddDays(1 - daysOf(n, unit)), Last: today}
	if unit == "" && r.Count == 0 {
		recent.First = today.AddDays(-29)
	}
	switch r.Kind {
	case when.YearAgo:
		recent.First = when.StartOf("year", today)
		return pair{when.ShiftYears(recent, -1), recent}
	case when.Shifted:
		recent.First = when.StartOf(unit, today)
		return pair{when.ShiftUnits(recent, unit, -1), recent}
	case when.WeekAgo:
		recent = when.DayRange(today)
		return pair{when.DayRange(today.AddDays(-7)), recent}
	case when.Absolute, when.Future, when.Before, when.Rolling:
	}
	return pair{recent.Previous(), recent}
}
