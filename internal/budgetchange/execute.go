package budgetchange

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"assay/internal/ads"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/panics"
)

const (
	otherWait = 2 * time.Second  // maximum wait for a different change of the campaign in progress
	sameWait  = 25 * time.Second // maximum wait for an identical change in progress
	pollEvery = 100 * time.Millisecond
)

func newID() control.BudgetChangeID {
	return control.BudgetChangeID("bc-" + strings.ToLower(rand.Text()[:12]))
}

// flight is an execution in progress. Identical requests of this process wait for it.
type flight struct {
	done   chan struct{}
	result Result
	err    error
}

// Execute applies the change, at most once. A change that has begun is completed even if the request ends during the
// change. Identical requests at the same time are one change. Such requests of one caller share one execution. Other
// callers get the row of the first request.
func (e *Executor) Execute(ctx context.Context, w control.Workspace, by Caller, r Request) (Result, error) {
	key, err := json.Marshal(r)
	if err != nil {
		return Result{}, fmt.Errorf("request of campaign %q: %w", r.Campaign, err)
	}
	return e.once(ctx, fmt.Sprintf("%s %s %t %s", w.ID, by.Actor, by.Person, key), func(ctx context.Context) (Result, error) {
		return e.execute(ctx, w, by, terms{request: r})
	})
}

// once calls the function do. If the same work is already in progress, once waits for it and returns its result.
func (e *Executor) once(ctx context.Context, key string, do func(ctx context.Context) (Result, error)) (Result, error) {
	e.mu.Lock()
	f, under := e.flights[key]
	if !under {
		f = &flight{done: make(chan struct{})}
		e.flights[key] = f
	}
	e.mu.Unlock()
	if under {
		select {
		case <-f.done:
			return f.result, f.err
		case <-ctx.Done():
			return Result{}, ctx.Err()
		}
	}
	defer func() {
		e.mu.Lock()
		delete(e.flights, key)
		e.mu.Unlock()
		close(f.done)
	}()
	f.err = panics.Caught(func() (err error) {
		f.result, err = do(context.WithoutCancel(ctx))
		return err
	})
	return f.result, f.err
}

// execute plans the change. If nothing prevents the change, execute claims the campaign and applies the change.
func (e *Executor) execute(ctx context.Context, w control.Workspace, by Caller, t terms) (Result, error) {
	p, err := e.plan(ctx, w, by, t)
	if err != nil {
		return Result{}, err
	}
	if p.Unchanged {
		return Result{Outcome: Unchanged, Preview: p.Preview}, nil
	}
	if v := p.Blocked(); v != nil {
		return Result{Outcome: Refused, Preview: p.Preview, Refusal: v.refusal()}, nil
	}
	row := e.rowOf(p, by, t)
	row.Deadline = row.At.Add(e.WriteTime)
	if p.NeedsApproval() != nil {
		row.Status = control.ChangeAwaiting
	}
	e.hold(row.ID)
	defer e.release(row.ID)
	open, err := e.claim(ctx, row, func(ctx context.Context) (*control.BudgetChange, error) {
		return e.Store.AddBudgetChange(ctx, row, control.By{Actor: by.Actor, At: row.At})
	})
	switch {
	case err != nil:
		return Result{}, err
	case open != nil && open.Status == control.ChangeAwaiting:
		row = *open
	case open != nil:
		return e.await(ctx, p, *open)
	}
	if row.Status == control.ChangeAwaiting {
		return Result{Outcome: Awaiting, Preview: p.Preview, Change: &row}, nil
	}
	return e.carryOut(ctx, p, by, t, row)
}

// refusal returns the rejection of a change by the verdict's guardrail.
func (v *Verdict) refusal() *Refusal {
	return &Refusal{
		Kind: fault.KindConflict, Reason: "guardrail:" + v.Guardrail, Text: "The guardrail " + v.Guardrail + " blocks the change. " + v.Text,
		Hint: "Nothing was changed. assay guardrails show lists the limits of the workspace.",
	}
}

