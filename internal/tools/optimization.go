package tools

import "assay/internal/mcp"

var optimization = defineLater[optimizationParams](mcp.Spec{
	Name:        "optimization",
	Title:       "Media mix results",
	Description: "What the media mix model says of saturation, marginal return and shifts between channels. Needs an active model.",
})

type optimizationParams struct {
	BudgetConstraint *float64 `json:"budget_constraint" min:"0" doc:"Total monthly budget."`
	Question         string   `json:"question" doc:"What to know of the model's results."`
	shared
}
