package tools

import "assay/internal/mcp"

var lifecycle = defineLater[lifecycleParams](mcp.Spec{
	Name:        "lifecycle",
	Title:       "Lifetime value and payback",
	Description: "Lifetime value of each channel's customers, how long their acquisition takes to pay back, new against returning.",
})

type lifecycleParams struct {
	anyTime
	Aspect string `json:"aspect" enum:"summary|ltv" doc:"New against returning, or lifetime value."`
	shared
}
