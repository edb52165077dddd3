// Package performance serves the pages that a store owner reads every morning: overview, channels, campaigns, customers,
// products, creators, messages, surveys and sales surfaces. It also has the page of questions and the articles. Each figure
// comes from the answer of a tool, so pages and connected apps agree.
package performance

import (
	"embed"

	"assay/internal/console/frame"
)

//go:embed templates
var files embed.FS

// Templates returns the templates of the group.
func Templates() frame.Templates { return frame.Templates{Files: files} }

// pages are the pages of the group.
type pages struct{ *frame.Frame }

// Register registers the pages of the group. It returns false if answers of tools are not available.
func Register(routes *frame.Routes, shared *frame.Frame) bool {
	if shared.Ask == nil {
		return false
	}
	c := &pages{shared}
	for path, fill := range map[string]report{
		"/{$}": overview, "/channels": channels, "/campaigns": campaigns, "/customers": customers, "/products": products,
		"/creators": creators, "/email": messages, "/surveys": surveys, "/surfaces": surfaces,
	} {
		routes.HandleFunc("GET "+path, c.SignedIn(c.reportPage(fill)))
	}
	routes.HandleFunc("GET "+frame.AskPath, c.SignedIn(c.askPage))
	routes.HandleFunc("POST "+frame.AskPath, c.Posted(c.ask))
	routes.HandleFunc("GET /articles", c.SignedIn(c.article))
	return true
}
