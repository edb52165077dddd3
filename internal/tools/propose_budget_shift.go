package tools

import (
	"context"

	"assay/internal/ads"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/money"
	"assay/internal/toolkit"
)

// ProposeBudgetShift is the `propose_budget_shift` tool.
var ProposeBudgetShift = toolkit.DefineAction(toolkit.Spec{
	Name:        "propose_budget_shift",
	Title:       "Change a daily budget",
	Description: "Preview a change of a campaign's daily budget, or apply it with confirm=true. Each change is recorded and can be rolled back.",
	Writes:      true,
	Destructive: true,
	Repeatable:  true,
	OpenWorld:   true,
	Acts:        toolkit.Action{Argument: "confirm", Scope: control.ScopeApprove},
}, runProposeBudgetShift)

type proposeBudgetShiftParams struct {
	targetCampaign
	NewBudgetValue int64 `json:"new_budget_value" required:"true" min:"1" doc:"Daily, in platform units: facebook cents, google_ads micros, tiktok whole units."`
	described
	Confirm             bool     `json:"confirm" default:"false" doc:"true executes the change."`
	PreviousBudgetValue *float64 `json:"previous_budget_value" doc:"Expected current daily budget; rejected if it differs."`
	Currency            string   `json:"currency" doc:"Account currency."`
}

func runProposeBudgetShift(ctx context.Context, c *toolkit.Call, p proposeBudgetShiftParams) (*CampaignChangeAnswer, error) {
	r, err := p.request(ads.SetDailyBudget, p.described)
	if err != nil {
		return nil, err
	}
	r.Units, r.Previous = p.NewBudgetValue, p.PreviousBudgetValue
	if p.Currency != "" {
		if r.Currency, err = money.ParseCurrency(p.Currency); err != nil {
			return nil, fault.Invalid("currency is not a code of three letters such as USD").WithHint("Use the ISO code of the ad account's currency, or omit it.")
		}
	}
	return changeCampaign(ctx, c, r, p.Confirm)
}
