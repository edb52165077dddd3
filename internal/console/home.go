package console

import (
	"net/http"
	"slices"

	"assay/internal/backup"
	"assay/internal/console/frame"
	"assay/internal/control"
)

func (c *accountPages) home(w http.ResponseWriter, v frame.Visit) {
	all, err := c.People.Memberships(v.Context(), v.Visitor.User.ID)
	if err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	view := homeView{All: all}
	manages := func(m control.Membership) bool { return m.Role.Manages() }
	if c.Operations != nil && c.Operations.Backups != nil && slices.ContainsFunc(all, manages) {
		view.Backups = homeBackups(c.Operations.Backups.State())
	}
	c.Render(w, v.Request, http.StatusOK, frame.Page{Name: "home", Title: "Workspaces", View: view, Visitor: &v.Visitor})
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
