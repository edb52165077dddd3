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
		turns := newTurns(2, time.Now)
		enter := func() (func(), time.Duration, error) {
			began := time.Now()
			leave, err := turns.enter(t.Context())
			return leave, time.Since(began), err
		}
		first, _, err := enter()
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := enter(); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(burstWait-time.Second, first)
		first, took, err := enter()
		if err != nil || took != burstWait-time.Second {
			t.Errorf("a call of a burst entered after %v, %v; want %v", took, err, burstWait-time.Second)
		}
		// Calls have now waited for longer than burstTime.
		if _, took, err := enter(); !errors.Is(err, errBusy) || took != overloadWait {
			t.Errorf("a call of an overload: %v after %v, want %v after %v", err, took, errBusy, overloadWait)
		}
		first()
		if first, took, err = enter(); err != nil || took != 0 {
			t.Fatalf("a call with a free turn: %v after %v", err, took)
		}
		if _, took, err := enter(); !errors.Is(err, errBusy) || took != burstWait {
			t.Errorf("a call of the next burst: %v after %v, want %v after %v", err, took, errBusy, burstWait)
		}
		first()
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
