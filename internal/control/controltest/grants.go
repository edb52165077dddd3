package controltest

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
)

// newRequest stores an authorization request of the person in a new session.
func newRequest(t *testing.T, s PeopleStore, id control.UserID, name string) control.AuthRequest {
	t.Helper()
	session := newSession(t, s, id, "session for "+name)
	r := control.AuthRequest{
		Hash: []byte("request " + name), Session: session.Hash, User: id, Client: "c1", ClientName: "Ledger Owl",
		Redirect: "https://owl.example/cb", Scopes: []control.Scope{control.ScopeRead, control.ScopeApprove},
		State: "a b\n&", HasState: true, Challenge: "challenge", ExpiresAt: noon.Add(10 * time.Minute),
	}
	if err := s.KeepRequest(t.Context(), r); err != nil {
		t.Fatalf("KeepRequest(%q): %v", name, err)
	}
	return r
}

func grantLike(id control.UserID, ws measure.WorkspaceID, name string) (control.Grant, control.Code) {
	g := control.Grant{
		ID: control.GrantID(name), User: id, Workspace: ws, Client: "c1", ClientName: "Ledger Owl", Redirect: "https://owl.example/cb",
		Scopes: []control.Scope{control.ScopeRead}, CreatedAt: noon, EndsAt: noon.Add(90 * 24 * time.Hour),
	}
	return g, control.Code{
		Hash: []byte("code of " + name), Grant: g.ID, Redirect: g.Redirect, Challenge: "challenge", ExpiresAt: noon.Add(time.Minute),
	}
}

// newGrant stores a grant of the person with its code.
func newGrant(t *testing.T, s PeopleStore, id control.UserID, ws measure.WorkspaceID, name string) (control.Grant, control.Code) {
	t.Helper()
	r := newRequest(t, s, id, name)
	g, c := grantLike(id, ws, name)
	if err := s.ApproveRequest(t.Context(), r.Hash, g, c, at(0)); err != nil {
		t.Fatalf("ApproveRequest(%q): %v", name, err)
	}
	return g, c
}

func tokenOf(grant control.GrantID, name string) control.RefreshToken {
	return control.RefreshToken{Hash: []byte("refresh " + name), Grant: grant, ExpiresAt: noon.Add(30 * 24 * time.Hour)}
}

func clientIsKept(t *testing.T, s PeopleStore) {
	want := control.Client{ID: "c1", Name: "Ledger Owl", Redirects: []string{"https://owl.example/cb?a=b c", "http://localhost/"}, CreatedAt: noon}
	if err := s.CreateClient(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	got, err := s.Client(t.Context(), "c1")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("client (-want +got):\n%s", diff)
	}
}

func requestIsKept(t *testing.T, s PeopleStore) {
	newUser(t, s, "anna")
	want := newRequest(t, s, "anna", "r1")
	got, err := s.Request(t.Context(), want.Hash)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
}

func requestIsDecidedOnce(t *testing.T, s PeopleStore) {
	w := newWorkspace(t, s, "Acme")
	newMember(t, s, "anna", w.ID)
	newGrant(t, s, "anna", w.ID, "g1")
	hash := []byte("request g1")
	g, c := grantLike("anna", w.ID, "g2")
	wantKind(t, "approved twice", s.ApproveRequest(t.Context(), hash, g, c, at(0)), fault.KindConflict)
	wantKind(t, "refused afterwards", s.RefuseRequest(t.Context(), hash, at(0)), fault.KindConflict)
	late := newRequest(t, s, "anna", "late")
	wantKind(t, "approved too late", s.ApproveRequest(t.Context(), late.Hash, g, c, at(10*time.Minute)), fault.KindConflict)
	_, err := s.Access(t.Context(), "g2")
	wantKind(t, "the grant that was not made", err, fault.KindNotFound)
	if err := s.RefuseRequest(t.Context(), late.Hash, at(0)); err != nil {
		t.Errorf("denied in time: %v", err)
	}
}

func decisionsRace(t *testing.T, s PeopleStore) {
	w := newWorkspace(t, s, "Acme")
	newMember(t, s, "anna", w.ID)
	r := newRequest(t, s, "anna", "r1")
	wantOne(t, func(i int) bool {
		g, c := grantLike("anna", w.ID, fmt.Sprint("g", i))
		return s.ApproveRequest(t.Context(), r.Hash, g, c, at(0)) == nil
	})
	if grants, err := s.Grants(t.Context(), w.ID); err != nil || len(grants) != 1 {
		t.Errorf("%d grants, %v; want 1", len(grants), err)
	}
}

