package auth

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"assay/internal/control"
)

// Tier is how many calls a minute a workspace of some size may make. It is an alias, so that settings are handed
// over as they are while neither package knows the other.
type Tier = struct {
	UpTo      int64 // orders in the last 30 days; 0: any number
	PerMinute int
}

// DefaultTiers returns the usual tiers.
func DefaultTiers() []Tier {
	return []Tier{{UpTo: 5_000, PerMinute: 10}, {UpTo: 25_000, PerMinute: 60}, {PerMinute: 300}}
}

// LimiterOptions are what [NewLimiter] needs. The zero value of all but Now works.
type LimiterOptions struct {
	Tiers    []Tier           // from small to large; [DefaultTiers] when empty
	Override int              // calls a minute for every workspace, whatever else is set; 0: none
	Orders   Orders           // nil: every workspace counts as one without orders
	Counter  Counter          // counts in this process when nil
	Now      func() time.Time // the real clock, also where answers have a frozen one
	Log      *slog.Logger     // nothing is logged when nil
}

// Limiter bounds the calls that a workspace makes in a minute of the clock, whichever keys they come with. Nothing
// is refilled inside the minute. Its methods may be called from many goroutines.
type Limiter struct {
	tiers    []Tier
	override int
	volumes  *volumes
	counter  Counter
	now      func() time.Time
	log      *slog.Logger
}

// NewLimiter returns a limiter. [Limiter.Run] has to run for the volumes of orders to be kept up to date.
func NewLimiter(o LimiterOptions) *Limiter {
	if len(o.Tiers) == 0 {
		o.Tiers = DefaultTiers()
	}
	if o.Counter == nil {
		o.Counter = NewCounter()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	l := &Limiter{tiers: o.Tiers, override: o.Override, counter: o.Counter, now: o.Now, log: o.Log}
	if o.Orders != nil {
		l.volumes = newVolumes(o.Orders, o.Now, o.Log)
	}
	return l
}

// Decision is the answer to one call.
type Decision struct {
	Allowed   bool
	Used      int           // calls counted in this minute, this one included if it is allowed; never above PerMinute
	PerMinute int           // the limit
	ResetIn   time.Duration // until the next minute: above 0, up to 60 s
}

// Count counts one call and decides. A refused call is not counted. What stands behind the decision never makes
// a call fail: without a counter the call is allowed.
func (l *Limiter) Count(ctx context.Context, p Principal) Decision {
	limit := l.limit(ctx, p.Workspace)
	now := l.now()
	window := now.Truncate(time.Minute)
	d := Decision{PerMinute: limit, ResetIn: window.Add(time.Minute).Sub(now)}
	var err error
	d.Used, d.Allowed, err = l.counter.Add(ctx, string(p.Workspace.ID), window, limit)
	if err != nil {
		l.log.WarnContext(ctx, "call not counted", slog.String("workspace", string(p.Workspace.ID)), slog.Any("error", err))
		d.Allowed = true
	}
	return d
}

// limit returns the workspace's calls a minute: what the operator set for all, what is set for the workspace, or
// the tier of its size, in this order.
func (l *Limiter) limit(ctx context.Context, w control.Workspace) int {
	if l.override > 0 {
		return l.override
	}
	if w.RatePerMin > 0 {
		return w.RatePerMin
	}
	if l.volumes == nil {
		return l.tiers[0].PerMinute
	}
	orders, known := l.volumes.recent(ctx, w)
	for _, t := range l.tiers {
		if known && (t.UpTo == 0 || orders <= t.UpTo) {
			return t.PerMinute
		}
	}
	return l.tiers[len(l.tiers)-1].PerMinute // not known: what slows the warehouse down is no reason to refuse calls
}

// Run keeps the volumes of orders up to date until ctx ends. It returns nil.
func (l *Limiter) Run(ctx context.Context) error {
	if l.volumes == nil {
		<-ctx.Done()
		return nil
	}
	return l.volumes.run(ctx)
}

// Counter counts calls in minutes. One that several processes share makes them enforce one limit together.
type Counter interface {
	// Add counts one call of key in the minute that begins at window, unless limit calls are counted there
	// already. It returns how many are counted now, and whether this one is among them. The implementation
	// forgets minutes that are over.
	Add(ctx context.Context, key string, window time.Time, limit int) (used int, counted bool, err error)
}

// NewCounter returns a counter for one process. It never fails.
func NewCounter() Counter { return &counter{used: make(map[string]int)} }

// counter holds the counts of the current minute only.
type counter struct {
	mu     sync.Mutex // guards all below
	window time.Time
	used   map[string]int
}

// Add implements [Counter].
func (c *counter) Add(_ context.Context, key string, window time.Time, limit int) (int, bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	// A call may have read the clock just before another one began the next minute; it counts in that minute.
	// If the clock was set back further, its new minutes count.
	if ahead := window.Sub(c.window); ahead > 0 || ahead < -time.Minute {
		c.window = window
		clear(c.used)
	}
	used := c.used[key]
	if used >= limit {
		return min(used, limit), false, nil
	}
	c.used[key] = used + 1
	return used + 1, true, nil
}
