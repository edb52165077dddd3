package oauth_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"assay/internal/control"
	"assay/internal/control/sqlstore"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/oauth"
	"assay/internal/oauth/people"
)

const (
	base      = "https://assay.example"
	rpcURL    = base + "/api/mcp/rpc"
	password  = "correct horse battery"
	readWrite = "measurement.read measurement.write"
	allScopes = "measurement.read measurement.write measurement.approve_execution"
)

var secret = []byte("a signing secret of more than 32 bytes")

// clock is a clock that tests set.
type clock struct {
	mu  sync.Mutex // guards at
	at  time.Time
	now func() time.Time
}

func newClock() *clock {
	c := &clock{at: time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)}
	c.now = func() time.Time {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.at
	}
	return c
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// service is an authorization server on a real store, with a signed-in owner of two workspaces.
type service struct {
	t       testing.TB
	dir     string // folder of the data
	store   *sqlstore.Store
	people  *people.People
	server  *oauth.Server
	handler http.Handler
	clock   *clock
	owner   control.User
	session people.Secret
}

func newService(t testing.TB, secrets ...[]byte) *service {
	t.Helper()
	dir := t.TempDir()
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{Path: filepath.Join(dir, "control.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	s := &service{t: t, dir: dir, store: store, clock: newClock()}
	for _, name := range []string{"Acme", "Other"} {
		if _, err := store.CreateWorkspace(t.Context(), control.NewWorkspace(name), s.by()); err != nil {
			t.Fatal(err)
		}
	}
	s.people = people.New(people.Options{Store: store, Now: s.clock.now})
	s.owner = s.person("anna@acme.example", control.RoleOwner)
	s.session = s.signIn("anna@acme.example")
	s.coOwner("olga@acme.example")
	s.start(secrets...)
	return s
}

// start replaces the server, as a restart with these secrets would.
func (s *service) start(secrets ...[]byte) {
	s.t.Helper()
	server, err := oauth.New(oauth.Options{BaseURL: base, Store: s.store, Secrets: secrets, Now: s.clock.now})
	if err != nil {
		s.t.Fatal(err)
	}
	s.server, s.handler = server, server.Handler(&pages{people: s.people})
}

// textStore rejects IDs that PostgreSQL cannot store, as the store does on PostgreSQL. SQLite does not check them.
type textStore struct{ *sqlstore.Store }

// Client implements [oauth.Store].
func (s textStore) Client(ctx context.Context, id control.ClientID) (control.Client, error) {
	if !utf8.ValidString(string(id)) || strings.ContainsRune(string(id), 0) {
		return control.Client{}, fault.Invalid("a text contains a NUL character or is not UTF-8")
	}
	return s.Store.Client(ctx, id)
}

// onPostgres replaces the server with one that checks texts as on PostgreSQL.
func (s *service) onPostgres() {
	s.t.Helper()
	server, err := oauth.New(oauth.Options{BaseURL: base, Store: textStore{s.store}, Secrets: [][]byte{secret}, Now: s.clock.now})
	if err != nil {
		s.t.Fatal(err)
	}
	s.server, s.handler = server, server.Handler(&pages{people: s.people})
}

func (s *service) by() control.By { return control.By{Actor: "test", At: s.clock.now()} }

// person creates an account with the role in both workspaces.
func (s *service) person(email string, role control.Role) control.User {
	s.t.Helper()
	u, err := s.people.Create(s.t.Context(), email, password, "test")
	if err != nil {
		s.t.Fatal(err)
	}
	for _, ws := range []measure.WorkspaceID{"acme", "other"} {
		if err := s.people.SetRole(s.t.Context(), u.ID, ws, role, "test"); err != nil {
			s.t.Fatal(err)
		}
	}
	return u
}

// coOwner adds another owner to both workspaces, because the last owner of a workspace cannot leave. The added owner
// never signs in.
func (s *service) coOwner(email string) {
	s.t.Helper()
	u := control.User{ID: "olga", Email: email, Password: "none", CreatedAt: s.clock.now()}
	if err := s.store.CreateUser(s.t.Context(), u, s.by()); err != nil {
		s.t.Fatal(err)
	}
	for _, ws := range []measure.WorkspaceID{"acme", "other"} {
		if err := s.store.SetRole(s.t.Context(), u.ID, ws, control.RoleOwner, s.by()); err != nil {
			s.t.Fatal(err)
		}
	}
}

func (s *service) signIn(email string) people.Secret {
	s.t.Helper()
	session, err := s.people.SignIn(s.t.Context(), people.Attempt{Email: email, Password: password})
	if err != nil {
		s.t.Fatal(err)
	}
	return session
}

// pages renders pages as JSON.
type pages struct{ people *people.People }

func (p *pages) Visitor(r *http.Request) (people.Visitor, error) {
	var session people.Secret
	if cookie, err := r.Cookie("session"); err == nil {
		session = people.Secret(cookie.Value)
	}
	return p.people.Visitor(r.Context(), session)
}

func (p *pages) SignIn(w http.ResponseWriter, _ *http.Request, next string) {
	w.Header().Set("Location", "/sign-in?next="+url.QueryEscape(next))
	w.WriteHeader(http.StatusSeeOther)
}

// shown is a consent page.
type shown struct {
	Request   string
	CSRF      string
	Client    string
	Origin    string
	Host      string
	OnlyLocal bool
	Scopes    []control.Scope
}

func (p *pages) Consent(w http.ResponseWriter, _ *http.Request, c oauth.Consent) {
	err := json.NewEncoder(w).Encode(shown{
		Request: string(c.Request), CSRF: c.Visitor.Secret.FormToken(oauth.ConsentForm),
		Client: c.Client, Origin: c.Origin, Host: c.Host, OnlyLocal: c.OnlyLocal, Scopes: c.Scopes,
	})
	if err != nil {
		panic(err)
	}
}

func (p *pages) Refuse(w http.ResponseWriter, _ *http.Request, status int, text string) {
	http.Error(w, text, status)
}

// answer is the server's response.
type answer struct {
	status int
	header http.Header
	body   string
}

// location returns the target of a redirect without its query, and the query.
func (a answer) location() (string, url.Values) {
	address, query, _ := strings.Cut(a.header.Get("Location"), "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		return address, nil
	}
	return address, values
}

// failure returns the OAuth error of a JSON answer or a redirect, or "" if there is none.
func (a answer) failure() string {
	_, query := a.location()
	if query.Get("error") != "" {
		return query.Get("error")
	}
	var body struct{ Error string }
	if json.Unmarshal([]byte(a.body), &body) != nil {
		return ""
	}
	return body.Error
}

func (s *service) send(r *http.Request) answer {
	s.t.Helper()
	if r.Host == "example.com" || r.Host == "" {
		r.Host = "assay.example"
	}
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	result := w.Result()
	defer result.Body.Close()
	body, err := io.ReadAll(result.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer{result.StatusCode, result.Header, string(body)}
}

func (s *service) post(path, mediaType, body string) answer {
	s.t.Helper()
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("Content-Type", mediaType)
	return s.send(r)
}

func (s *service) postForm(path string, fields url.Values) answer {
	s.t.Helper()
	return s.post(path, "application/x-www-form-urlencoded", fields.Encode())
}

// client is a registered client.
type client struct {
	id       string
	redirect string
}

func (s *service) register(redirects ...string) client {
	s.t.Helper()
	text, err := json.Marshal(map[string]any{"client_name": "Ledger Owl", "redirect_uris": redirects})
	if err != nil {
		s.t.Fatal(err)
	}
	a := s.post("/api/mcp/register", "application/json", string(text))
	var made struct {
		ID string `json:"client_id"`
	}
	if err := json.Unmarshal([]byte(a.body), &made); err != nil || a.status != http.StatusCreated {
		s.t.Fatalf("registration of %q: %d %s", redirects, a.status, a.body)
	}
	return client{id: made.ID, redirect: redirects[0]}
}

const verifier = "a-verifier-that-is-long-enough-for-the-rule_0123"

func challengeOf(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// asking returns the parameters of a valid authorization request.
func (c client) asking(scope string) url.Values {
	return url.Values{
		"response_type": {"code"}, "client_id": {c.id}, "redirect_uri": {c.redirect}, "state": {"s 1&2"},
		"code_challenge": {challengeOf(verifier)}, "code_challenge_method": {"S256"},
		"scope": {scope}, "resource": {rpcURL},
	}
}

// redeeming returns the fields of a valid token request.
func (c client) redeeming(code string) url.Values {
	return url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "code_verifier": {verifier},
		"redirect_uri": {c.redirect}, "client_id": {c.id}, "resource": {rpcURL},
	}
}

func (c client) refreshing(token string) url.Values {
	return url.Values{"grant_type": {"refresh_token"}, "refresh_token": {token}, "client_id": {c.id}, "resource": {rpcURL}}
}

// ask sends an authorization request as the browser of the session. The session "" means that the browser is signed
// out.
func (s *service) ask(session people.Secret, asked url.Values) answer {
	s.t.Helper()
	r := httptest.NewRequest(http.MethodGet, "/api/mcp/authorize?"+asked.Encode(), nil)
	return s.send(withSession(r, session))
}

func withSession(r *http.Request, session people.Secret) *http.Request {
	if session != "" {
		r.AddCookie(&http.Cookie{Name: "session", Value: string(session)})
	}
	return r
}

// consent returns the consent page that the session gets.
func (s *service) consent(session people.Secret, asked url.Values) shown {
	s.t.Helper()
	a := s.ask(session, asked)
	var page shown
	if err := json.Unmarshal([]byte(a.body), &page); err != nil || a.status != http.StatusOK {
		s.t.Fatalf("no consent page: %d %s %s", a.status, a.header.Get("Location"), a.body)
	}
	return page
}

// approving returns the form fields with these scopes selected.
func (p shown) approving(scopes ...string) url.Values {
	return url.Values{
		"request": {p.Request}, "csrf": {p.CSRF}, "scope": scopes, "workspace": {"acme"}, "decision": {"approve"},
	}
}

func (s *service) decide(session people.Secret, fields url.Values) answer {
	s.t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/api/mcp/authorize", strings.NewReader(fields.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return s.send(withSession(r, session))
}

// code returns an authorization code of the client. The person selects all given scopes.
func (s *service) code(c client, scope string) string {
	s.t.Helper()
	page := s.consent(s.session, c.asking(scope))
	a := s.decide(s.session, page.approving(strings.Fields(scope)...))
	_, query := a.location()
	if query.Get("code") == "" {
		s.t.Fatalf("no code: %d %s %s", a.status, a.header.Get("Location"), a.body)
	}
	return query.Get("code")
}

// tokens is a response of the token endpoint.
type tokens struct {
	Access    string `json:"access_token"`
	Refresh   string `json:"refresh_token"`
	Type      string `json:"token_type"`
	Scope     string `json:"scope"`
	ExpiresIn int    `json:"expires_in"`
}

func (s *service) exchange(fields url.Values) (tokens, answer) {
	s.t.Helper()
	a := s.postForm("/api/mcp/token", fields)
	var got tokens
	if a.status == http.StatusOK {
		if err := json.Unmarshal([]byte(a.body), &got); err != nil {
			s.t.Fatal(err)
		}
	}
	return got, a
}

// tokens returns tokens of the client for the scopes.
func (s *service) tokens(c client, scope string) tokens {
	s.t.Helper()
	got, a := s.exchange(c.redeeming(s.code(c, scope)))
	if a.status != http.StatusOK {
		s.t.Fatalf("no tokens: %d %s", a.status, a.body)
	}
	return got
}

func (s *service) alive(access string) bool {
	s.t.Helper()
	_, err := s.server.Verify(s.t.Context(), access)
	return err == nil
}

func (s *service) wantAlive(what, access string, want bool) {
	s.t.Helper()
	if got := s.alive(access); got != want {
		s.t.Errorf("%s: accepted is %v, want %v", what, got, want)
	}
}

func wantFailure(t *testing.T, what string, a answer, status int, code string) {
	t.Helper()
	if a.status != status || a.failure() != code {
		t.Errorf("%s: %d %q, want %d %q (%s%s)", what, a.status, a.failure(), status, code, a.header.Get("Location"), strings.TrimSpace(a.body))
	}
	if _, query := a.location(); query.Get("code") != "" {
		t.Errorf("%s: gives a code", what)
	}
}

func secretOf(text string) people.Secret { return people.Secret(text) }
