package tools

import (
	"context"
	"fmt"
	"strings"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/decision"
	"assay/internal/toolkit"
)

// AutopilotPlan is the `autopilot_plan` tool.
var AutopilotPlan = toolkit.Define(toolkit.Spec{
	Name:        "autopilot_plan",
	Title:       "Plan of next steps",
	Description: "Plan of data checks, budget changes, experiments and reviews for the next 3 to 30 days. The plan executes nothing.",
	Reads:       decision.Wants,
	Uncached:    true, // the answer depends on the expiry of keys; the findings are cached
}, runAutopilotPlan)

type autopilotPlanParams struct {
	RiskTolerance string `json:"riskTolerance" enum:"conservative|balanced|aggressive" default:"balanced" doc:"Risk tolerance."`
	HorizonDays   int    `json:"horizonDays" default:"14" min:"3" max:"30" doc:"Days to plan."`
	answer.Shared
}

// AutopilotPlanAnswer is the answer of the `autopilot_plan` tool. The tool does not execute the steps.
type AutopilotPlanAnswer struct {
	answer.Opening
	RiskTolerance string              `json:"risk_tolerance"`
	Metrics       decision.StepCounts `json:"metrics" doc:"Steps by kind."`
	answer.Table[decision.Step]
	answer.Closing
}

func runAutopilotPlan(ctx context.Context, c *toolkit.Call, p autopilotPlanParams) (*AutopilotPlanAnswer, error) {
	plan, err := decision.NewPlan(ctx, c, decision.Ask{Risk: p.RiskTolerance, Days: p.HorizonDays})
	if err != nil {
		return nil, err
	}
	a := &AutopilotPlanAnswer{RiskTolerance: p.RiskTolerance, Metrics: plan.Counts()}
	days := civil.Range{First: c.Today.AddDays(1), Last: c.Today.AddDays(p.HorizonDays)}
	a.Period, a.Currency = c.Period(days), c.Workspace.Currency
	a.Period.Partial = false
	a.Rows = append([]decision.Step{}, plan.Steps...)
	a.Summary = fmt.Sprintf("The %s plan for %d days has %s: %s, %s, %s and %s. Nothing is executed.", p.RiskTolerance, p.HorizonDays,
		answer.Plural(len(plan.Steps), "step", "steps"), answer.Plural(a.Metrics.Checks, "check", "checks"), answer.Plural(a.Metrics.Moves, "budget change", "budget changes"),
		answer.Plural(a.Metrics.Experiments, "experiment step", "experiment steps"), answer.Plural(a.Metrics.Reviews, "review", "reviews"))
	if len(plan.Reasons) > 0 {
		a.Warn(answer.WarnHold, strings.Join(plan.Reasons, " "))
	}
	if c.Store.Empty() {
		a.Warn(answer.WarnNoData, "No data have been imported into this workspace.")
		c.Suggest(&a.Closing, "diagnose", map[string]any{}, "Check which data are missing.")
	}
	c.WarnModelAge(&a.Closing)
	c.Describe(&a.Closing, answer.DataQuality{Revenue: c.Workspace.Basis.String(), Method: decision.Method})
	return a, nil
}
