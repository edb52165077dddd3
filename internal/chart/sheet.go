package chart

import (
	"cmp"
	"math"
	"slices"
	"time"

	"assay/internal/civil"
)

// sheet is a validated chart with a date axis of slots: consecutive days, weeks or months, counted from 0.
type sheet struct {
	Chart               // the chart with defaults and cleaned texts
	theme   palette     // the colors of its theme
	days    civil.Range // the days of the date axis
	slots   int         // 0 without a period and without points
	tracks  []track     // one per series
	marks   []mark      // annotations inside the slots, in order
	hasDots bool        // false if the chart has no known point
}

// track is a series on slots.
type track struct {
	name  string
	style style
	dots  []dot // known points, by slot
}

// dot is a known point.
type dot struct {
	Point
	slot int
}

// mark is an annotation on a slot.
type mark struct {
	slot  int
	label string
}

// newSheet checks a chart and assigns its points to slots.
func newSheet(c Chart) (sheet, error) {
	c = c.withDefaults()
	if err := c.check(); err != nil {
		return sheet{}, err
	}
	s := sheet{Chart: c, theme: paletteOf(c.Theme)}
	s.Title, s.Metric, s.BandName = clean(c.Title), clean(c.Metric), clean(c.BandName)
	s.days = c.days()
	if s.days.Days() > 0 {
		s.slots = s.slot(s.days.Last) + 1
	}
	if s.slots > MaxSlots {
		return sheet{}, invalid("a chart has at most %d %ss, %s has %d", MaxSlots, c.Granularity, s.days, s.slots)
	}
	for i, series := range c.Series {
		t, err := s.track(series)
		if err != nil {
			return sheet{}, err
		}
		t.style = s.theme.style(i)
		s.hasDots = s.hasDots || len(t.dots) > 0
		s.tracks = append(s.tracks, t)
	}
	s.marks = s.inside(c.Annotations)
	return s, nil
}

func (c Chart) withDefaults() Chart {
	c.Kind = cmp.Or(c.Kind, Line)
	c.Unit = cmp.Or(c.Unit, Count)
	c.Theme = cmp.Or(c.Theme, Light)
	c.Granularity = cmp.Or(c.Granularity, civil.ByDay)
	c.Width = cmp.Or(c.Width, defaultWidth)
	c.Height = cmp.Or(c.Height, defaultHeight)
	return c
}

func (c Chart) check() error {
	switch {
	case c.Kind != Line && c.Kind != Bar && c.Kind != Pie:
		return invalid("unknown chart kind %q: want line, bar or pie", c.Kind)
	case c.Unit != Count && c.Unit != Money && c.Unit != Ratio:
		return invalid("unknown unit %q: want count, money or ratio", c.Unit)
	case c.Theme != Light && c.Theme != Dark:
		return invalid("unknown theme %q: want light or dark", c.Theme)
	case c.Granularity != civil.ByDay && c.Granularity != civil.ByWeek && c.Granularity != civil.ByMonth:
		return invalid("unknown granularity %q: want day, week or month", c.Granularity)
	case c.Width < minWidth || c.Width > maxSide || c.Height < minHeight || c.Height > maxSide:
		return invalid("a chart of %d by %d pixels: want %d to %d by %d to %d",
			c.Width, c.Height, minWidth, maxSide, minHeight, maxSide)
	case len(c.Series) > MaxSeries:
		return invalid("%d series: a chart shows at most %d; group the smallest as one", len(c.Series), MaxSeries)
	case len(c.Annotations) > maxMarks:
		return invalid("%d annotations: a chart shows at most %d", len(c.Annotations), maxMarks)
	case c.Kind == Pie && c.Unit == Ratio:
		return invalid("ratios cannot be added up in a pie; use a line or bar chart")
	}
	return nil
}

// days returns the requested period, extended to points outside it.
func (c Chart) days() civil.Range {
	var r civil.Range
	if c.Period.Days() > 0 {
		r = c.Period
	}
	for _, s := range c.Series {
		for _, p := range s.Points {
			if r.First.IsZero() || p.Date.Before(r.First) {
				r.First = p.Date
			}
			if p.Date.After(r.Last) {
				r.Last = p.Date
			}
		}
	}
	return r
}

// slot returns the number of whole days, weeks or months from the first slot to the slot of d.
func (s sheet) slot(d civil.Date) int {
	from, to := s.Granularity.Start(s.days.First), s.Granularity.Start(d)
	switch s.Granularity {
	case civil.ByWeek:
		return to.Sub(from) / 7
	case civil.ByMonth:
		return 12*(to.Year()-from.Year()) + int(to.Month()) - int(from.Month())
	case civil.ByDay:
		return to.Sub(from)
	}
	return to.Sub(from)
}

// day returns the first day of a slot.
func (s sheet) day(slot int) civil.Date {
	from := s.Granularity.Start(s.days.First)
	switch s.Granularity {
	case civil.ByWeek:
		return from.AddDays(7 * slot)
	case civil.ByMonth:
		return civil.New(from.Year(), from.Month()+time.Month(slot), 1)
	case civil.ByDay:
		return from.AddDays(slot)
	}
	return from.AddDays(slot)
}

func (s sheet) track(series Series) (track, error) {
	t := track{name: clean(series.Name)}
	last := -1
	for i, p := range series.Points {
		if p.Date.IsZero() {
			return track{}, invalid("series %q: point %d has no date", t.name, i)
		}
		slot := s.slot(p.Date)
		if slot <= last {
			return track{}, invalid("series %q: point %d (%s) is not in a later %s than the previous one",
				t.name, i, p.Date, s.Granularity)
		}
		last = slot
		if p.Missing {
			continue
		}
		if !p.drawable() {
			return track{}, invalid("series %q: point %d (%s) has a value or a band that cannot be drawn", t.name, i, p.Date)
		}
		t.dots = append(t.dots, dot{Point: p, slot: slot})
	}
	return t, nil
}

// drawable reports whether the numbers of a point are finite, within the limits of an axis, and in order.
func (p Point) drawable() bool {
	fits := func(v float64) bool { return math.Abs(v) <= maxValue }
	for _, b := range []*Band{p.Band, p.Inner} {
		if b != nil && !(fits(b.Low) && fits(b.High) && b.Low <= b.High) {
			return false
		}
	}
	return fits(p.Value)
}

// inside returns the annotations inside the chart's period, sorted by slot. Annotations of one slot keep their order.
func (s sheet) inside(all []Annotation) []mark {
	var out []mark
	for _, a := range all {
		if s.slots == 0 || a.Date.IsZero() || a.Date.Before(s.day(0)) || s.slot(a.Date) >= s.slots {
			continue
		}
		out = append(out, mark{slot: s.slot(a.Date), label: clean(a.Label)})
	}
	slices.SortStableFunc(out, func(a, b mark) int { return cmp.Compare(a.slot, b.slot) })
	return out
}

// has reports whether the function asked returns true for any known point.
func (s sheet) has(asked func(Point) bool) bool {
	return slices.ContainsFunc(s.tracks, func(t track) bool {
		return slices.ContainsFunc(t.dots, func(d dot) bool { return asked(d.Point) })
	})
}
