package budgetchange

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"assay/internal/ads"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/money"
)

// plan is a preview with the inputs of its execution.
type plan struct {
	Preview
	workspace control.Workspace
	account   ads.Platform
	change    ads.Change
}

// terms define how a change is checked.
type terms struct {
	request  Request
	undoes   *control.BudgetChange // the change that this change rolls back
	approved *control.BudgetChange // the row that a member approves
}

// rollsBack reports whether the change undoes another change.
func (t terms) rollsBack() bool {
	return t.undoes != nil || t.approved != nil && t.approved.RollsBack != ""
}

// relax removes the minimum of the budget if the change is a rollback. The campaign had the previous budget before, so
// only the platform decides whether it accepts this budget again.
func (t terms) relax(s *ads.State) {
	if t.rollsBack() {
		s.Budget.Minimum = money.Amount{}
	}
}

// Preview reads the campaign and returns the effect of the change. It sends no mutating request and writes no row.
func (e *Executor) Preview(ctx context.Context, w control.Workspace, by Caller, r Request) (Result, error) {
	p, err := e.plan(ctx, w, by, terms{request: r})
	if err != nil {
		return Result{}, err
	}
	if err := e.remember(ctx, by, p); err != nil {
		return Result{}, err
	}
	return Result{Outcome: Previewed, Preview: p.Preview}, nil
}

// remember records the preview if the workspace requires a preview before a change.
func (e *Executor) remember(ctx context.Context, by Caller, p *plan) error {
	g, err := e.Store.Guardrails(ctx, p.workspace.ID)
	if err != nil || !g.PreviewFirst {
		return err
	}
	seen := p.preview(by)
	seen.At = e.Clock.Now()
	return e.Store.SavePreview(ctx, seen)
}

// preview returns the record of a caller's preview of the plan.
func (p *plan) preview(by Caller) control.BudgetPreview {
	return control.BudgetPreview{
		Workspace: p.workspace.ID, Actor: by.Actor, Platform: p.Account.Platform, Account: p.Account.ID,
		Campaign: string(p.Campaign), Field: p.Field, New: p.New.Text,
	}
}

// plan reads the campaign, checks the change against the campaign's state and the platform, and evaluates the
// guardrails. An impossible change is an error. A change that a guardrail blocks is not an error.
func (e *Executor) plan(ctx context.Context, w control.Workspace, by Caller, t terms) (*plan, error) {
	r := t.request
	account, state, err := e.find(ctx, w.ID, r)
	if err != nil {
		return nil, err
	}
	if r.Currency != "" && r.Currency != state.Currency {
		return nil, ads.Reject(r.Platform, ads.WrongCurrency, "The currency %s is not the currency of the ad account, which is %s.",
			r.Currency, state.Currency)
	}
	t.relax(&state)
	change := ads.Change{Action: r.Action, BudgetResource: r.Budget, Unshared: r.Unshared}
	if change.Amount, err = e.amount(account, state, t); err != nil {
		return nil, err
	}
	p := &plan{workspace: w, account: account, change: change, Preview: Preview{
		Account: state.Account, Campaign: state.Campaign, Name: state.Name, Status: state.Status,
		PlatformStatus: state.PlatformStatus, TimeZone: state.TimeZone, Action: r.Action, Field: fieldOf(r.Action),
		Unit: account.Unit().Name(), Budget: state.Budget,
	}}
	if p.Name == "" {
		p.Name = ads.Clean(r.Name, ads.MaxName)
	}
	if err := state.Check(change); err != nil {
		return nil, err
	}
	if p.Current, err = valueOf(account, state.Value(r.Action)); err != nil {
		return nil, err
	}
	if p.New, err = valueOf(account, change.Want()); err != nil {
		return nil, err
	}
	if p.Unchanged = state.Value(r.Action) == change.Want(); !p.Unchanged {
		if err := p.compare(t); err != nil {
			return nil, err
		}
	}
	if p.Guardrails, err = e.guardrails(ctx, p, by, t, ""); err != nil {
		return nil, err
	}
	if !p.Unchanged && p.Blocked() == nil {
		if p.DryRun, err = account.Validate(ctx, state, change); err != nil {
			return nil, err
		}
	}
	if p.Daily, err = e.daily(ctx, p); err != nil {
		return nil, err
	}
	if r.Effect != nil && !p.Unchanged {
		p.Effect = r.Effect(ctx, p.Preview)
	}
	return p, nil
}

