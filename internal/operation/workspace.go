package operation

import (
	"context"
	"strings"
	"time"

	"assay/internal/control"
	"assay/internal/measure"
)

// CreateWorkspace creates a workspace for a store. Its ID is derived from the name unless an ID is given. An ID in use
// is a fault of kind conflict.
var CreateWorkspace = Operation[control.Workspace, control.Workspace]{
	Spec{Name: "workspace.create", Needs: Manage, Scope: Installation, Undo: "Delete the workspace."},
	(*Run).createWorkspace,
}

func (r *Run) createWorkspace(ctx context.Context, w control.Workspace) (control.Workspace, error) {
	return r.Store.CreateWorkspace(ctx, w, r.By())
}

// Settings are changes of a workspace's settings. Nil fields are not changed.
type Settings struct {
	Name         *string          `json:"name,omitempty"`
	WeekStart    *time.Weekday    `json:"week_start,omitempty"`
	LogArguments *bool            `json:"log_arguments,omitempty"` // store the arguments of calls in the call log
	Retrain      *control.Retrain `json:"retrain,omitempty"`       // when the model is trained on a schedule
}

// UpdateWorkspace changes settings of a workspace and returns the updated workspace.
var UpdateWorkspace = Operation[Settings, control.Workspace]{
	Spec{Name: "workspace.update", Needs: Manage, Undo: "Set the earlier value; the audit log has it."},
	(*Run).updateWorkspace,
}

func (r *Run) updateWorkspace(ctx context.Context, change Settings) (control.Workspace, error) {
	w := r.Workspace
	if change.Name != nil {
		w.Name = strings.TrimSpace(*change.Name)
	}
	if change.WeekStart != nil {
		w.WeekStart = *change.WeekStart
	}
	if change.LogArguments != nil {
		w.LogArguments = *change.LogArguments
	}
	if change.Retrain != nil {
		w.Retrain = *change.Retrain
	}
	before := r.Workspace
	if w.Name == before.Name && w.WeekStart == before.WeekStart && w.LogArguments == before.LogArguments && w.Retrain == before.Retrain {
		return w, nil
	}
	w, err := r.Store.UpdateWorkspace(ctx, w, r.By())
	if err == nil {
		r.AccessEnded()
	}
	return w, err
}

// DeleteWorkspace removes a workspace with its keys and facts, after imports into it have ended. Callers lose access
// first, so that they never see a partial workspace.
var DeleteWorkspace = Operation[None, None]{
	Spec{Name: "workspace.delete", Needs: Manage, Facts: true, Locks: true, Undo: "The action cannot be undone. Restore a backup."},
	(*Run).deleteWorkspace,
}

func (r *Run) deleteWorkspace(ctx context.Context, _ None) (None, error) {
	if err := r.Store.DeleteWorkspace(ctx, r.Workspace.ID, r.By()); err != nil {
		return None{}, err
	}
	r.AccessEnded()
	return None{}, r.Drop(ctx, r.Workspace.ID)
}

// ClearFacts removes the facts of a deleted workspace that had the ID of this workspace. Such facts remain if a process
// ended during the deletion.
var ClearFacts = Operation[None, None]{
	Spec{Name: "workspace.clear", Needs: Manage, Facts: true, Locks: true, Undo: "The action cannot be undone. Restore a backup."},
	func(r *Run, ctx context.Context, _ None) (None, error) { return None{}, r.Drop(ctx, r.Workspace.ID) },
}

// ListUnopened returns, by workspace, the reason why the facts cannot be opened.
var ListUnopened = Operation[None, map[measure.WorkspaceID]string]{
	Spec{Name: "workspace.unopened", Needs: Read, Scope: Installation, Facts: true},
	(*Run).listUnopened,
}

func (r *Run) listUnopened(context.Context, None) (map[measure.WorkspaceID]string, error) {
	reasons := map[measure.WorkspaceID]string{}
	for ws, err := range r.Unopened() {
		reasons[ws] = err.Error()
	}
	return reasons, nil
}
