package chart

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// lines draws the series of a line chart, the first on top.
type lines struct{ sheet }

// Plot draws the lines and their markers.
func (l lines) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	at := func(d dot) vg.Point { return vg.Point{X: x(float64(d.slot)), Y: y(d.Value)} }
	apart := x(1) - x(0)
	for i, t := range slices.Backward(l.tracks) {

		for _, r := range runs(t.dots, at) {
			look := draw.LineStyle{Color: t.style.color, Width: l.thickness(), Dashes: t.style.dashes}
			if r.partial {
				look.Dashes = dotted
			}
			c.StrokeLines(look, r.points)
		}
		for j, d := range t.dots {
			if l.marked(i, j, apart) {
				l.paintMarker(c, t.style, at(d), d.Partial)
			}
		}
	}
}

func (s sheet) thickness() vg.Length {
	if s.slots > 200 {
		return 1.5
	}
	return 2
}

// run is a piece of a line without a gap. Either all of its periods are complete or none is.
type run struct {
	points  []vg.Point
	partial bool
}

// runs joins neighboring dots. A line breaks where a slot has no value. A new run starts where complete periods meet
// incomplete ones.
func runs(dots []dot, at func(dot) vg.Point) []run {
	var out []run
	for i := 1; i < len(dots); i++ {
		a, b := dots[i-1], dots[i]
		if b.slot != a.slot+1 {
			continue
		}
		partial := a.Partial || b.Partial
		last := len(out) - 1
		if last >= 0 && out[last].partial == partial && out[last].points[len(out[last].points)-1] == at(a) {
			out[last].points = append(out[last].points, at(b))
			continue
		}
		out = append(out, run{points: []vg.Point{at(a), at(b)}, partial: partial})
	}
	return out
}

// marked reports whether a dot has a marker. Partial and isolated dots always have a marker. Other dots have markers
// far enough apart to keep the lines readable. The markers of different series alternate.
func (s sheet) marked(series, i int, apart vg.Length) bool {
	dots := s.tracks[series].dots
	d := dots[i]
	before := i > 0 && dots[i-1].slot == d.slot-1
	after := i+1 < len(dots) && dots[i+1].slot == d.slot+1
	if d.Partial || !before && !after {
		return true
	}
	if apart >= 14 {
		return true
	}
	if len(s.tracks) == 1 {
		return false
	}
	every := int(math.Ceil(float64(72 / apart)))
	return d.slot%every == series*every/len(s.tracks)
}

// corners contains the outlines of the markers, for a radius of 1 around the origin.
var corners = map[shape][]vg.Point{
	square:   {{X: -.85, Y: -.85}, {X: .85, Y: -.85}, {X: .85, Y: .85}, {X: -.85, Y: .85}},
	triangle: {{X: -1.05, Y: -.8}, {X: 1.05, Y: -.8}, {X: 0, Y: 1.1}},
	diamond:  {{X: 0, Y: -1.25}, {X: 1.25, Y: 0}, {X: 0, Y: 1.25}, {X: -1.25, Y: 0}},
	wedge:    {{X: -1.05, Y: .8}, {X: 1.05, Y: .8}, {X: 0, Y: -1.1}},
	cross: {
		{X: -.4, Y: -1.15},
		{X: .4, Y: -1.15},
		{X: .4, Y: -.4},
		{X: 1.15, Y: -.4},
		{X: 1.15, Y: .4},
		{X: .4, Y: .4},
		{X: .4, Y: 1.15},
		{X: -.4, Y: 1.15},
		{X: -.4, Y: .4},
		{X: -1.15, Y: .4},
		{X: -1.15, Y: -.4},
		{X: -.4, Y: -.4},
	},
}

// paintMarker draws the marker of a series, filled or hollow.
func (s sheet) paintMarker(c draw.Canvas, look style, at vg.Point, hollow bool) {
	const radius = 3.5
	var outline vg.Path
	if look.shape == circle {
		outline.Move(vg.Point{X: at.X + radius, Y: at.Y})
		outline.Arc(at, radius, 0, 2*math.Pi)
	}
	for i, corner := range corners[look.shape] {
		to := at.Add(corner.Scale(radius))
		if i == 0 {
			outline.Move(to)
			continue
		}
		outline.Line(to)
	}
	outline.Close()
	if !hollow {
		c.SetColor(look.color)
		c.Fill(outline)
		return
	}
	c.SetColor(s.theme.ground)
	c.Fill(outline)
	c.SetLineStyle(draw.LineStyle{Color: look.color, Width: 1.5})
	c.Stroke(outline)
}

// bands draws the shaded intervals behind the lines.
type bands struct{ sheet }

// Plot draws the bands. It draws an interval without neighbors as a bar that is as wide as a marker.
func (b bands) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, t := range b.tracks {
		for _, of := range []func(dot) *Band{outer, inner} {
			for _, r := range bandRuns(t.dots, of) {
				var low, high []vg.Point
				for _, d := range r {
					low = append(low, vg.Point{X: x(float64(d.slot)), Y: y(of(d).Low)})
					high = append(high, vg.Point{X: x(float64(d.slot)), Y: y(of(d).High)})
				}
				if len(r) == 1 {
					low = []vg.Point{{X: low[0].X - 3, Y: low[0].Y}, {X: low[0].X + 3, Y: low[0].Y}}
					high = []vg.Point{{X: high[0].X - 3, Y: high[0].Y}, {X: high[0].X + 3, Y: high[0].Y}}
				}
				for _, h := range slices.Backward(high) {
					low = append(low, h)
				}
				c.FillPolygon(faded(t.style.color, .22), low)
			}
		}
	}
}

// outer returns the wider band of a point. The function inner returns the narrower band.
func outer(d dot) *Band { return d.Band }

func inner(d dot) *Band { return d.Inner }

// bandRuns returns the runs of neighboring dots that have a band.
func bandRuns(dots []dot, of func(dot) *Band) [][]dot {
	var out [][]dot
	for i, d := range dots {
		if of(d) == nil {
			continue
		}
		if i > 0 && of(dots[i-1]) != nil && dots[i-1].slot == d.slot-1 {
			out[len(out)-1] = append(out[len(out)-1], d)
			continue
		}
		out = append(out, []dot{d})
	}
	return out
}
