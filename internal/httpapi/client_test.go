package httpapi

import (
	"net/http"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// bearing sends a credential with each request.
type bearing string

func (key bearing) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(key))
	return http.DefaultTransport.RoundTrip(r)
}

func TestTheOfficialClientConnectsListsAndCalls(t *testing.T) {
	t.Parallel()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	connected, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{
		Endpoint: listening(t, nil) + rpcPath, HTTPClient: &http.Client{Transport: bearing("key")},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer connected.Close()
	if got := connected.InitializeResult().ProtocolVersion; got != "2025-11-25" {
		t.Errorf("protocol version %s", got)
	}
	listed, err := connected.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(listed.Tools) != 1 || listed.Tools[0].Name != "echo" {
		t.Errorf("tools %v", listed.Tools)
	}
	result, err := connected.CallTool(t.Context(), &sdk.CallToolParams{Name: "echo", Arguments: map[string]any{"word": "a"}})
	if err != nil {
		t.Fatal(err)
	}
	if text, ok := result.Content[0].(*sdk.TextContent); !ok || text.Text != "xxxxxxxxxxxx" {
		t.Errorf("content %v", result.Content)
	}
	if _, err := connected.CallTool(t.Context(), &sdk.CallToolParams{Name: "nobody"}); err == nil {
		t.Error("an unknown tool was called")
	}
	if _, err := connected.ListPrompts(t.Context(), nil); err != nil {
		t.Errorf("after an error the session is broken: %v", err)
	}
}
