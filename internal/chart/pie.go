package chart

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// slice is the slice of one series.
type slice struct {
	name         string
	style        style
	value, share float64
	start        float64 // clockwise from the top, in turns
}

// slices returns one slice for each series with a sum above zero, in the series' order. It also returns the total of
// these sums.
func (s sheet) slices() (all []slice, total float64) {
	for _, t := range s.tracks {
		total += max(0, t.sum())
	}
	var start float64
	for i, t := range s.tracks {
		v := t.sum()
		if v <= 0 {
			continue
		}
		all = append(all, slice{name: t.called(i), style: t.style, value: v, share: v / total, start: start})
		start += v / total
	}
	return all, total
}

// leftOut names the series that a pie cannot show.
func (s sheet) leftOut() []string {
	var none, negative []string
	for i, t := range s.tracks {
		switch v := t.sum(); {
		case v < 0:
			negative = append(negative, t.called(i)+" ("+s.exactly(v)+")")
		case v == 0:
			none = append(none, t.called(i))
		}
	}
	var out []string
	if len(negative) > 0 {
		out = append(out, "Below zero, not drawn: "+strings.Join(negative, ", "))
	}
	if len(none) > 0 {
		out = append(out, "Value of zero: "+strings.Join(none, ", "))
	}
	return out
}

// paintPie draws the slices, clockwise from the top, with labels on both sides.
func (s sheet) paintPie(area draw.Canvas) {
	all, total := s.slices()
	if len(all) == 0 {
		s.paintSentence(area, "No value is above zero in this period")
		return
	}
	sty := letters(nameSize, s.theme.soft)
	head := strings.TrimSpace(s.Metric + " in total: " + s.exactly(total))
	area = draw.Crop(writeTop(area, sty, shortened(sty, head, area.Size().X/widerFont)), 0, 0, 0, -8)
	if area.Size().X < besideWidth {
		area = s.paintLegend(area, withShares(all), 90)
		s.paintSlices(area, all, max(20, min(area.Size().Y/2-2, area.Size().X/2)))
		return
	}
	radius := max(20, min(area.Size().Y/2-10, area.Size().X*.24))
	s.paintSlices(area, all, radius)
	s.paintSliceNames(area, all, radius)
}

// besideWidth is the minimum width with room for labels next to a pie or a line. Narrower pictures have a legend.
const besideWidth = 440

// withShares returns the legend entries of a pie.
func withShares(all []slice) []named {
	out := make([]named, len(all))
	for i, sl := range all {
		out[i] = named{text: sl.name + " " + percent(sl.share), style: sl.style}
	}
	return out
}

func (s sheet) paintSlices(area draw.Canvas, all []slice, radius vg.Length) {
	for _, sl := range all {
		s.paintSlice(area, sl, area.Center(), radius)
	}
}

// angle converts a position on the pie to the canvas's angle, which runs counterclockwise from the right.
func angle(turns float64) float64 { return math.Pi/2 - 2*math.Pi*turns }

func onCircle(centre vg.Point, radius vg.Length, turns float64) vg.Point {
	sin, cos := math.Sincos(angle(turns))
	return vg.Point{X: centre.X + radius*vg.Length(cos), Y: centre.Y + radius*vg.Length(sin)}
}

func (s sheet) paintSlice(c draw.Canvas, sl slice, centre vg.Point, radius vg.Length) {
	var path vg.Path
	if sl.share < 1 {
		path.Move(centre)
		path.Line(onCircle(centre, radius, sl.start))
	} else {
		path.Move(onCircle(centre, radius, sl.start))
	}
	path.Arc(centre, radius, angle(sl.start), -2*math.Pi*sl.share)
	path.Close()
	c.SetColor(sl.style.color)
	c.Fill(path)
	if sl.style.striped {
		s.paintRings(c, sl, centre, radius)
	}
	if sl.share < 1 {
		c.SetLineStyle(draw.LineStyle{Color: s.theme.ground, Width: 1.5})
		c.Stroke(path)
	}
}

// paintRings stripes a slice like the bars of the same series.
func (s sheet) paintRings(c draw.Canvas, sl slice, centre vg.Point, radius vg.Length) {
	var rings vg.Path
	for r := radius - 5; r > 3; r -= 6 {
		rings.Move(onCircle(centre, r, sl.start))
		rings.Arc(centre, r, angle(sl.start), -2*math.Pi*sl.share)
	}
	c.SetLineStyle(draw.LineStyle{Color: s.theme.ground, Width: 1.2})
	c.Stroke(rings)
}

// paintSliceNames writes names and shares next to the pie, with a line to each slice.
func (s sheet) paintSliceNames(c draw.Canvas, all []slice, radius vg.Length) {
	const gap = 26
	centre := c.Center()
	var left, right []end
	for i, sl := range all {
		at := onCircle(centre, radius, sl.start+sl.share/2)
		e := end{series: i, at: at, y: onCircle(centre, radius+10, sl.start+sl.share/2).Y}
		if sl.start+sl.share/2 < .5 {
			right = append(right, e)
		} else {
			left = append(left, e)
		}
	}
	spread(right, c.Min.Y+4, c.Max.Y-6)
	spread(left, c.Min.Y+4, c.Max.Y-6)
	sty := letters(nameSize, s.theme.ink)
	line := draw.LineStyle{Color: s.theme.zero, Width: 1}
	for _, e := range right {
		x := centre.X + radius + gap
		text := s.sliceName(all[e.series], c.Max.X-x-4)
		c.StrokeLines(line, []vg.Point{e.at, {X: x - 12, Y: e.y}, {X: x, Y: e.y}})
		write(c, sty, vg.Point{X: x + 4, Y: e.y - sty.Font.Size*.35}, text)
	}
	for _, e := range left {
		x := centre.X - radius - gap
		text := s.sliceName(all[e.series], x-4-c.Min.X)
		c.StrokeLines(line, []vg.Point{e.at, {X: x + 12, Y: e.y}, {X: x, Y: e.y}})
		write(c, sty, vg.Point{X: x - 4 - width(sty, text), Y: e.y - sty.Font.Size*.35}, text)
	}
}

// sliceName returns the name and share of a slice. It shortens the name so that the share fits.
func (s sheet) sliceName(sl slice, most vg.Length) string {
	sty := letters(nameSize, s.theme.ink)
	share := " " + percent(sl.share)
	return shortened(sty, sl.name, most-width(sty, share)) + share
}

func percent(share float64) string {
	switch {
	case share < .001:
		return "<0.1%"
	case share < .0995:
		return fmt.Sprintf("%.1f%%", 100*share)
	}
	return fmt.Sprintf("%.0f%%", 100*share)
}
