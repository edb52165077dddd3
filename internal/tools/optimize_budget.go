package tools

import (
	"context"
	"maps"
	"slices"

	"assay/internal/answer"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/mix"
	"assay/internal/measure/mmm"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
)

// OptimizeBudget is the `optimize_budget` tool.
var OptimizeBudget = toolkit.Define(toolkit.Spec{
	Name:        "optimize_budget",
	Title:       "Optimize a budget",
	Description: "Optimize the allocation of a budget across channels with the media mix model. The tool requires a trained model.",
	Model:       true,
	Reads:       snapshot.Wants{Experiments: true},
	Arguments:   map[string]any{"total_budget": 250000},
}, runOptimizeBudget)

type optimizeBudgetParams struct {
	TotalBudget float64           `json:"total_budget" required:"true" min:"0" doc:"For a period as long as the model's training window."`
	Channels    []string          `json:"channels" doc:"Channels to return. Default all."`
	Constraints map[string]bounds `json:"constraints" doc:"Minimum and maximum spend by channel: {\"facebook\":{\"min\":0,\"max\":5000}}."`
	answer.Shared
}

// bounds are the minimum and maximum spend of a channel.
type bounds struct {
	Min *float64 `json:"min" min:"0" doc:"Minimum spend."`
	Max *float64 `json:"max" min:"0" doc:"Maximum spend."`
}

// Check rejects constraints that the budget cannot meet.
func (p optimizeBudgetParams) Check() error {
	var least float64
	for _, channel := range slices.Sorted(maps.Keys(p.Constraints)) {
		b := p.Constraints[channel]
		if b.Min != nil && b.Max != nil && *b.Min > *b.Max {
			return fault.Invalid("constraints.%s: min %v exceeds max %v", answer.Clean(channel), *b.Min, *b.Max).
				WithHint("Set min to at most max.") // the caller decides which of the two is wrong
		}
		if b.Min != nil {
			least += *b.Min
		}
	}
	if least > p.TotalBudget {
		return fault.Invalid("the minimums in constraints add up to %s, but total_budget is %s", answer.Quantity(least), answer.Quantity(p.TotalBudget)).
			WithHint("Raise total_budget, or lower the minimums.")
	}
	return nil
}

// OptimizeBudgetAnswer is the answer of the `optimize_budget` tool.
type OptimizeBudgetAnswer struct {
	answer.Opening
	Model     toolkit.ModelInfo   `json:"model"`
	Estimates answer.Estimates    `json:"estimates"`
	Metrics   toolkit.PlanMetrics `json:"metrics"`
	answer.Table[AllocationRow]
	answer.Closing
}

// AllocationRow is the current and optimized spend of a channel.
type AllocationRow struct {
	Channel      measure.Channel `json:"channel"`
	Current      answer.Money    `json:"current_spend"`
	Proposed     answer.Money    `json:"proposed_spend"`
	ChangePct    *answer.Percent `json:"change_pct,omitempty"`
	MarginalROAS answer.Ratio    `json:"marginal_roas" doc:"Expected marginal ROAS at the proposed spend."`
	RightPct     *answer.Percent `json:"right_way_pct,omitempty" detail:"analyst" doc:"Probability that moving spend to or from the channel increases incremental revenue."`
	BeyondData   bool            `json:"beyond_data,omitempty" doc:"true if the proposed spend is above the observed range: the estimate extrapolates the response curve."`
}

func runOptimizeBudget(ctx context.Context, c *toolkit.Call, p optimizeBudgetParams) (*OptimizeBudgetAnswer, error) {
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
		return nil, fault.Invalid("total_budget is 0: there is no budget to allocate").
			WithHint(`Use an amount above 0, such as the current spend: {"total_budget":%.0f}`, m.Spend())
	}
	start, err := c.PlanStart(ctx, m)
	if err != nil {
		return nil, err
	}
	plan, err := m.Plan(start.Ask(mix.Ask{Budget: p.TotalBudget, Bounds: limits}))
	if err != nil {
		return nil, err
	}
	a := &OptimizeBudgetAnswer{Model: c.ModelInfo(m), Estimates: toolkit.ModelEstimates(), Metrics: start.Metrics(c, m, plan, p.TotalBudget, 1)}
	a.Period, a.Currency = c.Period(m.Window), c.Workspace.Currency
	a.ShowAll(true)
	a.Rows = allocationRows(plan, 1, shown)
	if err := c.AddBest(ctx, &a.Metrics, nil); err != nil {
		return nil, err
	}
	a.Summary = toolkit.PlanSummary(c, a.Metrics, plan, m.Weeks)
	c.WarnProfit(&a.Closing, a.Metrics)
	toolkit.WarnPlan(c, &a.Closing, plan)
	c.WarnTests(&a.Closing, m)
	c.Suggest(&a.Closing, "optimization", map[string]any{}, "See saturation and marginal ROAS by channel.")
	c.Describe(&a.Closing, answer.DataQuality{Revenue: c.Workspace.Basis.String(), Method: toolkit.MmmMethod, Costs: c.CostsSentence(start.Profit)}, snapshot.FromOrders, snapshot.FromAds, snapshot.FromSpend)
	return a, nil
}

// modelled parses names of channels that must be in the model. Without names it returns all channels of the model.
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
				all[i] = string(k)
			}
			return nil, fault.Invalid("%s: %q is not in the model; the channels of the model are %s", parameter, answer.Clean(name), answer.Known(toolkit.NamedChannels, all)).
				WithHint("Use these names, or omit %s.", parameter)
		}
		out = append(out, channel)
	}
	return out, nil
}

// limitsOf parses constraints by channel. It rejects two spellings of one channel.
func limitsOf(m *mix.Model, constraints map[string]bounds) (map[measure.Channel]mmm.Bounds, error) {
	limits := map[measure.Channel]mmm.Bounds{}
	for _, name := range slices.Sorted(maps.Keys(constraints)) {
		channels, err := modelled(m, "constraints", []string{name})
		if err != nil {
			return nil, err
		}
		if _, twice := limits[channels[0]]; twice {
			return nil, fault.Invalid("constraints contain %s twice", channels[0]).WithHint("Name each channel once.")
		}
		limits[channels[0]] = mmm.Bounds(constraints[name])
	}
	return limits, nil
}

// allocationRows lists current and optimized spend by channel, largest change first.
func allocationRows(plan *mix.Plan, times float64, shown []measure.Channel) []AllocationRow {
	rows := []AllocationRow{}
	for _, a := range plan.Allocations {
		if !slices.Contains(shown, a.Channel) {
			continue
		}
		current := a.Current / plan.Times
		row := AllocationRow{
			Channel: a.Channel, Current: answer.Money(times * current), Proposed: answer.Money(times * a.Proposed),
			ChangePct: answer.PercentOf(measure.Change(a.Proposed, current)), MarginalROAS: answer.Ratio(a.MarginalROAS), BeyondData: a.Unseen,
		}
		if a.RightWay != nil {
			row.RightPct = new(answer.Percent(100 * *a.RightWay))
		}
		rows = append(rows, row)
	}
	toolkit.SortBy(rows, func(r AllocationRow) float64 {
		return -max(float64(r.Proposed-r.Current), float64(r.Current-r.Proposed))
	})
	return rows
}
