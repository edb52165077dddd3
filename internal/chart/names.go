package chart

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// endNames labels lines at their ends.
type endNames struct {
	sheet
	texts []string // one for each series
	wide  vg.Length
}

const (
	endGap  vg.Length = 12 // distance from the frame to a name's swatch
	endHigh vg.Length = 17 // distance from one name to the next
	nearEnd vg.Length = 30 // width at the frame's edge within which a line is joined to its name
)

// endNames returns the labels of a few lines. It returns nil if the chart needs no legend, or if a legend is easier to
// read: for many lines, for bars, and for a picture too narrow for labels.
func (s sheet) endNames(wide vg.Length) *endNames {
	if s.Kind != Line || len(s.tracks) > directNames || wide < besideWidth || !s.needsLegend() {
		return nil
	}
	sty := letters(nameSize, s.theme.ink)
	e := &endNames{sheet: s, texts: make([]string, len(s.tracks))}
	for i, t := range s.tracks {
		e.texts[i] = shortened(sty, t.called(i), wide*.22)
		e.wide = max(e.wide, width(sty, e.texts[i]))
	}
	return e
}

// room returns the width that the names occupy.
func (e *endNames) room() vg.Length {
	if e == nil {
		return 0
	}
	return endGap + e.swatchWide() + 5 + e.wide
}

// end is the end of a line and the position of its label.
type end struct {
	series int
	at     vg.Point
	y      vg.Length
}

// Plot draws the labels, each as near to the end of its line as the other labels allow.
func (e *endNames) Plot(c draw.Canvas, p *plot.Plot) {
	if e == nil {
		return
	}
	x, y := p.Transforms(&c)
	var ends []end
	for i, t := range e.tracks {
		if len(t.dots) > 0 {
			last := t.dots[len(t.dots)-1]
			at := vg.Point{X: x(float64(last.slot)), Y: y(last.Value)}
			ends = append(ends, end{series: i, at: at, y: at.Y})
		}
	}
	spread(ends, c.Min.Y, c.Max.Y)
	sty := letters(nameSize, e.theme.ink)
	left := c.Max.X + endGap
	for _, n := range ends {
		if n.at.X > c.Max.X-nearEnd { // a longer connector would look like data
			c.StrokeLine2(draw.LineStyle{Color: e.theme.zero, Width: .75}, n.at.X+5, n.at.Y, left-2, n.y)
		}
		e.paintSwatch(c, e.tracks[n.series].style, vg.Point{X: left, Y: n.y})
		write(c, sty, vg.Point{X: left + e.swatchWide() + 5, Y: n.y - sty.Font.Size*.35}, e.texts[n.series])
	}
}

func spread(ends []end, low, high vg.Length) {
	Spread(ends, func(e *end) *vg.Length { return &e.y }, endHigh, low, high)
}

// Spread moves labels apart, so that their positions differ by at least gap, and keeps their order. The labels stay
// between low and high if there is room. Spread sorts the labels from high to low.
func Spread[L any, F ~float64](labels []L, at func(*L) *F, gap, low, high F) {
	slices.SortStableFunc(labels, func(a, b L) int { return cmp.Compare(*at(&b), *at(&a)) })
	ceiling := high
	for i := range labels {
		y := at(&labels[i])
		*y = min(*y, ceiling)
		ceiling = *y - gap
	}
	floor := low
	for i := len(labels) - 1; i >= 0 && *at(&labels[i]) < floor; i-- {
		*at(&labels[i]) = floor
		floor += gap
	}
}

// markHigh is the height of a row of annotations.
const markHigh vg.Length = 15

func (s sheet) markRowCount() int {
	if s.Height < roomy {
		return 1
	}
	return 3
}

// markRow is the position of an annotation's label. The field row is negative if there is no room for the label.
type markRow struct {
	mark
	row  int
	at   vg.Length // position of its line
	text string
	wide vg.Length
	left bool // the label is left of its line
}