// claim stores the row. While another change claims the campaign, claim tries again for a while and then returns a
// fault of kind conflict. It returns an identical change at once.
func (e *Executor) claim(ctx context.Context, row control.BudgetChange,
	try func(ctx context.Context) (*control.BudgetChange, error),
) (same *control.BudgetChange, err error) {
	for until := e.Clock.Now().Add(otherWait); ; {
		open, err := try(ctx)
		if err != nil || open == nil || open.SameChange(row) {
			return open, err
		}
		if !e.Clock.Now().Before(until) {
			return nil, fault.Conflict("another change of this campaign is in progress: %s, from %s to %s", open.ID, open.Previous, open.New).
				WithHint("Nothing was changed. Wait until its outcome is known (assay budget-changes show %s), then request a new preview.", open.ID)
		}
		if err := e.Clock.Sleep(ctx, pollEvery); err != nil {
			return nil, err
		}
	}
}

// await waits for an identical change of another process and returns its result.
func (e *Executor) await(ctx context.Context, p *plan, open control.BudgetChange) (Result, error) {
	for until := e.Clock.Now().Add(sameWait); ; {
		now, err := e.Store.BudgetChange(ctx, open.ID)
		if err != nil {
			return Result{}, err
		}
		if now.Status.Done() || !e.Clock.Now().Before(until) {
			return resultOf(p.Preview, now), nil
		}
		if err := e.Clock.Sleep(ctx, pollEvery); err != nil {
			return Result{}, err
		}
	}
}

// resultOf converts the row of a change to the result of its execution.
func resultOf(p Preview, c control.BudgetChange) Result {
	r := Result{Preview: p, Change: &c}
	switch c.Status {
	case control.ChangeApplied:
		r.Outcome = Executed
	case control.ChangePending, control.ChangeUnknown:
		r.Outcome, r.Refusal = Unknown, unknownOf(c)
	case control.ChangeAwaiting:
		r.Outcome = Awaiting
	case control.ChangeFailed, control.ChangeRejected, control.ChangeExpired:
		r.Outcome = Refused
		r.Refusal = &Refusal{Kind: fault.KindConflict, Reason: c.Rejection, Text: c.Problem, Hint: "Request a new preview and decide again."}
	}
	return r
}

// unknownOf explains an unknown outcome.
func unknownOf(c control.BudgetChange) *Refusal {
	text := "It is unknown whether " + ads.DisplayName(c.Platform) + " executed the change."
	if c.Problem != "" {
		text = c.Problem + " " + text
	}
	hint := fmt.Sprintf("Do not repeat the change. Assay reads the live value for another minute. Then check the change: assay budget-changes show %s", c.ID)
	if c.Status == control.ChangeUnknown {
		hint = fmt.Sprintf("Do not repeat the change. Check the campaign on %s and set the correct value there. assay budget-changes show %s has the previous and new values.",
			ads.DisplayName(c.Platform), c.ID)
	}
	return &Refusal{Kind: fault.KindUnavailable, Reason: c.Rejection, Text: text, Hint: hint}
}

