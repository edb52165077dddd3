// Package chart draws series as pictures: lines, bars and pies, as SVG or PNG.
//
// It is pure: a [Chart] goes in, bytes come out, and the same chart gives the same SVG. Texts are untrusted input; they
// are cleaned, shortened and escaped here. The caller decides what is on a chart (which channels, an "other" group, how
// many series).
package chart

import (
	"cmp"
	"fmt"

	"assay/internal/civil"
	"assay/internal/money"
)

// The limits of a chart. Larger ones are not readable.
const (
	MaxSeries = 12
	MaxSlots  = 1100 // days, weeks or months from the first point to the last: three years of days

	maxMarks = 40   // annotations
	maxValue = 1e15 // largest value in either direction
	maxDots  = 16e6 // largest PNG, in dots

	minWidth, minHeight, maxSide = 320, 200, 4000
	defaultWidth, defaultHeight  = 800, 450
)

// Kind is the form of a chart.
type Kind string

// The forms. A pie shows the sum of each series, so it suits only what can be added.
const (
	Line Kind = "line"
	Bar  Kind = "bar"
	Pie  Kind = "pie"
)

// Unit is the unit of values.
type Unit string

// The units.
const (
	Count Unit = "count"
	Money Unit = "money" // in whole units of the chart's currency
	Ratio Unit = "ratio"
)

// Theme is the background of a chart.
type Theme string

// The themes.
const (
	Light Theme = "light"
	Dark  Theme = "dark"
)

// Chart is what to draw. The zero values of Kind, Unit, Theme, Granularity, Width and Height mean a line, a count,
// light, days, 800 and 450.
type Chart struct {
	Kind        Kind
	Title       string // derived from the metric when empty
	Metric      string // what the values are, such as "Revenue"; names the axis
	Unit        Unit
	Currency    money.Currency // of Money
	Granularity civil.Granularity
	Period      civil.Range // requested days, including those without data; from first to last point when empty
	Series      []Series    // at most MaxSeries
	Stacked     bool        // stacked rather than grouped bars
	BandName    string      // what bands are, such as "90% interval"
	Annotations []Annotation
	Theme       Theme
	Width       int // in CSS pixels, 320 to 4000
	Height      int // in CSS pixels, 200 to 4000
}

// Series is one line, one set of bars or one slice.
type Series struct {
	Name   string
	Points []Point // in order of date, at most one for each day, week or month of the granularity
}

// Point is a value of a day, week or month, dated by any of its days. Days without a point, and missing points, are
// gaps and not zero.
type Point struct {
	Date    civil.Date
	Value   float64 // in the chart's unit
	Missing bool    // unknown; Value is ignored
	Partial bool    // the day, week or month is not complete; drawn hollow
	Band    *Band   // where the value is an estimate; nil otherwise
	Inner   *Band   // a narrower one inside it, drawn on lines only; nil for none
}

// Band is the interval around an estimate.
type Band struct{ Low, High float64 }

// Annotation is something that happened on a day. Outside the chart's days it is not drawn.
type Annotation struct {
	Date  civil.Date
	Label string
}

// InvalidError says why a chart cannot be drawn.
type InvalidError struct{ Text string }

// Error returns the text.
func (e *InvalidError) Error() string { return e.Text }

func invalid(format string, args ...any) error {
	return &InvalidError{Text: fmt.Sprintf(format, args...)}
}

// Draw returns the chart as an SVG document. It fails with an [InvalidError] for charts beyond the limits, dates out of
// order and values that are not finite. Without data the picture says so.
func Draw(c Chart) ([]byte, error) {
	s, err := newSheet(c)
	if err != nil {
		return nil, err
	}
	return s.svg()
}

// PNG returns the chart as a PNG image. It is laid out width CSS pixels wide (0: as in the chart) with its proportions
// kept, and has scale dots per CSS pixel: 2 for dense screens. It fails as [Draw] does. Letters that the built-in font
// lacks, including emoji, are boxes; an SVG uses the reader's fonts.
func PNG(c Chart, width int, scale float64) ([]byte, error) {
	s, err := newSheet(c.resized(width))
	if err != nil {
		return nil, err
	}
	return s.png(scale)
}

// resized returns the chart with another width and the same proportions, as far as words have room; 0 changes
// nothing.
func (c Chart) resized(width int) Chart {
	if width == 0 {
		return c
	}
	was, tall := cmp.Or(c.Width, defaultWidth), cmp.Or(c.Height, defaultHeight)
	c.Width, c.Height = width, max(minHeight, width*tall/was)
	return c
}
