package oauth_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/oauth"
)

const jsonType = "application/json"

func TestRegistrationReturnsTheRegisteredValues(t *testing.T) {
	t.Parallel()
	s := newService(t, secret)
	a := s.post("/api/mcp/register", jsonType, `{
		"client_name": "Ledger Owl", "redirect_uris": ["http://localhost:6274/oauth/callback", "https://owl.example/cb"],
		"client_id": "mine", "client_secret": "mine too", "scope": "measurement.approve_execution",
		"token_endpoint_auth_method": "private_key_jwt", "jwks": {"keys": []}, "grant_types": ["client_credentials"],
		"logo_uri": "http://169.254.169.254/", "jwks_uri": "http://169.254.169.254/", "software_statement": "e30.e30.",
		"application_type": "web"}`)
	if a.status != http.StatusCreated || a.header.Get("Cache-Control") != "no-store" {
		t.Fatalf("%d %v %s", a.status, a.header, a.body)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(a.body), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"client_id": got["client_id"], "client_id_issued_at": float64(s.clock.now().Unix()), "client_name": "Ledger Owl",
		"redirect_uris":  []any{"http://localhost:6274/oauth/callback", "https://owl.example/cb"},
		"grant_types":    []any{"authorization_code", "refresh_token"},
		"response_types": []any{"code"}, "token_endpoint_auth_method": "none",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
	if got["client_id"] == "mine" {
		t.Error("the client chose its own ID")
	}
}

func TestRegistrationRejectsRedirectURIs(t *testing.T) {
	t.Parallel()
	s := newService(t, secret)
	bad := []string{
		"javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "blob:https://x/y", "vbscript:x", "foo:bar", "foo://bar",
		"cursor://evil/oauth/callback", "http://evil.test/cb", "http://127.0.0.1.evil.test/", "http://localhost.evil.test/",
		"http://0.0.0.0/", "https://x.example/#f", "https://x.example/#", "https://u:p@x.example/", "https://u@x.example/",
		"https://x.example/*", "//x.example/cb", "/cb", "", " https://x.example/", "https://x.example/\tcb", "https://x.example/\ncb",
		`https://x.example\cb`, "https:///cb", "https://", "https://:443/cb", "https://x.example:99999/", "https://x.example:/cb",
		"https:x.example/cb", "https://x.example/é", "HTTPS://x.example/cb", "https://x.example/" + strings.Repeat("x", 2048),
	}
	for _, address := range bad {
		text, err := json.Marshal(map[string]any{"redirect_uris": []string{"https://good.example/cb", address}})
		if err != nil {
			t.Fatal(err)
		}
		wantFailure(t, fmt.Sprintf("%.40q", address), s.post("/api/mcp/register", jsonType, string(text)), 400, "invalid_redirect_uri")
	}
	for what, list := range map[string]string{
		"none": `[]`, "eleven": `["https://a/"` + strings.Repeat(`,"https://a/"`, 10) + `]`, "a text": `"https://a/"`, "numbers": `[1]`, "null": `null`, "nested": `[["https://a/"]]`,
	} {
		wantFailure(t, what, s.post("/api/mcp/register", jsonType, `{"redirect_uris":`+list+`}`), 400, "invalid_redirect_uri")
	}
	wantFailure(t, "absent", s.post("/api/mcp/register", jsonType, `{}`), 400, "invalid_redirect_uri")
}

func TestRegistrationRejectsMisleadingNames(t *testing.T) {
	t.Parallel()
	s := newService(t, secret)
	for _, name := range []string{strings.Repeat("x", 101), "a\u202eb", "a\u200bb", "a\u0000b", "line\nline", "a\u2066b"} {
		text, err := json.Marshal(map[string]any{"client_name": name, "redirect_uris": []string{"https://a.example/"}})
		if err != nil {
			t.Fatal(err)
		}
		wantFailure(t, fmt.Sprintf("name %.20q", name), s.post("/api/mcp/register", jsonType, string(text)), 400, "invalid_client_metadata")
	}
	good := `{"redirect_uris":["https://a.example/"]}`
	for what, body := range map[string]string{
		"not JSON": `{`, "a list": `[]`, "a text": `"x"`, "nothing": ``, "two objects": good + good, "a number as name": `{"client_name":1,"redirect_uris":["https://a.example/"]}`,
		"invalid UTF-8": "{\"client_name\":\"\xff\",\"redirect_uris\":[\"https://a.example/\"]}", "deep": strings.Repeat(`{"a":`, 3000),
	} {
		wantFailure(t, what, s.post("/api/mcp/register", jsonType, body), 400, "invalid_client_metadata")
	}
	wantFailure(t, "a form", s.post("/api/mcp/register", "application/x-www-form-urlencoded", good), 400, "invalid_client_metadata")
	wantFailure(t, "17 KiB", s.post("/api/mcp/register", jsonType, `{"x":"`+strings.Repeat("x", 17<<10)+`"}`), 413, "invalid_client_metadata")
}

func TestRegistrationsAreLimitedByAddress(t *testing.T) {
	t.Parallel()
	s := newService(t, secret)
	server, err := oauth.New(oauth.Options{
		BaseURL: base, Store: s.store, Secrets: [][]byte{secret}, Now: s.clock.now, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")},
	})
	if err != nil {
		t.Fatal(err)
	}
	s.handler = server.Handler(&pages{people: s.people})
	register := func(from, forwarded, body string) answer {
		r := httptest.NewRequest(http.MethodPost, "/api/mcp/register", strings.NewReader(body))
		r.RemoteAddr = from
		r.Header.Set("Content-Type", jsonType)
		if forwarded != "" {
			r.Header.Set("X-Forwarded-For", forwarded)
		}
		return s.send(r)
	}
	good := `{"redirect_uris":["https://a.example/"]}`
	for i := range 20 {
		if a := register("192.0.2.1:1000", fmt.Sprintf("203.0.113.%d", i), good); a.status != http.StatusCreated {
			t.Fatalf("registration %d: %d", i+1, a.status)
		}
		register("192.0.2.2:1000", "", `{`) // a failed registration is not counted
	}
	a := register("192.0.2.1:2000", "203.0.113.99", good)
	if a.status != http.StatusTooManyRequests || a.header.Get("Retry-After") != "3600" {
		t.Errorf("the 21st: %d, Retry-After %q", a.status, a.header.Get("Retry-After"))
	}
	if a := register("192.0.2.2:1000", "", good); a.status != http.StatusCreated {
		t.Errorf("another address: %d", a.status)
	}
	if a := register("10.1.1.1:1000", "192.0.2.1", good); a.status != http.StatusTooManyRequests {
		t.Errorf("through a trusted proxy: %d, want 429", a.status)
	}
	if a := register("10.1.1.1:1000", "203.0.113.5", good); a.status != http.StatusCreated {
		t.Errorf("another through the proxy: %d", a.status)
	}
	s.clock.move(time.Hour)
	if a := register("192.0.2.1:1000", "", good); a.status != http.StatusCreated {
		t.Errorf("an hour later: %d", a.status)
	}
}

func TestARegistrationThatTheClientCancelsIsNoErrorInTheLog(t *testing.T) {
	t.Parallel()
	s := newService(t, secret)
	var log strings.Builder
	server, err := oauth.New(oauth.Options{BaseURL: base, Store: s.store, Now: s.clock.now, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	r := httptest.NewRequestWithContext(gone, http.MethodPost, "/api/mcp/register", strings.NewReader(`{"redirect_uris":["https://owl.example/cb"]}`))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	server.Handler(&pages{people: s.people}).ServeHTTP(w, r)
	if w.Code != http.StatusInternalServerError || !strings.Contains(log.String(), "level=INFO") || strings.Contains(log.String(), "level=ERROR") {
		t.Errorf("HTTP %d, logged %s", w.Code, log.String())
	}
}
