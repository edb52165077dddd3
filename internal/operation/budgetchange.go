package operation

import (
	"context"
	"slices"
	"strings"

	"assay/internal/budgetchange"
	"assay/internal/control"
	"assay/internal/fault"
)

// PreviewBudgetChange reads a campaign on its ad platform and returns the effect of a change.
var PreviewBudgetChange = Operation[budgetchange.Request, budgetchange.Result]{
	Spec{Name: "budget_change.preview", Needs: Read, Facts: true},
	func(r *Run, ctx context.Context, in budgetchange.Request) (budgetchange.Result, error) {
		return r.Budgets.Preview(ctx, r.Workspace, r.changer(), in)
	},
}

// ExecuteBudgetChange applies a change of a campaign on its ad platform, at most once. The subject of its audit event
// is the ID of the change.
var ExecuteBudgetChange = Operation[budgetchange.Request, budgetchange.Result]{
	Spec{Name: "budget_change.execute", Needs: Approve, Facts: true, Undo: "Roll back the change."},
	func(r *Run, ctx context.Context, in budgetchange.Request) (budgetchange.Result, error) {
		return r.Budgets.Execute(ctx, r.Workspace, r.changer(), in)
	},
}

// BudgetRollback is a request to undo a change on an ad platform. Without Confirm it is a preview.
type BudgetRollback struct {
	ID      control.BudgetChangeID
	Reason  string
	Confirm bool
}

// RollBackBudgetChange restores the value that a campaign had before a change.
var RollBackBudgetChange = Operation[BudgetRollback, budgetchange.Result]{
	Spec{Name: "budget_change.rollback", Needs: Approve, Facts: true, Undo: "Roll back the rollback: a rollback is also a change."},
	func(r *Run, ctx context.Context, in BudgetRollback) (budgetchange.Result, error) {
		return r.Budgets.Rollback(ctx, r.Workspace, r.changer(), in.ID, in.Reason, in.Confirm)
	},
}

// BudgetDecision is the approval or rejection of a change that awaits approval.
type BudgetDecision struct {
	ID     control.BudgetChangeID
	As     string // email address or ID of the member who decides; required for commands, ignored on pages
	Reason string // reason for a rejection
}

// ApproveBudgetChange executes a change that awaits approval. A member cannot approve their own request.
var ApproveBudgetChange = Operation[BudgetDecision, budgetchange.Result]{
	Spec{Name: "budget_change.approve", Needs: Approve, Facts: true, Undo: "Roll back the change."},
	(*Run).approveBudgetChange,
}

func (r *Run) approveBudgetChange(ctx context.Context, in BudgetDecision) (budgetchange.Result, error) {
	by, err := r.decider(ctx, in)
	if err != nil {
		return budgetchange.Result{}, err
	}
	c, err := r.Store.BudgetChange(ctx, in.ID)
	if err != nil {
		return budgetchange.Result{}, err
	}
	makers, err := r.makers(ctx, c.Actor)
	if err != nil {
		return budgetchange.Result{}, err
	}
	asked := ""
	if slices.Contains(makers, by.Actor) {
		asked = by.Actor
	}
	return r.Budgets.Approve(ctx, r.Workspace, by, in.ID, asked)
}

// RejectBudgetChange ends a change that awaits approval without executing it.
var RejectBudgetChange = Operation[BudgetDecision, control.BudgetChange]{
	Spec{Name: "budget_change.reject", Needs: Approve, Facts: true, Undo: "Request the change again."},
	func(r *Run, ctx context.Context, in BudgetDecision) (control.BudgetChange, error) {
		by, err := r.decider(ctx, in)
		if err != nil {
			return control.BudgetChange{}, err
		}
		return r.Budgets.Reject(ctx, r.Workspace, by, in.ID, in.Reason)
	},
}

// changer returns the caller of the operation for the audit log of changes.
func (r *Run) changer() budgetchange.Caller {
	c := r.Call.Caller
	return budgetchange.Caller{Actor: c.Actor, Person: c.kind == byOperator || c.kind == byMember}
}

