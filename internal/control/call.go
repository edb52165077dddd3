package control

import (
	"context"
	"time"

	"assay/internal/measure"
)

// CallID identifies a call of the call log.
type CallID string

// Call is one tools/call in the call log.
type Call struct {
	ID         CallID // increases with time; set by the store
	At         time.Time
	Workspace  measure.WorkspaceID
	Tool       string
	Status     CallStatus
	Took       time.Duration // duration, to the microsecond
	Bytes      int           // size of the answer
	Actor      string        // "key:ID" or "user:ID"
	Client     ClientID      // the OAuth client that acted for a person; "" for a key
	ClientName string
	Arguments  string // as received, cut to a maximum length; "" unless the workspace logs them
	Missing    Scope  // the scope that the caller lacked; not stored, see [ScopeRefused]
}

// CallStatus is the outcome of a call.
type CallStatus string

// The statuses of calls.
const (
	CallOK      CallStatus = "ok"
	CallError   CallStatus = "error"   // the tool failed, or an argument was invalid
	CallRefused CallStatus = "refused" // the caller lacks the permission
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
	Before    CallID // selects earlier calls only
	Limit     int
}

// CallLog stores tool calls. Its size is bounded, so it covers only a few weeks.
type CallLog interface {
	// AppendCalls stores calls in the order given. It skips calls of a deleted workspace.
	AppendCalls(ctx context.Context, calls []Call) error
	// Calls returns the selected calls, newest first.
	Calls(ctx context.Context, f CallFilter) ([]Call, error)
	// PruneCalls removes calls older than the given instant. For each workspace, it keeps at most the given number of most
	// recent rows.
	PruneCalls(ctx context.Context, before time.Time, rows int) error
}
