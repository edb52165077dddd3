package plot

import (
	"html"
	"html/template"
	"math"
)

// Waterfall splits a total into steps that add up.
type Waterfall struct {
	Label string // text alternative
	Steps []Step
	Total Step
	Axis  func(float64) string // formats numbers of the axis
	Value func(float64) string // formats values
}

// Step is a part of a total.
type Step struct {
	Name, Note string
	Value      float64
	Color      string // color token
}

// Sizes of a waterfall.
const (
	fallTop    = 40.0
	fallHeight = 220.0
	rowHeight  = 34.0
)

// Draw draws columns from left to right.
func (w Waterfall) Draw(width int) template.HTML {
	var c canvas
	wide, left := float64(width), 46.0
	top := nice(w.highest())
	y := func(v float64) float64 { return fallTop + fallHeight*(1-v/top) }
	for i := range 5 {
		v, class := top*float64(i)/4, "rule"
		if i == 0 {
			class = "base"
		}
		c.line(class, left, y(v), wide-4, y(v))
		c.text("tick", "end", left-8, y(v)+4, w.Axis(v))
	}
	each := (wide - left - 4) / float64(len(w.Steps)+1)
	bar := math.Min(72, each*.66)
	sum := 0.0
	column := func(i int, s Step, from, to float64, class string) {
		x := left + each*(float64(i)+.5)
		high := math.Min(y(from), y(to))
		c.rect("bar c-"+html.EscapeString(s.Color)+class, x-bar/2, high, bar, math.Max(1, math.Abs(y(from)-y(to))), 2)
		c.text("value", "middle", x, high-18, w.Value(s.Value))
		c.text("tick", "middle", x, high-6, s.Note)
		c.text("tick", "middle", x, fallTop+fallHeight+18, shortened(s.Name, max(6, int(each/6.2))))
	}
	for i, s := range w.Steps {
		column(i, s, sum, sum+s.Value, "")
		sum += s.Value
		x := left + each*(float64(i)+.5)
		c.line("step", x+bar/2, y(sum), x+each-bar/2, y(sum))
	}
	column(len(w.Steps), w.Total, 0, w.Total.Value, " whole")
	return c.done("waterfall", w.Label, wide, fallTop+fallHeight+26, "")
}

// Rows draws the steps of the waterfall one below the other, for a phone.
func (w Waterfall) Rows(width int) template.HTML {
	var c canvas
	wide, top := float64(width), math.Max(w.highest(), 1e-9)
	x := func(v float64) float64 { return v / top * (wide - 2) }
	sum := 0.0
	row := func(i int, s Step, from, to float64, class string) {
		y := rowHeight * float64(i)
		c.text("name", "start", 0, y+12, s.Name)
		c.text("value", "end", wide, y+12, w.Value(s.Value)+"  "+s.Note)
		c.rect("bar c-"+html.EscapeString(s.Color)+class, x(math.Min(from, to)), y+18, math.Max(1, math.Abs(x(to)-x(from))), 9, 1.5)
	}
	for i, s := range w.Steps {
		row(i, s, sum, sum+s.Value, "")
		sum += s.Value
	}
	row(len(w.Steps), w.Total, 0, w.Total.Value, " whole")
	return c.done("waterfall", w.Label, wide, rowHeight*float64(len(w.Steps)+1), "")
}

// highest returns the largest of the running totals.
func (w Waterfall) highest() float64 {
	sum, most := 0.0, w.Total.Value
	for _, s := range w.Steps {
		sum += s.Value
		most = math.Max(most, sum)
	}
	return most
}
