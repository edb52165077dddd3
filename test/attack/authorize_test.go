package attack

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"assay/internal/control"
	"assay/internal/fault"
)

// The tests of this file cover attacks 1 to 31 of docs/security.md that need the real pages or a listener of the
// attacker.

func TestAuthorizeErrorsAreShownWithoutARedirect(t *testing.T) {
	t.Parallel()
	b := shared.signedIn(t)
	c := shared.client(t, "https://owl.example/cb")
	for _, test := range []struct {
		line int
		what string
		set  url.Values
		want int
	}{
		{1, "unknown client", url.Values{"client_id": {"nobody"}}, 400},
		{2, "foreign address", url.Values{"redirect_uri": {"https://evil.test/cb"}}, 400},
		{3, "no address, though one is registered", url.Values{"redirect_uri": nil}, 400},
		{4, "path in another case", url.Values{"redirect_uri": {"https://owl.example/CB"}}, 400},
		{5, "the host as a user", url.Values{"redirect_uri": {"https://owl.example@evil.test/cb"}}, 400},
		{8, "plain http on another port", url.Values{"redirect_uri": {"http://owl.example:8080/cb"}}, 400},
		{12, "scope twice", url.Values{"scope": {readOnly, readOnly}}, 400},
		{17, "a long state", url.Values{"state": {strings.Repeat("x", 8<<10)}}, 400},
	} {
		asked := shared.asking(c, readOnly)
		maps.Copy(asked, test.set)
		a := b.get(authorize(asked))
		if a.status != test.want || a.header.Get("Location") != "" || !strings.HasPrefix(a.header.Get("Content-Type"), "text/html") {
			t.Errorf("%d, %s: %d to %q, want a page with %d", test.line, test.what, a.status, a.header.Get("Location"), test.want)
		}
	}
	a := b.send(http.MethodGet, authorize(shared.asking(c, readOnly)), "", "Host", "evil.test", "X-Forwarded-Host", "evil.test")
	if a.status != http.StatusMisdirectedRequest || strings.Contains(a.body, "evil") {
		t.Errorf("28, a foreign name: %d %s", a.status, a.body)
	}
}

func TestURLsOfAClientAreNeverFetched(t *testing.T) {
	t.Parallel()
	var fetched atomic.Int64
	attacker := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { fetched.Add(1) }))
	defer attacker.Close()
	b := shared.signedIn(t)
	c := shared.client(t, "https://owl.example/cb")
	for _, name := range []string{"request_uri", "request"} {
		asked := shared.asking(c, readOnly)
		asked.Set(name, attacker.URL)
		if a := b.get(authorize(asked)); a.status != http.StatusSeeOther || a.failure() != "request_not_supported" {
			t.Errorf("25, %s: %d %q", name, a.status, a.failure())
		}
	}
	body := `{"redirect_uris":["https://owl.example/cb"],"client_name":"x"`
	for _, name := range []string{"logo_uri", "jwks_uri", "client_uri", "policy_uri", "tos_uri", "sector_identifier_uri", "initiate_login_uri"} {
		body += `,"` + name + `":"` + attacker.URL + `"`
	}
	body += `,"software_statement":"e30.e30.","client_secret":"x","scope":"measurement.approve_execution","jwks":{"keys":[]}}`
	a := b.send(http.MethodPost, "/api/mcp/register", body, "Content-Type", "application/json")
	if a.status != http.StatusCreated || strings.Contains(a.body, attacker.URL) || strings.Contains(a.body, "approve") || strings.Contains(a.body, "secret\"") {
		t.Errorf("61 to 63, 65: %d %s", a.status, a.body)
	}
	documents := strings.Replace(attacker.URL, "http://", "https://", 1) + "/client.json"
	asked := shared.asking(c, readOnly)
	for _, id := range []string{documents, "https://localhost/client.json", "https://[::ffff:127.0.0.1]/client.json", "https://2130706433/client.json"} {
		asked.Set("client_id", id)
		if a := b.get(authorize(asked)); a.status != http.StatusBadRequest || a.header.Get("Location") != "" {
			t.Errorf("67 to 69, document %s: %d", id, a.status)
		}
	}
	for _, jwt := range []string{
		forged(`{"alg":"HS256","typ":"at+jwt","jku":"`+attacker.URL+`"}`, nil), forged(`{"alg":"RS256","typ":"at+jwt","x5u":"`+attacker.URL+`"}`, nil),
	} {
		if a := b.say(jwt, listTools); a.status != http.StatusUnauthorized {
			t.Errorf("82: %d", a.status)
		}
	}
	if fetched.Load() != 0 {
		t.Errorf("the service asked the attacker %d times", fetched.Load())
	}
}

