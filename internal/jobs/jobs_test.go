package jobs

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/mix"
	"assay/internal/panics"
)

// trainer is a fake trainer: each training reports that it began and waits.
type trainer struct {
	began chan measure.WorkspaceID
	let   chan error
	clock clockwork.Clock

	mu    sync.Mutex // guards tried
	tried map[measure.WorkspaceID]time.Time
}

// errInterrupted is what a fact store returns for a question that was cancelled.
var errInterrupted = errors.New("interrupted")

// errDefect makes a training panic.
var errDefect = errors.New("what cannot happen")

func (f *trainer) Train(ctx context.Context, w control.Workspace, asked mix.Request) (*mix.Model, error) {
	asked.Progress(0, 100)
	f.began <- w.ID
	select {
	case err := <-f.let:
		f.mu.Lock()
		defer f.mu.Unlock()
		f.tried[w.ID] = f.clock.Now()
		if errors.Is(err, errDefect) {
			panic(err)
		}
		return &mix.Model{Version: 1}, err
	case <-ctx.Done():
		return nil, errInterrupted
	}
}

func (f *trainer) Tried(w control.Workspace) (time.Time, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.tried[w.ID], nil
}

type workspaces struct {
	mu  sync.Mutex // guards the fields below
	all []control.Workspace
}

func (s *workspaces) Workspaces(context.Context) ([]control.Workspace, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]control.Workspace(nil), s.all...), nil
}

// bench is a runner with a fake clock.
type bench struct {
	*testing.T
	*Runner

	clock   *clockwork.FakeClock
	trainer *trainer
	file    string
	spaces  *workspaces
	stop    func()
}

// friday is 11:00 of a Friday in New York.
var friday = time.Date(2026, 11, 20, 16, 0, 0, 0, time.UTC)

func newBench(t *testing.T, retrain control.Retrain) *bench {
	t.Helper()
	w := control.NewWorkspace("W")
	w.ID, w.Zone, w.Retrain = "w", "America/New_York", retrain
	clock := clockwork.NewFakeClockAt(friday)
	b := &bench{
		T: t, clock: clock, file: filepath.Join(t.TempDir(), "jobs.json"), spaces: &workspaces{all: []control.Workspace{w}},
		trainer: &trainer{began: make(chan measure.WorkspaceID), let: make(chan error), clock: clock, tried: map[measure.WorkspaceID]time.Time{}},
	}
	return b
}

// serve starts a new runner; a second call is a restart of the service.
func (b *bench) serve() {
	b.Helper()
	b.Runner = New(Options{File: b.file, Trainer: b.trainer, Workspaces: b.spaces, Clock: b.clock, Log: slog.New(slog.DiscardHandler)})
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

// timers waits until the clock has that many timers.
func (b *bench) timers(n int) {
	b.Helper()
	if err := b.clock.BlockUntilContext(b.Context(), n); err != nil {
		b.Fatal(err)
	}
}

func (b *bench) workspace() control.Workspace { return b.spaces.all[0] }

// idle waits until no background work runs.
func (b *bench) idle() { b.work.Wait() }

func TestSchedulesUseTheStoresTimeZone(t *testing.T) {
	t.Parallel()
	b := newBench(t, control.Retrain{Cadence: control.Weekly, Hour: 4})
	b.serve()
	b.timers(2)
	monday := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC) // 4:00 in New York
	for b.Next("w").IsZero() {
		runtime.Gosched()
	}
	if got := b.Next("w"); !got.Equal(monday) {
		t.Errorf("next is %s, want %s", got, monday)
	}
	b.clock.Advance(monday.Add(-time.Minute).Sub(friday))
	select {
	case <-b.trainer.began:
		t.Fatal("a minute before its time it trains")
	default:
	}
	b.timers(2)
	b.clock.Advance(time.Minute)
	if id := <-b.trainer.began; id != "w" {
		t.Errorf("trained %s", id)
	}
	b.trainer.let <- nil
}

func TestAPanicEndsOnlyItsOwnWork(t *testing.T) {
	t.Parallel()
	b := newBench(t, control.Retrain{Cadence: control.Never})
	b.serve()
	b.timers(1)
	if err := b.Start(t.Context(), b.workspace()); err != nil {
		t.Fatal(err)
	}
	<-b.trainer.began
	b.trainer.let <- errDefect
	b.idle()
	if why := b.Failure("w"); why == "" || strings.Contains(why, errDefect.Error()) {
		t.Errorf("the training failed because %q; want a plain sentence", why)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := b.Do(t.Context(), b.workspace(), mix.Request{})
		ended <- err
	}()
	<-b.trainer.began
	b.trainer.let <- errDefect
	if err := <-ended; !errors.As(err, new(*panics.Error)) {
		t.Errorf("who waits is told %v", err)
	}
	if err := b.Start(t.Context(), b.workspace()); err != nil {
		t.Fatalf("the next training: %v", err)
	}
	<-b.trainer.began
	b.trainer.let <- nil
	b.idle()
	if why := b.Failure("w"); why != "" {
		t.Errorf("the next training failed: %s", why)
	}
}

