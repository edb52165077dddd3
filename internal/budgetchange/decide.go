package budgetchange

import (
	"context"
	"strings"

	"assay/internal/ads"
	"assay/internal/control"
	"assay/internal/fault"
)

// Rollback sets the value that the campaign had before a change, with the same steps as any change. The rollback is
// rejected if the change was not applied or was already rolled back. It is also rejected if the live value differs from
// the value that the change set. Without confirm, Rollback is a preview.
func (e *Executor) Rollback(ctx context.Context, w control.Workspace, by Caller, id control.BudgetChangeID, reason string, confirm bool) (
	Result, error,
) {
	roll := func(ctx context.Context) (Result, error) {
		t, err := e.undoing(ctx, w, id, reason)
		if err != nil {
			return Result{}, err
		}
		if confirm {
			return e.execute(ctx, w, by, t)
		}
		p, err := e.plan(ctx, w, by, t)
		if err != nil {
			return Result{}, err
		}
		return Result{Outcome: Previewed, Preview: p.Preview}, nil
	}
	if !confirm {
		return roll(ctx)
	}
	return e.once(ctx, "rollback "+string(w.ID)+" "+by.Actor+" "+string(id), roll)
}

// undoing returns the terms of the change that rolls back another change.
func (e *Executor) undoing(ctx context.Context, w control.Workspace, id control.BudgetChangeID, reason string) (terms, error) {
	c, err := e.rowIn(ctx, w, id)
	if err != nil {
		return terms{}, err
	}
	switch {
	case c.RolledBackBy != "":
		return terms{}, fault.Conflict("the change %s was already rolled back by %s", id, c.RolledBackBy).WithHint("nothing was changed")
	case c.Status == control.ChangeUnknown || c.Status == control.ChangePending:
		return terms{}, fault.Conflict("the outcome of the change %s is unknown: the status of the change is %s", id, c.Status).
			WithHint("check the campaign on %s, and set the correct value there", ads.DisplayName(c.Platform))
	case c.Status != control.ChangeApplied:
		return terms{}, fault.Conflict("the change %s was not executed: its status is %s", id, c.Status).WithHint("there is nothing to roll back")
	}
	// A later change with an unknown outcome does not prevent the rollback. If that change was executed, the live value
	// differs.
	later, err := e.laterChange(ctx, c, control.ChangePending, control.ChangeApplied)
	if err != nil {
		return terms{}, err
	}
	if later != nil {
		return terms{}, fault.Conflict("the change %s is superseded by %s, which set %s", id, later.ID, later.New).
			WithHint("roll back %s first", later.ID)
	}
	r := requestOf(c, c.Previous)
	if r.Reason = strings.TrimSpace(reason); r.Reason == "" {
		r.Reason = "Rollback of " + string(id)
	}
	return terms{request: r, undoes: &c}, nil
}

// requestOf returns the request to set a value on the campaign of a row.
func requestOf(c control.BudgetChange, value control.ChangeValue) Request {
	to := c
	to.New = value
	return Request{
		Platform: c.Platform, Campaign: ads.CampaignID(c.Campaign), Account: c.Account, Action: actionOf(to), Budget: c.Budget,
		Unshared: !c.BudgetNamed, Name: c.CampaignName, Reason: c.Reason,
	}
}

// rowIn returns a row of the workspace.
func (e *Executor) rowIn(ctx context.Context, w control.Workspace, id control.BudgetChangeID) (control.BudgetChange, error) {
	c, err := e.Store.BudgetChange(ctx, id)
	if err == nil && c.Workspace != w.ID {
		err = fault.NotFound("there is no budget change %q in workspace %q", id, w.ID).WithHint("list the budget changes with: assay budget-changes list")
	}
	return c.AsOf(e.Clock.Now()), err
}

// Approve executes a change that awaits approval, for a member who did not request it. Approve reads the live value and
// checks the change again. The parameter asked is the requester of the change. It is the actor of the row, or the
// member who created the actor's key.
func (e *Executor) Approve(ctx context.Context, w control.Workspace, by Caller, id control.BudgetChangeID, asked string) (Result, error) {
	return e.once(ctx, "approve "+string(w.ID)+" "+by.Actor+" "+string(id), func(ctx context.Context) (Result, error) {
		row, err := e.awaiting(ctx, w, id)
		if err != nil {
			return Result{}, err
		}
		if by.Actor == row.Actor || by.Actor == asked {
			return Result{}, fault.Forbidden("the change %s was requested by the same person", id).
				WithHint("nothing was changed. Another member with the scope %s can approve the change", control.ScopeApprove)
		}
		return e.approve(ctx, by, w, row)
	})
}

func (e *Executor) approve(ctx context.Context, by Caller, w control.Workspace, row control.BudgetChange) (Result, error) {
	t := terms{request: requestOf(row, row.New), approved: &row}
	requester := Caller{Actor: row.Actor, Person: by.Person && row.RollsBack != ""}
	p, err := e.plan(ctx, w, requester, t)
	if err != nil {
		return Result{}, err
	}
	if p.Unchanged {
		return Result{}, fault.Conflict("the live value is already %s", p.New).WithHint("reject the change: assay budget-changes reject %s", row.ID)
	}
	if v := p.Blocked(); v != nil {
		return Result{Outcome: Refused, Preview: p.Preview, Change: &row, Refusal: v.refusal()}, nil
	}
	claimed := row
	claimed.Status, claimed.ApprovedBy, claimed.Deadline = control.ChangePending, by.Actor, e.Clock.Now().Add(e.WriteTime)
	e.hold(row.ID)
	defer e.release(row.ID)
	open, err := e.claim(ctx, claimed, func(ctx context.Context) (*control.BudgetChange, error) {
		return e.Store.UpdateBudgetChange(ctx, claimed, control.ChangeAwaiting, control.By{Actor: by.Actor, At: e.Clock.Now()})
	})
	switch {
	case err != nil:
		return Result{}, err
	case open != nil: // an identical change is in progress
		return e.await(ctx, p, *open)
	}
	return e.carryOut(ctx, p, requester, t, claimed)
}

// awaiting returns a row that waits for approval.
func (e *Executor) awaiting(ctx context.Context, w control.Workspace, id control.BudgetChangeID) (control.BudgetChange, error) {
	c, err := e.rowIn(ctx, w, id)
	if err == nil && c.Status != control.ChangeAwaiting {
		e.expire(ctx)
		err = fault.Conflict("the change %s does not await approval: its status is %s", id, c.Status).WithHint("nothing was changed")
	}
	return c, err
}

// Reject ends a change that awaits approval. The member who requested it may withdraw it.
func (e *Executor) Reject(ctx context.Context, w control.Workspace, by Caller, id control.BudgetChangeID, reason string) (
	control.BudgetChange, error,
) {
	c, err := e.awaiting(ctx, w, id)
	if err != nil {
		return c, err
	}
	now := e.Clock.Now()
	c.Status, c.ApprovedBy, c.SettledAt, c.Problem = control.ChangeRejected, by.Actor, now, "A member rejected the change."
	if reason = ads.Clean(reason, ads.MaxMessage); reason != "" {
		c.Problem = "A member rejected the change: " + reason
	}
	_, err = e.Store.UpdateBudgetChange(ctx, c, control.ChangeAwaiting, control.By{Actor: by.Actor, At: now})
	return c, err
}
