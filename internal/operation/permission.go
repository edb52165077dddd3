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

// Permission is what an operation needs in its workspace.
type Permission int

// The permissions, from least to most.
const (
	Read   Permission = iota + 1
	Write             // import facts, plan experiments, set targets, train models
	Manage            // keys, members, settings, and what cannot be undone
)

// Caller is who runs an operation.
type Caller struct {
	Actor  string          // as the audit log names the caller
	member control.UserID  // of a person
	client *auth.Principal // of a key or an OAuth client
	system bool            // work of the service itself
	wait   time.Duration   // how long to wait for a busy workspace; 0: as long as the context allows
}

// memberWait is how long a page waits for a busy workspace: somebody looks at it, and an import of years takes minutes.
const memberWait = 5 * time.Second

// Operator is whoever may run commands on the data directory. The command's name is the actor.
func Operator(command string) Caller { return Caller{Actor: command} }

// Member is a person who uses a page.
func Member(id control.UserID) Caller {
	return Caller{Actor: control.ActorOf(id), member: id, wait: memberWait}
}

// Waiting returns the caller, who then waits for a busy workspace as long as the context allows.
func (c Caller) Waiting() Caller {
	c.wait = 0
	return c
}

// Client is an API key or an OAuth client.
func Client(p auth.Principal) Caller { return Caller{Actor: p.Actor, client: &p} }

// System is the service itself, for work that was asked for earlier. The audit log gets the name.
func System(name string) Caller { return Caller{Actor: name, system: true} }

// way says for the list of imports how a change was made.
func (c Caller) way() string {
	switch {
	case c.member != "":
		return "on a page"
	case c.client != nil:
		return "by a call"
	}
	return "by a command"
}

func (c Caller) operator() bool { return c.member == "" && c.client == nil && !c.system }

// permit returns a fault of kind forbidden unless the caller has the permission now, past everything that is cached.
func (s *Service) permit(ctx context.Context, c Caller, ws measure.WorkspaceID, needs Permission) error {
	switch {
	case c.member != "":
		return s.permitMember(ctx, c.member, ws, needs)
	case c.client != nil:
		return s.permitClient(ctx, *c.client, ws, needs)
	}
	return nil
}

func (s *Service) permitMember(ctx context.Context, id control.UserID, ws measure.WorkspaceID, needs Permission) error {
	all, err := s.Store.Memberships(ctx, id)
	if err != nil {
		return err
	}
	may := slices.ContainsFunc(all, func(m control.Membership) bool {
		return m.Workspace.ID == ws && (needs == Read || needs == Write && m.Role.Writes() || needs == Manage && m.Role.Manages())
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
	scope, grantable := map[Permission]control.Scope{Read: control.ScopeRead, Write: control.ScopeWrite}[needs]
	if !grantable || p.Workspace.ID != ws || !current.Has(scope) {
		return fault.Forbidden("the credential expired or lacks the scope %s: nothing more was changed", scope)
	}
	return nil
}
