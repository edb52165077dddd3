package oauth_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/auth"
	"assay/internal/control"
)

func TestAClientGoesFromRegistrationToACall(t *testing.T) {
	t.Parallel()
	s := newService(t, secret)
	c := s.register("https://owl.example/cb?tenant=7&x=%20y")
	page := s.consent(s.session, c.asking(allScopes))
	want := shown{Request: page.Request, CSRF: page.CSRF, Client: "Ledger Owl", Host: "owl.example", Scopes: control.Scopes()}
	if diff := cmp.Diff(want, page); diff != "" {
		t.Errorf("consent page (-want +got):\n%s", diff)
	}
	a := s.decide(s.session, page.approving(strings.Fields(readWrite)...))
	address := a.header.Get("Location")
	if a.status != http.StatusSeeOther || !strings.HasPrefix(address, c.redirect+"&") {
		t.Fatalf("the decision returns %d %s", a.status, address)
	}
	back, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	query := back.Query()
	code := query.Get("code")
	if diff := cmp.Diff(url.Values{"tenant": {"7"}, "x": {" y"}, "code": {code}, "state": {"s 1&2"}, "iss": {base}}, query); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
	got, a := s.exchange(c.redeeming(code))
	if a.status != http.StatusOK || a.header.Get("Cache-Control") != "no-store" {
		t.Fatalf("token: %d %v %s", a.status, a.header, a.body)
	}
	if diff := cmp.Diff(tokens{got.Access, got.Refresh, "Bearer", readWrite, 600}, got); diff != "" {
		t.Errorf("tokens (-want +got):\n%s", diff)
	}
	p, err := s.server.Verify(t.Context(), got.Access)
	if err != nil {
		t.Fatal(err)
	}
	ws, err := s.store.Workspace(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	grants, err := s.store.Grants(t.Context(), "acme")
	if err != nil || len(grants) != 1 {
		t.Fatalf("%d grants, %v", len(grants), err)
	}
	wantPrincipal := auth.Principal{
		Workspace: ws, Actor: "user:" + string(s.owner.ID), Kind: auth.ByOAuth, Grant: grants[0].ID,
		Client: control.ClientID(c.id), ClientName: "Ledger Owl",
		Scopes: []control.Scope{control.ScopeRead, control.ScopeWrite},
	}
	if diff := cmp.Diff(wantPrincipal, p); diff != "" {
		t.Errorf("principal (-want +got):\n%s", diff)
	}
	if strings.Contains(a.body, "anna") {
		t.Error("the answer contains an email address")
	}
}

func TestRefreshTokensRotate(t *testing.T) {
	t.Parallel()
	s := newService(t, secret)
	c := s.register("http://127.0.0.1:3000/callback")
	first := s.tokens(c, readWrite)
	second, a := s.exchange(c.refreshing(first.Refresh))
	if a.status != http.StatusOK || second.Refresh == first.Refresh || second.Access == first.Access || second.Scope != readWrite {
		t.Fatalf("refresh: %d %s", a.status, a.body)
	}
	s.wantAlive("the first access token", first.Access, true)
	s.wantAlive("the second access token", second.Access, true)

	less := c.refreshing(second.Refresh)
	less.Set("scope", "measurement.read")
	third, _ := s.exchange(less)
	if third.Scope != "measurement.read" {
		t.Errorf("with fewer requested scopes: scope %q", third.Scope)
	}
	fourth, _ := s.exchange(c.refreshing(third.Refresh))
	if fourth.Scope != readWrite {
		t.Errorf("with all scopes requested again: scope %q, want the granted scopes", fourth.Scope)
	}
	more := c.refreshing(fourth.Refresh)
	more.Set("scope", allScopes)
	_, a = s.exchange(more)
	wantFailure(t, "asked for more", a, http.StatusBadRequest, "invalid_scope")
	other := c.refreshing(fourth.Refresh)
	other.Set("resource", "https://elsewhere.example/api")
	_, a = s.exchange(other)
	wantFailure(t, "for another resource", a, http.StatusBadRequest, "invalid_target")
	if _, a = s.exchange(c.refreshing(fourth.Refresh)); a.status != http.StatusOK {
		t.Errorf("a rejected refresh used the token: %s", a.body)
	}
}

func TestRefreshTokensEndByIdlenessAndAge(t *testing.T) {
	t.Parallel()
	s := newService(t, secret)
	c := s.register("https://owl.example/cb")
	idle := s.tokens(c, readWrite)
	s.clock.move(30*24*time.Hour - time.Second)
	s.session = s.signIn("anna@acme.example")
	kept, a := s.exchange(c.refreshing(idle.Refresh))
	if a.status != http.StatusOK {
		t.Fatalf("a second before thirty days: %s", a.body)
	}
	s.clock.move(30 * 24 * time.Hour)
	_, a = s.exchange(c.refreshing(kept.Refresh))
	wantFailure(t, "after thirty idle days", a, http.StatusBadRequest, "invalid_grant")

	s.session = s.signIn("anna@acme.example")
	old := s.tokens(c, readWrite)
	for range 3 {
		s.clock.move(29 * 24 * time.Hour)
		if old, a = s.exchange(c.refreshing(old.Refresh)); a.status != http.StatusOK {
			t.Fatalf("in use: %s", a.body)
		}
	}
	s.clock.move(3 * 24 * time.Hour)
	_, a = s.exchange(c.refreshing(old.Refresh))
	wantFailure(t, "after ninety days", a, http.StatusBadRequest, "invalid_grant")
}

func TestARequestMayComeByForm(t *testing.T) {
	t.Parallel()
	s := newService(t, secret)
	c := s.register("https://owl.example/cb")
	post := func(asked url.Values, signedIn bool) answer {
		r := httptest.NewRequest(http.MethodPost, "/api/mcp/authorize", strings.NewReader(asked.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if signedIn {
			r = withSession(r, s.session)
		}
		return s.send(r)
	}
	a := post(c.asking(readWrite), false)
	_, query := a.location()
	next, err := url.Parse(query.Get("next"))
	if err != nil || a.status != http.StatusSeeOther {
		t.Fatalf("signed out: %d, %v", a.status, err)
	}
	if diff := cmp.Diff(c.asking(readWrite), next.Query()); diff != "" {
		t.Errorf("target of the redirect after the sign-in (-want +got):\n%s", diff)
	}
	var page shown
	if a = post(c.asking(readWrite), true); json.Unmarshal([]byte(a.body), &page) != nil || page.Request == "" {
		t.Errorf("signed in: %d %s, want the consent page", a.status, a.body)
	}
	bad := c.asking(readWrite)
	bad.Set("code_challenge_method", "plain")
	wantFailure(t, "PKCE by form", post(bad, true), http.StatusSeeOther, "invalid_request")
	bad = c.asking(readWrite)
	bad.Set("redirect_uri", "https://evil.example/cb")
	if a = post(bad, true); a.status != http.StatusBadRequest || a.header.Get("Location") != "" {
		t.Errorf("a foreign address by form: %d %s", a.status, a.header.Get("Location"))
	}
}

func TestMetadataNamesTheServerAndNothingElse(t *testing.T) {
	t.Parallel()
	s := newService(t, secret)
	var first string
	for _, path := range []string{"/.well-known/oauth-authorization-server", "/.well-known/oauth-authorization-server/api/mcp/rpc"} {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.Host = "evil.example"
		r.Header.Set("X-Forwarded-Host", "evil.example")
		a := s.send(r)
		if a.status != http.StatusOK || a.header.Get("Access-Control-Allow-Origin") != "*" || a.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %v", path, a.status, a.header)
		}
		if strings.Contains(a.body, "evil") {
			t.Errorf("%s reflects the caller: %s", path, a.body)
		}
		if first == "" {
			first = a.body
		}
		if a.body != first {
			t.Errorf("%s is another document", path)
		}
	}
	var said map[string]any
	if err := json.Unmarshal([]byte(first), &said); err != nil {
		t.Fatal(err)
	}
	if said["issuer"] != base || said["authorization_response_iss_parameter_supported"] != true {
		t.Errorf("metadata: %s", first)
	}
	for _, absent := range []string{"jwks_uri", "userinfo_endpoint", "revocation_endpoint"} {
		if _, there := said[absent]; there {
			t.Errorf("metadata has %s", absent)
		}
	}
}

func TestWrongMethodsAreRejected(t *testing.T) {
	t.Parallel()
	s := newService(t, secret)
	for path, allow := range map[string]string{
		"/api/mcp/token": "POST", "/api/mcp/register": "POST", "/api/mcp/authorize": "GET, POST",
		"/.well-known/oauth-authorization-server": "GET, HEAD",
	} {
		a := s.send(httptest.NewRequest(http.MethodDelete, path, nil))
		if a.status != http.StatusMethodNotAllowed || a.header.Get("Allow") != allow {
			t.Errorf("DELETE %s: %d, Allow %q", path, a.status, a.header.Get("Allow"))
		}
	}
	a := s.send(httptest.NewRequest(http.MethodOptions, "/.well-known/oauth-authorization-server", nil))
	if a.status != http.StatusNoContent || a.header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("preflight: %d %v", a.status, a.header)
	}
}

func TestTokensWithoutASigningSecretAreMisconfigured(t *testing.T) {
	t.Parallel()
	s := newService(t)
	c := s.register("https://owl.example/cb")
	wantFailure(t, "token", s.postForm("/api/mcp/token", c.redeeming("x")), http.StatusInternalServerError, "server_error")
	if a := s.ask(s.session, c.asking(readWrite)); a.status != http.StatusInternalServerError {
		t.Errorf("authorize: %d %s", a.status, a.body)
	}
	if _, err := s.server.Verify(t.Context(), "a.b.c"); err == nil || !strings.Contains(err.Error(), "no signing secret") {
		t.Errorf("Verify: %v", err)
	}
}
