package console

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"assay/internal/control"
	"assay/internal/control/calllog"
	"assay/internal/operation"
)

const rowsShown = 50 // of a log, on one page

// callsView is what the page of calls shows.
type callsView struct {
	place
	leaf
	Rows      []callRow
	Filter    control.CallFilter
	Caller    string // as the form says it: "key:ID" or "program:ID"
	Tools     []string
	Callers   []callerChoice
	Statuses  []control.CallStatus
	Filtered  bool
	KeptDays  int
	KeptRows  int64
	Arguments bool // the visitor may see them
}

type callRow struct {
	control.Call
	Caller string
}

// callerChoice is one caller that the list can be narrowed to.
type callerChoice struct{ Value, Name string }

// What the form says of a caller begins with its kind.
const (
	keyPrefix     = "key:"
	programPrefix = "program:"
)

func (c *Console) callsPage(w http.ResponseWriter, v visit) {
	query := v.URL.Query()
	p, ok := c.placeOf(w, v, query.Get("workspace"))
	if !ok {
		return
	}
	view := callsView{
		place: p, Tools: c.tools, Statuses: control.CallStatuses(), Caller: query.Get("caller"), Arguments: p.Manages(),
		KeptDays: int(calllog.KeptFor.Hours() / 24), KeptRows: calllog.KeptRows,
		Filter: control.CallFilter{
			Workspace: p.Workspace.ID, Tool: query.Get("tool"), Status: control.CallStatus(query.Get("status")),
			Before: query.Get("before"), Limit: rowsShown + 1,
		},
	}
	if id, ok := strings.CutPrefix(view.Caller, programPrefix); ok {
		view.Filter.Client = control.ClientID(id)
	} else if strings.HasPrefix(view.Caller, keyPrefix) { // a person's id would tell everybody whose calls a program's are
		view.Filter.Actor = view.Caller
	} else {
		view.Caller = ""
	}
	view.Filtered = view.Filter.Tool != "" || view.Caller != "" || view.Filter.Status != ""
	if err := c.fillCalls(v, &view); err != nil {
		c.fail(w, v.Request, err)
		return
	}
	c.render(w, v.Request, http.StatusOK, page{name: "calls", title: "Calls", view: view, visitor: &v.visitor, wide: true})
}

func (c *Console) fillCalls(v visit, view *callsView) error {
	calls, err := c.store.Calls(v.Context(), view.Filter)
	if err != nil {
		return err
	}
	names, err := c.namesIn(v.Context(), view.Workspace.ID)
	if err != nil {
		return err
	}
	if view.Callers, err = c.callers(v, view.Workspace); err != nil {
		return err
	}
	calls, view.leaf = leafOf(v.URL, calls, view.Filter.Before, func(c control.Call) string { return c.ID })
	for _, call := range calls {
		row := callRow{Call: call}
		switch {
		case call.Client == "":
			row.Caller = names.actor(v.Context(), call.Actor)
		case view.Manages():
			row.Caller = call.ClientName + " for " + names.actor(v.Context(), call.Actor)
		default:
			row.Caller = call.ClientName
		}
		if !view.Manages() {
			row.Arguments = ""
		}
		view.Rows = append(view.Rows, row)
	}
	return nil
}

// callers returns the workspace's keys and programs, by name.
func (c *Console) callers(v visit, ws control.Workspace) ([]callerChoice, error) {
	keys, err := c.keys.List(v.Context(), ws.ID)
	if err != nil {
		return nil, err
	}
	grants, err := c.store.Grants(v.Context(), ws.ID)
	if err != nil {
		return nil, err
	}
	var all []callerChoice
	for _, k := range keys {
		all = append(all, callerChoice{keyPrefix + k.ID, "key “" + k.Name + "”"})
	}
	for _, g := range grants {
		all = append(all, callerChoice{programPrefix + string(g.Client), g.ClientName})
	}
	slices.SortFunc(all, func(a, b callerChoice) int { return strings.Compare(a.Name+a.Value, b.Name+b.Value) })
	return slices.Compact(all), nil
}

// leaf is where a page of a log stands among its pages.
type leaf struct {
	Newest string // address of the first page; "" on it
	Older  string // address of the next page; "" on the last
}

// leafOf cuts rows that were read before one, and one more than a page has, to the page.
func leafOf[R any](u *url.URL, rows []R, before string, id func(R) string) ([]R, leaf) {
	var l leaf
	if len(rows) > rowsShown {
		rows = rows[:rowsShown]
		l.Older = pageBefore(u, id(rows[rowsShown-1]))
	}
	if before != "" {
		l.Newest = pageBefore(u, "")
	}
	return rows, l
}

// pageBefore is the address of the same list from a row on; of its first page when there is none.
func pageBefore(u *url.URL, id string) string {
	query := u.Query()
	query.Del("before")
	if id != "" {
		query.Set("before", id)
	}
	return u.Path + "?" + query.Encode()
}

// changeCalls switches the keeping of arguments.
func (c *Console) changeCalls(w http.ResponseWriter, v visit) {
	p, ok := c.placeOf(w, v, v.PostForm.Get("workspace"))
	if !ok {
		return
	}
	if !p.Manages() {
		c.Refuse(w, v.Request, http.StatusForbidden, "Only owners and admins of a workspace change its settings.")
		return
	}
	keep := v.PostForm.Get("arguments")
	if keep != "keep" && keep != "leave" {
		c.Refuse(w, v.Request, http.StatusUnprocessableEntity, "This form asks for nothing that is known.")
		return
	}
	settings := operation.Settings{LogArguments: new(keep == "keep")}
	if _, err := operation.UpdateWorkspace.Do(v.Context(), c.operations, v.calls(p.Workspace.ID), settings); err != nil {
		c.fail(w, v.Request, err)
		return
	}
	see(w, callsPath+"?"+url.Values{"workspace": {string(p.Workspace.ID)}}.Encode())
}
