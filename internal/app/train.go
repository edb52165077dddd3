package app

import (
	"context"
	"log/slog"
	"time"

	"assay/internal/civil"
	"assay/internal/console"
	"assay/internal/control"
	"assay/internal/measure/mix"
	"assay/internal/operation"
	"assay/internal/training"
)

// jobsFile is where a data directory notes the work that was asked for.
const jobsFile = "jobs.json"

// trainer trains models as of the day that answers have.
type trainer struct{ *App }

// Train trains the workspace's model.
func (t trainer) Train(ctx context.Context, w control.Workspace, asked mix.Request) (*mix.Model, error) {
	return t.models.Train(ctx, w, civil.DayOf(t.clock(), w.Location()), asked)
}

// Tried returns when the workspace's last training ended.
func (t trainer) Tried(w control.Workspace) (time.Time, error) { return t.models.Tried(w) }

// modelsDir is where a data directory has its models, a file for each workspace.
const modelsDir = "models"

// pageModels shows the console the models.
type pageModels struct{ *App }

// State returns the workspace's model and how it stands.
func (p pageModels) State(ctx context.Context, w control.Workspace) (console.ModelState, error) {
	held, err := p.models.MMM(ctx, w)
	if err != nil {
		return console.ModelState{}, err
	}
	s := console.ModelState{Held: held, Failed: p.jobs.Failure(w.ID), Next: p.jobs.Next(w.ID)}
	if progress, runs := p.jobs.Progress(w.ID); runs {
		s.Training, s.DonePct, s.Left = true, progress.DonePct, progress.Left
	}
	if held.Model == nil {
		return s, nil
	}
	have, err := p.facts.Coverage(ctx, w.ID)
	if err != nil {
		return console.ModelState{}, err
	}
	last := have.OrderDays.Last
	if today := civil.DayOf(p.clock(), w.Location()); today.Before(last) {
		last = today
	}
	s.Status, s.Why = held.State(last, training.Settings(w))
	return s, nil
}

// trainDemo trains the demo's model unless it has one. A demo that cannot be trained is served without.
func (a *App) trainDemo(ctx context.Context) {
	made, isDemo, err := readDemoStore(a.config.Data)
	if err != nil || !isDemo || !made.Whole {
		return
	}
	w, err := a.control.Store.Workspace(ctx, demoWorkspace)
	if err == nil {
		have, unreadable := a.models.MMM(ctx, w)
		if unreadable == nil && have.Model != nil {
			return
		}
		_, err = operation.TrainModel.Do(ctx, a.operations, operation.Call{Workspace: demoWorkspace, Caller: operation.System(demoActor)}, operation.Training{})
	}
	if err != nil && ctx.Err() == nil {
		a.log.ErrorContext(ctx, "demo's model cannot be trained", slog.Any("error", err))
	}
}

// warmed is how many models are made ready at the start. More of them would take memory that nobody may ask for.
const warmed = 20

// warmModels makes the models of the first workspaces ready.
func (a *App) warmModels(ctx context.Context) error {
	all, err := a.control.Store.Workspaces(ctx)
	if err != nil {
		return err
	}
	for _, w := range all[:min(warmed, len(all))] {
		if ctx.Err() != nil {
			return nil
		}
		if err := a.models.Warm(ctx, w); err != nil && ctx.Err() == nil {
			a.log.WarnContext(ctx, "model cannot be made ready", slog.String("workspace", string(w.ID)), slog.Any("error", err))
		}
	}
	return nil
}
