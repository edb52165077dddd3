package toolkit

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"assay/internal/fault"
)

// The limits of calculations, for [newTurns].
const (
	turnsPerCore = 8
	burstTime    = time.Second            // if calls wait longer than this without a break, it is an overload, not a burst
	burstWait    = 3 * time.Second        // maximum wait of a call in a burst
	overloadWait = 200 * time.Millisecond // maximum wait of a call in an overload
)

var errBusy = fault.Unavailable("the service is busy").WithHint("Try again in a few seconds.")

// turns limits the number of answers that are calculated at the same time. Further calls wait, in the order of their
// arrival. A call is rejected if it has waited for burstWait in a burst, or for the shorter overloadWait in an
// overload. The queue therefore stays short, and the service answers as many calls as without an overload. This rule is
// known as adaptive queue timeouts (Maurer 2015, "Fail at Scale", ACM Queue 13(8)), after CoDel (Nichols and Jacobson
// 2012).
type turns struct {
	slots   *semaphore.Weighted
	now     func() time.Time // the real clock
	waiting atomic.Int64     // number of waiting calls
	since   atomic.Int64     // time from which calls have waited without a break, in nanoseconds of the Unix time
}

func newTurns(slots int, now func() time.Time) *turns {
	return &turns{slots: semaphore.NewWeighted(int64(slots)), now: now}
}

// usualTurns returns the number of answers that this machine calculates at the same time.
func usualTurns() int { return turnsPerCore * runtime.GOMAXPROCS(0) }

// enter waits for a turn. The caller calls leave after the calculation. If the wait is too long, the error is errBusy.
func (t *turns) enter(ctx context.Context) (leave func(), err error) {
	leave = func() { t.slots.Release(1) }
	if t.slots.TryAcquire(1) { // fails while calls wait
		return leave, nil
	}
	now := t.now()
	if t.waiting.Add(1) == 1 {
		t.since.Store(now.UnixNano())
	}
	defer t.waiting.Add(-1)
	longest := burstWait
	if now.Sub(time.Unix(0, t.since.Load())) > burstTime {
		longest = overloadWait
	}
	waiting, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	if t.slots.Acquire(waiting, 1) == nil {
		return leave, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return nil, errBusy
}
