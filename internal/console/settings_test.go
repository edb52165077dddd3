package console_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"assay/internal/auth"
	"assay/internal/control"
)

func TestConsentPageShowsClientAndScopes(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.member(email, control.RoleOwner)
	b := s.signedIn(email)
	all := "measurement.read measurement.write measurement.approve_execution"
	p := b.get(s.asking("https://owl.example/cb", all))
	for _, want := range []string{"&lt;b&gt;Ledger&lt;/b&gt; Owl", "owl.example", "Acme", email, "Change budgets"} {
		if !strings.Contains(p.body, want) {
			t.Errorf("the page does not contain %q", want)
		}
	}
	boxes := regexp.MustCompile(`type="checkbox" name="scope" value="([^"]*)"( checked)?`).FindAllStringSubmatch(p.body, -1)
	if len(boxes) != 3 || boxes[0][2] == "" || boxes[1][2] == "" || boxes[2][1] != "measurement.approve_execution" || boxes[2][2] != "" {
		t.Errorf("boxes: %q", boxes)
	}
	if policy := p.header.Get("Content-Security-Policy"); !strings.HasSuffix(policy, "form-action 'self' https://owl.example") {
		t.Errorf("policy: %s", policy)
	}
	local := b.get(s.asking("http://localhost:3000/cb", all))
	if !strings.Contains(local.body, "on your own computer") || strings.Contains(p.body, "on your own computer") {
		t.Error("the warning about local programs is missing or on every page")
	}
	form := url.Values{
		"csrf":    {regexp.MustCompile(`authorize">\s*<input type="hidden" name="csrf" value="([^"]*)"`).FindStringSubmatch(p.body)[1]},
		"request": {p.field("request")}, "workspace": {"acme"}, "scope": {"measurement.read"}, "decision": {"approve"},
	}
	if done := b.post("/api/mcp/authorize", form); done.status != http.StatusSeeOther || !strings.HasPrefix(done.header.Get("Location"), "https://owl.example/cb?code=") {
		t.Errorf("the decision: %d to %s", done.status, done.header.Get("Location"))
	}
}

func TestConsentPageWarnsAboutImitations(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.member(email, control.RoleOwner)
	b := s.signedIn(email)
	for name, want := range map[string]bool{"Claude": false, "Cl\u0430ude": true} {
		p := b.get(s.askingAs(name, "https://owl.example/cb", "measurement.read"))
		if got := strings.Contains(p.body, "may imitate another app"); p.status != http.StatusOK || got != want {
			t.Errorf("%+q: %d, the page warns: %v, want %v", name, p.status, got, want)
		}
	}
}

func TestConsentPageWithholdsScopesAboveTheRole(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.member("vera@acme.example", control.RoleViewer)
	p := s.signedIn("vera@acme.example").get(s.asking("https://owl.example/cb", "measurement.read measurement.approve_execution"))
	if strings.Contains(p.body, `value="measurement.approve_execution"`) || !strings.Contains(p.body, "Assay does not grant these permissions") {
		t.Errorf("a viewer is offered to approve: %s", p.body)
	}
}

