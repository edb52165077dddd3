package mcp

import (
	"strings"
	"unicode"

	"assay/internal/spelling"
)

// maxNameLength is the maximum length in bytes of an unknown name. For a longer name, [Nearest] returns "" without a
// search.
const maxNameLength = 64

// nearest returns the parameter with the closest name, or nil.
func (o *object) nearest(name string) *parameter {
	names := make([]string, len(o.parameters))
	for i, p := range o.parameters {
		names[i] = p.name
	}
	return o.byName[Nearest(name, names)]
}

// Nearest returns the closest known word. It ignores case, spaces, hyphens and underscores. The maximum edit distance
// is a third of the word's length, but at least two. If no word is that close, Nearest returns a known word that
// contains the given word, or that the given word contains. Without a match, it returns "".
func Nearest(word string, known []string) string {
	if len(word) > maxNameLength {
		return ""
	}
	word = bareWord(word)
	best, distance := "", max(2, len(word)/3)+1
	for _, k := range known {
		if d := spelling.Distance(word, bareWord(k)); d < distance && d < len(k) {
			best, distance = k, d
		}
	}
	if best != "" || len(word) < 3 {
		return best
	}
	for _, k := range known {
		if strings.Contains(bareWord(k), word) || strings.Contains(word, bareWord(k)) {
			return k
		}
	}
	return ""
}

func bareWord(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == ' ' {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}
