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

	"assay/internal/console"
	"assay/internal/console/consoletest"
	"assay/internal/control"
)

// invite creates an invitation and returns the path of its link.
func invite(b *consoletest.Browser, email string, role control.Role) string {
	b.T.Helper()
	made := b.Form("/people", "action", "invite", "email", email, "role", string(role))
	found := regexp.MustCompile(`<code class="secret">` + regexp.QuoteMeta(b.URL) + `(/set-up/[\w-]{43})</code>`).FindStringSubmatch(made.Body)
	if made.Status != http.StatusOK || found == nil {
		b.T.Fatalf("invitation of %s: %d %s", email, made.Status, made.Body)
	}
	return found[1]
}

func TestInvitationCreatesAnAccountOnce(t *testing.T) {
	t.Parallel()
	s := consoletest.New(t)
	s.Member(consoletest.Email, control.RoleOwner)
	owner := s.SignedIn(consoletest.Email)
	link := invite(owner, "New@Acme.Example", control.RoleAnalyst)
	if list := owner.Get("/people?workspace=acme"); strings.Contains(list.Body, link) || !strings.Contains(list.Body, "new@acme.example") {
		t.Error("the list shows the link again, or not the invitation")
	}
	stranger := s.Browser()
	page := stranger.Get(link)
	if page.Status != http.StatusOK || !strings.Contains(page.Body, "Join Acme") || page.Header.Get("Referrer-Policy") != "no-referrer" {
		t.Fatalf("the link: %d %s", page.Status, page.Body)
	}
	form := url.Values{"csrf": {page.Field("csrf")}, "password": {"too short"}}
	if p := stranger.Post(link, form); p.Status != http.StatusUnprocessableEntity || !strings.Contains(p.Body, "at least 12") {
		t.Errorf("a short password: %d", p.Status)
	}
	form.Set("password", consoletest.Password)
	if p := s.Browser().Post(link, form); p.Status != http.StatusForbidden {
		t.Errorf("the form in another browser: %d, want 403", p.Status)
	}
	if p := stranger.Post(link, form); p.Status != http.StatusSeeOther || s.RoleOf("new@acme.example") != control.RoleAnalyst {
		t.Fatalf("set-up: %d, role %q", p.Status, s.RoleOf("new@acme.example"))
	}
	if p := stranger.Get("/"); p.Status != http.StatusOK || !strings.Contains(p.Body, "<td>analyst</td>") {
		t.Errorf("afterwards: %d", p.Status)
	}
	if p := s.Browser().Get(link); p.Status != http.StatusNotFound {
		t.Errorf("the link again: %d, want 404", p.Status)
	}
	if p := s.Browser().SignIn("new@acme.example", consoletest.Password, "/"); p.Status != http.StatusSeeOther {
		t.Errorf("sign-in: %d", p.Status)
	}
}

func TestInvitationAddsAnExistingAccount(t *testing.T) {
	t.Parallel()
	s := consoletest.New(t)
	s.Member(consoletest.Email, control.RoleOwner)
	if _, err := s.People.Create(t.Context(), "ben@acme.example", consoletest.Password, "test"); err != nil {
		t.Fatal(err)
	}
	link := invite(s.SignedIn(consoletest.Email), "ben@acme.example", control.RoleViewer)
	if p := s.Browser().Get(link); !strings.Contains(strings.ToLower(p.Body), "/sign-in?next=%2fset-up%2f") || strings.Contains(p.Body, `name="password"`) {
		t.Errorf("signed out: %s", p.Body)
	}
	other := s.SignedIn(consoletest.Email)
	page := other.Get(link)
	if p := other.Post(link, url.Values{"csrf": {page.Field("csrf")}}); p.Status != http.StatusForbidden || s.RoleOf("ben@acme.example") != "" {
		t.Errorf("accepted by another user: %d, role %q", p.Status, s.RoleOf("ben@acme.example"))
	}
	ben := s.SignedIn("ben@acme.example")
	token := regexp.MustCompile(`set-up/[\w-]+">\s*<input type="hidden" name="csrf" value="([^"]*)"`).FindStringSubmatch(ben.Get(link).Body)
	if token == nil {
		t.Fatal("there is no form to join")
	}
	if p := ben.Post(link, url.Values{"csrf": {token[1]}}); p.Status != http.StatusSeeOther || s.RoleOf("ben@acme.example") != control.RoleViewer {
		t.Errorf("accepted: %d, role %q", p.Status, s.RoleOf("ben@acme.example"))
	}
}

func TestInvitationsExpire(t *testing.T) {
	t.Parallel()
	s := consoletest.New(t)
	s.Member(consoletest.Email, control.RoleOwner)
	owner := s.SignedIn(consoletest.Email)
	old := invite(owner, "old@acme.example", control.RoleViewer)
	withdrawn := invite(owner, "no@acme.example", control.RoleViewer)
	all, err := s.People.Invitations(t.Context(), "acme")
	if err != nil || len(all) != 2 {
		t.Fatalf("%d invitations, %v", len(all), err)
	}
	for _, n := range all {
		if n.Email != "no@acme.example" {
			continue
		}
		if p := owner.Form("/people", "action", "withdraw", "id", string(n.ID)); p.Status != http.StatusSeeOther {
			t.Errorf("withdrawal: %d", p.Status)
		}
	}
	s.Clock.Move(11 * time.Hour)
	if p := s.Browser().Get(withdrawn); p.Status != http.StatusNotFound {
		t.Errorf("a withdrawn one: %d, want 404", p.Status)
	}
	if p := s.Browser().Get(old); p.Status != http.StatusOK {
		t.Errorf("after a few hours: %d, want 200", p.Status)
	}
	s.Clock.Move(61 * time.Hour)
	if p := s.Browser().Get(old); p.Status != http.StatusNotFound {
		t.Errorf("after three days: %d, want 404", p.Status)
	}
}

