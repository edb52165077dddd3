package toolkit

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"assay/internal/answer"
	"assay/internal/measure"
	"assay/internal/snapshot"
	"assay/internal/warehouse"
)

// CampaignReturn contains the estimated incremental ROAS of a campaign and the verdict based on this estimate.
type CampaignReturn struct {
	LastTouch   *answer.Ratio                  `json:"last_touch_roas,omitempty" detail:"analyst"`
	Return      *answer.Estimate[answer.Ratio] `json:"incremental_roas,omitempty" detail:"analyst" doc:"Best estimate of the channel, times the campaign's relative ROAS, which is shrunk toward the mean of the campaigns."`
	ClaimedOver *answer.Ratio                  `json:"claimed_over_incremental,omitempty" detail:"analyst" doc:"Platform-reported ROAS divided by incremental_roas."`
	Profit      *answer.Estimate[answer.Money] `json:"incremental_contribution_after_spend,omitempty" detail:"analyst" doc:"Incremental revenue at the store's contribution rate, minus spend."`
	SpendChange *answer.Percent                `json:"spend_change_pct,omitempty" detail:"analyst" doc:"Change of spend from the previous period."`
	ROASChange  *answer.Percent                `json:"roas_change_pct,omitempty" detail:"analyst" doc:"Change of platform-reported ROAS from the previous period."`
	PaysPct     *answer.Percent                `json:"pays_pct,omitempty" detail:"analyst" doc:"Probability that marginal ROAS is above break-even."`
	Verdict     string                         `json:"verdict,omitempty" doc:"scale: pays_pct of at least 90%; cut: at most 10%; keep: between these limits, or too uncertain."`
}

// The verdicts on a campaign.
const (
	ScaleCampaign = "scale"
	KeepCampaign  = "keep"
	CutCampaign   = "cut"
)

// sureCampaign is the minimum probability for the verdict to scale or to cut a campaign.
const sureCampaign = 0.9

// untestedMarginal is the assumed ratio of marginal to average ROAS of a channel that is not in a model. It is the
// middle of the range from 0.5 to 1.
const untestedMarginal = 0.75

// CampaignKey identifies a campaign.
type CampaignKey struct {
	Platform    measure.Platform
	Account, ID string
}

// KeyOf returns the key of a campaign.
func KeyOf(t warehouse.CampaignTotal) CampaignKey {
	return CampaignKey{t.Platform, t.Account, t.CampaignID}
}

// CampaignReturns contains the estimated incremental ROAS of the campaigns in a window.
type CampaignReturns struct {
	Of    map[CampaignKey]CampaignReturn
	named []namedCampaign
}

type namedCampaign struct {
	CampaignKey
	CampaignReturn
}

// CampaignReturns estimates the incremental ROAS of all campaigns in the windows. It ignores the page and the campaign
// that the call selects, because the estimates of a channel's campaigns depend on each other.
func (c *Call) CampaignReturns(ctx context.Context, of warehouse.CampaignsOf, profit snapshot.Contribution) (*CampaignReturns, error) {
	only := of.Campaign
	of.Campaign, of.Limit, of.Offset = "", 0, 0
	now, err := c.Campaigns(ctx, of)
	if err != nil {
		return nil, err
	}
	of.Windows = warehouse.Windows{Recent: of.Windows.Earlier}
	before := map[CampaignKey]warehouse.CampaignTotal{}
	if c.Store.Covers(of.Windows.Recent, snapshot.FromAds) {
		was, err := c.Campaigns(ctx, of)
		if err != nil {
			return nil, err
		}
		for _, t := range was.Rows {
			before[KeyOf(t)] = t
		}
	}
	returns, err := snapshot.Returns(ctx, c.Snapshot)
	if err != nil {
		return nil, err
	}
	out := &CampaignReturns{Of: map[CampaignKey]CampaignReturn{}}
	channels := map[measure.Channel][]warehouse.CampaignTotal{}
	for _, t := range now.Rows {
		channels[t.Channel] = append(channels[t.Channel], t)
	}
	for channel, rows := range channels {
		estimates := c.campaignEstimates(returns[channel], rows)
		for i, t := range rows {
			r := c.changeOf(t, before[KeyOf(t)])
			if estimates != nil {
				r.judge(c, estimates[i], t, profit, c.marginalShare(channel))
			}
			out.Of[KeyOf(t)] = r
			if r.Return != nil && t.Spend > 0 && (only == "" || only == t.CampaignID) {
				out.named = append(out.named, namedCampaign{KeyOf(t), r})
			}
		}
	}
	slices.SortFunc(out.named, func(a, b namedCampaign) int {
		return cmp.Or(cmp.Compare(b.Return.Value, a.Return.Value), cmp.Compare(a.ID, b.ID))
	})
	return out, nil
}

