package tools

import (
	"context"
	"fmt"

	"assay/internal/answer"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/record"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
)

// Manage is the `manage` tool.
var Manage = toolkit.DefineAction(toolkit.Spec{
	Name:        "manage",
	Title:       "Manage records",
	Description: "Add annotations, alerts, experiments, coupon mappings and reports, or dismiss an insight. The tool acts only with confirmed=true.",
	Writes:      true,
	Destructive: true,
	Reads:       snapshot.Wants{Experiments: true, Annotations: true, Governance: true},
	Acts:        toolkit.Action{Argument: "confirmed", Scope: control.ScopeWrite},
}, runManage)

type manageParams struct {
	Action    string         `json:"action" enum:"dismiss_insight|create_annotation|create_alert|map_coupon|create_experiment|save_report|update_experiment" required:"true" doc:"Action."`
	Params    map[string]any `json:"params" doc:"create_annotation: date, label; create_alert: metric, condition, threshold; map_coupon: code, channel; create_experiment: channel; save_report: name; update_experiment: experiment_id, status; dismiss_insight: insight_id."`
	Confirmed bool           `json:"confirmed" doc:"true executes the change."`
}

// ManageAnswer is the answer of the `manage` tool.
type ManageAnswer struct {
	answer.Opening
	Executed     bool                 `json:"executed" doc:"true only if the record was written."`
	Status       ManageStatus         `json:"status" doc:"preview, executed or unchanged."`
	Action       string               `json:"action"`
	Problem      string               `json:"problem,omitempty" doc:"Why an execution would be rejected."`
	ID           string               `json:"id,omitempty" doc:"ID of the record."`
	ExperimentID control.ExperimentID `json:"experiment_id,omitempty"`
	Record       *record.Record       `json:"record,omitempty" doc:"The record; in a preview, as it would be stored."`
	Undo         string               `json:"undo,omitempty"`
	answer.Table[struct{}]
	answer.Closing
}

// ManageStatus is the outcome of a call.
type ManageStatus string

// The outcomes of a call.
const (
	managePreview   ManageStatus = "preview"
	manageExecuted  ManageStatus = "executed"
	manageUnchanged ManageStatus = "unchanged"
)

func runManage(ctx context.Context, c *toolkit.Call, p manageParams) (*ManageAnswer, error) {
	if c.Managed == nil {
		return nil, fault.NotReady("this service cannot change records").WithHint("Use the console of the service.")
	}
	ch, err := record.Plan(ctx, c, p.Action, p.Params)
	if err != nil {
		return nil, err
	}
	a := &ManageAnswer{Status: managePreview, Action: p.Action}
	switch {
	case !p.Confirmed && ch.Refusal != nil:
		text, hint, _ := fault.Public(ch.Refusal)
		a.Problem = text + ". " + hint
	case ch.Refusal != nil:
		return nil, ch.Refusal
	case p.Confirmed:
		if a.Executed, err = ch.Do(ctx); err != nil {
			return nil, err
		}
		a.Status = manageUnchanged
		if a.Executed {
			a.Status = manageExecuted
		}
	}
	a.ID, a.Record, a.Undo = ch.ID, &ch.Record, ch.Undo
	if p.Action == "create_experiment" || p.Action == "update_experiment" {
		a.ExperimentID = control.ExperimentID(ch.ID)
	}
	if a.Undo == "" {
		a.Undo = "The change cannot be undone."
	}
	a.Summary = manageSummary(c, a, ch)
	if a.Status == managePreview && !ch.Existing && ch.Refusal == nil && c.Principal.Has(control.ScopeWrite) {
		c.Suggest(&a.Closing, "manage", map[string]any{"action": p.Action, "params": p.Params, "confirmed": true}, "Execute the change.")
	}
	return a, nil
}

func manageSummary(c *toolkit.Call, a *ManageAnswer, ch *record.Change) string {
	switch {
	case a.Status == manageExecuted:
		return fmt.Sprintf("Executed: %s %s.%s", ch.Past, ch.Object, ch.Note)
	case a.Status == manageUnchanged:
		return fmt.Sprintf("Unchanged: %s is already stored. Nothing was written.", ch.Object)
	case ch.Existing:
		return fmt.Sprintf("Preview (nothing was changed): %s is already stored. A call with confirmed=true would also change nothing.", ch.Object)
	case ch.Refusal != nil:
		return "Preview (nothing was changed): a call with confirmed=true would be rejected. The field problem contains the reason."
	}
	text := fmt.Sprintf("Preview (nothing was changed): the call would %s %s.%s", ch.Verb, ch.Object, ch.Note)
	if !c.Principal.Has(control.ScopeWrite) {
		return text + fmt.Sprintf(" Execution requires the %s scope, which the caller does not have.", control.ScopeWrite)
	}
	return text + " Confirm with confirmed=true to execute the change."
}
