package oauth_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/internal/control"
	"assay/internal/fault"
)

func TestACodeUsedTwiceRevokesItsGrant(t *testing.T) {
	t.Parallel()
	s := newService(t, secret)
	c := s.register("https://owl.example/cb")
	code := s.code(c, readWrite)
	got, a := s.exchange(c.redeeming(code))
	if a.status != http.StatusOK {
		t.Fatal(a.body)
	}
	s.wantAlive("the first access token, before", got.Access, true)
	_, a = s.exchange(c.redeeming(code))
	wantFailure(t, "the second time", a, http.StatusBadRequest, "invalid_grant")
	s.wantAlive("the first access token", got.Access, false)
	_, a = s.exchange(c.refreshing(got.Refresh))
	wantFailure(t, "its refresh token", a, http.StatusBadRequest, "invalid_grant")
}

func TestClientsWithImpossibleIDsAreUnknown(t *testing.T) {
	t.Parallel()
	s := newService(t, secret)
	s.onPostgres()
	for _, id := range []string{"\x00", "a\xff"} {
		a := s.postForm("/api/mcp/token", url.Values{"grant_type": {"refresh_token"}, "refresh_token": {"x"}, "client_id": {id}})
		wantFailure(t, strconv.Quote(id), a, http.StatusUnauthorized, "invalid_client")
	}
}

func TestOneOfConcurrentRedemptionsSucceeds(t *testing.T) {
	t.Parallel()
	s := newService(t, secret)
	c := s.register("https://owl.example/cb")
	if got := s.atOnce(50, c.redeeming(s.code(c, readWrite))); got != 1 {
		t.Errorf("%d of 50 redemptions of one code succeeded, want 1", got)
	}
	first := s.tokens(c, readWrite)
	if got := s.atOnce(20, c.refreshing(first.Refresh)); got != 1 {
		t.Errorf("%d of 20 refreshes with one token succeeded, want 1", got)
	}
	s.wantAlive("the family after refreshes at once", first.Access, true)
}

// atOnce sends the same token request many times in parallel and returns how many succeeded.
func (s *service) atOnce(n int, fields url.Values) int {
	s.t.Helper()
	var wg sync.WaitGroup
	var mu sync.Mutex
	succeeded := 0
	body := fields.Encode()
	for range n {
		wg.Go(func() {
			r := httptest.NewRequest(http.MethodPost, "/api/mcp/token", strings.NewReader(body))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			w := httptest.NewRecorder()
			s.handler.ServeHTTP(w, r)
			mu.Lock()
			defer mu.Unlock()
			if w.Code == http.StatusOK {
				succeeded++
			}
		})
	}
	wg.Wait()
	return succeeded
}

func TestInvalidRedemptionsDoNotUseTheCode(t *testing.T) {
	t.Parallel()
	s := newService(t, secret)
	c, other := s.register("https://owl.example/cb"), s.register("https://owl.example/cb")
	code := s.code(c, readWrite)
	cases := []struct {
		name, value, want string
		status            int
	}{
		{"client_id", other.id, "invalid_grant", 400},
		{"client_id", "missing", "invalid_client", 401},
		{"client_id", "-", "invalid_request", 400},
		{"code", code + "x", "invalid_grant", 400},
		{"code", "", "invalid_request", 400},
		{"code_verifier", "-", "invalid_grant", 400},
		{"code_verifier", strings.Repeat("a", 43), "invalid_grant", 400},
		{"code_verifier", verifier[:42], "invalid_grant", 400},
		{"code_verifier", strings.Repeat("a", 129), "invalid_grant", 400},
		{"code_verifier", challengeOf(verifier), "invalid_grant", 400},
		{"redirect_uri", "-", "invalid_grant", 400},
		{"redirect_uri", "https://owl.example/cb2", "invalid_grant", 400},
		{"resource", "https://other.example", "invalid_target", 400},
		{"scope", allScopes, "invalid_scope", 400},
		{"scope", "admin", "invalid_scope", 400},
		{"client_secret", "guess", "invalid_client", 401},
		{"grant_type", "-", "invalid_request", 400},
		{"grant_type", "password", "unsupported_grant_type", 400},
		{"grant_type", "client_credentials", "unsupported_grant_type", 400},
		{"grant_type", "implicit", "unsupported_grant_type", 400},
		{"grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer", "unsupported_grant_type", 400},
	}
	for _, test := range cases {
		fields := c.redeeming(code)
		fields.Set(test.name, test.value)
		if test.value == "-" {
			fields.Del(test.name)
		}
		_, a := s.exchange(fields)
		wantFailure(t, test.name+"="+test.value, a, test.status, test.want)
		if strings.Contains(a.body, code) || strings.Contains(a.body, verifier) {
			t.Errorf("%s=%s: the answer echoes a secret", test.name, test.value)
		}
		if a.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s=%s: the answer may be cached", test.name, test.value)
		}
	}
	for name := range c.redeeming(code) {
		twice := c.redeeming(code)
		twice.Add(name, twice.Get(name))
		_, a := s.exchange(twice)
		wantFailure(t, name+" twice", a, http.StatusBadRequest, "invalid_request")
	}
	if _, a := s.exchange(c.redeeming(code)); a.status != http.StatusOK {
		t.Errorf("the code was used: %s", a.body)
	}
}

