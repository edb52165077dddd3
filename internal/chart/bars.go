package chart

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// bars draws the series of a bar chart, grouped or stacked.
type bars struct{ sheet }

// block is one bar: a series' value in a slot, from its base to its top.
type block struct {
	dot
	series   int
	from, to float64
}

// stacks reports whether bars are stacked.
func (s sheet) stacks() bool { return s.Kind == Bar && s.Stacked && len(s.tracks) > 1 }

// columns returns the bars of each slot. In a stack, positive values extend upward from zero and negative values
// downward, so neither hides the other.
func (s sheet) columns() [][]block {
	out := make([][]block, s.slots)
	up, down := make([]float64, s.slots), make([]float64, s.slots)
	for i, t := range s.tracks {
		for _, d := range t.dots {
			b := block{dot: d, series: i, to: d.Value}
			if s.stacks() {
				reached := &up[d.slot]
				if d.Value < 0 {
					reached = &down[d.slot]
				}
				b.from, b.to = *reached, *reached+d.Value
				*reached = b.to
			}
			out[d.slot] = append(out[d.slot], b)
		}
	}
	return out
}

// Plot draws the bars, series by series.
func (b bars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	places := b.places(x(1) - x(0))
	whole, partial := make([][]vg.Rectangle, len(b.tracks)), make([][]vg.Rectangle, len(b.tracks))
	for slot, column := range b.columns() {
		for _, block := range column {
			left := x(float64(slot)) + places.offset(block.series)
			box := vg.Rectangle{
				Min: vg.Point{X: left, Y: y(min(block.from, block.to))},
				Max: vg.Point{X: left + places.wide, Y: y(max(block.from, block.to))},
			}
			if block.Partial {
				partial[block.series] = append(partial[block.series], box)
			} else {
				whole[block.series] = append(whole[block.series], box)
			}
		}
	}
	for i, t := range b.tracks {
		b.paintBars(c, t.style, whole[i])
		b.paintHollow(c, t.style, partial[i])
	}
	if !b.stacks() {
		b.paintWhiskers(c, p, places)
	}
}

// places contains the positions of a slot's bars around the slot's middle.
type places struct {
	wide, step vg.Length
	count      int
}

// places fits one bar per series, or a single stacked bar, into four fifths of a slot.
func (s sheet) places(slot vg.Length) places {
	const widest = 56
	count := len(s.tracks)
	if s.stacks() {
		count = 1
	}
	step := min(slot*.8/vg.Length(count), widest)
	wide := step
	if count > 1 && step > 4 {
		wide = step - 1
	}
	return places{wide: wide, step: step, count: count}
}

// offset returns the distance from the middle of the slot to the left edge of a series' bar.
func (p places) offset(series int) vg.Length {
	if p.count == 1 {
		return -p.wide / 2
	}
	return p.step*(vg.Length(series)-vg.Length(p.count)/2) + (p.step-p.wide)/2
}

// paintBars fills the bars. The bars of the seventh to twelfth series are striped.
func (s sheet) paintBars(c draw.Canvas, look style, boxes []vg.Rectangle) {
	if len(boxes) == 0 {
		return
	}
	c.SetColor(look.color)
	c.Fill(outlines(boxes))
	if !look.striped {
		return
	}
	var stripes vg.Path
	for _, box := range boxes {
		for y := box.Min.Y + 3; y < box.Max.Y; y += 4 {
			stripes.Move(vg.Point{X: box.Min.X, Y: y})
			stripes.Line(vg.Point{X: box.Max.X, Y: y})
		}
	}
	if len(stripes) > 0 {
		c.SetLineStyle(draw.LineStyle{Color: s.theme.ground, Width: 1.2})
		c.Stroke(stripes)
	}
}

// paintHollow draws the bars of incomplete periods.
func (s sheet) paintHollow(c draw.Canvas, look style, boxes []vg.Rectangle) {
	if len(boxes) == 0 {
		return
	}
	c.SetColor(faded(look.color, .18))
	c.Fill(outlines(boxes))
	inner := make([]vg.Rectangle, len(boxes))
	for i, box := range boxes {
		in := min(.75, box.Size().X/2, box.Size().Y/2)
		inner[i] = vg.Rectangle{
			Min: box.Min.Add(vg.Point{X: in, Y: in}),
			Max: box.Max.Sub(vg.Point{X: in, Y: in}),
		}
	}
	c.SetLineStyle(draw.LineStyle{Color: look.color, Width: 1.5, Dashes: []vg.Length{3, 2}})
	c.Stroke(outlines(inner))
}

// outlines returns all boxes as one path, which keeps the drawing small.
func outlines(boxes []vg.Rectangle) vg.Path {
	path := make(vg.Path, 0, 5*len(boxes))
	for _, box := range boxes {
		path.Move(box.Min)
		path.Line(vg.Point{X: box.Max.X, Y: box.Min.Y})
		path.Line(box.Max)
		path.Line(vg.Point{X: box.Min.X, Y: box.Max.Y})
		path.Close()
	}
	return path
}

// paintWhiskers draws the intervals of unstacked bars.
func (s sheet) paintWhiskers(c draw.Canvas, p *plot.Plot, at places) {
	x, y := p.Transforms(&c)
	half := min(4, at.wide/2)
	var path vg.Path
	line := func(x0, y0, x1, y1 vg.Length) {
		path.Move(vg.Point{X: x0, Y: y0})
		path.Line(vg.Point{X: x1, Y: y1})
	}
	for i, t := range s.tracks {
		for _, d := range t.dots {
			if d.Band == nil {
				continue
			}
			middle := x(float64(d.slot)) + at.offset(i) + at.wide/2
			low, high := y(d.Band.Low), y(d.Band.High)
			line(middle, low, middle, high)
			line(middle-half, low, middle+half, low)
			line(middle-half, high, middle+half, high)
		}
	}
	if len(path) == 0 {
		return
	}
	// A line in the background color separates the whisker from a dark bar.
	thick := min(1.25, at.wide)
	c.SetLineStyle(draw.LineStyle{Color: s.theme.ground, Width: thick + 2})
	c.Stroke(path)
	c.SetLineStyle(draw.LineStyle{Color: s.theme.ink, Width: thick})
	c.Stroke(path)
}
