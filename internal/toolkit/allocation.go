package toolkit

import (
	"fmt"
	"math"
	"strings"

	"assay/internal/answer"
	"assay/internal/measure"
	"assay/internal/measure/decide"
	"assay/internal/measure/mix"
)

// MixRow is what the model says of a channel; money is a month's.
type MixRow struct {
	Channel      measure.Channel                  `json:"channel"`
	Spend        answer.Money                     `json:"monthly_spend"`
	Proposed     answer.Money                     `json:"proposed_monthly_spend"`
	Brought      *answer.Estimate[answer.Money]   `json:"monthly_contribution,omitempty" detail:"analyst" doc:"Revenue that would be missing without the channel."`
	SharePct     *answer.Percent                  `json:"share_pct,omitempty" detail:"analyst" doc:"Of all revenue in the window."`
	ROAS         answer.Estimate[answer.Ratio]    `json:"roas"`
	MarginalROAS answer.Estimate[answer.Ratio]    `json:"marginal_roas" doc:"Revenue of the next unit of money at today's spend."`
	Saturation   *answer.Estimate[answer.Percent] `json:"saturation_pct,omitempty" detail:"analyst" doc:"By how much the next unit of money brings less than the mean one."`
	Less         *answer.Estimate[answer.Money]   `json:"if_20_pct_less,omitempty" detail:"analyst" doc:"Change of monthly revenue."`
	More         *answer.Estimate[answer.Money]   `json:"if_20_pct_more,omitempty" detail:"analyst" doc:"Change of monthly revenue."`
	CarryOver    *answer.Estimate[answer.Percent] `json:"carry_over_pct,omitempty" detail:"analyst" doc:"Part of a week's effect that carries over to the next."`
	Worth        *answer.Money                    `json:"worth_of_experiment,omitempty" detail:"analyst" doc:"Monthly revenue that the best plan would gain if an experiment settled what the channel brings, before its cost."`
	Tested       []string                         `json:"calibrated_by,omitempty" doc:"Experiments of the channel that the model was fitted to."`
	Unseen       bool                             `json:"beyond_data,omitempty" doc:"The proposed spend is more than was ever spent."`
}

// MixRows lists the channels, largest contribution first.
func MixRows(m *mix.Model, plan *mix.Plan, times float64) []MixRow {
	rows := make([]MixRow, 0, len(m.Effects))
	for _, e := range m.Effects {
		if e.ROAS == nil || e.MarginalROAS == nil {
			continue
		}
		reach := m.Reach(e.Channel)
		row := MixRow{
			Channel: e.Channel, Spend: answer.Money(times * e.Spend), Brought: new(Posterior[answer.Money](e.Contribution, times)),
			SharePct: new(answer.Percent(100 * e.Share.Mean)), ROAS: Posterior[answer.Ratio](*e.ROAS, 1), MarginalROAS: Posterior[answer.Ratio](*e.MarginalROAS, 1),
			Saturation: new(Posterior[answer.Percent](reach.Saturation, 100)), Less: new(Posterior[answer.Money](reach.Less, times)), More: new(Posterior[answer.Money](reach.More, times)),
			Tested: CalibratedBy(m, e.Channel),
		}
		for _, one := range plan.Allocations {
			if one.Channel == e.Channel {
				row.Proposed, row.Unseen = answer.Money(times*one.Proposed), one.Unseen
			}
		}
		if alpha, ok := e.Adstock["alpha"]; ok {
			row.CarryOver = new(Posterior[answer.Percent](alpha, 100))
		}
		for _, one := range plan.Advice.Experiments {
			if one.Channel == e.Channel {
				row.Worth = new(answer.Money(times * one.Gain))
			}
		}
		rows = append(rows, row)
	}
	SortBy(rows, func(r MixRow) float64 { return -float64(r.Brought.Value) })
	return rows
}