func TestTokenRequestsHaveOneForm(t *testing.T) {
	t.Parallel()
	s := newService(t, secret)
	c := s.register("https://owl.example/cb")
	fields := c.redeeming(s.code(c, readWrite)).Encode()
	form := "application/x-www-form-urlencoded"
	wantFailure(t, "JSON", s.post("/api/mcp/token", "application/json", `{"grant_type":"authorization_code"}`), 400, "invalid_request")
	wantFailure(t, "multipart", s.post("/api/mcp/token", "multipart/form-data; boundary=x", "--x--"), 400, "invalid_request")
	wantFailure(t, "in the query", s.post("/api/mcp/token?"+fields, form, ""), 400, "invalid_request")
	wantFailure(t, "in both", s.post("/api/mcp/token?x=1", form, fields), 400, "invalid_request")
	wantFailure(t, "17 KiB", s.post("/api/mcp/token", form, fields+"&x="+strings.Repeat("x", 17<<10)), 413, "invalid_request")
	wantFailure(t, "many parameters", s.post("/api/mcp/token", form, manyParams(4000)), 400, "invalid_request")
	wantFailure(t, "a bad escape", s.post("/api/mcp/token", form, "%zz"), 400, "invalid_request")
	if a := s.post("/api/mcp/token", form+"; charset=UTF-8", fields); a.status != http.StatusOK {
		t.Errorf("with a charset: %d %s", a.status, a.body)
	}
}

func manyParams(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("&" + string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i/676)))
	}
	return b.String()
}

