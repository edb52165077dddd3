package people

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/crypto/argon2"

	"assay/internal/control"
	"assay/internal/control/sqlstore"
	"assay/internal/fault"
)

const testPassword = "correct horse battery"

func newPeople(t *testing.T) (*People, *sqlstore.Store, func(time.Duration)) {
	t.Helper()
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{Path: filepath.Join(t.TempDir(), "control.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	at := time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)
	return New(Options{Store: store, Now: func() time.Time { return at }}), store, func(d time.Duration) { at = at.Add(d) }
}

func TestPasswordsAreStoredAsHashes(t *testing.T) {
	t.Parallel()
	p, _, _ := newPeople(t)
	u, err := p.Create(t.Context(), "Anna@Acme.Example", testPassword, "test")
	if err != nil {
		t.Fatal(err)
	}
	if u.Email != "anna@acme.example" || !strings.HasPrefix(u.Password, "$argon2id$v=19$m=19456,t=2,p=1$") || strings.Contains(u.Password, testPassword) {
		t.Errorf("made %+v", u)
	}
	for password, want := range map[string]bool{testPassword: true, testPassword + " ": false, "": false, strings.Repeat("x", 2000): false} {
		if got, err := p.Accepts(t.Context(), u, password); err != nil || got != want {
			t.Errorf("Accepts(%.10q) = %v, %v; want %v", password, got, err, want)
		}
	}
	other, err := p.Create(t.Context(), "ben@acme.example", testPassword, "test")
	if err != nil || other.Password == u.Password {
		t.Errorf("the same password twice has the same hash: %v", err)
	}
}

func TestAccountsAreValidated(t *testing.T) {
	t.Parallel()
	p, _, _ := newPeople(t)
	for what, test := range map[string][2]string{
		"no address": {"anna", testPassword}, "short password": {"a@b.example", "eleven char"}, "long password": {"a@b.example", strings.Repeat("x", 1025)},
	} {
		if _, err := p.Create(t.Context(), test[0], test[1], "test"); fault.KindOf(err) != fault.KindInvalid {
			t.Errorf("%s: %v, want invalid", what, err)
		}
	}
	if _, err := p.Create(t.Context(), "a@b.example", testPassword, "test"); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Create(t.Context(), "A@B.example", testPassword, "test"); fault.KindOf(err) != fault.KindConflict {
		t.Errorf("the address again: %v, want conflict", err)
	}
	for _, name := range []string{"A@b.example ", "a@b.example"} {
		if u, err := p.Find(t.Context(), name); err != nil || u.Email != "a@b.example" {
			t.Errorf("Find(%q) = %+v, %v", name, u, err)
		}
	}
}

func TestUnknownAndKnownAddressesAreIndistinguishable(t *testing.T) {
	t.Parallel()
	p, store, _ := newPeople(t)
	u, err := p.Create(t.Context(), "anna@acme.example", testPassword, "test")
	if err != nil {
		t.Fatal(err)
	}
	_, known := p.SignIn(t.Context(), Attempt{Email: "anna@acme.example", Password: "wrong"})
	_, unknown := p.SignIn(t.Context(), Attempt{Email: "missing@acme.example", Password: "wrong"})
	if fault.KindOf(known) != fault.KindUnauthenticated || known.Error() != unknown.Error() {
		t.Errorf("known: %v; unknown: %v", known, unknown)
	}
	if s, _, _, err := decode(unknownUser); err != nil || s != current {
		t.Errorf("the password without an account is hashed with %+v, %v", s, err)
	}
	events, err := store.Events(t.Context(), control.EventFilter{Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	refused := make(map[string]string)
	for _, e := range events {
		if e.Kind == control.SignInRefused {
			refused[e.Subject] = e.Detail
		}
	}
	if diff := cmp.Diff(map[string]string{string(u.ID): "wrong password; from an unknown address", "": "no such account; from an unknown address"}, refused); diff != "" {
		t.Errorf("rejected sign-ins in the log (-want +got):\n%s", diff)
	}
}

func TestConcurrentAttemptsDoNotBypassTheWait(t *testing.T) {
	t.Parallel()
	p, _, move := newPeople(t)
	if _, err := p.Create(t.Context(), "anna@acme.example", testPassword, "test"); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	tried := 0
	for range 20 {
		wg.Go(func() {
			_, err := p.SignIn(t.Context(), Attempt{Email: "anna@acme.example", Password: "wrong"})
			if _, waits := errors.AsType[*WaitError](err); !waits {
				mu.Lock()
				defer mu.Unlock()
				tried++
			}
		})
	}
	wg.Wait()
	if tried != freeFailures+1 {
		t.Errorf("%d passwords were tried, want %d", tried, freeFailures+1)
	}
	pauses := []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second}
	for _, want := range pauses {
		_, err := p.SignIn(t.Context(), Attempt{Email: " Anna@acme.example", Password: testPassword})
		if wait, waits := errors.AsType[*WaitError](err); !waits || wait.For != want {
			t.Fatalf("wait %v, want %s", err, want)
		}
		move(want)
		if _, err := p.SignIn(t.Context(), Attempt{Email: "anna@acme.example", Password: "wrong"}); fault.KindOf(err) != fault.KindUnauthenticated {
			t.Fatalf("after the wait: %v", err)
		}
	}
	move(longestWait)
	if _, err := p.SignIn(t.Context(), Attempt{Email: "anna@acme.example", Password: testPassword}); err != nil {
		t.Errorf("the right password after the wait: %v", err)
	}
}

func TestHashingSlotsPauseAndAreNotLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := New(Options{Now: time.Now})
		for len(p.hashing) > 0 {
			<-p.hashing
		}
		p.hashing <- time.Now().Add(300 * time.Millisecond)
		hasty, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if err := p.takePlace(hasty); !errors.Is(err, context.DeadlineExceeded) || len(p.hashing) != 1 {
			t.Errorf("a canceled caller: %v, %d slots left, want 1", err, len(p.hashing))
		}
		if err := p.takePlace(t.Context()); err != nil {
			t.Error(err)
		}
		began := time.Now()
		p.hashing <- began.Add(time.Hour) // as if the clock was set back
		if err := p.takePlace(t.Context()); err != nil || time.Since(began) != longestRest {
			t.Errorf("a rest of an hour: %v after %s, want %s", err, time.Since(began), longestRest)
		}
	})
}

