// Package jobs runs background work: trainings started by members, scheduled trainings, and the daily forecasts of each
// workspace. Started work is recorded in a file, so that a restarted service resumes it.
package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/mix"
	"assay/internal/panics"
)

// Trainer trains a workspace's model. One training runs at a time; others wait.
type Trainer interface {
	Train(ctx context.Context, w control.Workspace, asked mix.Request) (*mix.Model, error)
	// Tried returns when the workspace's last training ended, refused ones included; zero if there was none.
	Tried(w control.Workspace) (time.Time, error)
}

// Forecaster makes a workspace's daily forecasts and evaluates past ones. A second call on the same day has little to
// do.
type Forecaster interface {
	Forecast(ctx context.Context, w control.Workspace) error
}

// Workspaces lists the workspaces.
type Workspaces interface {
	Workspaces(ctx context.Context) ([]control.Workspace, error)
}

// Options are the dependencies of [New].
type Options struct {
	File       string // records started work
	Trainer    Trainer
	Forecaster Forecaster // nil: no forecasts
	Workspaces Workspaces
	Clock      clockwork.Clock // the real clock, even when answers use a fixed date
	Log        *slog.Logger
}

// Runner runs background work. It is safe for concurrent use.
type Runner struct {
	Options

	work panics.Group

	mu       sync.Mutex      // guards the fields below
	serving  context.Context //nolint:containedctx // what work in the background ends with; set by Run alone
	jobs     map[measure.WorkspaceID]*job
	failures map[measure.WorkspaceID]string
	next     map[measure.WorkspaceID]scheduled // of workspaces with a schedule
}

// job is a running or waiting training.
type job struct {
	cancel      context.CancelFunc
	background  bool
	began       time.Time // time of the first draw; zero while it waits
	done, total int64
}

// Progress is the progress of a training.
type Progress struct {
	DonePct int
	Left    time.Duration // 0 when unknown
}

// scheduled is an entry of the scheduler.
type scheduled interface{ NextRun() (time.Time, error) }

// New returns a runner. Background work starts with [Runner.Run].
func New(o Options) *Runner {
	return &Runner{
		Options: o, jobs: map[measure.WorkspaceID]*job{}, failures: map[measure.WorkspaceID]string{}, next: map[measure.WorkspaceID]scheduled{},
	}
}

// Start starts a training in the background. A running or waiting one gives a conflict fault, a service that is not up
// an unavailable fault.
func (r *Runner) Start(ctx context.Context, w control.Workspace) error { //nolint:contextcheck // the training outlives its caller
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.serving == nil || r.serving.Err() != nil {
		return fault.Unavailable("the service is starting or stopping").WithHint("try again in a moment")
	}
	run, j, err := r.enter(r.serving, w.ID, true)
	if err != nil {
		return err
	}
	if err := r.write(); err != nil {
		r.leave(w.ID)
		return err
	}
	r.Log.InfoContext(ctx, "training begins", slog.String("workspace", string(w.ID)))
	r.work.Go(func() {
		_, err := r.train(run, w, mix.Request{Progress: j.note(r)})
		r.ended(run, w.ID, err)
	})
	return nil
}

// Do trains synchronously and ends with ctx. It fails as [Runner.Start] does.
func (r *Runner) Do(ctx context.Context, w control.Workspace, asked mix.Request) (*mix.Model, error) {
	r.mu.Lock()
	run, j, err := r.enter(ctx, w.ID, false)
	r.mu.Unlock()
	if err != nil {
		return nil, err
	}
	note, progress := j.note(r), asked.Progress
	asked.Progress = func(done, total int64) {
		note(done, total)
		if progress != nil {
			progress(done, total)
		}
	}
	m, err := r.train(run, w, asked)
	cancelled := err != nil && run.Err() != nil && ctx.Err() == nil // interrupted work may return any error
	r.mu.Lock()
	r.leave(w.ID)
	r.mu.Unlock()
	if cancelled {
		return nil, fault.Conflict("the training of %q was cancelled", w.ID)
	}
	return m, err
}

// train trains. A panic ends this training only.
func (r *Runner) train(ctx context.Context, w control.Workspace, asked mix.Request) (m *mix.Model, err error) {
	err = panics.Caught(func() (err error) {
		m, err = r.Trainer.Train(ctx, w, asked)
		return err
	})
	return m, err
}

