package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"assay/internal/ads"
	"assay/internal/answer"
	"assay/internal/budgetchange"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/number"
	"assay/internal/toolkit"
)

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

// request returns the request for an action on the campaign.
func (t targetCampaign) request(a ads.Action, d described) (budgetchange.Request, error) {
	r := budgetchange.Request{
		Platform: measure.ParsePlatform(t.Platform), Campaign: ads.CampaignID(t.CampaignID), Action: a, Name: d.CampaignName,
		Reason: d.Reason,
	}
	if err := d.Resources.into(&r); err != nil {
		return r, err
	}
	return r, nil
}

// into sets the account and the budget that the resource IDs name. Several IDs may name the same account or budget, but
// they must not name two accounts or two budgets.
func (ids resourceIDs) into(r *budgetchange.Request) error {
	for _, id := range []struct {
		name, value string
		platform    measure.Platform
		read        func(name, value string, r *budgetchange.Request) error
	}{
		{"googleCustomerId", ids.GoogleCustomer, measure.Google, accountID},
		{"googleCampaignResourceName", ids.GoogleCampaign, measure.Google, campaignName},
		{"googleCampaignBudgetResourceName", ids.GoogleCampaignBudget, measure.Google, budgetName},
		{"tiktokAdvertiserId", ids.TikTokAdvertiser, measure.TikTok, accountID},
	} {
		switch {
		case id.value == "":
		case id.platform != r.Platform:
			return fault.Invalid("platform_resource_ids.%s belongs to %s, not to %s", id.name, ads.DisplayName(id.platform),
				ads.DisplayName(r.Platform)).WithHint("Omit this ID.")
		default:
			if err := id.read("platform_resource_ids."+id.name, id.value, r); err != nil {
				return err
			}
		}
	}
	return nil
}

func accountID(name, value string, r *budgetchange.Request) error {
	id, err := ads.AccountID(name, value)
	if err == nil && r.Account != "" && r.Account != id {
		err = fault.Invalid("%s names the account %s; another resource ID names %s", name, id, r.Account).WithHint("Name one account.")
	}
	r.Account = id
	return err
}

func campaignName(name, value string, r *budgetchange.Request) error {
	account, id, err := resourceName(name, value, "campaigns")
	if err == nil && ads.CampaignID(id) != r.Campaign {
		err = fault.Invalid("%s names the campaign %s; platform_campaign_id names a different campaign", name, id).WithHint("Correct one of the IDs.")
	}
	if err != nil {
		return err
	}
	return accountID(name, account, r)
}

func budgetName(name, value string, r *budgetchange.Request) error {
	account, _, err := resourceName(name, value, "campaignBudgets")
	if err != nil {
		return err
	}
	if r.Action == ads.SetDailyBudget {
		r.Budget = value
	}
	return accountID(name, account, r)
}

// resourceName parses a resource name of Google Ads, such as customers/123/campaigns/456.
func resourceName(name, value, kind string) (account, id string, err error) {
	parts := strings.Split(value, "/")
	if len(parts) != 4 || parts[0] != "customers" || parts[2] != kind || !ads.IsNumber(parts[1], 20) || !ads.IsNumber(parts[3], 20) {
		return "", "", fault.Invalid("%s %q is not a resource name of Google Ads", name, answer.Clean(value)).
			WithHint("Use the form customers/ACCOUNT/%s/ID.", kind)
	}
	return parts[1], parts[3], nil
}

// CampaignChangeAnswer is the answer of the tools that change a campaign. Amounts are exact and in the currency of the
// ad account.
type CampaignChangeAnswer struct {
	answer.Opening
	Executed      bool                    `json:"executed" doc:"true only if the platform has the new value."`
	Status        budgetchange.Outcome    `json:"status" doc:"preview, executed, unchanged, unknown, refused or awaiting_approval."`
	Problem       string                  `json:"problem,omitempty" doc:"Why the change was rejected, or why its outcome is unknown."`
	NextStep      string                  `json:"next_step,omitempty"`
	AuditID       control.BudgetChangeID  `json:"audit_id,omitempty" doc:"ID of the stored budget change, for assay budget-changes."`
	Platform      string                  `json:"platform"`
	Account       string                  `json:"account_id"`
	Campaign      ads.CampaignID          `json:"platform_campaign_id"`
	Name          answer.Foreign          `json:"campaign_name,omitempty"`
	CurrentValue  *float64                `json:"current_budget_value,omitempty" doc:"Daily budget in platform units, as read from the platform."`
	NewValue      *float64                `json:"new_budget_value,omitempty"`
	Unit          string                  `json:"budget_unit,omitempty"`
	CurrentAmount *float64                `json:"current_amount,omitempty" doc:"Daily budget in whole currency units."`
	NewAmount     *float64                `json:"new_amount,omitempty"`
	Change        *float64                `json:"change_pct,omitempty"`
	CurrentStatus ads.Status              `json:"current_status" doc:"Status of the campaign."`
	NewStatus     ads.Status              `json:"new_status,omitempty"`
	Live          string                  `json:"live_value,omitempty" doc:"Latest value on the platform, if the outcome is unknown."`
	Feeds         []FedCampaign           `json:"budget_also_feeds,omitempty" doc:"Other campaigns that use the shared budget."`
	Effect        *toolkit.ExpectedEffect `json:"expected_effect,omitempty" doc:"Expected effect if the campaign spends its budget."`
	NoEffect      string                  `json:"no_expected_effect,omitempty" doc:"Why there is no expected effect."`
	Writes        string                  `json:"would_write,omitempty" doc:"What an execution sends and records."`
	Undo          string                  `json:"undo,omitempty"`
	answer.Table[GuardrailRow]
	answer.Closing
}

