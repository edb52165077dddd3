package jobs

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"assay/internal/control"
	"assay/internal/control/sqlstore"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/panics"
)

// trainer is a fake training. It reports when it begins, and ends when the test allows it.
type trainer struct {
	began chan measure.WorkspaceID
	let   chan error
	clock clockwork.Clock

	mu    sync.Mutex // guards tried
	tried map[measure.WorkspaceID]time.Time
}

// errInterrupted is the error that a fact store returns for a canceled query.
var errInterrupted = errors.New("interrupted")

// errDefect makes work panic.
var errDefect = errors.New("defect")

func (f *trainer) train(ctx context.Context, w control.Workspace, t *Task) error {
	t.Progress(0, 100)
	f.began <- w.ID
	select {
	case err := <-f.let:
		f.mu.Lock()
		defer f.mu.Unlock()
		f.tried[w.ID] = f.clock.Now()
		if errors.Is(err, errDefect) {
			panic(err)
		}
		return err
	case <-ctx.Done():
		return errInterrupted
	}
}

func (f *trainer) lastTried(_ context.Context, w control.Workspace) (time.Time, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.tried[w.ID], nil
}

type workspaces struct {
	*sqlstore.Store
	mu  sync.Mutex // guards all
	all []control.Workspace

	extended chan struct{} // receives a value per extension of a lease; nil: none
}

func (s *workspaces) Workspaces(context.Context) ([]control.Workspace, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.all), nil
}

// ExtendJob implements [Store].
func (s *workspaces) ExtendJob(ctx context.Context, j control.JobLease, until time.Time) (has bool, err error) {
	has, err = s.Store.ExtendJob(ctx, j, until)
	if s.extended != nil && !until.IsZero() {
		select {
		case s.extended <- struct{}{}:
		case <-ctx.Done():
		}
	}
	return has, err
}

// bench is a runner with a fake clock and the workspaces w and v.
type bench struct {
	*testing.T
	*Runner

	clock   *clockwork.FakeClock
	trainer *trainer
	options Options
	spaces  *workspaces
	stop    func()
}

// friday is 11:00 on a Friday in New York.
var friday = time.Date(2026, 11, 20, 16, 0, 0, 0, time.UTC)

