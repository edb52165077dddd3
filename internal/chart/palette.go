package chart

import (
	"image/color"

	"gonum.org/v1/plot/vg"
)

// palette contains the colors of a theme.
type palette struct {
	ground color.RGBA // background
	ink    color.RGBA // titles and names
	soft   color.RGBA // axes and notes
	grid   color.RGBA
	zero   color.RGBA // the line at zero
	series [6]color.RGBA
}

// palettes are the colors of the themes. The series colors derive from Okabe and Ito (2008). Each has a contrast of at
// least 3 to 1 with its background. Any two differ with and without protanopia, deuteranopia and tritanopia (Machado
// and others, 2009). More than six colors are not distinguishable, so the next six series have the same colors with
// dashes.
var palettes = map[Theme]palette{
	Light: {
		ground: rgb(0xffffff), ink: rgb(0x1b2226), soft: rgb(0x4f5b62), grid: rgb(0xe3e7e4), zero: rgb(0x7d878c),
		series: [6]color.RGBA{rgb(0x395a7b), rgb(0xdd6a00), rgb(0x2ea39c), rgb(0x9658d8), rgb(0x7d4a00), rgb(0x312744)},
	},
	Dark: {
		ground: rgb(0x1d2226), ink: rgb(0xe8ecee), soft: rgb(0xa9b5bc), grid: rgb(0x343c42), zero: rgb(0x7f8a91),
		series: [6]color.RGBA{rgb(0x607dce), rgb(0xff8303), rgb(0x32c097), rgb(0xbea2ff), rgb(0xf1e552), rgb(0xb2fff2)},
	},
}

func paletteOf(t Theme) palette { return palettes[t] }

func rgb(hex uint32) color.RGBA {
	return color.RGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: 0xff}
}

// faded returns the color at an opacity from 0 to 1.
func faded(c color.RGBA, opacity float64) color.NRGBA {
	return color.NRGBA{R: c.R, G: c.G, B: c.B, A: uint8(opacity*255 + .5)}
}

// shape is the outline of a marker.
type shape int

// The shapes are in the order in which series use them.
const (
	circle shape = iota
	square
	triangle
	diamond
	wedge // a triangle on its tip
	cross
	shapes
)

// style is the appearance of a series in lines, bars, slices and the legend.
type style struct {
	color   color.RGBA
	shape   shape
	striped bool        // bars and slices of the second six series are striped
	dashes  []vg.Length // dash pattern of the lines of the second six series; nil for a solid line
}

// dotted is the dash pattern of the line to a point with an incomplete period. No series uses it.
var dotted = []vg.Length{1.5, 3}

func (p palette) style(series int) style {
	s := style{color: p.series[series%len(p.series)], shape: shape(series) % shapes}
	if series >= len(p.series) {
		s.striped, s.dashes = true, []vg.Length{6, 3}
	}
	return s
}
