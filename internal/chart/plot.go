package chart

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// directNames is the maximum number of lines with labels at their ends, which are easier to read than a legend.
const directNames = 5

// paintPlot draws the axes and the data.
func (s sheet) paintPlot(area draw.Canvas) {
	ends := s.endNames(area.Size().X)
	if ends == nil && s.needsLegend() {
		const axes = 150 // minimum height of the axes with dates, values, annotations and notes
		area = s.paintLegend(area, s.names(), axes)
	}
	// The frame is measured before it is drawn: the labels of dates and annotations depend on the width that the value
	// labels leave.
	rows, left := s.markRows(s.plot(area).DataCanvas(s.axes(area, ends)).Rectangle)
	notes := s.notes()
	if left > 0 {
		notes = append(notes, "Some annotations are shown without their labels")
	}
	area = s.paintNotes(area, notes)
	area = s.paintAxisTitle(area)
	area.Max.Y -= vg.Length(depth(rows)) * markHigh

	p := s.plot(area)
	dates := s.dateNames(p.DataCanvas(s.axes(area, ends)).Rectangle)
	p.X.Tick.Marker = dates
	p.Add(grid{s}, zeroLine{s}, dates)
	if s.Kind == Bar {
		p.Add(bars{s})
	} else {
		p.Add(bands{s}, lines{s})
	}
	p.Add(markLines{s, rows}, ends)
	p.Draw(s.axes(area, ends))
}

// needsLegend reports whether a name appears neither in the title nor at the end of a line.
func (s sheet) needsLegend() bool {
	return len(s.tracks) > 1 || s.tracks[0].name != "" && s.tracks[0].name != s.Metric
}

// axes returns the area of the axes. The labels of lines are to its right, and the years are below it.
func (s sheet) axes(area draw.Canvas, ends *endNames) draw.Canvas {
	return draw.Crop(area, 0, -ends.room(), noteSize+2, 0)
}

// plot returns empty axes in the chart's theme. The scale of the y axis depends on the height of the area.
func (s sheet) plot(area draw.Canvas) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	p.X.Min, p.X.Max = s.span()
	p.X.Padding, p.Y.Padding = 0, 4
	p.X.Width, p.Y.Width, p.Y.Tick.Length = 0, 0, 0
	p.X.Tick.LineStyle = draw.LineStyle{Color: s.theme.zero, Width: 1}
	p.X.Tick.Length = 5
	small := letters(noteSize, s.theme.soft)
	p.X.Tick.Label.Font, p.X.Tick.Label.Color = small.Font, small.Color
	p.Y.Tick.Label.Font, p.Y.Tick.Label.Color = small.Font, small.Color
	p.X.Tick.Marker = plot.ConstantTicks{{Value: p.X.Min, Label: "0"}}

	values := s.scale(area.Size().Y)
	figures := values.figures(s.Unit, s.Currency)
	p.Y.Min, p.Y.Max = values.low, values.high()
	var ticks plot.ConstantTicks
	for _, v := range values.ticks() {
		ticks = append(ticks, plot.Tick{Value: v, Label: figures.text(v)})
	}
	p.Y.Tick.Marker = ticks
	return p
}

// span returns the ends of the date axis in slots. Bars and a single point need half a slot on either side.
func (s sheet) span() (low, high float64) {
	if s.Kind == Bar || s.slots == 1 {
		return -0.5, float64(s.slots) - 0.5
	}
	return 0, float64(s.slots - 1)
}

// scale returns the scale of the value axis for a picture of a given height. It includes zero for bars, and for lines
// unless the lines would become flat.
func (s sheet) scale(high vg.Length) scale {
	low, top := s.extent()
	if s.Kind == Bar || !s.cut(low, top) {
		low, top = min(low, 0), max(top, 0)
	}
	most := int(max(3, min(8, high/55)))
	return niceScale(low, top, most, s.Unit == Count)
}

// cut reports whether the axis of lines between low and top excludes zero: the lines are far above zero and vary
// visibly.
func (s sheet) cut(low, top float64) bool {
	return low > 0 && top-low < .25*top && top-low > .02*top && (s.Unit != Count || top-low >= 5)
}

