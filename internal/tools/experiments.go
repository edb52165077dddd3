package tools

import "assay/internal/mcp"

var experiments = defineLater[experimentsParams](mcp.Spec{
	Name:        "experiments",
	Title:       "Incrementality experiments",
	Description: "What experiments measured: incremental against reported return, factors by channel, the next test worth making, a guide.",
})

type experimentsParams struct {
	View string `json:"view" enum:"factors|results|true_vs_reported|next_test|guide" default:"factors" doc:"What to show."`
	last90
	Channel      string `json:"channel" doc:"Only this channel."`
	ExperimentID string `json:"experiment_id" doc:"For view=results."`
	Topic        string `json:"topic" enum:"overview|geo_experiments|did|synthetic_control|factors|icpa_iroas|interpreting_results" doc:"For view=guide."`
	shared
}
