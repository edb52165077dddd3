// Package console serves the web pages: sign-in, OAuth consent, data, models, forecasts, experiments, members, keys,
// connected apps, the call log and the audit log. Pages are rendered on the server and work without scripts.
package console

import (
	"context"
	"html/template"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"assay/internal/auth"
	"assay/internal/console/cookie"
	"assay/internal/console/pending"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/limit"
	"assay/internal/measure"
	"assay/internal/oauth"
	"assay/internal/oauth/clientip"
	"assay/internal/oauth/people"
	"assay/internal/operation"
)

// Store reads workspaces, grants, mappings, calls and the audit log. A missing object is a fault of kind not_found.
type Store interface {
	Annotations(ctx context.Context, ws measure.WorkspaceID) ([]control.Annotation, error)
	Workspace(ctx context.Context, id measure.WorkspaceID) (control.Workspace, error)
	Client(ctx context.Context, id control.ClientID) (control.Client, error)
	Calls(ctx context.Context, f control.CallFilter) ([]control.Call, error)
	Events(ctx context.Context, f control.EventFilter) ([]control.Event, error)
	Grants(ctx context.Context, ws measure.WorkspaceID) ([]control.Grant, error)
	HookSecrets(ctx context.Context, ws measure.WorkspaceID) ([]control.HookSecret, error)
	Mappings(ctx context.Context, ws measure.WorkspaceID) ([]control.Mapping, error)
	Mapping(ctx context.Context, ws measure.WorkspaceID, name string) (control.Mapping, error)
}

// Keys lists API keys.
type Keys interface {
	List(ctx context.Context, ws measure.WorkspaceID) ([]control.Key, error)
}

// Limits reports the rate limit of a workspace and its calls in the current minute.
type Limits interface {
	Usage(ctx context.Context, w control.Workspace) auth.Usage
	Tiers() []auth.Tier
}

// Options are the dependencies and settings of [New].
type Options struct {
	BaseURL        string // scheme and host without a path
	People         *people.People
	Store          Store
	Keys           Keys
	Limits         Limits   // nil: no rate limit on the page
	Models         Models   // nil: no models page
	Tools          []string // tool names in the order of the contract, for the allow-list of a key
	Ask            Ask      // nil: no pages that show answers of tools
	Operations     *operation.Service
	History        History          // nil: no restated days on the data pages
	Uploads        string           // folder of uploaded files; "": the temporary folder of the system
	TrustedProxies []netip.Prefix   // proxies that are trusted to set X-Forwarded-For
	Counter        limit.Counter    // of failed sign-ins; nil: counted in this process
	Now            func() time.Time // the real clock, even if answers use a fixed clock
	Log            *slog.Logger     // nil: no log
}

// failedSignIns is the maximum number of failed sign-ins of one IP address in failedWindow.
const (
	failedSignIns = 100
	failedWindow  = 15 * time.Minute
)

// core contains the dependencies of all pages.
type core struct {
	baseURL     string
	people      *people.People
	store       Store
	ask         Ask
	operations  *operation.Service
	crossOrigin *http.CrossOriginProtection
	cookies     cookie.Cookies
	templates   map[string]*template.Template
	now         func() time.Time
	log         *slog.Logger
}

// Console serves every path outside the API and the pages of the authorization server. It implements [http.Handler] and
// [oauth.Pages].
type Console struct {
	*core
	account *accountPages
	data    *dataPages
	hosts   oauth.Hosts
	routes  *http.ServeMux
}

// accountPages are sign-in, invitations, OAuth consent and the account of the visitor.
type accountPages struct {
	*core
	addresses clientip.Addresses
	signIns   *limit.Quota
}

// settingsPages are the list of workspaces and these pages of a workspace: connection, apps, keys, members, call log
// and audit log.
type settingsPages struct {
	*core
	keys   Keys
	limits Limits
	tools  []string
}

// dataPages are data, imports, mappings, webhooks, customer deletion and history.
type dataPages struct {
	*core
	history   History
	uploads   string
	uploading chan struct{} // limits the number of concurrent uploads
	pending   pending.Files
}

// modelPages are the media mix model and the budget optimizer.
type modelPages struct {
	*core
	models    Models
	schedules schedules
}

// experimentPages are the experiments and the readiness check.
type experimentPages struct{ *core }

// forecastPages are forecasts, alerts and targets.
type forecastPages struct{ *core }

