// Package calllog writes the call log in the background. Calls are collected in memory and written in batches.
package calllog

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"assay/internal/control"
	"assay/internal/limit"
)

// Retention and intervals.
const (
	// KeptFor is the maximum age of a stored call.
	KeptFor = 30 * 24 * time.Hour
	// KeptRows is the maximum number of stored calls per workspace.
	KeptRows = 100_000
	// MaxArguments is the maximum size of stored arguments in bytes.
	MaxArguments = 2 << 10

	flushEvery = time.Second
	capacity   = 1000 // maximum pending calls; enough for 200 workspaces at the highest tier, about 1% of a core
	pruneEvery = time.Hour
)

// refusalsLogged is the maximum number of audit events about missing scopes per caller and hour.
const refusalsLogged = 20

// Store stores calls and audit events.
type Store interface {
	control.CallLog
	AppendEvent(ctx context.Context, e control.Event) error
}

// Options configure [New].
type Options struct {
	Store   Store
	Counter limit.Counter    // counts logged rejections of calls; in this process when nil
	Now     func() time.Time // the real clock
	Log     *slog.Logger     // nil: no logging
}

// Recorder collects calls and writes them periodically. Its methods are safe for concurrent use.
type Recorder struct {
	store    Store
	refusals *limit.Quota
	now      func() time.Time
	log      *slog.Logger
	dropped  atomic.Int64

	spare []control.Call // memory of the previous batch; used by Flush only

	mu      sync.Mutex // guards waiting
	waiting []control.Call
}

// New returns a recorder. Calls are written only while [Recorder.Run] runs.
func New(o Options) *Recorder {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Counter == nil {
		o.Counter = limit.NewCounter()
	}
	return &Recorder{
		store: o.Store, now: o.Now, log: o.Log,
		refusals: &limit.Quota{What: "rejected scopes logged", Limit: refusalsLogged, Window: time.Hour, Counter: o.Counter, Log: o.Log},
	}
}

// Note records one call without blocking. When too many calls are pending, it drops the call and counts it.
func (r *Recorder) Note(c control.Call) {
	r.mu.Lock()
	n := len(r.waiting)
	if n < capacity {
		r.waiting = append(r.waiting, c)
	}
	r.mu.Unlock()
	if n >= capacity {
		r.dropped.Add(1)
	}
}

// Dropped returns the number of calls that were dropped since the start.
func (r *Recorder) Dropped() int64 { return r.dropped.Load() }

// Run writes pending calls every second and removes old calls every hour, until ctx ends. It returns nil.
// [Recorder.Flush] writes calls that are recorded later.
func (r *Recorder) Run(ctx context.Context) error {
	flush, prune := time.NewTicker(flushEvery), time.NewTicker(pruneEvery)
	defer flush.Stop()
	defer prune.Stop()
	r.prune(ctx)
	whole := context.WithoutCancel(ctx) // a batch in progress at the end is completed
	told := int64(0)
	for {
		select {
		case <-flush.C:
			r.Flush(whole)
		case <-prune.C:
			r.prune(ctx)
		case <-ctx.Done():
			return nil
		}
		if dropped := r.dropped.Load(); dropped > told {
			r.log.WarnContext(ctx, "calls dropped from the call log: too many to write", slog.Int64("dropped", dropped))
			told = dropped
		}
	}
}

// Flush writes pending calls. Calls that cannot be written are dropped and counted, so they do not accumulate. Flush
// must not be called while [Recorder.Run] runs.
func (r *Recorder) Flush(ctx context.Context) {
	r.mu.Lock()
	calls := r.waiting
	r.waiting = r.spare[:0]
	r.mu.Unlock()
	if len(calls) > 0 {
		if err := r.store.AppendCalls(ctx, calls); err != nil {
			r.dropped.Add(int64(len(calls)))
			r.log.WarnContext(ctx, "calls not written to the call log", slog.Int("calls", len(calls)), slog.Any("error", err))
		}
		r.refused(ctx, calls)
	}
	clear(calls) // release the data that the calls refer to
	r.spare = calls
}

// refused writes an audit event for each call that was rejected because the caller lacked a scope, up to a limit per
// caller.
func (r *Recorder) refused(ctx context.Context, calls []control.Call) {
	for _, c := range calls {
		if c.Missing == "" || r.refusals.Take(ctx, string(c.Workspace)+" "+c.Actor+" "+string(c.Client), c.At) > 0 {
			continue
		}
		e := control.Event{
			At: c.At, Workspace: c.Workspace, Kind: control.ScopeRefused, Actor: c.Actor, Subject: c.Tool,
			Detail: fmt.Sprintf("%s is missing", c.Missing),
		}
		if c.ClientName != "" {
			e.Detail = c.ClientName + "; " + e.Detail
		}
		if err := r.store.AppendEvent(ctx, e); err != nil {
			r.log.WarnContext(ctx, "rejected scope not written to the audit log", slog.String("workspace", string(c.Workspace)),
				slog.String("actor", c.Actor), slog.String("tool", c.Tool), slog.Any("error", err))
		}
	}
}

func (r *Recorder) prune(ctx context.Context) {
	if err := r.store.PruneCalls(ctx, r.now().Add(-KeptFor), KeptRows); err != nil && ctx.Err() == nil {
		r.log.WarnContext(ctx, "old calls not removed from the call log", slog.Any("error", err))
	}
}

// Arguments returns a call's arguments as stored. They are truncated to [MaxArguments] bytes at a character boundary.
func Arguments(raw []byte) string {
	if len(raw) <= MaxArguments {
		return strings.ToValidUTF8(string(raw), "")
	}
	const more = "…"
	return strings.ToValidUTF8(string(raw[:MaxArguments-len(more)]), "") + more
}
