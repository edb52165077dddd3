package app

import (
	"errors"
	"testing"
	"time"
)

// Findings are computed at startup and after each completed change. If data change continuously, findings are computed
// every five minutes.
func TestFindingsAreComputedAfterEachChange(t *testing.T) {
	t.Parallel()
	var f freshness[string]
	start := time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)
	for _, step := range []struct {
		after time.Duration
		state string
		want  bool
	}{
		{0, "first", true},
		{10 * time.Second, "first", false},
		{20 * time.Second, "half an import", false},
		{30 * time.Second, "an import", false},
		{40 * time.Second, "an import", true},
		{50 * time.Second, "an import", false},
		{5*time.Minute + 20*time.Second, "order 1", false},
		{5*time.Minute + 30*time.Second, "order 2", false},
		{5*time.Minute + 40*time.Second, "order 3", true},
		{5*time.Minute + 50*time.Second, "order 4", false},
	} {
		got := f.due(step.state, start.Add(step.after))
		if got != step.want {
			t.Errorf("%s after %s: %t, want %t", step.state, step.after, got, step.want)
		}
		if got {
			f.computed(step.state, nil)
		}
	}
	late := start.Add(time.Hour)
	for _, step := range []struct {
		after time.Duration
		want  bool
	}{{0, true}, {10 * time.Second, false}, {20 * time.Second, false}, {busyPause, true}} {
		got := f.due("fails", late.Add(step.after))
		if got != step.want {
			t.Errorf("a failed computation after %s: %t, want %t", step.after, got, step.want)
		}
		if got {
			f.computed("fails", errors.New("busy"))
		}
	}
}
