package console_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"assay/internal/auth"
	"assay/internal/console"
	"assay/internal/control"
)

// form sends a form of the console.
func (b *browser) form(path string, fields ...string) seen {
	b.t.Helper()
	values := url.Values{"csrf": {b.get("/account").field("csrf")}, "workspace": {"acme"}}
	for i := 0; i < len(fields); i += 2 {
		values.Set(fields[i], fields[i+1])
	}
	return b.post(path, values)
}

// invite creates an invitation and returns the path of its link.
func (b *browser) invite(email string, role control.Role) string {
	b.t.Helper()
	made := b.form("/people", "action", "invite", "email", email, "role", string(role))
	found := regexp.MustCompile(`<code class="secret">` + regexp.QuoteMeta(b.url) + `(/set-up/[\w-]{43})</code>`).FindStringSubmatch(made.body)
	if made.status != http.StatusOK || found == nil {
		b.t.Fatalf("invitation of %s: %d %s", email, made.status, made.body)
	}
	return found[1]
}

func (s *site) roleOf(email string) control.Role {
	s.t.Helper()
	u, err := s.people.Find(s.t.Context(), email)
	if err != nil {
		return ""
	}
	in, err := s.people.Memberships(s.t.Context(), u.ID)
	if err != nil || len(in) == 0 {
		return ""
	}
	return in[0].Role
}

func TestInvitationCreatesAnAccountOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.member(email, control.RoleOwner)
	owner := s.signedIn(email)
	link := owner.invite("New@Acme.Example", control.RoleAnalyst)
	if list := owner.get("/people?workspace=acme"); strings.Contains(list.body, link) || !strings.Contains(list.body, "new@acme.example") {
		t.Error("the list shows the link again, or not the invitation")
	}
	stranger := s.browser()
	page := stranger.get(link)
	if page.status != http.StatusOK || !strings.Contains(page.body, "Join Acme") || page.header.Get("Referrer-Policy") != "no-referrer" {
		t.Fatalf("the link: %d %s", page.status, page.body)
	}
	form := url.Values{"csrf": {page.field("csrf")}, "password": {"too short"}}
	if p := stranger.post(link, form); p.status != http.StatusUnprocessableEntity || !strings.Contains(p.body, "at least 12") {
		t.Errorf("a short password: %d", p.status)
	}
	form.Set("password", password)
	if p := s.browser().post(link, form); p.status != http.StatusForbidden {
		t.Errorf("the form in another browser: %d, want 403", p.status)
	}
	if p := stranger.post(link, form); p.status != http.StatusSeeOther || s.roleOf("new@acme.example") != control.RoleAnalyst {
		t.Fatalf("set-up: %d, role %q", p.status, s.roleOf("new@acme.example"))
	}
	if p := stranger.get("/"); p.status != http.StatusOK || !strings.Contains(p.body, "you are analyst") {
		t.Errorf("afterwards: %d", p.status)
	}
	if p := s.browser().get(link); p.status != http.StatusNotFound {
		t.Errorf("the link again: %d, want 404", p.status)
	}
	if p := s.browser().signIn("new@acme.example", password, "/"); p.status != http.StatusSeeOther {
		t.Errorf("sign-in: %d", p.status)
	}
}

func TestInvitationAddsAnExistingAccount(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.member(email, control.RoleOwner)
	if _, err := s.people.Create(t.Context(), "ben@acme.example", password, "test"); err != nil {
		t.Fatal(err)
	}
	link := s.signedIn(email).invite("ben@acme.example", control.RoleViewer)
	if p := s.browser().get(link); !strings.Contains(strings.ToLower(p.body), "/sign-in?next=%2fset-up%2f") || strings.Contains(p.body, `name="password"`) {
		t.Errorf("signed out: %s", p.body)
	}
	other := s.signedIn(email)
	page := other.get(link)
	if p := other.post(link, url.Values{"csrf": {page.field("csrf")}}); p.status != http.StatusForbidden || s.roleOf("ben@acme.example") != "" {
		t.Errorf("accepted by another user: %d, role %q", p.status, s.roleOf("ben@acme.example"))
	}
	ben := s.signedIn("ben@acme.example")
	token := regexp.MustCompile(`set-up/[\w-]+">\s*<input type="hidden" name="csrf" value="([^"]*)"`).FindStringSubmatch(ben.get(link).body)
	if token == nil {
		t.Fatal("there is no form to join")
	}
	if p := ben.post(link, url.Values{"csrf": {token[1]}}); p.status != http.StatusSeeOther || s.roleOf("ben@acme.example") != control.RoleViewer {
		t.Errorf("accepted: %d, role %q", p.status, s.roleOf("ben@acme.example"))
	}
}

