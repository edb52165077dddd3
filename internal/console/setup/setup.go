// Package setup serves the pages that set up a workspace. They show data, imports, mappings, history, costs, ad
// accounts, apps, keys, members, the call log and the audit log.
package setup

import (
	"context"
	"embed"
	"html/template"

	"assay/internal/auth"
	"assay/internal/console/frame"
	"assay/internal/console/setup/pending"
	"assay/internal/control"
	"assay/internal/money"
)

// Limits reports the rate limit of a workspace and its requests in the current minute.
type Limits interface {
	Usage(ctx context.Context, w control.Workspace) auth.Usage
	Tiers() []auth.Tier
}

// Options are the dependencies of [Register].
type Options struct {
	Frame   *frame.Frame
	Limits  Limits   // nil: no rate limit on the page
	Tools   []string // tool names in the order of the contract, for the allow-list of a key
	History History  // nil: no restated days on the data pages
	Uploads string   // folder of uploaded files; "": the temporary folder of the system
}

//go:embed templates
var files embed.FS

// Templates returns the templates of the group.
func Templates() frame.Templates {
	return frame.Templates{Files: files, Functions: template.FuncMap{
		"outcome": outcomeWords, "took": took, "zones": zones, "currencies": currencies,
		"sum":  func(decimal, currency string) string { return money.DisplayOf(decimal, money.Currency(currency)) },
		"pair": func(first, second any) any { return struct{ First, Second any }{first, second} },
	}}
}

// Register registers the pages of the group.
func Register(routes *frame.Routes, o Options) {
	(&settingsPages{Frame: o.Frame, limits: o.Limits, tools: o.Tools}).register(routes)
	if o.Frame.Ask != nil {
		(&dataPages{Frame: o.Frame, history: o.History, uploads: o.Uploads, uploading: make(chan struct{}, uploads)}).register(routes)
	}
}

// Paths of the pages.
const (
	keysPath     = "/keys"
	appsPath     = "/apps"
	connectPath  = "/connect"
	peoplePath   = "/people"
	dataPath     = "/data"
	checkPath    = "/data/check" // receives an uploaded file
	taskPath     = "/data/task"
	mappingPath  = "/data/mapping"
	hooksPath    = "/data/webhooks"
	forgetPath   = "/data/forget"
	historyPath  = "/data/history"
	costsPath    = "/costs"
	callsPath    = "/calls"
	securityPath = "/security"
)

// settingsPages serves the pages for connected apps, keys, members, ad accounts, settings, the call log and the audit
// log.
type settingsPages struct {
	*frame.Frame
	limits Limits
	tools  []string
}

func (c *settingsPages) register(routes *frame.Routes) {
	routes.HandleFunc("POST "+jobsPath, c.Posted(c.cancelJob))
	routes.HandleFunc("GET "+connectPath, c.SignedIn(c.connectPage))
	routes.HandleFunc("GET "+appsPath, c.SignedIn(c.appsPage))
	routes.HandleFunc("POST "+appsPath, c.Posted(c.revokeApp))
	routes.HandleFunc("GET "+keysPath, c.SignedIn(c.keysPage))
	routes.HandleFunc("POST "+keysPath, c.Posted(c.changeKeys))
	routes.HandleFunc("GET "+peoplePath, c.SignedIn(c.peoplePage))
	routes.HandleFunc("POST "+peoplePath, c.Posted(c.changePeople))
	routes.HandleFunc("GET "+connectionsPath, c.SignedIn(c.connectionsPage))
	routes.HandleFunc("POST "+connectionsPath, c.Posted(c.changeConnections))
	routes.HandleFunc("GET "+settingsPath, c.SignedIn(c.settingsPage))
	routes.HandleFunc("POST "+settingsPath, c.Posted(c.changeSettings))
	routes.HandleFunc("GET "+callsPath, c.SignedIn(c.callsPage))
	routes.HandleFunc("POST "+callsPath, c.Posted(c.changeCalls))
	routes.HandleFunc("GET "+securityPath, c.SignedIn(c.securityPage))
	routes.HandleFunc("GET "+securityPath+"/export.csv", c.SignedIn(c.securityExport))
}

// dataPages serves the pages for data, imports, mappings, webhooks, customer deletion, history and costs.
type dataPages struct {
	*frame.Frame
	history   History
	uploads   string
	uploading chan struct{} // limits the number of concurrent uploads
	pending   pending.Files
}

func (c *dataPages) register(routes *frame.Routes) {
	routes.HandleFunc("GET "+dataPath, c.SignedIn(c.dataPage))
	routes.HandleFunc("POST "+dataPath, c.Posted(c.changeData))
	routes.HandleFunc("POST "+hooksPath, c.Posted(c.changeHooks))
	routes.HandleFunc("POST "+forgetPath, c.Posted(c.forgetCustomer))
	routes.HandleFunc("POST "+checkPath, c.sent(c.checkFile))
	routes.HandleFunc("GET "+costsPath, c.SignedIn(c.costsPage))
	routes.HandleFunc("POST "+costsPath, c.Posted(c.changeCosts))
	routes.HandleFunc("GET "+costsPath+"/template.csv", c.SignedIn(c.costsTemplate))
	routes.HandleFunc("GET "+taskPath, c.SignedIn(c.taskPage))
	routes.HandleFunc("GET "+mappingPath, c.SignedIn(c.mappingPage))
	routes.HandleFunc("POST "+mappingPath, c.Posted(c.changeMapping))
	if c.history != nil {
		routes.HandleFunc("GET "+historyPath, c.SignedIn(c.historyPage))
	}
}