// wantOne runs the same operation many times concurrently and expects exactly one success.
func wantOne(t *testing.T, try func(i int) bool) {
	t.Helper()
	var wg sync.WaitGroup
	var done atomic.Int64
	for i := range 16 {
		wg.Go(func() {
			if try(i) {
				done.Add(1)
			}
		})
	}
	wg.Wait()
	if done.Load() != 1 {
		t.Errorf("%d of 16 succeeded, want 1", done.Load())
	}
}

func codeIsRedeemedOnce(t *testing.T, s PeopleStore) {
	w := newWorkspace(t, s, "Acme")
	newMember(t, s, "anna", w.ID)
	_, want := newGrant(t, s, "anna", w.ID, "g1")
	got, err := s.Code(t.Context(), want.Hash)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("code (-want +got):\n%s", diff)
	}
	steps := []struct {
		what  string
		grant control.GrantID
		after time.Duration
		want  bool
	}{
		{"too late", "g1", time.Minute, false}, {"for another grant", "g2", 0, false}, {"in time", "g1", 59 * time.Second, true}, {"again", "g1", 0, false},
	}
	for _, step := range steps {
		done, err := s.RedeemCode(t.Context(), want.Hash, tokenOf(step.grant, step.what), noon.Add(step.after))
		if err != nil || done != step.want {
			t.Errorf("%s: %v, %v; want %v", step.what, done, err, step.want)
		}
	}
	if a, err := s.Access(t.Context(), "g1"); err != nil || !a.Grant.UsedAt.Equal(noon.Add(59*time.Second)) {
		t.Errorf("the grant was used at %s, %v", a.Grant.UsedAt, err)
	}
	_, _, err = s.RefreshToken(t.Context(), tokenOf("g1", "again").Hash)
	wantKind(t, "the token of the second try", err, fault.KindNotFound)
}

func refreshTokenIsUsedOnce(t *testing.T, s PeopleStore) {
	w := newWorkspace(t, s, "Acme")
	newMember(t, s, "anna", w.ID)
	_, code := newGrant(t, s, "anna", w.ID, "g1")
	first, second, third := tokenOf("g1", "1"), tokenOf("g1", "2"), tokenOf("g1", "3")
	if done, err := s.RedeemCode(t.Context(), code.Hash, first, noon); err != nil || !done {
		t.Fatalf("RedeemCode = %v, %v", done, err)
	}
	rotate := func(what string, used, next control.RefreshToken, after time.Duration, want bool) {
		t.Helper()
		if done, err := s.RotateRefreshToken(t.Context(), used.Hash, next, noon.Add(after)); err != nil || done != want {
			t.Errorf("%s: %v, %v; want %v", what, done, err, want)
		}
	}
	successorUsed := func(want bool) {
		t.Helper()
		got, used, err := s.RefreshToken(t.Context(), first.Hash)
		if err != nil || used != want {
			t.Errorf("successor used: %v, %v; want %v", used, err, want)
		}
		usedAt := first
		usedAt.UsedAt = noon.Add(time.Second)
		if diff := cmp.Diff(usedAt, got); diff != "" {
			t.Errorf("token (-want +got):\n%s", diff)
		}
	}
	rotate("too late", first, second, 30*24*time.Hour, false)
	rotate("in time", first, second, time.Second, true)
	successorUsed(false)
	rotate("again", first, third, time.Second, false)
	rotate("the successor", second, third, time.Second, true)
	successorUsed(true)
}

func refreshesRace(t *testing.T, s PeopleStore) {
	w := newWorkspace(t, s, "Acme")
	newMember(t, s, "anna", w.ID)
	_, code := newGrant(t, s, "anna", w.ID, "g1")
	first := tokenOf("g1", "first")
	if done, err := s.RedeemCode(t.Context(), code.Hash, first, noon); err != nil || !done {
		t.Fatalf("RedeemCode = %v, %v", done, err)
	}
	wantOne(t, func(i int) bool {
		done, err := s.RotateRefreshToken(t.Context(), first.Hash, tokenOf("g1", fmt.Sprint(i)), noon)
		return err == nil && done
	})
}

