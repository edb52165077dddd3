package limit_test

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"testing"
	"time"

	"assay/internal/limit"
)

var noon = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)

func TestAQuotaAppliesToAWindow(t *testing.T) {
	t.Parallel()
	q := limit.Quota{What: "registrations", Limit: 2, Window: time.Hour, Counter: limit.NewCounter()}
	want := func(what, who string, at time.Time, wait time.Duration) {
		t.Helper()
		if got := q.Take(t.Context(), who, at); got != wait {
			t.Errorf("%s: wait %s, want %s", what, got, wait)
		}
	}
	want("first", "one", noon, 0)
	want("second", "one", noon.Add(10*time.Minute), 0)
	want("third", "one", noon.Add(20*time.Minute), 40*time.Minute)
	want("another address", "other", noon, 0)
	q.Return(t.Context(), "one", noon.Add(20*time.Minute))
	want("after one came back", "one", noon.Add(20*time.Minute), 0)
	want("in the next window", "one", noon.Add(time.Hour), 0)
	want("with the clock set back", "one", noon.Add(-24*time.Hour), 0)
}

func TestWindowsEndAtTheirStatedTime(t *testing.T) {
	t.Parallel()
	c, calls, others := limit.NewCounter(), limit.Key{What: "calls", Who: "acme"}, limit.Key{What: "sign-ins", Who: "acme"}
	take := func(k limit.Key, now time.Time) bool {
		found, counted, err := c.Take(t.Context(), k, 1, now, noon.Add(time.Minute))
		if err != nil || !found.Ends.Equal(noon.Add(time.Minute)) || found.Used != 1 {
			t.Errorf("Take at %s = %+v, %v", now, found, err)
		}
		return counted
	}
	if !take(calls, noon.Add(45*time.Second)) || take(calls, noon.Add(time.Minute-1)) || !take(others, noon) {
		t.Error("want one of each kind in the minute")
	}
	if found, err := c.Look(t.Context(), calls, noon.Add(time.Minute)); err != nil || found != (limit.Count{}) {
		t.Errorf("after the minute: %+v, %v; want nothing", found, err)
	}
}

func TestSettingTheClockBackDoesNotLockOut(t *testing.T) {
	t.Parallel()
	c := limit.NewCounter()
	take := func(now time.Time) bool {
		_, counted, err := c.Take(t.Context(), limit.Key{Who: "acme"}, 1, now, now.Add(time.Minute))
		return counted && err == nil
	}
	if !take(noon) || take(noon) || take(noon.Add(-time.Millisecond)) {
		t.Error("want one call counted; one that read the clock just before the minute counts in it")
	}
	if !take(noon.Add(-time.Hour)) || take(noon.Add(-time.Hour)) {
		t.Error("want one call counted after the clock was set back by an hour")
	}
}

func TestInventedNamesUseBoundedMemory(t *testing.T) {
	t.Parallel()
	c := limit.NewCounter()
	full := func(what, who string, now time.Time) bool {
		_, counted, _ := c.Take(t.Context(), limit.Key{What: what, Who: who}, 1, now, now.Add(time.Hour))
		return !counted
	}
	full("kept", "acme", noon)
	full("flooded", "acme", noon)
	for i := range 100_000 {
		full("flooded", strconv.Itoa(i), noon)
	}
	if full("flooded", "acme", noon) {
		t.Error("a count remains after a flood: no window was removed")
	}
	if !full("kept", "acme", noon) {
		t.Error("a flood of one kind removes counts of another kind")
	}
}

func TestReturnsNeverRaiseTheLimit(t *testing.T) {
	t.Parallel()
	c, key := limit.NewCounter(), limit.Key{What: "calls", Who: "acme"}
	take := func() bool {
		_, counted, err := c.Take(t.Context(), key, 1, noon, noon.Add(time.Minute))
		return counted && err == nil
	}
	if !take() {
		t.Fatal("the first call is not counted")
	}
	for range 3 {
		if err := c.Return(t.Context(), key, noon); err != nil {
			t.Fatal(err)
		}
	}
	if !take() || take() {
		t.Error("want one call allowed after one call and three returns")
	}
	if err := c.Return(t.Context(), limit.Key{What: "calls", Who: "other"}, noon); err != nil {
		t.Errorf("return without a window: %v", err)
	}
}

// away fails, as a shared counter may.
type away struct{ limit.Counter }

func (away) Take(context.Context, limit.Key, int, time.Time, time.Time) (limit.Count, bool, error) {
	return limit.Count{}, false, errors.New("the counter is away")
}

func TestAFailingCounterRejectsNoCaller(t *testing.T) {
	t.Parallel()
	q := limit.Quota{Limit: 1, Window: time.Hour, Counter: away{}, Log: slog.New(slog.DiscardHandler)}
	for range 2 {
		if wait := q.Take(t.Context(), "one", noon); wait != 0 {
			t.Errorf("wait %s, want none", wait)
		}
	}
}

// Return applies to the key's current window only: it changes neither expired windows, nor empty windows, nor other
// keys.
func TestReturnAppliesToTheCurrentWindowOnly(t *testing.T) {
	t.Parallel()
	c, ctx, now := limit.NewCounter(), t.Context(), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	key, other := limit.Key{What: "calls", Who: "a"}, limit.Key{What: "calls", Who: "b"}
	used := func(k limit.Key, at time.Time) int {
		t.Helper()
		count, err := c.Look(ctx, k, at)
		if err != nil {
			t.Fatal(err)
		}
		return count.Used
	}
	if err := c.Return(ctx, key, now); err != nil || used(key, now) != 0 {
		t.Errorf("an unknown key: %v, %d used", err, used(key, now))
	}
	for _, k := range []limit.Key{key, key, other} {
		if _, counted, err := c.Take(ctx, k, 5, now, now.Add(time.Minute)); !counted || err != nil {
			t.Fatalf("not counted: %v", err)
		}
	}
	for i, want := range []int{1, 0, 0} {
		if err := c.Return(ctx, key, now); err != nil || used(key, now) != want || used(other, now) != 1 {
			t.Errorf("return %d: %v, %d and %d used, want %d and 1", i, err, used(key, now), used(other, now), want)
		}
	}
	// A return after the end of the window must not lower the window's count. The clock may be set back into the
	// window.
	if err := c.Return(ctx, other, now.Add(time.Hour)); err != nil || used(other, now) != 1 {
		t.Errorf("a return after the window: %v, %d used, want 1", err, used(other, now))
	}
	// After one return, exactly one more request is counted.
	for range 6 {
		_, _, _ = c.Take(ctx, key, 5, now, now.Add(time.Minute))
	}
	if err := c.Return(ctx, key, now); err != nil {
		t.Fatal(err)
	}
	for _, want := range []bool{true, false} {
		if _, counted, _ := c.Take(ctx, key, 5, now, now.Add(time.Minute)); counted != want {
			t.Errorf("counted %v, want %v", counted, want)
		}
	}
}