// carryOut applies a claimed change. It reads the campaign again, writes once, and settles the row.
func (e *Executor) carryOut(ctx context.Context, p *plan, by Caller, t terms, row control.BudgetChange) (Result, error) {
	state, err := p.account.Read(ctx, p.Campaign)
	if err != nil {
		return e.fail(ctx, p, row, err)
	}
	t.relax(&state)
	live, err := valueOf(p.account, state.Value(p.Action))
	if err == nil {
		row.Live, err = live, state.Check(p.change)
	}
	switch {
	case err != nil:
		return e.fail(ctx, p, row, err)
	case live == row.New:
		err = ads.Reject(row.Platform, ads.ChangedMeanwhile, "Someone else set %s at the same time.", row.New)
		r, failed := e.fail(ctx, p, row, err)
		r.Outcome, r.Refusal = Unchanged, nil
		return r, failed
	case live != row.Previous:
		return e.fail(ctx, p, row, ads.Reject(row.Platform, ads.ChangedMeanwhile,
			"Someone else changed the campaign from %s to %s at the same time.", row.Previous, live))
	}
	if p.Guardrails, err = e.guardrails(ctx, p, by, t, row.ID); err != nil {
		return e.fail(ctx, p, row, err)
	}
	if v := p.Blocked(); v != nil {
		return e.fail(ctx, p, row, v.refusal().Err())
	}
	if v := p.NeedsApproval(); v != nil && row.ApprovedBy == "" && row.RollsBack == "" { // the limit or the rate changed meanwhile
		return e.fail(ctx, p, row, fault.Conflict("the change now requires approval: %s", v.Text).WithHint("Request the change again."))
	}
	return e.apply(ctx, p, row, state)
}

// fail settles a row for which no request was sent.
func (e *Executor) fail(ctx context.Context, p *plan, row control.BudgetChange, err error) (Result, error) {
	why := refusalOf(err)
	if why.Reason == "" && p.Blocked() != nil {
		why.Reason = p.Blocked().refusal().Reason
	}
	if why.Kind == fault.KindInternal {
		e.log(ctx, row, "a change on an ad platform failed", err)
	}
	claimed, now := row, e.Clock.Now()
	row.Status, row.Rejection, row.Problem = control.ChangeFailed, why.Reason, why.Text
	row, err = e.update(ctx, row, control.ChangePending)
	if err != nil && fault.KindOf(err) != fault.KindConflict { // otherwise the row would block the campaign until a tick after its deadline
		e.later(claimed, now, now, 0)
	}
	return Result{Outcome: Refused, Preview: p.Preview, Change: &row, Refusal: why}, err
}

// apply renews the claim, writes once and settles the row. If another process settled the row meanwhile, the renewal
// fails. After the renewal, no other process settles the row before the write has ended.
func (e *Executor) apply(ctx context.Context, p *plan, row control.BudgetChange, state ads.State) (Result, error) {
	row.Deadline = e.Clock.Now().Add(e.WriteTime)
	writing, cancel := e.Clock.WithTimeout(ctx, e.WriteTime)
	defer cancel()
	if _, err := e.Store.UpdateBudgetChange(ctx, row, control.ChangePending, e.system()); err != nil {
		return e.fail(ctx, p, row, err)
	}
	claimed, outcome := row, p.account.Apply(writing, state, p.change)
	sent := e.Clock.Now()
	row.RequestID = outcome.RequestID
	if outcome.Rejection != nil {
		row.Rejection, row.Problem = string(outcome.Rejection.Reason), outcome.Rejection.Error()
	}
	switch outcome.Result {
	case ads.Applied:
		row.Status = control.ChangeApplied
		row.Live = control.ChangeValue{}
		if live, _, err := e.live(ctx, p.account, row); err == nil {
			if live != row.New {
				row.Status = control.ChangePending
				row.Problem = ads.DisplayName(row.Platform) + " confirmed the change, but the campaign does not have the new value."
				return e.unsure(ctx, p, row, sent.Add(ads.Lag), sent)
			}
			row.Live = live
		}
	case ads.Refused:
		row.Status = control.ChangeFailed
		if live, _, err := e.live(ctx, p.account, row); err == nil {
			if live == row.New && !outcome.Deadline.IsZero() { // a proxy's error can replace the reply to an executed request
				row.Status = control.ChangePending
				return e.unsure(ctx, p, row, outcome.Deadline, sent)
			}
			row.Live = live
		}
	case ads.Unknown:
		return e.unsure(ctx, p, row, outcome.Deadline, sent)
	}
	row, err := e.update(ctx, row, control.ChangePending)
	if err != nil { // the next read of the live value settles the row
		e.log(ctx, row, "a change on an ad platform is not recorded yet", err)
		e.later(claimed, sent, sent, 0)
	}
	r := Result{Outcome: Executed, Preview: p.Preview, Change: &row}
	if outcome.Result == ads.Refused {
		r.Outcome, r.Refusal = Refused, refusalOf(outcome.Rejection)
	}
	return r, nil
}

