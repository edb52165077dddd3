package tools

import "assay/internal/mcp"

var surveys = defineLater[surveysParams](mcp.Spec{
	Name:        "surveys",
	Title:       "Post-purchase surveys",
	Description: "What customers say after a purchase about how they found the store, in sum or answer by answer.",
})

type surveysParams struct {
	last90
	View           string  `json:"view" enum:"summary|individual" default:"summary" doc:"Sums or single answers."`
	Question       string  `json:"question" doc:"Such as discovery_channel, purchase_trigger, awareness_duration."`
	AnswerContains string  `json:"answer_contains" doc:"Only answers with this text."`
	Channel        string  `json:"channel" doc:"Only orders credited to this channel."`
	MinOrderValue  float64 `json:"min_order_value" doc:"Only orders of at least this value."`
	paged
	shared
}
