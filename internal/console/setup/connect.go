package setup

import (
	"net/http"
	"net/url"
	"slices"

	"assay/internal/auth"
	"assay/internal/console/frame"
	"assay/internal/control"
)

// connectView is the view of the page with set-up instructions for apps.
type connectView struct {
	frame.Place
	URL     string
	Local   bool   // the service is reachable from this computer only
	Client  string // app with the shown instructions
	Clients []frame.Option
	Facts   []frame.Fact
	Usage   *auth.Usage // nil: no limits on the page
	Tiers   []auth.Tier
}

// clients are the apps with instructions. The first app that can reach the service is shown by default.
var clients = []struct {
	id, name string
	remote   bool // runs elsewhere, so it needs a public address
}{
	{"claude", "Claude", true},
	{"claude-code", "Claude Code", false},
	{"chatgpt", "ChatGPT", true},
	{"cursor", "Cursor", false},
	{"inspector", "Inspector", false},
	{"scripts", "Scripts", false},
}

func (c *settingsPages) connectPage(w http.ResponseWriter, v frame.Visit) {
	p, ok := c.PlaceOf(w, v, v.URL.Query().Get("workspace"))
	if !ok {
		return
	}
	view := connectView{Place: p, URL: c.BaseURL + "/api/mcp/rpc", Local: !c.Cookies.Secure}
	asked := v.URL.Query().Get("client")
	for _, one := range clients {
		if one.id == asked || view.Client == "" && (!view.Local || !one.remote) {
			view.Client = one.id
		}
	}
	for _, one := range clients {
		query := url.Values{"workspace": {string(p.Workspace.ID)}, "client": {one.id}}
		view.Clients = append(view.Clients, frame.Option{Name: one.name, Address: connectPath + "?" + query.Encode() + "#add", Here: one.id == view.Client})
	}
	if err := c.connected(v, &view); err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	if c.limits != nil {
		usage := c.limits.Usage(v.Context(), p.Workspace)
		view.Usage, view.Tiers = &usage, c.limits.Tiers()
	}
	c.Render(w, v.Request, http.StatusOK, frame.Page{Name: "connect", Title: "Connect an app", View: view, Visitor: &v.Visitor})
}

// connected sets the apps and keys of the workspace and its last call, which show whether a connection works.
func (c *settingsPages) connected(v frame.Visit, view *connectView) error {
	grants, err := c.grantsOf(v, view.Place)
	if err != nil {
		return err
	}
	keys, err := c.Keys.List(v.Context(), view.Workspace.ID)
	if err != nil {
		return err
	}
	keys = slices.DeleteFunc(keys, func(k control.Key) bool { return !k.Valid(c.Now()) })
	calls, err := c.Store.Calls(v.Context(), control.CallFilter{Workspace: view.Workspace.ID, Limit: 1})
	if err != nil {
		return err
	}
	at := func(path string) string { return path + "?workspace=" + string(view.Workspace.ID) }
	last := "none yet"
	if len(calls) > 0 {
		last = calls[0].At.UTC().Format("Jan 2, 2006, 15:04 UTC")
	}
	view.Facts = []frame.Fact{
		{Name: "Connected apps", Value: frame.Count(int64(len(grants))), Href: at(appsPath)},
		{Name: "API keys", Value: frame.Count(int64(len(keys))), Href: at(keysPath)},
		{Name: "Last call", Value: last, Href: at(callsPath)},
	}
	return nil
}
