package tools

import (
	"assay/internal/answer"
	"assay/internal/toolkit"
)

// Explain is the `explain` tool.
var Explain = toolkit.DefineLater[explainParams](toolkit.Spec{
	Name:        "explain",
	Title:       "Explain a term",
	Description: "Look up a measurement term or method in a fixed knowledge base. It has no store data.",
	Later: toolkit.Absence{
		Needs: "a knowledge base", Instead: "the resource assay://guide explains the metrics",
	},
})

type explainParams struct {
	Query string `json:"query" required:"true" doc:"Term or method to explain."`
	Topic string `json:"topic" enum:"the service|channels|mmm|incrementality|surveys|pixel|integrations|glossary" also:"service=the service|assay=the service" doc:"Topic to search."`
	answer.Shared
}
