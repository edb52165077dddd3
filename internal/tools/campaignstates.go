package tools

import (
	"context"
	"time"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/toolkit"
	"assay/internal/warehouse"
)

// CampaignState is the state of a campaign on its platform.
type CampaignState struct {
	Status   measure.AdStatus `json:"status,omitempty" doc:"active, paused, removed or other."`
	Reported answer.Foreign   `json:"told,omitempty" detail:"debug" doc:"Status as reported by the platform."`
	Budget   *CampaignBudget  `json:"budget,omitempty"`
	AsOf     time.Time        `json:"as_of" doc:"Time of the last imported change on the platform."`
}

// CampaignBudget is a campaign's budget.
type CampaignBudget struct {
	Amount   *answer.Ratio        `json:"amount,omitempty" doc:"Amount in the account's currency; absent if unknown."`
	Currency money.Currency       `json:"currency,omitempty"`
	Per      measure.BudgetPeriod `json:"per" doc:"day, lifetime or none. none: the ad sets have budgets."`
}

// CampaignChange is one change of a campaign, an ad set or an ad.
type CampaignChange struct {
	At       time.Time       `json:"at"`
	Platform string          `json:"platform"`
	Level    measure.AdLevel `json:"level"`
	ID       string          `json:"id"`
	Name     answer.Foreign  `json:"name,omitempty"`
	What     string          `json:"what" doc:"name, status or budget."`
	Before   answer.Foreign  `json:"before"`
	Now      answer.Foreign  `json:"now"`
}

// maxChanges is the maximum number of changes in an answer.
const maxChanges = 20

// addCampaignStates adds the states of the page's campaigns at the end of the period and the changes in the period. It
// does nothing at the summary level and for stores without imported campaign states.
func addCampaignStates(ctx context.Context, c *toolkit.Call, a *CampaignsAnswer, of warehouse.CampaignsOf) error {
	if c.Store.Counts["ad_states"] == 0 || c.View.DetailLevel == answer.SummaryLevel {
		return nil
	}
	days, zone := of.Windows.Recent, c.Workspace.Location()
	from, until := civil.StartOf(days.First, zone), civil.StartOf(days.Last.AddDays(1), zone)
	history, err := c.AdHistory(ctx, measure.AdHistoryOf{From: from, Until: until, Platform: of.Platform, Campaign: of.Campaign}, days)
	if err != nil {
		return err
	}
	type key struct{ platform, id string }
	known := map[key]*CampaignState{}
	for _, s := range history.Standings {
		known[key{string(s.Platform), s.ID}] = newState(s)
	}
	if of.Level == warehouse.Campaigns {
		for i := range a.Rows {
			a.Rows[i].State = known[key{a.Rows[i].Platform, a.Rows[i].PlatformID}]
		}
	}
	for _, change := range history.Changes[:min(len(history.Changes), maxChanges)] {
		for _, move := range change.Moves() {
			a.Changes = append(a.Changes, CampaignChange{
				At: change.Now.Since.UTC(), Platform: string(change.Now.Platform), Level: change.Now.Level, ID: change.Now.ID, Name: answer.Foreign(change.Now.Name),
				What: move.What, Before: answer.Foreign(move.Before), Now: answer.Foreign(move.Now),
			})
		}
	}
	a.Changes = a.Changes[:min(len(a.Changes), maxChanges)]
	return nil
}

func newState(s measure.AdStanding) *CampaignState {
	state := &CampaignState{Status: s.Status, Reported: answer.Foreign(s.Told), AsOf: s.Since.UTC()}
	if s.Budget.Per == "" {
		return state
	}
	state.Budget = &CampaignBudget{Per: s.Budget.Per, Currency: s.Currency}
	if s.Currency != "" && s.Budget.Per != measure.NoBudget {
		amount := answer.Ratio(s.Budget.Amount(s.Currency).Major())
		state.Budget.Amount = &amount
	}
	return state
}
