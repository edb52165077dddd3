package chart

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// endNames names lines where they end.
type endNames struct {
	sheet
	texts []string // one for each series
	wide  vg.Length
}

const (
	endGap  vg.Length = 12 // from the frame to a name's swatch
	endHigh vg.Length = 17 // from one name to the next
)

// endNames returns the names of a few lines, and nil where a legend serves better: many lines, bars, or a picture
// too narrow to give a side to names.
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

// room returns the width that the names take.
func (e *endNames) room() vg.Length {
	if e == nil {
		return 0
	}
	return endGap + e.swatchWide() + 5 + e.wide
}

// end is where a line ends and where its name stands.
type end struct {
	series int
	at     vg.Point
	y      vg.Length
}

// Plot draws the names, each as near to the end of its line as the others allow.
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
		c.StrokeLine2(draw.LineStyle{Color: e.theme.zero, Width: .75}, n.at.X+5, n.at.Y, left-2, n.y)
		e.paintSwatch(c, e.tracks[n.series].style, vg.Point{X: left, Y: n.y})
		write(c, sty, vg.Point{X: left + e.swatchWide() + 5, Y: n.y - sty.Font.Size*.35}, e.texts[n.series])
	}
}

// spread moves names apart, keeping their order, between low and high.
func spread(ends []end, low, high vg.Length) {
	slices.SortStableFunc(ends, func(a, b end) int { return cmp.Compare(b.y, a.y) })
	ceiling := high
	for i := range ends {
		ends[i].y = min(ends[i].y, ceiling)
		ceiling = ends[i].y - endHigh
	}
	floor := low
	for i := len(ends) - 1; i >= 0 && ends[i].y < floor; i-- {
		ends[i].y = floor
		floor += endHigh
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

// markRow is where the name of an annotation stands; row is negative when there is no room for it.
type markRow struct {
	mark
	row  int
	text string
	wide vg.Length
	left bool // the name stands left of its line
}

// markRows gives each annotation's name the lowest row in which it does not touch another, and returns how many
// names found none. It goes from the last to the first, so that a line to a higher row passes no name.
func (s sheet) markRows(frame vg.Rectangle) (rows []markRow, left int) {
	sty := letters(noteSize, s.theme.ink)
	low, high := s.span()
	taken := make([]vg.Length, s.markRowCount()) // where the row's last name begins
	for i := range taken {
		taken[i] = frame.Max.X + 1
	}
	for _, m := range slices.Backward(s.marks) {
		r := markRow{mark: m, row: -1, text: shortened(sty, m.label, min(170, frame.Size().X*.4))}
		r.wide = width(sty, r.text) + 8
		x := frame.Min.X + vg.Length((float64(m.slot)-low)/(high-low))*frame.Size().X
		from := x
		if x+r.wide > frame.Max.X {
			from, r.left = x-r.wide, true
		}
		for row := range taken {
			if from+r.wide <= taken[row] {
				r.row, taken[row] = row, from-6
				break
			}
		}
		if r.row < 0 {
			left++
		}
		rows = append(rows, r)
	}
	return rows, left
}

func depth(rows []markRow) int {
	deepest := 0
	for _, r := range rows {
		deepest = max(deepest, r.row+1)
	}
	return deepest
}

// markLines are the annotations: a line through the picture with its name above.
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

// top is the upper end of the line of an annotation above a picture's ceiling.
func (r markRow) top(ceiling vg.Length) vg.Length { return ceiling + vg.Length(r.row+1)*markHigh }

// plate is where the name of an annotation stands whose line is at x.
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

// paintPlate clears the place of a name from lines that cross it.
func (s sheet) paintPlate(c draw.Canvas, place vg.Rectangle) {
	c.SetColor(s.theme.ground)
	c.Fill(outlines([]vg.Rectangle{place}))
}
