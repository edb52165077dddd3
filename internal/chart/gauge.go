package chart

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"assay/internal/money"
)

// Gauge is a chart of one figure and its goal. It shows the actual value as a bar, the expected final value with two
// intervals, and the goal as a line. The zero values of Unit, Theme and Width mean a count, light and 480.
type Gauge struct {
	Title    string
	Unit     Unit
	Currency money.Currency // of Money
	Actual   float64        // negative when refunds exceed sales
	Expected *float64       // nil: unknown
	Inner    *Band          // narrower interval around Expected; nil for none
	Outer    *Band
	Bands    string  // name of the intervals, such as "80% and 95% interval"
	Goal     float64 // 0: none
	Theme    Theme
	Width    int // in CSS pixels, 240 to 4000
}

const (
	gaugeHeight  = 136
	gaugeWidth   = 480
	narrowestBar = 240
)

func (g Gauge) check() error {
	values := []float64{g.Actual, g.Goal}
	if g.Expected != nil {
		values = append(values, *g.Expected)
	}
	for _, b := range []*Band{g.Inner, g.Outer} {
		if b != nil {
			values = append(values, b.Low, b.High)
			if b.Low > b.High {
				return invalid("an interval from %v to %v", b.Low, b.High)
			}
		}
	}
	for _, v := range values {
		if !(Point{Value: v}).drawable() {
			return invalid("%v on a gauge", v)
		}
	}
	if g.Goal < 0 {
		return invalid("a goal of %v: want 0 for none, or more", g.Goal)
	}
	switch {
	case g.Theme != Light && g.Theme != Dark:
		return invalid("unknown theme %q: want light or dark", g.Theme)
	case g.Width < narrowestBar || g.Width > maxSide:
		return invalid("a gauge of %d pixels: want %d to %d", g.Width, narrowestBar, maxSide)
	}
	return nil
}

// DrawGauge returns the gauge as an SVG document. It returns an [InvalidError] if the gauge cannot be drawn.
func DrawGauge(g Gauge) ([]byte, error) {
	g.Theme, g.Width, g.Unit = cmp.Or(g.Theme, Light), cmp.Or(g.Width, gaugeWidth), cmp.Or(g.Unit, Count)
	g.Title, g.Bands = clean(g.Title), clean(g.Bands)
	if err := g.check(); err != nil {
		return nil, err
	}
	canvas := vgsvg.New(vg.Length(g.Width), gaugeHeight)
	gaugePainter{g, paletteOf(g.Theme)}.paint(draw.New(canvas))
	var drawn bytes.Buffer
	if _, err := canvas.WriteTo(&drawn); err != nil {
		return nil, fmt.Errorf("gauge %q as SVG: %w", g.Title, err)
	}
	return document(words{cmp.Or(g.Title, "Gauge"), g.description(), g.Width, gaugeHeight}, drawn.Bytes())
}

// description describes the picture in text.
func (g Gauge) description() string {
	in := Chart{Unit: g.Unit, Currency: g.Currency}
	var text strings.Builder
	fmt.Fprintf(&text, "So far: %s.", in.exactly(g.Actual))
	if g.Expected != nil {
		fmt.Fprintf(&text, " Expected at the end: %s", in.exactly(*g.Expected))
		for _, b := range []*Band{g.Inner, g.Outer} {
			if b != nil {
				fmt.Fprintf(&text, ", %s to %s", in.exactly(b.Low), in.exactly(b.High))
			}
		}
		if g.Bands != "" {
			text.WriteString(" (" + g.Bands + ")")
		}
		text.WriteByte('.')
	}
	if g.Goal > 0 {
		fmt.Fprintf(&text, " Target: %s.", in.exactly(g.Goal))
	}
	return text.String()
}

// gaugePainter draws a checked gauge.
type gaugePainter struct {
	Gauge
	theme palette
}

// reach returns the smallest and largest value of the axis. The range always includes 0.
func (g gaugePainter) reach() (low, high float64) {
	low, high = min(0, g.Actual), max(g.Actual, g.Goal, smallest)
	if g.Expected != nil {
		low, high = min(low, *g.Expected), max(high, *g.Expected)
	}
	for _, b := range []*Band{g.Inner, g.Outer} {
		if b != nil {
			low, high = min(low, b.Low), max(high, b.High)
		}
	}
	return low, high
}

func (g gaugePainter) paint(canvas draw.Canvas) {
	canvas.SetColor(g.theme.ground)
	canvas.Fill(canvas.Path())
	area := draw.Crop(canvas, margin, -margin, margin/2, -margin/2)
	small := letters(noteSize, g.theme.soft)
	title := bold(letters(titleSize-2, g.theme.ink))
	area = writeTop(area, title, shortened(title, g.Title, area.Size().X/widerFont))

	low, high := g.reach()
	s := niceScale(low, high, int(max(2, min(6, area.Size().X/80))), g.Unit == Count && high > 5)
	x := func(v float64) vg.Length { return area.Min.X + area.Size().X*vg.Length((v-s.low)/(s.high()-s.low)) }
	foot := area.Min.Y + small.Font.Size*lineGap
	figures := s.figures(g.Unit, g.Currency)
	for _, t := range s.ticks() {
		canvas.StrokeLine2(draw.LineStyle{Color: g.theme.grid, Width: 1}, x(t), foot+4, x(t), area.Max.Y-20)
		label := figures.text(t)
		at := min(max(area.Min.X, x(t)-width(small, label)/2), area.Max.X-width(small, label))
		write(canvas, small, vg.Point{X: at, Y: area.Min.Y + 2}, label)
	}
	middle, look := (foot+4+area.Max.Y-20)/2, g.theme.style(0).color
	bar := func(low, high float64, half vg.Length, opacity float64) {
		canvas.FillPolygon(faded(look, opacity), []vg.Point{{X: x(low), Y: middle - half}, {X: x(high), Y: middle - half}, {X: x(high), Y: middle + half}, {X: x(low), Y: middle + half}})
	}
	if g.Outer != nil {
		bar(g.Outer.Low, g.Outer.High, 17, .22)
	}
	if g.Inner != nil {
		bar(g.Inner.Low, g.Inner.High, 17, .35)
	}
	bar(0, g.Actual, 7, 1)
	if g.Expected != nil {
		canvas.StrokeLine2(draw.LineStyle{Color: g.theme.ink, Width: 2}, x(*g.Expected), middle-17, x(*g.Expected), middle+17)
	}
	if g.Goal > 0 {
		canvas.StrokeLine2(draw.LineStyle{Color: g.theme.style(1).color, Width: 3}, x(g.Goal), middle-23, x(g.Goal), middle+23)
		ink := letters(noteSize, g.theme.ink)
		label := "target " + Chart{Unit: g.Unit, Currency: g.Currency}.exactly(g.Goal)
		at := min(max(area.Min.X, x(g.Goal)-width(ink, label)/2), area.Max.X-width(ink, label))
		write(canvas, ink, vg.Point{X: at, Y: area.Max.Y - 14}, label)
	}
}
