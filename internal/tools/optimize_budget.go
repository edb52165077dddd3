package tools

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"assay/internal/answer"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/decide"
	"assay/internal/measure/mix"
	"assay/internal/measure/mmm"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
)

var optimizeBudget = toolkit.Define(toolkit.Spec{
	Name:        "optimize_budget",
	Title:       "Optimize a budget",
	Description: "Split a budget between channels by the media mix model, with the expected lift. Needs a trained model.",
	Model:       true,
	Arguments:   map[string]any{"total_budget": 250000},
}, runOptimizeBudget)

type optimizeBudgetParams struct {
	TotalBudget float64           `json:"total_budget" required:"true" min:"0" doc:"For a period as long as the model's training window."`
	Channels    []string          `json:"channels" doc:"Channels to return. Default all."`
	Constraints map[string]bounds `json:"constraints" doc:"Least and most spend by channel: {\"facebook\":{\"min\":0,\"max\":5000}}."`
	answer.Shared
}

// bounds are the least and the most that a channel may get.
type bounds struct {
	Min *float64 `json:"min" min:"0" doc:"Least spend."`
	Max *float64 `json:"max" min:"0" doc:"Most spend."`
}

// Check refuses bounds that no budget can meet.
func (p optimizeBudgetParams) Check() error {
	var least float64
	for _, channel := range slices.Sorted(maps.Keys(p.Constraints)) {
		b := p.Constraints[channel]
		if b.Min != nil && b.Max != nil && *b.Min > *b.Max {
			return fault.Invalid("constraints.%s has min %v above max %v", answer.Clean(channel), *b.Min, *b.Max).
				WithHint("Set min to at most max.")
		}
		if b.Min != nil {
			least += *b.Min
		}
	}
	if least > p.TotalBudget {
		return fault.Invalid("constraints need at least %s, and total_budget is %s", answer.Quantity(least), answer.Quantity(p.TotalBudget)).
			WithHint("Raise total_budget, or lower the minima.")
	}
	return nil
}

type optimizeBudgetAnswer struct {
	answer.Opening
	Model     toolkit.ModelInfo `json:"model"`
	Estimates answer.Estimates  `json:"estimates"`
	Metrics   planMetrics       `json:"metrics"`
	answer.Table[allocationRow]
	answer.Closing
}

