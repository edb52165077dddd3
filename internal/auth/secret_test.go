package auth

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func TestKeysHaveTheDocumentedForm(t *testing.T) {
	t.Parallel()
	// The checksums are from Python's zlib.crc32, converted to base62 by hand.
	for _, text := range []string{
		"asy_000000000000000000000000000000" + "2C8GjS",
		"asy_abcdefghijklmnopqrstuvwxyzABCD" + "4dNndU",
		"asy_x00000000000000000000000000160" + "00topH", // padded with zeros
	} {
		if s, ok := ParseKey(text); !ok || string(s) != text {
			t.Errorf("ParseKey(%q) = %q, %v; want the key", text, string(s), ok)
		}
	}
}

func TestNewKeysParseAndUseTheWholeAlphabet(t *testing.T) {
	t.Parallel()
	seen := make(map[Secret]bool)
	counts := make(map[rune]int)
	for range 2000 {
		s := NewSecret()
		if _, ok := ParseKey(string(s)); !ok || seen[s] {
			t.Fatalf("key %q: parses %v, seen before %v", string(s), ok, seen[s])
		}
		seen[s] = true
		for _, c := range string(s[len(KeyPrefix) : len(KeyPrefix)+secretLen]) {
			counts[c]++
		}
	}
	// Among 60,000 characters, each of the 62 kinds has an expected count of 968, with a standard deviation of 31. Ten
	// standard deviations do not occur by chance. If NewSecret did not draw again for 62 and 63, two characters would
	// be twice as frequent.
	for _, c := range base62 {
		if n := counts[c]; n < 968-310 || n > 968+310 {
			t.Errorf("%q occurs %d times in 60000, want about 968", c, n)
		}
	}
}

func TestMalformedKeysAreRejected(t *testing.T) {
	t.Parallel()
	good := "asy_abcdefghijklmnopqrstuvwxyzABCD4dNndU"
	bad := []string{
		"", "asy_", good[:39], good + "0", strings.ToUpper(good), "ASY_" + good[4:], "asy-" + good[4:], " " + good,
		"asy_" + strings.Repeat("0", 36), "asy_" + strings.Repeat("A", 36),
		"asy_bbcdefghijklmnopqrstuvwxyzABCD4dNndU", // one character mistyped
		"asy_bacdefghijklmnopqrstuvwxyzABCD4dNndU", // two exchanged
		"asy_abcdefghijklmnopqrstuvwxyzABCD4dNndV", // in the checksum
		"asy_abcdefghijklmnopqrstuvwxyzAB-D4dNndU",
		"asy_abcdefghijklmnopqrstuvwxyzAé0D4dNnd",
	}
	for _, text := range bad {
		if s, ok := ParseKey(text); ok {
			t.Errorf("ParseKey(%q) = %q, want none", text, string(s))
		}
	}
}

func TestKeysDoNotPrintThemselves(t *testing.T) {
	t.Parallel()
	s := Secret("asy_abcdefghijklmnopqrstuvwxyzABCD4dNndU")
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("key", slog.Any("key", s))
	printed := fmt.Sprintf("%s %v %+v %#v %q", s, s, s, s, s) + log.String()
	if strings.Contains(printed, "efgh") {
		t.Errorf("the key is shown: %s", printed)
	}
	if s.Hint() != "abcd" {
		t.Errorf("Hint = %q, want abcd", s.Hint())
	}
	if got := Secret("x").String(); got != "asy_…" {
		t.Errorf("String of a text that is not a key = %q", got)
	}
}

func FuzzParseKey(f *testing.F) {
	f.Add("asy_abcdefghijklmnopqrstuvwxyzABCD4dNndU")
	f.Add("asy_" + strings.Repeat("0", 36))
	f.Add("Bearer asy_")
	f.Fuzz(func(t *testing.T, text string) {
		s, ok := ParseKey(text)
		if !ok {
			return
		}
		if string(s) != text || len(text) != keyLen {
			t.Errorf("ParseKey(%q) = %q", text, string(s))
		}
		// A CRC detects every single error.
		for i := len(KeyPrefix); i < len(text); i++ {
			other := byte('0')
			if text[i] == other {
				other = '1'
			}
			if _, ok := ParseKey(text[:i] + string(other) + text[i+1:]); ok {
				t.Errorf("%q is accepted with a mistake at %d", text, i)
			}
		}
	})
}
