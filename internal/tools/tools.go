// Package tools contains the service's tools: one file for each tool, and the list of all tools.
package tools

import (
	"assay/internal/toolkit"
)

// All returns every tool in the contract's order.
func All() []toolkit.Tool {
	return []toolkit.Tool{
		Performance.Tool,
		EmailLifecycle.Tool,
		Campaigns.Tool,
		Trends.Tool,
		Customers.Tool,
		Surveys.Tool,
		Products.Tool,
		Influencers.Tool,
		Forecasting.Tool,
		Creators.Tool,
		Omnichannel.Tool,
		Lifecycle.Tool,
		Chart.Tool,
		Optimization.Tool,
		AutopilotPlan.Tool,
		OptimizeBudget.Tool,
		Experiments.Tool,
		GeoExperimentPreflight.Tool,
		Insights.Tool,
		DecisionFeed.Tool,
		Manage.Tool,
		ProposeBudgetShift.Tool,
		PauseCampaign.Tool,
		ResumeCampaign.Tool,
		Discover.Tool,
		Explain.Tool,
		Ask.Tool,
		Compare.Tool,
		Diagnose.Tool,
	}
}
