package oauth_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"assay/internal/auth"
	"assay/internal/control"
	"assay/internal/control/sqlstore"
	"assay/internal/oauth"
)

// counted counts look-ups of a grant.
type counted struct {
	*sqlstore.Store
	asked atomic.Int64
}

func (c *counted) Access(ctx context.Context, grant control.GrantID) (control.Access, error) {
	c.asked.Add(1)
	return c.Store.Access(ctx, grant)
}

func TestCachedTokensAreLookedUpAgainAfterAChangeOrTwoSeconds(t *testing.T) {
	t.Parallel()
	s := newService(t, secret)
	access := s.tokens(s.register("https://owl.example/cb"), readWrite).Access
	store := &counted{Store: s.store}
	server, err := oauth.New(oauth.Options{BaseURL: base, Store: store, Secrets: [][]byte{secret}, Now: s.clock.now})
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := s.elsewhere()
	steps := []struct {
		what string
		do   func() error
		want int64 // look-ups
	}{
		{"for the first time", func() error { return nil }, 1},
		{"again", func() error { return nil }, 0},
		{"just before it is stale", func() error { s.clock.move(auth.Staleness - time.Microsecond); return nil }, 0},
		{"when it is stale", func() error { s.clock.move(time.Microsecond); return nil }, 1},
		{"after a change here", func() error { return s.store.SetRole(t.Context(), "olga", "acme", control.RoleAdmin, s.by()) }, 1},
		{"after a change by another process", func() error { return elsewhere.SetRole(t.Context(), "olga", "acme", control.RoleViewer, s.by()) }, 1},
		{"once more", func() error { return nil }, 0},
	}
	for _, step := range steps {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		store.asked.Store(0)
		for range 3 {
			if _, err := server.Verify(t.Context(), access); err != nil {
				t.Fatalf("%s: %v", step.what, err)
			}
		}
		if got := store.asked.Load(); got != step.want {
			t.Errorf("%s: the store gets %d queries for three calls, want %d", step.what, got, step.want)
		}
	}
}

// elsewhere opens the store a second time, as another process does.
func (s *service) elsewhere() *sqlstore.Store {
	s.t.Helper()
	store, err := sqlstore.Open(s.t.Context(), sqlstore.Options{Path: s.path()})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { store.Close() })
	return store
}

// The clock does not advance, so only a change of the data clears the cache.
func TestRevocationByAnotherProcessTakesEffectOnTheNextCall(t *testing.T) {
	t.Parallel()
	s := newService(t, secret)
	c := s.register("https://owl.example/cb")
	got := s.tokens(c, allScopes)
	s.wantAlive("before", got.Access, true)
	elsewhere := s.elsewhere()
	if err := elsewhere.SetRole(t.Context(), s.owner.ID, "acme", control.RoleViewer, s.by()); err != nil {
		t.Fatal(err)
	}
	if p, err := s.server.Verify(t.Context(), got.Access); err != nil || len(p.Scopes) != 1 {
		t.Errorf("after the demotion: scopes %v, %v; want only the read scope", p.Scopes, err)
	}
	if err := elsewhere.RemoveUser(t.Context(), s.owner.ID, s.by()); err != nil {
		t.Fatal(err)
	}
	s.wantAlive("after the removal", got.Access, false)
}

func TestCachedTokensExpire(t *testing.T) {
	t.Parallel()
	s := newService(t, secret)
	c := s.register("https://owl.example/cb")
	got := s.tokens(c, readWrite)
	s.clock.move(10*time.Minute + 29*time.Second)
	s.wantAlive("a second before its end", got.Access, true)
	s.clock.move(time.Second - time.Microsecond)
	s.wantAlive("just before its end", got.Access, true)
	s.clock.move(time.Microsecond)
	s.wantAlive("at its end", got.Access, false)
}
