package tools

import "assay/internal/mcp"

var geoExperimentPreflight = defineLater[geoExperimentPreflightParams](mcp.Spec{
	Name:        "geo_experiment_preflight",
	Title:       "Geo experiment readiness",
	Description: "Whether the store is ready for a geo experiment on a channel: a score, each gate, the smallest effect it could find.",
})

type geoExperimentPreflightParams struct {
	Channel          string   `json:"channel" required:"true" nonempty:"true" doc:"Channel to test."`
	TreatmentRegions []string `json:"treatmentRegions" doc:"Candidate regions, such as CA."`
	shared
}
