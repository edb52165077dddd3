package tools

import "assay/internal/mcp"

var ask = defineLater[askParams](mcp.Spec{
	Name:        "ask",
	Title:       "Ask in plain words",
	Description: "Answer a question in plain words by calling the right tools. With known dates or filters call the tool itself.",
})

type askParams struct {
	Question string `json:"question" required:"true" doc:"The question."`
	shared
}
