package tools

import (
	"context"
	"strings"

	"assay/internal/answer"
	"assay/internal/fault"
	"assay/internal/measure/mix"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
)

// Optimization is the `optimization` tool.
var Optimization = toolkit.Define(toolkit.Spec{
	Name:        "optimization",
	Title:       "Media mix model results",
	Description: "Media mix model (MMM): saturation, marginal ROAS and optimized allocation by channel. Requires an active model.",
	Model:       true,
	Reads:       snapshot.Wants{Experiments: true},
}, runOptimization)

type optimizationParams struct {
	BudgetConstraint *float64 `json:"budget_constraint" min:"0" doc:"Total monthly budget."`
	Question         string   `json:"question" doc:"Question about the model's results."`
	answer.Shared
}

// OptimizationAnswer is the answer of the `optimization` tool. If the call has a question, the summary answers the
// question.
type OptimizationAnswer struct {
	answer.Opening
	Model     toolkit.ModelInfo   `json:"model"`
	Estimates answer.Estimates    `json:"estimates"`
	Metrics   toolkit.PlanMetrics `json:"metrics" doc:"For the optimized allocation of the monthly budget."`
	answer.Table[toolkit.MixRow]
	answer.Closing
}

func runOptimization(ctx context.Context, c *toolkit.Call, p optimizationParams) (*OptimizationAnswer, error) {
	if _, err := c.Model(); err != nil {
		return nil, err
	}
	current, err := c.CurrentPlan(ctx)
	if err != nil {
		return nil, err
	}
	m, start, budget, plan := current.Model, current.Start, current.Budget, current.Plan
	if p.BudgetConstraint != nil {
		if *p.BudgetConstraint == 0 {
			return nil, fault.Invalid("budget_constraint is 0: there is no budget to allocate").
				WithHint(`Use a monthly amount above 0, such as the current spend per month: {"budget_constraint":%.0f}`, budget/m.Months())
		}
		budget = *p.BudgetConstraint * m.Months()
		if plan, err = m.Plan(start.Ask(mix.Ask{Budget: budget})); err != nil {
			return nil, err
		}
	}
	monthly := 1 / m.Months()
	a := &OptimizationAnswer{Model: c.ModelInfo(m), Estimates: toolkit.ModelEstimates(), Metrics: start.Metrics(c, m, plan, budget, monthly)}
	a.Period, a.Currency = c.Period(m.Window), c.Workspace.Currency
	a.Rows = start.MixRows(m, plan, monthly)
	if err := c.AddBest(ctx, &a.Metrics, a.Rows); err != nil {
		return nil, err
	}
	a.Summary = toolkit.PlanSummary(c, a.Metrics, plan, 0)
	if strings.TrimSpace(p.Question) != "" {
		a.Summary = toolkit.AnswerAboutModel(c, p.Question, toolkit.ModelResults{Rows: a.Rows, Model: a.Model, Metrics: a.Metrics})
	}
	c.WarnProfit(&a.Closing, a.Metrics)
	toolkit.WarnPlan(c, &a.Closing, plan)
	c.WarnTests(&a.Closing, m)
	c.Suggest(&a.Closing, "optimize_budget", map[string]any{"total_budget": answer.Decimals(budget, 0)}, "Optimize a budget with spend limits by channel.")
	c.Suggest(&a.Closing, "performance", map[string]any{}, "Compare the estimates with attributed revenue by channel.")
	c.Describe(&a.Closing, answer.DataQuality{Revenue: c.Workspace.Basis.String(), Method: toolkit.MmmMethod, Costs: c.CostsSentence(start.Profit)}, snapshot.FromOrders, snapshot.FromAds, snapshot.FromSpend)
	return a, nil
}
