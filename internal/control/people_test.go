package control_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/control"
	"assay/internal/fault"
)

func TestRolesLimitScopes(t *testing.T) {
	t.Parallel()
	all := control.Scopes()
	for role, want := range map[control.Role]int{
		control.RoleOwner: 3, control.RoleAdmin: 3, control.RoleAnalyst: 2, control.RoleViewer: 1, "": 0, "root": 0,
	} {
		if diff := cmp.Diff(all[:want], role.Within(all)); diff != "" {
			t.Errorf("role %q (-want +got):\n%s", role, diff)
		}
		if got := role.Writes(); got != slices.Contains(all[:want], control.ScopeWrite) {
			t.Errorf("role %q writes: %v", role, got)
		}
		if got := role.Manages(); got != (role == control.RoleOwner || role == control.RoleAdmin) {
			t.Errorf("role %q manages: %v", role, got)
		}
	}
}

func TestManagersGiveRolesUpToTheirOwn(t *testing.T) {
	t.Parallel()
	may := map[control.Role][]control.Role{
		control.RoleOwner: control.Roles(),
		control.RoleAdmin: {control.RoleAdmin, control.RoleAnalyst, control.RoleViewer},
	}
	for _, role := range append(control.Roles(), "", "root") {
		for _, other := range append(control.Roles(), "", "root") {
			if got, want := role.MayGive(other), slices.Contains(may[role], other); got != want {
				t.Errorf("%q may give %q: %v, want %v", role, other, got, want)
			}
		}
	}
}

func TestRolesAreParsedByName(t *testing.T) {
	t.Parallel()
	for _, role := range control.Roles() {
		if got, err := control.ParseRole(" " + string(role) + "\n"); err != nil || got != role {
			t.Errorf("ParseRole(%q) = %q, %v", role, got, err)
		}
	}
	if _, err := control.ParseRole("Owner"); fault.KindOf(err) != fault.KindInvalid {
		t.Errorf("ParseRole(Owner): %v", err)
	}
}

func TestEmailAddressesHaveOnePlainForm(t *testing.T) {
	t.Parallel()
	if got, err := control.CheckedEmail("  Anna@Acme.Example "); err != nil || got != "anna@acme.example" {
		t.Errorf("CheckedEmail = %q, %v", got, err)
	}
	for _, bad := range []string{"", "anna", "anna@", "@acme.example", "Anna <anna@acme.example>", "a b@c", "a@b, c@d", "an\u200bna@acme.example", "anna@\u202eacme.example", "\xff@acme.example"} {
		if got, err := control.CheckedEmail(bad); err == nil {
			t.Errorf("CheckedEmail(%q) = %q, want an error", bad, got)
		}
	}
}

func TestAnUnknownRoleIsTheLowest(t *testing.T) {
	t.Parallel()
	roles := append(control.Roles(), "root")
	for i, role := range roles {
		for j, other := range roles {
			if got := role.Outranks(other); got != (i < j) {
				t.Errorf("%q outranks %q: %t", role, other, got)
			}
		}
	}
	if control.Role("root").Outranks("") {
		t.Error("an unknown role outranks another unknown role")
	}
}
