// Package tools holds the service's tools: one file each, one list of all, and what they share: how a call is made,
// what an answer looks like and how it is written.
package tools

import (
	"context"

	"assay/internal/mcp"
)

// Tool is one of the service's tools. What its handler is given besides the arguments is a [Call].
type Tool = mcp.Tool[*Call]

// All returns every tool in the contract's order.
func All() []Tool {
	return []Tool{
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

// define makes a tool that only reads. Its parameters embed [shared], which says how the answer is written.
func define[P viewer, A answer](spec mcp.Spec, run func(context.Context, *Call, P) (A, error)) Tool {
	spec.Repeatable = true
	return mcp.NewTool(spec, func(ctx context.Context, call *Call, p P) (A, error) {
		call.view = p.viewed()
		return run(ctx, call, p)
	})
}
