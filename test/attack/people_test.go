package attack

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"assay/internal/auth"
	"assay/internal/control"
)

// The tests of this file cover attacks 29, 149, 150 and 152 of docs/security.md.

// pages are all paths that show a page to a signed-in member.
var pages = []string{
	"/", "/channels", "/ask", "/models", "/optimizer", "/experiments", "/experiments/plan", "/forecasts", "/costs", "/keys", "/apps", "/connect",
	"/keys?workspace=acme", "/apps?workspace=acme", "/connect?workspace=acme",
}

func TestSignInRevealsNoAccountsAndReplacesTheSession(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	known, unknown := s.browser(t).signIn(email, "wrong password 1"), s.browser(t).signIn("nobody@acme.example", "wrong password 1")
	tidy := regexp.MustCompile(`value="[^"]*"`)
	if known.status != http.StatusUnprocessableEntity || known.status != unknown.status || tidy.ReplaceAllString(known.body, "") != tidy.ReplaceAllString(unknown.body, "") {
		t.Errorf("149: a known and an unknown address get different answers: %d, %d", known.status, unknown.status)
	}
	b := s.browser(t)
	fixed := strings.Repeat("A", 43)
	b.client.Jar.SetCookies(mustURL(t, s.url), []*http.Cookie{{Name: "assay_session", Value: fixed, Path: "/"}})
	if a := b.signIn(email, password); a.status != http.StatusSeeOther {
		t.Fatalf("sign-in: %d", a.status)
	}
	for _, cookie := range b.client.Jar.Cookies(mustURL(t, s.url)) {
		if cookie.Value == fixed {
			t.Error("149: the session from before the sign-in remains valid")
		}
	}
	stolen := s.browser(t)
	stolen.client.Jar.SetCookies(mustURL(t, s.url), b.client.Jar.Cookies(mustURL(t, s.url)))
	if a := stolen.get("/"); a.status != http.StatusOK {
		t.Fatalf("the copied session: %d", a.status)
	}
	if a := b.post("/sign-out", url.Values{"csrf": {b.get("/").field("csrf")}}); a.status != http.StatusSeeOther {
		t.Fatalf("sign-out: %d", a.status)
	}
	if a := stolen.get("/"); a.status != http.StatusSeeOther {
		t.Errorf("150: after the sign-out the copied session shows %d", a.status)
	}
	again := s.signedIn(t)
	if err := s.people.SetPassword(t.Context(), s.anna.ID, "another good password", "test"); err != nil {
		t.Fatal(err)
	}
	if a := again.get("/"); a.status != http.StatusSeeOther {
		t.Errorf("150: after a change of the password a session shows %d", a.status)
	}
}

func TestPagesRequireMembership(t *testing.T) {
	t.Parallel()
	anna := shared.signedIn(t)
	for _, path := range pages {
		signedOut := shared.browser(t).get(path)
		if location := signedOut.header.Get("Location"); signedOut.status != http.StatusSeeOther || !strings.HasPrefix(location, "/sign-in") {
			t.Errorf("%s, signed out: %d to %q", path, signedOut.status, location)
		}
		a := anna.get(path)
		policy := a.header.Get("Content-Security-Policy")
		if a.status != http.StatusOK || !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "frame-ancestors 'none'") ||
			strings.Contains(policy, "unsafe") || a.header.Get("X-Frame-Options") != "DENY" || a.header.Get("X-Content-Type-Options") != "nosniff" ||
			a.header.Get("Cache-Control") != "no-store" || strings.Contains(a.body, "<script>") || strings.Contains(a.body, " style=") {
			t.Errorf("21, %s: %d %v", path, a.status, a.header)
		}
		if strings.Contains(a.body, "Other") {
			t.Errorf("98, %s shows a workspace that is not Anna's", path)
		}
		if path == "/" || strings.Contains(path, "?") {
			continue
		}
		if foreign := anna.get(path + "?workspace=other"); foreign.status != http.StatusNotFound {
			t.Errorf("98, %s of another workspace: %d", path, foreign.status)
		}
	}
	for _, path := range []string{"/keys", "/apps", "/sign-out"} {
		for what, a := range map[string]answer{
			"without a token":   anna.post(path, url.Values{"workspace": {"acme"}, "action": {"create"}, "name": {"x"}, "scope": {readOnly}, "days": {"30"}}),
			"from another site": anna.send(http.MethodPost, path, "", "Content-Type", form, "Origin", "https://evil.test"),
			"from a sandbox":    anna.send(http.MethodPost, path, "", "Content-Type", form, "Origin", "null"),
		} {
			if a.status != http.StatusForbidden {
				t.Errorf("19, POST %s %s: %d", path, what, a.status)
			}
		}
	}
}

func TestAKeyIsShownOnce(t *testing.T) {
	t.Parallel()
	b := shared.signedIn(t)
	page := b.get("/keys?workspace=acme")
	made := b.post("/keys", url.Values{
		"csrf": {page.field("csrf")}, "workspace": {"acme"}, "action": {"create"}, "name": {`<img src=x onerror=alert(1)>`}, "scope": {readOnly}, "days": {"30"},
	})
	key := regexp.MustCompile(auth.KeyPrefix + `[0-9A-Za-z]{36}`).FindString(made.body)
	if made.status != http.StatusOK || key == "" || strings.Contains(made.body, "<img") {
		t.Fatalf("152: %d %s", made.status, made.body)
	}
	if again := b.get("/keys?workspace=acme"); strings.Contains(again.body, key) || !strings.Contains(again.body, "&lt;img") {
		t.Error("152: the list shows the whole key, or its name as markup")
	}
	if a := b.say(key, listTools); a.status != http.StatusOK {
		t.Errorf("the new key: %d", a.status)
	}
}

func TestSignInDoesNotRedirectToOtherHosts(t *testing.T) {
	t.Parallel()
	shared.colleague(t, "next@acme.example", control.RoleViewer)
	for _, next := range []string{"//evil.test", `/\evil.test`, "https:evil.test", "javascript:alert(1)", "/\t//evil.test", "%2f%2fevil.test", `/%2fevil.test/"`, "/%0d%0aLocation:%20https://evil.test"} {
		b := shared.browser(t)
		page := b.get("/sign-in?" + url.Values{"next": {next}}.Encode())
		a := b.post("/sign-in", url.Values{"csrf": {page.field("csrf")}, "next": {next}, "email": {"next@acme.example"}, "password": {password}})
		u := mustURL(t, a.header.Get("Location"))
		if a.status != http.StatusSeeOther || u.Host != "" || u.Scheme != "" || strings.HasPrefix(u.Path, "//") || a.header.Get("Location") == "" {
			t.Errorf("29, next %q: %d to %q", next, a.status, a.header.Get("Location"))
		}
	}
}
