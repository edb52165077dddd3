package adstest

import (
	"context"
	"sync"
	"time"
)

// Clock is a clock that advances only when a client sleeps or a test advances it.
type Clock struct {
	mu    sync.Mutex // guards everything below
	now   time.Time
	slept []time.Duration
	ends  []ending
}

// ending is a deadline of a call.
type ending struct {
	at  time.Time
	end context.CancelCauseFunc
}

// NewClock returns a clock that starts at the instant.
func NewClock(now time.Time) *Clock { return &Clock{now: now} }

// Now implements [ads.Clock].
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Sleep implements [ads.Clock]. It advances the clock and returns at once.
func (c *Clock) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	c.slept = append(c.slept, d)
	c.now = c.now.Add(d)
	c.mu.Unlock()
	return ctx.Err()
}

// WithTimeout implements [ads.Clock].
func (c *Clock) WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	limited, end := context.WithCancelCause(ctx)
	c.mu.Lock()
	c.ends = append(c.ends, ending{c.now.Add(d), end})
	c.mu.Unlock()
	return limited, func() { end(context.Canceled) }
}

// Advance advances the clock and ends the calls that have passed their deadline.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	for _, e := range c.ends {
		if !e.at.After(c.now) {
			e.end(context.DeadlineExceeded)
		}
	}
}

// Slept returns and clears the durations that clients have slept.
func (c *Clock) Slept() []time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	slept := c.slept
	c.slept = nil
	return slept
}