func newBench(t *testing.T, retrain control.Retrain) *bench {
	t.Helper()
	w, v := control.NewWorkspace("W"), control.NewWorkspace("V")
	w.ID, w.Zone, w.Retrain = "w", "America/New_York", retrain
	v.ID, v.Retrain = "v", control.Retrain{Cadence: control.Never}
	clock := clockwork.NewFakeClockAt(friday)
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{Path: filepath.Join(t.TempDir(), "control.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	for _, name := range []string{"W", "V", "U", "broken", "defective"} {
		if _, err := store.CreateWorkspace(t.Context(), control.NewWorkspace(name), control.By{At: friday}); err != nil {
			t.Fatal(err)
		}
	}
	b := &bench{
		T: t, clock: clock, spaces: &workspaces{Store: store, all: []control.Workspace{w, v}},
		trainer: &trainer{
			began: make(chan measure.WorkspaceID), let: make(chan error), clock: clock, tried: map[measure.WorkspaceID]time.Time{},
		},
	}
	b.options = Options{
		Store: b.spaces, Alone: true, File: filepath.Join(t.TempDir(), "jobs.json"), Clock: clock, Log: slog.New(slog.DiscardHandler),
		Routines: []Routine{{
			Kind: Training, What: "Training the media mix model", Run: b.trainer.train, Tried: b.trainer.lastTried,
			Schedule: func(w control.Workspace) control.Retrain { return w.Retrain },
		}},
	}
	return b
}

// serve starts a new runner. A second call restarts the service.
func (b *bench) serve() {
	b.Helper()
	b.Runner = New(b.options)
	ctx, cancel := context.WithCancel(b.Context())
	ended := make(chan error, 1)
	go func() { ended <- b.Runner.Run(ctx) }()
	var once sync.Once
	b.stop = func() {
		once.Do(func() {
			cancel()
			if err := <-ended; err != nil {
				b.Error(err)
			}
		})
	}
	b.Cleanup(b.stop)
}

// serving returns a bench with a running [Runner].
func serving(t *testing.T) *bench {
	t.Helper()
	b := newBench(t, control.Retrain{Cadence: control.Never})
	b.serve()
	b.timers(1)
	return b
}

// timers waits until the clock has n timers.
func (b *bench) timers(n int) {
	b.Helper()
	if err := b.clock.BlockUntilContext(b.Context(), n); err != nil {
		b.Fatal(err)
	}
}

// train starts a training in the background and waits until it runs.
func (b *bench) train() Job {
	b.Helper()
	job, err := b.StartRoutine(b.Context(), Training, b.spaces.all[0], "user:ana")
	if err != nil {
		b.Fatal(err)
	}
	<-b.trainer.began
	return job
}

// idle waits until no background job runs.
func (b *bench) idle() { b.work.Wait() }

// last returns the last training of the workspace w.
func (b *bench) last() Job {
	b.Helper()
	job, ok := b.Last(Training, "w")
	if !ok {
		b.Fatal("the training is not listed")
	}
	return job
}

// reading returns an import that runs until it is canceled or the test ends it.
func reading(let chan error) func(ctx context.Context, t *Task) (string, error) {
	return func(ctx context.Context, t *Task) (string, error) {
		t.Progress(1, 4)
		select {
		case err := <-let:
			if errors.Is(err, errDefect) {
				panic(err)
			}
			return "7 rows", err
		case <-ctx.Done():
			return "", errInterrupted
		}
	}
}

func orders(ws measure.WorkspaceID) Spec {
	return Spec{Kind: Import, Workspace: ws, By: "assay import", What: "Importing orders.csv"}
}

// until waits until the condition is true.
func (b *bench) until(is func() bool) {
	b.Helper()
	for !is() {
		if b.Context().Err() != nil {
			b.Fatal("the test ended before the condition was true")
		}
		runtime.Gosched()
	}
}

func TestJobsOfPagesAndCommandsAreInOneList(t *testing.T) {
	t.Parallel()
	b := serving(t)
	let, ended := make(chan error), make(chan error, 1)
	page, err := Start(t.Context(), b.Runner, orders("w"), reading(let))
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		rows, err := Do(t.Context(), b.Runner, orders("w"), reading(let))
		if rows != "7 rows" {
			err = errors.Join(err, errors.New("result "+rows))
		}
		ended <- err
	}()
	b.until(func() bool {
		return len(b.Jobs("w")) == 2 && b.Jobs("w")[1].Percent == 25 && b.Jobs("w")[0].Percent == 25
	})
	for _, j := range b.Jobs("w") {
		if j.State != Running || j.What != "Importing orders.csv" || j.By != "assay import" || j.Unit != Bytes || j.Began.IsZero() {
			t.Errorf("the list has %+v", j)
		}
	}
	if others := b.Jobs("v"); len(others) > 0 {
		t.Errorf("another workspace lists %+v", others)
	}
	let <- nil
	let <- nil
	if err := <-ended; err != nil {
		t.Error(err)
	}
	b.idle()
	done := b.Jobs("w")
	if len(done) != 1 || done[0].ID != page.ID || done[0].State != Done || done[0].Percent != 100 {
		t.Errorf("after both ended the list has %+v, want the background job", done)
	}
	if rows, ok := Result[string](b.Runner, page.ID); !ok || rows != "7 rows" {
		t.Errorf("the result is %q, %v", rows, ok)
	}
	b.clock.Advance(keep)
	if _, ok := b.Job(page.ID); !ok {
		t.Error("after 30 minutes the result is missing")
	}
	b.clock.Advance(time.Second)
	if j, ok := b.Job(page.ID); ok {
		t.Errorf("after more than 30 minutes the list has %+v", j)
	}
}

