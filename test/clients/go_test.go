// Package clients drives a running service with official client libraries.
package clients

import (
	"encoding/json"
	"net/http"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type bearer struct{ key string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.key)
	return http.DefaultTransport.RoundTrip(r)
}

// built are the tools that answer from the store without arguments.
var built = []string{
	"performance", "compare", "trends", "campaigns", "products", "discover", "diagnose",
	"customers", "lifecycle", "surveys", "email_lifecycle", "creators", "omnichannel", "forecasting",
}

func TestOfficialGoClient(t *testing.T) {
	rpc, key := os.Getenv("ASSAY_TEST_RPC"), os.Getenv("ASSAY_TEST_KEY")
	if rpc == "" {
		t.Skip("ASSAY_TEST_RPC and ASSAY_TEST_KEY name no running service")
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "suite", Version: "1"}, nil)
	transport := &mcp.StreamableClientTransport{Endpoint: rpc, HTTPClient: &http.Client{Transport: bearer{key}}}
	session, err := client.Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if got := session.InitializeResult().ProtocolVersion; got != "2025-11-25" {
		t.Errorf("agreed on version %s, want 2025-11-25", got)
	}
	list, err := session.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 29 {
		t.Fatalf("tools/list gives %d tools, %v; want 29", len(list.Tools), err)
	}
	for _, name := range built {
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: map[string]any{}})
		if err != nil || result.IsError {
			t.Errorf("%s: %v %+v", name, err, result)
			continue
		}
		var fromText any
		if err := json.Unmarshal([]byte(result.Content[0].(*mcp.TextContent).Text), &fromText); err != nil {
			t.Errorf("%s: the text is no JSON: %v", name, err)
		}
		if diff := cmp.Diff(fromText, result.StructuredContent); diff != "" {
			t.Errorf("%s: text and structuredContent differ:\n%s", name, diff)
		}
	}
	if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "nope"}); err == nil {
		t.Error("an unknown tool is answered")
	}
}
