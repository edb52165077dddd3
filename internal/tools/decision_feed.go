package tools

import (
	"assay/internal/answer"
	"assay/internal/toolkit"
)

// DecisionFeed is the `decision_feed` tool.
var DecisionFeed = toolkit.DefineLater[decisionFeedParams](toolkit.Spec{
	Name:        "decision_feed",
	Title:       "Next decisions",
	Description: "Next decisions in one list, from readiness, confidence and calibration.",
	Later: toolkit.Absence{
		Needs: "readiness, confidence and calibration of models", Instead: "the diagnose tool shows what to fix",
	},
})

type decisionFeedParams struct {
	Limit int `json:"limit" default:"8" min:"1" max:"100" doc:"Maximum number of decisions."`
	answer.Shared
}
