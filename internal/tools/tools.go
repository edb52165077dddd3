// Package tools contains the service's tools: one file each and one list of all.
package tools

import (
	"assay/internal/toolkit"
)

// All returns every tool in the contract's order.
func All() []toolkit.Tool {
	return []toolkit.Tool{
		performance,
		emailLifecycle,
		campaigns,
		trends,
		customers,
		surveys,
		products,
		influencers,
		forecasting,
		creators,
		omnichannel,
		lifecycle,
		chart,
		optimization,
		autopilotPlan,
		optimizeBudget,
		experiments,
		geoExperimentPreflight,
		insights,
		decisionFeed,
		manage,
		proposeBudgetShift,
		pauseCampaign,
		resumeCampaign,
		discover,
		explain,
		ask,
		compare,
		diagnose,
	}
}
