package console

import (
	"net/http"
	"slices"

	"assay/internal/auth"
	"assay/internal/backup"
	"assay/internal/control"
	"assay/internal/measure"
)

// place is the workspace of a page.
type place struct {
	control.Membership
	All  []control.Membership // all memberships of the visitor
	Here string               // path of the page
}

// tab is a link of the navigation.
type tab struct {
	Path, Name string
	Workspace  measure.WorkspaceID
	Here       bool // the link leads to the current page
}

func tabOf(of interface{ at() place }, path, name string) tab {
	p := of.at()
	return tab{Path: path, Name: name, Workspace: p.Workspace.ID, Here: p.Here == path}
}

func (p place) at() place { return p }

// Manages reports whether the visitor can manage keys, members and settings of the workspace.
func (p place) Manages() bool { return p.Role.Manages() }

// placeOf returns the named workspace, or the visitor's first workspace. If the visitor is not a member, it writes the
// error page and returns false.
func (c *core) placeOf(w http.ResponseWriter, v visit, named string) (place, bool) {
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
	c.Refuse(w, v.Request, http.StatusNotFound, "This workspace does not exist, or you are not a member of it.")
	return place{}, false
}

func (c *settingsPages) home(w http.ResponseWriter, v visit) {
	all, err := c.people.Memberships(v.Context(), v.visitor.User.ID)
	if err != nil {
		c.fail(w, v.Request, err)
		return
	}
	view := homeView{All: all}
	manages := func(m control.Membership) bool { return m.Role.Manages() }
	if c.operations != nil && c.operations.Backups != nil && slices.ContainsFunc(all, manages) {
		view.Backups = homeBackups(c.operations.Backups.State())
	}
	c.render(w, v.Request, http.StatusOK, page{name: "home", title: "Workspaces", view: view, visitor: &v.visitor})
}

// homeView is the view of the home page.
type homeView struct {
	All     []control.Membership
	Backups *backupsView // nil: not scheduled, or not for this visitor
}

// backupsView is the state of scheduled backups, for owners and admins.
type backupsView struct{ Problem, Fix, Last string }

func homeBackups(s backup.State) *backupsView {
	if !s.Scheduled {
		return nil
	}
	view := &backupsView{Problem: s.Problem, Fix: s.Fix}
	if !s.Last.IsZero() {
		view.Last = s.Last.UTC().Format("Jan 2, 2006 15:04 UTC")
	}
	return view
}

// connectView is the view of the page with set-up instructions for apps.
type connectView struct {
	place
	URL   string
	Local bool        // the service is reachable from this computer only
	Usage *auth.Usage // nil: no limits on the page
	Tiers []auth.Tier
}

func (c *settingsPages) connectPage(w http.ResponseWriter, v visit) {
	p, ok := c.placeOf(w, v, v.URL.Query().Get("workspace"))
	if !ok {
		return
	}
	view := connectView{place: p, URL: c.baseURL + "/api/mcp/rpc", Local: !c.cookies.Secure}
	if c.limits != nil {
		usage := c.limits.Usage(v.Context(), p.Workspace)
		view.Usage, view.Tiers = &usage, c.limits.Tiers()
	}
	c.render(w, v.Request, http.StatusOK, page{name: "connect", title: "Connect an app", view: view, visitor: &v.visitor})
}
