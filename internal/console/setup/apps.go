package setup

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"assay/internal/console/frame"
	"assay/internal/control"
	"assay/internal/operation"
)

// appsView is the view of the connected apps.
type appsView struct {
	frame.Place
	Heading string
	Grants  []grantRow
}

type grantRow struct {
	control.Grant
	Host       string
	Email      string    // email address of the user; "" for the visitor
	Registered time.Time // zero for a client with a metadata document
	Published  string    // address of the metadata document
}

func (c *settingsPages) appsPage(w http.ResponseWriter, v frame.Visit) {
	p, ok := c.PlaceOf(w, v, v.URL.Query().Get("workspace"))
	if !ok {
		return
	}
	grants, err := c.grantsOf(v, p)
	if err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	view := appsView{Place: p}
	for _, g := range grants {
		row := grantRow{Grant: g, Host: frame.FormTarget(g.Redirect)}
		if strings.Contains(string(g.Client), ":") {
			row.Published = string(g.Client)
		} else if known, err := c.Store.Client(v.Context(), g.Client); err == nil {
			row.Registered = known.CreatedAt
		}
		if g.User != v.Visitor.User.ID {
			if u, err := c.People.Find(v.Context(), string(g.User)); err == nil {
				row.Email = u.Email
			}
		}
		view.Grants = append(view.Grants, row)
	}
	if view.Heading = frame.Plural(len(view.Grants), "connected app") + "."; len(view.Grants) == 0 {
		view.Heading = "No app is connected."
	}
	c.Render(w, v.Request, http.StatusOK, frame.Page{Name: "apps", Title: "Connected apps", View: view, Visitor: &v.Visitor})
}

// grantsOf returns the valid grants that the visitor can revoke: all for owners and admins, otherwise the visitor's
// own.
func (c *settingsPages) grantsOf(v frame.Visit, p frame.Place) ([]control.Grant, error) {
	grants, err := c.Store.Grants(v.Context(), p.Workspace.ID)
	now := c.Now()
	return slices.DeleteFunc(grants, func(g control.Grant) bool {
		return !g.Valid(now) || g.User != v.Visitor.User.ID && !p.Manages()
	}), err
}

func (c *settingsPages) revokeApp(w http.ResponseWriter, v frame.Visit) {
	p, ok := c.PlaceOf(w, v, v.PostForm.Get("workspace"))
	if !ok {
		return
	}
	if _, err := operation.RevokeGrant.Do(v.Context(), c.Operations, v.Calls(p.Workspace.ID), control.GrantID(v.PostForm.Get("id"))); err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	frame.See(w, appsPath+"?"+url.Values{"workspace": {string(p.Workspace.ID)}}.Encode())
}