func grantIsRevokedOnce(t *testing.T, s PeopleStore) {
	w := newWorkspace(t, s, "Acme")
	newMember(t, s, "anna", w.ID)
	want, _ := newGrant(t, s, "anna", w.ID, "g1")
	want.RevokedAt = noon.Add(time.Hour)
	for _, later := range []time.Duration{time.Hour, 2 * time.Hour} {
		got, err := s.RevokeGrant(t.Context(), "g1", "by a person", at(later))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("after %s (-want +got):\n%s", later, diff)
		}
	}
	grants, err := s.Grants(t.Context(), w.ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]control.Grant{want}, grants); diff != "" {
		t.Errorf("grants (-want +got):\n%s", diff)
	}
}

func clientDeletionRevokes(t *testing.T, s PeopleStore) {
	w := newWorkspace(t, s, "Acme")
	newMember(t, s, "anna", w.ID)
	if err := s.CreateClient(t.Context(), control.Client{ID: "c1", Name: "Ledger Owl", Redirects: []string{"https://owl.example/cb"}, CreatedAt: noon}); err != nil {
		t.Fatal(err)
	}
	newGrant(t, s, "anna", w.ID, "g1")
	if c, err := s.Client(t.Context(), "c1"); err != nil || !c.UsedAt.Equal(noon) {
		t.Errorf("the client was used at %s, %v", c.UsedAt, err)
	}
	if err := s.DeleteClient(t.Context(), "c1", at(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if a, err := s.Access(t.Context(), "g1"); err != nil || a.Grant.Valid(noon.Add(time.Hour)) {
		t.Errorf("the grant is %+v, %v; want it revoked", a.Grant, err)
	}
}

func accessFollowsRole(t *testing.T, s PeopleStore) {
	w := newWorkspace(t, s, "Acme")
	newMember(t, s, "anna", w.ID)
	newMember(t, s, "ben", w.ID)
	g, _ := newGrant(t, s, "anna", w.ID, "g1")
	for _, role := range []control.Role{control.RoleOwner, control.RoleViewer} {
		if err := s.SetRole(t.Context(), "anna", w.ID, role, at(0)); err != nil {
			t.Fatal(err)
		}
		got, err := s.Access(t.Context(), "g1")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(control.Access{Grant: g, Workspace: w, Role: role}, got); diff != "" {
			t.Errorf("access as %s (-want +got):\n%s", role, diff)
		}
	}
	if err := s.DeleteWorkspace(t.Context(), w.ID, at(0)); err != nil {
		t.Fatal(err)
	}
	_, err := s.Access(t.Context(), "g1")
	wantKind(t, "without the workspace", err, fault.KindNotFound)
}

func endedIsPruned(t *testing.T, s PeopleStore) {
	const day = 24 * time.Hour
	w := newWorkspace(t, s, "Acme")
	newMember(t, s, "anna", w.ID)
	g, code := newGrant(t, s, "anna", w.ID, "g1")
	if done, err := s.RedeemCode(t.Context(), code.Hash, tokenOf("g1", "1"), noon); err != nil || !done {
		t.Fatalf("RedeemCode = %v, %v", done, err)
	}
	if err := s.CreateClient(t.Context(), control.Client{ID: "unused", CreatedAt: noon}); err != nil {
		t.Fatal(err)
	}
	there := func() map[string]bool {
		found := make(map[string]bool)
		note := func(what string, err error) { found[what] = err == nil }
		_, err := s.Client(t.Context(), "unused")
		note("client", err)
		_, err = s.Code(t.Context(), code.Hash)
		note("code", err)
		_, err = s.Request(t.Context(), []byte("request g1"))
		note("request", err)
		_, _, err = s.RefreshToken(t.Context(), tokenOf("g1", "1").Hash)
		note("refresh token", err)
		_, err = s.Access(t.Context(), "g1")
		note("grant", err)
		return found
	}
	steps := []struct {
		at   time.Time
		want map[string]bool
	}{
		{noon.Add(day), map[string]bool{"client": true, "code": true, "request": true, "refresh token": true, "grant": true}},
		{noon.Add(day + time.Hour + time.Second), map[string]bool{"client": false, "code": false, "request": false, "refresh token": true, "grant": true}},
		{noon.Add(30*day + time.Second), map[string]bool{"client": false, "code": false, "request": false, "refresh token": false, "grant": true}},
		{g.EndsAt.Add(30*day + time.Second), map[string]bool{"client": false, "code": false, "request": false, "refresh token": false, "grant": false}},
	}
	for _, step := range steps {
		if err := s.Prune(t.Context(), step.at); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(step.want, there()); diff != "" {
			t.Errorf("after %s (-want +got):\n%s", step.at.Sub(noon), diff)
		}
	}
}
