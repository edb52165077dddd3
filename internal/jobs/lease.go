package jobs

import (
	"context"
	"log/slog"
	"time"

	"assay/internal/control"
	"assay/internal/fault"
)

const (
	// leaseTime is the time after which another node resumes the job of a node that has ended. The clocks of nodes may
	// differ by less than half of this time.
	leaseTime   = 2 * time.Minute
	extendEvery = 30 * time.Second
	releaseTime = 5 * time.Second // deadline for the end of a lease, also on shutdown
)

func lostLease(s Spec) error {
	return fault.Unavailable("%q was interrupted because its lease in the control data expired", s.What).
		WithHint("another node may have resumed it; otherwise start it again")
}

// claim takes the lease of a job and extends it until run ends. If another node has the lease, claim returns a fault of
// kind conflict.
func (r *Runner) claim(run context.Context, t *Task) error {
	j := t.job
	now := r.Clock.Now()
	lease := control.JobLease{
		Workspace: j.Workspace, Kind: j.Kind, By: j.By, Asked: j.Asked, Node: r.node, Until: now.Add(leaseTime),
		Resumes: t.background && r.routine(j.Kind) != nil,
	}
	if err := r.Store.ClaimJob(run, lease, now); err != nil {
		return err
	}
	t.lease = &lease
	tick := r.Clock.NewTicker(extendEvery)
	r.work.Go(func() {
		defer tick.Stop()
		r.extend(run, t, lease, tick.Chan())
	})
	return nil
}

// extend extends the lease of a job at each tick until run ends. It cancels the job if another node has the lease, or
// if the lease has expired because the store does not respond. In both cases, another node may run the job. A job
// continues while its result is being stored; see [Runner.Save].
func (r *Runner) extend(run context.Context, t *Task, lease control.JobLease, tick <-chan time.Time) {
	for {
		select {
		case <-run.Done():
			return
		case <-tick:
		}
		until := r.Clock.Now().Add(leaseTime)
		ctx, cancel := context.WithTimeout(run, extendEvery)
		has, err := r.Store.ExtendJob(ctx, lease, until)
		cancel()
		switch {
		case run.Err() != nil:
			return
		case err == nil && has:
			lease.Until = until
			continue
		case err != nil && r.Clock.Now().Before(lease.Until.Add(-extendEvery)):
			continue
		}
		if r.loses(t) {
			r.Log.WarnContext(run, "job loses its lease", slog.String("kind", lease.Kind),
				slog.String("workspace", string(lease.Workspace)), slog.Any("error", err))
			return
		}
	}
}

// loses cancels a job after its lease has ended and returns true, unless the result of the job is being stored.
func (r *Runner) loses(t *Task) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if t.saving {
		return false
	}
	t.lost = true
	t.cancel()
	return true
}

// release ends the lease of a job. An interrupted job remains recorded, so that it is resumed.
func (r *Runner) release(run context.Context, t *Task, interrupted bool) {
	r.mu.Lock()
	lost := t.lost
	r.mu.Unlock()
	if t.lease == nil || lost {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(run), releaseTime)
	defer cancel()
	var err error
	if interrupted && t.lease.Resumes {
		_, err = r.Store.ExtendJob(ctx, *t.lease, time.Time{})
	} else {
		err = r.Store.EndJob(ctx, *t.lease)
	}
	if err != nil { // the lease expires
		r.Log.WarnContext(ctx, "lease of a job cannot be ended", slog.String("kind", t.lease.Kind),
			slog.String("workspace", string(t.lease.Workspace)), slog.Any("error", err))
	}
}
