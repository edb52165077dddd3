package tools

import (
	"assay/internal/control"
	"assay/internal/toolkit"
)

// ProposeBudgetShift is the `propose_budget_shift` tool.
var ProposeBudgetShift = toolkit.DefineLater[proposeBudgetShiftParams](toolkit.Spec{
	Name:        "propose_budget_shift",
	Title:       "Change a daily budget",
	Description: "Preview a change of a campaign's daily budget, or apply it with confirm=true. Each change is recorded and can be rolled back.",
	Writes:      true,
	Destructive: true,
	Repeatable:  true,
	OpenWorld:   true,
	Acts:        toolkit.Action{Argument: "confirm", Scope: control.ScopeApprove},
	Later: toolkit.Absence{
		Needs: "a connected ad platform", Instead: "the tool campaigns shows spend by campaign",
	},
})

type proposeBudgetShiftParams struct {
	targetCampaign
	NewBudgetValue float64 `json:"new_budget_value" required:"true" doc:"Daily, in platform units: facebook cents, google_ads micros, tiktok whole units."`
	described
	Confirm             bool     `json:"confirm" default:"false" doc:"true executes."`
	PreviousBudgetValue *float64 `json:"previous_budget_value" doc:"Expected current daily budget; rejected if it differs."`
	Currency            string   `json:"currency" doc:"Account currency."`
}

// targetCampaign names the campaign that a writing tool acts on.
type targetCampaign struct {
	Platform   string `json:"platform" enum:"facebook|google_ads|tiktok" also:"meta=facebook|google=google_ads" required:"true" doc:"Ad platform."`
	CampaignID string `json:"platform_campaign_id" required:"true" nonempty:"true" doc:"Platform campaign ID."`
}

// described contains the audit log fields of an action and the platform's resource IDs.
type described struct {
	CampaignName string      `json:"campaign_name" doc:"For the audit log."`
	Reason       string      `json:"reason" doc:"For the audit log."`
	Resources    resourceIDs `json:"platform_resource_ids" doc:"IDs that the platform requires."`
}

type resourceIDs struct {
	GoogleCustomer       string `json:"googleCustomerId" doc:"Account."`
	GoogleCampaignBudget string `json:"googleCampaignBudgetResourceName" doc:"Budget."`
	GoogleCampaign       string `json:"googleCampaignResourceName" doc:"Campaign."`
	TikTokAdvertiser     string `json:"tiktokAdvertiserId" doc:"Account."`
}
