package console

import (
	"net/http"
	"net/url"
	"time"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/operation"
)

// peopleView is what the page of a workspace's people shows.
type peopleView struct {
	place
	Members     []memberRow
	Invitations []invitationRow
	Roles       []control.Role // that the visitor may give
	Email       string         // of the form, after a mistake
	Problem     string
	Link        string // of an invitation that was just made; shown once
	LinkFor     string
	LinkEnds    time.Time
}

type memberRow struct {
	control.Membership
	Email string
	You   bool
	Roles []control.Role // that the visitor may give them; none: they stay what they are
	Ends  bool           // the visitor may take them out
}

type invitationRow struct {
	control.Invitation
	Giver string
}

func (c *Console) peoplePage(w http.ResponseWriter, v visit) {
	if p, ok := c.placeOf(w, v, v.URL.Query().Get("workspace")); ok {
		c.showPeople(w, v, http.StatusOK, peopleView{place: p})
	}
}

func (c *Console) showPeople(w http.ResponseWriter, v visit, status int, view peopleView) {
	members, err := c.people.Members(v.Context(), view.Workspace.ID)
	if err != nil {
		c.fail(w, v.Request, err)
		return
	}
	names, err := c.namesIn(v.Context(), view.Workspace.ID)
	if err != nil {
		c.fail(w, v.Request, err)
		return
	}
	view.Roles = givable(view.Role)
	for _, m := range members {
		row := memberRow{Membership: m, Email: names.user(v.Context(), m.User), You: m.User == v.visitor.User.ID}
		if view.Role.MayGive(m.Role) {
			row.Roles, row.Ends = view.Roles, true
		}
		view.Members = append(view.Members, row)
	}
	if view.Manages() {
		open, err := c.people.Invitations(v.Context(), view.Workspace.ID)
		if err != nil {
			c.fail(w, v.Request, err)
			return
		}
		for _, n := range open {
			view.Invitations = append(view.Invitations, invitationRow{Invitation: n, Giver: names.user(v.Context(), n.By)})
		}
	}
	c.render(w, v.Request, status, page{name: "people", title: "People", view: view, visitor: &v.visitor})
}

// givable returns the roles that somebody of the role may give.
func givable(r control.Role) []control.Role {
	var all []control.Role
	for _, role := range control.Roles() {
		if r.MayGive(role) {
			all = append(all, role)
		}
	}
	return all
}

// changePeople invites somebody, withdraws an invitation, changes a role or takes somebody out. What the visitor may
// do is decided in [people.People].
func (c *Console) changePeople(w http.ResponseWriter, v visit) {
	p, ok := c.placeOf(w, v, v.PostForm.Get("workspace"))
	if !ok {
		return
	}
	form, call, view := v.PostForm, v.calls(p.Workspace.ID), peopleView{place: p}
	them := control.UserID(form.Get("user"))
	var err error
	switch form.Get("action") {
	case "invite":
		view.Email = form.Get("email")
		err = c.invite(v, &view, control.Role(form.Get("role")))
	case "withdraw":
		_, err = operation.WithdrawInvitation.Do(v.Context(), c.operations, call, form.Get("id"))
	case "role":
		_, err = operation.ChangeRole.Do(v.Context(), c.operations, call, operation.NewRole{User: them, Role: control.Role(form.Get("role"))})
	case "remove":
		_, err = operation.RemoveMember.Do(v.Context(), c.operations, call, them)
	default:
		err = fault.Invalid("this form asks for nothing that is known")
	}
	_, _, public := fault.Public(err)
	switch {
	case err == nil && view.Link != "":
		c.showPeople(w, v, http.StatusOK, view)
	case err == nil && them == v.visitor.User.ID && form.Get("action") == "remove":
		see(w, "/")
	case err == nil:
		see(w, peoplePath+"?"+url.Values{"workspace": {string(p.Workspace.ID)}}.Encode())
	case fault.KindOf(err) == fault.KindForbidden:
		c.fail(w, v.Request, err)
	case public:
		view.Problem = told(err)
		c.showPeople(w, v, http.StatusUnprocessableEntity, view)
	default:
		c.fail(w, v.Request, err)
	}
}

func (c *Console) invite(v visit, view *peopleView, role control.Role) error {
	made, err := operation.Invite.Do(v.Context(), c.operations, v.calls(view.Workspace.ID), operation.Invitee{Email: view.Email, Role: role})
	if err != nil {
		return err
	}
	view.Link = c.baseURL + setUpPath + string(made.Link)
	view.LinkFor, view.LinkEnds, view.Email = made.Invitation.Email, made.Invitation.ExpiresAt, ""
	return nil
}
