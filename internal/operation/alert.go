package operation

import (
	"context"
	"crypto/rand"
	"strings"

	"assay/internal/control"
	"assay/internal/measure"
)

// Alert is an alert rule to create.
type Alert struct {
	Name      string                 `json:"name,omitempty"` // "": named after its condition
	Metric    control.AlertMetric    `json:"metric"`
	Channel   measure.Channel        `json:"channel,omitempty"` // "" for the whole store
	Condition control.AlertCondition `json:"condition"`
	Threshold control.AlertValue     `json:"threshold"` // in percent for change_above, otherwise in the unit of the metric
}

// CreateAlert creates an alert rule and returns it. If the workspace has a rule with the same metric, channel, condition
// and threshold, it returns that rule. The channel must exist in the store.
var CreateAlert = Operation[Alert, control.Alert]{
	Spec{Name: "alert.create", Needs: Write, Facts: true, Undo: "Remove the rule."},
	(*Run).createAlert,
}

func (r *Run) createAlert(ctx context.Context, in Alert) (control.Alert, error) {
	a, err := control.Alert{
		ID: control.AlertID(newID()), Workspace: r.Workspace.ID, Name: in.Name, Metric: in.Metric,
		Channel: in.Channel, Condition: in.Condition, Threshold: in.Threshold,
	}.Checked(r.Workspace.Currency)
	if err != nil {
		return control.Alert{}, err
	}
	if a.Channel != "" {
		if a.Channel, err = r.Known.Channel(ctx, r.Workspace, string(in.Channel)); err != nil {
			return control.Alert{}, err
		}
	}
	return r.Store.CreateAlert(ctx, a, r.By())
}

// RemoveAlert removes an alert rule by ID and returns it. Its past events stay.
var RemoveAlert = Operation[control.AlertID, control.Alert]{
	Spec{Name: "alert.remove", Needs: Write, Undo: "Create the rule again; the audit log has its condition."},
	func(r *Run, ctx context.Context, id control.AlertID) (control.Alert, error) {
		return r.Store.RemoveAlert(ctx, r.Workspace.ID, id, r.By())
	},
}

// newID returns the ID of a new object.
func newID() string { return strings.ToLower(rand.Text()[:10]) }
