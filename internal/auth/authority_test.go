package auth

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/control"
)

// grant authorizes a client of Anna in acme with all scopes.
func (f fixture) grant(t *testing.T, role control.Role) Principal {
	t.Helper()
	by := control.By{Actor: "test", At: noon}
	// the last owner cannot be removed
	for id, role := range map[control.UserID]control.Role{"anna": role, "olga": control.RoleOwner} {
		u := control.User{ID: id, Email: string(id) + "@acme.example", Password: "none", CreatedAt: noon}
		if err := f.store.CreateUser(t.Context(), u, by); err != nil {
			t.Fatal(err)
		}
		if err := f.store.SetRole(t.Context(), id, "acme", role, by); err != nil {
			t.Fatal(err)
		}
	}
	session := control.Session{Hash: []byte("s"), User: "anna", CreatedAt: noon, SeenAt: noon, EndsAt: noon.Add(time.Hour)}
	if err := f.store.CreateSession(t.Context(), control.NewSession{Session: session, Password: "none"}, by); err != nil {
		t.Fatal(err)
	}
	r := control.AuthRequest{Hash: []byte("r"), Session: session.Hash, User: "anna", Client: "c1", ExpiresAt: noon.Add(time.Minute)}
	if err := f.store.KeepRequest(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	g := control.Grant{ID: "g1", User: "anna", Workspace: "acme", Client: "c1", Scopes: control.Scopes(), CreatedAt: noon, EndsAt: noon.Add(time.Hour)}
	code := control.Code{Hash: []byte("c"), Grant: "g1", ExpiresAt: noon.Add(time.Minute)}
	if err := f.store.ApproveRequest(t.Context(), r.Hash, g, code, by); err != nil {
		t.Fatal(err)
	}
	return Principal{Kind: ByOAuth, Grant: "g1", Scopes: control.Scopes()}
}

func TestAuthorityIsWhatTheStoreAllowsNow(t *testing.T) {
	t.Parallel()
	all, none := control.Scopes(), []control.Scope{}
	by := control.By{Actor: "test", At: noon}
	cases := map[string]struct { // the key ends when its creator Anna may no longer create keys
		change func(f fixture, key control.Key) error
		byKey  []control.Scope
		person []control.Scope
	}{
		"nothing changed":  {func(fixture, control.Key) error { return nil }, all, all},
		"both are too old": {func(f fixture, _ control.Key) error { f.clock.pass(time.Hour); return nil }, none, none},
		"the key is revoked": {func(f fixture, k control.Key) error {
			_, err := f.store.RevokeKey(t.Context(), k.ID, by)
			return err
		}, none, all},
		"the grant is revoked": {func(f fixture, _ control.Key) error {
			_, err := f.store.RevokeGrant(t.Context(), "g1", "test", by)
			return err
		}, all, none},
		"the role is lowered": {func(f fixture, _ control.Key) error {
			return f.store.SetRole(t.Context(), "anna", "acme", control.RoleAnalyst, by)
		}, none, all[:2]},
		"the person is removed":    {func(f fixture, _ control.Key) error { return f.store.RemoveUser(t.Context(), "anna", by) }, none, none},
		"the workspace is deleted": {func(f fixture, _ control.Key) error { return f.store.DeleteWorkspace(t.Context(), "acme", by) }, none, none},
	}
	for what, test := range cases {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			person := f.grant(t, control.RoleAdmin)
			_, key, err := f.Create(t.Context(), NewKey{Workspace: "acme", Name: "report", Scopes: all, Lifetime: time.Hour}, "user:anna")
			if err != nil {
				t.Fatal(err)
			}
			if err := test.change(f, key); err != nil {
				t.Fatal(err)
			}
			authority := NewAuthority(f.store, f.clock.Now)
			for who, want := range map[string]struct {
				p      Principal
				scopes []control.Scope
			}{
				"the key":    {Principal{Kind: ByKey, Key: key.ID, Scopes: all}, test.byKey},
				"the person": {person, test.person},
				"a reader":   {Principal{Kind: ByOAuth, Grant: "g1", Scopes: all[:1]}, control.CommonScopes(all[:1], test.person)},
			} {
				got, err := authority.Renew(t.Context(), want.p)
				want.p.Scopes = want.scopes
				if diff := cmp.Diff(want.p, got); err != nil || diff != "" {
					t.Errorf("%s: %v (-want +got):\n%s", who, err, diff)
				}
			}
		})
	}
}
