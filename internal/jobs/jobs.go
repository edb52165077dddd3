// Package jobs runs long work: imports, trainings and the daily forecasts of workspaces. Every job reports its
// progress, can be canceled, and is listed with the workspace's other jobs. A foreground job ends with its caller. A
// background job outlives the request that started it. The result of the job is available for a limited time after its
// end.
//
// A [Routine] is recurring work of a workspace. It runs on a schedule or when a member requests it.
//
// If a workspace may have only one job of a kind at a time, the job has a lease in the control data. Therefore, only
// one node runs the job. The node extends the lease while the job runs. If a node stops during a background job of a
// routine, a restarted service resumes the job. Another node resumes the job when the lease has expired.
package jobs

import (
	"context"
	"crypto/rand"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/panics"
)

const (
	keep  = 30 * time.Minute // time for which an ended background job is listed and its result is available
	idLen = 12               // length of a job ID: 60 bits, short enough to type
)

// Store lists the workspaces and stores the leases of jobs. The control store implements it.
type Store interface {
	Workspaces(ctx context.Context) ([]control.Workspace, error)
	ClaimJob(ctx context.Context, j control.JobLease, now time.Time) error
	ExtendJob(ctx context.Context, j control.JobLease, until time.Time) (has bool, err error)
	EndJob(ctx context.Context, j control.JobLease) error
	RemoveJobs(ctx context.Context, ws measure.WorkspaceID) error
	ReleaseJobs(ctx context.Context) error
	InterruptedJobs(ctx context.Context, now time.Time) ([]control.JobLease, error)
}

// Options are the dependencies of [New].
type Options struct {
	Store    Store
	Alone    bool   // no other process runs jobs of this store, so the leases of an ended process are void
	File     string // file in which an earlier release recorded jobs; "": none
	Routines []Routine
	Clock    clockwork.Clock // the real clock, even when answers use a fixed date
	Log      *slog.Logger
}

// Runner runs jobs. It is safe for concurrent use.
type Runner struct {
	Options

	node string       // identifies this process in leases
	work panics.Group // background jobs and extensions of leases

	mu      sync.Mutex      // guards the fields below and the tasks
	serving context.Context //nolint:containedctx // background jobs end with it; set only by Run
	tasks   []*Task         // in the order of the requests
	running map[string]chan struct{}
	next    map[place]scheduled // active schedules of workspaces
}

// New returns a runner. Background jobs and schedules start with [Runner.Run].
func New(o Options) *Runner {
	return &Runner{Options: o, node: rand.Text(), running: map[string]chan struct{}{}, next: map[place]scheduled{}}
}

// Do runs work as a foreground job, which ends with ctx. Do may return a result together with an error. If the job is
// canceled, the error is of kind conflict.
func Do[T any](
	ctx context.Context, r *Runner, s Spec, work func(ctx context.Context, t *Task) (T, error),
) (result T, err error) {
	run, t, err := r.enter(ctx, s, false)
	if err != nil {
		return result, err
	}
	err = t.run(run, func() (err error) {
		result, err = work(run, t)
		return err
	})
	r.release(run, t, false)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.remove(t)
	switch {
	case err != nil && t.lost:
		return result, lostLease(s)
	case err != nil && t.stopped: // interrupted work may return any error
		return result, cancelled(s)
	}
	return result, err
}

// remove removes a job from the list. The caller has the lock.
func (r *Runner) remove(t *Task) {
	r.tasks = slices.DeleteFunc(r.tasks, func(other *Task) bool { return other == t })
}

