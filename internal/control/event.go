package control

import (
	"time"

	"assay/internal/measure"
)

// By is the author and time of a change.
type By struct {
	Actor string    // "key:ID", "user:ID" or the command, such as "assay keys create"
	At    time.Time // stored to the microsecond
}

// EventID identifies an entry of the audit log.
type EventID string

// Event is one entry of the audit log. It is written in the transaction of its change and is never modified. Events
// remain when their workspace is deleted. They are removed after two years.
type Event struct {
	ID        EventID // increases with time; set by the store
	At        time.Time
	Workspace measure.WorkspaceID // "" for events of the whole installation
	Kind      EventKind
	Actor     string // who made the change
	Subject   string // ID of the key, workspace or other object that changed
	Detail    string // further information as text; never a secret
}

// EventKind is the type of an event.
type EventKind string

// The kinds of audit events.
const (
	WorkspaceMade    EventKind = "workspace_made"
	WorkspaceChanged EventKind = "workspace_changed"
	WorkspaceDeleted EventKind = "workspace_deleted"
	KeyMade          EventKind = "key_made"
	KeyRotated       EventKind = "key_rotated"
	KeyRevoked       EventKind = "key_revoked"

	CustomerForgotten EventKind = "customer_forgotten" // the subject is the keyed hash of the store's customer

	TargetSet     EventKind = "target_set" // set on a page; the subject is the target, the detail is its value
	TargetRemoved EventKind = "target_removed"

	BackupMade EventKind = "backup_made" // a command made a backup; the subject is the manifest
)

// EventFilter selects entries of the audit log. The zero value of every field but Limit selects all.
type EventFilter struct {
	Workspace measure.WorkspaceID // "": all workspaces and events of the installation
	Members   bool                // with a workspace: also events of its members outside the workspace, such as sign-ins
	Kinds     []EventKind
	Since     time.Time
	Before    EventID // selects earlier events only
	Limit     int
}

// EventKinds lists all kinds. Related kinds are adjacent.
func EventKinds() []EventKind {
	return []EventKind{
		SignedIn, SignInRefused, SignedOut, PasswordChanged,
		KeyMade, KeyRotated, KeyRevoked,
		GrantMade, GrantRefused, GrantRevoked, ScopeRefused,
		UserMade, UserInvited, InvitationWithdrawn, RoleChanged, UserRemoved,
		HookSecretAdded, HookSecretRemoved, PrivacyRequested,
		ShareMade, ShareRevoked,
		ConnectionAdded, ConnectionRemoved,
		MappingSaved, MappingRemoved,
		WorkspaceMade, WorkspaceChanged, WorkspaceDeleted,
		TargetSet, TargetRemoved, CostSet, CostRemoved,
		AnnotationAdded, AnnotationRemoved, ReportSaved, ReportRemoved, InsightDismissed, InsightRestored, CouponMapped,
		AlertCreated, AlertRemoved, DestinationAdded, DestinationRemoved,
		BudgetChanged, GuardrailsChanged,
		CustomerForgotten,
		BackupMade,
	}
}
