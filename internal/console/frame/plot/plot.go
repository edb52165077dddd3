// Package plot draws the small and large charts of pages as SVG elements. Their colors are classes of console.css, so
// one drawing works with the light and the dark theme. Texts are escaped.
package plot

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"slices"
	"strings"
)

// canvas collects the elements of a drawing.
type canvas struct{ strings.Builder }

func (c *canvas) add(format string, args ...any) { fmt.Fprintf(&c.Builder, format, args...) }

func (c *canvas) line(class string, x1, y1, x2, y2 float64) {
	c.add(`<line class="%s" x1="%s" y1="%s" x2="%s" y2="%s"/>`, class, px(x1), px(y1), px(x2), px(y2))
}

func (c *canvas) rect(class string, x, y, w, h, r float64) {
	c.add(`<rect class="%s" x="%s" y="%s" width="%s" height="%s" rx="%s"/>`, class, px(x), px(y), px(max(w, 0)), px(max(h, 0)), px(r))
}

func (c *canvas) dot(class string, x, y, r float64) {
	c.add(`<circle class="%s" cx="%s" cy="%s" r="%s"/>`, class, px(x), px(y), px(r))
}

func (c *canvas) text(class, anchor string, x, y float64, text string) {
	c.add(`<text class="%s" text-anchor="%s" x="%s" y="%s">%s</text>`, class, anchor, px(x), px(y), html.EscapeString(text))
}

// px formats a coordinate with at most one decimal.
func px(x float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", x), ".0")
}

// done closes the drawing. The label is the text alternative of the drawing. An empty label hides the drawing from
// assistive technology.
func (c *canvas) done(class, label string, w, h float64, more string) template.HTML {
	head := `aria-hidden="true"`
	if label != "" {
		head = `role="img" aria-label="` + html.EscapeString(label) + `"`
	}
	return template.HTML(fmt.Sprintf(`<svg class="%s" width="%s" height="%s" viewBox="0 0 %s %s" %s%s>%s</svg>`, //nolint:gosec // all texts are escaped
		class, px(w), px(h), px(w), px(h), head, more, c.String()))
}

// path returns the path of a line. It breaks at missing values.
func path(values []*float64, x func(int) float64, y func(float64) float64) string {
	var b strings.Builder
	pen := "M"
	for i, v := range values {
		if v == nil {
			pen = "M"
			continue
		}
		b.WriteString(pen + px(x(i)) + " " + px(y(*v)))
		pen = "L"
	}
	return b.String()
}

// Sparkline sizes.
const (
	sparkWidth, sparkHeight = 92.0, 28.0
)

// Sparkline draws the values of a figure over time and, in gray, the values of the earlier period. The last value has a
// dot.
func Sparkline(now, before []*float64, color string) template.HTML {
	low, high, known := extent(now, before)
	if known < 2 {
		return ""
	}
	n := max(len(now), len(before), 2)
	x := func(i int) float64 { return 2 + float64(i)*(sparkWidth-6)/float64(n-1) }
	y := func(v float64) float64 { return sparkHeight - 3 - (v-low)/math.Max(high-low, 1e-9)*(sparkHeight-6) }
	var c canvas
	if len(before) > 0 {
		c.add(`<path class="before" d="%s"/>`, path(before, x, y))
	}
	c.add(`<path class="now c-%s" d="%s"/>`, html.EscapeString(color), path(now, x, y))
	for i, value := range slices.Backward(now) {
		if value != nil {
			c.dot("end c-"+html.EscapeString(color), x(i), y(*value), 2.5)
			break
		}
	}
	return c.done("spark", "", sparkWidth, sparkHeight, "")
}

func extent(series ...[]*float64) (low, high float64, known int) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, s := range series {
		for _, v := range s {
			if v != nil {
				low, high, known = math.Min(low, *v), math.Max(high, *v), known+1
			}
		}
	}
	return low, high, known
}

// Scale is the horizontal axis that the intervals of a table share.
type Scale struct {
	Min, Max float64
	Marker   float64 // dotted line in all rows, such as break-even; 0 for none
	Zero     bool    // line at 0 in all rows
	Width    float64
}

// NewScale returns an axis up to a round number that covers most of the values.
func NewScale(highs []float64, marker, width float64) Scale {
	top := marker
	for _, h := range highs {
		top = math.Max(top, h)
	}
	return Scale{Max: nice(math.Min(top, 3*math.Max(marker, 2))), Marker: marker, Width: width}
}

