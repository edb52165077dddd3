package tools

import (
	"assay/internal/answer"
	"assay/internal/toolkit"
)

var ask = toolkit.DefineLater[askParams](toolkit.Spec{
	Name:        "ask",
	Title:       "Ask in plain words",
	Description: "Answer a question in plain words by calling the right tools. With known dates or filters call the tool itself.",
	Later: toolkit.Absence{
		Needs: "a reader of questions in plain language", Instead: "performance, trends and compare take dates and channels",
	},
})

type askParams struct {
	Question string `json:"question" required:"true" doc:"The question."`
	answer.Shared
}
