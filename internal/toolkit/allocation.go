package toolkit

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/internal/answer"
	"assay/internal/measure"
	"assay/internal/measure/decide"
	"assay/internal/measure/mix"
)

// MixRow contains the model's estimates for a channel. Amounts are per month.
type MixRow struct {
	Channel         measure.Channel                  `json:"channel"`
	Spend           answer.Money                     `json:"monthly_spend" doc:"Current monthly spend: the starting point of the allocation."`
	Modelled        *answer.Money                    `json:"modelled_monthly_spend,omitempty" detail:"analyst" doc:"Average monthly spend in the model's window: the basis of roas and monthly_contribution."`
	Proposed        answer.Money                     `json:"proposed_monthly_spend"`
	Incremental     *answer.Estimate[answer.Money]   `json:"monthly_contribution,omitempty" detail:"analyst" doc:"Incremental revenue: revenue that would be lost without the channel."`
	SharePct        *answer.Percent                  `json:"share_pct,omitempty" detail:"analyst" doc:"Share of all revenue in the model's window."`
	ROAS            answer.Estimate[answer.Ratio]    `json:"roas"`
	Best            *answer.Estimate[answer.Ratio]   `json:"incremental_roas,omitempty" doc:"Best estimate if it comes from applied experiments that the model does not use."`
	MarginalROAS    answer.Estimate[answer.Ratio]    `json:"marginal_roas" doc:"Revenue per additional unit of spend at the current spend; without current spend, at the modelled spend."`
	MarginPct       *answer.Percent                  `json:"contribution_margin_pct,omitempty" detail:"analyst" doc:"Contribution as a percentage of the channel's revenue, before ad spend. The allocation maximizes contribution if costs are known."`
	Saturation      *answer.Estimate[answer.Percent] `json:"saturation_pct,omitempty" detail:"analyst" doc:"Percentage by which marginal ROAS is below average ROAS."`
	Less            *answer.Estimate[answer.Money]   `json:"if_20_pct_less,omitempty" detail:"analyst" doc:"Change of monthly revenue with 20% less spend."`
	More            *answer.Estimate[answer.Money]   `json:"if_20_pct_more,omitempty" detail:"analyst" doc:"Change of monthly revenue with 20% more spend."`
	CarryOver       *answer.Estimate[answer.Percent] `json:"carry_over_pct,omitempty" detail:"analyst" doc:"Adstock: share of a week's effect that carries over to the next week."`
	ExperimentValue *answer.Money                    `json:"worth_of_experiment,omitempty" detail:"analyst" doc:"Value of information: expected increase of the optimized allocation's monthly revenue if an experiment measured the channel's iROAS, before the experiment's cost."`
	Tested          []string                         `json:"calibrated_by,omitempty" doc:"Experiments on the channel that calibrate the model."`
	BeyondData      bool                             `json:"beyond_data,omitempty" doc:"The proposed spend is above the observed range."`
}

// MixRows lists the channels of an allocation that starts from this spend, largest incremental revenue first.
func (s PlanStart) MixRows(m *mix.Model, plan *mix.Plan, times float64) []MixRow {
	rows := make([]MixRow, 0, len(m.Effects))
	for _, e := range m.Effects {
		if e.ROAS == nil || e.MarginalROAS == nil {
			continue
		}
		spend, allocated := e.Spend, decide.Allocation{}
		if i := slices.IndexFunc(plan.Allocations, func(a decide.Allocation) bool { return a.Channel == e.Channel }); i >= 0 {
			allocated = plan.Allocations[i]
			if plan.Recent {
				spend = allocated.Current / plan.Times
			}
		}
		reach := m.ReachAt(e.Channel, spend)
		row := MixRow{
			Channel: e.Channel, Spend: answer.Money(times * spend), Proposed: answer.Money(times * allocated.Proposed), BeyondData: allocated.Unseen, Incremental: new(Posterior[answer.Money](e.Contribution, times)),
			SharePct: new(answer.Percent(100 * e.Share.Mean)), ROAS: Posterior[answer.Ratio](*e.ROAS, 1), MarginalROAS: Posterior[answer.Ratio](reach.Marginal, 1),
			Saturation: new(Posterior[answer.Percent](reach.Saturation, 100)), Less: new(Posterior[answer.Money](reach.Less, times)), More: new(Posterior[answer.Money](reach.More, times)),
			Tested: CalibratedBy(m, e.Channel),
		}
		if rate, known := s.Rates[e.Channel]; known {
			row.MarginPct = new(answer.Percent(100 * rate))
		}
		if plan.Recent {
			row.Modelled = new(answer.Money(times * e.Spend))
		}
		if alpha, ok := e.Adstock["alpha"]; ok {
			row.CarryOver = new(Posterior[answer.Percent](alpha, 100))
		}
		for _, one := range plan.Advice.Experiments {
			if one.Channel == e.Channel {
				row.ExperimentValue = new(answer.Money(times * one.Gain))
			}
		}
		rows = append(rows, row)
	}
	SortBy(rows, func(r MixRow) float64 { return -float64(r.Incremental.Value) })
	return rows
}

