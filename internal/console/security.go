package console

import (
	"net/http"

	"assay/internal/control"
)

// securityView is what the page of the security log shows.
type securityView struct {
	place
	leaf
	Rows   []eventRow
	About  string // the group that the list is narrowed to
	Groups []eventGroup
}

type eventRow struct {
	control.Event
	What    string
	Who     string
	Subject string
}

// eventGroup is a set of kinds that a visitor looks for together.
type eventGroup struct {
	ID, Name string
	kinds    []control.EventKind
}

func eventGroups() []eventGroup {
	return []eventGroup{
		{"sign-in", "Signing in", []control.EventKind{control.SignedIn, control.SignInRefused, control.SignedOut, control.PasswordChanged}},
		{"refused", "What was refused", []control.EventKind{control.SignInRefused, control.ScopeRefused, control.GrantRefused}},
		{"keys", "Keys", []control.EventKind{control.KeyMade, control.KeyRotated, control.KeyRevoked}},
		{"programs", "Programs", []control.EventKind{control.GrantMade, control.GrantRefused, control.GrantRevoked, control.ScopeRefused}},
		{"people", "People and roles", []control.EventKind{control.UserMade, control.UserInvited, control.InvitationWithdrawn, control.RoleChanged, control.UserRemoved}},
		{"settings", "The workspace", []control.EventKind{control.WorkspaceMade, control.WorkspaceChanged, control.WorkspaceDeleted, control.TargetSet, control.TargetRemoved}},
		{"mappings", "Mappings", []control.EventKind{control.MappingSaved, control.MappingRemoved}},
		{"data", "Webhooks and personal data", []control.EventKind{control.HookSecretAdded, control.HookSecretRemoved, control.PrivacyRequested, control.CustomerForgotten}},
	}
}

func (c *Console) securityPage(w http.ResponseWriter, v visit) {
	query := v.URL.Query()
	p, ok := c.placeOf(w, v, query.Get("workspace"))
	if !ok {
		return
	}
	if !p.Manages() {
		c.Refuse(w, v.Request, http.StatusForbidden, "Only owners and admins of a workspace see its security log.")
		return
	}
	view := securityView{place: p, About: query.Get("about"), Groups: eventGroups()}
	f := control.EventFilter{Workspace: p.Workspace.ID, Members: true, Before: query.Get("before"), Limit: rowsShown + 1}
	for _, g := range view.Groups {
		if g.ID == view.About {
			f.Kinds = g.kinds
		}
	}
	if err := c.fillSecurity(v, &view, f); err != nil {
		c.fail(w, v.Request, err)
		return
	}
	c.render(w, v.Request, http.StatusOK, page{name: "security", title: "Security log", view: view, visitor: &v.visitor, wide: true})
}

func (c *Console) fillSecurity(v visit, view *securityView, f control.EventFilter) error {
	events, err := c.store.Events(v.Context(), f)
	if err != nil {
		return err
	}
	names, err := c.namesIn(v.Context(), view.Workspace.ID)
	if err != nil {
		return err
	}
	events, view.leaf = leafOf(v.URL, events, f.Before, func(e control.Event) string { return e.ID })
	for _, e := range events {
		view.Rows = append(view.Rows, eventRow{Event: e, What: eventWords(e.Kind), Who: names.actor(v.Context(), e.Actor), Subject: names.subject(v.Context(), e)})
	}
	return nil
}

// eventWords says what happened.
func eventWords(kind control.EventKind) string {
	switch kind {
	case control.WorkspaceMade:
		return "Workspace made"
	case control.WorkspaceChanged:
		return "Settings changed"
	case control.WorkspaceDeleted:
		return "Workspace deleted"
	case control.CustomerForgotten:
		return "Customer forgotten"
	case control.TargetSet:
		return "Target set"
	case control.TargetRemoved:
		return "Target removed"
	case control.KeyMade:
		return "Key made"
	case control.KeyRotated:
		return "Key rotated"
	case control.KeyRevoked:
		return "Key revoked"
	case control.GrantMade:
		return "Program connected"
	case control.GrantRefused:
		return "Program denied"
	case control.GrantRevoked:
		return "Program disconnected"
	case control.ScopeRefused:
		return "Call refused"
	case control.UserMade:
		return "Account made"
	case control.UserRemoved:
		return "Account removed"
	case control.UserInvited:
		return "Person invited"
	case control.InvitationWithdrawn:
		return "Invitation withdrawn"
	case control.RoleChanged:
		return "Role changed"
	case control.PasswordChanged:
		return "Password changed"
	case control.HookSecretAdded:
		return "Webhook secret added"
	case control.HookSecretRemoved:
		return "Webhook secret removed"
	case control.MappingSaved:
		return "Mapping saved"
	case control.MappingRemoved:
		return "Mapping removed"
	case control.PrivacyRequested:
		return "Privacy request"
	case control.SignedIn:
		return "Signed in"
	case control.SignInRefused:
		return "Sign-in refused"
	case control.SignedOut:
		return "Signed out"
	}
	return string(kind)
}
