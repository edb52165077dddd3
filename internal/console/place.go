package console

import (
	"net/http"

	"assay/internal/auth"
	"assay/internal/control"
	"assay/internal/measure"
)

// place is the workspace that a settings page is about.
type place struct {
	control.Membership
	All  []control.Membership // the visitor's
	Here string               // path of the page
}

// tab is a link to one of the workspace's pages.
type tab struct {
	Path, Name string
	Workspace  measure.WorkspaceID
	Here       bool // it is the page that is shown
}

func tabOf(of interface{ at() place }, path, name string) tab {
	p := of.at()
	return tab{Path: path, Name: name, Workspace: p.Workspace.ID, Here: p.Here == path}
}

func (p place) at() place { return p }

// Manages reports whether the visitor may make and end keys there.
func (p place) Manages() bool { return p.Role.Manages() }

// placeOf returns the workspace that the request names, or the visitor's first. It answers itself when the visitor
// is not in it.
func (c *Console) placeOf(w http.ResponseWriter, v visit, named string) (place, bool) {
	all, err := c.people.Memberships(v.Context(), v.visitor.User.ID)
	if err != nil {
		c.fail(w, v.Request, err)
		return place{}, false
	}
	for _, m := range all {
		if named == "" || string(m.Workspace.ID) == named {
			return place{Membership: m, All: all, Here: v.URL.Path}, true
		}
	}
	c.Refuse(w, v.Request, http.StatusNotFound, "There is no such workspace, or you are not in it.")
	return place{}, false
}

func (c *Console) home(w http.ResponseWriter, v visit) {
	all, err := c.people.Memberships(v.Context(), v.visitor.User.ID)
	if err != nil {
		c.fail(w, v.Request, err)
		return
	}
	c.render(w, v.Request, http.StatusOK, page{name: "home", title: "Workspaces", view: all, visitor: &v.visitor})
}

// connectView is what the page with the set-up of programs shows.
type connectView struct {
	place
	URL   string
	Local bool        // only programs on this machine reach the service
	Usage *auth.Usage // nil: not shown
	Tiers []auth.Tier
}

func (c *Console) connectPage(w http.ResponseWriter, v visit) {
	p, ok := c.placeOf(w, v, v.URL.Query().Get("workspace"))
	if !ok {
		return
	}
	view := connectView{place: p, URL: c.baseURL + "/api/mcp/rpc", Local: !c.cookies.secure}
	if c.limits != nil {
		usage := c.limits.Usage(v.Context(), p.Workspace)
		view.Usage, view.Tiers = &usage, c.limits.Tiers()
	}
	c.render(w, v.Request, http.StatusOK, page{name: "connect", title: "Connect a program", view: view, visitor: &v.visitor})
}