func TestACancelledJobEndsAndAnotherCanStart(t *testing.T) {
	t.Parallel()
	b := serving(t)
	if b.Cancel("unknown") {
		t.Error("an unknown job was canceled")
	}
	job := b.train()
	if _, err := b.StartRoutine(t.Context(), Training, b.workspace(), "user:bo"); fault.KindOf(err) != fault.KindConflict {
		t.Errorf("a second training: %v, want a conflict", err)
	}
	second := Spec{Kind: Training, Workspace: "w", What: "Training"}
	if _, err := Do(t.Context(), b.Runner, second, reading(nil)); fault.KindOf(err) != fault.KindConflict {
		t.Errorf("a second training by a command: %v, want a conflict", err)
	}
	if !b.Cancel(job.ID) {
		t.Error("a running job cannot be canceled")
	}
	b.idle()
	if got := b.last(); got.State != Cancelled || got.Failure != "" {
		t.Errorf("after the cancellation: %+v", got)
	}
	if b.Cancel(job.ID) {
		t.Error("a job is canceled twice")
	}
	b.train()
	b.trainer.let <- errors.New("disk full")
	b.idle()
	if got := b.last(); got.State != Failed || got.Failure == "" || strings.Contains(got.Failure, "disk") {
		t.Errorf("after a failure without a public text: %+v", got)
	}
	b.clock.Advance(24 * time.Hour)
	if got := b.last(); got.State != Failed {
		t.Errorf("a day later the failure is forgotten: %+v", got)
	}
	b.train()
	b.trainer.let <- nil
	b.idle()
	if all := b.Jobs("w"); len(all) != 1 || all[0].State != Done {
		t.Errorf("after the next training: %+v, want only that training", all)
	}
}

func (b *bench) workspace() control.Workspace { return b.spaces.all[0] }

func TestAForegroundJobCanBeCancelled(t *testing.T) {
	t.Parallel()
	b := serving(t)
	ended := make(chan error, 1)
	go func() {
		_, err := Do(t.Context(), b.Runner, orders("w"), reading(nil))
		ended <- err
	}()
	b.until(func() bool { return len(b.Jobs("w")) == 1 })
	b.Cancel(b.Jobs("w")[0].ID)
	if err := <-ended; fault.KindOf(err) != fault.KindConflict || !strings.Contains(err.Error(), "canceled") {
		t.Errorf("it ends with %v, want an error that states the cancellation", err)
	}
	if left := b.Jobs("w"); len(left) > 0 {
		t.Errorf("the list has %+v", left)
	}
}

func TestAPanicEndsOnlyItsOwnWork(t *testing.T) {
	t.Parallel()
	b := serving(t)
	let := make(chan error)
	other, err := Start(t.Context(), b.Runner, orders("w"), reading(make(chan error)))
	if err != nil {
		t.Fatal(err)
	}
	b.train()
	b.trainer.let <- errDefect
	b.until(func() bool { return b.last().State == Failed })
	if why := b.last().Failure; why == "" || strings.Contains(why, errDefect.Error()) {
		t.Errorf("the training failed because %q; want a plain sentence", why)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := Do(t.Context(), b.Runner, orders("w"), reading(let))
		ended <- err
	}()
	let <- errDefect
	if err := <-ended; !errors.As(err, new(*panics.Error)) {
		t.Errorf("the caller gets %v, want the panic", err)
	}
	if j, ok := b.Job(other.ID); !ok || j.State.Ended() {
		t.Errorf("the other job is %+v", j)
	}
	b.train()
	b.trainer.let <- nil
	b.until(func() bool { return b.last().State == Done })
}

