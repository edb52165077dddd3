package limit

import (
	"context"
	"log/slog"
	"time"
)

// Quota limits a caller's events in a time window that starts with the first event. It is safe for concurrent use.
type Quota struct {
	What    string // name of the event
	Limit   int
	Window  time.Duration
	Counter Counter
	Log     *slog.Logger
}

// Take counts one event of a caller and returns 0, or the wait until the next event is allowed. If the counter fails,
// the event is allowed.
func (q *Quota) Take(ctx context.Context, who string, now time.Time) (wait time.Duration) {
	c, counted, err := q.Counter.Take(ctx, q.key(who), q.Limit, now, now.Add(q.Window))
	if err != nil {
		q.Log.WarnContext(ctx, "not counted", slog.String("what", q.What), slog.Any("error", err))
		return 0
	}
	if counted {
		return 0
	}
	return max(c.Ends.Sub(now), time.Nanosecond)
}

// Return subtracts one event that was counted but did not happen.
func (q *Quota) Return(ctx context.Context, who string, now time.Time) {
	if err := q.Counter.Return(ctx, q.key(who), now); err != nil {
		q.Log.WarnContext(ctx, "event not returned", slog.String("what", q.What), slog.Any("error", err))
	}
}

func (q *Quota) key(who string) Key { return Key{What: q.What, Who: who} }
