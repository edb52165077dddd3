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
	"assay/internal/control"
)

func TestSignInReturnsToTheRequestedPage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.member(email, control.RoleOwner)
	b := s.browser()
	ask := s.asking("https://owl.example/cb", "measurement.read")
	p := b.get(ask)
	if p.status != http.StatusSeeOther || !strings.HasPrefix(p.header.Get("Location"), "/sign-in?next=") {
		t.Fatalf("signed out: %d to %s", p.status, p.header.Get("Location"))
	}
	page := b.get(p.header.Get("Location"))
	form := url.Values{"csrf": {page.field("csrf")}, "next": {page.field("next")}, "email": {email}, "password": {"wrong " + password}}
	wrong := b.post("/sign-in", form)
	if wrong.status != http.StatusUnprocessableEntity || !strings.Contains(wrong.body, `role="alert"`) || strings.Contains(wrong.body, password) {
		t.Errorf("a wrong password: %d %s", wrong.status, wrong.body)
	}
	form.Set("csrf", wrong.field("csrf"))
	form.Set("password", password)
	right := b.post("/sign-in", form)
	if right.status != http.StatusSeeOther || right.header.Get("Location") != ask {
		t.Fatalf("the right password: %d to %q, want %q", right.status, right.header.Get("Location"), ask)
	}
	if consent := b.get(ask); consent.status != http.StatusOK || !strings.Contains(consent.body, "owl.example") {
		t.Errorf("then: %d %s", consent.status, consent.body)
	}
}

func TestSignInNeverRedirectsToOtherSites(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.member(email, control.RoleOwner)
	for _, next := range []string{
		"//evil.test", `/\evil.test`, `\\evil.test`, "https:evil.test", "https://evil.test/", "javascript:alert(1)", "/\t/evil.test", "///evil.test",
		" //evil.test", "evil.test", "", "/%zz", "http:///evil.test", "/\r\nSet-Cookie: x=1",
		`/%2fevil.test/"`, `/%2F%2Fevil.test/{`,
	} {
		if p := s.browser().signIn(email, password, next); p.header.Get("Location") != "/" {
			t.Errorf("next %q leads to %q", next, p.header.Get("Location"))
		}
	}
	for _, next := range []string{"/keys?workspace=acme", "/a/b?c=%2F%2Fevil.test#x"} {
		want, _, _ := strings.Cut(next, "#")
		if p := s.browser().signIn(email, password, next); p.header.Get("Location") != want {
			t.Errorf("next %q leads to %q", next, p.header.Get("Location"))
		}
	}
}

func TestForeignSignInFormsAreRejected(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.member(email, control.RoleOwner)
	good := url.Values{"email": {email}, "password": {password}}
	b := s.browser()
	token := b.get("/sign-in").field("csrf")
	for what, csrf := range map[string]string{"none": "", "invented": "x", "of another browser": s.browser().get("/sign-in").field("csrf")} {
		good.Set("csrf", csrf)
		if p := b.post("/sign-in", good); p.status != http.StatusForbidden {
			t.Errorf("token %s: %d, want 403", what, p.status)
		}
	}
	good.Set("csrf", token)
	for _, origin := range []string{"https://evil.test", "null", "http://127.0.0.1:1"} {
		if p := b.postFrom("/sign-in", good, origin); p.status != http.StatusForbidden {
			t.Errorf("from %s: %d, want 403", origin, p.status)
		}
	}
	if p := s.browser().post("/sign-in", good); p.status != http.StatusForbidden {
		t.Errorf("without the cookie: %d, want 403", p.status)
	}
	if p := b.post("/sign-in", good); p.status != http.StatusSeeOther {
		t.Errorf("the good form: %d, want 303", p.status)
	}
}

func TestWrongPasswordsAreRateLimited(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.member(email, control.RoleOwner)
	inside := s.signedIn(email)
	for _, address := range []string{email, "nobody@acme.example"} {
		b := s.browser()
		for i := range 6 {
			if p := b.signIn(address, "wrong password", "/"); p.status != http.StatusUnprocessableEntity {
				t.Errorf("%s, try %d: %d", address, i+1, p.status)
			}
		}
		p := b.signIn(address, password, "/")
		if p.status != http.StatusTooManyRequests || p.header.Get("Retry-After") != "1" {
			t.Errorf("%s, at once: %d, Retry-After %q", address, p.status, p.header.Get("Retry-After"))
		}
	}
	if p := inside.get("/"); p.status != http.StatusOK {
		t.Errorf("the session that exists: %d, want 200", p.status)
	}
	s.clock.move(time.Second)
	if p := s.browser().signIn(email, password, "/"); p.status != http.StatusSeeOther {
		t.Errorf("a second later: %d, want 303", p.status)
	}
}

