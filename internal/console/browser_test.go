package console_test

import (
	"context"
	"crypto/rand"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/internal/auth"
	"assay/internal/console"
	"assay/internal/console/frame/cookie"
	"assay/internal/control"
	"assay/internal/control/sqlstore"
	"assay/internal/measure"
	"assay/internal/oauth"
	"assay/internal/oauth/people"
	"assay/internal/operation"
)

const (
	email    = "anna@acme.example"
	password = "correct horse battery"
)

// clock is a clock that tests set.
type clock struct {
	mu sync.Mutex // guards at
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// site is a service with its pages, on a real store and a real socket.
type site struct {
	t      *testing.T
	url    string
	store  *sqlstore.Store
	people *people.People
	keys   *auth.Keys
	oauth  *oauth.Server
	clock  *clock
	models *models
}

func newSite(t *testing.T) *site {
	t.Helper()
	return newSiteWith(t, func(*site, *console.Options) {})
}

// newSiteWith returns a site with changed console options.
func newSiteWith(t *testing.T, change func(*site, *console.Options)) *site {
	t.Helper()
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{Path: filepath.Join(t.TempDir(), "control.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	s := &site{t: t, store: store, models: &models{}, clock: &clock{at: time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)}}
	server := httptest.NewUnstartedServer(nil)
	s.url = "http://" + server.Listener.Addr().String()
	s.oauth, err = oauth.New(oauth.Options{BaseURL: s.url, Store: store, Secrets: [][]byte{make([]byte, 32)}, Now: s.clock.now})
	if err != nil {
		t.Fatal(err)
	}
	s.keys = auth.NewKeys(auth.KeysOptions{Store: store, Installation: auth.NewInstallation(make([]byte, 32)), Tokens: s.oauth, Now: s.clock.now})
	s.people = people.New(people.Options{Store: store, Now: s.clock.now, KeysEnded: s.keys.Invalidate})
	s.models.running(t, store)
	options := console.Options{
		BaseURL: s.url, People: s.people, Store: store, Keys: s.keys, Tools: []string{"performance", "ask"}, Now: s.clock.now,
		Models: s.models, Operations: s.operations(operation.Facts{Known: anyName{}}),
		Limits: auth.NewLimiter(auth.LimiterOptions{Override: 42, Now: s.clock.now}),
	}
	change(s, &options)
	pages := console.New(options)
	endpoints := s.oauth.Handler(pages)
	server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/api/mcp/") || strings.HasPrefix(r.URL.Path, "/.well-known/") {
			endpoints.ServeHTTP(w, r)
			return
		}
		pages.ServeHTTP(w, r)
	})
	server.Start()
	t.Cleanup(server.Close)
	for _, name := range []string{"Acme", "Other"} {
		if _, err := store.CreateWorkspace(t.Context(), control.NewWorkspace(name), control.By{Actor: "test", At: s.clock.now()}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// anyName accepts all channels and regions, and lists some.
type anyName struct{}

func (anyName) Channels(context.Context, control.Workspace) ([]measure.Channel, error) {
	return []measure.Channel{"google", "facebook", "tv_spots"}, nil
}

func (anyName) Regions(context.Context, control.Workspace) ([]string, error) {
	return []string{"AR", "CA", "NV", "UT"}, nil
}

func (anyName) Channel(_ context.Context, _ control.Workspace, name string) (measure.Channel, error) {
	return measure.ParseChannel(name), nil
}

func (anyName) Planned(_ context.Context, _ control.Workspace, e control.Experiment) (control.Experiment, error) {
	return e, nil
}

// operations returns the operations of the site.
func (s *site) operations(f operation.Facts) *operation.Service {
	f.Jobs = s.models.runner
	return operation.New(operation.Control{
		Store: s.store, Keys: s.keys, People: s.people, Installation: auth.NewInstallation(make([]byte, 32)),
		Now: s.clock.now, Log: slog.New(slog.DiscardHandler), AccessEnded: s.keys.Invalidate,
	}, f)
}

// hashed is the hash of the constant password. It is computed once, because hashing is slow on purpose.
var hashed struct {
	sync.Once
	password string
}

func (s *site) passwordHash() string {
	s.t.Helper()
	hashed.Do(func() {
		store, err := sqlstore.Open(s.t.Context(), sqlstore.Options{Path: filepath.Join(s.t.TempDir(), "control.db")})
		if err != nil {
			s.t.Fatal(err)
		}
		defer store.Close()
		u, err := people.New(people.Options{Store: store, Now: s.clock.now}).Create(s.t.Context(), email, password, "test")
		if err != nil {
			s.t.Fatal(err)
		}
		hashed.password = u.Password
	})
	return hashed.password
}

// member creates an account that has the role in the workspace acme.
func (s *site) member(email string, role control.Role) control.User {
	s.t.Helper()
	u := control.User{ID: control.UserID(strings.ToLower(rand.Text())), Email: email, Password: s.passwordHash(), CreatedAt: s.clock.now()}
	if err := s.store.CreateUser(s.t.Context(), u, control.By{Actor: "test", At: u.CreatedAt}); err != nil {
		s.t.Fatal(err)
	}
	if err := s.people.SetRole(s.t.Context(), u.ID, "acme", role, "test"); err != nil {
		s.t.Fatal(err)
	}
	return u
}

// browser stores cookies and follows no redirects.
type browser struct {
	*site
	client *http.Client
}

func (s *site) browser() *browser {
	s.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.t.Fatal(err)
	}
	return &browser{s, &http.Client{
		Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// seen is a page.
type seen struct {
	status int
	header http.Header
	body   string
}

func (b *browser) send(r *http.Request) seen {
	b.t.Helper()
	response, err := b.client.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return seen{response.StatusCode, response.Header, string(body)}
}

func (b *browser) get(path string) seen {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, b.url+path, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	return b.send(r)
}

// post sends a form as a browser does from a page of the site.
func (b *browser) post(path string, fields url.Values) seen {
	b.t.Helper()
	return b.postFrom(path, fields, b.url)
}

func (b *browser) postFrom(path string, fields url.Values, origin string) seen {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, b.url+path, strings.NewReader(fields.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", origin)
	return b.send(r)
}

// field returns the value of the first field with the given name.
func (p seen) field(name string) string {
	found := regexp.MustCompile(`name="` + name + `" value="([^"]*)"`).FindStringSubmatch(p.body)
	if found == nil {
		return ""
	}
	return html.UnescapeString(found[1])
}

// signIn fills in the sign-in form.
func (b *browser) signIn(email, password, next string) seen {
	b.t.Helper()
	page := b.get("/sign-in?" + url.Values{"next": {next}}.Encode())
	return b.post("/sign-in", url.Values{
		"csrf": {page.field("csrf")}, "next": {page.field("next")}, "email": {email}, "password": {password},
	})
}

// signedIn returns a browser in which the user is signed in. It creates the session without the form, because checking
// a password is slow on purpose.
func (s *site) signedIn(email string) *browser {
	s.t.Helper()
	u, err := s.people.Find(s.t.Context(), email)
	if err != nil {
		s.t.Fatal(err)
	}
	secret, now := people.NewSecret(), s.clock.now()
	begun := control.NewSession{
		Session:  control.Session{Hash: secret.Hash(), User: u.ID, CreatedAt: now, SeenAt: now, EndsAt: now.Add(cookie.SessionAge)},
		Password: u.Password, From: "from 127.0.0.1",
	}
	if err := s.store.CreateSession(s.t.Context(), begun, control.By{Actor: control.ActorOf(u.ID), At: now}); err != nil {
		s.t.Fatal(err)
	}
	home, err := url.Parse(s.url)
	if err != nil {
		s.t.Fatal(err)
	}
	b := s.browser()
	b.client.Jar.SetCookies(home, []*http.Cookie{{Name: cookie.Session, Value: string(secret), Path: "/"}})
	return b
}

// asking registers a client and returns the path of its authorization request.
func (s *site) asking(redirect, scope string) string {
	s.t.Helper()
	return s.askingAs("<b>Ledger</b> Owl", redirect, scope)
}

func (s *site) askingAs(name, redirect, scope string) string {
	s.t.Helper()
	c := control.Client{ID: control.ClientID(strings.ToLower(auth.NewSecret().Hint()) + "client"), Name: name, Redirects: []string{redirect}, CreatedAt: s.clock.now()}
	if err := s.store.CreateClient(s.t.Context(), c); err != nil {
		s.t.Fatal(err)
	}
	return "/api/mcp/authorize?" + url.Values{
		"response_type": {"code"}, "client_id": {string(c.ID)}, "redirect_uri": {redirect}, "state": {"s"},
		"code_challenge": {strings.Repeat("a", 43)}, "code_challenge_method": {"S256"}, "scope": {scope},
	}.Encode()
}
