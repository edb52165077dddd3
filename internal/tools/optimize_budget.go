package tools

import (
	"maps"
	"slices"

	"assay/internal/fault"
	"assay/internal/mcp"
)

var optimizeBudget = defineLater[optimizeBudgetParams](mcp.Spec{
	Name:        "optimize_budget",
	Title:       "Optimize a budget",
	Description: "Split a budget between channels by the media mix model, with the expected lift. Needs a trained model.",
})

type optimizeBudgetParams struct {
	TotalBudget float64           `json:"total_budget" required:"true" min:"0" doc:"For a period as long as the model's training window."`
	Channels    []string          `json:"channels" doc:"Channels to return. Default all."`
	Constraints map[string]bounds `json:"constraints" doc:"Least and most spend by channel: {\"facebook\":{\"min\":0,\"max\":5000}}."`
	shared
}

// bounds are the least and the most that a channel may get.
type bounds struct {
	Min *float64 `json:"min" min:"0" doc:"Least spend."`
	Max *float64 `json:"max" min:"0" doc:"Most spend."`
}

// Check refuses bounds that no budget can meet.
func (p optimizeBudgetParams) Check() error {
	var least float64
	for _, channel := range slices.Sorted(maps.Keys(p.Constraints)) {
		b := p.Constraints[channel]
		if b.Min != nil && b.Max != nil && *b.Min > *b.Max {
			return fault.Invalid("constraints.%s has min %v above max %v", clean(channel), *b.Min, *b.Max).
				WithHint("Set min to at most max.")
		}
		if b.Min != nil {
			least += *b.Min
		}
	}
	if least > p.TotalBudget {
		return fault.Invalid("constraints need at least %v, and total_budget is %v", least, p.TotalBudget).
			WithHint("Raise total_budget, or lower the minima.")
	}
	return nil
}
