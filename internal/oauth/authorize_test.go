package oauth_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"assay/internal/control"
)

func TestUntrustedRequestsAreNotRedirected(t *testing.T) {
	t.Parallel()
	s := newService(t, secret)
	s.onPostgres()
	c := s.register("https://owl.example/cb", "https://owl.example/other")
	set := func(name, value string) func(url.Values) { return func(v url.Values) { v.Set(name, value) } }
	add := func(name, value string) func(url.Values) { return func(v url.Values) { v.Add(name, value) } }
	without := func(name string) func(url.Values) { return func(v url.Values) { v.Del(name) } }
	cases := map[string]func(url.Values){
		"no client":             without("client_id"),
		"unknown client":        set("client_id", "missing"),
		"client twice":          add("client_id", c.id),
		"no address":            without("redirect_uri"),
		"address twice":         add("redirect_uri", c.redirect),
		"state twice":           add("state", "x"),
		"challenge twice":       add("code_challenge", challengeOf(verifier)),
		"long state":            set("state", strings.Repeat("x", 2049)),
		"slash at the end":      set("redirect_uri", "https://owl.example/cb/"),
		"a query":               set("redirect_uri", "https://owl.example/cb?x"),
		"another case":          set("redirect_uri", "https://owl.example/CB"),
		"escaped":               set("redirect_uri", "https://owl.example/%63b"),
		"a port":                set("redirect_uri", "https://owl.example:8443/cb"),
		"host in another case":  set("redirect_uri", "https://Owl.example/cb"),
		"dot segments":          set("redirect_uri", "https://owl.example/a/../cb"),
		"suffix":                set("redirect_uri", "https://owl.example.evil.test/cb"),
		"in the query":          set("redirect_uri", "https://evil.test/?https://owl.example/cb"),
		"as a user":             set("redirect_uri", "https://owl.example@evil.test/cb"),
		"backslash":             set("redirect_uri", `https://owl.example\@evil.test/cb`),
		"document over http":    set("client_id", "http://client.example/client.json"),
		"document without path": set("client_id", "https://client.example"),
		"document with a user":  set("client_id", "https://u@client.example/client.json"),
		"document with port":    set("client_id", "https://client.example:8443/client.json"),
		"document up":           set("client_id", "https://client.example/a/../client.json"),
		"document up, escaped":  set("client_id", "https://client.example/a/%2e%2e/client.json"),
		"document fragment":     set("client_id", "https://client.example/client.json#x"),
		"document on loopback":  set("client_id", "https://127.0.0.1/client.json"),
		"document on localhost": set("client_id", "https://localhost/client.json"),
		"document in the cloud": set("client_id", "https://169.254.169.254/client.json"),
		"NUL":                   set("client_id", c.id+"\x00"),
		"invalid UTF-8":         set("client_id", c.id+"\xff"),
		"NUL in the state":      set("state", "a\x00"),
		"state is not UTF-8":    set("state", "a\xff"),
	}
	for what, spoil := range cases {
		asked := c.asking(readWrite)
		spoil(asked)
		for who, session := range map[string]string{"signed in": string(s.session), "signed out": ""} {
			a := s.send(withSession(httptest.NewRequest(http.MethodGet, "/api/mcp/authorize?"+asked.Encode(), nil), secretOf(session)))
			if a.status != http.StatusBadRequest || a.header.Get("Location") != "" {
				t.Errorf("%s, %s: %d to %q, want a page with 400", what, who, a.status, a.header.Get("Location"))
			}
		}
	}
	for _, query := range []string{"client_id=%zz", "a;b", strings.Repeat("x&", 100) + "y"} {
		r := httptest.NewRequest(http.MethodGet, "/api/mcp/authorize", nil)
		r.URL.RawQuery = query
		if a := s.send(r); a.status != http.StatusBadRequest {
			t.Errorf("query %.20q: %d, want 400", query, a.status)
		}
	}
	r := httptest.NewRequest(http.MethodGet, "/api/mcp/authorize?"+c.asking(readWrite).Encode(), nil)
	r.Host = "evil.test"
	if a := s.send(r); a.status != http.StatusMisdirectedRequest {
		t.Errorf("under another name: %d, want 421", a.status)
	}
}