// daily returns the change of the daily spend in the workspace's currency, or nil if it is unknown.
func (e *Executor) daily(ctx context.Context, p *plan) (*money.Amount, error) {
	moved := p.Budget.Amount
	switch {
	case p.Unchanged:
		return nil, nil
	case p.Action == ads.SetDailyBudget:
		moved.Minor = p.New.Amount.Minor - p.Current.Amount.Minor
	case p.Budget.Shared || moved.Currency == "": // part of a shared budget, budgets of ad sets, or a lifetime budget
		return nil, nil
	case p.Action == ads.Pause:
		moved.Minor = -moved.Minor
	}
	if moved.Currency == p.workspace.Currency {
		return &moved, nil
	}
	converted, err := e.Rates.Convert(ctx, p.workspace, moved, p.workspace.Currency)
	if _, _, public := fault.Public(err); err != nil && !public {
		return nil, err
	}
	if err != nil {
		return nil, nil
	}
	return &converted, nil
}

// compare rejects a live value that differs from the expected value.
func (p *plan) compare(t terms) error {
	switch {
	case t.undoes != nil && p.Current != t.undoes.New:
		return fault.Conflict("The change %s is superseded: it set %s, and the live value is %s.", t.undoes.ID, t.undoes.New,
			p.Current).WithHint("Nothing was changed. Roll back the later change, or set the correct value.")
	case t.approved != nil && p.Current != t.approved.Previous:
		return fault.Conflict("The live value is %s. When the change was requested, the live value was %s.", p.Current, t.approved.Previous).
			WithHint("Nothing was changed. Reject the change and request it again.")
	case t.request.Previous != nil && !equals(p.Current, *t.request.Previous):
		return fault.Conflict("previous_budget_value %s is not the current daily budget, which is %s %s (%s).",
			strconv.FormatFloat(*t.request.Previous, 'f', -1, 64), p.Current.Text, p.Unit, p.Current).
			WithHint("Nothing was changed. Decide again with the current value.")
	}
	return nil
}

// equals reports whether a value has the given number of platform units. It compares the floating-point numbers that
// are nearest to the two decimal numbers.
func equals(v control.ChangeValue, units float64) bool {
	live, err := strconv.ParseFloat(v.Text, 64)
	return err == nil && live == units
}

// amount returns the new daily budget. A rollback and an approval contain the budget as an amount, and a request
// contains it in platform units.
func (e *Executor) amount(account ads.Platform, state ads.State, t terms) (a money.Amount, err error) {
	switch {
	case t.request.Action != ads.SetDailyBudget:
		return a, nil
	case t.undoes != nil:
		return t.undoes.Previous.Amount, nil
	case t.approved != nil:
		return t.approved.New.Amount, nil
	case t.request.Units <= 0:
		return a, fault.Invalid("new_budget_value must be a positive whole number of platform units")
	}
	return account.Unit().Amount(t.request.Units, state.Currency)
}

// find returns the account that has the campaign, with the live state.
func (e *Executor) find(ctx context.Context, ws measure.WorkspaceID, r Request) (ads.Platform, ads.State, error) {
	name := ads.DisplayName(r.Platform)
	all, err := e.Accounts.Of(ctx, ws, r.Platform)
	if err != nil {
		return nil, ads.State{}, err
	}
	if len(all) == 0 {
		return nil, ads.State{}, fault.NotFound("The campaign %s was not found: no %s account is connected.", shown(r), name).
			WithHint("Connect the account of the campaign: assay connections add %s --workspace %s", ads.WritingName(r.Platform), ws)
	}
	var failed error
	var tried []string
	for _, account := range all {
		if r.Account != "" && account.Account().ID != r.Account {
			continue
		}
		tried = append(tried, account.Account().ID)
		state, err := account.Read(ctx, r.Campaign)
		if err == nil {
			return account, state, nil
		}
		if ads.ReasonOf(err) != ads.CampaignNotFound {
			failed = err
		}
	}
	switch {
	case failed != nil: // the account that cannot be read may have the campaign
		return nil, ads.State{}, failed
	case len(tried) == 0:
		return nil, ads.State{}, fault.NotFound("The %s account %s is not connected.", name, ads.Clean(r.Account, ads.MaxStatus)).
			WithHint("Correct platform_resource_ids, or connect the account: assay connections add %s --workspace %s", ads.WritingName(r.Platform), ws)
	}
	return nil, ads.State{}, ads.Reject(r.Platform, ads.CampaignNotFound, "The campaign %s is not in the connected %s.", shown(r),
		plural(name, tried))
}

// shown returns the ID of a request's campaign for the text of an error, quoted if it is not a number.
func shown(r Request) string {
	id := ads.Clean(string(r.Campaign), ads.MaxStatus)
	if strings.Trim(id, "0123456789") != "" {
		return strconv.Quote(id)
	}
	return id
}

