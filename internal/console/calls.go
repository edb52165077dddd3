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

const rowsShown = 50 // of a log per page

// callsView is the view of the call log.
type callsView struct {
	place
	pageLinks
	Rows      []callRow
	Filter    control.CallFilter
	Caller    string // form value: "key:ID" or "program:ID"
	Tools     []string
	Callers   []callerChoice
	Statuses  []control.CallStatus
	Filtered  bool
	KeptDays  int
	KeptRows  int64
	Arguments bool // the visitor can see arguments
}

type callRow struct {
	control.Call
	Caller string
}

// callerChoice is an option of the caller filter.
type callerChoice struct{ Value, Name string }

// Prefixes of the form values of callers.
const (
	keyPrefix     = "key:"
	programPrefix = "program:"
)

func (c *settingsPages) callsPage(w http.ResponseWriter, v visit) {
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
			Before: control.CallID(query.Get("before")), Limit: rowsShown + 1,
		},
	}
	if id, ok := strings.CutPrefix(view.Caller, programPrefix); ok {
		view.Filter.Client = control.ClientID(id)
	} else if strings.HasPrefix(view.Caller, keyPrefix) { // a user ID would disclose the user of an OAuth client
		view.Filter.Actor = view.Caller
	} else {
		view.Caller = ""
	}
	view.Filtered = view.Filter.Tool != "" || view.Caller != "" || view.Filter.Status != ""
	if err := c.fillCalls(v, &view); err != nil {
		c.fail(w, v.Request, err)
		return
	}
	c.render(w, v.Request, http.StatusOK, page{name: "calls", title: "Call log", view: view, visitor: &v.visitor, wide: true})
}

func (c *settingsPages) fillCalls(v visit, view *callsView) error {
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
	calls, view.pageLinks = paginate(v.URL, calls, view.Filter.Before, func(c control.Call) control.CallID { return c.ID })
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

// callers returns the keys and OAuth clients of the workspace, sorted by name.
func (c *settingsPages) callers(v visit, ws control.Workspace) ([]callerChoice, error) {
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
		all = append(all, callerChoice{keyPrefix + string(k.ID), "key “" + k.Name + "”"})
	}
	for _, g := range grants {
		all = append(all, callerChoice{programPrefix + string(g.Client), g.ClientName})
	}
	slices.SortFunc(all, func(a, b callerChoice) int { return strings.Compare(a.Name+a.Value, b.Name+b.Value) })
	return slices.Compact(all), nil
}

// pageLinks are the links to other pages of a log.
type pageLinks struct {
	Newest string // address of the first page, "" on the first page
	Older  string // address of the next page, "" on the last page
}

// paginate cuts the rows before an ID to one page. If there is a next page, the rows contain one row more than a page.
func paginate[R any, ID ~string](u *url.URL, rows []R, before ID, id func(R) ID) ([]R, pageLinks) {
	var l pageLinks
	if len(rows) > rowsShown {
		rows = rows[:rowsShown]
		l.Older = pageBefore(u, string(id(rows[rowsShown-1])))
	}
	if before != "" {
		l.Newest = pageBefore(u, "")
	}
	return rows, l
}

// pageBefore returns the address of the rows before an ID, and of the first page if the ID is "".
func pageBefore(u *url.URL, id string) string {
	query := u.Query()
	query.Del("before")
	if id != "" {
		query.Set("before", id)
	}
	return u.Path + "?" + query.Encode()
}

// changeCalls switches argument logging on or off.
func (c *settingsPages) changeCalls(w http.ResponseWriter, v visit) {
	p, ok := c.placeOf(w, v, v.PostForm.Get("workspace"))
	if !ok {
		return
	}
	if !p.Manages() {
		c.Refuse(w, v.Request, http.StatusForbidden, "Only owners and admins of a workspace can change its settings.")
		return
	}
	keep := v.PostForm.Get("arguments")
	if keep != "keep" && keep != "leave" {
		c.Refuse(w, v.Request, http.StatusUnprocessableEntity, unknownAction)
		return
	}
	settings := operation.Settings{LogArguments: new(keep == "keep")}
	if _, err := operation.UpdateWorkspace.Do(v.Context(), c.operations, v.calls(p.Workspace.ID), settings); err != nil {
		c.fail(w, v.Request, err)
		return
	}
	see(w, callsPath+"?"+url.Values{"workspace": {string(p.Workspace.ID)}}.Encode())
}
