package tools

import "assay/internal/mcp"

var resumeCampaign = defineLater[statusParams](mcp.Spec{
	Name:        "resume_campaign",
	Title:       "Resume a campaign",
	Description: "Preview resuming a paused campaign, or do it with confirm=true. Recorded; pause_campaign undoes it.",
	Writes:      true,
	Destructive: true,
	Repeatable:  true,
	OpenWorld:   true,
})