func plural(name string, ids []string) string {
	if len(ids) == 1 {
		return name + " account " + ids[0]
	}
	return name + " accounts " + strings.Join(ids, ", ")
}

func fieldOf(a ads.Action) control.ChangeField {
	if a == ads.SetDailyBudget {
		return control.DailyBudget
	}
	return control.CampaignStatus
}

// valueOf converts a value of a campaign to the form that the row of a change contains.
func valueOf(account ads.Platform, v ads.Value) (control.ChangeValue, error) {
	if v.Status != "" {
		return control.ChangeValue{Text: string(v.Status)}, nil
	}
	if v.Amount.Currency == "" {
		return control.ChangeValue{}, nil
	}
	units, err := account.Unit().Value(v.Amount)
	return control.ChangeValue{Text: units.String(), Amount: v.Amount}, err
}

// rowOf returns the plan's audit row with the status pending.
func (e *Executor) rowOf(p *plan, by Caller, t terms) control.BudgetChange {
	c := control.BudgetChange{
		ID: newID(), Workspace: p.workspace.ID, At: e.Clock.Now(), Platform: p.Account.Platform, Account: p.Account.ID,
		Campaign: string(p.Campaign), CampaignName: p.Name, Field: p.Field, Previous: p.Current, New: p.New,
		Status: control.ChangePending, Actor: by.Actor, Reason: t.request.Reason, Effect: string(p.Effect),
	}
	if p.Field == control.DailyBudget {
		c.Budget, c.BudgetNamed = p.Budget.Resource, t.request.Budget != "" && !t.request.Unshared
	}
	if t.undoes != nil {
		c.RollsBack = t.undoes.ID
	}
	return c
}

// maxRecent is the maximum number of a campaign's changes that guardrails check. It is larger than any guardrail's
// limit on the number of changes.
const maxRecent = 5000

// guardrails evaluates the guardrails. It does not count the row with the ID in the parameter own.
func (e *Executor) guardrails(ctx context.Context, p *plan, by Caller, t terms, own control.BudgetChangeID) ([]Verdict, error) {
	g, err := e.Store.Guardrails(ctx, p.workspace.ID)
	if err != nil {
		return nil, err
	}
	now := e.Clock.Now()
	s := Situation{
		Now: now.In(p.workspace.Location()), Field: p.Field, Previous: p.Current.Amount, New: p.New.Amount,
		Rollback: t.rollsBack(), Person: by.Person, Approved: t.approved != nil,
	}
	if s.Recent, err = e.recent(ctx, p, now, own); err != nil {
		return nil, err
	}
	if g.PreviewFirst {
		if s.Seen, err = e.Store.LastPreview(ctx, p.preview(by)); err != nil {
			return nil, err
		}
	}
	for _, limit := range []money.Amount{g.Floor, g.Ceiling, g.ApproveAbove} {
		currency := limit.Currency
		if p.Field != control.DailyBudget || currency == "" || s.Limits.Currency == currency || s.NoRate != "" {
			continue
		}
		if currency == s.New.Currency {
			s.Limits = s.New
			continue
		}
		converted, err := e.Rates.Convert(ctx, p.workspace, s.New, currency)
		switch text, _, public := fault.Public(err); {
		case err == nil:
			s.Limits = converted
		case public:
			s.NoRate = text
		default:
			return nil, err
		}
	}
	return Verdicts(g, s), nil
}

// recent returns the times of the campaign's changes in the last 24 hours, without rollbacks. For a daily budget, it
// includes changes of the same budget through other campaigns.
func (e *Executor) recent(ctx context.Context, p *plan, now time.Time, own control.BudgetChangeID) (at []time.Time, err error) {
	budget := ""
	if p.Field == control.DailyBudget {
		budget = p.Budget.Resource
	}
	rows, err := e.Store.BudgetChanges(ctx, control.BudgetChangeFilter{
		Workspace: p.workspace.ID, Platform: p.Account.Platform, Account: p.Account.ID, Campaign: string(p.Campaign), Budget: budget,
		Statuses: []control.ChangeStatus{control.ChangePending, control.ChangeApplied, control.ChangeUnknown},
		Since:    now.Add(-24 * time.Hour), Limit: maxRecent,
	})
	for _, c := range rows {
		switch {
		case c.RollsBack != "" || c.ID == own:
		case c.SettledAt.After(c.At) && c.ApprovedBy != "": // the change waited for approval
			at = append(at, c.SettledAt)
		default:
			at = append(at, c.At)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("recent changes of campaign %q: %w", p.Campaign, err)
	}
	return at, nil
}
