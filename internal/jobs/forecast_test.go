package jobs

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"testing"
	"time"

	"assay/internal/control"
	"assay/internal/measure"
)

// forecaster is a fake forecaster: it sends the workspace, and fails for the workspaces "broken" and "defective".
type forecaster chan measure.WorkspaceID

func (f forecaster) Forecast(ctx context.Context, w control.Workspace) error {
	select {
	case f <- w.ID:
	case <-ctx.Done():
		return ctx.Err()
	}
	if w.ID == "broken" {
		return errors.New("no room on the disk")
	}
	if w.ID == "defective" {
		panic("what cannot happen")
	}
	return nil
}

func TestEveryWorkspaceIsForecastAtStartupAndEachHour(t *testing.T) {
	t.Parallel()
	b := newBench(t, control.Retrain{Cadence: control.Never})
	broken, defective := control.NewWorkspace("Broken"), control.NewWorkspace("Defective")
	broken.ID, defective.ID = "broken", "defective"
	b.spaces.all = append([]control.Workspace{broken, defective}, b.spaces.all...)
	made := make(forecaster)
	b.Runner = New(Options{File: b.file, Trainer: b.trainer, Forecaster: made, Workspaces: b.spaces, Clock: b.clock, Log: slog.New(slog.DiscardHandler)})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- b.Runner.Run(ctx) }()
	for range 2 {
		for _, want := range []measure.WorkspaceID{"broken", "defective", "w"} {
			if got := b.made(made); got != want {
				t.Errorf("forecasts of %q, want those of %q", got, want)
			}
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// made advances the clock until forecasts are made, and returns their workspace.
func (b *bench) made(made forecaster) measure.WorkspaceID {
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
