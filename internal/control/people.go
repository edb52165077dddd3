package control

import (
	"net/mail"
	"slices"
	"strings"
	"time"

	"assay/internal/fault"
	"assay/internal/measure"
)

// UserID names a person for good. It is in tokens and in the security log, where an e-mail address has no place.
type UserID string

// User is a person who can sign in.
type User struct {
	ID        UserID
	Email     string // in lower case
	Password  string // its hash in PHC form; never the password
	CreatedAt time.Time
}

// Role is what a person is in one workspace.
type Role string

// The roles, from most to least.
const (
	RoleOwner   Role = "owner"
	RoleAdmin   Role = "admin"
	RoleAnalyst Role = "analyst"
	RoleViewer  Role = "viewer"
)

// Roles lists all roles, from most to least.
func Roles() []Role { return []Role{RoleOwner, RoleAdmin, RoleAnalyst, RoleViewer} }

// ParseRole reads a role by name. An unknown name is a fault of kind invalid.
func ParseRole(name string) (Role, error) {
	role := Role(strings.TrimSpace(name))
	if !slices.Contains(Roles(), role) {
		return "", fault.Invalid("%q is not a role", name).WithHint("use one of %q", Roles())
	}
	return role, nil
}

// Scopes returns the most that somebody of the role may be granted. An unknown role may nothing.
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

// Manages reports whether somebody of the role may make and end keys, and end what others connected.
func (r Role) Manages() bool { return r == RoleOwner || r == RoleAdmin }

// Writes reports whether somebody of the role may put facts into a workspace, plan experiments and train models.
func (r Role) Writes() bool { return slices.Contains(r.Scopes(), ScopeWrite) }

// Outranks reports whether the role is above the other. An unknown role is below all.
func (r Role) Outranks(other Role) bool { return r.rank() < other.rank() }

func (r Role) rank() int {
	if i := slices.Index(Roles(), r); i >= 0 {
		return i
	}
	return len(Roles())
}

// MayGive reports whether somebody of the role may give the role to another person, or take it: who manages a
// workspace may, up to their own role. Nobody may give what is no role.
func (r Role) MayGive(other Role) bool {
	return r.Manages() && slices.Contains(Roles(), other) && !other.Outranks(r)
}

// Within returns those of the scopes that somebody of the role may have, in the order of [Scopes].
func (r Role) Within(scopes []Scope) []Scope { return CommonScopes(r.Scopes(), scopes) }

// CommonScopes returns the scopes that both lists hold, in the order of [Scopes].
func CommonScopes(a, b []Scope) []Scope {
	return slices.DeleteFunc(Scopes(), func(s Scope) bool { return !slices.Contains(a, s) || !slices.Contains(b, s) })
}

// Membership is a person's place in a workspace.
type Membership struct {
	User      UserID
	Workspace Workspace
	Role      Role
	Since     time.Time
}

// Invitation lets somebody into a workspace who opens its link. Its secret is in the link; here is a hash of it. It is
// accepted once, and only while who gave it may still give the role.
type Invitation struct {
	ID        string
	Hash      []byte // SHA-256 of the secret
	Workspace measure.WorkspaceID
	Email     string // in lower case
	Role      Role
	By        UserID
	CreatedAt time.Time
	ExpiresAt time.Time
}

// NewSession is a session that begins.
type NewSession struct {
	Session
	Password string // hash of the password that was right: there is no session when it is another one by now
	From     string // in words, for the security log
}

// Session is a signed-in browser. Its secret is in the browser's cookie; here is a hash of it.
type Session struct {
	Hash      []byte // SHA-256 of the secret
	User      UserID
	CreatedAt time.Time
	SeenAt    time.Time // to the minute
	EndsAt    time.Time // whatever is done with it
	Browser   string    // what it calls itself; "" when it does not say
}

// The kinds of security events about people. The subject of a change of role is the person; its detail names the
// roles before and after. The subject of an invitation is its id.
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

// CheckedEmail returns the address in lower case without blanks around it. Anything but a plain address is a fault
// of kind invalid, one too that holds what cannot be seen or turns the direction of writing: two addresses that differ
// look different.
func CheckedEmail(address string) (string, error) {
	lower := strings.ToLower(strings.TrimSpace(address))
	parsed, err := mail.ParseAddress(lower)
	if err != nil || parsed.Address != lower || len(lower) > maxEmailLen || !Printable(strings.TrimSpace(address)) {
		return "", fault.Invalid("%q is not an e-mail address", lower).WithHint("write one such as ana@example.com")
	}
	return lower, nil
}

const personPrefix = "user:"

// ActorOf is how a person is named in the security log.
func ActorOf(id UserID) string { return personPrefix + string(id) }

// Person returns who changes something, if it is a person and not a command.
func (b By) Person() (UserID, bool) {
	id, is := strings.CutPrefix(b.Actor, personPrefix)
	return UserID(id), is
}
