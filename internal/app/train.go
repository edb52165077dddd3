package app

import (
	"context"
	"log/slog"
	"time"

	"assay/internal/civil"
	"assay/internal/console/measurement"
	"assay/internal/control"
	"assay/internal/demostore"
	"assay/internal/jobs"
	"assay/internal/measure"
	"assay/internal/measure/mix"
	"assay/internal/operation"
	"assay/internal/panics"
)

// forecastEvery is the interval between checks for a new day and for periods that have ended.
const forecastEvery = time.Hour

// forecastHour is the hour, in the workspace's time zone, from which the day's forecasts are computed. At this hour,
// the previous day's data have usually arrived.
const forecastHour = 4

// routines returns the recurring jobs of workspaces.
func (a *App) routines() []jobs.Routine {
	return []jobs.Routine{
		{
			Kind: jobs.Training, What: operation.TrainingTitle, Run: a.train, Tried: a.models.Tried,
			Schedule: func(w control.Workspace) control.Retrain { return w.Retrain },
		},
		{Kind: jobs.Forecast, What: "Making the daily forecasts", Run: a.forecast, Every: forecastEvery},
	}
}

// train trains the workspace's model.
func (a *App) train(ctx context.Context, w control.Workspace, t *jobs.Task) error {
	_, err := a.models.Train(ctx, w, mix.Request{Progress: t.Progress})
	return err
}

// forecast computes the workspace's forecasts of the day and evaluates forecasts of completed periods. It does nothing
// before forecastHour in the workspace's time zone, by the clock that answers use.
func (a *App) forecast(ctx context.Context, w control.Workspace, _ *jobs.Task) error {
	if a.clock().In(w.Location()).Hour() < forecastHour {
		return nil
	}
	return a.tools.Snapshots().Forecast(ctx, w)
}

// today returns the day by the clock that answers use, in the workspace's time zone.
func (a *App) today(w control.Workspace) civil.Date { return civil.DayOf(a.clock(), w.Location()) }

// training returns the progress of the workspace's training.
func (a *App) training(ws measure.WorkspaceID) (donePct int, running bool) {
	job, running := a.jobs.Active(jobs.Training, ws)
	return job.Percent, running
}

// saveModels stores the result of the workspace's running training. It tries again while the store is unavailable.
func (a *App) saveModels(ctx context.Context, ws measure.WorkspaceID, save func(ctx context.Context) error) error {
	return a.jobs.Save(ctx, jobs.Training, ws, save)
}

// pageModels provides the state of models to the console.
type pageModels struct{ *App }

// State returns the workspace's model and its state.
func (p pageModels) State(ctx context.Context, w control.Workspace) (measurement.ModelState, error) {
	held, err := p.models.MMM(ctx, w)
	if err != nil {
		return measurement.ModelState{}, err
	}
	s := measurement.ModelState{Held: held, Next: p.jobs.Next(jobs.Training, w.ID)}
	if job, ok := p.jobs.Last(jobs.Training, w.ID); ok {
		s.Job = &job
	}
	if held.Model == nil {
		return s, nil
	}
	have, err := p.facts.Coverage(ctx, w.ID)
	if err != nil {
		return measurement.ModelState{}, err
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
	made, isDemo, err := demostore.Read(a.config.Data)
	if err != nil || !isDemo || !made.Whole {
		return
	}
	w, err := a.control.Store.Workspace(ctx, demostore.Workspace)
	if err == nil {
		have, unreadable := a.models.MMM(ctx, w)
		if unreadable == nil && have.Model != nil {
			return
		}
		_, err = operation.TrainModel.Do(ctx, a.operations, operation.Call{Workspace: demostore.Workspace, Caller: operation.System(demostore.Actor)}, operation.Training{})
	}
	if err != nil && ctx.Err() == nil {
		a.log.ErrorContext(ctx, "demo model cannot be trained", slog.Any("error", err))
	}
}

// searchPause is the delay from startup to the training of the article search. With the delay, the training does not
// slow down the first calls and pages.
const searchPause = 2 * time.Second

// warmSearch trains the search of the tool explain, so that the first search does not wait for the training.
func (a *App) warmSearch(ctx context.Context) error {
	select {
	case <-time.After(searchPause):
	case <-ctx.Done():
		return nil
	}
	done := make(chan struct{})
	var training panics.Group
	training.Go(func() {
		defer close(done)
		a.tools.WarmSearch()
	})
	select {
	case <-done:
		training.Wait()
	case <-ctx.Done(): // the training uses no store, so the shutdown does not wait for it
	}
	return nil
}

// warmed is the maximum number of workspaces for which models are loaded and findings are computed in advance. More
// models and findings could occupy memory that no call needs.
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
