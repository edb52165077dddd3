package toolkit

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestABurstWaitsAndAnOverloadIsRejected(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns(1, time.Now)
		enter := func() (func(), time.Duration, error) {
			began := time.Now()
			leave, err := turns.enter(t.Context())
			return leave, time.Since(began), err
		}
		leave, _, err := enter()
		if err != nil {
			t.Fatal(err)
		}
		// The only slot is occupied for a long time, but no call waits.
		time.Sleep(2 * burstTime)
		time.AfterFunc(burstWait-time.Second, leave)
		leave, took, err := enter()
		if err != nil || took != burstWait-time.Second {
			t.Fatalf("a call of a burst: %v after %v, want a turn after %v", err, took, burstWait-time.Second)
		}
		go func() {
			if _, took, err := enter(); !errors.Is(err, errBusy) || took != burstWait {
				t.Errorf("the first call that waits: %v after %v, want %v after %v", err, took, errBusy, burstWait)
			}
		}()
		time.Sleep(burstTime + time.Millisecond)
		if _, took, err := enter(); !errors.Is(err, errBusy) || took != overloadWait {
			t.Errorf("a call of an overload: %v after %v, want %v after %v", err, took, errBusy, overloadWait)
		}
		synctest.Wait()
		time.Sleep(burstWait)
		if _, took, err := enter(); !errors.Is(err, errBusy) || took != burstWait {
			t.Errorf("a call of the next burst: %v after %v, want %v after %v", err, took, errBusy, burstWait)
		}
		leave()
		if _, took, err = enter(); err != nil || took != 0 {
			t.Errorf("a call with a free turn: %v after %v", err, took)
		}
	})
}

func TestACanceledCallLeavesTheQueue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns(1, time.Now)
		leave, err := turns.enter(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Millisecond, cancel)
		if _, err := turns.enter(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("a canceled call: %v", err)
		}
		leave()
		if _, err := turns.enter(t.Context()); err != nil {
			t.Errorf("the next call: %v", err)
		}
	})
}