func TestKeysAreCreatedShownOnceRotatedAndRevoked(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.member(email, control.RoleOwner)
	b := s.signedIn(email)
	page := b.get("/keys?workspace=acme")
	token := page.field("csrf")
	made := b.post("/keys", url.Values{
		"csrf": {token}, "workspace": {"acme"}, "action": {"create"}, "name": {"weekly report"},
		"scope": {"measurement.read"}, "days": {"30"}, "tool": {"performance"},
	})
	keyForm := regexp.MustCompile(`asy_[0-9A-Za-z]{36}`)
	first := keyForm.FindString(made.body)
	if made.status != http.StatusOK || first == "" {
		t.Fatalf("create: %d %s", made.status, made.body)
	}
	p, err := s.keys.Authenticate(t.Context(), first)
	if err != nil || len(p.Scopes) != 1 || len(p.Tools) != 1 {
		t.Errorf("the key gives %+v, %v", p, err)
	}
	page = b.get("/keys?workspace=acme")
	if strings.Contains(page.body, first) || !strings.Contains(page.body, "weekly report") || !strings.Contains(page.body, "Dec 20, 2026") {
		t.Errorf("the list: %s", page.body)
	}
	mistaken := b.post("/keys", url.Values{
		"csrf": {token}, "workspace": {"acme"}, "action": {"create"}, "name": {"monthly <report>"}, "days": {"30"}, "tool": {"performance"},
	})
	if mistaken.status != http.StatusUnprocessableEntity || strings.Contains(mistaken.body, `value="measurement.read" checked`) {
		t.Errorf("a key without scopes: %d, or the form selects a scope", mistaken.status)
	}
	for _, want := range []string{`value="monthly &lt;report&gt;"`, `<option value="30" selected>`, `name="tool" value="performance" checked`} {
		if !strings.Contains(mistaken.body, want) {
			t.Errorf("the rejected form loses its input: no %s", want)
		}
	}
	id := page.field("id")
	rotated := b.post("/keys", url.Values{"csrf": {token}, "workspace": {"acme"}, "action": {"rotate"}, "id": {id}})
	second := keyForm.FindString(rotated.body)
	if second == "" || second == first {
		t.Fatalf("rotate: %d %s", rotated.status, rotated.body)
	}
	for what, key := range map[string]string{"old": first, "new": second} {
		if _, err := s.keys.Authenticate(t.Context(), key); err != nil {
			t.Errorf("after the rotation the %s key: %v", what, err)
		}
	}
	if gone := b.post("/keys", url.Values{"csrf": {token}, "workspace": {"acme"}, "action": {"revoke"}, "id": {id}}); gone.status != http.StatusSeeOther {
		t.Errorf("revoke: %d", gone.status)
	}
	if _, err := s.keys.Authenticate(t.Context(), first); err == nil {
		t.Error("the revoked key is accepted")
	}
}

func TestOnlyAdminsCreateKeys(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.member(email, control.RoleOwner)
	s.member("ana@acme.example", control.RoleAnalyst)
	_, foreign, err := s.keys.Create(t.Context(), auth.NewKey{Workspace: "other", Name: "theirs"}, "test")
	if err != nil {
		t.Fatal(err)
	}
	owner, analyst := s.signedIn(email), s.signedIn("ana@acme.example")
	create := func(b *browser, change func(url.Values)) seen {
		form := url.Values{
			"csrf": {b.get("/keys?workspace=acme").field("csrf")}, "workspace": {"acme"}, "action": {"create"}, "name": {"n"},
			"scope": {"measurement.read"}, "days": {"30"},
		}
		change(form)
		return b.post("/keys", form)
	}
	cases := []struct {
		what   string
		b      *browser
		change func(url.Values)
		status int
	}{
		{"an analyst", analyst, func(url.Values) {}, 403},
		{"without a token", owner, func(v url.Values) { v.Del("csrf") }, 403},
		{"of another workspace", owner, func(v url.Values) { v.Set("workspace", "other") }, 404},
		{"no name", owner, func(v url.Values) { v.Del("name") }, 422},
		{"no scope", owner, func(v url.Values) { v.Del("scope") }, 422},
		{"unknown scope", owner, func(v url.Values) { v.Set("scope", "admin") }, 422},
		{"no end", owner, func(v url.Values) { v.Del("days") }, 422},
		{"a long life", owner, func(v url.Values) { v.Set("days", "99999") }, 422},
		{"no action", owner, func(v url.Values) { v.Del("action") }, 422},
		{"another's key", owner, func(v url.Values) { v.Set("action", "revoke"); v.Set("id", string(foreign.ID)) }, 422},
		{"rotating another's key", owner, func(v url.Values) { v.Set("action", "rotate"); v.Set("id", string(foreign.ID)) }, 422},
	}
	for _, test := range cases {
		if p := create(test.b, test.change); p.status != test.status {
			t.Errorf("%s: %d, want %d", test.what, p.status, test.status)
		}
	}
	if k, err := s.store.Key(t.Context(), foreign.ID); err != nil || !k.RevokedAt.IsZero() {
		t.Errorf("the other workspace's key: %+v, %v", k, err)
	}
	if p := owner.postFrom("/keys", url.Values{}, "https://evil.test"); p.status != http.StatusForbidden {
		t.Errorf("cross-site: %d", p.status)
	}
}

