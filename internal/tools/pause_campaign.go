package tools

import (
	"assay/internal/control"
	"assay/internal/toolkit"
)

// PauseCampaign is the `pause_campaign` tool.
var PauseCampaign = toolkit.DefineLater[statusParams](toolkit.Spec{
	Name:        "pause_campaign",
	Title:       "Pause a campaign",
	Description: "Preview pausing a campaign, or do it with confirm=true. Recorded; resume_campaign undoes it.",
	Writes:      true,
	Destructive: true,
	Repeatable:  true,
	OpenWorld:   true,
	Acts:        toolkit.Action{Argument: "confirm", Scope: control.ScopeApprove},
	Later: toolkit.Absence{
		Needs: "a connected ad platform", Instead: "the tool campaigns shows spend by campaign",
	},
})

// statusParams are the parameters of pausing and resuming.
type statusParams struct {
	targetCampaign
	described
	Confirm bool `json:"confirm" default:"false" doc:"true executes."`
}
