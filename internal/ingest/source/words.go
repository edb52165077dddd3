package source

import (
	"hash/maphash"
	"strings"
)

// Words keeps one copy of texts that come again and again: accounts, campaigns, products, states. A text that is part of a
// larger one can be kept through it without the larger one. Its memory is bounded whatever comes.
type Words struct {
	seed maphash.Seed
	kept [wordSlots]string
}

const (
	wordSlots = 4096
	longWord  = 256 // bytes: longer texts seldom come again
)

// NewWords returns words of which none came yet.
func NewWords() *Words { return &Words{seed: maphash.MakeSeed()} }

// Of returns the text in memory of its own.
func (w *Words) Of(text string) string {
	if text == "" {
		return ""
	}
	if len(text) > longWord {
		return strings.Clone(text)
	}
	slot := &w.kept[maphash.String(w.seed, text)%wordSlots]
	if *slot != text {
		*slot = strings.Clone(text)
	}
	return *slot
}