// markRows assigns a row to each annotation's label. A label touches no other label and does not cross the line of a
// label in a higher row. Its own line crosses no label in a lower row. markRows also returns the number of labels
// without a row. Labels are right of their lines in the lowest possible row, or on either side if more of them fit that
// way.
func (s sheet) markRows(frame vg.Rectangle) (rows []markRow, left int) {
	var right, either []markRow // positions to try, best first
	for row := range s.markRowCount() {
		right = append(right, markRow{row: row})
		either = append(either, markRow{row: row}, markRow{row: row, left: true})
	}
	for row := range s.markRowCount() {
		right = append(right, markRow{row: row, left: true})
	}
	rows, left = s.settled(frame, right)
	if other, fewer := s.settled(frame, either); fewer < left {
		return other, fewer
	}
	return rows, left
}

// settled assigns to each label the first position in which it disturbs no other label.
func (s sheet) settled(frame vg.Rectangle, places []markRow) (rows []markRow, left int) {
	sty := letters(noteSize, s.theme.ink)
	low, high := s.span()
	for _, m := range slices.Backward(s.marks) {
		r := markRow{mark: m, row: -1, text: shortened(sty, m.label, min(170, frame.Size().X*.4))}
		r.wide = width(sty, r.text) + 8
		r.at = frame.Min.X + vg.Length((float64(m.slot)-low)/(high-low))*frame.Size().X
		at := slices.IndexFunc(places, func(p markRow) bool {
			r.row, r.left = p.row, p.left
			plate := r.plate(r.at, frame.Max.Y)
			return plate.Min.X >= frame.Min.X-4 && plate.Max.X <= frame.Max.X && !slices.ContainsFunc(rows, r.disturbs)
		})
		if at < 0 {
			r.row = -1
			left++
		}
		rows = append(rows, r)
	}
	return rows, left
}

// disturbs reports whether two labels touch or the line of one label crosses the other label.
func (r markRow) disturbs(other markRow) bool {
	const apart = 4
	mine, theirs := r.plate(r.at, 0), other.plate(other.at, 0)
	within := func(x vg.Length, p vg.Rectangle) bool { return x > p.Min.X-apart/2 && x < p.Max.X+apart/2 }
	switch {
	case other.row < 0:
		return false
	case other.row == r.row:
		return mine.Min.X < theirs.Max.X+apart && theirs.Min.X < mine.Max.X+apart
	case other.row > r.row:
		return within(other.at, mine)
	}
	return within(r.at, theirs)
}

func depth(rows []markRow) int {
	deepest := 0
	for _, r := range rows {
		deepest = max(deepest, r.row+1)
	}
	return deepest
}

// markLines draws the annotations. Each annotation is a line through the picture with its label above.
type markLines struct {
	sheet
	rows []markRow
}

// Plot draws the annotations.
func (m markLines) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	for _, r := range m.rows {
		at := x(float64(r.slot))
		c.StrokeLine2(draw.LineStyle{Color: m.theme.soft, Width: 1, Dashes: []vg.Length{4, 3}}, at, c.Min.Y, at, r.top(c.Max.Y))
	}
	sty := letters(noteSize, m.theme.ink)
	for _, r := range m.rows {
		if r.row < 0 {
			continue
		}
		plate := r.plate(x(float64(r.slot)), c.Max.Y)
		m.paintPlate(c, plate)
		write(c, sty, vg.Point{X: plate.Min.X + 2, Y: plate.Max.Y - 10}, r.text)
	}
}

// top returns the upper end of an annotation's line. The parameter ceiling is the top of the picture.
func (r markRow) top(ceiling vg.Length) vg.Length { return ceiling + vg.Length(r.row+1)*markHigh }

// plate returns the rectangle of an annotation's label. The annotation's line is at x.
func (r markRow) plate(x, ceiling vg.Length) vg.Rectangle {
	from := x + 4
	if r.left {
		from -= r.wide
	}
	return vg.Rectangle{
		Min: vg.Point{X: from - 2, Y: r.top(ceiling) - markHigh + 1},
		Max: vg.Point{X: from + r.wide - 6, Y: r.top(ceiling)},
	}
}

// paintPlate clears the background of a label, so that no line crosses its text.
func (s sheet) paintPlate(c draw.Canvas, place vg.Rectangle) {
	c.SetColor(s.theme.ground)
	c.Fill(outlines([]vg.Rectangle{place}))
}
