package chart

import (
	"fmt"
	"strings"
)

// heading returns the title, or a title derived from the metric.
func (s sheet) heading() string {
	switch {
	case s.Title != "":
		return s.Title
	case s.Metric != "":
		return s.Metric
	}
	return "Chart"
}

// axisTitle returns the title of the value axis, such as "Revenue (USD)".
func (s sheet) axisTitle() string {
	if s.Unit != Money || s.Currency == "" {
		return s.Metric
	}
	if s.Metric == "" {
		return string(s.Currency)
	}
	return s.Metric + " (" + string(s.Currency) + ")"
}

// nothing is the message of an empty chart.
const nothing = "No data in this period"

// description describes the picture in text, for screen readers.
func (s sheet) description() string {
	if !s.hasDots {
		return nothing + "."
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s chart", map[Kind]string{Line: "Line", Bar: "Bar", Pie: "Pie"}[s.Kind])
	if title := s.axisTitle(); title != "" {
		fmt.Fprintf(&b, " of %s", title)
	}
	fmt.Fprintf(&b, ". %s.", s.period())
	for i, t := range s.tracks {
		fmt.Fprintf(&b, " %s: %s.", t.called(i), s.inWords(t))
	}
	for _, m := range s.marks {
		fmt.Fprintf(&b, " %s: %s.", s.day(m.slot).Words(), m.label)
	}
	for _, n := range s.notes() {
		fmt.Fprintf(&b, " %s.", n)
	}
	return b.String()
}

// called returns the name of a series, or its number if it has no name.
func (t track) called(i int) string {
	if t.name != "" {
		return t.name
	}
	return fmt.Sprintf("Series %d", i+1)
}

func (s sheet) inWords(t track) string {
	if len(t.dots) == 0 {
		return "no data"
	}
	if s.Kind == Pie {
		return s.exactly(t.sum())
	}
	low, high := t.dots[0], t.dots[0]
	for _, d := range t.dots {
		if d.Value < low.Value {
			low = d
		}
		if d.Value > high.Value {
			high = d
		}
	}
	last := t.dots[len(t.dots)-1]
	if len(t.dots) == 1 {
		return fmt.Sprintf("%s on %s", s.exactly(last.Value), last.Date.Words())
	}
	return fmt.Sprintf("lowest %s on %s, highest %s on %s, last %s on %s", s.exactly(low.Value), low.Date.Words(),
		s.exactly(high.Value), high.Date.Words(), s.exactly(last.Value), last.Date.Words())
}

func (t track) sum() float64 {
	var sum float64
	for _, d := range t.dots {
		sum += d.Value
	}
	return sum
}

// notes explains the picture's symbols and omissions.
func (s sheet) notes() []string {
	var out []string
	if s.has(func(p Point) bool { return p.Partial }) {
		sign := map[Kind]string{Line: "Hollow point, dotted line", Bar: "Hollow bar", Pie: "Includes incomplete days"}[s.Kind]
		if s.Kind != Pie {
			sign += ": " + string(s.Granularity) + " not complete"
		}
		out = append(out, sign)
	}
	if s.Kind != Pie && s.has(func(p Point) bool { return p.Band != nil }) {
		name := s.BandName
		if name == "" {
			name = "interval"
		}
		sign := map[Kind]string{Line: "Shaded", Bar: "Whiskers"}[s.Kind]
		out = append(out, sign+": "+name)
	}
	if s.Kind == Pie {
		return append(out, s.leftOut()...)
	}
	if without := s.withoutDots(); len(without) > 0 {
		out = append(out, "No data: "+strings.Join(without, ", "))
	}
	return out
}

// withoutDots names the series without known points.
func (s sheet) withoutDots() []string {
	var out []string
	for i, t := range s.tracks {
		if len(t.dots) == 0 {
			out = append(out, t.called(i))
		}
	}
	return out
}
