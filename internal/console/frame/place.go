package frame

import (
	"net/http"
	"net/url"
	"slices"

	"assay/internal/control"
	"assay/internal/operation"
)

// Place is the workspace of a page.
type Place struct {
	control.Membership
	All  []control.Membership // all memberships of the visitor
	Here string               // path of the page

	Kept url.Values // filters of the page, which links to similar pages keep

	Waiting int // changes on ad platforms that wait for an approval, if the visitor can approve some
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
			p := Place{Membership: m, All: all, Here: v.URL.Path}
			if p.Waiting, err = c.waiting(v, p); err != nil {
				c.Fail(w, v.Request, err)
				return Place{}, false
			}
			return p, true
		}
	}
	c.Refuse(w, v.Request, http.StatusNotFound, "This workspace does not exist, or you are not a member of it.")
	return Place{}, false
}

// Approves reports whether the visitor can execute, approve and roll back changes on ad platforms.
func (p Place) Approves() bool { return slices.Contains(p.Role.Scopes(), control.ScopeApprove) }

// waiting counts the changes on ad platforms that await approval. It returns 0 if the visitor cannot approve.
func (c *Frame) waiting(v Visit, p Place) (n int, err error) {
	if !p.Approves() || c.Operations == nil {
		return 0, nil
	}
	all, err := operation.ListBudgetChanges.Do(v.Context(), c.Operations, v.Calls(p.Workspace.ID),
		control.BudgetChangeFilter{Statuses: []control.ChangeStatus{control.ChangeAwaiting}})
	for _, one := range all {
		if one.Status == control.ChangeAwaiting { // the list includes changes that have expired
			n++
		}
	}
	return n, err
}
