package ads

import (
	"context"
	"time"
)

// Clock provides the time of a client.
type Clock interface {
	Now() time.Time
	// Sleep waits until d has passed or the context ends, and returns the error of the context.
	Sleep(ctx context.Context, d time.Duration) error
	// WithTimeout returns a context that ends after d. Its cause is then [context.DeadlineExceeded].
	WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc)
}

// RealClock returns the system clock. The parameter now is time.Now.
func RealClock(now func() time.Time) Clock { return realClock{now} }

type realClock struct{ now func() time.Time }

func (c realClock) Now() time.Time { return c.now() }

func (c realClock) Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

func (c realClock) WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, d)
}