// unsure records an unknown outcome and reads the live value at once. It leaves the later reads to [Executor.Run]. If
// Run is not running, as in a command, unsure makes all reads itself.
func (e *Executor) unsure(ctx context.Context, p *plan, row control.BudgetChange, deadline, sent time.Time) (Result, error) {
	row.Live, row.Deadline = control.ChangeValue{}, deadline
	if _, err := e.Store.UpdateBudgetChange(ctx, row, control.ChangePending, e.system()); err != nil {
		e.log(ctx, row, "an unknown outcome of a change is not recorded yet", err)
	}
	settled, done := e.look(ctx, row, p.account, deadline)
	if !done {
		settled = row
		if !e.later(row, sent, deadline, 1) {
			settled = e.settle(ctx, unsettled{row, sent, deadline, 1})
		}
	}
	return resultOf(p.Preview, settled), nil
}

// system returns the author "assay", for statuses that follow from the platform's reply.
func (e *Executor) system() control.By { return control.By{Actor: "assay", At: e.Clock.Now()} }

// update stores the row with its final status.
func (e *Executor) update(ctx context.Context, row control.BudgetChange, from control.ChangeStatus) (control.BudgetChange, error) {
	by := e.system()
	if row.Status.Done() {
		row.SettledAt = by.At
	}
	_, err := e.Store.UpdateBudgetChange(ctx, row, from, by)
	return row, err
}

// live reads the current value of the field that the change sets. It returns the value in the form of a row and in the
// form of package ads.
func (e *Executor) live(ctx context.Context, account ads.Platform, row control.BudgetChange) (v control.ChangeValue, raw ads.Value, err error) {
	state, err := account.Read(ctx, ads.CampaignID(row.Campaign))
	if err != nil {
		return v, raw, err
	}
	if row.Field == control.DailyBudget && state.Budget.Resource != row.Budget {
		return v, raw, fault.Conflict("the campaign now uses another budget")
	}
	raw = state.Value(actionOf(row))
	v, err = valueOf(account, raw)
	if v.IsZero() && err == nil { // the campaign no longer has a daily budget
		v = control.ChangeValue{Text: "0", Amount: row.New.Amount}
		v.Amount.Minor = 0
	}
	return v, raw, err
}

// actionOf returns the action that sets the row's new value.
func actionOf(c control.BudgetChange) ads.Action {
	switch {
	case c.Field == control.DailyBudget:
		return ads.SetDailyBudget
	case c.New.Text == string(ads.Paused):
		return ads.Pause
	}
	return ads.Resume
}

// hold marks a row as being executed by this process. release removes the mark, unless Run settles the row.
func (e *Executor) hold(id control.BudgetChangeID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.own[id] = false
}

func (e *Executor) release(id control.BudgetChangeID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.own[id] {
		delete(e.own, id)
	}
}

func (e *Executor) log(ctx context.Context, row control.BudgetChange, text string, err error) {
	e.Log.ErrorContext(ctx, text, slog.String("workspace", string(row.Workspace)), slog.String("change", string(row.ID)),
		slog.String("platform", string(row.Platform)), slog.Any("error", err))
}

// accountOf returns the account of a row.
func (e *Executor) accountOf(ctx context.Context, ws measure.WorkspaceID, p measure.Platform, id string) (ads.Platform, error) {
	all, err := e.Accounts.Of(ctx, ws, p)
	if err != nil {
		return nil, err
	}
	for _, account := range all {
		if account.Account().ID == id {
			return account, nil
		}
	}
	return nil, fault.NotFound("The %s account %s is no longer connected.", ads.DisplayName(p), id).
		WithHint("Connect it again: assay connections add %s --workspace %s", ads.WritingName(p), ws)
}
