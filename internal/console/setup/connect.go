package setup

import (
	"net/http"

	"assay/internal/auth"
	"assay/internal/console/frame"
)

// connectView is the view of the page with set-up instructions for apps.
type connectView struct {
	frame.Place
	URL   string
	Local bool        // the service is reachable from this computer only
	Usage *auth.Usage // nil: no limits on the page
	Tiers []auth.Tier
}

func (c *settingsPages) connectPage(w http.ResponseWriter, v frame.Visit) {
	p, ok := c.PlaceOf(w, v, v.URL.Query().Get("workspace"))
	if !ok {
		return
	}
	view := connectView{Place: p, URL: c.BaseURL + "/api/mcp/rpc", Local: !c.Cookies.Secure}
	if c.limits != nil {
		usage := c.limits.Usage(v.Context(), p.Workspace)
		view.Usage, view.Tiers = &usage, c.limits.Tiers()
	}
	c.Render(w, v.Request, http.StatusOK, frame.Page{Name: "connect", Title: "Connect an app", View: view, Visitor: &v.Visitor})
}
