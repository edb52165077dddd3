package backup

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
)

// runSchedule runs a schedule with a fake clock.
func runSchedule(t *testing.T, p *place, every time.Duration) (*Schedule, *clockwork.FakeClock, func()) {
	t.Helper()
	clock := clockwork.NewFakeClockAt(noon)
	p.Now = clock.Now
	s := &Schedule{Maker: p.Maker, Plan: Plan{Dir: p.dir, Every: every, Keep: 2}, Clock: clock}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	return s, clock, func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// until advances the clock minute by minute until the function wanted accepts the state.
func until(t *testing.T, s *Schedule, clock *clockwork.FakeClock, wanted func(State) bool) State {
	t.Helper()
	for t.Context().Err() == nil {
		if state := s.State(); wanted(state) {
			return state
		}
		if s.busy.TryLock() { // the clock does not advance during a backup
			s.busy.Unlock()
			clock.Advance(time.Minute)
		}
		runtime.Gosched()
	}
	t.Fatal("the state never becomes as expected")
	return State{}
}

func TestBackupsAreMadeOnSchedule(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.shop(t, "Hats", 5)
	s, clock, stop := runSchedule(t, p, 24*time.Hour)
	first := until(t, s, clock, func(state State) bool { return !state.Last.IsZero() })
	if first.Problem != "" || first.Next.Sub(first.Last) != 24*time.Hour {
		t.Errorf("after the first backup: %+v", first)
	}
	second := until(t, s, clock, func(state State) bool { return state.Last.After(first.Last) })
	if second.Last.Sub(first.Last) < 24*time.Hour {
		t.Errorf("backups at %s and %s, want a day between them", first.Last, second.Last)
	}
	third := until(t, s, clock, func(state State) bool { return state.Last.After(second.Last) })
	stop()
	f, err := openFolder(p.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.close()
	if all, err := f.manifests(); err != nil || len(all) != 2 || !all[1].At.Equal(third.Last) {
		t.Errorf("%d backups remain, %v; want the last 2", len(all), err)
	}
}

func TestAFailedBackupRaisesAnAlarm(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.shop(t, "Hats", 5)
	blocked := filepath.Join(p.dir, filesDir)
	if err := os.WriteFile(blocked, nil, 0o600); err != nil { // a file in the place of a folder
		t.Fatal(err)
	}
	s, clock, stop := runSchedule(t, p, 24*time.Hour)
	defer stop()
	failed := until(t, s, clock, func(state State) bool { return state.Problem != "" })
	if !strings.Contains(failed.Problem, "cannot be written") || failed.Fix == "" {
		t.Errorf("alarm of a folder that cannot be written: %+v", failed)
	}
	if err := os.Remove(blocked); err != nil {
		t.Fatal(err)
	}
	if state := until(t, s, clock, func(state State) bool { return state.Problem == "" }); state.Last.IsZero() {
		t.Errorf("after the cause is corrected: %+v", state)
	}
}

func TestAnOldBackupRaisesAnAlarm(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	made := p.mustMake(t, Request{})
	clock := clockwork.NewFakeClockAt(made.At)
	s := &Schedule{Maker: p.Maker, Plan: Plan{Dir: p.dir, Every: time.Hour, Keep: 2}, Clock: clock}
	clock.Advance(2 * time.Hour)
	if state := s.State(); state.Problem != "" || !state.Last.Equal(made.At) {
		t.Errorf("two hours after a backup: %+v, want no alarm", state)
	}
	clock.Advance(time.Second)
	if state := s.State(); !strings.Contains(state.Problem, "2026-11-20 12:") || state.Fix == "" {
		t.Errorf("more than twice the interval after a backup: %+v, want an alarm", state)
	}
	empty := Plan{Dir: filepath.Join(p.dir, "none"), Every: time.Hour}
	none := &Schedule{Maker: p.Maker, Plan: empty, Clock: clock, since: made.At}
	if state := none.State(); state.Problem == "" {
		t.Errorf("without any backup: %+v, want an alarm", state)
	}
	if state := (&Schedule{Clock: clock}).State(); state.Scheduled || state.Problem != "" {
		t.Errorf("without a schedule: %+v", state)
	}
}

func TestABackupWithADateInTheFutureDoesNotStopTheSchedule(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	made := p.mustMake(t, Request{})
	clock := clockwork.NewFakeClockAt(made.At.AddDate(0, -1, 0))
	s := &Schedule{Maker: p.Maker, Plan: Plan{Dir: p.dir, Every: time.Hour, Keep: 2}, Clock: clock, since: clock.Now()}
	if state := s.State(); state.Next.After(clock.Now()) || !strings.Contains(state.Problem, "in the future") || !state.Last.IsZero() {
		t.Errorf("%+v, want a backup now and a problem", state)
	}
}
