// Package plot draws the small and large charts of pages as SVG elements. Their colors are classes of console.css, so one
// drawing serves light and dark. Texts are escaped.
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

// done closes the drawing. The label is its text alternative; "" hides it from assistive programs.
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

// Sparkline draws the course of a figure and, in gray, of the earlier period. The last value has a dot.
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
	Max    float64
	Marker float64 // dotted line in all rows, such as break-even; 0 for none
	Width  float64
}

// NewScale returns an axis up to a round number that covers most of the values.
func NewScale(highs []float64, marker, width float64) Scale {
	top := marker
	for _, h := range highs {
		top = math.Max(top, h)
	}
	return Scale{Max: nice(math.Min(top, 3*math.Max(marker, 2))), Marker: marker, Width: width}
}

func (s Scale) x(v float64) float64 { return 4 + math.Max(0, v)/s.Max*(s.Width-12) }

// Axis draws the numbers of the axis, for the header of a table.
func (s Scale) Axis() template.HTML {
	var c canvas
	for i := range 5 {
		v := s.Max * float64(i) / 4
		c.text("tick", "middle", s.x(v), 11, trimmed(v))
	}
	return c.done("interval axis", "", s.Width, 14, "")
}

// Interval draws a pale bar from low to high and a dot at the value. A value off the scale has an arrow at the edge.
func (s Scale) Interval(value, low, high float64, color string) template.HTML {
	const height = 20.0
	var c canvas
	color = html.EscapeString(color)
	if s.Marker > 0 {
		c.line("marker", s.x(s.Marker), -17, s.x(s.Marker), height+17)
	}
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

// nice rounds up to a number whose quarters are short.
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
	text := fmt.Sprintf("%.2f", v)
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