// New returns the console.
func New(o Options) *Console {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Counter == nil {
		o.Counter = limit.NewCounter()
	}
	shared := &core{
		baseURL: o.BaseURL, people: o.People, store: o.Store, ask: o.Ask, operations: o.Operations, crossOrigin: http.NewCrossOriginProtection(),
		cookies: cookie.Cookies{Secure: strings.HasPrefix(o.BaseURL, "https://")}, templates: parseTemplates(), now: o.Now, log: o.Log,
	}
	signIns := &limit.Quota{What: "sign-ins", Limit: failedSignIns, Window: failedWindow, Counter: o.Counter, Log: o.Log}
	c := &Console{
		core: shared, hosts: oauth.NewHosts(o.BaseURL), routes: http.NewServeMux(),
		account: &accountPages{core: shared, addresses: clientip.NewAddresses(o.TrustedProxies), signIns: signIns},
		data:    &dataPages{core: shared, history: o.History, uploads: o.Uploads, uploading: make(chan struct{}, uploads)},
	}
	settings := &settingsPages{core: shared, keys: o.Keys, limits: o.Limits, tools: o.Tools}
	c.account.register(c.routes)
	c.routes.HandleFunc("POST "+jobsPath, c.posted(c.cancelJob))
	settings.register(c.routes)
	if o.Ask != nil {
		c.data.register(c.routes)
		(&forecastPages{shared}).register(c.routes)
		(&experimentPages{shared}).register(c.routes)
	}
	if o.History != nil {
		c.routes.HandleFunc("GET "+historyPath, c.signedIn(c.data.historyPage))
	}
	if o.Models != nil {
		(&modelPages{core: shared, models: o.Models}).register(c.routes)
	}
	c.routes.HandleFunc("GET /assets/{name}", asset)
	c.routes.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		c.Refuse(w, r, http.StatusNotFound, "Page not found. Check the address.")
	})
	return c
}

func (c *accountPages) register(routes *http.ServeMux) {
	routes.HandleFunc("GET "+signInPath, c.signInPage)
	routes.HandleFunc("POST "+signInPath, c.signIn)
	routes.HandleFunc("POST "+signOutPath, c.posted(c.signOut))
	routes.HandleFunc("GET "+setUpPath+"{link}", c.setUpPage)
	routes.HandleFunc("POST "+setUpPath+"{link}", c.setUp)
	routes.HandleFunc("GET "+accountPath, c.signedIn(c.accountPage))
	routes.HandleFunc("POST "+accountPath, c.posted(c.changeAccount))
}

func (c *settingsPages) register(routes *http.ServeMux) {
	routes.HandleFunc("GET /{$}", c.signedIn(c.home))
	routes.HandleFunc("GET "+connectPath, c.signedIn(c.connectPage))
	routes.HandleFunc("GET "+appsPath, c.signedIn(c.appsPage))
	routes.HandleFunc("POST "+appsPath, c.posted(c.revokeApp))
	routes.HandleFunc("GET "+keysPath, c.signedIn(c.keysPage))
	routes.HandleFunc("POST "+keysPath, c.posted(c.changeKeys))
	routes.HandleFunc("GET "+peoplePath, c.signedIn(c.peoplePage))
	routes.HandleFunc("POST "+peoplePath, c.posted(c.changePeople))
	routes.HandleFunc("GET "+callsPath, c.signedIn(c.callsPage))
	routes.HandleFunc("POST "+callsPath, c.posted(c.changeCalls))
	routes.HandleFunc("GET "+securityPath, c.signedIn(c.securityPage))
}

func (c *dataPages) register(routes *http.ServeMux) {
	routes.HandleFunc("GET "+dataPath, c.signedIn(c.dataPage))
	routes.HandleFunc("POST "+dataPath, c.posted(c.changeData))
	routes.HandleFunc("POST "+hooksPath, c.posted(c.changeHooks))
	routes.HandleFunc("POST "+forgetPath, c.posted(c.forgetCustomer))
	routes.HandleFunc("POST "+checkPath, c.sent(c.checkFile))
	routes.HandleFunc("GET "+taskPath, c.signedIn(c.taskPage))
	routes.HandleFunc("GET "+mappingPath, c.signedIn(c.mappingPage))
	routes.HandleFunc("POST "+mappingPath, c.posted(c.changeMapping))
}

func (c *modelPages) register(routes *http.ServeMux) {
	routes.HandleFunc("GET "+modelsPath, c.signedIn(c.modelsPage))
	routes.HandleFunc("POST "+modelsPath, c.posted(c.changeModels))
	routes.HandleFunc("GET "+modelsPath+"/chart.svg", c.signedIn(c.modelsChart))
	routes.HandleFunc("GET "+modelsPath+"/export.csv", c.signedIn(c.modelsExport))
}

func (c *experimentPages) register(routes *http.ServeMux) {
	routes.HandleFunc("GET "+experimentsPath, c.signedIn(c.experimentsPage))
	routes.HandleFunc("POST "+experimentsPath, c.posted(c.changeExperiments))
	routes.HandleFunc("GET "+weeksPath, c.signedIn(c.weeksPicture))
	routes.HandleFunc("GET "+powerPath, c.signedIn(c.powerPicture))
}

func (c *forecastPages) register(routes *http.ServeMux) {
	routes.HandleFunc("GET "+forecastsPath, c.signedIn(c.forecastsPage))
	routes.HandleFunc("POST "+forecastsPath, c.posted(c.changeForecasts))
	routes.HandleFunc("GET "+pacePath, c.signedIn(c.pacePicture))
	routes.HandleFunc("GET "+fanPath, c.signedIn(c.fanPicture))
}

