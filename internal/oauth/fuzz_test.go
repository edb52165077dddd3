package oauth_test

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"assay/internal/control"
	"assay/internal/control/sqlstore"
	"assay/internal/oauth"
	"assay/internal/oauth/people"
)

// fuzzed returns a server with one client and a signed-in person, for untrusted input.
func fuzzed(f *testing.F) (*service, client) {
	f.Helper()
	store, err := sqlstore.Open(f.Context(), sqlstore.Options{Path: filepath.Join(f.TempDir(), "control.db")})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { store.Close() })
	s := &service{store: store, clock: newClock()}
	s.people = people.New(people.Options{Store: store, Now: s.clock.now})
	server, err := oauth.New(oauth.Options{BaseURL: base, Store: store, Secrets: [][]byte{secret}, Now: s.clock.now})
	if err != nil {
		f.Fatal(err)
	}
	s.server, s.handler = server, server.Handler(&pages{people: s.people})
	c := client{id: "owl", redirect: "https://owl.example/cb"}
	known := control.Client{ID: "owl", Name: "Ledger Owl", Redirects: []string{c.redirect, "http://127.0.0.1/cb"}, CreatedAt: s.clock.now()}
	if err := store.CreateClient(f.Context(), known); err != nil {
		f.Fatal(err)
	}
	if _, err := store.CreateWorkspace(f.Context(), control.NewWorkspace("Acme"), s.by()); err != nil {
		f.Fatal(err)
	}
	if s.owner, err = s.people.Create(f.Context(), "anna@acme.example", password, "test"); err != nil {
		f.Fatal(err)
	}
	if err := s.people.SetRole(f.Context(), s.owner.ID, "acme", control.RoleOwner, "test"); err != nil {
		f.Fatal(err)
	}
	if s.session, err = s.people.SignIn(f.Context(), people.Attempt{Email: "anna@acme.example", Password: password}); err != nil {
		f.Fatal(err)
	}
	return s, c
}

// Every request leads to the consent page, to a registered redirect URI with an error, or to an error page.
func FuzzAuthorize(f *testing.F) {
	s, c := fuzzed(f)
	f.Add(c.asking(readWrite).Encode())
	f.Add("client_id=https%3A%2F%2F127.0.0.1%2Fx&redirect_uri=x")
	f.Add("client_id=a&client_id=b&decision=approve&csrf=x")
	f.Add("client_id=owl&redirect_uri=http%3A%2F%2F127.0.0.1%3A1%2Fcb&scope=admin&state=%0d%0a")
	f.Fuzz(func(t *testing.T, body string) {
		one := *s
		one.t = t
		r := httptest.NewRequest(http.MethodPost, "/api/mcp/authorize", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		a := one.send(withSession(r, s.session))
		address, query := a.location()
		local := strings.HasPrefix(address, "http://127.0.0.1:") || strings.HasPrefix(address, "http://127.0.0.1/")
		switch {
		case query.Has("code"), strings.ContainsAny(a.header.Get("Location"), "\r\n"):
			t.Errorf("%q leads to %s", body, a.header.Get("Location"))
		case a.status == http.StatusSeeOther:
			if query.Get("error") == "" || address != c.redirect && !local {
				t.Errorf("%q leads to %s", body, a.header.Get("Location"))
			}
		case a.status == http.StatusOK && address == "", a.status >= 400 && a.status < 500 && address == "":
		default:
			t.Errorf("%q: %d to %q", body, a.status, address)
		}
	})
}

func FuzzToken(f *testing.F) {
	s, c := fuzzed(f)
	f.Add(c.redeeming("x").Encode())
	f.Add(c.refreshing("x").Encode())
	f.Add("grant_type=%zz")
	f.Fuzz(func(t *testing.T, body string) {
		one := *s
		one.t = t
		a := one.post("/api/mcp/token", "application/x-www-form-urlencoded", body)
		if a.status < 400 || a.status >= 500 || a.failure() == "" || strings.Contains(a.body, "access_token") {
			t.Errorf("%q: %d %s", body, a.status, a.body)
		}
	})
}

func FuzzRegister(f *testing.F) {
	s, _ := fuzzed(f)
	f.Add(`{"redirect_uris":["https://a.example/"]}`)
	f.Add(`{"client_name":"x","redirect_uris":["http://localhost:1/","http://[::1]/"]}`)
	f.Fuzz(func(t *testing.T, body string) {
		one := *s
		one.t = t
		a := one.post("/api/mcp/register", jsonType, body)
		switch a.status {
		case http.StatusCreated, http.StatusTooManyRequests:
		default:
			if a.status < 400 || a.status >= 500 || a.failure() == "" {
				t.Errorf("%q: %d %s", body, a.status, a.body)
			}
		}
	})
}
