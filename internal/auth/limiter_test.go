package auth

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/limit"
	"assay/internal/measure"
)

func principal(id measure.WorkspaceID) Principal {
	w := control.NewWorkspace(string(id))
	w.ID = id
	return Principal{Workspace: w}
}

// warehouse returns a fixed number of orders.
type warehouse struct {
	mu    sync.Mutex // guards all below
	count int64
	err   error
	hangs bool // until ctx ends
	asked []civil.Date
}

func (w *warehouse) set(count int64, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count, w.err, w.hangs = count, err, false
}

func (w *warehouse) RecentOrders(ctx context.Context, _ measure.WorkspaceID, from civil.Date) (int64, error) {
	w.mu.Lock()
	w.asked = append(w.asked, from)
	count, err, hangs := w.count, w.err, w.hangs
	w.mu.Unlock()
	if hangs {
		<-ctx.Done()
		return 0, ctx.Err()
	}
	return count, err
}

func (w *warehouse) times() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.asked)
}

func TestCallsBeyondTheLimitWaitForTheNextMinute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(45 * time.Second) // a synctest clock starts on a full minute
		l := NewLimiter(LimiterOptions{Override: 3, Now: time.Now})
		p := principal("acme")
		count := func(n int) (all []Decision) {
			for range n {
				all = append(all, l.Count(t.Context(), p))
			}
			return all
		}
		left := 15 * time.Second
		want := []Decision{
			{Allowed: true, Used: 1, PerMinute: 3, ResetIn: left},
			{Allowed: true, Used: 2, PerMinute: 3, ResetIn: left},
			{Allowed: true, Used: 3, PerMinute: 3, ResetIn: left},
			{Allowed: false, Used: 3, PerMinute: 3, ResetIn: left},
			{Allowed: false, Used: 3, PerMinute: 3, ResetIn: left},
		}
		if diff := cmp.Diff(want, count(5)); diff != "" {
			t.Errorf("in the first minute (-want +got):\n%s", diff)
		}
		if d := l.Count(t.Context(), principal("other")); !d.Allowed || d.Used != 1 {
			t.Errorf("another workspace: %+v, want it allowed and counted separately", d)
		}
		time.Sleep(left - time.Nanosecond)
		if diff := cmp.Diff([]Decision{{PerMinute: 3, Used: 3, ResetIn: time.Nanosecond}}, count(1)); diff != "" {
			t.Errorf("at the end of the minute (-want +got):\n%s", diff)
		}
		time.Sleep(time.Nanosecond)
		if diff := cmp.Diff([]Decision{{Allowed: true, Used: 1, PerMinute: 3, ResetIn: time.Minute}}, count(1)); diff != "" {
			t.Errorf("in the next minute (-want +got):\n%s", diff)
		}
	})
}

func TestCountIsExactUnderParallelCalls(t *testing.T) {
	t.Parallel()
	l := NewLimiter(LimiterOptions{Override: 100, Now: func() time.Time { return noon }})
	var allowed atomic.Int64
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				if l.Count(t.Context(), principal("acme")).Allowed {
					allowed.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if n := allowed.Load(); n != 100 {
		t.Errorf("%d of 400 calls are allowed, want 100", n)
	}
}

func TestLimitFollowsTheVolumeUnlessItIsSet(t *testing.T) {
	t.Parallel()
	own := principal("own")
	own.Workspace.RatePerMin = 42
	custom := []Tier{{UpTo: 10, PerMinute: 1}, {UpTo: 20, PerMinute: 2}}
	cases := []struct {
		name   string
		limits LimiterOptions
		orders int64
		caller Principal
		want   int
	}{
		{"no orders", LimiterOptions{}, 0, principal("a"), 120},
		{"the last order of the first tier", LimiterOptions{}, 5_000, principal("a"), 120},
		{"the first order of the second tier", LimiterOptions{}, 5_001, principal("a"), 300},
		{"the last order of the second tier", LimiterOptions{}, 25_000, principal("a"), 300},
		{"the first order of the third tier", LimiterOptions{}, 25_001, principal("a"), 600},
		{"the workspace's own limit", LimiterOptions{}, 25_001, own, 42},
		{"a limit for all", LimiterOptions{Override: 600}, 0, own, 600},
		{"other tiers", LimiterOptions{Tiers: custom}, 11, principal("a"), 2},
		{"more than the last tier allows", LimiterOptions{Tiers: custom}, 21, principal("a"), 2},
	}
	for _, c := range cases {
		c.limits.Now = func() time.Time { return noon }
		c.limits.Orders = &warehouse{count: c.orders}
		if got := NewLimiter(c.limits).Count(t.Context(), c.caller).PerMinute; got != c.want {
			t.Errorf("%s: %d requests per minute, want %d", c.name, got, c.want)
		}
	}
	if got := NewLimiter(LimiterOptions{Now: time.Now}).Count(t.Context(), principal("a")).PerMinute; got != 120 {
		t.Errorf("without a warehouse: %d requests per minute, want 120", got)
	}
}

func TestVolumeIsReadAgainInTheBackground(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &warehouse{count: 100}
		l, stop := running(t, w)
		defer stop()
		p := principal("acme")
		// The synctest clock starts at 2000-01-01 00:00 UTC, which is the previous day in this zone.
		p.Workspace.Zone = "America/New_York"
		perMinute := func() int {
			got := l.Count(t.Context(), p).PerMinute
			synctest.Wait()
			return got
		}
		if got := perMinute(); got != 120 {
			t.Errorf("at first: %d, want 120", got)
		}
		w.set(30_000, nil)
		time.Sleep(volumeFresh - time.Second)
		if got := perMinute(); got != 120 || w.times() != 1 {
			t.Errorf("while it is fresh: %d after %d readings, want 120 after 1", got, w.times())
		}
		time.Sleep(time.Second)
		if got := perMinute(); got != 120 || w.times() != 2 {
			t.Errorf("the call that finds it due: %d after %d readings, want 120 after 2", got, w.times())
		}
		if got := perMinute(); got != 600 || w.times() != 2 {
			t.Errorf("afterwards: %d after %d readings, want 600 after 2", got, w.times())
		}
		if want := civil.MustParse("1999-12-01"); w.asked[0] != want {
			t.Errorf("orders are counted from %s, want %s", w.asked[0], want)
		}
	})
}

