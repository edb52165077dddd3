// Package limit counts events in fixed time windows, such as a workspace's requests per minute or registrations from an
// IP address per hour. All rate limits use its [Counter].
package limit

import (
	"context"
	"sync"
	"time"
)

// Key identifies a counter.
type Key struct {
	What string // event, such as "calls"; the same for all events with a common limit
	Who  string // a workspace, an address, an account
}

// Count is the state of a window.
type Count struct {
	Used int       // events in the window, at most the limit
	Ends time.Time // end of the window; zero without a window
}

// Counter counts events in fixed windows, without refill inside a window. A counter shared by several processes
// enforces one limit. Instants come from the caller's clock. Expired windows are removed.
type Counter interface {
	// Take counts one event of the key and reports whether the event was counted. It does not count the event if the key's
	// window already has as many events as the parameter limit allows. A key without a window gets a window that ends at
	// the instant until.
	Take(ctx context.Context, k Key, limit int, now, until time.Time) (c Count, counted bool, err error)
	// Return removes one counted event that did not happen.
	Return(ctx context.Context, k Key, now time.Time) error
	// Look returns the state of the window without counting an event.
	Look(ctx context.Context, k Key, now time.Time) (Count, error)
}

// maxKeys is the maximum number of keys of one kind in this process. It bounds the memory, because callers can invent
// keys.
const maxKeys = 100_000

// NewCounter returns a counter for one process. The counter never fails.
func NewCounter() Counter { return &counter{counts: make(map[string]map[string]*window)} }

type counter struct {
	mu     sync.Mutex                    // guards counts
	counts map[string]map[string]*window // windows by event, then by caller
}

type window struct {
	used   int
	began  time.Time
	length time.Duration
}

// lasts reports whether the window has not ended. A caller that read the clock slightly before the start of the window
// is also counted in the window. If the clock was set back by more than the window's length and more than a minute, a
// new window starts.
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

// sweep removes expired windows. If too many windows remain, sweep removes all windows, because bounded memory has
// priority over accuracy.
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
