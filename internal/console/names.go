package console

import (
	"context"
	"slices"
	"strings"

	"assay/internal/control"
	"assay/internal/measure"
)

// names resolves the IDs in logs to names. An unknown ID is not changed.
type names struct {
	settings *settingsPages
	users    map[control.UserID]string
	keys     map[control.KeyID]string
}

// namesIn returns the names of users and of the keys of the workspace.
func (c *settingsPages) namesIn(ctx context.Context, ws measure.WorkspaceID) (*names, error) {
	keys, err := c.keys.List(ctx, ws)
	n := &names{settings: c, users: make(map[control.UserID]string), keys: make(map[control.KeyID]string)}
	for _, k := range keys {
		n.keys[k.ID] = k.Name
	}
	return n, err
}

// user returns the email address of a user.
func (n *names) user(ctx context.Context, id control.UserID) string {
	name, known := n.users[id]
	if !known {
		name = string(id)
		if u, err := n.settings.people.Find(ctx, string(id)); err == nil {
			name = u.Email
		}
		n.users[id] = name
	}
	return name
}

// actor returns the name of the actor of an event or call.
func (n *names) actor(ctx context.Context, actor string) string {
	kind, id, found := strings.Cut(actor, ":")
	switch {
	case found && kind == "user":
		return n.user(ctx, control.UserID(id))
	case found && kind == "key":
		return n.key(control.KeyID(id))
	}
	return actor
}

func (n *names) key(id control.KeyID) string {
	if name, known := n.keys[id]; known {
		return "key “" + name + "”"
	}
	return "key " + string(id)
}

// subject returns the object of an event, "" if the detail already contains it.
func (n *names) subject(ctx context.Context, e control.Event) string {
	switch e.Kind {
	case control.KeyMade, control.KeyRotated, control.KeyRevoked:
		if name := n.keys[control.KeyID(e.Subject)]; name != "" && strings.HasPrefix(e.Detail, name) {
			return ""
		}
		return n.key(control.KeyID(e.Subject))
	case control.SignedIn, control.SignInRefused, control.SignedOut, control.PasswordChanged, control.UserMade, control.UserRemoved, control.RoleChanged:
		if e.Subject != "" && "user:"+e.Subject != e.Actor {
			return n.user(ctx, control.UserID(e.Subject))
		}
	case control.HookSecretAdded, control.HookSecretRemoved, control.PrivacyRequested, control.MappingSaved, control.MappingRemoved,
		control.TargetSet, control.TargetRemoved, control.ConnectionAdded, control.ConnectionRemoved, control.BudgetChanged,
		control.AnnotationAdded, control.AnnotationRemoved, control.ReportSaved, control.ReportRemoved, control.InsightDismissed,
		control.InsightRestored, control.CouponMapped:
		return e.Subject
	case control.ScopeRefused:
		if slices.Contains(n.settings.tools, e.Subject) {
			return e.Subject
		}
	default: // the detail contains it
	}
	return ""
}
