package app

import (
	"context"
	"sync"
	"time"
)

const (
	writeCheckPause   = 10 * time.Second // a result is reused, because anonymous callers may request checks that write to disk
	writeCheckTimeout = 5 * time.Second
)

// writeCheck checks that the control data can be written, at most once per writeCheckPause.
type writeCheck struct {
	ping func(ctx context.Context) error
	now  func() time.Time

	mu   sync.Mutex // guards the fields below
	at   time.Time  // time of the last check
	last error
}

func (c *writeCheck) check(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at.IsZero() || c.now().Sub(c.at) >= writeCheckPause {
		// The result is shared by all callers, so the end of this request does not cancel the check.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeCheckTimeout)
		defer cancel()
		c.last = c.ping(ctx)
		c.at = c.now()
	}
	return c.last
}