// PlanMetrics is what a plan promises over the period it is for.
type PlanMetrics struct {
	Budget       answer.Money                   `json:"budget"`
	CurrentSpend answer.Money                   `json:"current_spend" doc:"Of the model's channels, over a period as long."`
	Lift         answer.Estimate[answer.Money]  `json:"expected_lift" doc:"Revenue more than the same budget brings when it is divided as today."`
	Change       *answer.Estimate[answer.Money] `json:"expected_change,omitempty" doc:"Revenue more than current spend brings, where the budget is another."`
	BetterPct    answer.Percent                 `json:"better_pct" doc:"Chance that the plan brings more than the same budget divided as today."`
	Confidence   string                         `json:"confidence" doc:"high from 95 % chance on, medium from 80 % on, else low."`
	Advice       string                         `json:"advice" doc:"shift: move the money; hold: leave it until more is known."`
	Why          []string                       `json:"why,omitempty" doc:"Reasons for the advice. Current spends are today's, scaled to the budget."`
	TestFirst    measure.Channel                `json:"test_first,omitempty" doc:"Channel whose experiment would be worth most."`
	AgreementPct answer.Percent                 `json:"agreement_pct,omitempty" detail:"analyst" doc:"Share of the budget that two halves of the draws divide alike."`
	GapPct       *answer.Percent                `json:"gap_pct,omitempty" detail:"analyst" doc:"How far at most the plan is from the best one, of its value."`
}

// PlanMetricsOf says what a plan promises; times turns amounts over the window into those of the answer's period.
func PlanMetricsOf(c *Call, m *mix.Model, plan *mix.Plan, budget, times float64) PlanMetrics {
	out := PlanMetrics{
		Budget: answer.Money(times * budget), CurrentSpend: answer.Money(times * m.Spend()), Lift: Posterior[answer.Money](plan.Lift, times),
		BetterPct: answer.Percent(100 * plan.BeatsCurrent), Confidence: "low", Advice: string(plan.Advice.Action), Why: plan.Advice.Reasons,
		AgreementPct: answer.Percent(100 * plan.Agreement),
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
	if plan.Advice.BestExperiment != nil {
		out.TestFirst = plan.Advice.BestExperiment.Channel
	}
	return out
}

// PlanSummary says what an allocation is expected to change, and what is advised.
func PlanSummary(c *Call, m PlanMetrics, plan *mix.Plan, over string) string {
	var up, down decide.Allocation
	for _, a := range plan.Allocations {
		if a.Proposed-a.Current > up.Proposed-up.Current {
			up = a
		}
		if a.Proposed-a.Current < down.Proposed-down.Current {
			down = a
		}
	}
	text := fmt.Sprintf("%s %s, divided by the plan, %s.", c.Spelled(m.Budget), over, Gain(c, m.Lift, " than divided as today"))
	if m.Change != nil {
		text += fmt.Sprintf(" Against the %s spent now, it %s.", c.Spelled(m.CurrentSpend), Gain(c, *m.Change, ""))
	}
	var moves []string
	if up.Channel != "" {
		moves = append(moves, "most goes to "+answer.ChannelName(up.Channel))
	}
	if down.Channel != "" {
		moves = append(moves, "most comes from "+answer.ChannelName(down.Channel))
	}
	if len(moves) > 0 {
		text += " By the plan, " + strings.Join(moves, " and ") + "."
	}
	return text + fmt.Sprintf(" Advice: %s, with %s confidence.", m.Advice, m.Confidence)
}

// Gain says of a change of revenue whether it is a gain, a loss, or not clearly either.
func Gain(c *Call, e answer.Estimate[answer.Money], than string) string {
	expected := c.Spelled(answer.Money(math.Abs(float64(e.Value)))) + " more revenue" + than
	if e.Value < 0 {
		expected = c.Spelled(-e.Value) + " less revenue" + than
	}
	switch {
	case e.Low > 0:
		return fmt.Sprintf("is expected to bring %s (90 %% interval %s to %s more)", expected, c.Spelled(e.Low), c.Spelled(e.High))
	case e.High < 0:
		return fmt.Sprintf("is expected to bring %s (90 %% interval %s to %s less)", expected, c.Spelled(-e.High), c.Spelled(-e.Low))
	case e.Low == 0 && e.High == 0:
		return "changes no revenue"
	}
	return fmt.Sprintf("makes no clear difference: %s is expected, with a 90 %% interval from %s less to %s more", expected, c.Spelled(-e.Low), c.Spelled(e.High))
}

// WarnPlan says what a plan does not know.
func WarnPlan(c *Call, a *answer.Closing, plan *mix.Plan) {
	c.WarnModelAge(a)
	if plan.Advice.Action == decide.Hold {
		a.Warn(answer.WarnHold, "The evidence does not carry this shift: leave the money where it is until more is known.")
	}
	var beyond []string
	for _, one := range plan.Allocations {
		if one.Unseen {
			beyond = append(beyond, answer.Clean(string(one.Channel)))
		}
	}
	if len(beyond) > 0 {
		a.Warn(answer.WarnBeyondData, "The plan spends more than was ever seen on "+answer.Listed(beyond)+": there the assumed shape speaks, not data.")
	}
}
