package frame

import (
	"context"
	"strings"

	"assay/internal/control"
	"assay/internal/measure"
	"assay/internal/oauth/people"
)

// Names resolves the IDs in logs to names. An unknown ID is not changed.
type Names struct {
	people *people.People
	users  map[control.UserID]string
	Keys   map[control.KeyID]string
}

// NamesIn returns the names of users and of the keys of the workspace.
func (c *Frame) NamesIn(ctx context.Context, ws measure.WorkspaceID) (*Names, error) {
	keys, err := c.Keys.List(ctx, ws)
	n := &Names{people: c.People, users: make(map[control.UserID]string), Keys: make(map[control.KeyID]string)}
	for _, k := range keys {
		n.Keys[k.ID] = k.Name
	}
	return n, err
}

// User returns the email address of a user.
func (n *Names) User(ctx context.Context, id control.UserID) string {
	name, known := n.users[id]
	if !known {
		name = string(id)
		if u, err := n.people.Find(ctx, string(id)); err == nil {
			name = u.Email
		}
		n.users[id] = name
	}
	return name
}

// Actor returns the name of the actor of an event or call.
func (n *Names) Actor(ctx context.Context, actor string) string {
	kind, id, found := strings.Cut(actor, ":")
	switch {
	case found && kind == "user":
		return n.User(ctx, control.UserID(id))
	case found && kind == "key":
		return n.Key(control.KeyID(id))
	}
	return actor
}

// Key returns the name of a key.
func (n *Names) Key(id control.KeyID) string {
	if name, known := n.Keys[id]; known {
		return "key “" + name + "”"
	}
	return "key " + string(id)
}