func TestWeakHashesAreReplacedAtSignIn(t *testing.T) {
	t.Parallel()
	p, store, _ := newPeople(t)
	u, err := p.Create(t.Context(), "anna@acme.example", testPassword, "test")
	if err != nil {
		t.Fatal(err)
	}
	weak, salt := strength{kibibytes: 64, passes: 1, lanes: 1}, make([]byte, saltLen)
	hash := encode(weak, salt, argon2.IDKey([]byte(testPassword), salt, weak.passes, weak.kibibytes, weak.lanes, hashLen))
	if err := store.StrengthenPassword(t.Context(), u.ID, u.Password, hash); err != nil {
		t.Fatal(err)
	}
	if _, err := p.SignIn(t.Context(), Attempt{Email: u.Email, Password: testPassword}); err != nil {
		t.Fatal(err)
	}
	if got, err := p.Find(t.Context(), string(u.ID)); err != nil || !isCurrent(got.Password) {
		t.Errorf("the hash stays %q, %v", got.Password, err)
	}
}

// meanwhile is a store that runs a function between two steps.
type meanwhile struct {
	*sqlstore.Store
	happens func()
}

// UserByEmail implements [Store].
func (m meanwhile) UserByEmail(ctx context.Context, email string) (control.User, error) {
	u, err := m.Store.UserByEmail(ctx, email)
	m.happens()
	return u, err
}

func TestPasswordChangedDuringSignInIsRejected(t *testing.T) {
	t.Parallel()
	p, store, _ := newPeople(t)
	u, err := p.Create(t.Context(), "anna@acme.example", testPassword, "test")
	if err != nil {
		t.Fatal(err)
	}
	secret, err := p.SignIn(t.Context(), Attempt{Email: u.Email, Password: testPassword})
	if err != nil {
		t.Fatal(err)
	}
	stolen, err := p.Visitor(t.Context(), secret)
	if err != nil {
		t.Fatal(err)
	}
	late := New(Options{Now: p.now, Store: meanwhile{store, func() {
		if err := p.SetPassword(t.Context(), u.ID, "another long password", "test"); err != nil {
			t.Error(err)
		}
	}}})
	if _, err := late.SignIn(t.Context(), Attempt{Email: u.Email, Password: testPassword}); fault.KindOf(err) != fault.KindUnauthenticated {
		t.Errorf("a sign-in with the earlier password: %v", err)
	}
	if _, err := p.ChangePassword(t.Context(), stolen, testPassword, "a third long password", Origin{}); fault.KindOf(err) != fault.KindConflict {
		t.Errorf("a change with the earlier password: %v", err)
	}
	if sessions, err := store.Sessions(t.Context(), u.ID); err != nil || len(sessions) > 0 {
		t.Errorf("%d sessions remain after the change of the password, %v", len(sessions), err)
	}
	if _, err := p.SignIn(t.Context(), Attempt{Email: u.Email, Password: "another long password"}); err != nil {
		t.Errorf("the new password: %v", err)
	}
}

func TestDamagedHashesMatchNoPassword(t *testing.T) {
	t.Parallel()
	p, _, _ := newPeople(t)
	for _, hash := range []string{"", "plain", "$argon2i$v=19$m=1,t=1,p=1$AA$AA", "$argon2id$v=19$x$AA$AA", "$argon2id$v=19$m=1,t=1,p=1$*$AA", "$argon2id$v=19$m=1,t=1,p=1$AA$AA"} {
		if ok, err := p.matches(t.Context(), hash, testPassword); ok || err == nil {
			t.Errorf("hash %q: %v, %v", hash, ok, err)
		}
	}
}

func TestSecretsDoNotPrintThemselves(t *testing.T) {
	t.Parallel()
	s := NewSecret()
	if len(s) != 43 || s.String() == string(s) || s.GoString() == string(s) || s.LogValue().String() == string(s) {
		t.Errorf("secret of %d characters prints itself", len(s))
	}
	if Secret("").AcceptsForm("x", Secret("").FormToken("x")) {
		t.Error("an empty secret accepts forms")
	}
}
