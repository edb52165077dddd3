package oauth_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"assay/internal/control/sqlstore"
	"assay/internal/oauth"
	"assay/internal/oauth/people"
)

// fuzzed returns a server with one client, for what strangers send.
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
	return s, client{id: "nobody", redirect: "https://owl.example/cb"}
}

func FuzzAuthorize(f *testing.F) {
	s, c := fuzzed(f)
	f.Add(c.asking(readWrite).Encode())
	f.Add("client_id=https%3A%2F%2F127.0.0.1%2Fx&redirect_uri=x")
	f.Add("client_id=a&client_id=b&decision=approve&csrf=x")
	f.Fuzz(func(t *testing.T, body string) {
		one := *s
		one.t = t
		a := one.post("/api/mcp/authorize", "application/x-www-form-urlencoded", body)
		if a.status < 400 || a.status >= 500 || a.header.Get("Location") != "" {
			t.Errorf("%q: %d to %q", body, a.status, a.header.Get("Location"))
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
