package app

import (
	"context"
	"log/slog"

	"assay/internal/civil"
	"assay/internal/console"
	"assay/internal/control"
	"assay/internal/operation"
)

// jobsFile is the file of requested trainings in a data directory.
const jobsFile = "jobs.json"

// today is the day by the clock of answers, in the workspace's zone.
func (a *App) today(w control.Workspace) civil.Date { return civil.DayOf(a.clock(), w.Location()) }

// modelsDir is the folder of models in a data directory, with one file per workspace.
const modelsDir = "models"

// pageModels gives the console the state of models.
type pageModels struct{ *App }

// State returns the workspace's model and its state.
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
	s.Status, s.Why = held.State(last, w.ModelSettings())
	return s, nil
}

// trainDemo trains the demo's model unless it has one. If the training fails, the demo is served without a model.
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
		a.log.ErrorContext(ctx, "demo model cannot be trained", slog.Any("error", err))
	}
}

// warmed is the number of models that are loaded at the start. More would use memory that may not be needed.
const warmed = 20

// warmModels loads the models of the first workspaces.
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
			a.log.WarnContext(ctx, "model cannot be loaded", slog.String("workspace", string(w.ID)), slog.Any("error", err))
		}
	}
	return nil
}
