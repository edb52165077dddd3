package source

import (
	"fmt"
	"strings"
	"testing"
	"unsafe"
)

func TestWordsAreCopiedOutOfTheirText(t *testing.T) {
	t.Parallel()
	w := NewWords()
	line := strings.Repeat("campaign ", 100)
	for i := range 3 * wordSlots {
		text := fmt.Sprint(i)
		if got := w.Of(text); got != text {
			t.Fatalf("Of(%q) = %q", text, got)
		}
	}
	for _, text := range []string{line[:8], line[:longWord+1]} {
		if got := w.Of(text); got != text || unsafe.StringData(got) == unsafe.StringData(text) {
			t.Errorf("Of(%q) = %q, want a copy", text, got)
		}
	}
	if first, second := w.Of(line[:8]), w.Of(line[9:17]); unsafe.StringData(first) != unsafe.StringData(second) {
		t.Error("the same word is kept twice")
	}
}
