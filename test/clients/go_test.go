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

// connect opens a session of the official client, or skips the test if no service is named.
func connect(t *testing.T) *mcp.ClientSession {
	t.Helper()
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
	t.Cleanup(func() { session.Close() })
	return session
}

func TestOfficialGoClient(t *testing.T) {
	session := connect(t)
	if got := session.InitializeResult().ProtocolVersion; got != "2025-11-25" {
		t.Errorf("agreed on version %s, want 2025-11-25", got)
	}
	list, err := session.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 29 {
		t.Fatalf("tools/list returns %d tools, %v; want 29", len(list.Tools), err)
	}
	calls, err := os.ReadFile(os.Getenv("ASSAY_TEST_CALLS"))
	if err != nil {
		t.Fatal(err)
	}
	built := map[string]map[string]any{}
	if err := json.Unmarshal(calls, &built); err != nil {
		t.Fatal(err)
	}
	for name, arguments := range built {
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
		if err != nil || result.IsError {
			t.Errorf("%s: %v %+v", name, err, result)
			continue
		}
		var fromText any
		if err := json.Unmarshal([]byte(result.Content[0].(*mcp.TextContent).Text), &fromText); err != nil {
			t.Errorf("%s: the text is not JSON: %v", name, err)
		}
		if diff := cmp.Diff(fromText, result.StructuredContent); diff != "" {
			t.Errorf("%s: text and structuredContent differ:\n%s", name, diff)
		}
	}
	if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "nope"}); err == nil {
		t.Error("an unknown tool is answered")
	}
}

// TestOfficialGoClientReadsPublishedMonths calls a service with the reference store's export. It compares the answers
// for each month with the published totals, in pounds.
func TestOfficialGoClientReadsPublishedMonths(t *testing.T) {
	session := connect(t)
	type figures struct{ Orders, Revenue, Refunds float64 }
	for _, month := range []struct {
		first, last string
		want        figures
	}{
		{"2011-03-01", "2011-03-31", figures{1454, 717639.36, 9939.15}},
		{"2011-04-01", "2011-04-30", figures{1246, 537808.62, 12754.73}},
		{"2011-05-01", "2011-05-31", figures{1681, 770536.02, 9466.71}},
		{"2011-03-01", "2011-05-31", figures{4381, 2025984.00, 32160.59}},
	} {
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "performance", Arguments: map[string]any{
			"start_date": month.first, "end_date": month.last, "detail_level": "debug",
		}})
		if err != nil || result.IsError {
			t.Fatalf("from %s: %v %+v", month.first, err, result)
		}
		var answer struct {
			Metrics struct{ Orders, Revenue, Refunds struct{ Value float64 } }
		}
		if err := json.Unmarshal([]byte(result.Content[0].(*mcp.TextContent).Text), &answer); err != nil {
			t.Fatal(err)
		}
		m := answer.Metrics
		got := figures{m.Orders.Value, m.Revenue.Value, m.Refunds.Value}
		t.Logf("%s to %s: %.0f orders, %.2f, refunded %.2f", month.first, month.last, got.Orders, got.Revenue, got.Refunds)
		if diff := cmp.Diff(month.want, got); diff != "" {
			t.Errorf("from %s (-want +got):\n%s", month.first, diff)
		}
	}
}