func TestInvitationLinkIsNotLogged(t *testing.T) {
	t.Parallel()
	s := consoletest.New(t)
	var log strings.Builder
	pages := console.New(console.Options{
		BaseURL: s.URL, People: s.People, Store: s.Store, Keys: s.Keys, Now: s.Clock.Now, Log: slog.New(slog.NewTextHandler(&log, nil)),
	})
	if err := s.Store.Close(); err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	pages.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/set-up/secret-of-a-link", nil))
	if w.Code != http.StatusInternalServerError || !strings.Contains(log.String(), "/set-up/") || strings.Contains(log.String(), "secret-of-a-link") {
		t.Errorf("%d, logged %s", w.Code, log.String())
	}
}

func TestCanceledRequestsAreNotLoggedAsErrors(t *testing.T) {
	t.Parallel()
	s := consoletest.New(t)
	var log strings.Builder
	pages := console.New(console.Options{
		BaseURL: s.URL, People: s.People, Store: s.Store, Keys: s.Keys, Now: s.Clock.Now, Log: slog.New(slog.NewTextHandler(&log, nil)),
	})
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for _, test := range []struct {
		ctx  context.Context
		want string
	}{{gone, "level=INFO msg=page"}, {t.Context(), "level=ERROR msg=page"}} {
		w := httptest.NewRecorder()
		pages.ServeHTTP(w, httptest.NewRequestWithContext(test.ctx, http.MethodGet, s.URL+"/set-up/link", http.NoBody))
		if w.Code != http.StatusInternalServerError || !strings.Contains(log.String(), test.want) {
			t.Errorf("HTTP %d, logged %s; want %s", w.Code, log.String(), test.want)
		}
		log.Reset()
		if err := s.Store.Close(); err != nil { // the next request fails for another reason
			t.Fatal(err)
		}
	}
}

func TestPasswordChangeEndsOtherSessions(t *testing.T) {
	t.Parallel()
	s := consoletest.New(t)
	s.Member(consoletest.Email, control.RoleOwner)
	here, there := s.SignedIn(consoletest.Email), s.SignedIn(consoletest.Email)
	const next = "another good password"
	for what, fields := range map[string][]string{
		"a wrong one": {"action", "password", "old", "wrong", "password", next},
		"a short one": {"action", "password", "old", consoletest.Password, "password", "short"},
		"nothing":     {},
	} {
		if p := here.Form("/account", fields...); p.Status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d, want 422", what, p.Status)
		}
	}
	if p := here.Form("/account", "action", "password", "old", consoletest.Password, "password", next); p.Status != http.StatusSeeOther {
		t.Fatalf("the change: %d", p.Status)
	}
	if here.Get("/account").Status != http.StatusOK || there.Get("/account").Status != http.StatusSeeOther {
		t.Error("want this browser signed in and the other one out")
	}
	if p := s.Browser().SignIn(consoletest.Email, next, "/"); p.Status != http.StatusSeeOther {
		t.Errorf("sign-in with the new password: %d", p.Status)
	}
}

func TestWrongCurrentPasswordsAreRateLimited(t *testing.T) {
	t.Parallel()
	s := consoletest.New(t)
	s.Member(consoletest.Email, control.RoleOwner)
	b := s.SignedIn(consoletest.Email)
	for range 6 {
		b.Form("/account", "action", "password", "old", "wrong", "password", "another good password")
	}
	p := b.Form("/account", "action", "password", "old", consoletest.Password, "password", "another good password")
	if p.Status != http.StatusTooManyRequests || p.Header.Get("Retry-After") == "" {
		t.Errorf("the seventh: %d, Retry-After %q", p.Status, p.Header.Get("Retry-After"))
	}
}

func TestOtherSessionsAreListedAndEnded(t *testing.T) {
	t.Parallel()
	s := consoletest.New(t)
	s.Member(consoletest.Email, control.RoleOwner)
	there, here := s.SignedIn(consoletest.Email), s.SignedIn(consoletest.Email)
	if p := here.Get("/account"); strings.Count(p.Body, "Signed in ") != 2 || strings.Count(p.Body, "this browser") != 1 {
		t.Errorf("the list: %s", p.Body)
	}
	if p := here.Form("/account", "action", "sign-out-elsewhere"); p.Status != http.StatusSeeOther {
		t.Errorf("sign-out: %d", p.Status)
	}
	if there.Get("/account").Status != http.StatusSeeOther || here.Get("/account").Status != http.StatusOK {
		t.Error("want the other browser signed out and this one in")
	}
}
