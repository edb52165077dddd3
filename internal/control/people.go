package control

import (
	"net/mail"
	"slices"
	"strings"
	"time"

	"assay/internal/fault"
	"assay/internal/measure"
)

// UserID identifies a person permanently. Tokens and the audit log contain it instead of the email address.
type UserID string

// User is a person who can sign in.
type User struct {
	ID        UserID
	Email     string // in lower case
	Password  string // hash of the password in PHC format; never the password
	CreatedAt time.Time
}

// Role is a person's role in one workspace.
type Role string

// The roles, highest first.
const (
	RoleOwner   Role = "owner"
	RoleAdmin   Role = "admin"
	RoleAnalyst Role = "analyst"
	RoleViewer  Role = "viewer"
)

// Roles lists all roles, highest first.
func Roles() []Role { return []Role{RoleOwner, RoleAdmin, RoleAnalyst, RoleViewer} }

// ParseRole parses the name of a role. An unknown name is a fault of kind invalid.
func ParseRole(name string) (Role, error) {
	role := Role(strings.TrimSpace(name))
	if !slices.Contains(Roles(), role) {
		return "", fault.Invalid("%q is not a role", name).WithHint("use one of %q", Roles())
	}
	return role, nil
}

// Scopes returns the scopes that a person with the role may be granted. An unknown role has none.
func (r Role) Scopes() []Scope {
	switch r {
	case RoleOwner, RoleAdmin:
		return []Scope{ScopeRead, ScopeWrite, ScopeApprove}
	case RoleAnalyst:
		return []Scope{ScopeRead, ScopeWrite}
	case RoleViewer:
		return []Scope{ScopeRead}
	}
	return nil
}

// Manages reports whether the role may create and revoke keys, and revoke other members' grants.
func (r Role) Manages() bool { return r == RoleOwner || r == RoleAdmin }

// Writes reports whether the role may import facts, plan experiments and train models.
func (r Role) Writes() bool { return slices.Contains(r.Scopes(), ScopeWrite) }

// Outranks reports whether the role is higher than the other. An unknown role is the lowest.
func (r Role) Outranks(other Role) bool { return r.rank() < other.rank() }

func (r Role) rank() int {
	if i := slices.Index(Roles(), r); i >= 0 {
		return i
	}
	return len(Roles())
}

// MayGive reports whether a person with the role may give the other role to another person or remove it. Only managers
// may, and the other role must not be higher than their own. An unknown role cannot be given.
func (r Role) MayGive(other Role) bool {
	return r.Manages() && slices.Contains(Roles(), other) && !other.Outranks(r)
}

// Within returns the scopes that the role allows, in the order of [Scopes].
func (r Role) Within(scopes []Scope) []Scope { return CommonScopes(r.Scopes(), scopes) }

// CommonScopes returns the scopes in both lists, in the order of [Scopes].
func CommonScopes(a, b []Scope) []Scope {
	return slices.DeleteFunc(Scopes(), func(s Scope) bool { return !slices.Contains(a, s) || !slices.Contains(b, s) })
}

// Membership is a person's role in a workspace.
type Membership struct {
	User      UserID
	Workspace Workspace
	Role      Role
	Since     time.Time
}

// InvitationID identifies an invitation.
type InvitationID string

// Invitation adds the person who opens its link to a workspace. The link contains the secret. The store contains only a
// hash of the secret. The invitation can be accepted once, and only while its author may still give the role.
type Invitation struct {
	ID        InvitationID
	Hash      []byte // SHA-256 of the secret
	Workspace measure.WorkspaceID
	Email     string // in lower case
	Role      Role
	By        UserID
	CreatedAt time.Time
	ExpiresAt time.Time
}

// NewSession is a session to create.
type NewSession struct {
	Session
	// Password is the hash of the password that was verified. If the password has changed since then, no session is
	// created.
	Password string
	From     string // origin of the sign-in, as text for the audit log
}

// Session is a signed-in browser. The browser's cookie contains the secret. The store contains only a hash of the
// secret.
type Session struct {
	Hash      []byte // SHA-256 of the secret
	User      UserID
	CreatedAt time.Time
	SeenAt    time.Time // to the minute
	EndsAt    time.Time // absolute end; use does not extend it
	Browser   string    // name that the browser reports; "" when it reports none
}

// The kinds of audit events about members and invitations. For a role change, the subject is the member, and the detail
// names the old and the new role. For an invitation, the subject is its ID.
const (
	UserMade        EventKind = "user_made"
	UserRemoved     EventKind = "user_removed"
	PasswordChanged EventKind = "password_changed"
	RoleChanged     EventKind = "role_changed"
	UserInvited     EventKind = "user_invited"
	SignedIn        EventKind = "signed_in"
	SignInRefused   EventKind = "sign_in_refused"
	SignedOut       EventKind = "signed_out"

	InvitationWithdrawn EventKind = "invitation_withdrawn"
)

const maxEmailLen = 254

// CheckedEmail returns the address in lower case without surrounding spaces. It returns a fault of kind invalid for
// anything but a plain email address. It also rejects invisible characters and characters that change the writing
// direction, so that different addresses look different.
func CheckedEmail(address string) (string, error) {
	lower := strings.ToLower(strings.TrimSpace(address))
	parsed, err := mail.ParseAddress(lower)
	if err != nil || parsed.Address != lower || len(lower) > maxEmailLen || !Printable(strings.TrimSpace(address)) {
		return "", fault.Invalid("%q is not an email address", lower).WithHint("use an address such as ana@example.com")
	}
	return lower, nil
}

const personPrefix = "user:"

// ActorOf returns the name of a person as an actor in the audit log.
func ActorOf(id UserID) string { return personPrefix + string(id) }

// Person returns the person who made the change, or false for a command.
func (b By) Person() (UserID, bool) {
	id, is := strings.CutPrefix(b.Actor, personPrefix)
	return UserID(id), is
}