// campaignEstimates returns the estimates of a channel's campaigns, or nil if the channel's incremental ROAS is
// unknown. The evidence is last-touch attribution, or the platform's report if no order is attributed to the campaigns.
func (c *Call) campaignEstimates(r snapshot.Return, rows []warehouse.CampaignTotal) []measure.Estimate {
	credited := slices.ContainsFunc(rows, func(t warehouse.CampaignTotal) bool { return t.Credited.Orders > 0 })
	if r.Best == nil {
		return nil
	}
	evidence := make([]measure.Campaign, len(rows))
	for i, t := range rows {
		evidence[i] = measure.Campaign{Spend: float64(t.Spend), Value: float64(t.Value), Orders: float64(t.Conversions) / measure.Millionths}
		if credited {
			evidence[i].Value, evidence[i].Orders = float64(c.Workspace.Basis.Revenue(t.Credited)), t.Credited.OrderCount()
		}
	}
	return measure.CampaignReturns(*r.Best, evidence)
}

// marginalShare returns the ratio of marginal to average ROAS of a channel.
func (c *Call) marginalShare(channel measure.Channel) float64 {
	if m := snapshot.UsableModel(c.Snapshot); m != nil {
		for _, e := range m.Effects {
			if e.Channel == channel && e.ROAS != nil && e.MarginalROAS != nil && e.ROAS.Mean > 0 {
				return max(0, e.MarginalROAS.Mean/e.ROAS.Mean)
			}
		}
	}
	return untestedMarginal
}

// changeOf returns the last-touch ROAS of a campaign and its changes from the previous period.
func (c *Call) changeOf(t, before warehouse.CampaignTotal) (r CampaignReturn) {
	if !c.Store.Untouched() {
		r.LastTouch = answer.RatioOf(measure.ROAS(c.Workspace.Basis.Revenue(t.Credited), t.Spend))
	}
	if before.Spend > 0 {
		r.SpendChange = answer.PercentOf(measure.Change(float64(t.Spend), float64(before.Spend)))
		if now, ok := measure.ROAS(t.Value, t.Spend); ok {
			was, _ := measure.ROAS(before.Value, before.Spend)
			r.ROASChange = answer.PercentOf(measure.Change(now, was))
		}
	}
	return r
}

// judge adds the estimate of a campaign and its verdict.
func (r *CampaignReturn) judge(c *Call, e measure.Estimate, t warehouse.CampaignTotal, profit snapshot.Contribution, marginal float64) {
	r.Return = answer.EstimateOf[answer.Ratio](e, 1)
	if claimed, ok := measure.ROAS(t.Value, t.Spend); ok && e.Value > 0 && t.Value > 0 {
		r.ClaimedOver = new(answer.Ratio(claimed / e.Value))
	}
	rate, known := profit.ChannelRate("")
	if !known || rate <= 0 || t.Spend <= 0 {
		return
	}
	spend := float64(c.Figures.Money(t.Spend))
	after := e.Times(rate * spend)
	r.Profit = &answer.Estimate[answer.Money]{
		Value: answer.Money(after.Value - spend), Low: answer.Money(after.Low - spend), High: answer.Money(after.High - spend),
	}
	pays := e.Times(marginal).Above(1 / rate)
	r.PaysPct, r.Verdict = new(answer.Percent(100*pays)), KeepCampaign
	switch {
	case pays >= sureCampaign:
		r.Verdict = ScaleCampaign
	case pays <= 1-sureCampaign:
		r.Verdict = CutCampaign
	}
}

// Sentence names, by ID, the campaigns with the highest and the lowest estimated incremental ROAS. It returns "" if
// there are fewer than two campaigns.
func (r *CampaignReturns) Sentence() string {
	if len(r.named) < 2 {
		return ""
	}
	say := func(n namedCampaign) string {
		text := fmt.Sprintf("%s (incremental ROAS %s, 90%% interval %s to %s", answer.CampaignName(n.Platform, n.ID), n.Return.Value, n.Return.Low, n.Return.High)
		if n.Verdict != "" {
			text += "; verdict: " + n.Verdict
		}
		return text + ")"
	}
	return " Best: " + say(r.named[0]) + ". Worst: " + say(r.named[len(r.named)-1]) + "."
}
