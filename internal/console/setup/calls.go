package setup

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/internal/console/frame"
	"assay/internal/control"
	"assay/internal/control/calllog"
	"assay/internal/operation"
)

// callsView is the view of the call log.
type callsView struct {
	frame.Place
	frame.PageLinks
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

func (c *settingsPages) callsPage(w http.ResponseWriter, v frame.Visit) {
	query := v.URL.Query()
	p, ok := c.PlaceOf(w, v, query.Get("workspace"))
	if !ok {
		return
	}
	view := callsView{
		Place: p, Tools: c.tools, Statuses: control.CallStatuses(), Caller: query.Get("caller"), Arguments: p.Manages(),
		KeptDays: int(calllog.KeptFor.Hours() / 24), KeptRows: calllog.KeptRows,
		Filter: control.CallFilter{
			Workspace: p.Workspace.ID, Tool: query.Get("tool"), Status: control.CallStatus(query.Get("status")),
			Before: control.CallID(query.Get("before")), Limit: frame.RowsShown + 1,
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
		c.Fail(w, v.Request, err)
		return
	}
	c.Render(w, v.Request, http.StatusOK, frame.Page{Name: "calls", Title: "Call log", View: view, Visitor: &v.Visitor})
}

func (c *settingsPages) fillCalls(v frame.Visit, view *callsView) error {
	calls, err := c.Store.Calls(v.Context(), view.Filter)
	if err != nil {
		return err
	}
	names, err := c.NamesIn(v.Context(), view.Workspace.ID)
	if err != nil {
		return err
	}
	if view.Callers, err = c.callers(v, view.Workspace); err != nil {
		return err
	}
	calls, view.PageLinks = frame.Paginate(v.URL, calls, view.Filter.Before, func(c control.Call) control.CallID { return c.ID })
	for _, call := range calls {
		row := callRow{Call: call}
		switch {
		case call.Client == "":
			row.Caller = names.Actor(v.Context(), call.Actor)
		case view.Manages():
			row.Caller = call.ClientName + " for " + names.Actor(v.Context(), call.Actor)
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
func (c *settingsPages) callers(v frame.Visit, ws control.Workspace) ([]callerChoice, error) {
	keys, err := c.Keys.List(v.Context(), ws.ID)
	if err != nil {
		return nil, err
	}
	grants, err := c.Store.Grants(v.Context(), ws.ID)
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

// changeCalls switches argument logging on or off.
func (c *settingsPages) changeCalls(w http.ResponseWriter, v frame.Visit) {
	p, ok := c.PlaceOf(w, v, v.PostForm.Get("workspace"))
	if !ok {
		return
	}
	if !p.Manages() {
		c.Refuse(w, v.Request, http.StatusForbidden, "Only owners and admins of a workspace can change its settings. Ask an owner or admin.")
		return
	}
	keep := v.PostForm.Get("arguments")
	if keep != "keep" && keep != "leave" {
		c.Refuse(w, v.Request, http.StatusUnprocessableEntity, frame.UnknownAction)
		return
	}
	settings := operation.Settings{LogArguments: new(keep == "keep")}
	if _, err := operation.UpdateWorkspace.Do(v.Context(), c.Operations, v.Calls(p.Workspace.ID), settings); err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	frame.See(w, callsPath+"?"+url.Values{"workspace": {string(p.Workspace.ID)}}.Encode())
}

// took formats a duration.
func took(d time.Duration) string {
	ms := float64(d.Microseconds()) / 1000
	switch {
	case ms < 0.1:
		return "< 0.1 ms"
	case ms < 10:
		return strconv.FormatFloat(ms, 'f', 1, 64) + " ms"
	case ms < 10_000:
		return strconv.FormatFloat(ms, 'f', 0, 64) + " ms"
	}
	return strconv.FormatFloat(ms/1000, 'f', 1, 64) + " s"
}
