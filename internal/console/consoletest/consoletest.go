// Package consoletest contains helpers for tests of the console: a service with its pages, a browser, simulated stores
// and recorded answers of tools.
package consoletest

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/internal/auth"
	"assay/internal/console"
	"assay/internal/control"
	"assay/internal/control/sqlstore"
	"assay/internal/measure"
	"assay/internal/oauth"
	"assay/internal/oauth/people"
	"assay/internal/operation"
)

// Account of the member that most tests sign in.
const (
	Email    = "anna@acme.example"
	Password = "correct horse battery"
)

// Clock is a clock that tests set.
type Clock struct {
	mu sync.Mutex // guards at
	at time.Time
}

// Now returns the time of the clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// Move moves the clock forward.
func (c *Clock) Move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// Site is a service with its pages, on a real store and a real socket. It has the empty workspaces acme and other. Its
// clock shows November 20, 2026, 12:00 UTC.
type Site struct {
	T      *testing.T
	URL    string // without a trailing slash
	Store  *sqlstore.Store
	People *people.People
	Keys   *auth.Keys
	OAuth  *oauth.Server
	Clock  *Clock
	Models *Models
}

// New returns a site whose tools have no answers.
func New(t *testing.T) *Site {
	t.Helper()
	return NewWith(t, func(*Site, *console.Options) {})
}

// NewWith returns a site with changed console options. The function change is called before the site has workspaces.
func NewWith(t *testing.T, change func(*Site, *console.Options)) *Site {
	t.Helper()
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{Path: filepath.Join(t.TempDir(), "control.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	s := &Site{T: t, Store: store, Models: &Models{}, Clock: &Clock{at: time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)}}
	server := httptest.NewUnstartedServer(nil)
	s.URL = "http://" + server.Listener.Addr().String()
	s.OAuth, err = oauth.New(oauth.Options{BaseURL: s.URL, Store: store, Secrets: [][]byte{make([]byte, 32)}, Now: s.Clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	s.Keys = auth.NewKeys(auth.KeysOptions{Store: store, Installation: auth.NewInstallation(make([]byte, 32)), Tokens: s.OAuth, Now: s.Clock.Now})
	s.People = people.New(people.Options{Store: store, Now: s.Clock.Now, KeysEnded: s.Keys.Invalidate})
	s.Models.running(t, store)
	options := console.Options{
		BaseURL: s.URL, People: s.People, Store: store, Keys: s.Keys, Tools: []string{"performance", "ask"}, Now: s.Clock.Now,
		Models: s.Models, Operations: s.NewOperations(operation.Facts{Known: AnyName{}}),
		Limits: auth.NewLimiter(auth.LimiterOptions{Override: 42, Now: s.Clock.Now}),
	}
	change(s, &options)
	pages := console.New(options)
	endpoints := s.OAuth.Handler(pages)
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
		if _, err := store.CreateWorkspace(t.Context(), control.NewWorkspace(name), control.By{Actor: "test", At: s.Clock.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// AnyName accepts all channels and regions, and lists some.
type AnyName struct{}

// Channels returns three channels.
func (AnyName) Channels(context.Context, control.Workspace) ([]measure.Channel, error) {
	return []measure.Channel{"google", "facebook", "tv_spots"}, nil
}

// Regions returns four regions.
func (AnyName) Regions(context.Context, control.Workspace) ([]string, error) {
	return []string{"AR", "CA", "NV", "UT"}, nil
}

// Channel returns the channel with the given name.
func (AnyName) Channel(_ context.Context, _ control.Workspace, name string) (measure.Channel, error) {
	return measure.ParseChannel(name), nil
}

// Planned returns the experiment unchanged.
func (AnyName) Planned(_ context.Context, _ control.Workspace, e control.Experiment) (control.Experiment, error) {
	return e, nil
}

// NewOperations returns the operations of the site with the given facts.
func (s *Site) NewOperations(f operation.Facts) *operation.Service {
	f.Jobs = s.Models.runner
	return operation.New(operation.Control{
		Store: s.Store, Keys: s.Keys, People: s.People, Installation: auth.NewInstallation(make([]byte, 32)),
		Now: s.Clock.Now, Log: slog.New(slog.DiscardHandler), AccessEnded: s.Keys.Invalidate,
	}, f)
}

// hashed is the hash of the constant password. It is computed once, because hashing is slow on purpose.
var hashed struct {
	sync.Once
	password string
}

func (s *Site) passwordHash() string {
	s.T.Helper()
	hashed.Do(func() {
		store, err := sqlstore.Open(s.T.Context(), sqlstore.Options{Path: filepath.Join(s.T.TempDir(), "control.db")})
		if err != nil {
			s.T.Fatal(err)
		}
		defer store.Close()
		u, err := people.New(people.Options{Store: store, Now: s.Clock.Now}).Create(s.T.Context(), Email, Password, "test")
		if err != nil {
			s.T.Fatal(err)
		}
		hashed.password = u.Password
	})
	return hashed.password
}

// Member creates an account with the constant password that has the role in the workspace acme.
func (s *Site) Member(email string, role control.Role) control.User {
	s.T.Helper()
	u := control.User{ID: control.UserID(strings.ToLower(rand.Text())), Email: email, Password: s.passwordHash(), CreatedAt: s.Clock.Now()}
	if err := s.Store.CreateUser(s.T.Context(), u, control.By{Actor: "test", At: u.CreatedAt}); err != nil {
		s.T.Fatal(err)
	}
	if err := s.People.SetRole(s.T.Context(), u.ID, "acme", role, "test"); err != nil {
		s.T.Fatal(err)
	}
	return u
}

// RoleOf returns the role of an account in its first workspace. It returns "" if there is no such account or the
// account has no workspace.
func (s *Site) RoleOf(email string) control.Role {
	s.T.Helper()
	u, err := s.People.Find(s.T.Context(), email)
	if err != nil {
		return ""
	}
	in, err := s.People.Memberships(s.T.Context(), u.ID)
	if err != nil || len(in) == 0 {
		return ""
	}
	return in[0].Role
}