func TestUnreadableVolumeNeverFailsACall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &warehouse{err: errors.New("the warehouse is away")}
		l, stop := running(t, w)
		defer stop()
		perMinute := func() int {
			got := l.Count(t.Context(), principal("acme"))
			synctest.Wait()
			if !got.Allowed {
				t.Errorf("refused: %+v", got)
			}
			return got.PerMinute
		}
		if got := perMinute(); got != 600 {
			t.Errorf("while the volume is unknown: %d, want the highest tier, 600", got)
		}
		w.set(100, nil)
		time.Sleep(volumeRetry)
		perMinute()
		if got := perMinute(); got != 120 {
			t.Errorf("after another try: %d, want 120", got)
		}
		w.set(0, errors.New("the warehouse is away again"))
		time.Sleep(volumeFresh)
		perMinute()
		if got := perMinute(); got != 120 {
			t.Errorf("after a later failure: %d, want 120 as before", got)
		}
	})
}

func TestSlowWarehouseDelaysTheFirstCallsOnly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &warehouse{hangs: true}
		l, stop := running(t, w)
		defer stop()
		start := time.Now()
		var wg sync.WaitGroup
		for range 5 {
			wg.Go(func() {
				if d := l.Count(t.Context(), principal("acme")); !d.Allowed || d.PerMinute != 600 {
					t.Errorf("%+v, want it allowed in the highest tier", d)
				}
				if waited := time.Since(start); waited != volumeWait {
					t.Errorf("a first call waited %s, want %s", waited, volumeWait)
				}
			})
		}
		wg.Wait()
		time.Sleep(volumeRetry)
		before := time.Now()
		l.Count(t.Context(), principal("acme"))
		if waited := time.Since(before); waited != 0 {
			t.Errorf("a later call waited %s, want none", waited)
		}
	})
}

func TestCanceledCallDoesNotStopTheReading(t *testing.T) {
	t.Parallel()
	ended, end := context.WithCancel(t.Context())
	end()
	l := NewLimiter(LimiterOptions{Orders: &warehouse{count: 6_000}, Now: func() time.Time { return noon }})
	l.Count(ended, principal("acme"))
	if got := l.Count(t.Context(), principal("acme")).PerMinute; got != 300 {
		t.Errorf("%d requests per minute, want 300", got)
	}
}

// brokenCounter fails, as a shared counter may.
type brokenCounter struct{ limit.Counter }

func (brokenCounter) Take(context.Context, limit.Key, int, time.Time, time.Time) (limit.Count, bool, error) {
	return limit.Count{}, false, errors.New("the counter is away")
}

func TestFailingCounterAllowsCalls(t *testing.T) {
	t.Parallel()
	l := NewLimiter(LimiterOptions{Override: 1, Counter: brokenCounter{}, Now: time.Now})
	for range 2 {
		if d := l.Count(t.Context(), principal("acme")); !d.Allowed {
			t.Errorf("refused: %+v", d)
		}
	}
}

// running returns a limiter that runs until the function stop is called.
func running(t *testing.T, w *warehouse) (l *Limiter, stop func()) {
	t.Helper()
	l = NewLimiter(LimiterOptions{Orders: w, Now: time.Now})
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := l.Run(ctx); err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	return l, func() { cancel(); wg.Wait() }
}

func BenchmarkCount(b *testing.B) {
	l := NewLimiter(LimiterOptions{Orders: &warehouse{count: 30_000}, Now: time.Now})
	p := principal("acme")
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			l.Count(b.Context(), p)
		}
	})
}
