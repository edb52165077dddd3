package setup_test

import (
	"net/http"
	"testing"

	"assay/internal/auth"
	"assay/internal/console/consoletest"
	"assay/internal/control"
)

func TestRolesAboveOnesOwnCannotBeAssignedOrRemoved(t *testing.T) {
	t.Parallel()
	s := consoletest.New(t)
	owner := s.Member(consoletest.Email, control.RoleOwner)
	admin := s.Member("ada@acme.example", control.RoleAdmin)
	analyst := s.Member("ana@acme.example", control.RoleAnalyst)
	of := map[control.Role]*consoletest.Browser{
		control.RoleOwner: s.SignedIn(consoletest.Email), control.RoleAdmin: s.SignedIn("ada@acme.example"), control.RoleAnalyst: s.SignedIn("ana@acme.example"),
	}
	cases := []struct {
		what   string
		by     control.Role
		fields []string
		status int
	}{
		{"an admin invites an owner", control.RoleAdmin, []string{"action", "invite", "email", "x@acme.example", "role", "owner"}, 403},
		{"an analyst invites a viewer", control.RoleAnalyst, []string{"action", "invite", "email", "x@acme.example", "role", "viewer"}, 403},
		{"an admin makes an owner", control.RoleAdmin, []string{"action", "role", "user", string(analyst.ID), "role", "owner"}, 403},
		{"an admin makes themselves an owner", control.RoleAdmin, []string{"action", "role", "user", string(admin.ID), "role", "owner"}, 403},
		{"an admin lowers an owner", control.RoleAdmin, []string{"action", "role", "user", string(owner.ID), "role", "viewer"}, 403},
		{"an admin removes an owner", control.RoleAdmin, []string{"action", "remove", "user", string(owner.ID)}, 403},
		{"an admin invites an owner in another spelling", control.RoleAdmin, []string{"action", "invite", "email", "x@acme.example", "role", " owner "}, 403},
		{"an admin makes an owner in another spelling", control.RoleAdmin, []string{"action", "role", "user", string(analyst.ID), "role", "owner\n"}, 403},
		{"an analyst raises themselves", control.RoleAnalyst, []string{"action", "role", "user", string(analyst.ID), "role", "admin"}, 403},
		{"an analyst removes an admin", control.RoleAnalyst, []string{"action", "remove", "user", string(admin.ID)}, 403},
		{"an analyst withdraws", control.RoleAnalyst, []string{"action", "withdraw", "id", "x"}, 403},
		{"the last owner is lowered", control.RoleOwner, []string{"action", "role", "user", string(owner.ID), "role", "admin"}, 422},
		{"the last owner leaves", control.RoleOwner, []string{"action", "remove", "user", string(owner.ID)}, 422},
		{"an unknown role", control.RoleOwner, []string{"action", "role", "user", string(analyst.ID), "role", "root"}, 422},
		{"nobody", control.RoleOwner, []string{"action", "remove", "user", "nobody"}, 422},
		{"who is there already", control.RoleOwner, []string{"action", "invite", "email", "ana@acme.example", "role", "viewer"}, 422},
		{"no address", control.RoleOwner, []string{"action", "invite", "email", "ana", "role", "viewer"}, 422},
		{"no action", control.RoleOwner, nil, 422},
		{"another workspace", control.RoleOwner, []string{"workspace", "other", "action", "remove", "user", string(admin.ID)}, 404},
		{"without a token", control.RoleOwner, []string{"csrf", "", "action", "remove", "user", string(admin.ID)}, 403},
		{"an admin raises an analyst", control.RoleAdmin, []string{"action", "role", "user", string(analyst.ID), "role", "admin"}, 303},
		{"an admin lowers an admin", control.RoleAdmin, []string{"action", "role", "user", string(analyst.ID), "role", "analyst"}, 303},
		{"an analyst leaves", control.RoleAnalyst, []string{"action", "remove", "user", string(analyst.ID)}, 303},
	}
	for _, c := range cases {
		if p := of[c.by].Form("/people", c.fields...); p.Status != c.status {
			t.Errorf("%s: %d, want %d", c.what, p.Status, c.status)
		}
	}
	want := map[string]control.Role{consoletest.Email: control.RoleOwner, "ada@acme.example": control.RoleAdmin, "ana@acme.example": ""}
	for who, role := range want {
		if got := s.RoleOf(who); got != role {
			t.Errorf("%s is %q at the end, want %q", who, got, role)
		}
	}
}

func TestRemovingAMemberRevokesTheirKeys(t *testing.T) {
	t.Parallel()
	s := consoletest.New(t)
	s.Member(consoletest.Email, control.RoleOwner)
	ada := s.Member("ada@acme.example", control.RoleAdmin)
	secret, _, err := s.Keys.Create(t.Context(), auth.NewKey{Workspace: "acme", Name: "hers"}, control.ActorOf(ada.ID))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Keys.Authenticate(t.Context(), string(secret)); err != nil {
		t.Fatalf("before: %v", err)
	}
	if p := s.SignedIn(consoletest.Email).Form("/people", "action", "remove", "user", string(ada.ID)); p.Status != http.StatusSeeOther {
		t.Fatalf("removal: %d", p.Status)
	}
	if _, err := s.Keys.Authenticate(t.Context(), string(secret)); err == nil {
		t.Error("the key is accepted at the same instant")
	}
}
