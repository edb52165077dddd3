package oauth_test

import (
	"context"
	"path/filepath"
	"testing"

	"assay/internal/control"
	"assay/internal/control/sqlstore"
	"assay/internal/fault"
	"assay/internal/oauth"
)

func TestTokensOfAnotherServerAreRejected(t *testing.T) {
	t.Parallel()
	s := newService(t, secret)
	got := s.tokens(s.register("https://owl.example/cb"), readWrite)
	s.wantAlive("here", got.Access, true)

	// A service with the same secret and base URL but other data does not have the grant.
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{Path: filepath.Join(t.TempDir(), "control.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	s.store = store
	s.start(secret)
	s.wantAlive("at a server with other data", got.Access, false)
}

func TestRejectedTokensGiveOneFault(t *testing.T) {
	t.Parallel()
	s := newService(t, secret)
	c := s.register("https://owl.example/cb")
	revoked := s.tokens(c, readWrite)
	grants, err := s.store.Grants(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.store.RevokeGrant(t.Context(), grants[0].ID, "test", control.By{Actor: "test", At: s.clock.now()}); err != nil {
		t.Fatal(err)
	}
	for what, token := range map[string]string{"empty": "", "nonsense": "x", "three parts": "a.b.c", "revoked": revoked.Access} {
		_, err := s.server.Verify(t.Context(), token)
		if fault.KindOf(err) != fault.KindUnauthenticated || err.Error() != "the credential is not valid" {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// BenchmarkVerify measures the verification of a cached access token.
func BenchmarkVerify(b *testing.B) {
	s := newService(b, secret)
	access := s.tokens(s.register("https://owl.example/cb"), readWrite).Access
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.server.Verify(b.Context(), access); err != nil {
			b.Fatal(err)
		}
	}
}

// restless is a store with a state that changes with every read.
type restless struct {
	*sqlstore.Store
	state uint64
}

func (r *restless) State(context.Context) (uint64, error) { r.state++; return r.state, nil }

// BenchmarkVerifyAfterAChange measures the verification after a change: the signature, and one query for grant,
// person and workspace.
func BenchmarkVerifyAfterAChange(b *testing.B) {
	s := newService(b, secret)
	access := s.tokens(s.register("https://owl.example/cb"), readWrite).Access
	server, err := oauth.New(oauth.Options{BaseURL: base, Store: &restless{Store: s.store}, Secrets: [][]byte{secret}, Now: s.clock.now})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := server.Verify(b.Context(), access); err != nil {
			b.Fatal(err)
		}
	}
}
