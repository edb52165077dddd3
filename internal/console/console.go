// Package console serves the web pages: sign-in, OAuth consent, the account, and the groups of pages in its
// subpackages. Pages are rendered on the server and work without scripts.
package console

import (
	"embed"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"assay/internal/console/action"
	"assay/internal/console/frame"
	"assay/internal/console/measurement"
	"assay/internal/console/performance"
	"assay/internal/console/setup"
	"assay/internal/limit"
	"assay/internal/oauth"
	"assay/internal/oauth/clientip"
	"assay/internal/oauth/people"
	"assay/internal/operation"
)

// Options are the dependencies and settings of [New].
type Options struct {
	BaseURL        string // scheme and host without a path
	People         *people.People
	Store          frame.Store
	Keys           frame.Keys
	Limits         setup.Limits       // nil: no rate limit on the page
	Models         measurement.Models // nil: no models page
	Tools          []string           // tool names in the order of the contract, for the allow-list of a key
	Ask            frame.Ask          // nil: no pages that show answers of tools
	Operations     *operation.Service
	History        setup.History    // nil: no restated days on the data pages
	Uploads        string           // folder of uploaded files; "": the temporary folder of the system
	TrustedProxies []netip.Prefix   // proxies that are trusted to set X-Forwarded-For
	Counter        limit.Counter    // counter of failed sign-ins; nil: counted in this process
	Now            func() time.Time // the real clock, even if answers use a fixed clock
	Log            *slog.Logger     // nil: no log
}

// failedSignIns is the maximum number of failed sign-ins of one IP address in failedWindow.
const (
	failedSignIns = 100
	failedWindow  = 15 * time.Minute
)

// openedLinks is the maximum number of share links that one IP address opens in a minute.
const openedLinks = 60

// Console serves every path outside the API and the pages of the authorization server. It implements [http.Handler] and
// [oauth.Pages].
type Console struct {
	*frame.Frame
	account *accountPages
	hosts   oauth.Hosts
	routes  *frame.Routes
}

// accountPages serves the pages of sign-in, invitations, OAuth consent and the visitor's account.
type accountPages struct {
	*frame.Frame
	addresses clientip.Addresses
	signIns   *limit.Quota
}

// New returns the console.
func New(o Options) *Console {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Counter == nil {
		o.Counter = limit.NewCounter()
	}
	shared := frame.New(frame.Options{
		BaseURL: o.BaseURL, People: o.People, Store: o.Store, Keys: o.Keys, Ask: o.Ask, Operations: o.Operations, Now: o.Now, Log: o.Log,
		Templates: []frame.Templates{{Files: files}, setup.Templates(), measurement.Templates(), performance.Templates(), action.Templates()},
		Assets:    assetFiles,
	})
	signIns := &limit.Quota{What: "sign-ins", Limit: failedSignIns, Window: failedWindow, Counter: o.Counter, Log: o.Log}
	c := &Console{
		Frame: shared, hosts: oauth.NewHosts(o.BaseURL), routes: &frame.Routes{},
		account: &accountPages{Frame: shared, addresses: clientip.NewAddresses(o.TrustedProxies), signIns: signIns},
	}
	c.account.register(c.routes)
	opens := &limit.Quota{What: "opened share links", Limit: openedLinks, Window: time.Minute, Counter: o.Counter, Log: o.Log}
	if !performance.Register(c.routes, shared, func(r *http.Request) time.Duration {
		return opens.Take(r.Context(), c.account.addresses.Of(r).String(), o.Now())
	}) {
		c.routes.HandleFunc("GET /{$}", c.SignedIn(c.account.home))
	}
	c.routes.HandleFunc("GET "+frame.WorkspacesPath, c.SignedIn(c.account.home))
	setup.Register(c.routes, setup.Options{Frame: shared, Limits: o.Limits, Tools: o.Tools, History: o.History, Uploads: o.Uploads})
	measurement.Register(c.routes, measurement.Options{Frame: shared, Models: o.Models})
	action.Register(c.routes, shared)
	c.routes.HandleFunc("GET /assets/{name}", shared.ServeAsset)
	c.routes.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		c.Refuse(w, r, http.StatusNotFound, "Page not found. Check the address.")
	})
	return c
}

func (c *accountPages) register(routes *frame.Routes) {
	routes.HandleFunc("GET "+frame.SignInPath, c.signInPage)
	routes.HandleFunc("POST "+frame.SignInPath, c.signIn)
	routes.HandleFunc("POST "+signOutPath, c.Posted(c.signOut))
	routes.HandleFunc("GET "+frame.SetUpPath+"{link}", c.setUpPage)
	routes.HandleFunc("POST "+frame.SetUpPath+"{link}", c.setUp)
	routes.HandleFunc("GET "+accountPath, c.SignedIn(c.accountPage))
	routes.HandleFunc("POST "+accountPath, c.Posted(c.changeAccount))
}

// Consent shows the page on which the visitor authorizes an OAuth client.
func (c *Console) Consent(w http.ResponseWriter, r *http.Request, asked oauth.Consent) {
	c.account.consent(w, r, asked)
}

// Patterns returns the patterns of the console's routes.
func (c *Console) Patterns() []string { return c.routes.Patterns() }

// Paths of the pages.
const (
	signOutPath = "/sign-out"
	accountPath = "/account"
)

// ServeHTTP serves one request.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !c.hosts.Know(r.Host) {
		c.Refuse(w, r, http.StatusMisdirectedRequest, "The service is not configured for this host name. Ask the operator for the base URL of the service.")
		return
	}
	c.routes.ServeHTTP(w, r)
}

//go:embed templates
var files embed.FS

//go:embed assets
var assetFiles embed.FS
