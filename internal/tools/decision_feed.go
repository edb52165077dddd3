package tools

import (
	"assay/internal/answer"
	"assay/internal/toolkit"
)

var decisionFeed = toolkit.DefineLater[decisionFeedParams](toolkit.Spec{
	Name:        "decision_feed",
	Title:       "Next decisions",
	Description: "The next decisions to make, from readiness, confidence and calibration, in one list.",
	Later: toolkit.Absence{
		Needs: "readiness, confidence and calibration of models", Instead: "diagnose shows what to put right",
	},
})

type decisionFeedParams struct {
	Limit int `json:"limit" default:"8" min:"1" max:"100" doc:"Most decisions."`
	answer.Shared
}
