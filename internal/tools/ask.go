package tools

import (
	"assay/internal/answer"
	"assay/internal/toolkit"
)

// Ask is the tool ask.
var Ask = toolkit.DefineLater[askParams](toolkit.Spec{
	Name:        "ask",
	Title:       "Ask in plain language",
	Description: "Answer a question in plain language by calling the right tools. With known dates or filters, call the tool directly.",
	Later: toolkit.Absence{
		Needs: "a parser of plain-language questions", Instead: "performance, trends and compare take dates and channels",
	},
})

type askParams struct {
	Question string `json:"question" required:"true" doc:"The question."`
	answer.Shared
}
