package console_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"assay/internal/auth"
	"assay/internal/console/consoletest"
	"assay/internal/control"
)

// asking registers a client and returns the path of its authorization request.
func asking(s *consoletest.Site, redirect, scope string) string {
	s.T.Helper()
	return askingAs(s, "<b>Ledger</b> Owl", redirect, scope)
}

func askingAs(s *consoletest.Site, name, redirect, scope string) string {
	s.T.Helper()
	c := control.Client{ID: control.ClientID(strings.ToLower(auth.NewSecret().Hint()) + "client"), Name: name, Redirects: []string{redirect}, CreatedAt: s.Clock.Now()}
	if err := s.Store.CreateClient(s.T.Context(), c); err != nil {
		s.T.Fatal(err)
	}
	return "/api/mcp/authorize?" + url.Values{
		"response_type": {"code"}, "client_id": {string(c.ID)}, "redirect_uri": {redirect}, "state": {"s"},
		"code_challenge": {strings.Repeat("a", 43)}, "code_challenge_method": {"S256"}, "scope": {scope},
	}.Encode()
}

func TestConsentPageShowsClientAndScopes(t *testing.T) {
	t.Parallel()
	s := consoletest.New(t)
	s.Member(consoletest.Email, control.RoleOwner)
	b := s.SignedIn(consoletest.Email)
	all := "measurement.read measurement.write measurement.approve_execution"
	p := b.Get(asking(s, "https://owl.example/cb", all))
	for _, want := range []string{"&lt;b&gt;Ledger&lt;/b&gt; Owl", "owl.example", "Acme", consoletest.Email, "Change budgets"} {
		if !strings.Contains(p.Body, want) {
			t.Errorf("the page does not contain %q", want)
		}
	}
	boxes := regexp.MustCompile(`type="checkbox" name="scope" value="([^"]*)"( checked)?`).FindAllStringSubmatch(p.Body, -1)
	if len(boxes) != 3 || boxes[0][2] == "" || boxes[1][2] == "" || boxes[2][1] != "measurement.approve_execution" || boxes[2][2] != "" {
		t.Errorf("boxes: %q", boxes)
	}
	if policy := p.Header.Get("Content-Security-Policy"); !strings.HasSuffix(policy, "form-action 'self' https://owl.example") {
		t.Errorf("policy: %s", policy)
	}
	local := b.Get(asking(s, "http://localhost:3000/cb", all))
	if !strings.Contains(local.Body, "on your own computer") || strings.Contains(p.Body, "on your own computer") {
		t.Error("the warning about local programs is missing or on every page")
	}
	form := url.Values{
		"csrf":    {regexp.MustCompile(`authorize">\s*<input type="hidden" name="csrf" value="([^"]*)"`).FindStringSubmatch(p.Body)[1]},
		"request": {p.Field("request")}, "workspace": {"acme"}, "scope": {"measurement.read"}, "decision": {"approve"},
	}
	if done := b.Post("/api/mcp/authorize", form); done.Status != http.StatusSeeOther || !strings.HasPrefix(done.Header.Get("Location"), "https://owl.example/cb?code=") {
		t.Errorf("the decision: %d to %s", done.Status, done.Header.Get("Location"))
	}
}

func TestConsentPageWarnsAboutImitations(t *testing.T) {
	t.Parallel()
	s := consoletest.New(t)
	s.Member(consoletest.Email, control.RoleOwner)
	b := s.SignedIn(consoletest.Email)
	for name, want := range map[string]bool{"Claude": false, "Cl\u0430ude": true} {
		p := b.Get(askingAs(s, name, "https://owl.example/cb", "measurement.read"))
		if got := strings.Contains(p.Body, "may imitate another app"); p.Status != http.StatusOK || got != want {
			t.Errorf("%+q: %d, the page warns: %v, want %v", name, p.Status, got, want)
		}
	}
}

func TestConsentPageWithholdsScopesAboveTheRole(t *testing.T) {
	t.Parallel()
	s := consoletest.New(t)
	s.Member("vera@acme.example", control.RoleViewer)
	p := s.SignedIn("vera@acme.example").Get(asking(s, "https://owl.example/cb", "measurement.read measurement.approve_execution"))
	if strings.Contains(p.Body, `value="measurement.approve_execution"`) || !strings.Contains(p.Body, "Assay does not grant these permissions") {
		t.Errorf("a viewer is offered to approve: %s", p.Body)
	}
}