func TestWorkResumesAfterARestart(t *testing.T) {
	t.Parallel()
	b := serving(t)
	b.train()
	if _, err := Start(t.Context(), b.Runner, orders("w"), reading(nil)); err != nil {
		t.Fatal(err)
	}
	b.stop()
	b.serve()
	if id := <-b.trainer.began; id != "w" {
		t.Errorf("the training of %q is resumed", id)
	}
	if all := b.Jobs("w"); len(all) != 1 || all[0].By != "user:ana" {
		t.Errorf("resumed: %+v, want the training only, with its starter", all)
	}
	b.trainer.let <- nil
	b.idle()
	b.stop()
	if left, err := b.spaces.InterruptedJobs(context.Background(), friday.AddDate(1, 0, 0)); err != nil || len(left) != 0 {
		t.Errorf("completed, but still recorded: %v, %v", left, err)
	}
}

// In an earlier release, the record is a list of workspaces with unfinished trainings. Records of unknown kinds are
// discarded.
func TestRecordsOfEarlierReleasesAreRead(t *testing.T) {
	t.Parallel()
	b := newBench(t, control.Retrain{Cadence: control.Never})
	for _, text := range []string{`["w","gone"]`, `[{"kind":"unknown","workspace":"v","by":"x"},{"kind":"training","workspace":"w","by":"x"}]`} {
		if err := os.WriteFile(b.options.File, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		b.clock.Advance(time.Second)
		b.serve()
		if id := <-b.trainer.began; id != "w" {
			t.Errorf("%s: the training of %q is resumed", text, id)
		}
		b.trainer.let <- nil
		b.idle()
		b.stop()
		if _, err := os.Stat(b.options.File); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: the file remains, %v", text, err)
		}
	}
}

// One node trains the model of a workspace and is killed. A second node resumes the training when the lease of the
// first node has expired.
func TestAnotherNodeResumesTheTrainingOfAKilledNode(t *testing.T) {
	t.Parallel()
	b := newBench(t, control.Retrain{Cadence: control.Never})
	b.options.Alone = false
	lease := control.JobLease{
		Workspace: "w", Kind: Training.Name, By: "user:ana", Asked: friday, Resumes: true, Node: "killed", Until: friday.Add(leaseTime),
	}
	if err := b.spaces.ClaimJob(t.Context(), lease, friday); err != nil {
		t.Fatal(err)
	}
	b.serve()
	b.timers(1)
	if _, err := b.StartRoutine(t.Context(), Training, b.workspace(), "user:bo"); fault.KindOf(err) != fault.KindConflict {
		t.Errorf("a training while another node trains: %v, want a conflict", err)
	}
	if all := b.Jobs("w"); len(all) > 0 {
		t.Errorf("the rejected training is listed: %+v", all)
	}
	b.clock.Advance(lookEvery)
	b.timers(1)
	select {
	case <-b.trainer.began:
		t.Fatal("the training is resumed before the lease expires")
	default:
	}
	b.clock.Advance(lookEvery)
	if id := <-b.trainer.began; id != "w" {
		t.Errorf("the training of %q is resumed", id)
	}
	if j := b.last(); j.By != "user:ana" {
		t.Errorf("resumed: %+v, want the starter of the training", j)
	}
	if has, err := b.spaces.ExtendJob(t.Context(), lease, friday.Add(time.Hour)); err != nil || has {
		t.Errorf("the killed node has the lease: %v, %v", has, err)
	}
	b.trainer.let <- nil
	b.idle()
}

// A node that has lost the lease of a job cancels the job.
func TestAJobEndsWithItsLease(t *testing.T) {
	t.Parallel()
	b := serving(t)
	b.train()
	if err := b.spaces.RemoveJobs(t.Context(), "w"); err != nil {
		t.Fatal(err)
	}
	b.clock.Advance(extendEvery)
	b.until(func() bool { return b.last().State == Failed })
	if why := b.last().Failure; !strings.Contains(why, "lease") {
		t.Errorf("failed because %q", why)
	}
	b.idle()
}

