// Package action serves the pages of decisions, insights, alert rules and changes on ad platforms (list, evidence,
// rollback, approvals, guardrails).
package action

import (
	"embed"
	"html/template"

	"assay/internal/console/frame"
)

//go:embed templates
var files embed.FS

// Templates returns the templates of the group.
func Templates() frame.Templates {
	return frame.Templates{Files: files, Functions: template.FuncMap{
		"value": valueText, "percent": percentText,
		"bundle": func(v changesView, token string) bundle { return bundle{v, token} },
		"pick":   func(b bundle, r any) picked { return picked{b, r} },
	}}
}

// bundle is a view with the CSRF token of its page.
type bundle struct {
	View  changesView
	Token string
}

// picked combines the data of the page with one row, for the template of that row.
type picked struct {
	First  bundle
	Second any
}

// pages are the pages of the group.
type pages struct{ *frame.Frame }

const exportPath = frame.BudgetChangesPath + "/export.csv"

// Register registers the pages of the group.
func Register(routes *frame.Routes, shared *frame.Frame) {
	c := &pages{shared}
	routes.HandleFunc("GET "+frame.BudgetChangesPath, c.SignedIn(c.changesPage))
	routes.HandleFunc("POST "+frame.BudgetChangesPath, c.Posted(c.change))
	routes.HandleFunc("GET "+exportPath, c.SignedIn(c.export))
	routes.HandleFunc("GET "+frame.AlertsPath, c.SignedIn(c.alertsPage))
	routes.HandleFunc("POST "+frame.AlertsPath, c.Posted(c.changeAlerts))
	routes.HandleFunc("GET "+chartPath, c.SignedIn(c.weeks))
	if shared.Ask != nil {
		routes.HandleFunc("GET "+insightsPath, c.SignedIn(c.insightsPage))
		routes.HandleFunc("POST "+insightsPath, c.Posted(c.changeInsight))
		routes.HandleFunc("GET "+decisionsPath, c.SignedIn(c.decisionsPage))
	}
}
