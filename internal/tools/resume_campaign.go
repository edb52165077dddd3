package tools

import (
	"context"

	"assay/internal/ads"
	"assay/internal/control"
	"assay/internal/toolkit"
)

// ResumeCampaign is the `resume_campaign` tool.
var ResumeCampaign = toolkit.DefineAction(toolkit.Spec{
	Name:        "resume_campaign",
	Title:       "Resume a campaign",
	Description: "Preview resuming a paused campaign, or resume it with confirm=true. The change is recorded, and pause_campaign reverses it.",
	Writes:      true,
	Destructive: true,
	Repeatable:  true,
	OpenWorld:   true,
	Acts:        toolkit.Action{Argument: "confirm", Scope: control.ScopeApprove},
}, func(ctx context.Context, c *toolkit.Call, p statusParams) (*CampaignChangeAnswer, error) {
	return p.run(ctx, c, ads.Resume)
})