// Start runs work as a background job and returns the job. If the service is starting or stopping, or runs the maximum
// number of background jobs of the kind, Start returns a fault of kind unavailable.
func Start[T any]( //nolint:contextcheck // the job outlives its caller
	ctx context.Context, r *Runner, s Spec, work func(ctx context.Context, t *Task) (T, error),
) (Job, error) {
	r.mu.Lock()
	serving := r.serving
	r.mu.Unlock()
	if serving == nil || serving.Err() != nil {
		return Job{}, fault.Unavailable("the service is starting or stopping").WithHint("try again in a moment")
	}
	run, t, err := r.enter(serving, s, true)
	if err != nil {
		return Job{}, err
	}
	r.mu.Lock()
	job := t.job
	r.mu.Unlock()
	r.Log.InfoContext(ctx, "job begins", slog.String("kind", s.Kind.Name), slog.String("workspace", string(s.Workspace)))
	r.work.Go(func() {
		var result T
		err := t.run(run, func() (err error) {
			result, err = work(run, t)
			return err
		})
		r.end(run, t, result, err)
	})
	return job, nil
}

// Result returns the result of a background job that is done.
func Result[T any](r *Runner, id ID) (result T, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if t := r.find(id); t != nil && t.job.State == Done {
		result, ok = t.result.(T)
	}
	return result, ok
}

func cancelled(s Spec) error {
	return fault.Conflict("%q was canceled", s.What).WithHint("%s", s.Kind.Cancelling)
}

