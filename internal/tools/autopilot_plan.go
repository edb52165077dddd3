package tools

import "assay/internal/mcp"

var autopilotPlan = defineLater[autopilotPlanParams](mcp.Spec{
	Name:        "autopilot_plan",
	Title:       "Plan of next steps",
	Description: "A plan for the coming days across model, experiments and measurement quality.",
})

type autopilotPlanParams struct {
	RiskTolerance string `json:"riskTolerance" enum:"conservative|balanced|aggressive" default:"balanced" doc:"How bold."`
	HorizonDays   int    `json:"horizonDays" default:"14" min:"3" max:"30" doc:"Days to plan."`
	shared
}
