package source

import (
	"hash/maphash"
	"strings"
)

// Words interns repeated texts, such as accounts, campaigns, products and states. An interned text has its own memory,
// so the garbage collector can free a larger text that contained it. The memory of Words is bounded.
type Words struct {
	seed maphash.Seed
	kept [wordSlots]string
}

const (
	wordSlots = 4096
	longWord  = 256 // in bytes; longer texts rarely repeat
)

// NewWords returns an empty set.
func NewWords() *Words { return &Words{seed: maphash.MakeSeed()} }

// Of returns a copy of the text in its own memory.
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