// Consent shows the page on which the visitor authorizes an OAuth client.
func (c *Console) Consent(w http.ResponseWriter, r *http.Request, asked oauth.Consent) {
	c.account.consent(w, r, asked)
}

// Paths of the pages.
const (
	signInPath  = "/sign-in"
	signOutPath = "/sign-out"
	keysPath    = "/keys"
	appsPath    = "/apps"
	connectPath = "/connect"

	peoplePath   = "/people"
	setUpPath    = "/set-up/" // followed by the secret of an invitation
	accountPath  = "/account"
	dataPath     = "/data"
	checkPath    = "/data/check" // receives an uploaded file
	taskPath     = "/data/task"
	mappingPath  = "/data/mapping"
	hooksPath    = "/data/webhooks"
	forgetPath   = "/data/forget"
	historyPath  = "/data/history"
	callsPath    = "/calls"
	securityPath = "/security"
	modelsPath   = "/models"

	experimentsPath = "/experiments"
	weeksPath       = "/experiments/weeks.svg"
	powerPath       = "/experiments/power.svg"

	forecastsPath = "/forecasts"
	pacePath      = "/forecasts/pace.svg"
	fanPath       = "/forecasts/days.svg"
)

// maxForm is the maximum size of a form in bytes.
const maxForm = 64 << 10

// ServeHTTP serves one request.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !c.hosts.Know(r.Host) {
		c.Refuse(w, r, http.StatusMisdirectedRequest, "This service does not serve this host name. Use the configured base URL.")
		return
	}
	c.routes.ServeHTTP(w, r)
}

// visit is the request of a signed-in user.
type visit struct {
	*http.Request
	visitor people.Visitor
}

// calls returns the call of an operation by the visitor.
func (v visit) calls(ws measure.WorkspaceID) operation.Call {
	return operation.Call{Workspace: ws, Caller: operation.Member(v.visitor.User.ID)}
}

// signedIn shows a page to signed-in users and redirects others to the sign-in page.
func (c *core) signedIn(show func(http.ResponseWriter, visit)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		visitor, err := c.Visitor(r)
		switch {
		case err == nil:
			show(w, visit{r, visitor})
		case fault.KindOf(err) == fault.KindUnauthenticated:
			c.SignIn(w, r, r.URL.RequestURI())
		default:
			c.fail(w, r, err)
		}
	}
}

// formPurpose is the purpose of the CSRF tokens in forms of signed-in users.
const formPurpose = "console"

// posted accepts the form of a signed-in user. It rejects forms that come from other sites, belong to other sessions or
// have no token.
func (c *core) posted(take func(http.ResponseWriter, visit)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !c.readForm(w, r) {
			return
		}
		visitor, err := c.Visitor(r)
		if err != nil || !visitor.Secret.AcceptsForm(formPurpose, r.PostForm.Get("csrf")) {
			c.Refuse(w, r, http.StatusForbidden, foreignForm)
			return
		}
		take(w, visit{r, visitor})
	}
}

// Messages that several pages show.
const (
	foreignForm    = "This form does not belong to your session. Go back, reload the page and try again."
	unknownAction  = "Unknown form action. Reload the page and try again."
	tooManyUploads = "The service is receiving several files. Try again in a minute."
	noSuchChart    = "Chart not found. Reload the page."
)

// errUnknownAction reports a form with an action that the page does not have.
var errUnknownAction = fault.Invalid("unknown form action").WithHint("reload the page and try again")

// readForm parses a form of this site. On failure it writes the error page and returns false.
func (c *core) readForm(w http.ResponseWriter, r *http.Request) bool {
	if c.crossOrigin.Check(r) != nil {
		c.Refuse(w, r, http.StatusForbidden, foreignForm)
		return false
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		c.Refuse(w, r, http.StatusBadRequest, "The form cannot be read. Reload the page and try again.")
		return false
	}
	return true
}

// fail shows an error page with the cause and the next step for faults of the kinds forbidden, not_found, conflict,
// not_ready and invalid. Other errors are logged and shown as a general message. The log contains the route instead of
// the path, because a path can contain the secret of an invitation.
func (c *core) fail(w http.ResponseWriter, r *http.Request, err error) {
	switch fault.KindOf(err) {
	case fault.KindForbidden:
		c.Refuse(w, r, http.StatusForbidden, publicText(err))
	case fault.KindNotFound:
		c.Refuse(w, r, http.StatusNotFound, publicText(err))
	case fault.KindConflict, fault.KindNotReady:
		c.Refuse(w, r, http.StatusConflict, publicText(err))
	case fault.KindInvalid:
		c.Refuse(w, r, http.StatusBadRequest, publicText(err))
	default:
		c.log.LogAttrs(r.Context(), fault.LogLevel(r.Context()), "page", slog.String("route", r.Pattern), slog.Any("error", err))
		c.Refuse(w, r, http.StatusInternalServerError, "The request failed because of an internal error. Try again. If it fails again, ask the operator to check the log.")
	}
}
