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

// Orders counts a workspace's orders from a day on. It returns when ctx ends.
type Orders interface {
	RecentOrders(ctx context.Context, ws measure.WorkspaceID, from civil.Date) (int64, error)
}

const (
	volumeDays    = 30
	volumeFresh   = 10 * time.Minute       // after which a volume is read again
	volumeRetry   = 10 * time.Second       // the same after a failure
	volumePatient = 250 * time.Millisecond // how long the first call of a workspace waits
	volumeTimeout = 30 * time.Second       // how long reading again may take
)

// volumes remembers how many orders workspaces had in the last 30 days. The first call of a workspace waits a
// moment for the number; after that it is read again beside the calls.
type volumes struct {
	orders Orders
	now    func() time.Time
	log    *slog.Logger
	again  chan control.Workspace // to be read again

	mu   sync.Mutex // guards seen and what its volumes hold
	seen map[measure.WorkspaceID]*volume
}

type volume struct {
	first  chan struct{} // closed when the first reading ended, well or not
	orders int64
	known  bool
	due    time.Time // when it is to be read again
}

func newVolumes(orders Orders, now func() time.Time, log *slog.Logger) *volumes {
	return &volumes{
		orders: orders, now: now, log: log,
		again: make(chan control.Workspace, 64), seen: make(map[measure.WorkspaceID]*volume),
	}
}

// recent returns the number of orders in the last 30 days, and known = false when it could not be read yet.
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

// readFirst reads for all calls that wait. That the one which came first is given up does not end it.
func (v *volumes) readFirst(ctx context.Context, w control.Workspace, one *volume) {
	defer close(one.first)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), volumePatient)
	defer cancel()
	v.read(ctx, w, one)
}

// answer returns what is known, and asks for it to be read again when it is due.
func (v *volumes) answer(w control.Workspace, one *volume) (int64, bool) {
	now := v.now()
	v.mu.Lock()
	defer v.mu.Unlock()
	if !now.Before(one.due) {
		select {
		case v.again <- w:
			one.due = now.Add(volumeRetry)
		default: // many are waiting; a later call asks
		}
	}
	return one.orders, one.known
}

func (v *volumes) read(ctx context.Context, w control.Workspace, one *volume) {
	now := v.now()
	from := civil.DayOf(now, w.Location()).AddDays(-volumeDays)
	orders, err := v.orders.RecentOrders(ctx, w.ID, from)
	if err != nil {
		v.log.WarnContext(ctx, "volume of orders not read", slog.String("workspace", string(w.ID)), slog.Any("error", err))
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if err != nil {
		one.due = now.Add(volumeRetry) // what was known before stays
		return
	}
	one.orders, one.known, one.due = orders, true, now.Add(volumeFresh)
}

// run reads again what is due, one workspace at a time, until ctx ends.
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
