package chart

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// margin is the empty edge of a picture in CSS pixels.
const margin vg.Length = 16

// Font sizes in CSS pixels, and the line spacing as a multiple of the font size.
const (
	titleSize = 16
	nameSize  = 12
	noteSize  = 11
	lineGap   = 1.35
)

// textLines returns the maximum number of lines of a title and of the notes. A low picture needs its height for the
// values.
func (s sheet) textLines() int {
	if s.Height < roomy {
		return 1
	}
	return 2
}

// widerFont is the relative width of text in DejaVu Sans. Readers without Liberation Sans and Arial see this font.
const widerFont = 1.15

// roomy is the minimum height at which titles and notes may have more than one line.
const roomy = 320

// paint draws the picture on its background, from the title at the top to the notes at the bottom.
func (s sheet) paint(c draw.Canvas) {
	area := draw.Crop(c, margin, -margin, margin, -margin)
	area = s.paintHead(area)
	switch {
	case !s.hasDots:
		s.paintSentence(area, nothing)
	case s.Kind == Pie:
		s.paintPie(s.paintNotes(area, s.notes()))
	default:
		s.paintPlot(area)
	}
}

// paintHead draws the title and the period and returns the area below.
func (s sheet) paintHead(area draw.Canvas) draw.Canvas {
	title := bold(letters(titleSize, s.theme.ink))
	for _, line := range wrapped(title, s.heading(), area.Size().X/widerFont, s.textLines()) {
		area = writeTop(area, title, line)
	}
	if s.slots > 0 {
		small := letters(nameSize, s.theme.soft)
		area = writeTop(area, small, shortened(small, s.period(), area.Size().X/widerFont))
	}
	return draw.Crop(area, 0, 0, 0, -8)
}

// paintSentence writes the reason for an empty picture in its middle.
func (s sheet) paintSentence(area draw.Canvas, sentence string) {
	sty := letters(14, s.theme.soft)
	at := area.Center()
	write(area, sty, vg.Point{X: at.X - width(sty, sentence)/2, Y: at.Y}, sentence)
}

// paintNotes draws the notes at the bottom and returns the area above.
func (s sheet) paintNotes(area draw.Canvas, notes []string) draw.Canvas {
	if len(notes) == 0 {
		return area
	}
	sty := letters(noteSize, s.theme.soft)
	lines := wrapped(sty, strings.Join(notes, " · "), area.Size().X/widerFont, s.textLines())
	for _, line := range slices.Backward(lines) {
		write(area, sty, vg.Point{X: area.Min.X, Y: area.Min.Y + 2}, line)
		area = draw.Crop(area, 0, 0, sty.Font.Size*lineGap, 0)
	}
	return draw.Crop(area, 0, 0, 4, 0)
}

// write draws a line of text from a point on its baseline. Only Latin text is measured exactly, so untrusted text is
// always left-aligned.
func write(c draw.Canvas, sty text.Style, at vg.Point, s string) {
	if s == "" {
		return
	}
	face := sty.Handler.Cache().Lookup(sty.Font, sty.Font.Size)
	c.SetColor(sty.Color)
	c.FillString(face, at, s)
}

// writeTop draws a line of text at the top of the area and returns the area below it.
func writeTop(area draw.Canvas, sty text.Style, s string) draw.Canvas {
	write(area, sty, vg.Point{X: area.Min.X, Y: area.Max.Y - sty.Font.Size*.85}, s)
	return draw.Crop(area, 0, 0, 0, -sty.Font.Size*lineGap)
}

// named is a legend entry: a series and its label.
type named struct {
	text  string
	style style
}

// names returns the legend entries of lines and bars.
func (s sheet) names() []named {
	out := make([]named, len(s.tracks))
	for i, t := range s.tracks {
		out[i] = named{text: t.called(i), style: t.style}
	}
	return out
}

// legendItem is a legend entry and the position of its swatch.
type legendItem struct {
	named
	at vg.Point
}

const legendGap vg.Length = 6 // between a swatch and its name

// paintLegend draws the entries in rows, keeps at least the height leave below them, and returns the area below.
func (s sheet) paintLegend(area draw.Canvas, names []named, leave vg.Length) draw.Canvas {
	sty := letters(nameSize, s.theme.ink)
	items, more := s.legend(area.Rectangle, names, leave)
	for _, item := range items {
		s.paintSwatch(area, item.style, item.at)
		write(area, sty, vg.Point{X: item.at.X + s.swatchWide() + legendGap, Y: item.at.Y - sty.Font.Size*.35}, item.text)
	}
	if len(items) > 0 {
		area.Max.Y = items[len(items)-1].at.Y - legendRow/2
	}
	if more > 0 {
		area = writeTop(area, letters(noteSize, s.theme.soft), fmt.Sprintf("and %d more", more))
	}
	return draw.Crop(area, 0, 0, 0, -8)
}

const legendRow vg.Length = 18

// legend arranges the entries in as many rows as fit, and returns the number of entries without a place.
func (s sheet) legend(area vg.Rectangle, names []named, leave vg.Length) (items []legendItem, more int) {
	const between = 18
	sty := letters(nameSize, s.theme.ink)
	lead := s.swatchWide() + legendGap
	rows := max(1, int((area.Size().Y-leave)/legendRow))
	at := vg.Point{X: area.Min.X, Y: area.Max.Y - legendRow/2}
	for i, n := range names {
		n.text = shortened(sty, n.text, min(area.Size().X-lead, 180))
		wide := lead + width(sty, n.text)
		if at.X > area.Min.X && at.X+wide > area.Max.X {
			at = vg.Point{X: area.Min.X, Y: at.Y - legendRow}
			if rows--; rows == 0 {
				return items, len(names) - i
			}
		}
		items = append(items, legendItem{named: n, at: at})
		at.X += wide + between
	}
	return items, 0
}

// swatchWide returns the width of the swatch before a label. It is wide enough to show dashes.
func (s sheet) swatchWide() vg.Length {
	if s.Kind == Line {
		return 24
	}
	return 12
}

// paintSwatch draws the swatch before the label of a series, from a point on its middle line.
func (s sheet) paintSwatch(c draw.Canvas, look style, at vg.Point) {
	wide := s.swatchWide()
	if s.Kind == Line {
		c.StrokeLine2(draw.LineStyle{Color: look.color, Width: 2, Dashes: look.dashes}, at.X, at.Y, at.X+wide, at.Y)
		s.paintMarker(c, look, vg.Point{X: at.X + wide/2, Y: at.Y}, false)
		return
	}
	box := vg.Rectangle{Min: vg.Point{X: at.X, Y: at.Y - wide/2}, Max: vg.Point{X: at.X + wide, Y: at.Y + wide/2}}
	s.paintBars(c, look, []vg.Rectangle{box})
}
