package app

import (
	"context"
	"sync"
	"time"
)

const (
	writeCheckPause   = 10 * time.Second // a result counts so long: anybody may ask, and each check writes to the disk
	writeCheckTimeout = 5 * time.Second
)

// writeCheck finds out whether the control data can be written, at most once per writeCheckPause.
type writeCheck struct {
	ping func(ctx context.Context) error
	now  func() time.Time

	mu   sync.Mutex // guards what follows
	at   time.Time  // of the last check
	last error
}

func (c *writeCheck) check(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at.IsZero() || c.now().Sub(c.at) >= writeCheckPause {
		// The result is for everybody who asks, so it does not depend on whether this caller waits for it.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeCheckTimeout)
		defer cancel()
		c.last = c.ping(ctx)
		c.at = c.now()
	}
	return c.last
}
