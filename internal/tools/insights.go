package tools

import (
	"context"
	"fmt"

	"assay/internal/answer"
	"assay/internal/decision"
	"assay/internal/toolkit"
)

// Insights is the `insights` tool.
var Insights = toolkit.Define(toolkit.Spec{
	Name:        "insights",
	Title:       "Insights",
	Description: "Automatic findings by priority, each with a recommended action.",
	Reads:       decision.Wants,
	Uncached:    true, // the answer depends on the expiry of keys; the findings are cached
}, runInsights)

type insightsParams struct {
	answer.Paged
	Priority decision.Priority `json:"priority" enum:"low|medium|high|critical" doc:"Only this priority."`
	answer.Shared
}

// InsightsAnswer is the answer of the `insights` tool.
type InsightsAnswer struct {
	answer.Opening
	Estimates *answer.Estimates      `json:"estimates,omitempty"`
	Metrics   decision.InsightCounts `json:"metrics" doc:"Current insights by priority."`
	answer.Table[decision.Insight]
	answer.Closing
}

func runInsights(ctx context.Context, c *toolkit.Call, p insightsParams) (*InsightsAnswer, error) {
	all, found, err := decision.Insights(ctx, c)
	if err != nil {
		return nil, err
	}
	shown := decision.OfPriority(all, p.Priority)
	page := p.Page(&c.Writer)
	a := &InsightsAnswer{Metrics: decision.Counted(all)}
	a.Currency, a.Rows = c.Workspace.Currency, append([]decision.Insight{}, answer.Cut(page, shown)...)
	a.Pagination = page.Pagination(len(a.Rows), len(shown))
	if len(all) > 0 {
		a.Estimates = new(found.Estimates())
	}
	a.Summary = insightsSummary(c, a, all)
	if len(a.Rows) > 0 {
		c.Suggest(&a.Closing, "decision_feed", map[string]any{}, "See the next decisions in order.")
	}
	c.Describe(&a.Closing, answer.DataQuality{Revenue: c.Workspace.Basis.String(), Method: decision.Method})
	return a, nil
}

func insightsSummary(c *toolkit.Call, a *InsightsAnswer, all []decision.Insight) string {
	switch {
	case c.Store.Empty():
		a.Warn(answer.WarnNoData, "No data have been imported into this workspace.")
		c.Suggest(&a.Closing, "diagnose", map[string]any{}, "Check which data are missing.")
		return "There are no insights: no data have been imported into this workspace."
	case len(all) == 0:
		return "There are no current insights: no series deviates clearly from its history, and no check fails."
	}
	return fmt.Sprintf("%s current: %d critical, %d high, %d medium and %d low. First: %s", answer.Plural(len(all), "insight is", "insights are"),
		a.Metrics.Critical, a.Metrics.High, a.Metrics.Medium, a.Metrics.Low, all[0].Finding)
}
