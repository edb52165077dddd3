package setup

import (
	"fmt"
	"strings"

	answers "assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/console/frame"
	"assay/internal/health"
)

// daySpan is a period of consecutive days, both ends included.
type daySpan health.DaySpan

// String formats the period: "Nov 3 – Nov 5, 2026".
func (s daySpan) String() string { return frame.DaysText(s.Start, s.End) }

// short formats the period without its year: "Nov 3 – Nov 5".
func (s daySpan) short() string {
	if s.Start == s.End {
		return s.End.Short()
	}
	return s.Start.Short() + " – " + s.End.Short()
}

// strip is a timeline of days. Bars are days with rows.
type strip struct {
	Width int // in SVG units
	Bars  []bar
	Words string // text alternative
	Gaps  bool   // some days have no rows
}

// bar is a run of consecutive days with rows.
type bar struct{ X, Width int }

const dayWidth = 4 // SVG units

// newStrip draws the days of a period. The days in the parameter silent are in ascending order and have no rows.
func newStrip(of daySpan, silent []health.DaySpan) *strip {
	days := of.End.Sub(of.Start) + 1
	s := &strip{Width: days * dayWidth}
	from, without := of.Start, 0
	for _, gap := range silent {
		s.add(of.Start, from, gap.Start)
		from = gap.End.AddDays(1)
		without += gap.End.Sub(gap.Start) + 1
	}
	s.add(of.Start, from, of.End.AddDays(1))
	s.Words = fmt.Sprintf("%s (%s), all with rows", answers.Plural(days, "day", "days"), of)
	if s.Gaps = without > 0; s.Gaps {
		s.Words = fmt.Sprintf("%s (%s), %d without rows: %s", answers.Plural(days, "day", "days"), of, without, spans(silent))
	}
	return s
}

// add draws a bar for a range of days: from is the first day, and until is the day after the last day.
func (s *strip) add(start, from, until civil.Date) {
	if n := until.Sub(from); n > 0 {
		s.Bars = append(s.Bars, bar{X: from.Sub(start) * dayWidth, Width: n*dayWidth - 1})
	}
}

const shownSpans = 4

// spans formats the most recent periods without years, most recent first.
func spans(all []health.DaySpan) string {
	var words []string
	for i := len(all) - 1; i >= max(0, len(all)-shownSpans); i-- {
		words = append(words, daySpan(all[i]).short())
	}
	text := strings.Join(words, ", ")
	if more := len(all) - shownSpans; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