func TestSessionsAreNewAndEndOnTheServer(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.member(email, control.RoleOwner)
	b := s.signedIn(email)
	home, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	old := b.client.Jar.Cookies(home)
	page := b.get("/")
	if p := b.post("/sign-out", url.Values{"csrf": {"x"}}); p.status != http.StatusForbidden {
		t.Errorf("sign-out without a token: %d", p.status)
	}
	if p := b.post("/sign-out", url.Values{"csrf": {page.field("csrf")}}); p.status != http.StatusSeeOther {
		t.Errorf("sign-out: %d", p.status)
	}
	if p := b.get("/"); p.status != http.StatusSeeOther {
		t.Errorf("afterwards: %d", p.status)
	}
	b.client.Jar.SetCookies(home, old)
	if p := b.get("/"); p.status != http.StatusSeeOther {
		t.Errorf("with the old cookie: %d", p.status)
	}
	if p := b.signIn(email, password, "/"); p.status != http.StatusSeeOther || slices.EqualFunc(old, b.client.Jar.Cookies(home), func(a, b *http.Cookie) bool { return a.Value == b.Value }) {
		t.Errorf("signed in again: %d with the same cookie", p.status)
	}
}

func TestSessionsEndByIdlenessAgeAndPassword(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	u := s.member(email, control.RoleOwner)
	idle := s.signedIn(email)
	s.clock.move(12 * time.Hour)
	if p := idle.get("/"); p.status != http.StatusSeeOther {
		t.Errorf("after twelve idle hours: %d", p.status)
	}
	old := s.signedIn(email)
	for range 15 {
		s.clock.move(11 * time.Hour)
		if p := old.get("/"); p.status != http.StatusOK {
			t.Fatalf("in use: %d", p.status)
		}
	}
	s.clock.move(3 * time.Hour)
	if p := old.get("/"); p.status != http.StatusSeeOther {
		t.Errorf("after seven days: %d", p.status)
	}
	stolen := s.signedIn(email)
	if err := s.people.SetPassword(t.Context(), u.ID, "another long password", "test"); err != nil {
		t.Fatal(err)
	}
	if p := stolen.get("/"); p.status != http.StatusSeeOther {
		t.Errorf("after a new password: %d", p.status)
	}
}

func TestCookiesAreForThisHostOnly(t *testing.T) {
	t.Parallel()
	for base, prefix := range map[string]string{"https://assay.example": "__Host-", "http://127.0.0.1:8080": ""} {
		s := newSite(t)
		c := console.New(console.Options{BaseURL: base, People: s.people, Store: s.store, Keys: s.keys, Now: s.clock.now})
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
	s := newSite(t)
	s.member(email, control.RoleOwner)
	b := s.signedIn(email)
	for _, path := range []string{"/", "/keys?workspace=acme", "/apps?workspace=acme", "/connect?workspace=acme", "/nowhere", "/keys?workspace=other", s.asking("https://owl.example/cb", "measurement.read")} {
		p := b.get(path)
		policy := p.header.Get("Content-Security-Policy")
		if !strings.Contains(policy, "frame-ancestors 'none'") || !strings.Contains(policy, "default-src 'none'") || strings.Contains(strings.Replace(policy, "script-src 'self'; ", "", 1), "script") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s: policy %q", path, policy)
		}
		for name, want := range map[string]string{
			"X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "Referrer-Policy": "no-referrer",
			"Content-Type": "text/html; charset=utf-8",
		} {
			if got := p.header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want)
			}
		}
		if strings.Contains(p.body, "<script>") || strings.Contains(p.body, "style=") || strings.Contains(p.body, "<style") {
			t.Errorf("%s contains a script or an inline style", path)
		}
		if !strings.Contains(p.body, `<html lang="en">`) || !strings.Contains(p.body, "<h1>") || !strings.Contains(p.body, `name="viewport"`) {
			t.Errorf("%s: no language, heading or viewport", path)
		}
	}
	if p := b.get("/assets/console.css"); p.status != http.StatusOK || !strings.HasPrefix(p.header.Get("Content-Type"), "text/css") {
		t.Errorf("style sheet: %d %s", p.status, p.header.Get("Content-Type"))
	}
	if p := b.get("/assets/..%2fconsole.go"); p.status != http.StatusBadRequest {
		t.Errorf("a file next to the assets: %d", p.status)
	}
}

func TestOtherHostNamesAreRejected(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/sign-in", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "evil.test"
	if p := s.browser().send(r); p.status != http.StatusMisdirectedRequest {
		t.Errorf("%d, want 421", p.status)
	}
}

func TestSignInPageExplainsTheFirstAccount(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	if p := s.browser().get("/sign-in"); !strings.Contains(p.body, "assay user create") {
		t.Errorf("no hint: %s", p.body)
	}
	s.member(email, control.RoleOwner)
	if p := s.browser().get("/sign-in"); strings.Contains(p.body, "assay user create") {
		t.Error("the hint remains")
	}
}
