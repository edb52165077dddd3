package jobs

import (
	"context"
	"time"

	"assay/internal/control"
)

// Task is a running job. Its work reports progress and results through the Task.
type Task struct {
	runner *Runner
	spec   Spec
	cancel context.CancelFunc
	lease  *control.JobLease // nil: the kind needs none

	// The runner's lock guards the fields below.
	job        Job
	background bool
	stopped    bool      // Cancel has canceled the job
	lost       bool      // the job has lost its lease
	saving     bool      // the work is done, and its result is being stored
	counted    time.Time // time of the first progress; the estimate of the remaining time starts here
	result     any       // result of a background job
}

// Progress reports how much of the work is done. A total of 0 means that the total is unknown. Values below earlier
// values are ignored.
func (t *Task) Progress(done, total int64) {
	t.runner.mu.Lock()
	defer t.runner.mu.Unlock()
	j := &t.job
	if t.counted.IsZero() {
		t.counted = t.runner.Clock.Now()
	}
	j.Done, j.Total = max(j.Done, done), max(j.Total, total)
	if j.Total == 0 {
		return
	}
	j.Percent = max(j.Percent, int(min(100*j.Done/j.Total, 99)))
	if j.Done > 0 {
		spent := t.runner.Clock.Since(t.counted)
		j.LeftSeconds = int64(spent.Seconds() * float64(max(j.Total-j.Done, 0)) / float64(j.Done))
	}
}

// Await calls the function wait, which waits for a resource that the work needs. Until wait returns, the job is in the
// state waiting.
func (t *Task) Await(wait func() error) error {
	t.enter(Waiting)
	defer t.enter(Running)
	return wait()
}

func (t *Task) enter(s State) {
	t.runner.mu.Lock()
	defer t.runner.mu.Unlock()
	t.job.State = s
	if s == Running && t.job.Began.IsZero() {
		t.job.Began = t.runner.Clock.Now()
	}
}

// slot waits until the number of running jobs of the kind is below the kind's limit.
func (t *Task) slot(ctx context.Context) (leave func(), err error) {
	slots := t.runner.slots(t.spec.Kind)
	if slots == nil {
		return func() {}, nil
	}
	select {
	case slots <- struct{}{}:
		return func() { <-slots }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