// planMetrics is what a plan promises over the period it is for.
type planMetrics struct {
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

// allocationRow is what a plan gives a channel.
type allocationRow struct {
	Channel      measure.Channel `json:"channel"`
	Current      answer.Money    `json:"current_spend"`
	Proposed     answer.Money    `json:"proposed_spend"`
	ChangePct    *answer.Percent `json:"change_pct,omitempty"`
	MarginalROAS answer.Ratio    `json:"marginal_roas" doc:"Expected revenue of the next unit of money at the proposed spend."`
	RightPct     *answer.Percent `json:"right_way_pct,omitempty" detail:"analyst" doc:"Chance that the money moved earns more where it goes."`
	Unseen       bool            `json:"beyond_data,omitempty" doc:"More than was ever spent: the assumed shape speaks, not data."`
}

func runOptimizeBudget(_ context.Context, c *toolkit.Call, p optimizeBudgetParams) (*optimizeBudgetAnswer, error) {
	m, err := c.Model()
	if err != nil {
		return nil, err
	}
	shown, err := modelled(m, "channels", p.Channels)
	if err != nil {
		return nil, err
	}
	limits, err := limitsOf(m, p.Constraints)
	if err != nil {
		return nil, err
	}
	if p.TotalBudget == 0 {
		return nil, fault.Invalid("total_budget is 0, which leaves nothing to divide").
			WithHint(`For current spend: {"total_budget":%.0f}`, m.Spend())
	}
	plan, err := m.Plan(mix.Ask{Budget: p.TotalBudget, Bounds: limits})
	if err != nil {
		return nil, err
	}
	a := &optimizeBudgetAnswer{Model: c.ModelInfo(m), Estimates: toolkit.ModelEstimates(), Metrics: planMetricsOf(c, m, plan, p.TotalBudget, 1)}
	a.Period, a.Currency = c.Period(m.Window), c.Workspace.Currency
	a.ShowAll(true)
	a.Rows = allocationRows(m, plan, 1, shown)
	a.Summary = planSummary(c, a.Metrics, plan, fmt.Sprintf("over %d weeks", m.Weeks))
	warnPlan(c, &a.Closing, plan)
	c.WarnTests(&a.Closing, m)
	c.Suggest(&a.Closing, "optimization", map[string]any{}, "See saturation and marginal returns by channel.")
	c.Describe(&a.Closing, answer.DataQuality{Revenue: c.Workspace.Basis.String(), Method: toolkit.MmmMethod}, snapshot.FromOrders, snapshot.FromAds, snapshot.FromSpend)
	return a, nil
}

// modelled reads names of channels that must be in the model; all of the model's when none is named.
func modelled(m *mix.Model, parameter string, names []string) ([]measure.Channel, error) {
	known := m.Posterior().Channels()
	if len(names) == 0 {
		return known, nil
	}
	var out []measure.Channel
	for _, name := range names {
		channel := measure.ParseChannel(name)
		if !slices.Contains(known, channel) {
			all := make([]string, len(known))
			for i, k := range known {
				all[i] = answer.Clean(string(k))
			}
			return nil, fault.Invalid("%s names %q, which is not in the model; in it are %s", parameter, answer.Clean(name), answer.ListedUpTo(toolkit.NamedChannels, all)).
				WithHint("Use these names, or leave %s out.", parameter)
		}
		out = append(out, channel)
	}
	return out, nil
}

// limitsOf reads constraints by channel. Two spellings of one channel contradict each other.
func limitsOf(m *mix.Model, constraints map[string]bounds) (map[measure.Channel]mmm.Bounds, error) {
	limits := map[measure.Channel]mmm.Bounds{}
	for _, name := range slices.Sorted(maps.Keys(constraints)) {
		channels, err := modelled(m, "constraints", []string{name})
		if err != nil {
			return nil, err
		}
		if _, twice := limits[channels[0]]; twice {
			return nil, fault.Invalid("constraints name %s twice", channels[0]).WithHint("Name each channel once.")
		}
		limits[channels[0]] = mmm.Bounds(constraints[name])
	}
	return limits, nil
}

// planMetricsOf says what a plan promises; times turns amounts over the window into those of the answer's period.
func planMetricsOf(c *toolkit.Call, m *mix.Model, plan *mix.Plan, budget, times float64) planMetrics {
	out := planMetrics{
		Budget: answer.Money(times * budget), CurrentSpend: answer.Money(times * m.Spend()), Lift: toolkit.Posterior[answer.Money](plan.Lift, times),
		BetterPct: answer.Percent(100 * plan.BeatsCurrent), Confidence: "low", Advice: string(plan.Advice.Action), Why: plan.Advice.Reasons,
		AgreementPct: answer.Percent(100 * plan.Agreement),
	}
	if math.Abs(plan.Times-1) > 0.001 {
		out.Change = new(toolkit.Posterior[answer.Money](plan.Change, times))
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
	if plan.Advice.Settle != nil {
		out.TestFirst = plan.Advice.Settle.Channel
	}
	return out
}

// allocationRows lists what a plan gives the channels, largest change first.
func allocationRows(m *mix.Model, plan *mix.Plan, times float64, shown []measure.Channel) []allocationRow {
	rows := []allocationRow{}
	for _, a := range plan.Allocations {
		if !slices.Contains(shown, a.Channel) {
			continue
		}
		current := m.Posterior().Spend(a.Channel)
		row := allocationRow{
			Channel: a.Channel, Current: answer.Money(times * current), Proposed: answer.Money(times * a.Proposed),
			ChangePct: answer.PercentOf(measure.Change(a.Proposed, current)), MarginalROAS: answer.Ratio(a.MarginalROAS), Unseen: a.Unseen,
		}
		if a.RightWay != nil {
			row.RightPct = new(answer.Percent(100 * *a.RightWay))
		}
		rows = append(rows, row)
	}
	sortBy(rows, func(r allocationRow) float64 {
		return -max(float64(r.Proposed-r.Current), float64(r.Current-r.Proposed))
	})
	return rows
}

func planSummary(c *toolkit.Call, m planMetrics, plan *mix.Plan, over string) string {
	var up, down decide.Allocation
	for _, a := range plan.Allocations {
		if a.Proposed-a.Current > up.Proposed-up.Current {
			up = a
		}
		if a.Proposed-a.Current < down.Proposed-down.Current {
			down = a
		}
	}
	text := fmt.Sprintf("%s %s, divided by the plan, %s.", c.Spelled(m.Budget), over, gain(c, m.Lift, " than divided as today"))
	if m.Change != nil {
		text += fmt.Sprintf(" Against the %s spent now, it %s.", c.Spelled(m.CurrentSpend), gain(c, *m.Change, ""))
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

// gain says of a change of revenue whether it is a gain, a loss, or not clearly either.
func gain(c *toolkit.Call, e answer.Estimate[answer.Money], than string) string {
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

// warnPlan says what a plan does not know.
func warnPlan(c *toolkit.Call, a *answer.Closing, plan *mix.Plan) {
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
