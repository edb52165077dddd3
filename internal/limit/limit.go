// Package limit counts things in fixed windows of time: calls of a workspace in a minute, registrations from an
// address in an hour. Everything that is limited by number goes through its [Counter].
package limit

import (
	"context"
	"sync"
	"time"
)

// Key names a limit and the caller that it counts.
type Key struct {
	What string // such as "calls"; the same for all things that share a limit
	Who  string // a workspace, an address, an account
}

// Count is the state of a window.
type Count struct {
	Used int       // counted in the window, never above the limit
	Ends time.Time // when the window ends; zero where nothing is counted
}

// Counter counts in windows that do not move: nothing is refilled inside one. One that several processes share makes
// them enforce one limit together. The instants are the caller's clock; the implementation forgets windows that are
// over.
type Counter interface {
	// Take counts one thing of the key, unless limit things are counted in its window already, and reports whether
	// it did. A key that has no window at the instant now gets one that ends at until.
	Take(ctx context.Context, k Key, limit int, now, until time.Time) (c Count, counted bool, err error)
	// Return gives back one thing that was counted and did not come about.
	Return(ctx context.Context, k Key, now time.Time) error
	// Look tells how things stand and counts nothing.
	Look(ctx context.Context, k Key, now time.Time) (Count, error)
}

// maxKeys is the number of keys of one kind in this process. Keys come from untrusted input, so memory must be bounded.
const maxKeys = 100_000

// NewCounter returns a counter for one process. It never fails.
func NewCounter() Counter { return &counter{counts: make(map[string]map[string]*window)} }

type counter struct {
	mu     sync.Mutex                    // guards all below
	counts map[string]map[string]*window // by limit, then by caller
}

type window struct {
	used   int
	began  time.Time
	length time.Duration
}

// lasts reports whether the window is not over. Who read the clock just before another one began the window counts in
// it; where the clock was set back by more than the window's length, new windows count.
func (w *window) lasts(now time.Time) bool {
	age := now.Sub(w.began)
	return age < w.length && age > -max(w.length, time.Minute)
}

func (w *window) count() Count { return Count{Used: w.used, Ends: w.began.Add(w.length)} }

// Take implements [Counter].
func (c *counter) Take(_ context.Context, k Key, limit int, now, until time.Time) (Count, bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	of := c.counts[k.What]
	if of == nil {
		of = make(map[string]*window)
		c.counts[k.What] = of
	}
	w := of[k.Who]
	if w == nil {
		if len(of) >= maxKeys {
			sweep(of, now)
		}
		w = &window{}
		of[k.Who] = w
	}
	if !w.lasts(now) {
		*w = window{began: now, length: until.Sub(now)}
	}
	if w.used >= limit {
		found := w.count()
		found.Used = limit
		return found, false, nil
	}
	w.used++
	return w.count(), true, nil
}

// Return implements [Counter].
func (c *counter) Return(_ context.Context, k Key, now time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w := c.counts[k.What][k.Who]; w != nil && w.lasts(now) && w.used > 0 {
		w.used--
	}
	return nil
}

// Look implements [Counter].
func (c *counter) Look(_ context.Context, k Key, now time.Time) (Count, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w := c.counts[k.What][k.Who]; w != nil && w.lasts(now) {
		return w.count(), nil
	}
	return Count{}, nil
}

// sweep forgets windows that are over, and all when none is: memory is bounded before fairness.
func sweep(of map[string]*window, now time.Time) {
	for who, w := range of {
		if !w.lasts(now) {
			delete(of, who)
		}
	}
	if len(of) >= maxKeys {
		clear(of)
	}
}
