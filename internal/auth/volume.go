package auth

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/measure"
)

// Orders counts a workspace's orders since a day. The query is canceled when ctx ends.
type Orders interface {
	RecentOrders(ctx context.Context, ws measure.WorkspaceID, from civil.Date) (int64, error)
}

const (
	volumeDays    = 30
	volumeFresh   = 10 * time.Minute       // age after which a volume is read again
	volumeRetry   = 10 * time.Second       // pause before reading a volume again after a failure
	volumeWait    = 250 * time.Millisecond // maximum wait of a workspace's first request
	volumeTimeout = 30 * time.Second       // time limit for reading a volume again
)

// volumes caches the number of orders of workspaces in the last 30 days. The first request of a workspace waits briefly
// for the number. Later the number is read again in the background.
type volumes struct {
	orders Orders
	now    func() time.Time
	log    *slog.Logger
	again  chan control.Workspace // workspaces to read again

	mu   sync.Mutex // guards seen and its volumes
	seen map[measure.WorkspaceID]*volume
}

type volume struct {
	first  chan struct{} // closed when the first reading has ended, successfully or not
	orders int64
	known  bool
	due    time.Time // time at which the number is read again
}

func newVolumes(orders Orders, now func() time.Time, log *slog.Logger) *volumes {
	return &volumes{
		orders: orders, now: now, log: log,
		again: make(chan control.Workspace, 64), seen: make(map[measure.WorkspaceID]*volume),
	}
}

// recent returns the number of orders in the last 30 days, and known = false if it has not been read yet.
func (v *volumes) recent(ctx context.Context, w control.Workspace) (orders int64, known bool) {
	v.mu.Lock()
	one, found := v.seen[w.ID]
	if !found {
		one = &volume{first: make(chan struct{})}
		v.seen[w.ID] = one
	}
	v.mu.Unlock()
	if !found {
		v.readFirst(ctx, w, one)
	}
	select {
	case <-one.first:
	case <-ctx.Done():
	}
	return v.answer(w, one)
}

// readFirst reads the workspace's order volume for all waiting requests. It continues if the first of these requests is
// canceled.
func (v *volumes) readFirst(ctx context.Context, w control.Workspace, one *volume) {
	defer close(one.first)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), volumeWait)
	defer cancel()
	v.read(ctx, w, one)
}

// answer returns the cached number and requests a new reading when a reading is due.
func (v *volumes) answer(w control.Workspace, one *volume) (int64, bool) {
	now := v.now()
	v.mu.Lock()
	defer v.mu.Unlock()
	if !now.Before(one.due) {
		select {
		case v.again <- w:
			one.due = now.Add(volumeRetry)
		default: // the queue is full; a later request triggers the reading
		}
	}
	return one.orders, one.known
}

func (v *volumes) read(ctx context.Context, w control.Workspace, one *volume) {
	now := v.now()
	from := civil.DayOf(now, w.Location()).AddDays(-volumeDays)
	orders, err := v.orders.RecentOrders(ctx, w.ID, from)
	if err != nil {
		v.log.WarnContext(ctx, "order volume not read", slog.String("workspace", string(w.ID)), slog.Any("error", err))
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if err != nil {
		one.due = now.Add(volumeRetry) // the previous number remains valid
		return
	}
	one.orders, one.known, one.due = orders, true, now.Add(volumeFresh)
}

// run reads due volumes again, one workspace at a time, until ctx ends.
func (v *volumes) run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case w := <-v.again:
			v.mu.Lock()
			one := v.seen[w.ID]
			v.mu.Unlock()
			limited, cancel := context.WithTimeout(ctx, volumeTimeout)
			v.read(limited, w, one)
			cancel()
		}
	}
}