func TestInvalidRequestsAreReportedToTheClient(t *testing.T) {
	t.Parallel()
	s := newService(t, secret)
	c := s.register("https://owl.example/cb")
	cases := []struct {
		name, value string // "-" removes the parameter
		want        string
	}{
		{"response_type", "token", "unsupported_response_type"},
		{"response_type", "id_token", "unsupported_response_type"},
		{"response_type", "code token", "unsupported_response_type"},
		{"response_type", "CODE", "unsupported_response_type"},
		{"response_type", "", "unsupported_response_type"},
		{"response_type", "-", "invalid_request"},
		{"response_mode", "fragment", "invalid_request"},
		{"response_mode", "form_post", "invalid_request"},
		{"code_challenge", "-", "invalid_request"},
		{"code_challenge", strings.Repeat("a", 42), "invalid_request"},
		{"code_challenge", strings.Repeat("a", 44), "invalid_request"},
		{"code_challenge", strings.Repeat("a", 42) + "=", "invalid_request"},
		{"code_challenge", strings.Repeat("a", 42) + "+", "invalid_request"},
		{"code_challenge", strings.Repeat("a", 43) + "\n", "invalid_request"},
		{"code_challenge_method", "plain", "invalid_request"},
		{"code_challenge_method", "s256", "invalid_request"},
		{"code_challenge_method", "-", "invalid_request"},
		{"resource", "https://other.example", "invalid_target"},
		{"resource", rpcURL + "#x", "invalid_target"},
		{"resource", rpcURL + "?", "invalid_target"},
		{"resource", "/api/mcp/rpc", "invalid_target"},
		{"resource", "", "invalid_target"},
		{"resource", base + "/API/mcp/rpc", "invalid_target"},
		{"scope", "admin", "invalid_scope"},
		{"scope", "measurement.read\x00", "invalid_scope"},
		{"scope", "measurement.*", "invalid_scope"},
		{"scope", "measurement.read\tmeasurement.write", "invalid_scope"},
		{"scope", strings.Repeat("x ", 5000), "invalid_scope"},
		{"request", "e30.e30.", "request_not_supported"},
		{"request_uri", "http://169.254.169.254/", "request_not_supported"},
	}
	for _, test := range cases {
		asked := c.asking(readWrite)
		asked.Set(test.name, test.value)
		if test.value == "-" {
			asked.Del(test.name)
		}
		a := s.ask(s.session, asked)
		what := test.name + "=" + test.value[:min(len(test.value), 20)]
		wantFailure(t, what, a, http.StatusSeeOther, test.want)
		address, query := a.location()
		if address != c.redirect || query.Get("iss") != base || query.Get("state") != "s 1&2" {
			t.Errorf("%s: redirected to %s with %v", what, address, query)
		}
	}
	twice := c.asking(readWrite)
	twice.Add("resource", "https://other.example")
	wantFailure(t, "two resources", s.ask(s.session, twice), http.StatusSeeOther, "invalid_target")
	quiet := c.asking(readWrite)
	quiet.Set("prompt", "none")
	wantFailure(t, "prompt=none, signed out", s.ask("", quiet), http.StatusSeeOther, "login_required")
	wantFailure(t, "prompt=none, signed in", s.ask(s.session, quiet), http.StatusSeeOther, "consent_required")
}

func TestResourceHasSeveralSpellings(t *testing.T) {
	t.Parallel()
	s := newService(t, secret)
	c := s.register("https://owl.example/cb")
	for _, resource := range []string{"HTTPS://ASSAY.example/api/mcp/rpc", rpcURL + "/", "-"} {
		asked := c.asking(readWrite)
		asked.Set("resource", resource)
		if resource == "-" {
			asked.Del("resource")
		}
		page := s.consent(s.session, asked)
		_, query := s.decide(s.session, page.approving("measurement.read")).location()
		fields := c.redeeming(query.Get("code"))
		fields["resource"] = asked["resource"]
		got, a := s.exchange(fields)
		if a.status != http.StatusOK {
			t.Errorf("resource %q: %d %s", resource, a.status, a.body)
			continue
		}
		s.wantAlive("token for "+resource, got.Access, true)
	}
}

