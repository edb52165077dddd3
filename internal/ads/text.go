package ads

import (
	"strings"
	"unicode"
)

// Clean prepares a text of a platform for display. It removes control characters and invisible formatting characters,
// collapses blanks, and shortens the text to at most the given number of characters and an ellipsis.
func Clean(text string, most int) string {
	var b strings.Builder
	n, blank := 0, false
	for _, r := range text {
		switch {
		case unicode.IsSpace(r):
			blank = true
			continue
		case unicode.In(r, unicode.C, unicode.Zl, unicode.Zp) || r == unicode.ReplacementChar:
			continue
		}
		if blank && n > 0 {
			b.WriteByte(' ')
			n++
		}
		blank = false
		if n >= most {
			return strings.TrimRight(b.String(), " ") + "…"
		}
		b.WriteRune(r)
		n++
	}
	return b.String()
}

// The lengths of texts from platforms.
const (
	MaxName    = 200
	MaxMessage = 400
	MaxStatus  = 60
)
