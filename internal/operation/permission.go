package operation

import (
	"context"
	"slices"
	"time"

	"assay/internal/auth"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
)

// Permission is the level of access that an operation requires in its workspace.
type Permission int

// The permissions, from least to most.
const (
	Read    Permission = iota + 1
	Write              // import facts, plan experiments, set targets, train models
	Approve            // execute and approve changes on ad platforms
	Manage             // keys, members, settings, and irreversible changes
)

// Caller identifies who runs an operation. The zero value has no permission.
type Caller struct {
	Actor  string // name of the caller in the audit log
	kind   callerKind
	member control.UserID // ID of a person
	client auth.Principal // principal of a key or an OAuth client
	wait   time.Duration  // how long to wait for a busy workspace; 0: as long as the context allows
}

// callerKind is how a caller was authenticated.
type callerKind int

const (
	byOperator callerKind = iota + 1
	byMember
	byClient
	bySystem
)

// memberWait is how long a page waits for a busy workspace. A long import takes minutes, which is too long for a person
// to wait.
const memberWait = 5 * time.Second

// Operator returns the caller for a person who may run commands on the data directory. The parameter is the name of the
// command.
func Operator(command string) Caller { return Caller{Actor: command, kind: byOperator} }

// Member returns the caller for a person who uses a page.
func Member(id control.UserID) Caller {
	return Caller{Actor: control.ActorOf(id), kind: byMember, member: id, wait: memberWait}
}

// Waiting returns a copy of the caller. Calls by the copy wait for a busy workspace as long as the context allows.
func (c Caller) Waiting() Caller {
	c.wait = 0
	return c
}

// Client returns the caller for an API key or an OAuth client.
func Client(p auth.Principal) Caller { return Caller{Actor: p.Actor, kind: byClient, client: p} }

// Briefly returns a copy of the caller. Calls by the copy wait at most a few seconds for a busy workspace.
func (c Caller) Briefly() Caller {
	c.wait = memberWait
	return c
}

// System returns the caller for background work of the service. The name is the actor in the audit log.
func System(name string) Caller { return Caller{Actor: name, kind: bySystem} }

// way returns the origin of a change, for the list of imports.
func (c Caller) way() string {
	switch c.kind {
	case byMember:
		return "on a page"
	case byClient:
		return "by a call"
	case byOperator, bySystem:
	}
	return "by a command"
}

func (c Caller) operator() bool { return c.kind == byOperator }

// permit returns a fault of kind forbidden unless the caller has the permission now. It bypasses caches.
func (s *Service) permit(ctx context.Context, c Caller, ws measure.WorkspaceID, needs Permission) error {
	switch c.kind {
	case byOperator, bySystem:
		return nil
	case byMember:
		return s.permitMember(ctx, c.member, ws, needs)
	case byClient:
		return s.permitClient(ctx, c.client, ws, needs)
	}
	return fault.Forbidden("the caller is unknown: nothing was changed")
}

func (s *Service) permitMember(ctx context.Context, id control.UserID, ws measure.WorkspaceID, needs Permission) error {
	all, err := s.Store.Memberships(ctx, id)
	if err != nil {
		return err
	}
	may := slices.ContainsFunc(all, func(m control.Membership) bool {
		return m.Workspace.ID == ws && (needs == Read || needs == Write && m.Role.Writes() || needs == Manage && m.Role.Manages() ||
			needs == Approve && len(m.Role.Within([]control.Scope{control.ScopeApprove})) > 0)
	})
	if !may {
		return fault.Forbidden("your role in the workspace does not allow this: nothing was changed").
			WithHint("ask an owner or admin of the workspace")
	}
	return nil
}

func (s *Service) permitClient(ctx context.Context, p auth.Principal, ws measure.WorkspaceID, needs Permission) error {
	current, err := auth.NewAuthority(s.Store, s.Now).Renew(ctx, p)
	if err != nil {
		return err
	}
	scope, grantable := map[Permission]control.Scope{
		Read: control.ScopeRead, Write: control.ScopeWrite, Approve: control.ScopeApprove,
	}[needs]
	if !grantable {
		return fault.Forbidden("API keys and OAuth clients cannot do this: nothing was changed").WithHint("use the console or a command")
	}
	if p.Workspace.ID != ws || !current.Has(scope) {
		return fault.Forbidden("the credential expired or lacks the scope %s: nothing more was changed", scope)
	}
	return nil
}
