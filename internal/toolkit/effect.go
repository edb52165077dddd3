package toolkit

import (
	"context"

	"assay/internal/answer"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/mix"
	"assay/internal/money"
)

// ExpectedEffect is the expected change of weekly revenue and contribution according to the media mix model. The audit
// row of a budget change also contains the expected effect. Amounts are in whole units of the workspace's currency.
type ExpectedEffect struct {
	Metric   string          `json:"metric"`
	Per      string          `json:"per"`
	Channel  measure.Channel `json:"channel"`
	Currency money.Currency  `json:"currency"`
	answer.Estimate[answer.Money]
	answer.Estimates
	PlanProfit
}

// ExpectedEffect estimates the weekly effect of a change of a channel's daily spend by an amount in whole currency
// units. The change starts from the spend of the last 30 days. Without an estimate it returns the reason.
func (c *Call) ExpectedEffect(ctx context.Context, channel measure.Channel, daily float64) (effect *ExpectedEffect, why string) {
	m, err := c.Model()
	if err == nil {
		var start PlanStart
		if start, err = c.PlanStart(ctx, m); err == nil {
			return c.effectOf(m, start, channel, daily)
		}
	}
	why, _, _ = fault.Public(err)
	return nil, why
}

func (c *Call) effectOf(m *mix.Model, start PlanStart, channel measure.Channel, daily float64) (effect *ExpectedEffect, why string) {
	shift, ok := start.Shift(m, channel, 0, daily)
	if !ok {
		return nil, "the media mix model does not include the channel " + string(channel)
	}
	if _, known := start.Rates[channel]; !known {
		shift.Profit = nil
	}
	const days = 7
	times := days / float64(m.Window.Days())
	return &ExpectedEffect{
		Metric: "revenue", Per: "week", Channel: channel, Currency: c.Workspace.Currency, Estimates: ModelEstimates(),
		Estimate: Posterior[answer.Money](shift.Change, times), PlanProfit: start.profitOf(shift.Profit, times),
	}, ""
}

// Shift returns the effect of a change of a channel's daily spend by an amount in whole currency units. The effect is
// the total over a period as long as the model's window. The parameter before is the amount of an earlier change.
// Without a contribution rate, profit is revenue minus spend.
func (s PlanStart) Shift(m *mix.Model, channel measure.Channel, before, daily float64) (mix.Shift, bool) {
	days := float64(m.Window.Days())
	rate, known := s.Rates[channel]
	if !known {
		rate = 1
	}
	return m.Shift(channel, s.Spend(m, channel)+before*days, daily*days, &rate)
}
