package setup

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"assay/internal/console/frame"
	"assay/internal/control"
	"assay/internal/sheet"
)

// securityView is the view of the audit log.
type securityView struct {
	frame.Place
	frame.PageLinks
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
		{"settings", "Workspace settings", []control.EventKind{control.WorkspaceMade, control.WorkspaceChanged, control.WorkspaceDeleted, control.TargetSet, control.TargetRemoved, control.CostSet, control.CostRemoved, control.BackupMade}},
		{"records", "Records", []control.EventKind{
			control.AnnotationAdded, control.AnnotationRemoved, control.ReportSaved, control.ReportRemoved, control.InsightDismissed,
			control.InsightRestored, control.CouponMapped,
		}},
		{"alerts", "Alerts", []control.EventKind{control.AlertCreated, control.AlertRemoved, control.DestinationAdded, control.DestinationRemoved}},
		{"mappings", "Mappings", []control.EventKind{control.MappingSaved, control.MappingRemoved}},
		{"connections", "Ad accounts", []control.EventKind{control.ConnectionAdded, control.ConnectionRemoved}},
		{"budgets", "Ad platform changes", []control.EventKind{control.BudgetChanged, control.GuardrailsChanged}},
		{"shares", "Share links", []control.EventKind{control.ShareMade, control.ShareRevoked}},
		{"data", "Webhooks and personal data", []control.EventKind{control.HookSecretAdded, control.HookSecretRemoved, control.PrivacyRequested, control.CustomerForgotten}},
	}
}

func (c *settingsPages) securityPage(w http.ResponseWriter, v frame.Visit) {
	view, f, ok := c.selectedEvents(w, v)
	if !ok {
		return
	}
	f.Before, f.Limit = control.EventID(v.URL.Query().Get("before")), frame.RowsShown+1
	err := c.fillSecurity(v, &view, f)
	if err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	view.Rows, view.PageLinks = frame.Paginate(v.URL, view.Rows, f.Before, func(r eventRow) control.EventID { return r.ID })
	c.Render(w, v.Request, http.StatusOK, frame.Page{Name: "security", Title: "Audit log", View: view, Visitor: &v.Visitor})
}

// eventsExported is the maximum number of events in a CSV export, newest first.
const eventsExported = 10_000

// securityExport sends the events of a group as CSV.
func (c *settingsPages) securityExport(w http.ResponseWriter, v frame.Visit) {
	view, f, ok := c.selectedEvents(w, v)
	if !ok {
		return
	}
	f.Limit = eventsExported
	if err := c.fillSecurity(v, &view, f); err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	rows := [][]string{{"at", "event", "actor", "subject", "detail"}}
	for _, r := range view.Rows {
		rows = append(rows, []string{r.At.UTC().Format(time.RFC3339), string(r.Kind), sheet.Text(r.Who), sheet.Text(r.Subject), sheet.Text(r.Detail)})
	}
	frame.WriteCSV(w, string(view.Workspace.ID)+"-audit-log.csv", rows)
}

// selectedEvents returns the view without rows and the filter of a request. If the visitor cannot view the audit log,
// it writes the error page and returns false.
func (c *settingsPages) selectedEvents(w http.ResponseWriter, v frame.Visit) (view securityView, f control.EventFilter, ok bool) {
	query := v.URL.Query()
	p, ok := c.PlaceOf(w, v, query.Get("workspace"))
	if !ok {
		return view, f, false
	}
	if !p.Manages() {
		c.Refuse(w, v.Request, http.StatusForbidden, "Only owners and admins of a workspace can view its audit log. Ask an owner or admin.")
		return view, f, false
	}
	view = securityView{Place: p, About: query.Get("about"), Groups: eventGroups()}
	// Earlier events belong to a deleted workspace with the same ID. They may concern other people.
	f = control.EventFilter{Workspace: p.Workspace.ID, Members: true, Since: p.Workspace.CreatedAt}
	for _, g := range view.Groups {
		if g.ID == view.About {
			f.Kinds = g.kinds
		}
	}
	return view, f, true
}

func (c *settingsPages) fillSecurity(v frame.Visit, view *securityView, f control.EventFilter) error {
	events, err := c.Store.Events(v.Context(), f)
	if err != nil {
		return err
	}
	names, err := c.NamesIn(v.Context(), view.Workspace.ID)
	if err != nil {
		return err
	}
	for _, e := range events {
		view.Rows = append(view.Rows, eventRow{Event: e, What: eventWords(e.Kind), Who: names.Actor(v.Context(), e.Actor), Subject: c.subject(v.Context(), names, e)})
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
		return "Backup created"
	case control.TargetSet:
		return "Target set"
	case control.TargetRemoved:
		return "Target removed"
	case control.CostSet:
		return "Cost set"
	case control.CostRemoved:
		return "Cost removed"
	case control.AlertCreated:
		return "Alert rule created"
	case control.AlertRemoved:
		return "Alert rule removed"
	case control.DestinationAdded:
		return "Alert destination added"
	case control.DestinationRemoved:
		return "Alert destination removed"
	case control.WeeklyChosen:
		return "Weekly summary started"
	case control.WeeklyStopped:
		return "Weekly summary stopped"
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
	case control.ShareMade:
		return "Share link created"
	case control.ShareRevoked:
		return "Share link revoked"
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

// subject returns the object of an event. It returns "" if the detail already contains the object.
func (c *settingsPages) subject(ctx context.Context, n *frame.Names, e control.Event) string {
	switch e.Kind {
	case control.KeyMade, control.KeyRotated, control.KeyRevoked:
		if name := n.Keys[control.KeyID(e.Subject)]; name != "" && strings.HasPrefix(e.Detail, name) {
			return ""
		}
		return n.Key(control.KeyID(e.Subject))
	case control.SignedIn, control.SignInRefused, control.SignedOut, control.PasswordChanged, control.UserMade, control.UserRemoved, control.RoleChanged:
		if e.Subject != "" && "user:"+e.Subject != e.Actor {
			return n.User(ctx, control.UserID(e.Subject))
		}
	case control.HookSecretAdded, control.HookSecretRemoved, control.PrivacyRequested, control.MappingSaved, control.MappingRemoved,
		control.TargetSet, control.TargetRemoved, control.ConnectionAdded, control.ConnectionRemoved, control.BudgetChanged,
		control.AnnotationAdded, control.AnnotationRemoved, control.ReportSaved, control.ReportRemoved, control.InsightDismissed,
		control.InsightRestored, control.CouponMapped, control.ShareMade, control.ShareRevoked:
		return e.Subject
	case control.ScopeRefused:
		if slices.Contains(c.tools, e.Subject) {
			return e.Subject
		}
	default: // the detail contains it
	}
	return ""
}
