package chart

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"assay/internal/money"
)

// Curve is a chart of one amount of money as a function of another, such as a response curve. The zero values of Theme,
// Width and Height mean light, 800 and 450.
type Curve struct {
	Title    string
	Across   string // label of the x axis, such as "Spend per month"
	Up       string // label of the y axis
	Currency money.Currency
	Points   []CurvePoint // 2 to 500, in increasing order of At
	BandName string       // name of the bands, such as "90% interval"
	Marks    []CurveMark  // at most 4
	KnownTo  float64      // end of the data's range; the background is gray beyond it; 0: no limit
	Theme    Theme
	Width    int // in CSS pixels, 320 to 4000
	Height   int // in CSS pixels, 200 to 4000
}

// CurvePoint is a value and the interval around it.
type CurvePoint struct {
	At, Value float64
	Band      Band
}

// CurveMark is a labeled position on the x axis, such as "today".
type CurveMark struct {
	At    float64
	Label string
}

const (
	maxCurvePoints = 500
	maxCurveMarks  = 4
)

func (c Curve) check() error {
	switch {
	case len(c.Points) < 2 || len(c.Points) > maxCurvePoints:
		return invalid("a curve of %d points: want 2 to %d", len(c.Points), maxCurvePoints)
	case len(c.Marks) > maxCurveMarks:
		return invalid("%d marks: a curve shows at most %d", len(c.Marks), maxCurveMarks)
	case c.Theme != Light && c.Theme != Dark:
		return invalid("unknown theme %q: want light or dark", c.Theme)
	case c.Width < minWidth || c.Width > maxSide || c.Height < minHeight || c.Height > maxSide:
		return invalid("a curve of %d by %d pixels: want %d to %d by %d to %d", c.Width, c.Height, minWidth, maxSide, minHeight, maxSide)
	}
	for i, p := range c.Points {
		if fits := (Point{Value: p.Value, Band: &p.Band}).drawable() && math.Abs(p.At) <= maxValue; !fits || i > 0 && !(p.At > c.Points[i-1].At) {
			return invalid("point %d of the curve is not a number, or not after the previous one", i)
		}
	}
	return nil
}

// DrawCurve returns the curve as an SVG document. It returns an [InvalidError] if the curve cannot be drawn.
func DrawCurve(c Curve) ([]byte, error) {
	c.Theme, c.Width, c.Height = cmp.Or(c.Theme, Light), cmp.Or(c.Width, defaultWidth), cmp.Or(c.Height, defaultHeight)
	c.Title, c.Across, c.Up, c.BandName = clean(c.Title), clean(c.Across), clean(c.Up), clean(c.BandName)
	if err := c.check(); err != nil {
		return nil, err
	}
	canvas := vgsvg.New(vg.Length(c.Width), vg.Length(c.Height))
	curvePainter{c, paletteOf(c.Theme)}.paint(draw.New(canvas))
	var drawn bytes.Buffer
	if _, err := canvas.WriteTo(&drawn); err != nil {
		return nil, fmt.Errorf("curve %q as SVG: %w", c.Title, err)
	}
	return document(words{cmp.Or(c.Title, "Curve"), c.description(), c.Width, c.Height}, drawn.Bytes())
}

// description describes the picture in text.
func (c Curve) description() string {
	in := Chart{Unit: Money, Currency: c.Currency}
	var b strings.Builder
	fmt.Fprintf(&b, "%s by %s, with %s.", cmp.Or(c.Up, "Value"), cmp.Or(c.Across, "place"), cmp.Or(c.BandName, "interval"))
	last := c.Points[len(c.Points)-1]
	fmt.Fprintf(&b, " At %s: %s (%s to %s).", in.exactly(last.At), in.exactly(last.Value), in.exactly(last.Band.Low), in.exactly(last.Band.High))
	for _, m := range c.Marks {
		fmt.Fprintf(&b, " %s: %s.", clean(m.Label), in.exactly(m.At))
	}
	if c.KnownTo > 0 {
		fmt.Fprintf(&b, " Spend above %s is outside the range of past spend.", in.exactly(c.KnownTo))
	}
	return b.String()
}

// curvePainter draws a checked curve.
type curvePainter struct {
	Curve
	theme palette
}

func (c curvePainter) paint(canvas draw.Canvas) {
	canvas.SetColor(c.theme.ground)
	canvas.Fill(canvas.Path())
	area := draw.Crop(canvas, margin, -margin, margin, -margin)
	title, small := bold(letters(titleSize, c.theme.ink)), letters(noteSize, c.theme.soft)
	for _, line := range wrapped(title, c.Title, area.Size().X/widerFont, 2) {
		area = writeTop(area, title, line)
	}
	area = draw.Crop(writeTop(draw.Crop(area, 0, 0, 0, -4), small, shortened(small, c.named(c.Up), area.Size().X)), 0, 0, 0, -4)
	notes := []string{"Shaded: " + cmp.Or(c.BandName, "interval")}
	if c.grayFrom() < c.last() {
		notes = append(notes, "Gray: outside the range of past spend")
	}
	for _, line := range slices.Backward(wrapped(small, c.named(c.Across)+" · "+strings.Join(notes, " · "), area.Size().X/widerFont, 3)) {
		write(area, small, vg.Point{X: area.Min.X, Y: area.Min.Y + 2}, line)
		area = draw.Crop(area, 0, 0, small.Font.Size*lineGap, 0)
	}
	c.plot(draw.Crop(area, 0, 0, 4, 0)).Draw(draw.Crop(area, 0, 0, 4, 0))
}

