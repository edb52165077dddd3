package setup

import (
	"net/http"
	"net/url"
	"time"

	"assay/internal/console/frame"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/operation"
)

// peopleView is the view of the members of a workspace.
type peopleView struct {
	frame.Place
	frame.Messages
	Heading, Lead string
	Members       []memberRow
	Invitations   []invitationRow
	Roles         []control.Role // roles that the visitor can assign
	Email         string         // email address in the form, after an error
	Link          string         // address of a new invitation; shown once
	LinkFor       string
	LinkEnds      time.Time
}

type memberRow struct {
	control.Membership
	Email string
	You   bool
	Roles []control.Role // roles that the visitor can assign to the member
	Ends  bool           // the visitor can remove the member
}

type invitationRow struct {
	control.Invitation
	Giver string
}

func (c *settingsPages) peoplePage(w http.ResponseWriter, v frame.Visit) {
	if p, ok := c.PlaceOf(w, v, v.URL.Query().Get("workspace")); ok {
		c.showPeople(w, v, http.StatusOK, peopleView{Place: p})
	}
}

func (c *settingsPages) showPeople(w http.ResponseWriter, v frame.Visit, status int, view peopleView) {
	members, err := c.People.Members(v.Context(), view.Workspace.ID)
	if err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	names, err := c.NamesIn(v.Context(), view.Workspace.ID)
	if err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	view.Roles = assignableRoles(view.Role)
	for _, m := range members {
		row := memberRow{Membership: m, Email: names.User(v.Context(), m.User), You: m.User == v.Visitor.User.ID}
		if view.Role.MayGive(m.Role) {
			row.Roles, row.Ends = view.Roles, true
		}
		view.Members = append(view.Members, row)
	}
	if view.Manages() {
		open, err := c.People.Invitations(v.Context(), view.Workspace.ID)
		if err != nil {
			c.Fail(w, v.Request, err)
			return
		}
		for _, n := range open {
			view.Invitations = append(view.Invitations, invitationRow{Invitation: n, Giver: names.User(v.Context(), n.By)})
		}
	}
	view.Heading, view.Lead = frame.Plural(len(view.Members), "member")+".", "A role applies to this workspace only."
	if n := len(view.Invitations); n > 0 {
		view.Lead = frame.Plural(n, "open invitation") + ". " + view.Lead
	}
	c.Render(w, v.Request, status, frame.Page{Name: "people", Title: "Members", View: view, Visitor: &v.Visitor})
}

// assignableRoles returns the roles that a member with the role can assign.
func assignableRoles(r control.Role) []control.Role {
	var all []control.Role
	for _, role := range control.Roles() {
		if r.MayGive(role) {
			all = append(all, role)
		}
	}
	return all
}

// changePeople invites a member, withdraws an invitation, changes a role or removes a member. [people.People] checks
// the permissions.
func (c *settingsPages) changePeople(w http.ResponseWriter, v frame.Visit) {
	p, ok := c.PlaceOf(w, v, v.PostForm.Get("workspace"))
	if !ok {
		return
	}
	form, call, view := v.PostForm, v.Calls(p.Workspace.ID), peopleView{Place: p}
	member := control.UserID(form.Get("user"))
	var err error
	switch form.Get("action") {
	case "invite":
		view.Email = form.Get("email")
		err = c.invite(v, &view, control.Role(form.Get("role")))
	case "withdraw":
		_, err = operation.WithdrawInvitation.Do(v.Context(), c.Operations, call, control.InvitationID(form.Get("id")))
	case "role":
		_, err = operation.ChangeRole.Do(v.Context(), c.Operations, call, operation.NewRole{User: member, Role: control.Role(form.Get("role"))})
	case "remove":
		_, err = operation.RemoveMember.Do(v.Context(), c.Operations, call, member)
	default:
		err = frame.ErrUnknownAction
	}
	_, _, public := fault.Public(err)
	switch {
	case err == nil && view.Link != "":
		c.showPeople(w, v, http.StatusOK, view)
	case err == nil && member == v.Visitor.User.ID && form.Get("action") == "remove":
		frame.See(w, "/")
	case err == nil:
		frame.See(w, peoplePath+"?"+url.Values{"workspace": {string(p.Workspace.ID)}}.Encode())
	case fault.KindOf(err) == fault.KindForbidden:
		c.Fail(w, v.Request, err)
	case public:
		view.Problem = frame.PublicText(err)
		c.showPeople(w, v, http.StatusUnprocessableEntity, view)
	default:
		c.Fail(w, v.Request, err)
	}
}

func (c *settingsPages) invite(v frame.Visit, view *peopleView, role control.Role) error {
	made, err := operation.Invite.Do(v.Context(), c.Operations, v.Calls(view.Workspace.ID), operation.Invitee{Email: view.Email, Role: role})
	if err != nil {
		return err
	}
	view.Link = c.BaseURL + frame.SetUpPath + string(made.Link)
	view.LinkFor, view.LinkEnds, view.Email = made.Invitation.Email, made.Invitation.ExpiresAt, ""
	return nil
}
