package answer

import (
	"testing"

	"assay/internal/civil"
)

// TestWindow checks the defaults and that a period that has begun ends today at the latest.
func TestWindow(t *testing.T) {
	day := func(text string) (d civil.Date) {
		if text != "" {
			if err := d.UnmarshalText([]byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		return d
	}
	for _, c := range []struct{ start, end, first, last string }{
		{"", "", "2026-02-08", "2026-03-10"},
		{"", "2026-01-31", "2026-01-01", "2026-01-31"},
		{"2026-03-01", "2026-03-31", "2026-03-01", "2026-03-10"},
		{"2026-03-10", "2026-03-11", "2026-03-10", "2026-03-10"},
		{"", "2026-12-31", "2026-02-08", "2026-03-10"},
		{"2026-03-11", "2026-03-31", "2026-03-11", "2026-03-31"}, // no day has begun: the answer has no data
		{"2025-03-01", "2025-03-31", "2025-03-01", "2025-03-31"},
	} {
		got, err := Window(day("2026-03-10"), day(c.start), day(c.end), 30)
		if want := (civil.Range{First: day(c.first), Last: day(c.last)}); err != nil || got != want {
			t.Errorf("%q to %q: %s to %s, %v; want %s to %s", c.start, c.end, got.First, got.Last, err, want.First, want.Last)
		}
	}
	if _, err := Window(day("2026-03-10"), day("2026-03-11"), day(""), 30); err == nil {
		t.Error("a period that starts after its default end is accepted")
	}
}
