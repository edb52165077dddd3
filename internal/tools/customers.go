package tools

import "assay/internal/mcp"

var customers = defineLater[customersParams](mcp.Spec{
	Name:        "customers",
	Title:       "Customers",
	Description: "New and returning customers, retention of cohorts, paths to purchase, lifetime value by channel.",
})

type customersParams struct {
	last90
	View    string `json:"view" enum:"segments|retention|journeys|ltv" default:"segments" doc:"What the rows are."`
	Channel string `json:"channel" doc:"Only this channel."`
	Segment string `json:"segment" enum:"new|returning" doc:"Only this segment."`
	paged
	shared
}
