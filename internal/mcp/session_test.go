package mcp

import (
	"context"
	"encoding/json"
	"errors"

	"assay/internal/fault"
)

// stage is a session with one tool for each outcome of a call.
type stage struct{}

func (s stage) For(Client) Session { return s }

func (stage) ListTools() json.RawMessage {
	return json.RawMessage(`{"tools":[{"name":"echo","description":"Says what it was given.","inputSchema":{"type":"object"}}]}`)
}

func (stage) CallTool(_ context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
	switch name {
	case "echo":
		return encode(CallResult{Content: []Content{{Type: "text", Text: string(args)}}}), nil
	case "refusing":
		return encode(CallResult{Content: []Content{{Type: "text", Text: "limit must be a number"}}, IsError: true}), nil
	case "approving":
		return nil, &ScopeError{Required: []string{"measurement.approve_execution"}}
	case "panicking":
		panic("a secret detail")
	case "failing":
		return nil, errors.New("a secret detail")
	case "unconfigured":
		return nil, fault.New(fault.KindMisconfigured, "a secret detail")
	}
	return nil, fault.NotFound("unknown tool %q", name)
}

func (stage) ListResources() []Resource {
	return []Resource{{URI: "assay://guide", Name: "guide", Description: "How to begin.", MIMEType: "text/markdown"}}
}

func (stage) ReadResource(_ context.Context, uri string) (ResourceContents, error) {
	if uri != "assay://guide" {
		return ResourceContents{}, fault.NotFound("unknown resource %q", uri)
	}
	return ResourceContents{URI: uri, MIMEType: "text/markdown", Text: "Begin with discover."}, nil
}

func (stage) ListPrompts() []Prompt {
	return []Prompt{{Name: "review", Description: "Reviews a week.", Arguments: []PromptArgument{{Name: "week", Description: "Its first day.", Required: true}}}}
}

func (stage) GetPrompt(_ context.Context, name string, args map[string]string) (PromptResult, error) {
	switch {
	case name != "review":
		return PromptResult{}, fault.NotFound("unknown prompt %q", name)
	case args["week"] == "":
		return PromptResult{}, fault.Invalid("the argument week is required")
	}
	return PromptResult{Messages: []PromptMessage{{Role: "user", Content: Content{Type: "text", Text: "Review the week of " + args["week"] + "."}}}}, nil
}

func (stage) server() Server {
	return Server{Version: "1.2.3", Title: "Assay", Instructions: "Begin with discover."}
}
