package console_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/internal/console"
	"assay/internal/console/consoletest"
	"assay/internal/control"
)

func TestSignInReturnsToTheRequestedPage(t *testing.T) {
	t.Parallel()
	s := consoletest.New(t)
	s.Member(consoletest.Email, control.RoleOwner)
	b := s.Browser()
	ask := asking(s, "https://owl.example/cb", "measurement.read")
	p := b.Get(ask)
	if p.Status != http.StatusSeeOther || !strings.HasPrefix(p.Header.Get("Location"), "/sign-in?next=") {
		t.Fatalf("signed out: %d to %s", p.Status, p.Header.Get("Location"))
	}
	page := b.Get(p.Header.Get("Location"))
	form := url.Values{"csrf": {page.Field("csrf")}, "next": {page.Field("next")}, "email": {consoletest.Email}, "password": {"wrong " + consoletest.Password}}
	wrong := b.Post("/sign-in", form)
	if wrong.Status != http.StatusUnprocessableEntity || !strings.Contains(wrong.Body, `role="alert"`) || strings.Contains(wrong.Body, consoletest.Password) {
		t.Errorf("a wrong password: %d %s", wrong.Status, wrong.Body)
	}
	form.Set("csrf", wrong.Field("csrf"))
	form.Set("password", consoletest.Password)
	right := b.Post("/sign-in", form)
	if right.Status != http.StatusSeeOther || right.Header.Get("Location") != ask {
		t.Fatalf("the right password: %d to %q, want %q", right.Status, right.Header.Get("Location"), ask)
	}
	if consent := b.Get(ask); consent.Status != http.StatusOK || !strings.Contains(consent.Body, "owl.example") {
		t.Errorf("then: %d %s", consent.Status, consent.Body)
	}
}

func TestSignInNeverRedirectsToOtherSites(t *testing.T) {
	t.Parallel()
	s := consoletest.New(t)
	s.Member(consoletest.Email, control.RoleOwner)
	for _, next := range []string{
		"//evil.test", `/\evil.test`, `\\evil.test`, "https:evil.test", "https://evil.test/", "javascript:alert(1)", "/\t/evil.test", "///evil.test",
		" //evil.test", "evil.test", "", "/%zz", "http:///evil.test", "/\r\nSet-Cookie: x=1",
		`/%2fevil.test/"`, `/%2F%2Fevil.test/{`,
	} {
		if p := s.Browser().SignIn(consoletest.Email, consoletest.Password, next); p.Header.Get("Location") != "/" {
			t.Errorf("next %q leads to %q", next, p.Header.Get("Location"))
		}
	}
	for _, next := range []string{"/keys?workspace=acme", "/a/b?c=%2F%2Fevil.test#x"} {
		want, _, _ := strings.Cut(next, "#")
		if p := s.Browser().SignIn(consoletest.Email, consoletest.Password, next); p.Header.Get("Location") != want {
			t.Errorf("next %q leads to %q", next, p.Header.Get("Location"))
		}
	}
}

func TestForeignSignInFormsAreRejected(t *testing.T) {
	t.Parallel()
	s := consoletest.New(t)
	s.Member(consoletest.Email, control.RoleOwner)
	good := url.Values{"email": {consoletest.Email}, "password": {consoletest.Password}}
	b := s.Browser()
	token := b.Get("/sign-in").Field("csrf")
	for what, csrf := range map[string]string{"none": "", "invented": "x", "of another browser": s.Browser().Get("/sign-in").Field("csrf")} {
		good.Set("csrf", csrf)
		if p := b.Post("/sign-in", good); p.Status != http.StatusForbidden {
			t.Errorf("token %s: %d, want 403", what, p.Status)
		}
	}
	good.Set("csrf", token)
	for _, origin := range []string{"https://evil.test", "null", "http://127.0.0.1:1"} {
		if p := b.PostFrom("/sign-in", good, origin); p.Status != http.StatusForbidden {
			t.Errorf("from %s: %d, want 403", origin, p.Status)
		}
	}
	if p := s.Browser().Post("/sign-in", good); p.Status != http.StatusForbidden {
		t.Errorf("without the cookie: %d, want 403", p.Status)
	}
	if p := b.Post("/sign-in", good); p.Status != http.StatusSeeOther {
		t.Errorf("the good form: %d, want 303", p.Status)
	}
}