// NewForest returns an axis of effects, which may be negative. It has a line at 0.
func NewForest(lows, highs []float64, marker, width float64) Scale {
	low, high := 0.0, marker
	for _, v := range lows {
		low = math.Min(low, v)
	}
	for _, v := range highs {
		high = math.Max(high, v)
	}
	step := forestStep(math.Max(high-low, 0.1))
	return Scale{Min: math.Floor(low/step) * step, Max: math.Ceil(high/step) * step, Marker: marker, Zero: true, Width: width}
}

// forestStep returns the distance between the numbers of an axis of effects.
func forestStep(span float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(span)))
	for _, m := range []float64{.2, .5, 1, 2, 5} {
		if span <= 6*m*power {
			return m * power
		}
	}
	return 10 * power
}

func (s Scale) x(v float64) float64 {
	return 4 + (math.Max(s.Min, v)-s.Min)/math.Max(s.Max-s.Min, 1e-9)*(s.Width-12)
}

// Axis draws the tick labels of the axis for the header of a table.
func (s Scale) Axis() template.HTML {
	var c canvas
	step := s.Max / 4
	if s.Zero {
		step = forestStep(math.Max(s.Max-s.Min, 0.1))
	}
	for v := s.Min; v <= s.Max+step/1000; v += step {
		c.text("tick", "middle", s.x(v), 11, trimmed(v))
	}
	return c.done("interval axis", "", s.Width, 14, "")
}

// tableRow is the height of the plot in a row of a table.
const tableRow = 20.0

// lines draws the marker and the line at 0 through all rows of a table.
func (s Scale) lines(c *canvas, over float64) {
	if s.Zero {
		c.line("zero", s.x(0), -over, s.x(0), tableRow+over)
	}
	if s.Marker > 0 {
		c.line("marker", s.x(s.Marker), -over, s.x(s.Marker), tableRow+over)
	}
}

// Empty draws the lines of a row without an estimate.
func (s Scale) Empty() template.HTML {
	var c canvas
	s.lines(&c, 22)
	return c.done("interval", "", s.Width, 20, "")
}

// Whisker draws an interval as a line with ends and a square at the value, as in a forest plot.
func (s Scale) Whisker(value, low, high float64, color string) template.HTML {
	const middle = 10.0
	var c canvas
	color = html.EscapeString(color)
	s.lines(&c, 22)
	left, right := s.x(low), math.Min(s.x(high), s.Width-6)
	c.line("whisker s-"+color, left, middle, right, middle)
	c.line("whisker s-"+color, left, middle-4, left, middle+4)
	c.line("whisker s-"+color, right, middle-4, right, middle+4)
	c.rect("end c-"+color, s.x(value)-4.5, middle-4.5, 9, 9, 1)
	return c.done("interval", "", s.Width, 20, "")
}

// Gap draws a hollow marker at the attributed value and, if it is known, a dot at the incremental value.
func (s Scale) Gap(incremental *float64, attributed float64, color string) template.HTML {
	const middle = 10.0
	var c canvas
	color = html.EscapeString(color)
	c.line("rule", s.x(s.Min), middle, s.Width-6, middle)
	at := math.Min(s.x(attributed), s.Width-6)
	if incremental != nil {
		x := math.Min(s.x(*incremental), s.Width-6)
		c.rect("band c-"+color, math.Min(x, at), middle-2, math.Abs(at-x), 4, 2)
		c.dot("end c-"+color, x, middle, 4.5)
	}
	c.add(`<path class="diamond" d="M%s %sl4.5 -4.5 4.5 4.5 -4.5 4.5Z"/>`, px(at-4.5), px(middle))
	return c.done("interval", "", s.Width, 20, "")
}

// Pair draws an interval with a second, hollow marker, such as the marginal ROAS.
func (s Scale) Pair(value, low, high, second float64, color string) template.HTML {
	const middle = 10.0
	var c canvas
	color = html.EscapeString(color)
	s.lines(&c, 17)
	right := s.Width - 6
	c.rect("band c-"+color, s.x(low), middle-2.5, math.Min(s.x(high), right)-s.x(low), 5, 2.5)
	if high > s.Max {
		c.text("tick", "end", s.Width, middle+4, "→")
	}
	if second <= s.Max {
		x := s.x(second)
		c.add(`<path class="diamond" d="M%s %sl4.5 -4.5 4.5 4.5 -4.5 4.5Z"/>`, px(x-4.5), px(middle))
	}
	if value <= s.Max {
		c.dot("end c-"+color, s.x(value), middle, 4.5)
	}
	return c.done("interval", "", s.Width, 20, "")
}

// Interval draws a pale bar from low to high and a dot at the value. A value off the scale has an arrow at the edge.
func (s Scale) Interval(value, low, high float64, color string) template.HTML {
	const height = tableRow
	var c canvas
	color = html.EscapeString(color)
	s.lines(&c, 17)
	right := s.Width - 6
	c.rect("band c-"+color, s.x(low), height/2-2, math.Min(s.x(high), right)-s.x(low), 4, 2)
	if high > s.Max {
		c.text("tick", "end", s.Width, height/2+4, "→")
	}
	if value <= s.Max {
		c.dot("end c-"+color, s.x(value), height/2, 4)
	}
	return c.done("interval", "", s.Width, height, "")
}

