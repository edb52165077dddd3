package console

import (
	"net/http"

	"assay/internal/console/frame"
	"assay/internal/console/frame/cookie"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/oauth/people"
)

// setUpForm is the purpose of the CSRF token of the invitation form.
const setUpForm = "set-up"

// setUpView is the view of an invitation.
type setUpView struct {
	people.Invitation
	Workspace control.Workspace
	Path      string // path of this page
	Token     string
	Visitor   string // email address of the signed-in user, "" if none
	Problem   string
}

// linkGone is the message for invalid invitation links.
const linkGone = "This invitation link is invalid: it was used or withdrawn, or it has expired. Ask an owner or admin for a new invitation."

func (c *accountPages) setUpPage(w http.ResponseWriter, r *http.Request) {
	c.showSetUp(w, r, http.StatusOK, "")
}

func (c *accountPages) showSetUp(w http.ResponseWriter, r *http.Request, status int, problem string) {
	link := people.Secret(r.PathValue("link"))
	n, err := c.People.Invitation(r.Context(), link)
	var ws control.Workspace
	if err == nil {
		ws, err = c.Store.Workspace(r.Context(), n.Workspace)
	}
	if fault.KindOf(err) == fault.KindNotFound {
		c.Refuse(w, r, http.StatusNotFound, linkGone)
		return
	}
	if err != nil {
		c.Fail(w, r, err)
		return
	}
	view := setUpView{Invitation: n, Workspace: ws, Path: frame.SetUpPath + string(link), Token: c.visitToken(w, r, setUpForm), Problem: problem}
	p := frame.Page{Name: "setup", Title: "Join " + ws.Name}
	if visitor, err := c.Visitor(r); err == nil {
		p.Visitor, view.Visitor = &visitor, visitor.User.Email
	}
	p.View = view
	c.Render(w, r, status, p)
}

// setUp accepts an invitation. It creates an account, or adds the existing account to the workspace.
func (c *accountPages) setUp(w http.ResponseWriter, r *http.Request) {
	if !c.ReadForm(w, r) {
		return
	}
	if !c.Cookies.Read(r, cookie.Visit).AcceptsForm(setUpForm, r.PostForm.Get("csrf")) {
		c.Refuse(w, r, http.StatusForbidden, frame.ForeignForm)
		return
	}
	link := people.Secret(r.PathValue("link"))
	visitor, err := c.Visitor(r)
	if err == nil {
		err = c.People.Accept(r.Context(), link, visitor)
	} else if fault.KindOf(err) == fault.KindUnauthenticated {
		var session people.Secret
		if session, err = c.People.SetUp(r.Context(), link, r.PostForm.Get("password"), c.origin(r)); err == nil {
			c.Cookies.Set(w, cookie.Session, session, cookie.SessionAge)
			c.Cookies.Clear(w, cookie.Visit)
		}
	}
	if err == nil {
		frame.See(w, "/")
		return
	}
	switch fault.KindOf(err) {
	case fault.KindInvalid:
		c.showSetUp(w, r, http.StatusUnprocessableEntity, frame.PublicText(err))
	case fault.KindForbidden:
		c.Refuse(w, r, http.StatusForbidden, frame.PublicText(err))
	case fault.KindNotFound, fault.KindConflict:
		c.Refuse(w, r, http.StatusConflict, linkGone)
	default:
		c.Fail(w, r, err)
	}
}