func TestInvitationsExpire(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.member(email, control.RoleOwner)
	owner := s.signedIn(email)
	old := owner.invite("old@acme.example", control.RoleViewer)
	withdrawn := owner.invite("no@acme.example", control.RoleViewer)
	all, err := s.people.Invitations(t.Context(), "acme")
	if err != nil || len(all) != 2 {
		t.Fatalf("%d invitations, %v", len(all), err)
	}
	for _, n := range all {
		if n.Email != "no@acme.example" {
			continue
		}
		if p := owner.form("/people", "action", "withdraw", "id", string(n.ID)); p.status != http.StatusSeeOther {
			t.Errorf("withdrawal: %d", p.status)
		}
	}
	s.clock.move(11 * time.Hour)
	if p := s.browser().get(withdrawn); p.status != http.StatusNotFound {
		t.Errorf("a withdrawn one: %d, want 404", p.status)
	}
	if p := s.browser().get(old); p.status != http.StatusOK {
		t.Errorf("after a few hours: %d, want 200", p.status)
	}
	s.clock.move(61 * time.Hour)
	if p := s.browser().get(old); p.status != http.StatusNotFound {
		t.Errorf("after three days: %d, want 404", p.status)
	}
}

func TestInvitationLinkIsNotLogged(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	var log strings.Builder
	pages := console.New(console.Options{
		BaseURL: s.url, People: s.people, Store: s.store, Keys: s.keys, Now: s.clock.now, Log: slog.New(slog.NewTextHandler(&log, nil)),
	})
	if err := s.store.Close(); err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	pages.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/set-up/secret-of-a-link", nil))
	if w.Code != http.StatusInternalServerError || !strings.Contains(log.String(), "/set-up/") || strings.Contains(log.String(), "secret-of-a-link") {
		t.Errorf("%d, logged %s", w.Code, log.String())
	}
}

func TestCanceledRequestsAreNotLoggedAsErrors(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	var log strings.Builder
	pages := console.New(console.Options{
		BaseURL: s.url, People: s.people, Store: s.store, Keys: s.keys, Now: s.clock.now, Log: slog.New(slog.NewTextHandler(&log, nil)),
	})
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for _, test := range []struct {
		ctx  context.Context
		want string
	}{{gone, "level=INFO msg=page"}, {t.Context(), "level=ERROR msg=page"}} {
		w := httptest.NewRecorder()
		pages.ServeHTTP(w, httptest.NewRequestWithContext(test.ctx, http.MethodGet, s.url+"/set-up/link", http.NoBody))
		if w.Code != http.StatusInternalServerError || !strings.Contains(log.String(), test.want) {
			t.Errorf("HTTP %d, logged %s; want %s", w.Code, log.String(), test.want)
		}
		log.Reset()
		if err := s.store.Close(); err != nil { // the next request fails for another reason
			t.Fatal(err)
		}
	}
}

func TestRolesAboveOnesOwnCannotBeAssignedOrRemoved(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	owner := s.member(email, control.RoleOwner)
	admin := s.member("ada@acme.example", control.RoleAdmin)
	analyst := s.member("ana@acme.example", control.RoleAnalyst)
	of := map[control.Role]*browser{
		control.RoleOwner: s.signedIn(email), control.RoleAdmin: s.signedIn("ada@acme.example"), control.RoleAnalyst: s.signedIn("ana@acme.example"),
	}
	cases := []struct {
		what   string
		by     control.Role
		fields []string
		status int
	}{
		{"an admin invites an owner", control.RoleAdmin, []string{"action", "invite", "email", "x@acme.example", "role", "owner"}, 403},
		{"an analyst invites a viewer", control.RoleAnalyst, []string{"action", "invite", "email", "x@acme.example", "role", "viewer"}, 403},
		{"an admin makes an owner", control.RoleAdmin, []string{"action", "role", "user", string(analyst.ID), "role", "owner"}, 403},
		{"an admin makes themselves an owner", control.RoleAdmin, []string{"action", "role", "user", string(admin.ID), "role", "owner"}, 403},
		{"an admin lowers an owner", control.RoleAdmin, []string{"action", "role", "user", string(owner.ID), "role", "viewer"}, 403},
		{"an admin removes an owner", control.RoleAdmin, []string{"action", "remove", "user", string(owner.ID)}, 403},
		{"an admin invites an owner in another spelling", control.RoleAdmin, []string{"action", "invite", "email", "x@acme.example", "role", " owner "}, 403},
		{"an admin makes an owner in another spelling", control.RoleAdmin, []string{"action", "role", "user", string(analyst.ID), "role", "owner\n"}, 403},
		{"an analyst raises themselves", control.RoleAnalyst, []string{"action", "role", "user", string(analyst.ID), "role", "admin"}, 403},
		{"an analyst removes an admin", control.RoleAnalyst, []string{"action", "remove", "user", string(admin.ID)}, 403},
		{"an analyst withdraws", control.RoleAnalyst, []string{"action", "withdraw", "id", "x"}, 403},
		{"the last owner is lowered", control.RoleOwner, []string{"action", "role", "user", string(owner.ID), "role", "admin"}, 422},
		{"the last owner leaves", control.RoleOwner, []string{"action", "remove", "user", string(owner.ID)}, 422},
		{"an unknown role", control.RoleOwner, []string{"action", "role", "user", string(analyst.ID), "role", "root"}, 422},
		{"nobody", control.RoleOwner, []string{"action", "remove", "user", "nobody"}, 422},
		{"who is there already", control.RoleOwner, []string{"action", "invite", "email", "ana@acme.example", "role", "viewer"}, 422},
		{"no address", control.RoleOwner, []string{"action", "invite", "email", "ana", "role", "viewer"}, 422},
		{"no action", control.RoleOwner, nil, 422},
		{"another workspace", control.RoleOwner, []string{"workspace", "other", "action", "remove", "user", string(admin.ID)}, 404},
		{"without a token", control.RoleOwner, []string{"csrf", "", "action", "remove", "user", string(admin.ID)}, 403},
		{"an admin raises an analyst", control.RoleAdmin, []string{"action", "role", "user", string(analyst.ID), "role", "admin"}, 303},
		{"an admin lowers an admin", control.RoleAdmin, []string{"action", "role", "user", string(analyst.ID), "role", "analyst"}, 303},
		{"an analyst leaves", control.RoleAnalyst, []string{"action", "remove", "user", string(analyst.ID)}, 303},
	}
	for _, c := range cases {
		if p := of[c.by].form("/people", c.fields...); p.status != c.status {
			t.Errorf("%s: %d, want %d", c.what, p.status, c.status)
		}
	}
	want := map[string]control.Role{email: control.RoleOwner, "ada@acme.example": control.RoleAdmin, "ana@acme.example": ""}
	for who, role := range want {
		if got := s.roleOf(who); got != role {
			t.Errorf("%s is %q at the end, want %q", who, got, role)
		}
	}
}