func TestWrongPasswordsAreRateLimited(t *testing.T) {
	t.Parallel()
	s := consoletest.New(t)
	s.Member(consoletest.Email, control.RoleOwner)
	inside := s.SignedIn(consoletest.Email)
	for _, address := range []string{consoletest.Email, "nobody@acme.example"} {
		b := s.Browser()
		for i := range 6 {
			if p := b.SignIn(address, "wrong password", "/"); p.Status != http.StatusUnprocessableEntity {
				t.Errorf("%s, try %d: %d", address, i+1, p.Status)
			}
		}
		p := b.SignIn(address, consoletest.Password, "/")
		if p.Status != http.StatusTooManyRequests || p.Header.Get("Retry-After") != "1" {
			t.Errorf("%s, at once: %d, Retry-After %q", address, p.Status, p.Header.Get("Retry-After"))
		}
	}
	if p := inside.Get("/"); p.Status != http.StatusOK {
		t.Errorf("the session that exists: %d, want 200", p.Status)
	}
	s.Clock.Move(time.Second)
	if p := s.Browser().SignIn(consoletest.Email, consoletest.Password, "/"); p.Status != http.StatusSeeOther {
		t.Errorf("a second later: %d, want 303", p.Status)
	}
}

func TestSessionsAreNewAndEndOnTheServer(t *testing.T) {
	t.Parallel()
	s := consoletest.New(t)
	s.Member(consoletest.Email, control.RoleOwner)
	b := s.SignedIn(consoletest.Email)
	home, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	old := b.Client.Jar.Cookies(home)
	page := b.Get("/")
	if p := b.Post("/sign-out", url.Values{"csrf": {"x"}}); p.Status != http.StatusForbidden {
		t.Errorf("sign-out without a token: %d", p.Status)
	}
	if p := b.Post("/sign-out", url.Values{"csrf": {page.Field("csrf")}}); p.Status != http.StatusSeeOther {
		t.Errorf("sign-out: %d", p.Status)
	}
	if p := b.Get("/"); p.Status != http.StatusSeeOther {
		t.Errorf("afterwards: %d", p.Status)
	}
	b.Client.Jar.SetCookies(home, old)
	if p := b.Get("/"); p.Status != http.StatusSeeOther {
		t.Errorf("with the old cookie: %d", p.Status)
	}
	if p := b.SignIn(consoletest.Email, consoletest.Password, "/"); p.Status != http.StatusSeeOther || slices.EqualFunc(old, b.Client.Jar.Cookies(home), func(a, b *http.Cookie) bool { return a.Value == b.Value }) {
		t.Errorf("signed in again: %d with the same cookie", p.Status)
	}
}

func TestSessionsEndByIdlenessAgeAndPassword(t *testing.T) {
	t.Parallel()
	s := consoletest.New(t)
	u := s.Member(consoletest.Email, control.RoleOwner)
	idle := s.SignedIn(consoletest.Email)
	s.Clock.Move(12 * time.Hour)
	if p := idle.Get("/"); p.Status != http.StatusSeeOther {
		t.Errorf("after twelve idle hours: %d", p.Status)
	}
	old := s.SignedIn(consoletest.Email)
	for range 15 {
		s.Clock.Move(11 * time.Hour)
		if p := old.Get("/"); p.Status != http.StatusOK {
			t.Fatalf("in use: %d", p.Status)
		}
	}
	s.Clock.Move(3 * time.Hour)
	if p := old.Get("/"); p.Status != http.StatusSeeOther {
		t.Errorf("after seven days: %d", p.Status)
	}
	stolen := s.SignedIn(consoletest.Email)
	if err := s.People.SetPassword(t.Context(), u.ID, "another long password", "test"); err != nil {
		t.Fatal(err)
	}
	if p := stolen.Get("/"); p.Status != http.StatusSeeOther {
		t.Errorf("after a new password: %d", p.Status)
	}
}

