package action

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"assay/internal/budgetchange"
	"assay/internal/console/frame"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/operation"
)

// change decides on a requested change, rolls back a change, or sets guardrails. The operations check the permissions.
// Only the form action "rollback" confirms a rollback.
func (c *pages) change(w http.ResponseWriter, v frame.Visit) {
	form := v.PostForm
	p, ok := c.PlaceOf(w, v, form.Get("workspace"))
	if !ok {
		return
	}
	id, view, call := control.BudgetChangeID(form.Get("change")), changesView{Place: p}, v.Calls(p.Workspace.ID)
	var result budgetchange.Result
	var err error
	switch form.Get("action") {
	case "preview-rollback", "rollback":
		in := operation.BudgetRollback{ID: id, Reason: strings.TrimSpace(form.Get("reason")), Confirm: form.Get("action") == "rollback"}
		if result, err = operation.RollBackBudgetChange.Do(v.Context(), c.Operations, call, in); err == nil && !in.Confirm && result.Refusal == nil {
			view.Preview = &result.Preview
			c.show(w, v, http.StatusOK, view, id)
			return
		}
	case "approve":
		result, err = operation.ApproveBudgetChange.Do(v.Context(), c.Operations, call, operation.BudgetDecision{ID: id})
	case "reject":
		_, err = operation.RejectBudgetChange.Do(v.Context(), c.Operations, call,
			operation.BudgetDecision{ID: id, Reason: strings.TrimSpace(form.Get("reason"))})
	case "guardrails", "stop", "go":
		id, err = "", c.setGuardrails(v, p)
	default:
		id, err = "", frame.ErrUnknownAction
	}
	if err == nil {
		err = notMade(result)
	}
	_, _, public := fault.Public(err)
	kind := fault.KindOf(err)
	switch {
	case err == nil:
		to := url.Values{"workspace": {string(p.Workspace.ID)}, "done": {form.Get("action")}}
		if id != "" {
			to.Set("change", string(id))
		}
		frame.See(w, frame.BudgetChangesPath+"?"+to.Encode())
	case public && (kind == fault.KindInvalid || kind == fault.KindConflict):
		view.Problem = frame.PublicText(err)
		c.show(w, v, http.StatusUnprocessableEntity, view, id)
	default:
		c.Fail(w, v.Request, err)
	}
}

// notMade returns an error if an execution did not change the campaign, or if the outcome of the execution is unknown.
// It returns nil if the campaign was changed, or if there was no execution.
func notMade(r budgetchange.Result) error {
	switch {
	case r.Refusal != nil && r.Outcome == budgetchange.Unknown:
		return fault.Conflict("the outcome of the change is unknown: %s", r.Refusal.Text).
			WithHint("do not repeat the change; reload this page in a minute")
	case r.Refusal != nil:
		return r.Refusal.Err()
	case r.Outcome == budgetchange.Unchanged:
		return fault.Conflict("the campaign already has this value, so Assay changed nothing")
	}
	return nil
}

// setGuardrails sets the guardrails of the form, or stops or allows all changes by tools.
func (c *pages) setGuardrails(v frame.Visit, p frame.Place) error {
	call := v.Calls(p.Workspace.ID)
	g, err := operation.ShowGuardrails.Do(v.Context(), c.Operations, call, operation.None{})
	if err != nil {
		return err
	}
	switch v.PostForm.Get("action") {
	case "stop":
		g.Stop = true
	case "go":
		g.Stop = false
	default:
		if read := v.PostForm.Get("version"); read != "" && read != strconv.FormatInt(g.Version, 10) {
			return fault.Conflict("the guardrails have changed since you opened the form").WithHint("check the current values and enter your change again")
		}
		for _, limit := range g.Limits() {
			texts, given := v.PostForm[limit.Name]
			if !given || texts[0] == "" || limit.Name == stopName {
				continue
			}
			if err := operation.EnterGuardrail(&g, limit.Name, texts[0], p.Workspace.Currency); err != nil {
				return err
			}
		}
	}
	_, err = operation.SetGuardrails.Do(v.Context(), c.Operations, call, g)
	return err
}

// stopName is the name of the guardrail that has its own button.
const stopName = "stop"

// guardrail is a limit in the form.
type guardrail struct {
	Name, Label, Value, Text string
	Choices                  []choice // nil: the value is entered as text
}

// choice is a value of a guardrail and its text.
type choice struct{ Value, Text string }

// yesNo are the choices of a guardrail that is on or off.
var yesNo = []choice{{"true", "yes"}, {"false", "no"}}

// Limits lists the guardrails of the form, without the guardrail that stops all changes.
func (v changesView) Limits() (all []guardrail) {
	labels := map[string]string{
		"max-step-pct": "Maximum change of a daily budget", "floor": "Minimum daily budget", "ceiling": "Maximum daily budget",
		"per-hour": "Maximum number of changes per campaign in 60 minutes", "per-day": "Maximum number of changes per campaign in 24 hours", "hours": "Allowed hours of the day",
		"preview-first": "Preview required", "approve-above": "Approval required above",
	}
	for _, limit := range v.Guardrails.Limits() {
		if limit.Name == stopName {
			continue
		}
		entered := limit.Value // the form shows the value without the currency
		if _, number, found := strings.Cut(limit.Value, " "); found {
			entered = number
		}
		one := guardrail{Name: limit.Name, Label: labels[limit.Name], Value: entered, Text: limit.Value}
		for _, c := range yesNo {
			if c.Value == limit.Value {
				one.Text, one.Choices = c.Text, yesNo
			}
		}
		all = append(all, one)
	}
	return all
}
