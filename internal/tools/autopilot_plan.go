package tools

import (
	"assay/internal/answer"
	"assay/internal/toolkit"
)

// AutopilotPlan is the `autopilot_plan` tool.
var AutopilotPlan = toolkit.DefineLater[autopilotPlanParams](toolkit.Spec{
	Name:        "autopilot_plan",
	Title:       "Plan of next steps",
	Description: "Plan for the next days across media mix model, experiments and data quality.",
	Later: toolkit.Absence{
		Needs: "a trained media mix model and experiments", Instead: "the performance and trends tools show current results",
	},
})

type autopilotPlanParams struct {
	RiskTolerance string `json:"riskTolerance" enum:"conservative|balanced|aggressive" default:"balanced" doc:"Risk tolerance."`
	HorizonDays   int    `json:"horizonDays" default:"14" min:"3" max:"30" doc:"Days to plan."`
	answer.Shared
}