func TestTheConsentPageIsBoundToItsSession(t *testing.T) {
	t.Parallel()
	ben := shared.colleague(t, "ben@acme.example", control.RoleOwner)
	anna := shared.signedIn(t)
	c := shared.client(t, "https://owl.example/cb")
	asked := shared.asking(c, readOnly)
	asked.Set("state", `"><script>alert(1)</script>`)
	page := anna.get(authorize(asked))
	if strings.Contains(page.body, "<script") || !strings.Contains(page.header.Get("Content-Security-Policy"), "frame-ancestors 'none'") ||
		page.header.Get("X-Frame-Options") != "DENY" || page.header.Get("Referrer-Policy") != "no-referrer" || page.header.Get("Cache-Control") != "no-store" {
		t.Errorf("17, 21: %v %s", page.header, page.body)
	}
	fields := anna.consent(asked, readOnly)
	if a := ben.post("/api/mcp/authorize", fields); a.status != http.StatusForbidden || a.header.Get("Location") != "" {
		t.Errorf("19, 23, in another session: %d to %q", a.status, a.header.Get("Location"))
	}
	if a := shared.browser(t).post("/api/mcp/authorize", fields); a.status != http.StatusForbidden {
		t.Errorf("23, in a browser that is not signed in: %d", a.status)
	}
	cross := anna.send(http.MethodPost, "/api/mcp/authorize", fields.Encode(), "Content-Type", form, "Origin", "https://evil.test")
	if cross.status != http.StatusForbidden {
		t.Errorf("19, from another site: %d", cross.status)
	}
	changed := url.Values{"redirect_uri": {"https://evil.test/"}}
	maps.Copy(changed, fields)
	if a := anna.post("/api/mcp/authorize", changed); a.status != http.StatusBadRequest {
		t.Errorf("20, with another address: %d", a.status)
	}
	if a := anna.post("/api/mcp/authorize", fields); a.status != http.StatusSeeOther || a.query().Get("code") == "" || a.query().Get("state") != asked.Get("state") {
		t.Errorf("30, the decision: %d to %q", a.status, a.header.Get("Location"))
	}
	if a := anna.post("/api/mcp/authorize", fields); a.status != http.StatusBadRequest || a.header.Get("Location") != "" {
		t.Errorf("22, the decision again: %d", a.status)
	}
	again := anna.get(authorize(asked))
	if again.status != http.StatusOK || again.field("request") == "" {
		t.Errorf("23, 74, a granted client asks again without a prompt: %d to %q", again.status, again.header.Get("Location"))
	}
}

func TestAWorkspaceOfOthersCannotBeGranted(t *testing.T) {
	t.Parallel()
	b := shared.signedIn(t)
	c := shared.client(t, "https://owl.example/cb")
	fields := b.consent(shared.asking(c, readOnly), readOnly)
	fields.Set("workspace", "other")
	if a := b.post("/api/mcp/authorize", fields); a.status != http.StatusForbidden || a.header.Get("Location") != "" {
		t.Errorf("31: %d to %q", a.status, a.header.Get("Location"))
	}
}

func TestAnAttackersCodeFailsInAnotherSession(t *testing.T) {
	t.Parallel()
	b := shared.signedIn(t)
	c := shared.client(t, "https://owl.example/cb")
	theirs := shared.asking(c, readOnly) // the attacker's request, with the attacker's challenge
	theirs.Set("code_challenge", strings.Repeat("A", 43))
	code := b.post("/api/mcp/authorize", b.consent(theirs, readOnly)).query().Get("code")
	if code == "" {
		t.Fatal("no code")
	}
	if _, a := b.exchange(shared.redeeming(c, code)); a.status != http.StatusBadRequest || a.failure() != "invalid_grant" {
		t.Errorf("35, with the victim's verifier: %d %s", a.status, a.body)
	}
}

// colleague adds another member to acme and returns the member's browser.
func (s *service) colleague(t *testing.T, email string, role control.Role) *browser {
	t.Helper()
	u, err := s.people.Create(t.Context(), email, password, "test")
	if err != nil && fault.KindOf(err) != fault.KindConflict {
		t.Fatal(err)
	}
	if err == nil {
		if err := s.people.SetRole(t.Context(), u.ID, "acme", role, "test"); err != nil {
			t.Fatal(err)
		}
	}
	b := s.browser(t)
	if a := b.signIn(email, password); a.status != http.StatusSeeOther {
		t.Fatalf("sign-in of %s: %d", email, a.status)
	}
	return b
}