// enter adds a job to the list and takes its lease.
func (r *Runner) enter(ctx context.Context, s Spec, background bool) (context.Context, *Task, error) {
	run, t, err := r.list(ctx, s, background)
	if err != nil || !s.Kind.Alone {
		return run, t, err
	}
	if err := r.claim(run, t); err != nil {
		t.cancel()
		r.mu.Lock()
		defer r.mu.Unlock()
		r.remove(t)
		if t.stopped {
			err = cancelled(s)
		}
		return nil, nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tasks = slices.DeleteFunc(r.tasks, func(other *Task) bool { // the new job replaces the previous one
		return other != t && other.job.Kind == s.Kind.Name && other.job.Workspace == s.Workspace
	})
	return run, t, nil
}

// list adds a job to the list.
func (r *Runner) list(ctx context.Context, s Spec, background bool) (context.Context, *Task, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.prune()
	active := 0
	for _, t := range r.tasks {
		if t.job.Kind != s.Kind.Name || t.job.State.Ended() {
			continue
		}
		if s.Kind.Alone && t.job.Workspace == s.Workspace {
			return nil, nil, fault.Conflict("%q is already running in workspace %q", t.job.What, s.Workspace).
				WithHint("wait for it, or cancel it")
		}
		if t.background {
			active++
		}
	}
	if background && s.Kind.Most > 0 && active >= s.Kind.Most {
		return nil, nil, fault.Unavailable("the service is running %d %s jobs, the maximum", active, s.Kind.Name).
			WithHint("try again in a minute")
	}
	run, cancel := context.WithCancel(ctx)
	t := &Task{runner: r, spec: s, cancel: cancel, background: background, job: Job{
		ID: ID(strings.ToLower(rand.Text()[:idLen])), Kind: s.Kind.Name, Workspace: s.Workspace, By: s.By, What: s.What,
		State: Waiting, Unit: s.Kind.Unit, Asked: r.Clock.Now(), Cancelling: s.Kind.Cancelling,
	}}
	r.tasks = append(slices.Clip(r.tasks), t)
	return run, t, nil
}

// prune removes jobs that ended more than [keep] ago. For kinds with Alone set, the last failure remains until the next
// job of the kind. The caller has the lock.
func (r *Runner) prune() {
	now := r.Clock.Now()
	r.tasks = slices.DeleteFunc(r.tasks, func(t *Task) bool {
		lasting := t.spec.Kind.Alone && t.job.State == Failed
		return t.job.State.Ended() && !lasting && now.Sub(t.job.Ended) > keep
	})
}

// run does the work of a job when the job's turn comes. A panic ends this job only.
func (t *Task) run(ctx context.Context, work func() error) error {
	defer t.cancel()
	leave, err := t.slot(ctx)
	if err != nil {
		return err
	}
	defer leave()
	t.enter(Running)
	return panics.Caught(work)
}

// end records the end of a background job. If a shutdown interrupts the job of a routine, the job is resumed later.
func (r *Runner) end(run context.Context, t *Task, result any, err error) {
	r.mu.Lock()
	interrupted := err != nil && r.serving.Err() != nil && !t.stopped
	r.mu.Unlock()
	r.release(run, t, interrupted)
	r.mu.Lock()
	defer r.mu.Unlock()
	j := &t.job
	j.Ended, j.LeftSeconds = r.Clock.Now(), 0
	switch stopping := r.serving.Err() != nil; {
	case err == nil:
		j.State, j.Percent, t.result = Done, 100, result
	case t.lost:
		j.State = Failed
		j.Failure, _, _ = fault.Public(lostLease(t.spec))
	case t.stopped || stopping:
		j.State = Cancelled
	default:
		j.State, j.Failure = Failed, InternalFailure
		if text, _, public := fault.Public(err); public {
			j.Failure = text
		}
		r.Log.ErrorContext(run, "job failed",
			slog.String("kind", j.Kind), slog.String("workspace", string(j.Workspace)), slog.Any("error", err))
	}
}

// slots returns the channel that limits the concurrent jobs of a kind, or nil if there is no limit.
func (r *Runner) slots(k Kind) chan struct{} {
	if k.Slots == 0 {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.running[k.Name] == nil {
		r.running[k.Name] = make(chan struct{}, k.Slots)
	}
	return r.running[k.Name]
}

// find returns a task by its job's ID, or nil if there is none. The caller has the lock.
func (r *Runner) find(id ID) *Task {
	if at := slices.IndexFunc(r.tasks, func(t *Task) bool { return t.job.ID == id }); at >= 0 {
		return r.tasks[at]
	}
	return nil
}

// Job returns a job by its ID.
func (r *Runner) Job(id ID) (Job, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.prune()
	if t := r.find(id); t != nil {
		return t.job, true
	}
	return Job{}, false
}

// Jobs returns a workspace's jobs: running and waiting jobs, and background jobs that ended recently. The jobs are in
// the order of their requests, the latest last.
func (r *Runner) Jobs(ws measure.WorkspaceID) []Job {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.prune()
	var all []Job
	for _, t := range r.tasks {
		if t.job.Workspace == ws {
			all = append(all, t.job)
		}
	}
	return all
}

// Last returns the workspace's last job of a kind: the running or waiting job, otherwise the job that ended last.
func (r *Runner) Last(k Kind, ws measure.WorkspaceID) (Job, bool) {
	for _, j := range slices.Backward(r.Jobs(ws)) {
		if j.Kind == k.Name {
			return j, true
		}
	}
	return Job{}, false
}

// Active returns the workspace's job of a kind that runs or waits.
func (r *Runner) Active(k Kind, ws measure.WorkspaceID) (Job, bool) {
	j, ok := r.Last(k, ws)
	return j, ok && !j.State.Ended()
}

// Cancel cancels a job and reports whether the job was running or waiting.
func (r *Runner) Cancel(id ID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.find(id)
	if t == nil || t.job.State.Ended() {
		return false
	}
	t.stop()
	return true
}

// Drop cancels and removes all jobs of a workspace that is being deleted. Other nodes cancel their jobs when they
// extend the leases.
func (r *Runner) Drop(ctx context.Context, ws measure.WorkspaceID) error {
	r.mu.Lock()
	r.tasks = slices.DeleteFunc(r.tasks, func(t *Task) bool {
		if t.job.Workspace == ws {
			t.stop()
		}
		return t.job.Workspace == ws
	})
	r.mu.Unlock()
	return r.Store.RemoveJobs(ctx, ws)
}

// stop cancels the work. The caller has the lock.
func (t *Task) stop() {
	t.stopped = t.stopped || !t.job.State.Ended()
	t.cancel()
}
