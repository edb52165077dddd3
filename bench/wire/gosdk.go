package main

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// arguments contains the parameters of the tool. The following structs contain the result of the tool. The SDK derives
// schemas from the structs and validates parameters and results, as in its typed servers.
type arguments struct {
	StartDate   string `json:"start_date,omitempty" jsonschema:"Default 30 days ago"`
	EndDate     string `json:"end_date,omitempty" jsonschema:"Default today"`
	Channel     string `json:"channel,omitempty" jsonschema:"Only this channel"`
	Model       string `json:"model,omitempty" jsonschema:"Attribution model"`
	DetailLevel string `json:"detail_level,omitempty" jsonschema:"summary, analyst or debug"`
	Format      string `json:"format,omitempty" jsonschema:"json, csv or summary"`
	Compact     bool   `json:"compact,omitempty" jsonschema:"Leave out metadata"`
}

type result struct {
	Summary   string              `json:"summary"`
	Period    map[string]any      `json:"period"`
	Currency  string              `json:"currency"`
	Metrics   map[string]change   `json:"metrics"`
	Rows      []map[string]any    `json:"rows"`
	Drivers   []map[string]any    `json:"drivers,omitempty"`
	Events    []map[string]any    `json:"events,omitempty"`
	Truncated map[string]any      `json:"truncated,omitempty"`
	Warnings  []map[string]string `json:"warnings,omitempty"`
	Next      []map[string]any    `json:"next,omitempty"`
	Model     string              `json:"model,omitempty"`
	Basis     string              `json:"basis,omitempty"`
	Extra     map[string]any      `json:"extra,omitempty"`
}

type change struct {
	Value        float64  `json:"value"`
	Previous     *float64 `json:"previous,omitempty"`
	ChangePct    *float64 `json:"change_pct,omitempty"`
	ChangePoints *float64 `json:"change_points,omitempty"`
}

// goSDK serves the recorded answer with the official Go SDK, in stateless mode with JSON answers and a typed tool.
func goSDK(body []byte) (http.Handler, error) {
	var out result
	var reply struct {
		Result struct {
			Content           []struct{ Text string }
			StructuredContent json.RawMessage
		}
	}
	if err := json.Unmarshal(body, &reply); err != nil {
		return nil, err
	}
	recorded := reply.Result.Content[0].Text
	if err := json.Unmarshal([]byte(recorded), &out); err != nil {
		return nil, err
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "peer", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "performance", Description: "Store health."},
		func(context.Context, *mcp.CallToolRequest, arguments) (*mcp.CallToolResult, result, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: recorded}}}, out, nil
		})
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s },
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true}), nil
}