// saves runs a training of the workspace w. The training stores its result when let has a value. saves returns when the
// job waits for the store.
func (b *bench) saves(let chan error) (ended chan error) {
	b.Helper()
	ended = make(chan error, 1)
	go func() {
		_, err := Do(b.Context(), b.Runner, Spec{Kind: Training, Workspace: "w", What: "Training"}, func(ctx context.Context, _ *Task) (int, error) {
			return 7, b.Save(ctx, Training, "w", func(context.Context) error {
				select {
				case err := <-let:
					return err
				default:
					return fault.Unavailable("the control database does not respond")
				}
			})
		})
		ended <- err
	}()
	b.timers(2) // the timers of the lease and of the pause
	if j := b.last(); j.State != Waiting || j.WaitsFor != theStore {
		b.Errorf("while the store does not respond: %+v, want it to wait", j)
	}
	return ended
}

// A result stays in memory while the store does not respond. If the lease ends meanwhile, the job is not canceled.
func TestAResultIsKeptUntilTheStoreResponds(t *testing.T) {
	t.Parallel()
	b := newBench(t, control.Retrain{Cadence: control.Never})
	b.Runner = New(b.options)
	b.spaces.extended = make(chan struct{})
	let := make(chan error, 1)
	ended := b.saves(let)
	if err := b.spaces.RemoveJobs(t.Context(), "w"); err != nil {
		t.Fatal(err)
	}
	for range 10 { // five times the duration of a lease
		b.clock.Advance(maxPause)
		select {
		case <-b.spaces.extended:
		case err := <-ended:
			t.Fatalf("the job ended with its lease: %v", err)
		}
		b.timers(2)
	}
	let <- nil
	b.clock.Advance(maxPause)
	if err := <-ended; err != nil {
		t.Errorf("after the store has responded: %v", err)
	}
}

func TestAResultThatIsNotStoredEndsTheJob(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do   func(b *bench, let chan error)
		want string
	}{
		"canceled": {func(b *bench, _ chan error) { b.Cancel(b.last().ID) }, "was canceled"},
		"rejected": {func(b *bench, let chan error) {
			let <- fault.Conflict("a newer model is stored")
			b.clock.Advance(firstPause)
		}, "newer model"},
		"no response a day": {func(b *bench, _ chan error) { b.clock.Advance(storeTime) }, "does not respond"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, control.Retrain{Cadence: control.Never})
			b.Runner = New(b.options)
			let := make(chan error, 1)
			ended := b.saves(let)
			c.do(b, let)
			if err := <-ended; err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the job ended with %v, want %q", err, c.want)
			}
		})
	}
}