// extent returns the lowest and highest drawn value, including bands.
func (s sheet) extent() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	see := func(v float64) { low, high = min(low, v), max(high, v) }
	if s.stacks() {
		for _, column := range s.columns() {
			for _, b := range column {
				see(b.from)
				see(b.to)
			}
		}
		return low, high
	}
	for _, t := range s.tracks {
		for _, d := range t.dots {
			see(d.Value)
			if d.Band != nil {
				see(d.Band.Low)
				see(d.Band.High)
			}
		}
	}
	return low, high
}

// dateNames contains the labels of the date axis. Package plot draws the days and months. dateNames draws the years
// below them.
type dateNames struct {
	sheet
	named []dateTick
}

// dateNames labels as many dates as fit in the frame.
func (s sheet) dateNames(frame vg.Rectangle) dateNames {
	low, high := s.span()
	sty := letters(noteSize, s.theme.soft)
	at := func(slot int) float64 { return (float64(slot) - low) / (high - low) * float64(frame.Size().X) }
	wide := func(label string) float64 { return float64(sty.Width(label)) }
	return dateNames{sheet: s, named: s.dateTicks(wide, at)}
}

// Ticks implements plot.Ticker.
func (d dateNames) Ticks(_, _ float64) []plot.Tick {
	ticks := make([]plot.Tick, len(d.named))
	for i, t := range d.named {
		ticks[i] = plot.Tick{Value: float64(t.slot), Label: t.label}
	}
	return ticks
}

// Plot writes the years.
func (d dateNames) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	sty := letters(noteSize, d.theme.soft)
	for _, t := range d.named {
		if t.year == 0 {
			continue
		}
		year := strconv.Itoa(t.year)
		write(c, sty, vg.Point{X: x(float64(t.slot)) - sty.Width(year)/2, Y: c.Min.Y - p.X.Tick.Length - 2.2*noteSize}, year)
	}
}

// paintAxisTitle writes the title above the value axis, and states if the axis does not start at zero.
func (s sheet) paintAxisTitle(area draw.Canvas) draw.Canvas {
	title := s.axisTitle()
	if values := s.scale(area.Size().Y); s.Kind == Line && values.low > 0 {
		figures := values.figures(s.Unit, s.Currency)
		if title != "" {
			title += ", "
		}
		title += "axis starts at " + figures.text(values.low) + ", not at zero"
	}
	if title == "" {
		return draw.Crop(area, 0, 0, 0, -6)
	}
	sty := letters(noteSize, s.theme.soft)
	return draw.Crop(writeTop(area, sty, shortened(sty, title, area.Size().X/widerFont)), 0, 0, 0, -4)
}

// grid draws a line at each labeled value of the axis.
type grid struct{ sheet }

// Plot draws the grid.
func (g grid) Plot(c draw.Canvas, p *plot.Plot) {
	_, y := p.Transforms(&c)
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		c.StrokeLine2(draw.LineStyle{Color: g.theme.grid, Width: 1}, c.Min.X, y(t.Value), c.Max.X, y(t.Value))
	}
}

// zeroLine draws the base line of bars. An axis without zero has a break instead.
type zeroLine struct{ sheet }

// Plot draws the line at zero, or the break at the bottom of the axis.
func (z zeroLine) Plot(c draw.Canvas, p *plot.Plot) {
	_, y := p.Transforms(&c)
	line := draw.LineStyle{Color: z.theme.zero, Width: 1}
	if p.Y.Min <= 0 && p.Y.Max >= 0 {
		c.StrokeLine2(line, c.Min.X, y(0), c.Max.X, y(0))
		return
	}
	foot := c.Min
	line.Width = 1.5
	c.StrokeLines(line, []vg.Point{
		{X: foot.X, Y: foot.Y},
		{X: foot.X, Y: foot.Y + 9},
		{X: foot.X - 4, Y: foot.Y + 11},
		{X: foot.X + 4, Y: foot.Y + 15},
		{X: foot.X, Y: foot.Y + 17},
		{X: foot.X, Y: foot.Y + 26},
	})
}