func TestOnlyLoopbackPortsAreFree(t *testing.T) {
	t.Parallel()
	s := newService(t, secret)
	cases := []struct {
		registered string
		good, bad  []string
	}{
		{
			"http://127.0.0.1:3000/callback",
			[]string{"http://127.0.0.1:3000/callback", "http://127.0.0.1:51999/callback", "http://127.0.0.1/callback"},
			[]string{
				"http://127.0.0.1:3000/other", "http://127.0.0.1:3000/callback?x=1", "https://127.0.0.1:3000/callback",
				"http://localhost:3000/callback", "http://127.0.0.2:3000/callback", "http://[::ffff:127.0.0.1]:3000/callback",
				"http://0.0.0.0:3000/callback", "http://127.1:3000/callback", "http://2130706433:3000/callback",
				"http://127.0.0.1:/callback", "http://127.0.0.1:0/callback", "http://127.0.0.1:65536/callback",
				"http://127.0.0.1:+80/callback", "http://127.0.0.1:80@evil.test/callback", "http://127.0.0.1.evil.test/callback",
				"http://127.0.0.1:3000/callback#x", "HTTP://127.0.0.1:3000/callback", "http://127.0.0.1:3000/callback\n",
			},
		},
		{
			"http://localhost/callback",
			[]string{"http://localhost:61234/callback"},
			[]string{"http://127.0.0.1:61234/callback", "http://LOCALHOST:61234/callback", "http://localhost.evil.test/callback", "http://localhost"},
		},
		{"http://[::1]:4000/cb", []string{"http://[::1]:4001/cb"}, []string{"http://[::2]:4000/cb", "http://localhost:4000/cb"}},
		{"cursor://anysphere.cursor-mcp/oauth/callback", []string{"cursor://anysphere.cursor-mcp/oauth/callback"}, []string{"cursor://anysphere.cursor-mcp/oauth/callback/x"}},
	}
	for _, test := range cases {
		c := s.register(test.registered)
		try := func(address string) answer {
			asked := c.asking(readWrite)
			asked.Set("redirect_uri", address)
			return s.ask(s.session, asked)
		}
		for _, address := range test.good {
			if a := try(address); a.status != http.StatusOK {
				t.Errorf("registered %s, asked %s: %d %s, want the consent page", test.registered, address, a.status, a.body)
			}
		}
		for _, address := range test.bad {
			if a := try(address); a.status != http.StatusBadRequest {
				t.Errorf("registered %s, asked %q: %d, want 400", test.registered, address, a.status)
			}
		}
	}
}

func TestStateIsReturnedUnchanged(t *testing.T) {
	t.Parallel()
	s := newService(t, secret)
	c := s.register("https://owl.example/cb")
	for _, state := range []string{"a b&c=d%2F+é#x", "\r\nSet-Cookie: x=1", `"><script>`, strings.Repeat("x", 2048), "", "-"} {
		asked := c.asking(readWrite)
		asked.Set("state", state)
		if state == "-" {
			asked.Del("state")
		}
		page := s.consent(s.session, asked)
		a := s.decide(s.session, page.approving("measurement.read"))
		_, query := a.location()
		if strings.ContainsAny(a.header.Get("Location"), "\r\n\"<> ") {
			t.Errorf("state %q is not escaped: %s", state, a.header.Get("Location"))
		}
		if got := query["state"]; state == "-" && got != nil || state != "-" && (len(got) != 1 || got[0] != state) {
			t.Errorf("state %q is returned as %q", state, got)
		}
	}
}

