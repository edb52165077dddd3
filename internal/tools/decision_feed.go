package tools

import "assay/internal/mcp"

var decisionFeed = defineLater[decisionFeedParams](mcp.Spec{
	Name:        "decision_feed",
	Title:       "Next decisions",
	Description: "The next decisions to make, from readiness, confidence and calibration, in one list.",
})

type decisionFeedParams struct {
	Limit int `json:"limit" default:"8" min:"1" max:"100" doc:"Most decisions."`
	shared
}