// Failed reports whether the change was rejected: the answer is then an error.
func (a *CampaignChangeAnswer) Failed() bool { return a.Status == budgetchange.Refused }

// FedCampaign is a campaign that uses a shared budget.
type FedCampaign struct {
	ID     ads.CampaignID `json:"platform_campaign_id"`
	Name   answer.Foreign `json:"campaign_name,omitempty"`
	Status ads.Status     `json:"status"`
}

// GuardrailRow is the result of one of the workspace's guardrails for the change.
type GuardrailRow struct {
	Guardrail string             `json:"guardrail"`
	State     budgetchange.State `json:"state" doc:"passes, blocks or needs_approval."`
	Text      string             `json:"text"`
}

// changeCampaign previews or applies the change.
func changeCampaign(ctx context.Context, c *toolkit.Call, r budgetchange.Request, confirm bool) (*CampaignChangeAnswer, error) {
	if c.Budgets == nil {
		return nil, fault.NotReady("this service cannot reach ad platforms").WithHint("Use the campaigns tool to see spend by campaign.")
	}
	why := ""
	r.Effect = func(ctx context.Context, p budgetchange.Preview) (stored json.RawMessage) {
		var effect *toolkit.ExpectedEffect
		if p.Daily == nil {
			why = "the daily spend of the campaign is unknown, or there is no exchange rate to " + string(c.Workspace.Currency)
		} else {
			effect, why = c.ExpectedEffect(ctx, measure.ParseChannel(string(p.Account.Platform)), p.Daily.Major())
		}
		if effect == nil {
			return nil
		}
		stored, err := answer.Encode(effect)
		if err != nil {
			return nil
		}
		return stored
	}
	do := c.Budgets.Preview
	if confirm {
		do = c.Budgets.Execute
	}
	result, err := do(ctx, c.Principal, r)
	if err != nil {
		return nil, err
	}
	a := changeAnswer(result)
	if a.Effect == nil && a.Status == budgetchange.Previewed {
		a.NoEffect = why
	}
	a.Summary = changeSummary(c, a, result)
	if why := c.WhyNotNewer(); a.Effect != nil && why != "" {
		a.Warn(answer.WarnTrainingRefused, why)
	}
	return a, nil
}

// changeAnswer returns the answer without its summary.
func changeAnswer(r budgetchange.Result) *CampaignChangeAnswer {
	p := r.Preview
	a := &CampaignChangeAnswer{
		Executed: r.Outcome == budgetchange.Executed, Status: r.Outcome, Platform: ads.WritingName(p.Account.Platform),
		Account: p.Account.ID, Campaign: p.Campaign, Name: answer.Foreign(p.Name), CurrentStatus: p.Status,
	}
	a.ShowAll(true)
	if p.Field == control.DailyBudget {
		a.Currency, a.Unit = p.New.Amount.Currency, p.Unit
		a.CurrentValue, a.NewValue = units(p.Current), units(p.New)
		a.CurrentAmount, a.NewAmount = new(p.Current.Amount.Major()), new(p.New.Amount.Major())
		if pct := p.ChangePct(); pct != nil {
			a.Change = new(answer.Decimals(*pct, 2))
		}
		for _, fed := range p.Budget.Feeds {
			if fed.ID != p.Campaign {
				a.Feeds = append(a.Feeds, FedCampaign{ID: fed.ID, Name: answer.Foreign(fed.Name), Status: fed.Status})
			}
		}
	} else {
		a.NewStatus = ads.Status(p.New.Text)
	}
	if r.Change != nil {
		a.AuditID = r.Change.ID
		if r.Outcome == budgetchange.Unknown {
			a.Live = r.Change.Live.String()
		}
	}
	if r.Refusal != nil {
		a.Problem, a.NextStep = r.Refusal.Text, r.Refusal.Hint
	}
	if len(p.Effect) > 0 {
		a.Effect = new(toolkit.ExpectedEffect)
		if json.Unmarshal(p.Effect, a.Effect) != nil {
			a.Effect = nil
		}
	}
	for _, v := range p.Guardrails {
		if v.State != budgetchange.Off {
			a.Rows = append(a.Rows, GuardrailRow(v))
		}
	}
	switch r.Outcome {
	case budgetchange.Previewed:
		a.Writes = wouldWrite(p)
	case budgetchange.Executed:
		a.Undo = "assay budget-changes rollback " + string(a.AuditID)
	case budgetchange.Awaiting:
		a.NextStep = fmt.Sprintf("Another member with the scope %s can approve or reject the change within 24 hours. Use the Budget changes page or: "+
			"assay budget-changes approve %s --as MEMBER", control.ScopeApprove, a.AuditID)
	case budgetchange.Unchanged, budgetchange.Unknown, budgetchange.Refused:
	}
	return a
}

