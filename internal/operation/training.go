package operation

import (
	"context"
	"fmt"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/jobs"
	"assay/internal/measure"
	"assay/internal/measure/mix"
	"assay/internal/measure/mmm"
)

// Training describes how a model is trained.
type Training struct {
	WithoutTests bool `json:"without_tests,omitempty"` // on observational data alone, without the completed experiments
}

// title implements [titled].
func (Training) title() string { return TrainingTitle }

// TrainingTitle is the title of a training in lists of jobs.
const TrainingTitle = "Training the media mix model"

// Trained is the result of a training, without the draws.
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
	Kept        int                 `json:"kept_version,omitempty"` // the earlier model that stays in use when this one was rejected
}

// TrainModel trains the media mix model while the caller waits. A model that fails the checks is not an error. The
// result contains the reasons.
var TrainModel = Operation[Training, Trained]{
	Spec{
		Name: "model.train", Needs: Write, Facts: true, Job: jobs.Training,
		Undo: "Train again; if a new model is rejected, the earlier model remains in use.",
	},
	(*Run).trainModel,
}

func (r *Run) trainModel(ctx context.Context, in Training) (Trained, error) {
	id := r.Workspace.ID
	m, err := r.Models.Train(ctx, r.Workspace, mix.Request{WithoutTests: in.WithoutTests, Progress: r.Call.Progress})
	if err != nil {
		return Trained{}, fmt.Errorf("training for %q: %w", id, err)
	}
	held, err := r.Models.MMM(ctx, r.Workspace)
	if err != nil {
		return Trained{}, err
	}
	kept := 0
	if held.Attempt != nil {
		kept = held.Model.Version
	}
	return Trained{
		Workspace: id, Kept: kept, Version: m.Version, Status: m.Status, Reasons: m.Reasons, Start: m.Window.First, End: m.Window.Last,
		Weeks: m.Weeks, Seed: m.Seed, DataHash: m.DataHash, Accuracy: m.Accuracy, Diagnostics: m.Diagnostics, Channels: m.Effects,
		LeftOut: m.LeftOut, Tests: m.Tests,
	}, nil
}

// StartTraining starts a training in the background. The training continues after a restart. If a training is already
// running, StartTraining returns a fault of kind conflict.
var StartTraining = Operation[None, None]{
	Spec{Name: "model.start-training", Needs: Write, Facts: true, Undo: "Cancel the training."},
	func(r *Run, ctx context.Context, _ None) (None, error) {
		_, err := r.Jobs.StartRoutine(ctx, jobs.Training, r.Workspace, r.Call.Caller.Actor)
		return None{}, err
	},
}

// CancelTraining cancels the running or waiting training. If there is none, it returns a fault of kind not_found.
var CancelTraining = Operation[None, None]{
	Spec{Name: "model.cancel-training", Needs: Write, Facts: true, Undo: "Train again."},
	func(r *Run, _ context.Context, _ None) (None, error) {
		job, runs := r.Jobs.Active(jobs.Training, r.Workspace.ID)
		if !runs || !r.Jobs.Cancel(job.ID) {
			return None{}, fault.NotFound("no training of %q is running", r.Workspace.ID)
		}
		return None{}, nil
	},
}
