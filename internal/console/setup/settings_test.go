package setup_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"assay/internal/auth"
	"assay/internal/console/consoletest"
	"assay/internal/control"
)

func TestKeysAreCreatedShownOnceRotatedAndRevoked(t *testing.T) {
	t.Parallel()
	s := consoletest.New(t)
	s.Member(consoletest.Email, control.RoleOwner)
	b := s.SignedIn(consoletest.Email)
	page := b.Get("/keys?workspace=acme")
	token := page.Field("csrf")
	made := b.Post("/keys", url.Values{
		"csrf": {token}, "workspace": {"acme"}, "action": {"create"}, "name": {"weekly report"},
		"scope": {"measurement.read"}, "days": {"30"}, "tool": {"performance"},
	})
	keyForm := regexp.MustCompile(`asy_[0-9A-Za-z]{36}`)
	first := keyForm.FindString(made.Body)
	if made.Status != http.StatusOK || first == "" {
		t.Fatalf("create: %d %s", made.Status, made.Body)
	}
	p, err := s.Keys.Authenticate(t.Context(), first)
	if err != nil || len(p.Scopes) != 1 || len(p.Tools) != 1 {
		t.Errorf("the key gives %+v, %v", p, err)
	}
	page = b.Get("/keys?workspace=acme")
	if strings.Contains(page.Body, first) || !strings.Contains(page.Body, "weekly report") || !strings.Contains(page.Body, "Dec 20, 2026") {
		t.Errorf("the list: %s", page.Body)
	}
	mistaken := b.Post("/keys", url.Values{
		"csrf": {token}, "workspace": {"acme"}, "action": {"create"}, "name": {"monthly <report>"}, "days": {"30"}, "tool": {"performance"},
	})
	if mistaken.Status != http.StatusUnprocessableEntity || strings.Contains(mistaken.Body, `value="measurement.read" checked`) {
		t.Errorf("a key without scopes: %d, or the form selects a scope", mistaken.Status)
	}
	for _, want := range []string{`value="monthly &lt;report&gt;"`, `<option value="30" selected>`, `name="tool" value="performance" checked`} {
		if !strings.Contains(mistaken.Body, want) {
			t.Errorf("the rejected form loses its input: no %s", want)
		}
	}
	id := page.Field("id")
	rotated := b.Post("/keys", url.Values{"csrf": {token}, "workspace": {"acme"}, "action": {"rotate"}, "id": {id}})
	second := keyForm.FindString(rotated.Body)
	if second == "" || second == first {
		t.Fatalf("rotate: %d %s", rotated.Status, rotated.Body)
	}
	for what, key := range map[string]string{"old": first, "new": second} {
		if _, err := s.Keys.Authenticate(t.Context(), key); err != nil {
			t.Errorf("after the rotation the %s key: %v", what, err)
		}
	}
	if gone := b.Post("/keys", url.Values{"csrf": {token}, "workspace": {"acme"}, "action": {"revoke"}, "id": {id}}); gone.Status != http.StatusSeeOther {
		t.Errorf("revoke: %d", gone.Status)
	}
	if _, err := s.Keys.Authenticate(t.Context(), first); err == nil {
		t.Error("the revoked key is accepted")
	}
}

func TestOnlyAdminsCreateKeys(t *testing.T) {
	t.Parallel()
	s := consoletest.New(t)
	s.Member(consoletest.Email, control.RoleOwner)
	s.Member("ana@acme.example", control.RoleAnalyst)
	_, foreign, err := s.Keys.Create(t.Context(), auth.NewKey{Workspace: "other", Name: "theirs"}, "test")
	if err != nil {
		t.Fatal(err)
	}
	owner, analyst := s.SignedIn(consoletest.Email), s.SignedIn("ana@acme.example")
	create := func(b *consoletest.Browser, change func(url.Values)) consoletest.Page {
		form := url.Values{
			"csrf": {b.Get("/keys?workspace=acme").Field("csrf")}, "workspace": {"acme"}, "action": {"create"}, "name": {"n"},
			"scope": {"measurement.read"}, "days": {"30"},
		}
		change(form)
		return b.Post("/keys", form)
	}
	cases := []struct {
		what   string
		b      *consoletest.Browser
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
		if p := create(test.b, test.change); p.Status != test.status {
			t.Errorf("%s: %d, want %d", test.what, p.Status, test.status)
		}
	}
	if k, err := s.Store.Key(t.Context(), foreign.ID); err != nil || !k.RevokedAt.IsZero() {
		t.Errorf("the other workspace's key: %+v, %v", k, err)
	}
	if p := owner.PostFrom("/keys", url.Values{}, "https://evil.test"); p.Status != http.StatusForbidden {
		t.Errorf("cross-site: %d", p.Status)
	}
}