// Bar draws a horizontal bar for a share of the largest value. Negative values extend to the left of the middle.
func Bar(value, largest, width float64, diverging bool, class string) template.HTML {
	const height = 18.0
	var c canvas
	class = html.EscapeString(class)
	if largest <= 0 {
		largest = 1
	}
	if !diverging {
		c.rect("bar "+class, 0, 5, math.Max(1, value/largest*width), 8, 1.5)
		return c.done("share", "", width, height, "")
	}
	middle := width / 2
	length := math.Abs(value) / largest * (middle - 2)
	if value < 0 {
		c.rect("bar "+class, middle-length, 4, length, 10, 1.5)
	} else {
		c.rect("bar "+class, middle, 4, length, 10, 1.5)
	}
	c.line("middle", middle, -14, middle, height+14)
	return c.done("share", "", width, height, "")
}

// Shift draws the current and the proposed amount as two bars, with the allowed range below them.
func Shift(current, proposed, low, high, largest, width float64, color string) template.HTML {
	var c canvas
	color = html.EscapeString(color)
	x := func(v float64) float64 {
		return math.Max(0, math.Min(v, largest)) / math.Max(largest, 1e-9) * (width - 8)
	}
	c.rect("bar was", 0, 2, math.Max(1, x(current)), 7, 1.5)
	c.rect("bar c-"+color, 0, 11, math.Max(1, x(proposed)), 7, 1.5)
	if high > low {
		c.line("bound", x(low), 23, x(high), 23)
		c.line("bound", x(low), 20, x(low), 26)
		if high <= largest {
			c.line("bound", x(high), 20, x(high), 26)
		}
	}
	return c.done("share", "", width, 28, "")
}

// Level draws a percentage as a bar, with a mark at the target value.
func Level(value, wanted, width float64, class string) template.HTML {
	var c canvas
	c.rect("rail", 0, 6, width, 6, 3)
	c.rect("bar "+html.EscapeString(class), 0, 6, math.Max(1, math.Min(value, 100)/100*width), 6, 3)
	c.line("goal", wanted/100*width, 2, wanted/100*width, 16)
	return c.done("progress", "", width, 18, "")
}

// Range draws the interval of a change around 0, with the value below and the bounds at the ends.
func Range(value, low, high, width float64, text func(float64) string) template.HTML {
	const middle = 30.0
	var c canvas
	from, to := math.Min(low, 0), math.Max(high, 0)
	span := math.Max(to-from, 1e-9)
	x := func(v float64) float64 { return 40 + (v-from)/span*(width-80) }
	c.line("zero", x(0), 16, x(0), middle+14)
	c.text("tick", "middle", x(0), 11, text(0))
	if low < 0 {
		c.rect("band loss", x(low), middle-6, x(math.Min(high, 0))-x(low), 12, 3)
	}
	if high > 0 {
		c.rect("band gain", x(math.Max(low, 0)), middle-6, x(high)-x(math.Max(low, 0)), 12, 3)
	}
	c.dot("end", x(value), middle, 6)
	c.text("tick", "middle", x(low), middle+30, text(low))
	if math.Abs(x(high)-x(low)) > 70 {
		c.text("tick", "middle", x(high), middle+30, text(high))
	}
	return c.done("range", "", width, middle+36, "")
}

// nice rounds v up to the end of an axis with four equal intervals, so that the axis labels have few digits.
func nice(v float64) float64 {
	if v <= 0 {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 1.2, 1.6, 2, 2.4, 3.2, 4, 6, 8, 10} {
		if v <= m*power*(1+1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// trimmed formats a number of an axis with at most two decimals.
func trimmed(v float64) string {
	text := strings.Replace(fmt.Sprintf("%.2f", v), "-", "−", 1)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// Progress draws a total so far, the interval of its forecast and the target on one bar.
func Progress(sofar, low, high, target, largest, width float64) template.HTML {
	const height = 18.0
	var c canvas
	x := func(v float64) float64 { return v / math.Max(largest, 1e-9) * (width - 4) }
	c.rect("rail", 0, 6, width, 6, 3)
	c.rect("band c-accent", x(low), 6, x(high)-x(low), 6, 3)
	c.rect("bar accent", 0, 6, x(sofar), 6, 3)
	if target > 0 {
		c.line("goal", x(target), 2, x(target), height-2)
	}
	return c.done("progress", "", width, height, "")
}
