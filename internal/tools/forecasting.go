package tools

import "assay/internal/mcp"

var forecasting = defineLater[forecastingParams](mcp.Spec{
	Name:        "forecasting",
	Title:       "Forecast and pacing",
	Description: "Whether targets will be met, what to expect, where budget should go, and alerts about drift.",
})

type forecastingParams struct {
	Aspect     string `json:"aspect" enum:"pacing|recommendations|alerts|targets" doc:"What to show."`
	Channel    string `json:"channel" doc:"Only this channel."`
	PeriodType string `json:"period_type" enum:"daily|weekly|monthly|quarterly" doc:"Of the targets."`
	shared
}
