package auth

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/control"
	"assay/internal/control/sqlstore"
	"assay/internal/fault"
)

var noon = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)

// clock is a clock that tests set.
type clock struct {
	mu  sync.Mutex // guards now
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// fixture is a store with the workspace acme, and the key service on this store.
type fixture struct {
	*Keys
	clock *clock
	store *sqlstore.Store
	path  string
}

func newFixture(t testing.TB) fixture {
	t.Helper()
	f := fixture{clock: &clock{now: noon}, path: filepath.Join(t.TempDir(), "control.db")}
	f.store = openStore(t, f.path)
	f.Keys = f.service(f.store)
	if _, err := f.store.CreateWorkspace(t.Context(), control.NewWorkspace("Acme"), control.By{Actor: "test", At: noon}); err != nil {
		t.Fatal(err)
	}
	return f
}

func openStore(t testing.TB, path string) *sqlstore.Store {
	t.Helper()
	s, err := sqlstore.Open(t.Context(), sqlstore.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}

func (f fixture) service(store *sqlstore.Store) *Keys {
	return NewKeys(KeysOptions{Store: store, Installation: NewInstallation([]byte("of this test")), Now: f.clock.Now})
}

func (f fixture) make(t testing.TB, n NewKey) (string, control.Key) {
	t.Helper()
	n.Workspace = "acme"
	if n.Name == "" {
		n.Name = "report"
	}
	secret, key, err := f.Create(t.Context(), n, "assay test")
	if err != nil {
		t.Fatal(err)
	}
	return string(secret), key
}

func TestKeyDefaultsToReadScopeForNinetyDays(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	secret, key := f.make(t, NewKey{})
	want := control.Key{
		ID: key.ID, Workspace: "acme", Name: "report", Hint: secret[4:8], Hash: key.Hash,
		Scopes: []control.Scope{control.ScopeRead}, CreatedAt: noon, ExpiresAt: noon.Add(90 * 24 * time.Hour),
	}
	listed, err := f.List(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]control.Key{want}, listed); diff != "" {
		t.Errorf("List (-want +got):\n%s", diff)
	}
	_, week := f.make(t, NewKey{Lifetime: 7 * 24 * time.Hour})
	_, forever := f.make(t, NewKey{NoExpiry: true})
	if !week.ExpiresAt.Equal(noon.Add(7*24*time.Hour)) || !forever.ExpiresAt.IsZero() {
		t.Errorf("expiries = %s and %s, want a week later and none", week.ExpiresAt, forever.ExpiresAt)
	}
}

func TestInvalidKeyIsRejected(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for name, c := range map[string]struct {
		key  NewKey
		want fault.Kind
	}{
		"no name":           {NewKey{Workspace: "acme"}, fault.KindInvalid},
		"unknown scope":     {NewKey{Workspace: "acme", Name: "n", Scopes: []control.Scope{"admin"}}, fault.KindInvalid},
		"no tool's name":    {NewKey{Workspace: "acme", Name: "n", Tools: []string{"ask compare"}}, fault.KindInvalid},
		"negative lifetime": {NewKey{Workspace: "acme", Name: "n", Lifetime: -time.Hour}, fault.KindInvalid},
		"eternal lifetime":  {NewKey{Workspace: "acme", Name: "n", Lifetime: 1 << 62}, fault.KindInvalid},
		"no workspace":      {NewKey{Workspace: "nowhere", Name: "n"}, fault.KindNotFound},
	} {
		_, _, err := f.Create(t.Context(), c.key, "assay test")
		wantKind(t, name, err, c.want)
	}
	_, key, err := f.Create(t.Context(), NewKey{Workspace: "acme", Name: "n", Lifetime: maxLifetime}, "assay test")
	if err != nil || !key.ExpiresAt.Equal(key.CreatedAt.Add(maxLifetime)) {
		t.Errorf("the maximum lifetime: %v, %v", key.ExpiresAt, err)
	}
	_, _, err = f.Create(t.Context(), NewKey{Workspace: "acme", Name: "n", Lifetime: maxLifetime + 1}, "assay test")
	wantKind(t, "a longer lifetime", err, fault.KindInvalid)
}

func TestBearerIsRecognized(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	secret, key := f.make(t, NewKey{
		Scopes: []control.Scope{control.ScopeApprove, control.ScopeRead}, Tools: []string{"ask"},
	})
	ws, err := f.store.Workspace(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	want := Principal{
		Workspace: ws, Actor: actorOf(key), Kind: ByKey, Key: key.ID,
		Scopes: []control.Scope{control.ScopeRead, control.ScopeApprove}, Tools: []string{"ask"},
	}
	for _, when := range []string{"from the store", "from memory"} {
		got, err := f.Authenticate(t.Context(), secret)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", when, err, diff)
		}
	}
}

func TestRejectedCredentialsAreIndistinguishable(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	expired, _ := f.make(t, NewKey{Lifetime: time.Hour})
	revoked, key := f.make(t, NewKey{})
	if _, err := f.Revoke(t.Context(), key.ID, "assay test"); err != nil {
		t.Fatal(err)
	}
	f.clock.pass(time.Hour)
	bearers := map[string]string{
		"none": "", "malformed": "asy_x", "wrong checksum": expired[:39] + "_", "unknown": string(NewSecret()), "expired": expired, "revoked": revoked,
	}
	wantText, wantHint, _ := fault.Public(unauthenticated())
	for name, bearer := range bearers {
		_, err := f.Authenticate(t.Context(), bearer)
		wantKind(t, name, err, fault.KindUnauthenticated)
		if text, hint, ok := fault.Public(err); !ok || text != wantText || hint != wantHint || err.Error() != wantText {
			t.Errorf("%s: %v (%q, %q), want the same as for every other key", name, err, text, hint)
		}
	}
}

func TestCachedKeyExpires(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	secret, _ := f.make(t, NewKey{Lifetime: time.Second})
	f.clock.pass(time.Second - time.Microsecond)
	if _, err := f.Authenticate(t.Context(), secret); err != nil {
		t.Errorf("just before expiry: %v", err)
	}
	f.clock.pass(time.Microsecond)
	_, err := f.Authenticate(t.Context(), secret)
	wantKind(t, "at expiry", err, fault.KindUnauthenticated)
}

func TestRevocationIsInEffectAtOnceHereAndSoonElsewhere(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	elsewhere := f.service(openStore(t, f.path))
	secret, key := f.make(t, NewKey{})
	for name, k := range map[string]*Keys{"here": f.Keys, "elsewhere": elsewhere} {
		if _, err := k.Authenticate(t.Context(), secret); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	if _, err := f.Revoke(t.Context(), key.ID, "assay test"); err != nil {
		t.Fatal(err)
	}
	_, err := f.Authenticate(t.Context(), secret)
	wantKind(t, "here, at once", err, fault.KindUnauthenticated)
	f.clock.pass(Staleness)
	_, err = elsewhere.Authenticate(t.Context(), secret)
	wantKind(t, "elsewhere, after the staleness", err, fault.KindUnauthenticated)
}

func TestAnswerFromBeforeARevocationIsNotCached(t *testing.T) {
	t.Parallel()
	var c Known
	p := PrincipalUntil{Stale: noon.Add(Staleness)}
	c.Keep(Digest{1}, p, 1)
	if _, ok := c.Find(Digest{1}, noon, 2); ok {
		t.Error("an answer from before a change is returned after it")
	}
	c.Keep(Digest{2}, p, 2)
	c.Keep(Digest{1}, p, 1) // read before the change, returned after it
	if _, ok := c.Find(Digest{1}, noon, 2); ok {
		t.Error("an answer to a request from before a change is returned after it")
	}
}

func TestCacheIsBounded(t *testing.T) {
	t.Parallel()
	var c Known
	for i := range 3 * maxKnown {
		c.Keep(Digest{byte(i), byte(i >> 8), byte(i >> 16)}, PrincipalUntil{Stale: noon.Add(Staleness)}, 0)
	}
	if n := len(c.principals); n > maxKnown {
		t.Errorf("%d principals are cached, want up to %d", n, maxKnown)
	}
}

func TestSettingsOfTheWorkspaceAreSeenSoon(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	secret, _ := f.make(t, NewKey{})
	p, err := f.Authenticate(t.Context(), secret)
	if err != nil {
		t.Fatal(err)
	}
	p.Workspace.RatePerMin = 77
	changed, err := f.store.UpdateWorkspace(t.Context(), p.Workspace, control.By{Actor: "test", At: noon})
	if err != nil {
		t.Fatal(err)
	}
	f.clock.pass(Staleness)
	if p, err = f.Authenticate(t.Context(), secret); err != nil || !reflect.DeepEqual(p.Workspace, changed) {
		t.Errorf("workspace = %+v, %v; want %+v", p.Workspace, err, changed)
	}
}

func TestRotationCreatesASuccessorNextToTheOldKey(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	oldSecret, old := f.make(t, NewKey{Scopes: control.Scopes(), Tools: []string{"ask"}, Lifetime: 30 * 24 * time.Hour})
	f.clock.pass(10 * 24 * time.Hour)
	newSecret, next, err := f.Rotate(t.Context(), old.ID, 0, "assay test")
	if err != nil {
		t.Fatal(err)
	}
	now := f.clock.Now()
	want := control.Key{
		ID: next.ID, Workspace: "acme", Name: "report", Hint: newSecret.Hint(), Hash: next.Hash, Scopes: control.Scopes(),
		Tools: []string{"ask"}, CreatedAt: now, ExpiresAt: now.Add(30 * 24 * time.Hour),
	}
	if diff := cmp.Diff(want, next); diff != "" {
		t.Errorf("successor (-want +got):\n%s", diff)
	}
	works := func(when, secret string, want bool) {
		t.Helper()
		if _, err := f.Authenticate(t.Context(), secret); (err == nil) != want {
			t.Errorf("%s: %v; want accepted = %v", when, err, want)
		}
	}
	works("the old key in the overlap", oldSecret, true)
	works("the new key", string(newSecret), true)
	f.clock.pass(DefaultOverlap)
	works("the old key after the overlap", oldSecret, false)
	works("the new key later", string(newSecret), true)
	_, _, err = f.Rotate(t.Context(), old.ID, 0, "assay test")
	wantKind(t, "a second rotation", err, fault.KindConflict)
	_, _, err = f.Rotate(t.Context(), next.ID, -time.Second, "assay test")
	wantKind(t, "a negative overlap", err, fault.KindInvalid)
	_, _, err = f.Rotate(t.Context(), "nokey", 0, "assay test")
	wantKind(t, "no key", err, fault.KindNotFound)
}

func TestOneOfConcurrentRotationsSucceeds(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for range 20 {
		_, key := f.make(t, NewKey{})
		var wg sync.WaitGroup
		var made atomic.Int64
		for range 4 {
			wg.Go(func() {
				switch _, _, err := f.Rotate(t.Context(), key.ID, time.Hour, "test"); {
				case err == nil:
					made.Add(1)
				case fault.KindOf(err) != fault.KindConflict:
					t.Errorf("Rotate: %v, want a conflict", err)
				}
			})
		}
		wg.Wait()
		if made.Load() != 1 {
			t.Fatalf("four concurrent rotations created %d keys, want 1", made.Load())
		}
	}
}

func TestRotationKeepsAKeyWithoutExpiryThatWay(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	_, old := f.make(t, NewKey{NoExpiry: true})
	_, next, err := f.Rotate(t.Context(), old.ID, time.Hour, "assay test")
	if err != nil || !next.ExpiresAt.IsZero() {
		t.Errorf("successor expires at %s, %v; want never", next.ExpiresAt, err)
	}
}

// oneToken accepts the token "good".
type oneToken struct{}

func (oneToken) Verify(_ context.Context, token string) (Principal, error) {
	if token != "good" {
		return Principal{}, unauthenticated()
	}
	return Principal{Actor: "user:anna", Kind: ByOAuth}, nil
}

func TestOtherBearersAreTokens(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	_, err := f.Authenticate(t.Context(), "good")
	wantKind(t, "a token without a verifier", err, fault.KindMisconfigured)
	f.tokens = oneToken{}
	if p, err := f.Authenticate(t.Context(), "good"); err != nil || p.Kind != ByOAuth {
		t.Errorf("Authenticate = %+v, %v; want the verifier's principal", p, err)
	}
	_, err = f.Authenticate(t.Context(), "bad")
	wantKind(t, "a bad token", err, fault.KindUnauthenticated)
	_, err = f.Authenticate(t.Context(), "asy_bad")
	wantKind(t, "a bad key", err, fault.KindUnauthenticated)
}

func TestStoreFailureDoesNotRejectTheCredential(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	secret, _ := f.make(t, NewKey{})
	closed := openStore(t, f.path)
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := f.service(closed).Authenticate(t.Context(), secret)
	if err == nil || fault.KindOf(err) == fault.KindUnauthenticated {
		t.Errorf("Authenticate = %v, want an error that is not unauthenticated", err)
	}
}

func TestLastUseIsKeptToTheMinute(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	secret, key := f.make(t, NewKey{})
	f.clock.pass(90 * time.Second)
	for range 3 {
		if _, err := f.Authenticate(t.Context(), secret); err != nil {
			t.Fatal(err)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if err := f.Run(ended); err != nil { // pending uses are written on shutdown
		t.Fatal(err)
	}
	kept, err := f.store.Key(t.Context(), key.ID)
	if err != nil || !kept.LastUsed.Equal(noon.Add(time.Minute)) {
		t.Errorf("last used %s, %v; want %s", kept.LastUsed, err, noon.Add(time.Minute))
	}
}

func TestLastUseIsRetriedAfterAFailure(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	secret, key := f.make(t, NewKey{})
	if _, err := f.Authenticate(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	f.flush(ended) // the store fails
	f.flush(t.Context())
	if kept, err := f.store.Key(t.Context(), key.ID); err != nil || !kept.LastUsed.Equal(noon) {
		t.Errorf("last used %s, %v; want %s", kept.LastUsed, err, noon)
	}
}

func TestKeysAreUsedFromManyGoroutines(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	secret, _ := f.make(t, NewKey{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 50 {
				if _, err := f.Authenticate(t.Context(), secret); err != nil {
					t.Errorf("Authenticate: %v", err)
				}
				f.clock.pass(100 * time.Millisecond)
				f.Invalidate()
				f.flush(t.Context())
			}
		})
	}
	wg.Wait()
}

func BenchmarkAuthenticateARememberedKey(b *testing.B) {
	f := newFixture(b)
	secret, _ := f.make(b, NewKey{})
	keys := NewKeys(KeysOptions{Store: f.store, Installation: NewInstallation([]byte("of this test")), Now: time.Now})
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := keys.Authenticate(b.Context(), secret); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

func BenchmarkAuthenticateFromTheStore(b *testing.B) {
	f := newFixture(b)
	secret, _ := f.make(b, NewKey{})
	b.ReportAllocs()
	for b.Loop() {
		f.Invalidate()
		if _, err := f.Authenticate(b.Context(), secret); err != nil {
			b.Fatal(err)
		}
	}
}

// Four goroutines rotate each key at the same time, two of them through another process. Exactly one goroutine creates
// the key's successor. `make race` uses 300 keys.
func TestOneOfConcurrentProcessesRotatesAKey(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	processes := [2]*Keys{f.Keys, f.service(openStore(t, f.path))}
	rounds := 40
	if os.Getenv("ASSAY_TEST_THOROUGH") != "" {
		rounds = 300
	}
	for range rounds {
		_, key := f.make(t, NewKey{Workspace: "acme", Name: "rotated"})
		var winners [4]control.Key
		var won atomic.Int64
		var wg sync.WaitGroup
		for i := range winners {
			wg.Go(func() {
				_, next, err := processes[i%2].Rotate(t.Context(), key.ID, 0, "test")
				switch {
				case err == nil:
					winners[won.Add(1)-1] = next
				case fault.KindOf(err) != fault.KindConflict:
					t.Errorf("a late caller gets: %v", err)
				}
			})
		}
		wg.Wait()
		old, err := f.store.Key(t.Context(), key.ID)
		if err != nil || won.Load() != 1 || old.ReplacedBy != winners[0].ID {
			t.Errorf("%d of %d concurrent rotations created a successor, and the key has %q, %v; want one, which the key names", won.Load(), len(winners), old.ReplacedBy, err)
		}
	}
	if all, err := f.List(t.Context(), "acme"); err != nil || len(all) != 2*rounds {
		t.Errorf("%d keys, %v; want %d", len(all), err, 2*rounds)
	}
}
