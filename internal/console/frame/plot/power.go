package plot

import (
	"html/template"
	"math"

	"assay/internal/chart"
)

// Power is a chart of the power of several designs as a function of the true effect.
type Power struct {
	Label      string // text alternative
	Lines      []PowerLine
	Most       float64 // largest effect
	Wanted     float64 // power in percent, a dashed line
	Marker     float64 // assumed effect, a dotted line
	MarkerName string
	Across     string // name of the horizontal axis
}

// PowerLine is the power curve of one design. Values is the power in percent at equally spaced effects from 0 to the
// largest effect.
type PowerLine struct {
	Name   string
	Chosen bool
	Values []float64
}

// designName is the label of a design at the end of its line.
type designName struct {
	PowerLine
	up float64 // height of the line's end
}

// Draw draws the chart with a width in CSS pixels.
func (p Power) Draw(width int) template.HTML {
	const left, right, top, height = 46.0, 96.0, 24.0, 200.0
	var c canvas
	wide := float64(width)
	x := func(v float64) float64 { return left + v/math.Max(p.Most, 1e-9)*(wide-left-right) }
	y := func(v float64) float64 { return top + height*(1-v/100) }
	for i := range 6 {
		class := "rule"
		if i == 0 {
			class = "base"
		}
		v := float64(20 * i)
		c.line(class, left, y(v), wide-right, y(v))
		c.text("tick", "end", left-8, y(v)+4, trimmed(v)+"%")
	}
	step := forestStep(math.Max(p.Most, 0.1))
	for v := 0.0; v <= p.Most; v += step { // at most 7 steps
		c.text("tick", "middle", x(v), top+height+18, trimmed(v))
	}
	c.text("tick", "middle", (left+wide-right)/2, top+height+36, p.Across)
	c.line("bound dashed", left, y(p.Wanted), wide-right, y(p.Wanted))
	if p.Marker > 0 && p.Marker <= p.Most {
		c.line("marker", x(p.Marker), 16, x(p.Marker), y(0))
		c.text("note-text", "middle", x(p.Marker), 12, p.MarkerName)
	}
	var ends []designName
	for _, line := range p.Lines {
		values := make([]*float64, len(line.Values))
		for i := range line.Values {
			values[i] = &line.Values[i]
		}
		class := "curve"
		if line.Chosen {
			class = "curve chosen"
		}
		c.add(`<path class="%s" d="%s"/>`, class, path(values, func(i int) float64 { return x(p.Most * float64(i) / float64(max(1, len(values)-1))) }, y))
		if len(values) > 0 {
			ends = append(ends, designName{line, -y(line.Values[len(values)-1])})
		}
	}
	chart.Spread(ends, func(n *designName) *float64 { return &n.up }, 13, -y(0), -y(100))
	for _, n := range ends {
		c.text("name-end"+map[bool]string{true: " chosen"}[n.Chosen], "start", wide-right+6, -n.up+4, n.Name)
	}
	return c.done("power", p.Label, wide, top+height+42, "")
}
