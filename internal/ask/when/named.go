package when

import (
	"strings"
	"time"

	"assay/internal/civil"
	"assay/internal/measure/holiday"
)

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

// events lists the events, longer names first.
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

// eventPeriod reads an event with an optional year. Without a year, it returns the most recent event that has begun.
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
	return Expression{End: end, Period: civil.Range{First: saturday, Last: saturday.AddDays(1)}, Unit: "weekend", Last: how == "last"}, true
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
		if w == name || w == name[:3] && w != "sun" && w != "sat" || w == "thur" && d == time.Thursday {
			return int(d)
		}
	}
	return -1
}

// weekdayPeriod reads "on Friday" and "last Friday": the most recent Friday before today.
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
	end := next + 1
	if next == i && c.oneOf(end, "before prior earlier") { // "the Friday before"
		if c.word(end+1) != "last" {
			return Expression{End: end + 1, Kind: WeekAgo}, true
		}
		end, back = end+2, back+7
	}
	return Expression{End: end, Period: DayRange(c.today.AddDays(-back)), Point: true}, true
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
		if w == name || w == name+"s" || w == name[:3] || w == "sept" && m == time.September {
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

// daysOfMonth reads "1 to 15 November", "between 3 and 10 November" and "1 to 15 of this month". Without a year, it
// returns the most recent such period that has begun.
func (c calendar) daysOfMonth(i int) (Expression, bool) {
	between := c.word(i-1) == "between"
	for c.oneOf(i, "the") {
		i++
	}
	if i+2 >= len(c.tokens) || c.tokens[i].Form != Numeral || c.tokens[i].Taken {
		return Expression{}, false
	}
	joined := c.oneOf(i+1, "to until till through thru -") || between && c.oneOf(i+1, "and &")
	next := i + 2
	if c.oneOf(next, "the") {
		next++
	}
	if !joined || next >= len(c.tokens) || c.tokens[next].Form != Numeral {
		return Expression{}, false
	}
	to, ok := c.monthPeriod(next)
	if !ok || to.End == next+1 {
		return Expression{}, false
	}
	from, ok := c.dayOfSameMonth(i, to.Period.First)
	if !ok || from.Period.First.After(to.Period.First) {
		return Expression{}, false
	}
	days := civil.Range{First: from.Period.First, Last: to.Period.Last}
	if later := ShiftYears(days, 1); c.month(to.End-1) > 0 && later.Days() == days.Days() && !later.First.After(c.today) {
		days = later
	}
	days = c.untilToday(days)
	return Expression{End: to.End, Period: days, Parts: []civil.Range{DayRange(days.First), DayRange(days.Last)}}, true
}

// mayIsMonth reports whether "may" means the month and not the verb.
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

// season reads "this summer" and "over the winter". It requires a word such as "this" or "over", because names of
// seasons are also verbs and names of coupons.
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
	case "this":
		if c.oneOf(i+1, "morning afternoon evening") {
			return Expression{End: i + 2, Period: DayRange(c.today), Unit: "day", Point: true}, true
		}
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