// decider returns the member who approves or rejects a change. On a page, this member is the caller. A command names
// the member.
func (r *Run) decider(ctx context.Context, in BudgetDecision) (budgetchange.Caller, error) {
	switch r.Call.Caller.kind {
	case byMember:
		return r.changer(), nil
	case byOperator:
	case byClient, bySystem:
		return budgetchange.Caller{}, fault.Forbidden("only members can approve, reject and roll back changes: nothing was changed").
			WithHint("use the Budget changes page or assay budget-changes")
	}
	if in.As == "" {
		return budgetchange.Caller{}, fault.Invalid("the deciding member is missing").WithHint("name the member: --as EMAIL")
	}
	u, err := r.People.Find(ctx, in.As)
	if err != nil {
		return budgetchange.Caller{}, err
	}
	if err := r.permitMember(ctx, u.ID, r.Workspace.ID, Approve); err != nil {
		return budgetchange.Caller{}, fault.Forbidden("the role of %s in the workspace does not allow this decision: nothing was changed", in.As).
			WithHint("ask an owner or admin of the workspace")
	}
	return budgetchange.Caller{Actor: control.ActorOf(u.ID), Person: true}, nil
}

// maxKeyEvents is the maximum number of audit events that [Run.makers] reads.
const maxKeyEvents = 10_000

// makers returns the people who received the secret of the actor's key, or of an earlier key that this key replaced.
// They are the person who created the first key and the people who rotated a key. None of these people can approve a
// request that the key made. For an actor without a key, makers returns nothing.
func (r *Run) makers(ctx context.Context, actor string) (all []string, err error) {
	id, isKey := strings.CutPrefix(actor, "key:")
	if !isKey {
		return nil, nil
	}
	keys, err := r.Store.Keys(ctx, r.Workspace.ID)
	if err != nil {
		return nil, err
	}
	events, err := r.Store.Events(ctx, control.EventFilter{
		Workspace: r.Workspace.ID, Kinds: []control.EventKind{control.KeyMade, control.KeyRotated}, Limit: maxKeyEvents,
	})
	if err != nil {
		return nil, err
	}
	for range keys { // at most one step per key
		replaced := ""
		if i := slices.IndexFunc(keys, func(k control.Key) bool { return string(k.ReplacedBy) == id }); i >= 0 {
			replaced = string(keys[i].ID)
		}
		for _, e := range events {
			if e.Kind == control.KeyMade && e.Subject == id || e.Kind == control.KeyRotated && e.Subject == replaced {
				all = append(all, e.Actor)
			}
		}
		if replaced == "" {
			break
		}
		id = replaced
	}
	return all, nil
}

// ListBudgetChanges returns a workspace's changes on ad platforms, newest first.
var ListBudgetChanges = Operation[control.BudgetChangeFilter, []control.BudgetChange]{
	Spec{Name: "budget_change.list", Needs: Read},
	func(r *Run, ctx context.Context, f control.BudgetChangeFilter) ([]control.BudgetChange, error) {
		f.Workspace = r.Workspace.ID
		if f.Limit <= 0 {
			f.Limit = MostBudgetChanges
		}
		all, err := r.Store.BudgetChanges(ctx, f)
		for i := range all {
			all[i] = all[i].AsOf(r.Now())
		}
		return all, err
	},
}

// MostBudgetChanges is the maximum number of changes in a list if the caller sets no limit.
const MostBudgetChanges = 1000

// ShowBudgetChange returns one change on an ad platform.
var ShowBudgetChange = Operation[control.BudgetChangeID, control.BudgetChange]{
	Spec{Name: "budget_change.show", Needs: Read},
	func(r *Run, ctx context.Context, id control.BudgetChangeID) (control.BudgetChange, error) {
		c, err := r.Store.BudgetChange(ctx, id)
		if err == nil && c.Workspace != r.Workspace.ID {
			err = fault.NotFound("there is no budget change %q in workspace %q", id, r.Workspace.ID)
		}
		return c.AsOf(r.Now()), err
	},
}

// ShowGuardrails returns the guardrails of a workspace.
var ShowGuardrails = Operation[None, control.Guardrails]{
	Spec{Name: "guardrails.show", Needs: Read},
	func(r *Run, ctx context.Context, _ None) (control.Guardrails, error) {
		return r.Store.Guardrails(ctx, r.Workspace.ID)
	},
}

// SetGuardrails replaces the guardrails of a workspace. The new guardrails must have the version that was read.
var SetGuardrails = Operation[control.Guardrails, control.Guardrails]{
	Spec{Name: "guardrails.set", Needs: Manage, Undo: "Set the earlier guardrails; the audit log has them."},
	func(r *Run, ctx context.Context, g control.Guardrails) (control.Guardrails, error) {
		g.Workspace = r.Workspace.ID
		return r.Store.SetGuardrails(ctx, g, r.By())
	},
}
