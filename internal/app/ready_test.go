package app

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestTheControlDataAreWrittenAtMostOncePerPause(t *testing.T) {
	t.Parallel()
	now, writes, full := time.Unix(1_000_000, 0), 0, error(nil)
	c := writeCheck{
		now: func() time.Time { return now },
		ping: func(ctx context.Context) error {
			writes++
			return errors.Join(full, ctx.Err())
		},
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for range 100 {
		if err := c.check(gone); err != nil {
			t.Fatalf("a caller that disconnected: %v", err)
		}
	}
	if writes != 1 {
		t.Errorf("%d writes for 100 requests, want 1", writes)
	}
	full = errors.New("the disk is full")
	if now = now.Add(writeCheckPause - 1); c.check(t.Context()) != nil || writes != 1 {
		t.Errorf("before the pause ends: %d writes", writes)
	}
	now = now.Add(1)
	for range 2 {
		if err := c.check(t.Context()); !errors.Is(err, full) || writes != 2 {
			t.Errorf("on a full disk: %d writes, %v", writes, err)
		}
	}
	full = nil
	if now = now.Add(writeCheckPause); c.check(t.Context()) != nil || writes != 3 {
		t.Errorf("when there is space again: %d writes, %v", writes, c.last)
	}
}
