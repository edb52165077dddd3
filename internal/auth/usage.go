package auth

import (
	"context"
	"log/slog"
	"time"

	"assay/internal/control"
)

// usageReader is a counter that tells how many calls are counted without counting one.
type usageReader interface {
	Used(ctx context.Context, key string, window time.Time) (int, error)
}

// Usage returns the workspace's limit and how many calls are counted in this minute, and counts none. Used is 0 when
// the counter does not tell; Allowed says whether a call would be allowed now.
func (l *Limiter) Usage(ctx context.Context, w control.Workspace) Decision {
	now := l.now()
	window := now.Truncate(time.Minute)
	d := Decision{PerMinute: l.limit(ctx, w), ResetIn: window.Add(time.Minute).Sub(now)}
	if reader, ok := l.counter.(usageReader); ok {
		used, err := reader.Used(ctx, string(w.ID), window)
		if err != nil {
			l.log.WarnContext(ctx, "calls of this minute not read", slog.String("workspace", string(w.ID)), slog.Any("error", err))
		}
		d.Used = min(used, d.PerMinute)
	}
	d.Allowed = d.Used < d.PerMinute
	return d
}

// Used returns how many calls of key are counted in the minute that begins at window.
func (c *counter) Used(_ context.Context, key string, window time.Time) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !window.Equal(c.window) {
		return 0, nil
	}
	return c.used[key], nil
}
