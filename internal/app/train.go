package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"assay/internal/civil"
	"assay/internal/config"
	"assay/internal/console"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/mix"
	"assay/internal/measure/mmm"
)

// jobsFile is where a data directory notes the work that was asked for.
const jobsFile = "jobs.json"

// trainer trains models as of the day that answers have.
type trainer struct{ *App }

// today is the day by the clock of answers, in the workspace's zone.
func (a *App) today(w control.Workspace) civil.Date { return civil.DayOf(a.clock(), w.Location()) }

// Train trains the workspace's model.
func (t trainer) Train(ctx context.Context, w control.Workspace, asked mix.Request) (*mix.Model, error) {
	return t.models.Train(ctx, w, t.today(w), asked)
}

// Tried returns when the workspace's last training ended.
func (t trainer) Tried(w control.Workspace) (time.Time, error) { return t.models.Tried(w) }

// modelsDir is where a data directory has its models, a file for each workspace.
const modelsDir = "models"

type trainRequest struct {
	Workspace    measure.WorkspaceID `json:"workspace"`
	WithoutTests bool                `json:"without_tests,omitempty"`
}

// Trained is what a training gave, without the draws.
type Trained struct {
	Workspace   measure.WorkspaceID `json:"workspace"`
	Version     int                 `json:"version"`
	Status      mix.Status          `json:"status"`
	Reasons     []mmm.Reason        `json:"reasons,omitempty"`
	Start       civil.Date          `json:"window_start,omitzero"`
	End         civil.Date          `json:"window_end,omitzero"`
	Weeks       int                 `json:"weeks"`
	Seed        uint64              `json:"seed"`
	DataHash    string              `json:"data_hash,omitempty"`
	Accuracy    *mmm.Accuracy       `json:"accuracy,omitempty"`
	Diagnostics *mmm.Diagnostics    `json:"diagnostics,omitempty"`
	Channels    []mmm.ChannelEffect `json:"channels,omitempty"`
	LeftOut     []mix.LeftOut       `json:"left_out,omitempty"`
	Tests       []mix.Calibration   `json:"tests,omitempty"`
	Kept        int                 `json:"kept_version,omitempty"` // the earlier model that goes on to answer, where this one was refused
}

// TrainMMM trains the workspace's media mix model through the service that holds the data directory, or directly where
// none does. A model that was refused is no error; its reasons stand in the result.
func TrainMMM(ctx context.Context, c config.Config, id measure.WorkspaceID, asked mix.Request, now func() time.Time) (Trained, error) {
	if _, err := os.Stat(c.Data); errors.Is(err, fs.ErrNotExist) {
		return Trained{}, fault.NotFound("there is no data directory %s", c.Data).
			WithHint("make a workspace first: assay workspace create NAME")
	}
	result, err := through(ctx, c, "/train/mmm", trainRequest{id, asked.WithoutTests}, asked.Progress, now, func(a *App) (any, error) {
		return a.trainMMM(ctx, id, asked)
	})
	if err != nil {
		return Trained{}, err
	}
	trained, here := result.(Trained)
	if text, ok := result.(json.RawMessage); ok && !here {
		err = json.Unmarshal(text, &trained)
	}
	return trained, err
}

func (a *App) trainMMM(ctx context.Context, id measure.WorkspaceID, asked mix.Request) (Trained, error) {
	w, err := a.control.Store.Workspace(ctx, id)
	if err != nil {
		return Trained{}, err
	}
	m, err := a.jobs.Do(ctx, w, asked)
	if err != nil {
		return Trained{}, fmt.Errorf("training for %q: %w", id, err)
	}
	held, err := a.models.MMM(ctx, w)
	if err != nil {
		return Trained{}, err
	}
	kept := 0
	if held.Attempt != nil {
		kept = held.Model.Version
	}
	return Trained{
		Workspace: id, Kept: kept, Version: m.Version, Status: m.Status, Reasons: m.Reasons, Start: m.Window.First, End: m.Window.Last, Weeks: m.Weeks, Seed: m.Seed, DataHash: m.DataHash,
		Accuracy: m.Accuracy, Diagnostics: m.Diagnostics, Channels: m.Effects, LeftOut: m.LeftOut, Tests: m.Tests,
	}, nil
}

// CancelTraining ends the training of the workspace's model in the service that holds the data directory. A fault of kind
// not_found says that none runs there.
func CancelTraining(ctx context.Context, c config.Config, id measure.WorkspaceID, now func() time.Time) error {
	if _, err := os.Stat(c.Data); errors.Is(err, fs.ErrNotExist) {
		return fault.NotFound("there is no data directory %s", c.Data)
	}
	_, err := through(ctx, c, "/train/cancel", trainRequest{Workspace: id}, nil, now, func(a *App) (any, error) {
		return struct{}{}, a.cancelTraining(id)
	})
	return err
}

func (a *App) cancelTraining(id measure.WorkspaceID) error {
	if !a.jobs.Cancel(id) {
		return fault.NotFound("no model of %q is being trained", id)
	}
	return nil
}

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
	s.Status, s.Why = held.State(last, w.ModelSettings())
	return s, nil
}

// Train begins a training.
func (p pageModels) Train(ctx context.Context, w control.Workspace, actor string) error {
	p.log.InfoContext(ctx, "training asked for", slog.String("workspace", string(w.ID)), slog.String("actor", actor))
	return p.jobs.Start(ctx, w)
}

// Cancel ends a training.
func (p pageModels) Cancel(id measure.WorkspaceID) bool { return p.jobs.Cancel(id) }

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
		_, err = a.trainMMM(ctx, demoWorkspace, mix.Request{})
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