// enter registers a job. The caller has the lock.
func (r *Runner) enter(ctx context.Context, id measure.WorkspaceID, background bool) (context.Context, *job, error) {
	if r.jobs[id] != nil {
		return nil, nil, fault.Conflict("a model of %q is being trained", id).WithHint("wait for it, or cancel it")
	}
	run, cancel := context.WithCancel(ctx)
	j := &job{cancel: cancel, background: background}
	r.jobs[id] = j
	delete(r.failures, id)
	return run, j, nil
}

// leave removes a job. The caller has the lock.
func (r *Runner) leave(id measure.WorkspaceID) {
	r.jobs[id].cancel()
	delete(r.jobs, id)
}

// ended records the end of a background job. A job that ends with the service remains recorded.
func (r *Runner) ended(run context.Context, id measure.WorkspaceID, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	stopping := r.serving.Err() != nil
	cancelled := run.Err() != nil
	r.leave(id)
	if stopping {
		return
	}
	if err != nil && !cancelled {
		r.failures[id] = "it failed; the service log has the reason"
		if text, _, public := fault.Public(err); public {
			r.failures[id] = text
		}
		r.Log.ErrorContext(run, "training failed", slog.String("workspace", string(id)), slog.Any("error", err))
	}
	if err := r.write(); err != nil {
		r.Log.WarnContext(run, "work cannot be recorded", slog.Any("error", err))
	}
}

// note returns the progress callback of a job.
func (j *job) note(r *Runner) func(done, total int64) {
	return func(done, total int64) {
		r.mu.Lock()
		defer r.mu.Unlock()
		if j.began.IsZero() {
			j.began = r.Clock.Now()
		}
		j.done, j.total = max(j.done, done), max(j.total, total)
	}
}

// Cancel cancels the workspace's training and reports whether there was one.
func (r *Runner) Cancel(id measure.WorkspaceID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	j := r.jobs[id]
	if j != nil {
		j.cancel()
	}
	return j != nil
}

// Progress returns the progress of the workspace's training, and whether there is one.
func (r *Runner) Progress(id measure.WorkspaceID) (Progress, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	j := r.jobs[id]
	if j == nil || j.total == 0 {
		return Progress{}, j != nil
	}
	p := Progress{DonePct: min(int(100*j.done/j.total), 99)} // failed attempts can add draws
	if spent := r.Clock.Since(j.began); j.done > 0 {
		p.Left = time.Duration(float64(spent) * float64(j.total-j.done) / float64(j.done))
	}
	return p, true
}

// Failure says why the workspace's last background training did not complete; "" if it did.
func (r *Runner) Failure(id measure.WorkspaceID) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failures[id]
}

// Next returns the next scheduled training of the workspace; zero if there is none.
func (r *Runner) Next(id measure.WorkspaceID) time.Time {
	r.mu.Lock()
	entry := r.next[id]
	r.mu.Unlock()
	if entry == nil {
		return time.Time{}
	}
	next, err := entry.NextRun()
	if err != nil { // the service is stopping
		return time.Time{}
	}
	return next
}

// write records the background work. The caller has the lock.
func (r *Runner) write() error {
	var asked []measure.WorkspaceID
	for id, j := range r.jobs {
		if j.background {
			asked = append(asked, id)
		}
	}
	text, err := json.Marshal(asked)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(r.File), 0o700); err != nil {
		return fault.Unavailable("directory of %s cannot be created", r.File).Wrap(err)
	}
	if err := os.WriteFile(r.File+".new", text, 0o600); err != nil {
		return fault.Unavailable("%s cannot be written", r.File).Wrap(err)
	}
	return os.Rename(r.File+".new", r.File)
}

// read returns the recorded work.
func (r *Runner) read() ([]measure.WorkspaceID, error) {
	text, err := os.ReadFile(r.File)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("recorded work: %w", err)
	}
	var asked []measure.WorkspaceID
	if err := json.Unmarshal(text, &asked); err != nil {
		return nil, fmt.Errorf("recorded work in %s: %w", r.File, err)
	}
	return asked, nil
}
