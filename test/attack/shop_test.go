package attack

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/internal/control"
	"assay/internal/measure"
	"assay/internal/operation"
)

const hookSecret = "what the shop signs with"

// shopSays sends a signed webhook message of a shop.
func (b *browser) shopSays(workspace, topic, id, body, secret string) answer {
	b.t.Helper()
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	return b.send(http.MethodPost, "/api/webhooks/shopify/"+workspace, body, "Content-Type", "application/json",
		"X-Shopify-Topic", topic, "X-Shopify-Webhook-Id", id, "X-Shopify-Hmac-Sha256", base64.StdEncoding.EncodeToString(mac.Sum(nil)))
}

func shopOrder(number, email, total string) string {
	return `{"id":` + number + `,"name":"#` + number + `","email":"` + email + `","currency":"USD","total_price":"` + total +
		`","created_at":"2026-03-02T15:00:00Z","updated_at":"2026-03-02T15:00:00Z","financial_status":"paid","line_items":[]}`
}

// Acknowledged messages are on disk: the service stops before it processes them, and processes them after the next
// start. Privacy requests are fulfilled. A workspace that cannot be written does not block others.
func TestAcknowledgedWebhooksSurviveARestart(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	s, stop, err := run(data, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, ws := range []measure.WorkspaceID{"acme", "other"} {
		if _, err := operation.AddWebhookSecret.Do(t.Context(), operation.NewControl(s.control.Control), operator(ws), operation.WebhookSecret{Secret: hookSecret}); err != nil {
			t.Fatal(err)
		}
	}
	b := s.browser(t)
	for id, m := range map[string]struct{ workspace, topic, body string }{
		"w1": {"acme", "orders/create", shopOrder("1001", "ada@example.com", "10.00")},
		"w2": {"acme", "orders/create", shopOrder("1002", "bo@example.com", "20.00")},
		"w3": {"acme", "customers/redact", `{"shop_domain":"acme.myshopify.com","customer":{"id":77,"email":"ada@example.com","phone":"+1 555 0100"},"orders_to_redact":[1001]}`},
		"w4": {"acme", "customers/data_request", `{"shop_domain":"acme.myshopify.com","customer":{"id":78,"email":"bo@example.com"}}`},
		"w5": {"other", "orders/create", shopOrder("2001", "cy@example.com", "30.00")},
	} {
		if a := b.shopSays(m.workspace, m.topic, id, m.body, hookSecret); a.status != http.StatusOK || !strings.Contains(a.body, "accepted") {
			t.Errorf("message %s: %d %s", id, a.status, a.body)
		}
	}
	if a := b.shopSays("acme", "orders/create", "w6", shopOrder("1003", "", "1.00"), "another secret"); a.status != http.StatusUnauthorized {
		t.Errorf("167, another signature: %d", a.status)
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, "facts", "other.duckdb"), []byte(strings.Repeat("not a database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, stop, err = run(data, nil); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	}()
	b = s.browser(t)
	ask := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"performance","arguments":{"start_date":"2026-03-01","end_date":"2026-03-07","format":"json"}}}`
	told := ""
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for tries := 0; !strings.Contains(told, `"revenue":{"value":30,`) && tries < 1500; tries++ { // messages are processed in the background
		<-look.C
		told, _ = b.say(s.key, ask).result()
	}
	if !strings.Contains(told, `"revenue":{"value":30,`) || !strings.Contains(told, `"orders":{"value":2,`) {
		t.Errorf("the tool shows %s; want both orders of 30 dollars", told)
	}
	events, err := s.control.Store.Events(t.Context(), control.EventFilter{Workspace: "acme", Kinds: []control.EventKind{control.PrivacyRequested, control.CustomerForgotten}, Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]string{}
	for _, e := range events {
		kinds[string(e.Kind)+" "+e.Subject] = e.Detail
		if e.Actor != "shopify webhook" || strings.Contains(e.Detail, "@") {
			t.Errorf("line %+v", e)
		}
	}
	if len(events) != 3 || !strings.Contains(kinds["privacy_requested customers/redact"], "customer 77") || !strings.Contains(kinds["privacy_requested customers/data_request"], "within 30 days") {
		t.Errorf("audit log: %+v", kinds)
	}
	if forgotten, err := s.control.Store.ForgottenCustomers(t.Context(), "acme"); err != nil || len(forgotten) < 3 {
		t.Errorf("%d hashes of the customer are forgotten, %v", len(forgotten), err)
	}
	if state, err := s.control.Store.HookState(t.Context(), "other"); err != nil || state.Waiting != 1 {
		t.Errorf("the workspace that cannot be written: %+v, %v; want its message to wait", state, err)
	}
}

// Webhook messages are untrusted input. A body is read only if the workspace has a secret that may have signed it, and 401 does
// not reveal whether a workspace exists.
func TestWebhookBodiesAreReadOnlyIfASecretExists(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	for shop, ws := range map[string]measure.WorkspaceID{"": "acme", "tied.myshopify.com": "other"} {
		if _, err := operation.AddWebhookSecret.Do(t.Context(), operation.NewControl(s.control.Control), operator(ws), operation.WebhookSecret{Shop: shop, Secret: hookSecret}); err != nil {
			t.Fatal(err)
		}
	}
	wellFormed := "X-Shopify-Hmac-Sha256: " + base64.StdEncoding.EncodeToString(make([]byte, sha256.Size)) + "\r\n"
	var first string
	for what, to := range map[string][2]string{ // only the header is sent, so a response means that the body was not read
		"an unknown workspace":             {"nobody", wellFormed},
		"a secret of another shop":         {"other", wellFormed + "X-Shopify-Shop-Domain: else.myshopify.com\r\n"},
		"no signature":                     {"acme", ""},
		"a signature that is no signature": {"acme", "X-Shopify-Hmac-Sha256: AAAA\r\n"},
	} {
		all, err := s.toTheEnd(t, "POST /api/webhooks/shopify/"+to[0]+" HTTP/1.1\r\nHost: "+s.url[len("http://"):]+
			"\r\nContent-Type: application/json\r\nContent-Length: 8000000\r\nX-Request-Id: r\r\n"+to[1]+"\r\n")
		if _, after, ok := strings.Cut(all, "Date:"); ok { // the date changes every second
			all = all[:strings.Index(all, "Date:")] + after[strings.Index(after, "\r\n"):]
		}
		if first == "" {
			first = all
		}
		if err != nil || !strings.HasPrefix(all, "HTTP/1.1 401 ") || all != first {
			t.Errorf("167, %s: %v, %q; want %q", what, err, all, first)
		}
	}
	b := s.browser(t)
	if a := b.shopSays("acme", "orders/create", "w1", shopOrder("1001", "", "10.00"), hookSecret); a.status != http.StatusOK {
		t.Errorf("a signed message: %d %s", a.status, a.body)
	}
	large := strings.Replace(shopOrder("1002", "", "10.00"), `"line_items"`, `"note":"`+strings.Repeat("a", 1<<20)+`","line_items"`, 1)
	if a := b.shopSays("acme", "orders/create", "w2", large, hookSecret); a.status != http.StatusOK {
		t.Errorf("a signed message of 1 MiB: %d %s", a.status, a.body)
	}
	if a := b.shopSays("acme", "orders/create", "w3", large, "another secret"); a.status != http.StatusUnauthorized {
		t.Errorf("a large message with another signature: %d %s", a.status, a.body)
	}
}
