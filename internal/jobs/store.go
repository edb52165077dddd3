package jobs

import (
	"context"
	"log/slog"
	"time"

	"assay/internal/fault"
	"assay/internal/measure"
)

const (
	firstPause = time.Second // pause before the second attempt to store a result; each later pause is twice as long
	maxPause   = time.Minute
	storeTime  = 24 * time.Hour // time after which a result that cannot be stored is discarded
)

// theStore is the name of the resource that a job waits for if its result cannot be stored.
const theStore = "the control database"

// Save calls the function save, which stores the result of the workspace's running job of a kind. While save returns a
// fault of kind unavailable, Save calls it again after a growing pause, for up to a day. Meanwhile the end of the lease
// does not cancel the job, so save must reject a result that is older than the stored one.
func (r *Runner) Save(ctx context.Context, k Kind, ws measure.WorkspaceID, save func(ctx context.Context) error) error {
	began, pause := r.Clock.Now(), firstPause
	r.saving(k, ws, true, "")
	defer r.saving(k, ws, false, "")
	for attempt := 1; ; attempt++ {
		err := save(ctx)
		late := r.Clock.Since(began) >= storeTime
		if fault.KindOf(err) != fault.KindUnavailable || ctx.Err() != nil || late {
			if attempt > 1 && err == nil {
				r.Log.InfoContext(ctx, "result of a job stored", slog.String("kind", k.Name), slog.String("workspace", string(ws)),
					slog.Int("attempts", attempt))
			}
			return err
		}
		if attempt == 1 {
			r.saving(k, ws, true, theStore)
			r.Log.WarnContext(ctx, "result of a job cannot be stored yet; the service tries again", slog.String("kind", k.Name),
				slog.String("workspace", string(ws)), slog.Any("error", err))
		}
		select {
		case <-r.Clock.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
		pause = min(2*pause, maxPause)
	}
}

// saving records whether the running job of a kind is storing its result. The parameter waitsFor states what the job
// waits for. It is "" if the job does not wait.
func (r *Runner) saving(k Kind, ws measure.WorkspaceID, yes bool, waitsFor string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range r.tasks {
		if t.job.Kind != k.Name || t.job.Workspace != ws || t.job.State.Ended() {
			continue
		}
		t.saving, t.job.WaitsFor = yes, waitsFor
		if t.job.State = Running; waitsFor != "" {
			t.job.State, t.job.LeftSeconds = Waiting, 0
		}
	}
}
