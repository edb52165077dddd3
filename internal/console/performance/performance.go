// Package performance serves the pages with a store's figures: overview, channels, campaigns, customers, products,
// creators, messages, surveys and sales surfaces. It also has the Ask page and the articles. Each figure comes from the
// answer of a tool, so pages and connected apps agree.
package performance

import (
	"embed"
	"net/http"
	"time"

	"assay/internal/console/frame"
)

//go:embed templates
var files embed.FS

// Templates returns the templates of the group.
func Templates() frame.Templates { return frame.Templates{Files: files} }

// pages are the pages of the group.
type pages struct {
	*frame.Frame
	opens func(*http.Request) time.Duration // counts an opened share link; returns the wait if the address opened too many, otherwise 0
}

// namedReport is a page with figures.
type namedReport struct {
	path, name string
	fill       report
	uses       uses // filters that apply to the figures, in addition to the period
}

// reports are the pages with figures, in the order of the navigation. They can be shared.
var reports = []namedReport{
	{frame.OverviewPath, "Overview", overview, uses{compare: true, channel: true, model: true}},
	{"/channels", "Channels", channels, uses{channel: true, model: true}},
	{"/campaigns", "Campaigns", campaigns, uses{channel: true}},
	{"/customers", "Customers", customers, uses{channel: true}},
	{"/products", "Products", products, uses{}},
	{"/creators", "Creators", creators, uses{}},
	{"/email", "Email & SMS", messages, uses{}},
	{"/surveys", "Surveys", surveys, uses{}},
	{"/surfaces", "Sales surfaces", surfaces, uses{}},
}

// reportAt returns the report of a path, or nil for another path.
func reportAt(path string) *namedReport {
	for i := range reports {
		if reports[i].path == path {
			return &reports[i]
		}
	}
	return nil
}

// Register registers the pages of the group. The parameter opens is a function that limits how often an IP address
// opens share links. Register returns false if answers of tools are not available.
func Register(routes *frame.Routes, shared *frame.Frame, opens func(*http.Request) time.Duration) bool {
	if shared.Ask == nil {
		return false
	}
	c := &pages{shared, opens}
	for _, r := range reports {
		path := r.path
		if path == frame.OverviewPath {
			path = "/{$}"
		}
		routes.HandleFunc("GET "+path, c.SignedIn(c.reportPage(r)))
	}
	routes.HandleFunc("GET "+sharesPath, c.SignedIn(c.sharesPage))
	routes.HandleFunc("POST "+sharesPath, c.Posted(c.changeShares))
	routes.HandleFunc(sharedPath+"{secret}", c.opened)
	routes.HandleFunc("GET "+frame.AskPath, c.SignedIn(c.askPage))
	routes.HandleFunc("POST "+frame.AskPath, c.Posted(c.ask))
	routes.HandleFunc("GET /articles", c.SignedIn(c.article))
	return true
}
