package console

import (
	"fmt"
	"strings"

	"assay/internal/civil"
)

// span is days that follow one another, both ends included.
type span struct {
	Start civil.Date `json:"start"`
	End   civil.Date `json:"end"`
}

// String writes "3 Nov" or "3 to 5 Nov".
func (s span) String() string {
	end := shortDay(s.End)
	switch {
	case s.Start == s.End:
		return end
	case s.Start.Month() == s.End.Month() && s.Start.Year() == s.End.Year():
		return fmt.Sprintf("%d to %s", s.Start.Day(), end)
	}
	return shortDay(s.Start) + " to " + end
}

func shortDay(d civil.Date) string { return fmt.Sprintf("%d %s", d.Day(), d.Month().String()[:3]) }

// strip is a row of days as a picture: those with rows are bars, the others are not.
type strip struct {
	Width int // in units of the picture
	Bars  []bar
	Words string // the same for who does not see it
}

// bar is days with rows that follow one another.
type bar struct{ X, Width int }

const dayWidth = 4 // units of the picture

// newStrip draws the days of a period, of which those in silent have no rows. Silent is in order.
func newStrip(of span, silent []span) *strip {
	days := of.End.Sub(of.Start) + 1
	s := &strip{Width: days * dayWidth}
	from, without := of.Start, 0
	for _, gap := range silent {
		s.add(of.Start, from, gap.Start)
		from = gap.End.AddDays(1)
		without += gap.End.Sub(gap.Start) + 1
	}
	s.add(of.Start, from, of.End.AddDays(1))
	s.Words = fmt.Sprintf("%d days from %s to %s, all with rows", days, shortDay(of.Start), shortDay(of.End))
	if without > 0 {
		s.Words = fmt.Sprintf("%d days from %s to %s, %d without rows: %s", days, shortDay(of.Start), shortDay(of.End), without, spans(silent))
	}
	return s
}

// add draws the days from one up to another, which is not one of them.
func (s *strip) add(start, from, until civil.Date) {
	if n := until.Sub(from); n > 0 {
		s.Bars = append(s.Bars, bar{X: from.Sub(start) * dayWidth, Width: n*dayWidth - 1})
	}
}

const shownSpans = 4

// spans writes the latest of the periods, the latest first.
func spans(all []span) string {
	var words []string
	for i := len(all) - 1; i >= max(0, len(all)-shownSpans); i-- {
		words = append(words, all[i].String())
	}
	text := strings.Join(words, ", ")
	if more := len(all) - shownSpans; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
