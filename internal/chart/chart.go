// Package chart draws series as pictures: lines, bars and pies, as SVG or PNG.
//
// The package is pure: it turns a [Chart] into bytes, and equal charts give equal SVGs. Texts are untrusted input; the
// package cleans, shortens and escapes them. The caller decides what is on a chart (which channels, an "other" group,
// how many series).
package chart

import (
	"cmp"
	"fmt"

	"assay/internal/civil"
	"assay/internal/money"
)

// Limits of a chart. A larger chart is not readable.
const (
	MaxSeries = 12
	MaxSlots  = 1100 // days, weeks or months from the first point to the last: at most three years of days

	maxMarks = 40   // annotations
	maxValue = 1e15 // largest absolute value
	maxDots  = 16e6 // pixels of the largest PNG

	minWidth, minHeight, maxSide = 320, 200, 4000
	defaultWidth, defaultHeight  = 800, 450
)

// Kind is the type of a chart.
type Kind string

// The types of charts. A pie shows the sum of each series, so it suits only additive metrics.
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

// Chart describes what to draw. By default it is a line chart of counts by day, on a light background, 800 by 450
// pixels. These are the zero values of Kind, Unit, Theme, Granularity, Width and Height.
type Chart struct {
	Kind        Kind
	Title       string // derived from the metric when empty
	Metric      string // name of the values and of their axis, such as "Revenue"
	Unit        Unit
	Currency    money.Currency // currency of the unit Money
	Granularity civil.Granularity
	Period      civil.Range // requested days, including days without data; empty: from the first point to the last
	Series      []Series    // at most MaxSeries
	Stacked     bool        // stacked rather than grouped bars
	BandName    string      // name of the bands, such as "90% interval"
	Annotations []Annotation
	Theme       Theme
	Width       int // in CSS pixels, 320 to 4000
	Height      int // in CSS pixels, 200 to 4000
}

// Series is one line, one set of bars or one slice.
type Series struct {
	Name   string
	Points []Point // points in order of date, at most one per day, week or month, according to Granularity
}

// Point is the value of a day, week or month. Its date is any day of that period. Days without a point and missing
// points are gaps, not zeros.
type Point struct {
	Date    civil.Date
	Value   float64 // in the chart's unit
	Missing bool    // the value is unknown; Value is ignored
	Partial bool    // the day, week or month is incomplete; drawn hollow
	Band    *Band   // interval of an estimate; nil if the value is not an estimate
	Inner   *Band   // narrower band inside Band, drawn on lines only; nil for none
}

// Band is the interval around an estimate.
type Band struct{ Low, High float64 }

// Annotation is an event on a day. It is drawn only on days of the chart.
type Annotation struct {
	Date  civil.Date
	Label string
}

// InvalidError explains why a chart cannot be drawn.
type InvalidError struct{ Text string }

// Error returns the text.
func (e *InvalidError) Error() string { return e.Text }

func invalid(format string, args ...any) error {
	return &InvalidError{Text: fmt.Sprintf(format, args...)}
}

// Draw returns the chart as an SVG document. It returns an [InvalidError] if the chart exceeds a limit, dates are out
// of order or a value is not finite. A chart without data shows a message.
func Draw(c Chart) ([]byte, error) {
	s, err := newSheet(c)
	if err != nil {
		return nil, err
	}
	return s.svg()
}

// PNG returns the chart as a PNG image. The layout is width CSS pixels wide (0: the chart's width) and keeps the
// chart's proportions. The parameter scale is the number of image pixels per CSS pixel: 2 for high-resolution screens.
// PNG returns the errors of [Draw]. It draws a box for each letter that the built-in font lacks, including emoji. An
// SVG uses the reader's fonts.
func PNG(c Chart, width int, scale float64) ([]byte, error) {
	s, err := newSheet(c.resized(width))
	if err != nil {
		return nil, err
	}
	return s.png(scale)
}

// resized returns the chart with another width and the same proportions, but at least the height minHeight. The width 0
// changes nothing.
func (c Chart) resized(width int) Chart {
	if width == 0 {
		return c
	}
	was, tall := cmp.Or(c.Width, defaultWidth), cmp.Or(c.Height, defaultHeight)
	c.Width, c.Height = width, max(minHeight, width*tall/was)
	return c
}
