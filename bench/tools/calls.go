package main

// asked is a call that is measured.
type asked struct {
	name      string
	tool      string
	arguments string
	perAnswer bool // the answer is made for each call and never kept
}

// calls are the default calls of the tools that describe a store, with each of their views.
var calls = []asked{
	{name: "discover", tool: "discover", arguments: `{}`},
	{name: "discover channels", tool: "discover", arguments: `{"aspect":"channels"}`},
	{name: "discover integrations", tool: "discover", arguments: `{"aspect":"integrations"}`},
	{name: "diagnose", tool: "diagnose", arguments: `{}`, perAnswer: true},
	{name: "performance", tool: "performance", arguments: `{}`},
	{name: "performance markov", tool: "performance", arguments: `{"model":"markov"}`},
	{name: "performance shapley", tool: "performance", arguments: `{"model":"shapley"}`},
	{name: "compare", tool: "compare", arguments: `{}`},
	{name: "trends", tool: "trends", arguments: `{}`},
	{name: "campaigns", tool: "campaigns", arguments: `{}`},
	{name: "campaigns creative", tool: "campaigns", arguments: `{"level":"creative"}`},
	{name: "products", tool: "products", arguments: `{}`},
	{name: "products coupons", tool: "products", arguments: `{"view":"coupons"}`},
	{name: "email_lifecycle", tool: "email_lifecycle", arguments: `{}`},
	{name: "customers segments", tool: "customers", arguments: `{}`},
	{name: "customers retention", tool: "customers", arguments: `{"view":"retention"}`},
	{name: "customers journeys", tool: "customers", arguments: `{"view":"journeys"}`},
	{name: "customers ltv", tool: "customers", arguments: `{"view":"ltv"}`},
	{name: "lifecycle summary", tool: "lifecycle", arguments: `{}`},
	{name: "lifecycle ltv", tool: "lifecycle", arguments: `{"aspect":"ltv"}`},
	{name: "surveys summary", tool: "surveys", arguments: `{}`},
	{name: "surveys individual", tool: "surveys", arguments: `{"view":"individual"}`},
	{name: "influencers list", tool: "influencers", arguments: `{"action":"list"}`},
	{name: "influencers top_performers", tool: "influencers", arguments: `{"action":"top_performers"}`},
	{name: "creators", tool: "creators", arguments: `{}`},
	{name: "omnichannel", tool: "omnichannel", arguments: `{}`},
	{name: "forecasting", tool: "forecasting", arguments: `{}`},
	{name: "forecasting alerts", tool: "forecasting", arguments: `{"aspect":"alerts"}`},
	{name: "forecasting targets", tool: "forecasting", arguments: `{"aspect":"targets"}`},
	{name: "experiments factors", tool: "experiments", arguments: `{}`},
	{name: "chart", tool: "chart", arguments: `{"metric":"revenue"}`},
	{name: "chart by channel", tool: "chart", arguments: `{"metric":"revenue","breakdown":"channel"}`},
	{name: "ask", tool: "ask", arguments: `{"question":"How much revenue did we make last week, and which campaigns spent most?"}`, perAnswer: true},
}
