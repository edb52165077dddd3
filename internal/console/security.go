package console

import (
	"net/http"

	"assay/internal/control"
)

// securityView is the view of the audit log.
type securityView struct {
	place
	pageLinks
	Rows   []eventRow
	About  string // ID of the selected group
	Groups []eventGroup
}

type eventRow struct {
	control.Event
	What    string
	Who     string
	Subject string
}

// eventGroup is a filter: a named set of event kinds.
type eventGroup struct {
	ID, Name string
	kinds    []control.EventKind
}

func eventGroups() []eventGroup {
	return []eventGroup{
		{"sign-in", "Sign-ins", []control.EventKind{control.SignedIn, control.SignInRefused, control.SignedOut, control.PasswordChanged}},
		{"refused", "Denied requests", []control.EventKind{control.SignInRefused, control.ScopeRefused, control.GrantRefused}},
		{"keys", "API keys", []control.EventKind{control.KeyMade, control.KeyRotated, control.KeyRevoked}},
		{"programs", "Connected apps", []control.EventKind{control.GrantMade, control.GrantRefused, control.GrantRevoked, control.ScopeRefused}},
		{"people", "Members and roles", []control.EventKind{control.UserMade, control.UserInvited, control.InvitationWithdrawn, control.RoleChanged, control.UserRemoved}},
		{"settings", "Workspace settings", []control.EventKind{control.WorkspaceMade, control.WorkspaceChanged, control.WorkspaceDeleted, control.TargetSet, control.TargetRemoved, control.BackupMade}},
		{"records", "Records", []control.EventKind{
			control.AnnotationAdded, control.AnnotationRemoved, control.ReportSaved, control.ReportRemoved, control.InsightDismissed,
			control.InsightRestored, control.CouponMapped,
		}},
		{"alerts", "Alerts", []control.EventKind{control.AlertCreated, control.AlertRemoved, control.DestinationAdded, control.DestinationRemoved}},
		{"mappings", "Mappings", []control.EventKind{control.MappingSaved, control.MappingRemoved}},
		{"connections", "Ad accounts", []control.EventKind{control.ConnectionAdded, control.ConnectionRemoved}},
		{"budgets", "Ad platform changes", []control.EventKind{control.BudgetChanged, control.GuardrailsChanged}},
		{"data", "Webhooks and personal data", []control.EventKind{control.HookSecretAdded, control.HookSecretRemoved, control.PrivacyRequested, control.CustomerForgotten}},
	}
}

func (c *settingsPages) securityPage(w http.ResponseWriter, v visit) {
	query := v.URL.Query()
	p, ok := c.placeOf(w, v, query.Get("workspace"))
	if !ok {
		return
	}
	if !p.Manages() {
		c.Refuse(w, v.Request, http.StatusForbidden, "Only owners and admins of a workspace can view its audit log.")
		return
	}
	view := securityView{place: p, About: query.Get("about"), Groups: eventGroups()}
	f := control.EventFilter{Workspace: p.Workspace.ID, Members: true, Before: control.EventID(query.Get("before")), Limit: rowsShown + 1}
	for _, g := range view.Groups {
		if g.ID == view.About {
			f.Kinds = g.kinds
		}
	}
	if err := c.fillSecurity(v, &view, f); err != nil {
		c.fail(w, v.Request, err)
		return
	}
	c.render(w, v.Request, http.StatusOK, page{name: "security", title: "Audit log", view: view, visitor: &v.visitor, wide: true})
}

func (c *settingsPages) fillSecurity(v visit, view *securityView, f control.EventFilter) error {
	events, err := c.store.Events(v.Context(), f)
	if err != nil {
		return err
	}
	names, err := c.namesIn(v.Context(), view.Workspace.ID)
	if err != nil {
		return err
	}
	events, view.pageLinks = paginate(v.URL, events, f.Before, func(e control.Event) control.EventID { return e.ID })
	for _, e := range events {
		view.Rows = append(view.Rows, eventRow{Event: e, What: eventWords(e.Kind), Who: names.actor(v.Context(), e.Actor), Subject: names.subject(v.Context(), e)})
	}
	return nil
}

// eventWords describes an event.
func eventWords(kind control.EventKind) string {
	switch kind {
	case control.WorkspaceMade:
		return "Workspace created"
	case control.WorkspaceChanged:
		return "Settings changed"
	case control.WorkspaceDeleted:
		return "Workspace deleted"
	case control.CustomerForgotten:
		return "Customer forgotten"
	case control.BackupMade:
		return "Backup made"
	case control.TargetSet:
		return "Target set"
	case control.TargetRemoved:
		return "Target removed"
	case control.AlertCreated:
		return "Alert rule created"
	case control.AlertRemoved:
		return "Alert rule removed"
	case control.DestinationAdded:
		return "Alert destination added"
	case control.DestinationRemoved:
		return "Alert destination removed"
	case control.KeyMade:
		return "Key created"
	case control.KeyRotated:
		return "Key rotated"
	case control.KeyRevoked:
		return "Key revoked"
	case control.GrantMade:
		return "App connected"
	case control.GrantRefused:
		return "App denied"
	case control.GrantRevoked:
		return "App disconnected"
	case control.ScopeRefused:
		return "Call denied"
	case control.UserMade:
		return "Account created"
	case control.UserRemoved:
		return "Account removed"
	case control.UserInvited:
		return "Member invited"
	case control.InvitationWithdrawn:
		return "Invitation withdrawn"
	case control.RoleChanged:
		return "Role changed"
	case control.PasswordChanged:
		return "Password changed"
	case control.HookSecretAdded:
		return "Webhook secret added"
	case control.ConnectionAdded:
		return "Ad account connected"
	case control.ConnectionRemoved:
		return "Ad account disconnected"
	case control.HookSecretRemoved:
		return "Webhook secret removed"
	case control.MappingSaved:
		return "Mapping saved"
	case control.MappingRemoved:
		return "Mapping removed"
	case control.AnnotationAdded:
		return "Annotation added"
	case control.AnnotationRemoved:
		return "Annotation removed"
	case control.ReportSaved:
		return "Report saved"
	case control.ReportRemoved:
		return "Report removed"
	case control.InsightDismissed:
		return "Insight dismissed"
	case control.InsightRestored:
		return "Insight restored"
	case control.CouponMapped:
		return "Coupon mapped"
	case control.BudgetChanged:
		return "Ad platform change"
	case control.GuardrailsChanged:
		return "Guardrails changed"
	case control.PrivacyRequested:
		return "Privacy request"
	case control.SignedIn:
		return "Signed in"
	case control.SignInRefused:
		return "Sign-in failed"
	case control.SignedOut:
		return "Signed out"
	}
	return string(kind)
}
