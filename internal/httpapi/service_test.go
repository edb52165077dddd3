package httpapi

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"assay/internal/auth"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/mcp"
)

const testBase = "http://127.0.0.1:8080"

// halfPast is half a minute before the rate limit resets.
var halfPast = time.Date(2026, 11, 18, 12, 0, 30, 0, time.UTC)

func testOptions() Options {
	now := func() time.Time { return halfPast }
	return Options{
		BaseURL: testBase, Version: "1.2.3", AllowedOrigins: []string{"https://app.example"}, Tools: testTools(),
		Auth:    callers{},
		Limits:  auth.NewLimiter(auth.LimiterOptions{Override: 20, Now: now}),
		Session: func(p auth.Principal, _ string) mcp.Session { return session{p} },
		Log:     slog.New(slog.DiscardHandler),
		Now:     now,
	}
}

func testTools() []ToolDoc {
	return []ToolDoc{
		{
			Name: "echo", Title: "Echo", Description: "Returns its input.",
			Parameters: json.RawMessage(`{"type":"object","properties":{"word":{"type":"string"}},"additionalProperties":false}`),
			Result:     json.RawMessage(`{"type":"object","properties":{"summary":{"type":"string"}},"required":["summary"]}`),
		},
		{
			Name: "approving", Title: "Approve", Description: "Needs a scope.",
			Parameters: json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`),
			Result:     json.RawMessage(`{"type":"object"}`),
		},
	}
}

// callers authenticates the bearer tokens of the tests, such as "key" and "token".
type callers struct{}

func (callers) Authenticate(_ context.Context, bearer string) (auth.Principal, error) {
	shop := control.Workspace{ID: "shop"}
	switch bearer {
	case "key":
		return auth.Principal{Workspace: shop, Actor: "key:1", Kind: auth.ByKey, Scopes: control.Scopes()}, nil
	case "token":
		return auth.Principal{Workspace: shop, Actor: "user:1", Kind: auth.ByOAuth, Scopes: []control.Scope{control.ScopeRead}}, nil
	case "unverifiable":
		return auth.Principal{}, fault.New(fault.KindMisconfigured, "no signing secret")
	case "store-down":
		return auth.Principal{}, context.DeadlineExceeded
	case "unreachable":
		return auth.Principal{}, fault.Unavailable("the control database does not respond").Wrap(context.DeadlineExceeded)
	case "panic":
		panic("a secret detail")
	}
	return auth.Principal{}, fault.New(fault.KindUnauthenticated, "unknown credential %s", bearer)
}

type session struct{ auth.Principal }

func (s session) For(mcp.Client) mcp.Session { return s }

func (session) ListTools() json.RawMessage {
	return json.RawMessage(`{"tools":[{"name":"echo","description":"Returns its input.","inputSchema":{"type":"object"}}]}`)
}

func (s session) CallTool(_ context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
	switch {
	case name == "echo":
		return json.RawMessage(`{"content":[{"type":"text","text":"` + strings.Repeat("x", len(args)) + `"}]}`), nil
	case name == "failing":
		return nil, context.DeadlineExceeded
	case name == "unreachable":
		return nil, fault.Unavailable("ClickHouse does not answer").Wrap(context.DeadlineExceeded)
	case name == "approving" && !s.Has(control.ScopeApprove):
		return nil, &mcp.ScopeError{Required: []string{string(control.ScopeApprove)}}
	}
	return nil, fault.NotFound("unknown tool %q", name)
}

func (session) ListResources(context.Context) ([]mcp.Resource, error) { return nil, nil }

func (session) ReadResource(context.Context, string) (mcp.ResourceContents, error) {
	return mcp.ResourceContents{}, fault.NotFound("unknown resource")
}

func (session) ListPrompts() []mcp.Prompt { return nil }

func (session) GetPrompt(context.Context, string, map[string]string) (mcp.PromptResult, error) {
	return mcp.PromptResult{}, fault.NotFound("unknown prompt")
}

func testService(t *testing.T, change func(*Options)) http.Handler {
	t.Helper()
	o := testOptions()
	if change != nil {
		change(&o)
	}
	return New(o)
}

// unlimited allows every call.
type unlimited struct{}

func (unlimited) Count(context.Context, auth.Principal) auth.Decision {
	return auth.Decision{Allowed: true, Used: 1, PerMinute: 1000, ResetIn: time.Minute}
}
