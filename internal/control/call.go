package control

import (
	"context"
	"time"

	"assay/internal/measure"
)

// Call is one tools/call as the call log keeps it.
type Call struct {
	ID         string // rises with time; made by the store
	At         time.Time
	Workspace  measure.WorkspaceID
	Tool       string
	Status     CallStatus
	Took       time.Duration // to the microsecond
	Bytes      int           // of the answer
	Actor      string        // "key:ID" or "user:ID"
	Client     ClientID      // the program that acted for a person; "" for a key
	ClientName string
	Arguments  string // as they came, cut to a length; "" unless the workspace keeps them
	Missing    Scope  // which the caller lacked; not kept, see [ScopeRefused]
}

// CallStatus is how a call ended.
type CallStatus string

// The statuses of calls.
const (
	CallOK      CallStatus = "ok"
	CallError   CallStatus = "error"   // the tool could not answer, or what it was asked cannot be meant
	CallRefused CallStatus = "refused" // the caller may not do this
)

// CallStatuses lists all statuses.
func CallStatuses() []CallStatus { return []CallStatus{CallOK, CallError, CallRefused} }

// CallFilter selects calls of one workspace. The zero value of every other field selects all.
type CallFilter struct {
	Workspace measure.WorkspaceID
	Tool      string
	Actor     string
	Client    ClientID
	Status    CallStatus
	Before    string // id of a call; only earlier ones
	Limit     int
}

// CallLog keeps which tools were called. What it holds is bounded: it is for looking back some weeks, and no audit
// trail.
type CallLog interface {
	// AppendCalls keeps calls in the order given. Those of a workspace that has ended are passed over.
	AppendCalls(ctx context.Context, calls []Call) error
	// Calls returns the selected calls, newest first.
	Calls(ctx context.Context, f CallFilter) ([]Call, error)
	// PruneCalls removes what is from before the instant, and all but the latest rows of each workspace.
	PruneCalls(ctx context.Context, before time.Time, rows int) error
}
