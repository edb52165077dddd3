package tools

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"assay/internal/fault"
	"assay/internal/mcp"
	"assay/internal/measure"
	"assay/internal/measure/decide"
	"assay/internal/measure/mix"
	"assay/internal/measure/mmm"
)

var optimizeBudget = define(mcp.Spec{
	Name:        "optimize_budget",
	Title:       "Optimize a budget",
	Description: "Split a budget between channels by the media mix model, with the expected lift. Needs a trained model.",
}, runOptimizeBudget)

type optimizeBudgetParams struct {
	TotalBudget float64           `json:"total_budget" required:"true" min:"0" doc:"For a period as long as the model's training window."`
	Channels    []string          `json:"channels" doc:"Channels to return. Default all."`
	Constraints map[string]bounds `json:"constraints" doc:"Least and most spend by channel: {\"facebook\":{\"min\":0,\"max\":5000}}."`
	shared
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
			return fault.Invalid("constraints.%s has min %v above max %v", clean(channel), *b.Min, *b.Max).
				WithHint("Set min to at most max.")
		}
		if b.Min != nil {
			least += *b.Min
		}
	}
	if least > p.TotalBudget {
		return fault.Invalid("constraints need at least %s, and total_budget is %s", number(least), number(p.TotalBudget)).
			WithHint("Raise total_budget, or lower the minima.")
	}
	return nil
}

type optimizeBudgetAnswer struct {
	opening
	Model     modelInfo   `json:"model"`
	Estimates Estimates   `json:"estimates"`
	Metrics   planMetrics `json:"metrics"`
	table[allocationRow]
	closing
}

// planMetrics is what a plan promises over the period it is for.
type planMetrics struct {
	Budget       Money            `json:"budget"`
	CurrentSpend Money            `json:"current_spend" doc:"Of the model's channels, over a period as long."`
	Lift         Estimate[Money]  `json:"expected_lift" doc:"Revenue more than the same budget brings when it is divided as today."`
	Change       *Estimate[Money] `json:"expected_change,omitempty" doc:"Revenue more than current spend brings, where the budget is another."`
	BetterPct    Percent          `json:"better_pct" doc:"Chance that the plan brings more than the same budget divided as today."`
	Confidence   string           `json:"confidence" doc:"high from 95 % chance on, medium from 80 % on, else low."`
	Advice       string           `json:"advice" doc:"shift: move the money; hold: leave it until more is known."`
	Why          []string         `json:"why,omitempty" doc:"Reasons for the advice. Current spends are today's, scaled to the budget."`
	TestFirst    measure.Channel  `json:"test_first,omitempty" doc:"Channel whose experiment would be worth most."`
	AgreementPct Percent          `json:"agreement_pct,omitempty" detail:"analyst" doc:"Share of the budget that two halves of the draws divide alike."`
	GapPct       *Percent         `json:"gap_pct,omitempty" detail:"analyst" doc:"How far at most the plan is from the best one, of its value."`
}

// allocationRow is what a plan gives a channel.
type allocationRow struct {
	Channel      measure.Channel `json:"channel"`
	Current      Money           `json:"current_spend"`
	Proposed     Money           `json:"proposed_spend"`
	ChangePct    *Percent        `json:"change_pct,omitempty"`
	MarginalROAS Ratio           `json:"marginal_roas" doc:"Expected revenue of the next unit of money at the proposed spend."`
	RightPct     *Percent        `json:"right_way_pct,omitempty" detail:"analyst" doc:"Chance that the money moved earns more where it goes."`
	Unseen       bool            `json:"beyond_data,omitempty" doc:"More than was ever spent: the assumed shape speaks, not data."`
}

func runOptimizeBudget(_ context.Context, c *Call, p optimizeBudgetParams) (*optimizeBudgetAnswer, error) {
	m, err := c.model()
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
	a := &optimizeBudgetAnswer{Model: c.modelInfo(m), Estimates: modelEstimates(), Metrics: c.planMetrics(m, plan, p.TotalBudget, 1)}
	a.Period, a.Currency = c.period(m.Window), c.Workspace.Currency
	a.allRows = true
	a.Rows = allocationRows(m, plan, 1, shown)
	a.Summary = c.planSummary(a.Metrics, plan, fmt.Sprintf("over %d weeks", m.Weeks))
	c.warnPlan(&a.closing, plan)
	c.warnTests(&a.closing, m)
	c.suggest(&a.closing, "optimization", map[string]any{}, "See saturation and marginal returns by channel.")
	c.describe(&a.closing, DataQuality{Revenue: c.Workspace.Basis.String(), Method: mmmMethod}, fromOrders, fromAds, fromSpend)
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
				all[i] = clean(string(k))
			}
			return nil, fault.Invalid("%s names %q, which is not in the model; in it are %s", parameter, clean(name), listedUpTo(namedChannels, all)).
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

