package tools

import (
	"assay/internal/control"
	"assay/internal/toolkit"
)

// ResumeCampaign is the `resume_campaign` tool.
var ResumeCampaign = toolkit.DefineLater[statusParams](toolkit.Spec{
	Name:        "resume_campaign",
	Title:       "Resume a campaign",
	Description: "Preview resuming a paused campaign, or do it with confirm=true. Recorded; pause_campaign undoes it.",
	Writes:      true,
	Destructive: true,
	Repeatable:  true,
	OpenWorld:   true,
	Acts:        toolkit.Action{Argument: "confirm", Scope: control.ScopeApprove},
	Later: toolkit.Absence{
		Needs: "a connected ad platform", Instead: "the tool campaigns shows spend by campaign",
	},
})
