package tools

import (
	"context"
	"fmt"

	"assay/internal/answer"
	"assay/internal/decision"
	"assay/internal/toolkit"
)

// DecisionFeed is the `decision_feed` tool.
var DecisionFeed = toolkit.Define(toolkit.Spec{
	Name:        "decision_feed",
	Title:       "Next decisions",
	Description: "Next decisions about data, models, experiments and budgets, in recommended order.",
	Reads:       decision.Wants,
	Uncached:    true, // the answer depends on the expiry of keys; the findings are cached
}, runDecisionFeed)

type decisionFeedParams struct {
	Limit int `json:"limit" default:"8" min:"1" max:"100" doc:"Maximum number of decisions."`
	answer.Shared
}

// DecisionFeedAnswer is the answer of the `decision_feed` tool.
type DecisionFeedAnswer struct {
	answer.Opening
	Metrics decision.Readable `json:"metrics"`
	answer.Table[decision.Decision]
	answer.Closing
}

func runDecisionFeed(ctx context.Context, c *toolkit.Call, p decisionFeedParams) (*DecisionFeedAnswer, error) {
	all, err := decision.Feed(ctx, c)
	if err != nil {
		return nil, err
	}
	a := &DecisionFeedAnswer{Metrics: decision.State(c, all)}
	if !c.LimitGiven && c.View.DetailLevel == answer.SummaryLevel {
		p.Limit = min(p.Limit, answer.SummaryRows)
	}
	a.Currency, a.Rows = c.Workspace.Currency, append([]decision.Decision{}, all[:min(p.Limit, len(all))]...)
	switch {
	case len(all) > 0:
		a.Summary = fmt.Sprintf("%s open. First: %s %s", answer.Plural(len(all), "decision is", "decisions are"), all[0].Decision, all[0].Why)
	case c.Store.Empty():
		a.Warn(answer.WarnNoData, "No data have been imported into this workspace.")
		a.Summary = "No data have been imported into this workspace. The first decision is to import data."
		c.Suggest(&a.Closing, "diagnose", map[string]any{}, "Check which data are missing.")
	default:
		a.Summary = "No decision is open."
	}
	c.Describe(&a.Closing, answer.DataQuality{Revenue: c.Workspace.Basis.String(), Method: decision.Method})
	return a, nil
}