// Shutdown ends background jobs and waits for them. No job starts afterwards.
func TestShutdownEndsAllBackgroundJobs(t *testing.T) {
	t.Parallel()
	b := newBench(t, control.Retrain{Cadence: control.Never})
	b.Runner = New(b.options)
	if _, err := Start(t.Context(), b.Runner, orders("w"), reading(nil)); fault.KindOf(err) != fault.KindUnavailable {
		t.Errorf("before the service is up: %v", err)
	}
	b.serve()
	b.timers(1)
	ended := make(chan struct{}, 3)
	for _, ws := range []measure.WorkspaceID{"w", "v", "w"} {
		_, err := Start(t.Context(), b.Runner, orders(ws), func(ctx context.Context, _ *Task) (int, error) {
			<-ctx.Done()
			ended <- struct{}{}
			return 0, ctx.Err()
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	b.stop()
	if len(ended) != 3 {
		t.Errorf("shutdown waits for %d of 3 jobs", len(ended))
	}
	if _, err := Start(t.Context(), b.Runner, orders("w"), reading(nil)); fault.KindOf(err) != fault.KindUnavailable {
		t.Errorf("after shutdown: %v", err)
	}
}

func TestTheNumberOfJobsIsBounded(t *testing.T) {
	t.Parallel()
	b := serving(t)
	let := make(chan error)
	for range Import.Most {
		if _, err := Start(t.Context(), b.Runner, orders("w"), reading(let)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Start(t.Context(), b.Runner, orders("v"), reading(let)); fault.KindOf(err) != fault.KindUnavailable {
		t.Errorf("one more: %v, want a fault of kind unavailable", err)
	}
	b.train()
	other := Spec{Kind: Training, Workspace: "v", What: "Training"}
	begun, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		_, err := Do(t.Context(), b.Runner, other, func(context.Context, *Task) (int, error) {
			close(begun)
			return 0, nil
		})
		ended <- err
	}()
	b.until(func() bool { return len(b.Jobs("v")) == 1 })
	if j := b.Jobs("v")[0]; j.State != Waiting || !j.Began.IsZero() {
		t.Errorf("a second training is %+v, want it to wait", j)
	}
	select {
	case <-begun:
		t.Error("two trainings run at a time")
	default:
	}
	waiting := make(chan error, 1)
	go func() {
		_, err := Do(t.Context(), b.Runner, Spec{Kind: Training, Workspace: "u", What: "Training"}, reading(nil))
		waiting <- err
	}()
	b.until(func() bool { return len(b.Jobs("u")) == 1 })
	b.Cancel(b.Jobs("u")[0].ID)
	if err := <-waiting; fault.KindOf(err) != fault.KindConflict {
		t.Errorf("a waiting job that is canceled ends with %v", err)
	}
	b.trainer.let <- nil
	if err := <-ended; err != nil {
		t.Error(err)
	}
	close(let)
}

func TestProgressNeverGoesBackwards(t *testing.T) {
	t.Parallel()
	b := serving(t)
	_, err := Do(t.Context(), b.Runner, orders("w"), func(_ context.Context, task *Task) (int, error) {
		before := Job{}
		for _, p := range [][2]int64{{0, 0}, {0, 100}, {25, 100}, {10, 100}, {25, 400}, {0, 50}, {90, 100}, {500, 400}} {
			task.Progress(p[0], p[1])
			now := b.Jobs("w")[0]
			if now.Done < before.Done || now.Total < before.Total || now.Percent < before.Percent || now.Percent > 99 || now.LeftSeconds < 0 {
				t.Errorf("progress %d of %d: %+v after %+v", p[0], p[1], now, before)
			}
			before = now
		}
		return 0, nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestRemainingTimeFollowsProgress(t *testing.T) {
	t.Parallel()
	b := serving(t)
	_, err := Do(t.Context(), b.Runner, orders("w"), func(_ context.Context, task *Task) (int, error) {
		b.clock.Advance(time.Hour) // the estimate starts at the first progress
		task.Progress(0, 100)
		b.clock.Advance(30 * time.Second)
		task.Progress(25, 100)
		if j := b.Jobs("w")[0]; j.Percent != 25 || j.Left() != 90*time.Second {
			t.Errorf("a quarter after 30 s: %+v, want 90 s left", j)
		}
		err := task.Await(func() error {
			if j := b.Jobs("w")[0]; j.State != Waiting {
				t.Errorf("while it waits: %+v", j)
			}
			return nil
		})
		if j := b.Jobs("w")[0]; j.State != Running {
			t.Errorf("after it waited: %+v", j)
		}
		return 0, err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestJobsOfADeletedWorkspaceAreDropped(t *testing.T) {
	t.Parallel()
	b := serving(t)
	b.train()
	b.trainer.let <- errors.New("disk full")
	b.until(func() bool { return b.last().State == Failed })
	ended := make(chan struct{})
	_, err := Start(t.Context(), b.Runner, orders("w"), func(ctx context.Context, _ *Task) (int, error) {
		defer close(ended)
		<-ctx.Done()
		return 0, ctx.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	kept, err := Start(t.Context(), b.Runner, orders("v"), reading(nil))
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Drop(t.Context(), "w"); err != nil {
		t.Error(err)
	}
	<-ended
	if all := b.Jobs("w"); len(all) > 0 {
		t.Errorf("the list of the deleted workspace has %+v", all)
	}
	if j, _ := b.Job(kept.ID); j.State.Ended() {
		t.Errorf("the job of the other workspace is %+v", j)
	}
}
