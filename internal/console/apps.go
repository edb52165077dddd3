package console

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"assay/internal/control"
	"assay/internal/operation"
)

// appsView is the view of the connected apps.
type appsView struct {
	place
	Grants []grantRow
}

type grantRow struct {
	control.Grant
	Host       string
	Email      string    // of the user; "" for the visitor
	Registered time.Time // zero for a client with a metadata document
	Published  string    // address of the metadata document
}

func (c *settingsPages) appsPage(w http.ResponseWriter, v visit) {
	p, ok := c.placeOf(w, v, v.URL.Query().Get("workspace"))
	if !ok {
		return
	}
	grants, err := c.grantsOf(v, p)
	if err != nil {
		c.fail(w, v.Request, err)
		return
	}
	view := appsView{place: p}
	for _, g := range grants {
		row := grantRow{Grant: g, Host: formTarget(g.Redirect)}
		if strings.Contains(string(g.Client), ":") {
			row.Published = string(g.Client)
		} else if known, err := c.store.Client(v.Context(), g.Client); err == nil {
			row.Registered = known.CreatedAt
		}
		if g.User != v.visitor.User.ID {
			if u, err := c.people.Find(v.Context(), string(g.User)); err == nil {
				row.Email = u.Email
			}
		}
		view.Grants = append(view.Grants, row)
	}
	c.render(w, v.Request, http.StatusOK, page{name: "apps", title: "Connected apps", view: view, visitor: &v.visitor})
}

// grantsOf returns the valid grants that the visitor can revoke: all for owners and admins, otherwise the visitor's own.
func (c *settingsPages) grantsOf(v visit, p place) ([]control.Grant, error) {
	grants, err := c.store.Grants(v.Context(), p.Workspace.ID)
	now := c.now()
	return slices.DeleteFunc(grants, func(g control.Grant) bool {
		return !g.Valid(now) || g.User != v.visitor.User.ID && !p.Manages()
	}), err
}

func (c *settingsPages) revokeApp(w http.ResponseWriter, v visit) {
	p, ok := c.placeOf(w, v, v.PostForm.Get("workspace"))
	if !ok {
		return
	}
	if _, err := operation.RevokeGrant.Do(v.Context(), c.operations, v.calls(p.Workspace.ID), control.GrantID(v.PostForm.Get("id"))); err != nil {
		c.fail(w, v.Request, err)
		return
	}
	see(w, appsPath+"?"+url.Values{"workspace": {string(p.Workspace.ID)}}.Encode())
}
