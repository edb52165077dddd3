package main

import (
	"encoding/json"
	"slices"

	"assay/internal/tools"
)

// asked is a call that is measured.
type asked struct {
	name      string
	tool      string
	arguments string
	perAnswer bool // the answer is computed for each call and never cached
}

// views lists calls with arguments that differ from the tool's default call.
var views = []asked{
	{name: "discover channels", tool: "discover", arguments: `{"aspect":"channels"}`},
	{name: "discover integrations", tool: "discover", arguments: `{"aspect":"integrations"}`},
	{name: "performance markov", tool: "performance", arguments: `{"model":"markov"}`},
	{name: "performance shapley", tool: "performance", arguments: `{"model":"shapley"}`},
	{name: "campaigns creative", tool: "campaigns", arguments: `{"level":"creative"}`},
	{name: "products coupons", tool: "products", arguments: `{"view":"coupons"}`},
	{name: "customers retention", tool: "customers", arguments: `{"view":"retention"}`},
	{name: "customers journeys", tool: "customers", arguments: `{"view":"journeys"}`},
	{name: "customers ltv", tool: "customers", arguments: `{"view":"ltv"}`},
	{name: "lifecycle ltv", tool: "lifecycle", arguments: `{"aspect":"ltv"}`},
	{name: "surveys individual", tool: "surveys", arguments: `{"view":"individual"}`},
	{name: "influencers top_performers", tool: "influencers", arguments: `{"action":"top_performers"}`},
	{name: "forecasting alerts", tool: "forecasting", arguments: `{"aspect":"alerts"}`},
	{name: "forecasting targets", tool: "forecasting", arguments: `{"aspect":"targets"}`},
	{name: "chart by channel", tool: "chart", arguments: `{"metric":"revenue","breakdown":"channel"}`},
	{name: "ask", tool: "ask", arguments: `{"question":"How much revenue did we make last week, and which campaigns spent most?"}`, perAnswer: true},
}

// elsewhere lists the tools that have a benchmark of their own.
var elsewhere = []string{"geo_experiment_preflight"}

// calls returns the default call of each tool that reads the store without a model, followed by the calls of the tool's
// other views.
func calls() []asked {
	var all []asked
	for _, t := range tools.All() {
		if t.Writes || t.Model || slices.Contains(elsewhere, t.Name) {
			continue
		}
		arguments := t.Arguments
		if arguments == nil {
			arguments = map[string]any{}
		}
		text, err := json.Marshal(arguments)
		if err != nil {
			panic(err) // the example of a tool can be encoded
		}
		all = append(all, asked{name: t.Name, tool: t.Name, arguments: string(text), perAnswer: t.Uncached})
		for _, v := range views {
			if v.tool == t.Name {
				all = append(all, v)
			}
		}
	}
	return all
}
