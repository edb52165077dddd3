package tools

import "assay/internal/control"

var resumeCampaign = defineLater[statusParams](Spec{
	Name:        "resume_campaign",
	Title:       "Resume a campaign",
	Description: "Preview resuming a paused campaign, or do it with confirm=true. Recorded; pause_campaign undoes it.",
	Writes:      true,
	Destructive: true,
	Repeatable:  true,
	OpenWorld:   true,
	Acts:        Action{"confirm", control.ScopeApprove},
	Later: Absence{
		Needs: "a connected ad platform", Instead: "campaigns shows spend by campaign",
	},
})