// named adds the currency to the name of an axis.
func (c curvePainter) named(axis string) string {
	if c.Currency == "" {
		return axis
	}
	return axis + " (" + string(c.Currency) + ")"
}

func (c curvePainter) last() float64 { return c.Points[len(c.Points)-1].At }

func (c curvePainter) grayFrom() float64 {
	if c.KnownTo <= 0 {
		return math.Inf(1)
	}
	return c.KnownTo
}

func (c curvePainter) plot(area draw.Canvas) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	p.X.Padding, p.Y.Padding = 0, 4
	p.X.Width, p.Y.Width, p.X.Tick.Length, p.Y.Tick.Length = 0, 0, 4, 0
	p.X.Tick.LineStyle = draw.LineStyle{Color: c.theme.zero, Width: 1}
	small := letters(noteSize, c.theme.soft)
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Tick.Label.Font, axis.Tick.Label.Color = small.Font, small.Color
	}
	low, high := 0.0, 0.0
	for _, point := range c.Points {
		low, high = min(low, point.Band.Low), max(high, point.Band.High)
	}
	up := niceScale(low, high, int(max(2, min(6, area.Size().Y/50))), false)
	across := niceScale(c.Points[0].At, c.last(), int(max(2, min(8, area.Size().X/90))), false)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = c.Points[0].At, c.last(), up.low, up.high()
	p.Y.Tick.Marker, p.X.Tick.Marker = c.ticks(up, math.Inf(1)), c.ticks(across, c.last())
	p.Add(c)
	return p
}

func (c curvePainter) ticks(s scale, last float64) plot.ConstantTicks {
	var out plot.ConstantTicks
	figures := s.figures(Money, c.Currency)
	for _, v := range s.ticks() {
		if v <= last {
			out = append(out, plot.Tick{Value: v, Label: figures.text(v)})
		}
	}
	return out
}

// Plot draws the background, the band, the curve and the marks.
func (c curvePainter) Plot(canvas draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&canvas)
	if from := c.grayFrom(); from < c.last() {
		left := x(max(from, c.Points[0].At))
		canvas.FillPolygon(c.theme.grid, []vg.Point{{X: left, Y: canvas.Min.Y}, {X: canvas.Max.X, Y: canvas.Min.Y}, {X: canvas.Max.X, Y: canvas.Max.Y}, {X: left, Y: canvas.Max.Y}})
	}
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		canvas.StrokeLine2(draw.LineStyle{Color: c.theme.grid, Width: 1}, canvas.Min.X, y(t.Value), canvas.Max.X, y(t.Value))
	}
	canvas.StrokeLine2(draw.LineStyle{Color: c.theme.zero, Width: 1}, canvas.Min.X, y(0), canvas.Max.X, y(0))
	var line, band []vg.Point
	for _, point := range c.Points {
		line = append(line, vg.Point{X: x(point.At), Y: y(point.Value)})
		band = append(band, vg.Point{X: x(point.At), Y: y(point.Band.Low)})
	}
	for _, point := range slices.Backward(c.Points) {
		band = append(band, vg.Point{X: x(point.At), Y: y(point.Band.High)})
	}
	look := c.theme.style(0)
	canvas.FillPolygon(faded(look.color, .22), band)
	canvas.StrokeLines(draw.LineStyle{Color: look.color, Width: 2}, line)
	small := letters(noteSize, c.theme.ink)
	for i, m := range c.Marks {
		if m.At < c.Points[0].At || m.At > c.last() {
			continue
		}
		style := draw.LineStyle{Color: c.theme.ink, Width: 1.5}
		if i > 0 {
			style.Dashes = []vg.Length{5, 3}
		}
		canvas.StrokeLine2(style, x(m.At), canvas.Min.Y, x(m.At), canvas.Max.Y)
		label := shortened(small, clean(m.Label), canvas.Size().X/2)
		at := vg.Point{X: x(m.At) + 4, Y: canvas.Max.Y - vg.Length(i+1)*small.Font.Size*lineGap}
		next := canvas.Max.X
		for _, other := range c.Marks {
			if other.At > m.At {
				next = min(next, x(other.At))
			}
		}
		if at.X+width(small, label) > next {
			at.X = x(m.At) - 4 - width(small, label)
		}
		write(canvas, small, at, label)
	}
}
