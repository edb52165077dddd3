package auth

import (
	"context"
	"log/slog"
	"time"

	"assay/internal/control"
	"assay/internal/limit"
	"assay/internal/measure"
)

// Tier is a rate limit, in requests per minute, for workspaces with up to a number of orders in the last 30 days. It is
// an alias, so that config and auth exchange values without importing each other.
type Tier = struct {
	UpTo      int64 // orders in the last 30 days; 0: unlimited
	PerMinute int
}

// DefaultTiers returns the default tiers.
func DefaultTiers() []Tier {
	return []Tier{{UpTo: 5_000, PerMinute: 120}, {UpTo: 25_000, PerMinute: 300}, {PerMinute: 600}}
}

// LimiterOptions configure [NewLimiter]. All fields except Now may have the zero value.
type LimiterOptions struct {
	Tiers    []Tier           // smallest first; [DefaultTiers] when empty
	Override int              // requests per minute of every workspace, takes precedence over other settings; 0: not set
	Orders   Orders           // nil: every workspace has zero orders
	Counter  limit.Counter    // counts in this process when nil
	Now      func() time.Time // the real clock, even where answers use a fixed date
	Log      *slog.Logger     // nil: no logging
}

// Limiter limits the requests of a workspace in fixed windows of one minute, across all credentials of the workspace.
// The limit does not refill within a window. Its methods are safe for concurrent use.
type Limiter struct {
	tiers    []Tier
	override int
	volumes  *volumes
	counter  limit.Counter
	now      func() time.Time
	log      *slog.Logger
}

// NewLimiter returns a limiter. Order volumes are updated only while [Limiter.Run] runs.
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

// Decision states whether a request is allowed, and the current use of the limit.
type Decision struct {
	Allowed   bool
	Used      int           // requests in this minute, including this one if allowed; at most PerMinute
	PerMinute int           // the limit
	ResetIn   time.Duration // until the next minute: above 0, up to 60 s
}

// Count counts one request and decides whether it is allowed. A rejected request is not counted. If the counter fails,
// the request is allowed.
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

// callsOf returns the counter key of a workspace's requests.
func callsOf(id measure.WorkspaceID) limit.Key { return limit.Key{What: "calls", Who: string(id)} }

// RateBy is the source of a workspace's rate limit.
type RateBy string

// The sources of a rate limit, highest priority first.
const (
	RateByOperator  RateBy = "operator"  // set for every workspace
	RateByWorkspace RateBy = "workspace" // set for this workspace
	RateByVolume    RateBy = "volume"    // the tier for the workspace's orders in the last 30 days
)

// Rate is the rate limit of a workspace and its source.
type Rate struct {
	PerMinute int
	By        RateBy
	Orders    int64 // orders in the last 30 days; set only for RateByVolume
	Known     bool  // whether the orders could be read; if not, the highest tier applies
	Tier      Tier  // tier of the workspace; set only for RateByVolume
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
	r.Tier = l.tiers[len(l.tiers)-1] // volume unknown: a slow warehouse must not cause rejections
	for _, t := range l.tiers {
		if r.Known && (t.UpTo == 0 || r.Orders <= t.UpTo) {
			r.Tier = t
			break
		}
	}
	r.PerMinute = r.Tier.PerMinute
	return r
}

// Run updates order volumes until ctx ends. It returns nil.
func (l *Limiter) Run(ctx context.Context) error {
	if l.volumes == nil {
		<-ctx.Done()
		return nil
	}
	return l.volumes.run(ctx)
}
