package operation

import (
	"context"

	"assay/internal/control"
	"assay/internal/fault"
)

// CreateExperiment plans an experiment. Its channel and regions must exist in the store.
var CreateExperiment = Operation[control.Experiment, control.Experiment]{
	Spec{Name: "experiment.create", Needs: Write, Facts: true, Undo: "Cancel the experiment."},
	(*Run).createExperiment,
}

func (r *Run) createExperiment(ctx context.Context, e control.Experiment) (control.Experiment, error) {
	e.Workspace = r.Workspace.ID
	e, err := r.Known.Planned(ctx, r.Workspace, e)
	if err != nil {
		return e, err
	}
	return r.Store.CreateExperiment(ctx, e, r.By())
}

// AddExperiment is [CreateExperiment] for calls that may be repeated. If an open experiment has the same plan, it adds
// nothing.
var AddExperiment = Operation[control.Experiment, control.Kept[control.Experiment]]{
	Spec{Name: "experiment.add", Needs: Write, Facts: true, Undo: "Cancel the experiment."},
	func(r *Run, ctx context.Context, e control.Experiment) (control.Kept[control.Experiment], error) {
		e.Workspace = r.Workspace.ID
		e, err := r.Known.Planned(ctx, r.Workspace, e)
		if err != nil {
			return control.Kept[control.Experiment]{}, err
		}
		return r.Store.AddExperiment(ctx, e, r.By())
	},
}

// MoveExperimentOnce is [MoveExperiment] for calls that may be repeated. If the experiment already has the new status,
// it changes nothing.
var MoveExperimentOnce = Operation[control.Move, control.Kept[control.Experiment]]{
	Spec{Name: "experiment.move_once", Needs: Write, Undo: "The action cannot be undone. Plan the experiment again."},
	(*Run).moveExperimentOnce,
}

func (r *Run) moveExperimentOnce(ctx context.Context, m control.Move) (control.Kept[control.Experiment], error) {
	m.Workspace = r.Workspace.ID
	moved, err := r.Store.MoveExperiment(ctx, m, r.By())
	if fault.KindOf(err) != fault.KindConflict {
		return control.Kept[control.Experiment]{Record: moved, Changed: true}, err
	}
	now, reading := r.Store.Experiment(ctx, m.Workspace, m.ID)
	if reading != nil || now.Status != m.To {
		return control.Kept[control.Experiment]{}, err
	}
	return control.Kept[control.Experiment]{Record: now}, nil
}

// MoveExperiment changes the status of an experiment. The result of a study is set when its status becomes completed.
var MoveExperiment = Operation[control.Move, control.Experiment]{
	Spec{Name: "experiment.move", Needs: Write, Undo: "The action cannot be undone. Plan the experiment again."},
	func(r *Run, ctx context.Context, m control.Move) (control.Experiment, error) {
		m.Workspace = r.Workspace.ID
		return r.Store.MoveExperiment(ctx, m, r.By())
	},
}

// Factor states whether the incrementality factor of a completed experiment corrects last-touch ROAS.
type Factor struct {
	Experiment control.ExperimentID
	Applied    bool
}

// ApplyFactor applies the incrementality factor of a completed experiment, or removes it.
var ApplyFactor = Operation[Factor, control.Experiment]{
	Spec{Name: "experiment.factor", Needs: Write, Undo: "Remove the factor, or apply it again."},
	func(r *Run, ctx context.Context, f Factor) (control.Experiment, error) {
		return r.Store.ApplyExperiment(ctx, r.Workspace.ID, f.Experiment, f.Applied, r.By())
	},
}