func TestConnectedAppsAreShownToMembersWhoCanDisconnectThem(t *testing.T) {
	t.Parallel()
	s := consoletest.New(t)
	s.Member(consoletest.Email, control.RoleOwner)
	ana := s.Member("ana@acme.example", control.RoleAnalyst)
	s.Member("ben@acme.example", control.RoleAnalyst)
	now := s.Clock.Now()
	secret := []byte("hash of a request")
	session := control.Session{Hash: []byte("hash of a session"), User: ana.ID, CreatedAt: now, SeenAt: now, EndsAt: now.Add(time.Hour)}
	by := control.By{Actor: "user:" + string(ana.ID), At: now}
	if err := s.Store.CreateSession(t.Context(), control.NewSession{Session: session, Password: ana.Password, From: "test"}, by); err != nil {
		t.Fatal(err)
	}
	if err := s.Store.KeepRequest(t.Context(), control.AuthRequest{Hash: secret, Session: session.Hash, User: ana.ID, ExpiresAt: now.Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	g := control.Grant{
		ID: "g1", User: ana.ID, Workspace: "acme", Client: "c", ClientName: "Ledger Owl", Redirect: "https://owl.example/cb",
		Scopes: []control.Scope{control.ScopeRead}, CreatedAt: now, EndsAt: now.Add(time.Hour),
	}
	if err := s.Store.ApproveRequest(t.Context(), secret, g, control.Code{Hash: []byte("c"), Grant: "g1", ExpiresAt: now.Add(time.Minute)}, by); err != nil {
		t.Fatal(err)
	}
	owner, own, ben := s.SignedIn(consoletest.Email), s.SignedIn("ana@acme.example"), s.SignedIn("ben@acme.example")
	for what, test := range map[string]struct {
		b    *consoletest.Browser
		want bool
	}{"the owner": {owner, true}, "the one who allowed it": {own, true}, "another user": {ben, false}} {
		if p := test.b.Get("/apps?workspace=acme"); strings.Contains(p.Body, "Ledger Owl") != test.want {
			t.Errorf("%s sees it: want %v", what, test.want)
		}
	}
	end := func(b *consoletest.Browser) consoletest.Page {
		return b.Post("/apps", url.Values{"csrf": {b.Get("/apps?workspace=acme").Field("csrf")}, "workspace": {"acme"}, "id": {"g1"}})
	}
	if p := end(ben); p.Status != http.StatusNotFound {
		t.Errorf("another user ends it: %d", p.Status)
	}
	if p := end(owner); p.Status != http.StatusSeeOther {
		t.Errorf("the owner ends it: %d", p.Status)
	}
	if a, err := s.Store.Access(t.Context(), "g1"); err != nil || a.Grant.RevokedAt.IsZero() {
		t.Errorf("afterwards: %+v, %v", a, err)
	}
}

func TestConnectPageShowsAddressAndRateLimit(t *testing.T) {
	t.Parallel()
	s := consoletest.New(t)
	s.Member(consoletest.Email, control.RoleViewer)
	p := s.SignedIn(consoletest.Email).Get("/connect?workspace=acme")
	for _, want := range []string{"claude mcp add --transport http assay " + s.URL + "/api/mcp/rpc", "42 requests per minute", "Requests in the current minute: 0"} {
		if !strings.Contains(p.Body, want) {
			t.Errorf("the page does not contain %q", want)
		}
	}
}

func TestSettingsChangeNameAndFirstDayOfTheWeek(t *testing.T) {
	t.Parallel()
	s := consoletest.New(t)
	s.Member(consoletest.Email, control.RoleOwner)
	s.Member("vera@acme.example", control.RoleViewer)
	owner, viewer := s.SignedIn(consoletest.Email), s.SignedIn("vera@acme.example")
	if p := viewer.Get("/settings?workspace=acme"); p.Status != http.StatusOK || strings.Contains(p.Body, "Save settings") || !strings.Contains(p.Body, "Only owners and admins") {
		t.Errorf("a viewer: %d, or a form", p.Status)
	}
	for what, c := range map[string]struct {
		b      *consoletest.Browser
		fields []string
		status int
	}{
		"a viewer": {viewer, []string{"name", "Theirs", "week_start", "0"}, 403}, "no name": {owner, []string{"name", " ", "week_start", "0"}, 422},
		"no day": {owner, []string{"name", "Acme", "week_start", ""}, 422}, "a day that does not exist": {owner, []string{"name", "Acme", "week_start", "7"}, 422},
		"another workspace": {owner, []string{"workspace", "other", "name", "Acme", "week_start", "0"}, 404},
		"without a token":   {owner, []string{"csrf", "", "name", "Acme", "week_start", "0"}, 403},
	} {
		if p := c.b.Form("/settings", c.fields...); p.Status != c.status {
			t.Errorf("%s: %d, want %d", what, p.Status, c.status)
		}
	}
	if p := owner.Form("/settings", "name", " Acme <b>Ltd</b> ", "week_start", "0"); p.Status != http.StatusSeeOther {
		t.Fatalf("a change: %d", p.Status)
	}
	w, err := s.Store.Workspace(t.Context(), "acme")
	if err != nil || w.Name != "Acme <b>Ltd</b>" || w.WeekStart != time.Sunday || w.Currency != "USD" {
		t.Errorf("%+v, %v", w, err)
	}
	if p := owner.Get("/settings?workspace=acme&done=saved"); strings.Contains(p.Body, "<b>Ltd") || !strings.Contains(p.Body, "Settings saved.") {
		t.Error("the name is not escaped, or the change not confirmed")
	}
}
