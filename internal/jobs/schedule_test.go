package jobs

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
)

func TestSchedulesUseTheStoresTimeZone(t *testing.T) {
	t.Parallel()
	b := newBench(t, control.Retrain{Cadence: control.Weekly, Hour: 4})
	b.serve()
	b.timers(2)
	monday := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC) // 4:00 in New York
	b.until(func() bool { return !b.Next(Training, "w").IsZero() })
	if got := b.Next(Training, "w"); !got.Equal(monday) {
		t.Errorf("next is %s, want %s", got, monday)
	}
	b.clock.Advance(monday.Add(-time.Minute).Sub(friday))
	select {
	case <-b.trainer.began:
		t.Fatal("it trains a minute before its time")
	default:
	}
	b.timers(2)
	b.clock.Advance(time.Minute)
	if id := <-b.trainer.began; id != "w" {
		t.Errorf("trained %s", id)
	}
	b.trainer.let <- nil
}

func TestAMissedScheduledTrainingRunsAfterStartup(t *testing.T) {
	t.Parallel()
	b := newBench(t, control.Retrain{Cadence: control.Monthly, Hour: 4})
	b.trainer.tried["w"] = friday.AddDate(0, 0, -25) // before November 1
	b.serve()
	<-b.trainer.began
	b.trainer.let <- nil
	b.idle()
	b.stop()
	b.serve()
	b.timers(2)
	if _, busy := b.Active(Training, "w"); busy {
		t.Error("the missed training runs twice")
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
	b.until(func() bool { return !b.Next(Training, "w").IsZero() })
	if got := b.Next(Training, "w"); !got.Equal(december) {
		t.Errorf("next is %s, want %s", got, december)
	}
}

// A routine with an interval runs at startup and after each interval. A failure or panic in one workspace does not affect
// the others.
func TestEveryWorkspaceIsForecastAtStartupAndEachHour(t *testing.T) {
	t.Parallel()
	b := newBench(t, control.Retrain{Cadence: control.Never})
	broken, defective := control.NewWorkspace("Broken"), control.NewWorkspace("Defective")
	broken.ID, defective.ID = "broken", "defective"
	b.spaces.all = append([]control.Workspace{broken, defective}, b.spaces.all...)
	made := make(chan measure.WorkspaceID)
	b.options.Routines = append(b.options.Routines, Routine{
		Kind: Forecast, What: "Making the daily forecasts", Every: time.Hour,
		Run: func(ctx context.Context, w control.Workspace, _ *Task) error {
			select {
			case made <- w.ID:
			case <-ctx.Done():
				return ctx.Err()
			}
			switch w.ID {
			case "broken":
				return errors.New("disk full")
			case "defective":
				panic("defect")
			}
			return nil
		},
	})
	b.serve()
	for range 2 {
		for _, want := range []measure.WorkspaceID{"broken", "defective", "w", "v"} {
			if got := b.made(made); got != want {
				t.Errorf("forecasts of %q, want forecasts of %q", got, want)
			}
		}
	}
}

// made advances the clock until forecasts are computed, and returns the workspace of the forecasts.
func (b *bench) made(made chan measure.WorkspaceID) measure.WorkspaceID {
	b.Helper()
	for {
		select {
		case id := <-made:
			return id
		default:
			b.clock.Advance(time.Minute)
			runtime.Gosched()
		}
	}
}

// silent is a store that a test can make unavailable.
type silent struct {
	*workspaces

	is atomic.Bool
}

func (s *silent) Workspaces(ctx context.Context) ([]control.Workspace, error) {
	if s.is.Load() {
		return nil, fault.Unavailable("the control database does not respond")
	}
	return s.workspaces.Workspaces(ctx)
}

func TestAScheduledTrainingIsTriedAgainWhileTheStoreDoesNotRespond(t *testing.T) {
	t.Parallel()
	b := newBench(t, control.Retrain{Cadence: control.Weekly, Hour: 4})
	store := &silent{workspaces: b.spaces}
	b.options.Store = store
	b.serve()
	b.timers(2)
	b.until(func() bool { return !b.Next(Training, "w").IsZero() })
	store.is.Store(true)
	b.clock.Advance(time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC).Sub(friday)) // 4:00 on Monday in New York
	b.timers(3)                                                                // the check for changed schedules, the next Monday and the next attempt
	store.is.Store(false)
	b.clock.Advance(lookEvery)
	if id := <-b.trainer.began; id != "w" {
		t.Errorf("trained %s", id)
	}
	b.trainer.let <- nil
}
