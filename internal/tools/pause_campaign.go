package tools

import (
	"context"

	"assay/internal/ads"
	"assay/internal/control"
	"assay/internal/toolkit"
)

// PauseCampaign is the `pause_campaign` tool.
var PauseCampaign = toolkit.DefineAction(toolkit.Spec{
	Name:        "pause_campaign",
	Title:       "Pause a campaign",
	Description: "Preview pausing a campaign, or pause it with confirm=true. The change is recorded, and resume_campaign reverses it.",
	Writes:      true,
	Destructive: true,
	Repeatable:  true,
	OpenWorld:   true,
	Acts:        toolkit.Action{Argument: "confirm", Scope: control.ScopeApprove},
}, func(ctx context.Context, c *toolkit.Call, p statusParams) (*CampaignChangeAnswer, error) {
	return p.run(ctx, c, ads.Pause)
})

// statusParams are the parameters of pausing and resuming.
type statusParams struct {
	targetCampaign
	described
	Confirm bool `json:"confirm" default:"false" doc:"true executes the change."`
}

func (p statusParams) run(ctx context.Context, c *toolkit.Call, a ads.Action) (*CampaignChangeAnswer, error) {
	r, err := p.request(a, p.described)
	if err != nil {
		return nil, err
	}
	return changeCampaign(ctx, c, r, p.Confirm)
}
