package chart

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"strings"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/text/unicode/bidi"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// png draws the sheet with so many dots for each CSS pixel.
func (s sheet) png(density float64) ([]byte, error) {
	if !(density >= 0.5 && density <= 8) || density*density*float64(s.Width*s.Height) > maxDots {
		return nil, invalid("%v dots for a pixel: want 0.5 to 8, and at most %d dots in all", density, int(maxDots))
	}
	canvas := vgimg.NewWith(
		vgimg.UseWH(vg.Length(s.Width), vg.Length(s.Height)),
		vgimg.UseDPI(int(density*float64(vg.Inch)+.5)),
		vgimg.UseBackgroundColor(s.theme.ground),
	)
	s.paint(draw.New(raster{canvas}))
	var out bytes.Buffer
	if err := png.Encode(&out, indexed(canvas.Image(), s.theme.ground)); err != nil {
		return nil, fmt.Errorf("chart %q as PNG: %w", s.Title, err)
	}
	return out.Bytes(), nil
}

// indexed returns the picture with one byte a dot, which is encoded in a quarter of the time. A picture of more than 256
// colours, all of them shades between a line and the ground, loses the lowest bits of a shade until they fit; the
// ground stays as it is.
func indexed(img image.Image, ground color.RGBA) image.Image {
	full, ok := img.(*image.RGBA)
	if !ok {
		return img
	}
	for dropped := range 6 {
		if out := inShades(full, ground, dropped); out != nil {
			return out
		}
	}
	return img
}

// inShades returns the picture in the colours that differ without so many of their lowest bits, nil when they are too
// many. Each is shown as it was met first.
func inShades(full *image.RGBA, ground color.RGBA, dropped int) *image.Paletted {
	out := image.NewPaletted(full.Rect, color.Palette{ground})
	cut := func(c color.RGBA) color.RGBA {
		return color.RGBA{R: c.R >> dropped, G: c.G >> dropped, B: c.B >> dropped, A: c.A >> dropped}
	}
	known := map[color.RGBA]uint8{cut(ground): 0}
	last, lastIndex := ground, uint8(0)
	for i := range out.Pix {
		c := color.RGBA{R: full.Pix[4*i], G: full.Pix[4*i+1], B: full.Pix[4*i+2], A: full.Pix[4*i+3]}
		if c != last {
			index, met := known[cut(c)]
			if !met {
				if len(out.Palette) == 256 {
					return nil
				}
				index = uint8(len(out.Palette))
				known[cut(c)], out.Palette = index, append(out.Palette, c)
			}
			last, lastIndex = c, index
		}
		out.Pix[i] = lastIndex
	}
	return out
}

// raster is a canvas of dots. It does for texts what a browser does for an SVG.
type raster struct{ *vgimg.Canvas }

// FillString draws a text in the order in which it is seen, with a box for each letter that the font lacks.
func (r raster) FillString(face font.Face, at vg.Point, s string) {
	r.Canvas.FillString(face, at, boxed(face, visual(s)))
}

// boxed puts a box in the place of each letter that the font lacks.
func boxed(face font.Face, s string) string {
	const box = '□'
	var buf sfnt.Buffer
	return strings.Map(func(r rune) rune {
		switch i, err := face.Face.GlyphIndex(&buf, r); {
		case err == nil && i != 0:
			return r
		case joins(r):
			return -1
		}
		return box
	}, s)
}

// visual turns runs of letters that are read from the right around, because the canvas draws from the left.
func visual(s string) string {
	var p bidi.Paragraph
	if _, err := p.SetString(s, bidi.DefaultDirection(bidi.LeftToRight)); err != nil {
		return s
	}
	order, err := p.Order()
	if err != nil || order.NumRuns() == 0 {
		return s
	}
	var b strings.Builder
	for i := range order.NumRuns() {
		run := order.Run(i)
		if run.Direction() == bidi.RightToLeft {
			b.WriteString(bidi.ReverseString(run.String()))
			continue
		}
		b.WriteString(run.String())
	}
	return b.String()
}
