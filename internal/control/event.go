package control

import (
	"time"

	"assay/internal/measure"
)

// By says who changes something, and when.
type By struct {
	Actor string    // "key:ID", "user:ID" or the command, such as "assay keys create"
	At    time.Time // kept to the microsecond
}

// Event is one line of the security log. Lines are added in the same step as the change they tell of, and are
// never changed; they outlive their workspace, and are removed when they are two years old.
type Event struct {
	ID        string // rises with time; made by the store
	At        time.Time
	Workspace measure.WorkspaceID // "" for what concerns the whole installation
	Kind      EventKind
	Actor     string // who did it
	Subject   string // id of the key or workspace it was done to
	Detail    string // what a reader needs besides, in words; never a secret
}

// EventKind is what happened.
type EventKind string

// The kinds of security events.
const (
	WorkspaceMade    EventKind = "workspace_made"
	WorkspaceChanged EventKind = "workspace_changed"
	WorkspaceDeleted EventKind = "workspace_deleted"
	KeyMade          EventKind = "key_made"
	KeyRotated       EventKind = "key_rotated"
	KeyRevoked       EventKind = "key_revoked"

	CustomerForgotten EventKind = "customer_forgotten" // a customer of the store; the subject is the keyed hash

	TargetSet     EventKind = "target_set" // on a page; the subject says which goal it is, the detail its value
	TargetRemoved EventKind = "target_removed"
)

// EventFilter selects lines of the security log. The zero value of every field but Limit selects all.
type EventFilter struct {
	Workspace measure.WorkspaceID // "": all, and what concerns the whole installation
	Members   bool                // with a workspace: also what its members did elsewhere, such as signing in
	Kinds     []EventKind
	Since     time.Time
	Before    string // id of a line; only earlier ones
	Limit     int
}

// EventKinds lists all kinds, related ones together.
func EventKinds() []EventKind {
	return []EventKind{
		SignedIn, SignInRefused, SignedOut, PasswordChanged,
		KeyMade, KeyRotated, KeyRevoked,
		GrantMade, GrantRefused, GrantRevoked, ScopeRefused,
		UserMade, UserInvited, InvitationWithdrawn, RoleChanged, UserRemoved,
		HookSecretAdded, HookSecretRemoved, PrivacyRequested,
		MappingSaved, MappingRemoved,
		WorkspaceMade, WorkspaceChanged, WorkspaceDeleted,
		TargetSet, TargetRemoved,
		CustomerForgotten,
	}
}
