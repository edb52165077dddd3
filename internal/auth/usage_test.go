package auth

import (
	"errors"
	"testing"
	"time"

	"assay/internal/control"
)

func TestUsageReportsWithoutCounting(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.November, 20, 12, 0, 40, 0, time.UTC)
	l := NewLimiter(LimiterOptions{Override: 2, Now: func() time.Time { return now }})
	w := control.Workspace{ID: "acme"}
	want := func(what string, used int) {
		t.Helper()
		got := l.Usage(t.Context(), w)
		if got != (Usage{Rate: Rate{PerMinute: 2, By: RateByOperator}, Used: used, ResetIn: time.Minute - time.Duration(now.Second())*time.Second}) {
			t.Errorf("%s: %+v", what, got)
		}
	}
	want("before", 0)
	for range 3 {
		l.Count(t.Context(), Principal{Workspace: w})
	}
	want("at the limit", 2)
	want("asked again", 2)
	now = now.Add(20 * time.Second)
	want("in the next minute", 0)
}

func TestUsageReportsTheSourceOfTheLimit(t *testing.T) {
	t.Parallel()
	of := func(o LimiterOptions, w control.Workspace) Rate {
		o.Now = func() time.Time { return noon }
		return NewLimiter(o).Usage(t.Context(), w).Rate
	}
	busy := LimiterOptions{Orders: &warehouse{count: 6_000}}
	cases := map[string]struct{ got, want Rate }{
		"set for all":      {of(LimiterOptions{Override: 7}, control.Workspace{RatePerMin: 9}), Rate{PerMinute: 7, By: RateByOperator}},
		"set for this one": {of(busy, control.Workspace{RatePerMin: 9}), Rate{PerMinute: 9, By: RateByWorkspace}},
		"by volume":        {of(busy, control.Workspace{}), Rate{PerMinute: 300, By: RateByVolume, Orders: 6_000, Known: true, Tier: DefaultTiers()[1]}},
		"unknown volume":   {of(LimiterOptions{Orders: &warehouse{err: errors.New("away")}}, control.Workspace{}), Rate{PerMinute: 600, By: RateByVolume, Tier: DefaultTiers()[2]}},
	}
	for what, c := range cases {
		if c.got != c.want {
			t.Errorf("%s: %+v, want %+v", what, c.got, c.want)
		}
	}
}
