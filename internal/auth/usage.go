package auth

import (
	"context"
	"log/slog"
	"time"

	"assay/internal/control"
)

// Usage is the current use of a workspace's rate limit.
type Usage struct {
	Rate
	Used    int           // requests in this minute, at most PerMinute
	ResetIn time.Duration // until the next minute: above 0, up to 60 s
}

// Usage returns the workspace's rate limit and the number of its requests in the current minute. It does not count a
// request. Used is 0 if the counter fails.
func (l *Limiter) Usage(ctx context.Context, w control.Workspace) Usage {
	now := l.now()
	u := Usage{Rate: l.rate(ctx, w), ResetIn: now.Truncate(time.Minute).Add(time.Minute).Sub(now)}
	c, err := l.counter.Look(ctx, callsOf(w.ID), now)
	if err != nil {
		l.log.WarnContext(ctx, "calls of this minute not read", slog.String("workspace", string(w.ID)), slog.Any("error", err))
	}
	u.Used = min(c.Used, u.PerMinute)
	return u
}

// Tiers returns the requests per minute by order volume, smallest volume first.
func (l *Limiter) Tiers() []Tier { return l.tiers }
