package chart

import (
	"image/color"
	"strings"
	"unicode"

	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot"
	plotfont "gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

const (
	maxText       = 300 // maximum number of letters; longer text is cut before it is measured
	maxAccents    = 4   // maximum number of marks on one letter; scripts need up to three
	zeroJoiner    = '\u200d'
	zeroNonJoiner = '\u200c'
)

// clean makes untrusted text safe to draw. The result is one line of valid letters, without control characters,
// direction overrides and stacks of accents.
func clean(s string) string {
	var b strings.Builder
	letters, accents := 0, 0
	for _, r := range strings.ToValidUTF8(s, "\ufffd") {
		switch {
		case unicode.IsSpace(r):
			r = ' '
		case r == zeroJoiner, r == zeroNonJoiner:
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Co, r), r&0xfffe == 0xfffe:
			continue
		}
		if unicode.Is(unicode.M, r) {
			if accents++; accents > maxAccents {
				continue
			}
		} else {
			accents = 0
		}
		if letters++; letters > maxText {
			break
		}
		b.WriteRune(r)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// letters returns a text style with a font size in CSS pixels.
func letters(size float64, ink color.Color) text.Style {
	return text.Style{
		Color:   ink,
		Font:    plotfont.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Length(size)},
		Handler: plot.DefaultTextHandler,
	}
}

func bold(s text.Style) text.Style {
	s.Font.Weight = font.WeightBold
	return s
}

// width returns the width of a text in the picture. A character that the built-in font lacks has the width of an emoji,
// because the reader's font draws it.
func width(sty text.Style, s string) vg.Length {
	face := sty.Handler.Cache().Lookup(sty.Font, sty.Font.Size)
	var buf sfnt.Buffer
	var foreign vg.Length
	known := strings.Map(func(r rune) rune {
		if i, err := face.Face.GlyphIndex(&buf, r); err == nil && i != 0 {
			return r
		}
		if !joins(r) {
			foreign += 1.3 * sty.Font.Size
		}
		return -1
	}, s)
	return sty.Width(known) + foreign
}

// joins reports whether r only modifies the preceding letter.
func joins(r rune) bool {
	isSkinTone := r >= 0x1f3fb && r <= 0x1f3ff
	return unicode.Is(unicode.M, r) || r == zeroJoiner || r == zeroNonJoiner || isSkinTone
}

// shortened returns the text if its width is at most the parameter most. Otherwise, it returns the longest prefix that
// fits with an ellipsis.
func shortened(sty text.Style, s string, most vg.Length) string {
	if width(sty, s) <= most {
		return s
	}
	all := []rune(s)
	low, high := 0, len(all) // low runes fit, high do not
	for low+1 < high {
		if mid := (low + high) / 2; width(sty, string(all[:mid])+"…") <= most {
			low = mid
		} else {
			high = mid
		}
	}
	for low > 0 && (joins(all[low]) || all[low-1] == zeroJoiner) {
		low--
	}
	return strings.TrimRight(string(all[:low]), " ") + "…"
}

// wrapped breaks a text between words. The parameter lines is the maximum number of lines. wrapped replaces the text
// beyond them with an ellipsis.
func wrapped(sty text.Style, s string, most vg.Length, lines int) []string {
	var out []string
	for s != "" && len(out) < lines-1 && width(sty, s) > most {
		cut := lastBreak(sty, s, most)
		if cut == 0 {
			break
		}
		out = append(out, s[:cut])
		s = s[cut+1:]
	}
	if s == "" {
		return out
	}
	return append(out, shortened(sty, s, most))
}

// lastBreak returns the position of the last space that can end a line. The parameter most is the maximum width of the
// line. lastBreak returns 0 if there is no such space.
func lastBreak(sty text.Style, s string, most vg.Length) int {
	best := 0
	for i, r := range s {
		if r != ' ' {
			continue
		}
		if width(sty, s[:i]) > most {
			break
		}
		best = i
	}
	return best
}
