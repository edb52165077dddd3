package auth

import (
	"testing"
	"time"

	"assay/internal/control"
	"assay/internal/fault"
)

func TestKnownCredentialsOfOneStateAreStoredTogether(t *testing.T) {
	t.Parallel()
	var k Known
	a, b := Digest{1}, Digest{2}
	until := PrincipalUntil{Principal: Principal{Actor: "a"}, Stale: noon.Add(time.Second)}
	has := func(d Digest, state uint64) bool { _, ok := k.Find(d, noon, state); return ok }
	k.Keep(a, until, 7)
	k.Keep(b, until, 7)
	if !has(a, 7) || !has(b, 7) || has(a, 8) {
		t.Errorf("state 7: got %v and %v, want both; state 8: got %v, want none", has(a, 7), has(b, 7), has(a, 8))
	}
	k.Keep(b, until, 8)
	if has(a, 8) || !has(b, 8) {
		t.Errorf("state 8: got %v and %v, want the second only", has(a, 8), has(b, 8))
	}
}

func TestAKeyIsValidForAtMostTenYears(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const tenYears = 10 * 365 * 24 * time.Hour
	for lifetime, want := range map[time.Duration]fault.Kind{tenYears: "", tenYears + 1: fault.KindInvalid, -1: fault.KindInvalid} {
		_, _, err := f.Create(t.Context(), NewKey{Workspace: "acme", Name: "k", Scopes: []control.Scope{control.ScopeRead}, Lifetime: lifetime}, "test")
		if err == nil != (want == "") || err != nil && fault.KindOf(err) != want {
			t.Errorf("a key for %s: got %v, want kind %q", lifetime, err, want)
		}
	}
}
