package frame

import (
	"net/http"

	"assay/internal/control"
	"assay/internal/measure"
)

// Place is the workspace of a page.
type Place struct {
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

func tabOf(of interface{ at() Place }, path, name string) tab {
	p := of.at()
	return tab{Path: path, Name: name, Workspace: p.Workspace.ID, Here: p.Here == path}
}

func (p Place) at() Place { return p }

// Manages reports whether the visitor can manage keys, members and settings of the workspace.
func (p Place) Manages() bool { return p.Role.Manages() }

// PlaceOf returns the named workspace, or the visitor's first workspace. If the visitor is not a member, it writes the
// error page and returns false.
func (c *Frame) PlaceOf(w http.ResponseWriter, v Visit, named string) (Place, bool) {
	all, err := c.People.Memberships(v.Context(), v.Visitor.User.ID)
	if err != nil {
		c.Fail(w, v.Request, err)
		return Place{}, false
	}
	for _, m := range all {
		if named == "" || string(m.Workspace.ID) == named {
			return Place{Membership: m, All: all, Here: v.URL.Path}, true
		}
	}
	c.Refuse(w, v.Request, http.StatusNotFound, "This workspace does not exist, or you are not a member of it.")
	return Place{}, false
}
