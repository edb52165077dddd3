package auth

import (
	"context"
	"log/slog"
	"time"

	"assay/internal/control"
	"assay/internal/limit"
	"assay/internal/measure"
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
	Counter  limit.Counter    // counts in this process when nil
	Now      func() time.Time // the real clock, also where answers have a frozen one
	Log      *slog.Logger     // nothing is logged when nil
}

// Limiter bounds the calls that a workspace makes in a minute of the clock, whichever keys they come with. Nothing
// is refilled inside the minute. Its methods may be called from many goroutines.
type Limiter struct {
	tiers    []Tier
	override int
	volumes  *volumes
	counter  limit.Counter
	now      func() time.Time
	log      *slog.Logger
}

// NewLimiter returns a limiter. [Limiter.Run] has to run for the volumes of orders to be kept up to date.
func NewLimiter(o LimiterOptions) *Limiter {
	if len(o.Tiers) == 0 {
		o.Tiers = DefaultTiers()
	}
	if o.Counter == nil {
		o.Counter = limit.NewCounter()
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
	now := l.now()
	reset := now.Truncate(time.Minute).Add(time.Minute)
	d := Decision{PerMinute: l.rate(ctx, p.Workspace).PerMinute, ResetIn: reset.Sub(now)}
	c, counted, err := l.counter.Take(ctx, callsOf(p.Workspace.ID), d.PerMinute, now, reset)
	if err != nil {
		l.log.WarnContext(ctx, "call not counted", slog.String("workspace", string(p.Workspace.ID)), slog.Any("error", err))
		counted = true
	}
	d.Used, d.Allowed = c.Used, counted
	return d
}

// callsOf is under what a workspace's calls are counted.
func callsOf(id measure.WorkspaceID) limit.Key { return limit.Key{What: "calls", Who: string(id)} }

// RateBy is what a workspace's calls a minute come from.
type RateBy string

// The sources of a rate, from the one that wins.
const (
	RateByOperator  RateBy = "operator"  // set for every workspace
	RateByWorkspace RateBy = "workspace" // set for this one
	RateByVolume    RateBy = "volume"    // the tier of its orders in the last 30 days
)

// Rate is how many calls a minute a workspace may make, and why.
type Rate struct {
	PerMinute int
	By        RateBy
	Orders    int64 // in the last 30 days; only by volume
	Known     bool  // whether the orders could be read; if not, the highest tier holds
	Tier      Tier  // only by volume
}

func (l *Limiter) rate(ctx context.Context, w control.Workspace) Rate {
	if l.override > 0 {
		return Rate{PerMinute: l.override, By: RateByOperator}
	}
	if w.RatePerMin > 0 {
		return Rate{PerMinute: w.RatePerMin, By: RateByWorkspace}
	}
	r := Rate{By: RateByVolume, Known: true}
	if l.volumes != nil {
		r.Orders, r.Known = l.volumes.recent(ctx, w)
	}
	r.Tier = l.tiers[len(l.tiers)-1] // not known: what slows the warehouse down is no reason to refuse calls
	for _, t := range l.tiers {
		if r.Known && (t.UpTo == 0 || r.Orders <= t.UpTo) {
			r.Tier = t
			break
		}
	}
	r.PerMinute = r.Tier.PerMinute
	return r
}

// Run keeps the volumes of orders up to date until ctx ends. It returns nil.
func (l *Limiter) Run(ctx context.Context) error {
	if l.volumes == nil {
		<-ctx.Done()
		return nil
	}
	return l.volumes.run(ctx)
}