func TestConnectedAppsAreShownToMembersWhoCanDisconnectThem(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.member(email, control.RoleOwner)
	ana := s.member("ana@acme.example", control.RoleAnalyst)
	s.member("ben@acme.example", control.RoleAnalyst)
	now := s.clock.now()
	secret := []byte("hash of a request")
	session := control.Session{Hash: []byte("hash of a session"), User: ana.ID, CreatedAt: now, SeenAt: now, EndsAt: now.Add(time.Hour)}
	by := control.By{Actor: "user:" + string(ana.ID), At: now}
	if err := s.store.CreateSession(t.Context(), control.NewSession{Session: session, Password: ana.Password, From: "test"}, by); err != nil {
		t.Fatal(err)
	}
	if err := s.store.KeepRequest(t.Context(), control.AuthRequest{Hash: secret, Session: session.Hash, User: ana.ID, ExpiresAt: now.Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	g := control.Grant{
		ID: "g1", User: ana.ID, Workspace: "acme", Client: "c", ClientName: "Ledger Owl", Redirect: "https://owl.example/cb",
		Scopes: []control.Scope{control.ScopeRead}, CreatedAt: now, EndsAt: now.Add(time.Hour),
	}
	if err := s.store.ApproveRequest(t.Context(), secret, g, control.Code{Hash: []byte("c"), Grant: "g1", ExpiresAt: now.Add(time.Minute)}, by); err != nil {
		t.Fatal(err)
	}
	owner, own, ben := s.signedIn(email), s.signedIn("ana@acme.example"), s.signedIn("ben@acme.example")
	for what, test := range map[string]struct {
		b    *browser
		want bool
	}{"the owner": {owner, true}, "the one who allowed it": {own, true}, "another user": {ben, false}} {
		if p := test.b.get("/apps?workspace=acme"); strings.Contains(p.body, "Ledger Owl") != test.want {
			t.Errorf("%s sees it: want %v", what, test.want)
		}
	}
	end := func(b *browser) seen {
		return b.post("/apps", url.Values{"csrf": {b.get("/apps?workspace=acme").field("csrf")}, "workspace": {"acme"}, "id": {"g1"}})
	}
	if p := end(ben); p.status != http.StatusNotFound {
		t.Errorf("another user ends it: %d", p.status)
	}
	if p := end(owner); p.status != http.StatusSeeOther {
		t.Errorf("the owner ends it: %d", p.status)
	}
	if a, err := s.store.Access(t.Context(), "g1"); err != nil || a.Grant.RevokedAt.IsZero() {
		t.Errorf("afterwards: %+v, %v", a, err)
	}
}

func TestConnectPageShowsAddressAndRateLimit(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.member(email, control.RoleViewer)
	p := s.signedIn(email).get("/connect?workspace=acme")
	for _, want := range []string{"claude mcp add --transport http assay " + s.url + "/api/mcp/rpc", "42 requests per minute", "Requests in the current minute: 0"} {
		if !strings.Contains(p.body, want) {
			t.Errorf("the page does not contain %q", want)
		}
	}
}

func TestSettingsChangeNameAndFirstDayOfTheWeek(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.member(email, control.RoleOwner)
	s.member("vera@acme.example", control.RoleViewer)
	owner, viewer := s.signedIn(email), s.signedIn("vera@acme.example")
	if p := viewer.get("/settings?workspace=acme"); p.status != http.StatusOK || strings.Contains(p.body, "Save settings") || !strings.Contains(p.body, "Only owners and admins") {
		t.Errorf("a viewer: %d, or a form", p.status)
	}
	for what, c := range map[string]struct {
		b      *browser
		fields []string
		status int
	}{
		"a viewer": {viewer, []string{"name", "Theirs", "week_start", "0"}, 403}, "no name": {owner, []string{"name", " ", "week_start", "0"}, 422},
		"no day": {owner, []string{"name", "Acme", "week_start", ""}, 422}, "a day that does not exist": {owner, []string{"name", "Acme", "week_start", "7"}, 422},
		"another workspace": {owner, []string{"workspace", "other", "name", "Acme", "week_start", "0"}, 404},
		"without a token":   {owner, []string{"csrf", "", "name", "Acme", "week_start", "0"}, 403},
	} {
		if p := c.b.form("/settings", c.fields...); p.status != c.status {
			t.Errorf("%s: %d, want %d", what, p.status, c.status)
		}
	}
	if p := owner.form("/settings", "name", " Acme <b>Ltd</b> ", "week_start", "0"); p.status != http.StatusSeeOther {
		t.Fatalf("a change: %d", p.status)
	}
	w, err := s.store.Workspace(t.Context(), "acme")
	if err != nil || w.Name != "Acme <b>Ltd</b>" || w.WeekStart != time.Sunday || w.Currency != "USD" {
		t.Errorf("%+v, %v", w, err)
	}
	if p := owner.get("/settings?workspace=acme&done=saved"); strings.Contains(p.body, "<b>Ltd") || !strings.Contains(p.body, "Settings saved.") {
		t.Error("the name is not escaped, or the change not confirmed")
	}
}