// PlanMetrics are the expected results of an allocation over its period.
type PlanMetrics struct {
	Budget       answer.Money                   `json:"budget"`
	CurrentSpend answer.Money                   `json:"current_spend" doc:"Current spend on the model's channels, over a period as long as the budget period."`
	SpendFrom    string                         `json:"current_spend_from,omitempty" doc:"Days of observed spend from which current_spend is scaled."`
	BoundsPct    answer.Percent                 `json:"default_bounds_pct" doc:"Without constraints: maximum change of a channel's spend from its current share of the budget, in percent."`
	Lift         answer.Estimate[answer.Money]  `json:"expected_lift" doc:"Change of revenue compared with the same budget in the current allocation."`
	Change       *answer.Estimate[answer.Money] `json:"expected_change,omitempty" doc:"Change of revenue compared with current spend, if the budget is different."`
	BetterPct    answer.Percent                 `json:"better_pct" doc:"Probability that the allocation generates more revenue than the same budget in the current allocation."`
	PlanProfit
	Confidence   string          `json:"confidence" doc:"high from a probability of 95%, medium from 80%, otherwise low."`
	Advice       string          `json:"advice" doc:"shift: apply the optimized allocation; hold: keep the current allocation. budget_advice is the advice on the total budget."`
	Why          []string        `json:"why,omitempty" doc:"Reasons for the advice. Current spend is scaled to the budget."`
	TestFirst    measure.Channel `json:"test_first,omitempty" doc:"Channel to test first, as in experiments with view=next_test."`
	AgreementPct answer.Percent  `json:"agreement_pct,omitempty" detail:"analyst" doc:"Share of the budget that has the same allocation with either half of the posterior draws."`
	GapPct       *answer.Percent `json:"gap_pct,omitempty" detail:"analyst" doc:"Optimality gap: (upper bound - value of the allocation) / upper bound."`
}

// PlanMetricsOf returns the expected results of an allocation. The parameter times is the factor that scales amounts
// from the window to the answer's period.
func PlanMetricsOf(c *Call, m *mix.Model, plan *mix.Plan, budget, times float64) PlanMetrics {
	out := PlanMetrics{
		Budget: answer.Money(times * budget), CurrentSpend: answer.Money(times * cmp.Or(plan.Start, m.Spend())), Lift: Posterior[answer.Money](plan.Lift, times),
		BetterPct: answer.Percent(100 * plan.BeatsCurrent), Confidence: "low", Advice: string(plan.Advice.Action), Why: plan.Advice.Reasons,
		AgreementPct: answer.Percent(100 * plan.Agreement), BoundsPct: answer.Percent(100 * decide.Balanced.Move),
	}
	if math.Abs(plan.Times-1) > 0.001 {
		out.Change = new(Posterior[answer.Money](plan.Change, times))
	}
	switch {
	case plan.BeatsCurrent >= 0.95:
		out.Confidence = "high"
	case plan.BeatsCurrent >= 0.8:
		out.Confidence = "medium"
	}
	if plan.Certificate.UpperBound > 0 {
		out.GapPct = new(answer.Percent(100 * plan.Certificate.Gap()))
	}
	return out
}

