package tools

import (
	"assay/internal/control"
	"assay/internal/toolkit"
)

// Manage is the `manage` tool.
var Manage = toolkit.DefineLater[manageParams](toolkit.Spec{
	Name:        "manage",
	Title:       "Manage records",
	Description: "Add annotations, alerts, experiments, coupon mappings and reports, or dismiss an insight. Acts only with confirmed=true.",
	Writes:      true,
	Destructive: true,
	Acts:        toolkit.Action{Argument: "confirmed", Scope: control.ScopeWrite},
	Later: toolkit.Absence{
		Needs: "the records it changes", Instead: "the assay import command loads coupon mappings from a file",
	},
})

type manageParams struct {
	Action    string         `json:"action" enum:"dismiss_insight|create_annotation|create_alert|map_coupon|create_experiment|save_report|update_experiment" required:"true" doc:"Action."`
	Params    map[string]any `json:"params" doc:"create_annotation: date, label; create_alert: metric, condition, threshold; map_coupon: code, channel; create_experiment: channel; save_report: name; update_experiment: experiment_id, status; dismiss_insight: insight_id."`
	Confirmed bool           `json:"confirmed" doc:"true executes."`
}