func TestACancelledTrainingEndsAndAnotherCanStart(t *testing.T) {
	t.Parallel()
	b := newBench(t, control.Retrain{Cadence: control.Never})
	b.serve()
	b.timers(1)
	if b.Cancel("w") {
		t.Error("nothing runs and was cancelled")
	}
	if err := b.Start(t.Context(), b.workspace()); err != nil {
		t.Fatal(err)
	}
	<-b.trainer.began
	if err := b.Start(t.Context(), b.workspace()); fault.KindOf(err) != fault.KindConflict {
		t.Errorf("a second training: %v, want a conflict", err)
	}
	if _, err := b.Do(t.Context(), b.workspace(), mix.Request{}); fault.KindOf(err) != fault.KindConflict {
		t.Errorf("a second training by a command: %v, want a conflict", err)
	}
	if !b.Cancel("w") {
		t.Error("what runs cannot be cancelled")
	}
	b.idle()
	if why := b.Failure("w"); why != "" {
		t.Errorf("cancelled counts as failed: %s", why)
	}
	if err := b.Start(t.Context(), b.workspace()); err != nil {
		t.Fatal(err)
	}
	<-b.trainer.began
	b.trainer.let <- errors.New("disk full")
	b.idle()
	if b.Failure("w") == "" {
		t.Error("a failure is not told")
	}
}

func TestASynchronousTrainingCanBeCancelled(t *testing.T) {
	t.Parallel()
	b := newBench(t, control.Retrain{Cadence: control.Never})
	b.serve()
	b.timers(1)
	ended := make(chan error, 1)
	go func() {
		_, err := b.Do(t.Context(), b.workspace(), mix.Request{})
		ended <- err
	}()
	<-b.trainer.began
	b.Cancel("w")
	if err := <-ended; fault.KindOf(err) != fault.KindConflict {
		t.Errorf("it ends with %v, want to say that it was cancelled", err)
	}
}

func TestWorkResumesAfterARestart(t *testing.T) {
	t.Parallel()
	b := newBench(t, control.Retrain{Cadence: control.Never})
	b.serve()
	b.timers(1)
	if err := b.Start(t.Context(), b.workspace()); err != nil {
		t.Fatal(err)
	}
	<-b.trainer.began
	b.stop()
	b.serve()
	<-b.trainer.began // resumed
	b.trainer.let <- nil
	b.idle()
	b.stop()
	if asked, err := b.read(); err != nil || len(asked) != 0 {
		t.Errorf("done, and still written down: %v, %v", asked, err)
	}
}

func TestAMissedScheduledTrainingRunsAfterStartup(t *testing.T) {
	t.Parallel()
	b := newBench(t, control.Retrain{Cadence: control.Monthly, Hour: 4})
	b.trainer.tried["w"] = friday.AddDate(0, 0, -25) // before 1 November
	b.serve()
	<-b.trainer.began
	b.trainer.let <- nil
	b.idle()
	b.stop()
	b.serve()
	b.timers(2)
	if _, busy := b.Progress("w"); busy {
		t.Error("it is made up for twice")
	}
}

func TestAChangedScheduleTakesEffectWithinAMinute(t *testing.T) {
	t.Parallel()
	b := newBench(t, control.Retrain{Cadence: control.Never})
	b.serve()
	b.timers(1)
	b.spaces.mu.Lock()
	b.spaces.all[0].Retrain = control.Retrain{Cadence: control.Monthly, Hour: 23}
	b.spaces.mu.Unlock()
	b.clock.Advance(lookEvery)
	b.timers(2)
	december := time.Date(2026, 12, 2, 4, 0, 0, 0, time.UTC) // 23:00 of the first in New York
	for b.Next("w").IsZero() {
		runtime.Gosched()
	}
	if got := b.Next("w"); !got.Equal(december) {
		t.Errorf("next is %s, want %s", got, december)
	}
}

func TestRemainingTimeFollowsProgress(t *testing.T) {
	t.Parallel()
	b := newBench(t, control.Retrain{Cadence: control.Never})
	b.Runner = New(Options{Clock: b.clock})
	_, j, err := b.enter(t.Context(), "w", false)
	if err != nil {
		t.Fatal(err)
	}
	if p, busy := b.Progress("w"); !busy || p != (Progress{}) {
		t.Errorf("before the first draw: %+v, %v", p, busy)
	}
	note := j.note(b.Runner)
	note(0, 100)
	b.clock.Advance(30 * time.Second)
	note(25, 100)
	if p, _ := b.Progress("w"); p.DonePct != 25 || p.Left != 90*time.Second {
		t.Errorf("a quarter after 30 s: %+v, want 90 s left", p)
	}
}
