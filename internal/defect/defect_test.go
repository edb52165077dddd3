package defect_test

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"assay/internal/defect"
)

func TestAPanicInAGoroutineComesToWhoWaits(t *testing.T) {
	t.Parallel()
	var others atomic.Int32
	err := defect.Caught(func() error {
		var g defect.Group
		for range 4 {
			g.Go(func() { others.Add(1) })
		}
		g.Go(func() { outOfRange(nil) })
		g.Wait()
		t.Error("whoever waits goes on")
		return nil
	})
	var d *defect.Error
	if !errors.As(err, &d) || !strings.Contains(err.Error(), "index out of range") || !strings.Contains(string(d.Stack), "outOfRange") {
		t.Errorf("got %v, want the panic with the place where it happened", err)
	}
	if others.Load() != 4 {
		t.Errorf("%d of 4 other goroutines ended", others.Load())
	}
}

//go:noinline
func outOfRange(of []int) int { return of[len(of)] }

func TestADefectIsCountedOnceAndNamesItsFirstCause(t *testing.T) { //nolint:paralleltest // the count is the process's
	before := defect.Seen()
	inner := defect.Caught(func() error {
		var outer defect.Group
		outer.Go(func() {
			var g defect.Group
			g.Go(func() { panic("cause") })
			g.Wait()
		})
		outer.Wait()
		return nil
	})
	if inner == nil || !strings.HasPrefix(inner.Error(), "panic: cause\n") {
		t.Errorf("got %v", inner)
	}
	if got := defect.Seen() - before; got != 1 {
		t.Errorf("counted %d times, want once", got)
	}
}

func TestErrorsPassUnchanged(t *testing.T) {
	t.Parallel()
	want := errors.New("as it was")
	if got := defect.Caught(func() error { return want }); got != want { //nolint:errorlint // the same one
		t.Errorf("got %v", got)
	}
	if got := defect.Caught(func() error { return nil }); got != nil {
		t.Errorf("got %v", got)
	}
}

func TestTogetherReturnsTheFirstErrorInOrderAndBringsPanics(t *testing.T) {
	t.Parallel()
	var done atomic.Int32
	second, third := errors.New("second"), errors.New("third")
	err := defect.Together(
		func() error { done.Add(1); return nil },
		func() error { done.Add(1); return second },
		func() error { done.Add(1); return third },
	)
	if !errors.Is(err, second) || done.Load() != 3 {
		t.Errorf("got %v after %d of 3, want the second's error after all", err, done.Load())
	}
	if err := defect.Together(); err != nil {
		t.Errorf("nothing to do ends with %v", err)
	}
	err = defect.Caught(func() error {
		return defect.Together(func() error { outOfRange(nil); return nil }, func() error { return second })
	})
	if _, ok := errors.AsType[*defect.Error](err); !ok {
		t.Errorf("got %v, want the panic", err)
	}
}