func TestCookiesAreForThisHostOnly(t *testing.T) {
	t.Parallel()
	for base, prefix := range map[string]string{"https://assay.example": "__Host-", "http://127.0.0.1:8080": ""} {
		s := consoletest.New(t)
		c := console.New(console.Options{BaseURL: base, People: s.People, Store: s.Store, Keys: s.Keys, Now: s.Clock.Now})
		r := httptest.NewRequest(http.MethodGet, base+"/sign-in", nil)
		w := httptest.NewRecorder()
		c.ServeHTTP(w, r)
		cookies := w.Result().Cookies()
		if len(cookies) != 1 {
			t.Fatalf("%s: %d cookies", base, len(cookies))
		}
		k := cookies[0]
		secure := prefix != ""
		if k.Name != prefix+"assay_visit" || k.Secure != secure || !k.HttpOnly || k.SameSite != http.SameSiteLaxMode || k.Path != "/" || k.Domain != "" {
			t.Errorf("%s: cookie %+v", base, k)
		}
	}
}

func TestEveryPageForbidsFramingAndScripts(t *testing.T) {
	t.Parallel()
	s := consoletest.New(t)
	s.Member(consoletest.Email, control.RoleOwner)
	b := s.SignedIn(consoletest.Email)
	for _, path := range []string{"/", "/keys?workspace=acme", "/apps?workspace=acme", "/connect?workspace=acme", "/nowhere", "/keys?workspace=other", asking(s, "https://owl.example/cb", "measurement.read")} {
		p := b.Get(path)
		policy := p.Header.Get("Content-Security-Policy")
		if !strings.Contains(policy, "frame-ancestors 'none'") || !strings.Contains(policy, "default-src 'none'") || strings.Contains(strings.Replace(policy, "script-src 'self'; ", "", 1), "script") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s: policy %q", path, policy)
		}
		for name, want := range map[string]string{
			"X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "Referrer-Policy": "no-referrer",
			"Content-Type": "text/html; charset=utf-8",
		} {
			if got := p.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want)
			}
		}
		if strings.Contains(p.Body, "<script>") || strings.Contains(p.Body, "style=") || strings.Contains(p.Body, "<style") {
			t.Errorf("%s contains a script or an inline style", path)
		}
		if !strings.Contains(p.Body, `<html lang="en">`) || !strings.Contains(p.Body, "<h1>") || !strings.Contains(p.Body, `name="viewport"`) {
			t.Errorf("%s: no language, heading or viewport", path)
		}
	}
	if p := b.Get("/assets/console.css"); p.Status != http.StatusOK || !strings.HasPrefix(p.Header.Get("Content-Type"), "text/css") {
		t.Errorf("style sheet: %d %s", p.Status, p.Header.Get("Content-Type"))
	}
	if p := b.Get("/assets/..%2fconsole.go"); p.Status != http.StatusBadRequest {
		t.Errorf("a file next to the assets: %d", p.Status)
	}
}

func TestOtherHostNamesAreRejected(t *testing.T) {
	t.Parallel()
	s := consoletest.New(t)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/sign-in", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "evil.test"
	if p := s.Browser().Send(r); p.Status != http.StatusMisdirectedRequest {
		t.Errorf("%d, want 421", p.Status)
	}
}

func TestSignInPageExplainsTheFirstAccount(t *testing.T) {
	t.Parallel()
	s := consoletest.New(t)
	if p := s.Browser().Get("/sign-in"); !strings.Contains(p.Body, "assay user create") {
		t.Errorf("no hint: %s", p.Body)
	}
	s.Member(consoletest.Email, control.RoleOwner)
	if p := s.Browser().Get("/sign-in"); strings.Contains(p.Body, "assay user create") {
		t.Error("the hint remains")
	}
}