// planMetrics says what a plan promises; times turns amounts over the window into those of the answer's period.
func (c *Call) planMetrics(m *mix.Model, plan *mix.Plan, budget, times float64) planMetrics {
	out := planMetrics{
		Budget: Money(times * budget), CurrentSpend: Money(times * m.Spend()), Lift: posterior[Money](plan.Lift, times),
		BetterPct: Percent(100 * plan.BeatsCurrent), Confidence: "low", Advice: string(plan.Advice.Action), Why: plan.Advice.Reasons,
		AgreementPct: Percent(100 * plan.Agreement),
	}
	if math.Abs(plan.Times-1) > 0.001 {
		out.Change = new(posterior[Money](plan.Change, times))
	}
	switch {
	case plan.BeatsCurrent >= 0.95:
		out.Confidence = "high"
	case plan.BeatsCurrent >= 0.8:
		out.Confidence = "medium"
	}
	if plan.Certificate.UpperBound > 0 {
		out.GapPct = new(Percent(100 * plan.Certificate.Gap()))
	}
	if plan.Advice.BestExperiment != nil {
		out.TestFirst = plan.Advice.BestExperiment.Channel
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
			Channel: a.Channel, Current: Money(times * current), Proposed: Money(times * a.Proposed),
			ChangePct: percent(measure.Change(a.Proposed, current)), MarginalROAS: Ratio(a.MarginalROAS), Unseen: a.Unseen,
		}
		if a.RightWay != nil {
			row.RightPct = new(Percent(100 * *a.RightWay))
		}
		rows = append(rows, row)
	}
	sortBy(rows, func(r allocationRow) float64 {
		return -max(float64(r.Proposed-r.Current), float64(r.Current-r.Proposed))
	})
	return rows
}

func (c *Call) planSummary(m planMetrics, plan *mix.Plan, over string) string {
	var up, down decide.Allocation
	for _, a := range plan.Allocations {
		if a.Proposed-a.Current > up.Proposed-up.Current {
			up = a
		}
		if a.Proposed-a.Current < down.Proposed-down.Current {
			down = a
		}
	}
	text := fmt.Sprintf("%s %s, divided by the plan, %s.", c.spelled(m.Budget), over, c.gain(m.Lift, " than divided as today"))
	if m.Change != nil {
		text += fmt.Sprintf(" Against the %s spent now, it %s.", c.spelled(m.CurrentSpend), c.gain(*m.Change, ""))
	}
	var moves []string
	if up.Channel != "" {
		moves = append(moves, "most goes to "+spoken(up.Channel))
	}
	if down.Channel != "" {
		moves = append(moves, "most comes from "+spoken(down.Channel))
	}
	if len(moves) > 0 {
		text += " By the plan, " + strings.Join(moves, " and ") + "."
	}
	return text + fmt.Sprintf(" Advice: %s, with %s confidence.", m.Advice, m.Confidence)
}

// gain says of a change of revenue whether it is a gain, a loss, or not clearly either.
func (c *Call) gain(e Estimate[Money], than string) string {
	expected := c.spelled(Money(math.Abs(float64(e.Value)))) + " more revenue" + than
	if e.Value < 0 {
		expected = c.spelled(-e.Value) + " less revenue" + than
	}
	switch {
	case e.Low > 0:
		return fmt.Sprintf("is expected to bring %s (90 %% interval %s to %s more)", expected, c.spelled(e.Low), c.spelled(e.High))
	case e.High < 0:
		return fmt.Sprintf("is expected to bring %s (90 %% interval %s to %s less)", expected, c.spelled(-e.High), c.spelled(-e.Low))
	case e.Low == 0 && e.High == 0:
		return "changes no revenue"
	}
	return fmt.Sprintf("makes no clear difference: %s is expected, with a 90 %% interval from %s less to %s more", expected, c.spelled(-e.Low), c.spelled(e.High))
}

// warnPlan says what a plan does not know.
func (c *Call) warnPlan(a *closing, plan *mix.Plan) {
	c.warnModelAge(a)
	if plan.Advice.Action == decide.Hold {
		a.warn("hold", "The evidence does not carry this shift: leave the money where it is until more is known.")
	}
	var beyond []string
	for _, one := range plan.Allocations {
		if one.Unseen {
			beyond = append(beyond, clean(string(one.Channel)))
		}
	}
	if len(beyond) > 0 {
		a.warn("beyond_data", "The plan spends more than was ever seen on "+listed(beyond)+": there the assumed shape speaks, not data.")
	}
}
