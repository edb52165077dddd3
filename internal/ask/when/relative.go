package when

import (
	"slices"
	"strings"
	"time"

	"assay/internal/civil"
)

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

// sameSpans are the words after "same" that mean the days of another period.
const sameSpans = "time day days period dates point"

// sameTime reads "same time last year", "this time last year" and "a year ago".
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
		if w, ok := c.single(end); ok && c.oneOf(i+1, sameSpans) && w.Event != nil && w.Kind == Absolute && slices.Contains(Units, w.Unit) {
			return c.shorten(w), true // "the same days of October"
		}
	case c.word(i) == "this" && c.oneOf(i+1, "time point"):
		end += 2
		if c.oneOf(end, "of in") {
			end++
		}
	case c.word(i) == "ly":
		return Expression{End: i + 1, Kind: YearAgo}, true
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
		return Expression{End: end + 2, Kind: Shifted, Unit: c.word(end + 1)}, true
	case c.oneOf(end, "before"):
		return Expression{End: end + 1, Kind: Before}, true
	}
	return Expression{}, false
}

// beforeThat reads "the 14 before that", "the previous period", "the year before", and, after a word such as "vs", also
// "the previous 30 days".
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
			if t.Value == 1 && unit == "" { // "the one before" is as long as the other period
				return Expression{End: end, Kind: Before}, true
			}
			return Expression{End: end, Kind: Before, Unit: unit, Count: int(t.Value)}, true
		}
		return Expression{}, false
	}
	unit := UnitOf(c.word(i))
	if c.word(i) == "period" || unit != "" {
		end := i + 1
		if !c.oneOf(end, "before prior earlier preceding") {
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
	case c.tokens[i].Form == Numeral && !c.tokens[i].Taken && !isOrdinal(c.tokens[i].Text) && whole(c.tokens[i].Value) &&
		c.tokens[i].Value >= 1 && c.tokens[i].Value < 4000:
		n, end = int(c.tokens[i].Value), i+1
	case c.oneOf(i, "few several"):
		n, end = 3, i+1
	default:
		return 0, "", 0, false
	}
	if c.oneOf(end, "full calendar whole complete of business") {
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

// lastOf reads "the last quarter of 2025" and "the last month of Q3".
func (c calendar) lastOf(i int) (Expression, bool) {
	unit := c.word(i + 1)
	if c.word(i) != "last" || unit != "month" && unit != "quarter" || !c.oneOf(i+2, "of in") {
		return Expression{}, false
	}
	whole, ok := c.single(i + 3)
	if !ok || whole.Kind != Absolute || whole.Unit != "year" && (whole.Unit != "quarter" || unit != "month") {
		return Expression{}, false
	}
	last := FullUnit(whole.Unit, StartOf(whole.Unit, whole.Period.First)).Last
	w := Expression{End: whole.End, Period: c.untilToday(FullUnit(unit, StartOf(unit, last))), Unit: unit}
	if w.Period.First.After(c.today) {
		w.Kind = Future
	}
	return w, true
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
	case c.word(i+1) == "week" && c.word(i) == "last":
		r.First = r.Last.AddDays(-6)
	case c.word(i+1) == "week":
		r.First, r.Last = first.AddDays(7), first.AddDays(13)
	case first.Day() == 1 && first.Month() == 1 && whole.Unit == "year":
		return c.halfYear(half, first.Year(), whole.End)
	case whole.Unit == "month" && civil.ByMonth.Start(r.Last) == civil.ByMonth.Start(first):
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

// endOf reads "the first 10 days of November" and "the last two weeks of Q3".
func (c calendar) endOf(i int) (Expression, bool) {
	n, unit, end, _ := c.countOf(i + 1)
	length := map[string]int{"day": n, "week": 7 * n}[unit]
	if !c.oneOf(i, "first last") || !c.oneOf(end, "of in") || length == 0 {
		return Expression{}, false
	}
	whole, ok := c.single(end + 1)
	if !ok || whole.Kind != Absolute || whole.Event == nil && whole.Unit == "" {
		return Expression{}, false
	}
	r := whole.Period
	if c.word(i) == "first" {
		r.Last = civil.Earliest(r.Last, r.First.AddDays(length-1))
	} else if r.Days() > length {
		r.First = r.Last.AddDays(1 - length)
	}
	return Expression{End: whole.End, Period: r}, true
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
		w := Expression{End: i + 1, Period: civil.Range{First: StartOf(unit, c.today), Last: c.today}, Unit: unit}
		switch year, end := c.yearAt(w.End); {
		case year > 0 && year <= c.today.Year():
			w.End, w.Period = end, ShiftYears(w.Period, year-c.today.Year())
		case c.oneOf(w.End, "last previous") && c.word(w.End+1) == unit:
			last, _ := c.previousOf(unit, 1)
			last.End = w.End + 2
			return c.shorten(last), true
		}
		return w, true
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
	if c.oneOf(end-2, "full calendar whole complete") && slices.Contains(Units, unit) { // the units before the current one
		first, _ := c.previousOf(unit, n)
		w.Period = civil.Range{First: first.Period.First, Last: StartOf(unit, c.today).AddDays(-1)}
		return w, true
	}
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
