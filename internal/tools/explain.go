package tools

import (
	"assay/internal/answer"
	"assay/internal/toolkit"
)

var explain = toolkit.DefineLater[explainParams](toolkit.Spec{
	Name:        "explain",
	Title:       "Explain a term",
	Description: "Look up a term or method of measurement in a fixed knowledge base. It has no figures of the store.",
	Later: toolkit.Absence{
		Needs: "a knowledge base", Instead: "the resource assay://guide explains the figures",
	},
})

type explainParams struct {
	Query string `json:"query" required:"true" doc:"What to explain."`
	Topic string `json:"topic" enum:"the service|channels|mmm|incrementality|surveys|pixel|integrations|glossary" also:"service=the service|assay=the service" doc:"Where to look."`
	answer.Shared
}
