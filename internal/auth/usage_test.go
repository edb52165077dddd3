package auth

import (
	"testing"
	"time"

	"assay/internal/control"
)

func TestUsageTellsAndCountsNothing(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.November, 20, 12, 0, 40, 0, time.UTC)
	l := NewLimiter(LimiterOptions{Override: 2, Now: func() time.Time { return now }})
	w := control.Workspace{ID: "acme"}
	want := func(what string, used int, allowed bool) {
		t.Helper()
		got := l.Usage(t.Context(), w)
		if got != (Decision{Allowed: allowed, Used: used, PerMinute: 2, ResetIn: time.Minute - time.Duration(now.Second())*time.Second}) {
			t.Errorf("%s: %+v", what, got)
		}
	}
	want("before", 0, true)
	for range 3 {
		l.Count(t.Context(), Principal{Workspace: w})
	}
	want("at the limit", 2, false)
	want("asked again", 2, false)
	now = now.Add(20 * time.Second)
	want("in the next minute", 0, true)
}