func TestRemovingAMemberRevokesTheirKeys(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.member(email, control.RoleOwner)
	ada := s.member("ada@acme.example", control.RoleAdmin)
	secret, _, err := s.keys.Create(t.Context(), auth.NewKey{Workspace: "acme", Name: "hers"}, control.ActorOf(ada.ID))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.keys.Authenticate(t.Context(), string(secret)); err != nil {
		t.Fatalf("before: %v", err)
	}
	if p := s.signedIn(email).form("/people", "action", "remove", "user", string(ada.ID)); p.status != http.StatusSeeOther {
		t.Fatalf("removal: %d", p.status)
	}
	if _, err := s.keys.Authenticate(t.Context(), string(secret)); err == nil {
		t.Error("the key is accepted at the same instant")
	}
}

func TestPasswordChangeEndsOtherSessions(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.member(email, control.RoleOwner)
	here, there := s.signedIn(email), s.signedIn(email)
	const next = "another good password"
	for what, fields := range map[string][]string{
		"a wrong one": {"action", "password", "old", "wrong", "password", next},
		"a short one": {"action", "password", "old", password, "password", "short"},
		"nothing":     {},
	} {
		if p := here.form("/account", fields...); p.status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d, want 422", what, p.status)
		}
	}
	if p := here.form("/account", "action", "password", "old", password, "password", next); p.status != http.StatusSeeOther {
		t.Fatalf("the change: %d", p.status)
	}
	if here.get("/account").status != http.StatusOK || there.get("/account").status != http.StatusSeeOther {
		t.Error("want this browser signed in and the other one out")
	}
	if p := s.browser().signIn(email, next, "/"); p.status != http.StatusSeeOther {
		t.Errorf("sign-in with the new password: %d", p.status)
	}
}

func TestWrongCurrentPasswordsAreRateLimited(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.member(email, control.RoleOwner)
	b := s.signedIn(email)
	for range 6 {
		b.form("/account", "action", "password", "old", "wrong", "password", "another good password")
	}
	p := b.form("/account", "action", "password", "old", password, "password", "another good password")
	if p.status != http.StatusTooManyRequests || p.header.Get("Retry-After") == "" {
		t.Errorf("the seventh: %d, Retry-After %q", p.status, p.header.Get("Retry-After"))
	}
}

func TestOtherSessionsAreListedAndEnded(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.member(email, control.RoleOwner)
	there, here := s.signedIn(email), s.signedIn(email)
	if p := here.get("/account"); strings.Count(p.body, "Signed in ") != 2 || strings.Count(p.body, "this browser") != 1 {
		t.Errorf("the list: %s", p.body)
	}
	if p := here.form("/account", "action", "sign-out-elsewhere"); p.status != http.StatusSeeOther {
		t.Errorf("sign-out: %d", p.status)
	}
	if there.get("/account").status != http.StatusSeeOther || here.get("/account").status != http.StatusOK {
		t.Error("want the other browser signed out and this one in")
	}
}