// PlanSummary states the expected effect of an allocation and the recommendation. The amounts are for a number of weeks;
// 0 means per month.
func PlanSummary(c *Call, m PlanMetrics, plan *mix.Plan, weeks int) string {
	over, per, scaled := "per month", " per month", "one month"
	if weeks > 0 {
		scaled = answer.Plural(weeks, "week", "weeks")
		over, per = "over "+scaled, ""
	}
	var up, down decide.Allocation
	for _, a := range plan.Allocations {
		if a.Proposed-a.Current > up.Proposed-up.Current {
			up = a
		}
		if a.Proposed-a.Current < down.Proposed-down.Current {
			down = a
		}
	}
	text := fmt.Sprintf("Reallocating %s %s %s.", c.Spelled(m.Budget), over, Gain(c, m.Lift, per))
	var moves []string
	if up.Channel != "" {
		moves = append(moves, "increases most on "+answer.ChannelName(up.Channel))
	}
	if down.Channel != "" {
		moves = append(moves, "decreases most on "+answer.ChannelName(down.Channel))
	}
	const baseline = "the current allocation of this budget"
	if len(moves) > 0 {
		text += " Compared with " + baseline + ", spend " + strings.Join(moves, " and ") + "."
	} else {
		text += " Baseline: " + baseline + "."
	}
	if m.Change != nil {
		from := ""
		if plan.Recent {
			from = " (last 30 days, scaled to " + scaled + ")"
		}
		text += fmt.Sprintf(" Current spend is %s%s. Compared with current spend, the allocation %s.", c.Spelled(m.CurrentSpend)+per, from, Gain(c, *m.Change, per))
	}
	return text + c.ProfitSummary(m.PlanProfit, per) + fmt.Sprintf(" Recommendation: %s (%s confidence).", m.Advice, m.Confidence) + m.budgetSentence(c, over)
}

// budgetSentence returns a sentence with the advice on the budget, after a space. It returns "" if there is no advice.
func (m PlanMetrics) budgetSentence(c *Call, over string) string {
	amount := answer.Money(math.Abs(float64(m.Budget - m.CurrentSpend)))
	if text := m.Sentence(m.Budget > m.CurrentSpend, c.Spelled(amount)+" "+over); text != "" {
		return " " + text
	}
	return ""
}

// Gain describes a change of revenue as a gain, a loss or no clear effect, with its interval. The parameter than is the
// time unit or the comparison; it may be empty.
func Gain(c *Call, e answer.Estimate[answer.Money], than string) string {
	interval := fmt.Sprintf("(90%% interval %s to %s)", signed(c, e.Low), signed(c, e.High))
	switch {
	case e.Low > 0:
		return fmt.Sprintf("is expected to increase revenue by %s%s %s", c.Spelled(e.Value), than, interval)
	case e.High < 0:
		return fmt.Sprintf("is expected to reduce revenue by %s%s %s", c.Spelled(-e.Value), than, interval)
	case e.Low == 0 && e.High == 0:
		return "does not change revenue"
	}
	return fmt.Sprintf("has no clear benefit. The expected change of revenue is %s%s %s", signed(c, e.Value), than, interval)
}

// signed formats an amount with its sign.
func signed(c *Call, amount answer.Money) string {
	if amount > 0 {
		return "+" + c.Spelled(amount)
	}
	return c.Spelled(amount)
}

// WarnPlan warns of weak evidence for an allocation and of spend outside the observed range.
func WarnPlan(c *Call, a *answer.Closing, plan *mix.Plan) {
	c.WarnModelAge(a)
	if why := plan.Advice.WhyHold(); why != "" {
		a.Warn(answer.WarnHold, "Do not reallocate: "+why+".")
	}
	var beyond []string
	for _, one := range plan.Allocations {
		if one.Unseen {
			beyond = append(beyond, answer.Clean(string(one.Channel)))
		}
	}
	if len(beyond) > 0 {
		a.Warn(answer.WarnBeyondData, "The proposed spend on these channels is above the observed range: "+answer.Listed(beyond)+". Their estimates extrapolate the assumed response curve.")
	}
}