func TestBasicCredentialsHaveNoSecret(t *testing.T) {
	t.Parallel()
	s := newService(t, secret)
	c := s.register("https://owl.example/cb")
	send := func(name, password string, fields url.Values) answer {
		r := httptest.NewRequest(http.MethodPost, "/api/mcp/token", strings.NewReader(fields.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.SetBasicAuth(name, password)
		return s.send(r)
	}
	fields := c.redeeming(s.code(c, readWrite))
	fields.Del("client_id")
	a := send(c.id, "secret", fields)
	wantFailure(t, "with a secret", a, http.StatusUnauthorized, "invalid_client")
	if !strings.HasPrefix(a.header.Get("WWW-Authenticate"), "Basic ") {
		t.Errorf("with a secret: challenge %q", a.header.Get("WWW-Authenticate"))
	}
	wantFailure(t, "unknown", send("missing", "", fields), http.StatusUnauthorized, "invalid_client")
	wantFailure(t, "another than in the form", send(c.id, "", url.Values{"client_id": {"x"}}), http.StatusUnauthorized, "invalid_client")
	if a := send(c.id, "", fields); a.status != http.StatusOK {
		t.Errorf("with an empty secret: %d %s", a.status, a.body)
	}
	if a := send(c.id, "", c.redeeming(s.code(c, readWrite))); a.status != http.StatusOK {
		t.Errorf("with the same id in the form: %d %s", a.status, a.body)
	}
}

func TestACodeIsValidForAMinute(t *testing.T) {
	t.Parallel()
	s := newService(t, secret)
	c := s.register("https://owl.example/cb")
	code := s.code(c, readWrite)
	s.clock.move(time.Minute)
	_, a := s.exchange(c.redeeming(code))
	wantFailure(t, "after a minute", a, http.StatusBadRequest, "invalid_grant")
}

func TestARefreshTokenUsedTwiceRevokesItsGrant(t *testing.T) {
	t.Parallel()
	s := newService(t, secret)
	c := s.register("https://owl.example/cb")

	first := s.tokens(c, readWrite)
	second, _ := s.exchange(c.refreshing(first.Refresh))
	s.clock.move(10 * time.Second)
	_, a := s.exchange(c.refreshing(first.Refresh))
	wantFailure(t, "again within ten seconds", a, http.StatusBadRequest, "invalid_grant")
	s.wantAlive("then the family", second.Access, true)
	s.clock.move(time.Second)
	_, a = s.exchange(c.refreshing(first.Refresh))
	wantFailure(t, "again after eleven seconds", a, http.StatusBadRequest, "invalid_grant")
	s.wantAlive("then the family", second.Access, false)
	_, a = s.exchange(c.refreshing(second.Refresh))
	wantFailure(t, "then the successor", a, http.StatusBadRequest, "invalid_grant")

	first = s.tokens(c, readWrite)
	second, _ = s.exchange(c.refreshing(first.Refresh))
	third, _ := s.exchange(c.refreshing(second.Refresh))
	_, a = s.exchange(c.refreshing(first.Refresh))
	wantFailure(t, "at once, but the successor was used", a, http.StatusBadRequest, "invalid_grant")
	s.wantAlive("then the family", third.Access, false)

	events, err := s.store.Events(t.Context(), control.EventFilter{Workspace: "acme", Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	revoked := 0
	for _, e := range events {
		if e.Kind == control.GrantRevoked {
			revoked++
		}
	}
	if revoked != 2 {
		t.Errorf("%d revocations in the log, want 2", revoked)
	}
}

func TestTokensCannotReplaceOneAnother(t *testing.T) {
	t.Parallel()
	s := newService(t, secret)
	c, other := s.register("https://owl.example/cb"), s.register("https://owl.example/cb")
	got := s.tokens(c, readWrite)
	_, a := s.exchange(c.refreshing(got.Access))
	wantFailure(t, "access token as refresh token", a, http.StatusBadRequest, "invalid_grant")
	s.wantAlive("refresh token as access token", got.Refresh, false)
	s.wantAlive("session as access token", string(s.session), false)
	_, a = s.exchange(other.refreshing(got.Refresh))
	wantFailure(t, "refresh token of another client", a, http.StatusBadRequest, "invalid_grant")
	if _, a = s.exchange(c.refreshing(got.Refresh)); a.status != http.StatusOK {
		t.Errorf("another client's attempt used the refresh token: %s", a.body)
	}
}

func TestALowerRoleTakesEffectImmediately(t *testing.T) {
	t.Parallel()
	s := newService(t, secret)
	c := s.register("https://owl.example/cb")
	got := s.tokens(c, allScopes)
	s.wantAlive("before", got.Access, true)
	if err := s.people.SetRole(t.Context(), s.owner.ID, "acme", control.RoleAnalyst, "test"); err != nil {
		t.Fatal(err)
	}
	p, err := s.server.Verify(t.Context(), got.Access)
	if err != nil || p.Has(control.ScopeApprove) || !p.Has(control.ScopeWrite) {
		t.Errorf("after the demotion: scopes %v, %v", p.Scopes, err)
	}
	next, a := s.exchange(c.refreshing(got.Refresh))
	if a.status != http.StatusOK || next.Scope != readWrite {
		t.Errorf("refresh after the demotion: %d, scope %q", a.status, next.Scope)
	}
}

func TestTokensEndWithAccess(t *testing.T) {
	t.Parallel()
	cases := map[string]func(s *service, c client) error{
		"the person is removed": func(s *service, _ client) error {
			return s.people.Remove(s.t.Context(), s.owner.ID, "test")
		},
		"the person leaves": func(s *service, _ client) error {
			return s.people.Leave(s.t.Context(), s.owner.ID, "acme", "test")
		},
		"the workspace is deleted": func(s *service, _ client) error {
			return s.store.DeleteWorkspace(s.t.Context(), "acme", s.by())
		},
		"the grant is revoked": func(s *service, _ client) error {
			grants, err := s.store.Grants(s.t.Context(), "acme")
			if err != nil {
				return err
			}
			_, err = s.store.RevokeGrant(s.t.Context(), grants[0].ID, "test", s.by())
			return err
		},
		"the client is deleted": func(s *service, c client) error {
			return s.store.DeleteClient(s.t.Context(), control.ClientID(c.id), s.by())
		},
	}
	for what, end := range cases {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			s := newService(t, secret)
			c := s.register("https://owl.example/cb")
			got := s.tokens(c, readWrite)
			s.wantAlive("before", got.Access, true)
			if err := end(s, c); err != nil {
				t.Fatal(err)
			}
			_, err := s.server.Verify(t.Context(), got.Access)
			if fault.KindOf(err) != fault.KindUnauthenticated {
				t.Errorf("after: %v, want unauthenticated", err)
			}
			status, code := http.StatusBadRequest, "invalid_grant"
			if what == "the client is deleted" {
				status, code = http.StatusUnauthorized, "invalid_client"
			}
			_, a := s.exchange(c.refreshing(got.Refresh))
			wantFailure(t, "refresh", a, status, code)
		})
	}
}

func TestAccessTokensEnd(t *testing.T) {
	t.Parallel()
	s := newService(t, secret)
	c := s.register("https://owl.example/cb")
	got := s.tokens(c, readWrite)
	s.clock.move(10*time.Minute + 29*time.Second)
	s.wantAlive("29 seconds after its end, as clocks differ", got.Access, true)
	s.clock.move(2 * time.Second)
	s.wantAlive("31 seconds after its end", got.Access, false)
}

func TestSecretsRotate(t *testing.T) {
	t.Parallel()
	s := newService(t, secret)
	c := s.register("https://owl.example/cb")
	old := s.tokens(c, readWrite)
	newer := []byte("another signing secret, at least as long")
	s.start(newer, secret)
	s.wantAlive("old token while its secret is listed", old.Access, true)
	fresh := s.tokens(c, readWrite)
	s.start(newer)
	s.wantAlive("old token afterwards", old.Access, false)
	s.wantAlive("token of the new secret", fresh.Access, true)
}
