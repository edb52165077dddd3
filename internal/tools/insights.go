package tools

import (
	"assay/internal/answer"
	"assay/internal/toolkit"
)

// Insights is the `insights` tool.
var Insights = toolkit.DefineLater[insightsParams](toolkit.Spec{
	Name:        "insights",
	Title:       "Insights",
	Description: "Automatic findings by priority, each with a recommended action.",
	Later: toolkit.Absence{
		Needs: "scheduled detection of insights", Instead: "the trends and compare tools show what changed",
	},
})

type insightsParams struct {
	Limit    int    `json:"limit" default:"25" min:"1" max:"100" doc:"Rows."`
	Priority string `json:"priority" enum:"low|medium|high|critical" doc:"Only this priority."`
	Offset   int    `json:"offset" default:"0" min:"0" doc:"Rows to skip."`
	answer.Shared
}
