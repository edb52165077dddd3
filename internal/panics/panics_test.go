package panics_test

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"assay/internal/panics"
)

func TestAPanicInAGoroutineIsRaisedInWait(t *testing.T) {
	t.Parallel()
	var others atomic.Int32
	err := panics.Caught(func() error {
		var g panics.Group
		for range 4 {
			g.Go(func() { others.Add(1) })
		}
		g.Go(func() { outOfRange(nil) })
		g.Wait()
		t.Error("the waiting caller continues")
		return nil
	})
	var d *panics.Error
	if !errors.As(err, &d) || !strings.Contains(err.Error(), "index out of range") || !strings.Contains(string(d.Stack), "outOfRange") {
		t.Errorf("got %v, want the panic with the place where it happened", err)
	}
	if others.Load() != 4 {
		t.Errorf("%d of 4 other goroutines ended", others.Load())
	}
}

//go:noinline
func outOfRange(of []int) int { return of[len(of)] }

func TestAPanicIsCountedOnceAndKeepsItsFirstCause(t *testing.T) { //nolint:paralleltest // a process-wide count
	before := panics.Seen()
	inner := panics.Caught(func() error {
		var outer panics.Group
		outer.Go(func() {
			var g panics.Group
			g.Go(func() { panic("cause") })
			g.Wait()
		})
		outer.Wait()
		return nil
	})
	if inner == nil || !strings.HasPrefix(inner.Error(), "panic: cause\n") {
		t.Errorf("got %v", inner)
	}
	if got := panics.Seen() - before; got != 1 {
		t.Errorf("counted %d times, want once", got)
	}
}

func TestErrorsPassUnchanged(t *testing.T) {
	t.Parallel()
	want := errors.New("as it was")
	if got := panics.Caught(func() error { return want }); got != want { //nolint:errorlint // the same one
		t.Errorf("got %v", got)
	}
	if got := panics.Caught(func() error { return nil }); got != nil {
		t.Errorf("got %v", got)
	}
}

func TestTogetherReturnsTheFirstErrorInOrderAndRaisesPanics(t *testing.T) {
	t.Parallel()
	var done atomic.Int32
	second, third := errors.New("second"), errors.New("third")
	err := panics.Together(
		func() error { done.Add(1); return nil },
		func() error { done.Add(1); return second },
		func() error { done.Add(1); return third },
	)
	if !errors.Is(err, second) || done.Load() != 3 {
		t.Errorf("got %v after %d of 3, want the second's error after all", err, done.Load())
	}
	if err := panics.Together(); err != nil {
		t.Errorf("an empty group ends with %v", err)
	}
	err = panics.Caught(func() error {
		return panics.Together(func() error { outOfRange(nil); return nil }, func() error { return second })
	})
	if _, ok := errors.AsType[*panics.Error](err); !ok {
		t.Errorf("got %v, want the panic", err)
	}
}