func TestADecisionIsValidOnceAndForItsSession(t *testing.T) {
	t.Parallel()
	s := newService(t, secret)
	c := s.register("https://owl.example/cb")
	s.person("ben@acme.example", control.RoleOwner)
	other := s.signIn("ben@acme.example")
	again := s.signIn("anna@acme.example")

	page := s.consent(s.session, c.asking(readWrite))
	form := func(change func(url.Values)) url.Values {
		fields := page.approving("measurement.read")
		change(fields)
		return fields
	}
	refused := []struct {
		what   string
		as     string
		change func(url.Values)
		status int
	}{
		{"without a token", string(s.session), func(v url.Values) { v.Del("csrf") }, 403},
		{"with another token", string(s.session), func(v url.Values) { v.Set("csrf", other.FormToken("consent")) }, 403},
		{"with a token of another purpose", string(s.session), func(v url.Values) { v.Set("csrf", s.session.FormToken("console")) }, 403},
		{"signed out", "", func(url.Values) {}, 403},
		{"as another person", string(other), func(v url.Values) { v.Set("csrf", other.FormToken("consent")) }, 403},
		{"in another session of the person", string(again), func(v url.Values) { v.Set("csrf", again.FormToken("consent")) }, 403},
		{"of no request", string(s.session), func(v url.Values) { v.Set("request", "x") }, 400},
		{"with another address", string(s.session), func(v url.Values) { v.Set("redirect_uri", "https://evil.test/") }, 400},
		{"with another challenge", string(s.session), func(v url.Values) { v.Set("code_challenge", challengeOf("x")) }, 400},
		{"with more scopes", string(s.session), func(v url.Values) { v.Add("scope", "measurement.approve_execution") }, 400},
		{"with an unknown scope", string(s.session), func(v url.Values) { v.Add("scope", "admin") }, 400},
		{"two workspaces", string(s.session), func(v url.Values) { v.Add("workspace", "other") }, 400},
		{"in no workspace", string(s.session), func(v url.Values) { v.Set("workspace", "nowhere") }, 403},
		{"neither yes nor no", string(s.session), func(v url.Values) { v.Set("decision", "perhaps") }, 400},
	}
	for _, test := range refused {
		a := s.decide(secretOf(test.as), form(test.change))
		if a.status != test.status || a.header.Get("Location") != "" {
			t.Errorf("%s: %d to %q, want %d", test.what, a.status, a.header.Get("Location"), test.status)
		}
	}
	for _, header := range [][2]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "https://evil.test"}, {"Origin", "null"}} {
		r := httptest.NewRequest(http.MethodPost, "/api/mcp/authorize", strings.NewReader(page.approving("measurement.read").Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set(header[0], header[1])
		if a := s.send(withSession(r, s.session)); a.status != http.StatusForbidden {
			t.Errorf("%s: %s: %d, want 403", header[0], header[1], a.status)
		}
	}
	a := s.decide(s.session, form(func(url.Values) {}))
	if a.status != http.StatusSeeOther || a.header.Get("Referrer-Policy") != "no-referrer" || a.header.Get("Cache-Control") != "no-store" {
		t.Errorf("the first decision: %d %v", a.status, a.header)
	}
	for _, decision := range []string{"approve", "deny"} {
		a := s.decide(s.session, form(func(v url.Values) { v.Set("decision", decision) }))
		if a.status != http.StatusBadRequest || a.header.Get("Location") != "" {
			t.Errorf("a second decision: %d to %q, want 400", a.status, a.header.Get("Location"))
		}
	}
	late := s.consent(s.session, c.asking(readWrite))
	s.clock.move(10 * time.Minute)
	if a := s.decide(s.session, late.approving("measurement.read")); a.status != http.StatusBadRequest {
		t.Errorf("after ten minutes: %d, want 400", a.status)
	}
}

func TestSelectingNoScopeDeniesTheRequest(t *testing.T) {
	t.Parallel()
	s := newService(t, secret)
	c := s.register("https://owl.example/cb")
	deny := s.consent(s.session, c.asking(readWrite)).approving("measurement.read")
	deny.Set("decision", "deny")
	nothing := s.consent(s.session, c.asking(readWrite)).approving()
	for what, fields := range map[string]url.Values{"deny": deny, "nothing": nothing} {
		a := s.decide(s.session, fields)
		wantFailure(t, what, a, http.StatusSeeOther, "access_denied")
		if _, query := a.location(); query.Get("iss") != base || query.Get("state") != "s 1&2" {
			t.Errorf("%s: %v", what, query)
		}
	}
}

func TestRolesLimitGrantedScopes(t *testing.T) {
	t.Parallel()
	s := newService(t, secret)
	c := s.register("https://owl.example/cb")
	for role, want := range map[control.Role]string{
		control.RoleOwner: allScopes, control.RoleAdmin: allScopes, control.RoleAnalyst: readWrite, control.RoleViewer: "measurement.read",
	} {
		email := string(role) + "@acme.example"
		s.person(email, role)
		session := s.signIn(email)
		page := s.consent(session, c.asking(allScopes))
		_, query := s.decide(session, page.approving(strings.Fields(allScopes)...)).location()
		if got, _ := s.exchange(c.redeeming(query.Get("code"))); got.Scope != want {
			t.Errorf("%s: granted %q, want %q", role, got.Scope, want)
		}
	}
	events, err := s.store.Events(t.Context(), control.EventFilter{Workspace: "acme", Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	kinds := make(map[control.EventKind]int)
	for _, e := range events {
		kinds[e.Kind]++
	}
	if kinds[control.ScopeRefused] != 2 || kinds[control.GrantMade] != 4 {
		t.Errorf("events: %v, want 2 refused scopes and 4 grants", kinds)
	}
}

func TestDefaultScopeIsTheMinimum(t *testing.T) {
	t.Parallel()
	s := newService(t, secret)
	c := s.register("https://owl.example/cb")
	asked := c.asking("")
	asked.Del("scope")
	page := s.consent(s.session, asked)
	if len(page.Scopes) != 1 || page.Scopes[0] != control.ScopeRead {
		t.Errorf("without requested scopes the page shows %v", page.Scopes)
	}
}

func TestFormerMembersCannotGrant(t *testing.T) {
	t.Parallel()
	s := newService(t, secret)
	c := s.register("https://owl.example/cb")
	page := s.consent(s.session, c.asking(readWrite))
	if err := s.people.Leave(t.Context(), s.owner.ID, "acme", "test"); err != nil {
		t.Fatal(err)
	}
	if a := s.decide(s.session, page.approving("measurement.read")); a.status != http.StatusForbidden {
		t.Errorf("%d, want 403", a.status)
	}
	if err := s.people.Leave(t.Context(), s.owner.ID, "other", "test"); err != nil {
		t.Fatal(err)
	}
	if a := s.ask(s.session, c.asking(readWrite)); a.status != http.StatusForbidden {
		t.Errorf("in no workspace: %d, want 403", a.status)
	}
}