// units returns a budget in platform units as a number, or nil if the value is not a number.
func units(v control.ChangeValue) *float64 {
	var n float64
	if json.Unmarshal([]byte(v.Text), &n) != nil {
		return nil
	}
	return &n
}

func wouldWrite(p budgetchange.Preview) string {
	if p.Unchanged {
		return "Execution sends and records nothing, because the campaign already has the requested value."
	}
	what := "status " + p.New.Text
	if n := units(p.New); n != nil && p.Field == control.DailyBudget {
		what = "daily budget " + p.New.String() + fmt.Sprintf(", sent as %s %s", answer.Quantity(*n), p.Unit)
	}
	return fmt.Sprintf("Execution sends one request to %s: %s. Execution also stores the previous value (%s) for a rollback.",
		ads.DisplayName(p.Account.Platform), what, p.Current)
}

// changeSummary describes the change without names, which are untrusted text.
func changeSummary(c *toolkit.Call, a *CampaignChangeAnswer, r budgetchange.Result) string {
	p := r.Preview
	what := fmt.Sprintf("the status of %s campaign %s", ads.DisplayName(p.Account.Platform), p.Campaign)
	if p.Field == control.DailyBudget {
		what = fmt.Sprintf("the daily budget of %s campaign %s", ads.DisplayName(p.Account.Platform), p.Campaign)
	}
	move := fmt.Sprintf("from %s to %s%s", p.Current, p.New, signedPercent(p.ChangePct()))
	switch r.Outcome {
	case budgetchange.Executed:
		return fmt.Sprintf("Executed: %s changed %s. The change can be rolled back (budget change %s).%s", what, move, a.AuditID, pausedNote(p))
	case budgetchange.Unchanged:
		if r.Change != nil {
			return fmt.Sprintf("Unchanged: someone else set %s to %s at the same time. Nothing was sent. See budget change %s.", what, p.New, a.AuditID)
		}
		return fmt.Sprintf("Unchanged: %s is already %s. Nothing was sent and no budget change was stored.", what, p.New)
	case budgetchange.Unknown:
		return fmt.Sprintf("The outcome is unknown: %s may have changed %s. Do not repeat the call. Check budget change %s.", what, move, a.AuditID)
	case budgetchange.Awaiting:
		return fmt.Sprintf("Not executed: the change of %s %s awaits the approval of another member. See budget change %s.", what, move, a.AuditID)
	case budgetchange.Refused:
		return fmt.Sprintf("Rejected: %s was not changed %s. The field problem contains the reason.", what, move)
	case budgetchange.Previewed:
	}
	if p.Unchanged {
		return fmt.Sprintf("Preview (nothing was changed): %s is already %s.", what, p.New)
	}
	text := fmt.Sprintf("Preview (nothing was changed): %s would change %s.", what, move)
	if a.Effect != nil {
		text += fmt.Sprintf(" The change %s.%s", toolkit.Gain(c, a.Effect.Estimate, " per week"), c.ProfitSummary(a.Effect.PlanProfit, " per week"))
	}
	if v := p.Blocked(); v != nil {
		text += fmt.Sprintf(" The guardrail %s blocks the execution. %s", v.Guardrail, v.Text)
	} else if v := p.NeedsApproval(); v != nil {
		text += " " + v.Text
	}
	return text + pausedNote(p)
}

// pausedNote states that a budget of a paused campaign has no effect.
func pausedNote(p budgetchange.Preview) string {
	if p.Field == control.DailyBudget && p.Status == ads.Paused {
		return " The campaign is paused: the budget has no effect until the campaign is resumed."
	}
	return ""
}

// signedPercent formats a change with its sign: " (+10.0%)".
func signedPercent(pct *float64) string {
	if pct == nil {
		return ""
	}
	sign := ""
	if *pct > 0 {
		sign = "+"
	}
	return " (" + sign + number.Percent(*pct, 1) + ")"
}
