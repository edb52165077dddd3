package auth

import (
	"context"
	"log/slog"
	"time"

	"assay/internal/control"
)

// Usage is how a workspace stands in this minute.
type Usage struct {
	Rate
	Used    int           // calls counted in this minute, never above PerMinute
	ResetIn time.Duration // until the next minute: above 0, up to 60 s
}

// Usage returns the workspace's limit and how many calls are counted in this minute, and counts none. Used is 0 when
// the counter does not tell.
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

// Tiers returns the calls a minute by volume of orders, from small to large.
func (l *Limiter) Tiers() []Tier { return l.tiers }
