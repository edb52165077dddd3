// Package console is what people see in a browser: sign-in, the question whether a program may act for them, the
// settings of keys, connected programs and people, and what was called and changed. Pages are made on the server, and
// work without scripts.
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
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/limit"
	"assay/internal/measure"
	"assay/internal/oauth"
	"assay/internal/oauth/clientip"
	"assay/internal/oauth/people"
	"assay/internal/operation"
)

// Store keeps workspaces, grants, mappings, calls and the security log. What does not exist is a fault of kind not_found.
type Store interface {
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

// Limits tells how many calls a workspace may make and made in this minute.
type Limits interface {
	Usage(ctx context.Context, w control.Workspace) auth.Usage
	Tiers() []auth.Tier
}

// Options are what [New] needs.
type Options struct {
	BaseURL        string // scheme and host without a path
	People         *people.People
	Store          Store
	Keys           Keys
	Limits         Limits   // nil: limits are not shown
	Models         Models   // nil: there is no page of models
	Tools          []string // names for a key's allow-list, in the contract's order
	Ask            Ask      // nil: there are no pages of answers
	Operations     *operation.Service
	History        History          // nil: the pages of data do not show it
	Uploads        string           // folder of files that wait to be imported; the system's own when ""
	TrustedProxies []netip.Prefix   // whose X-Forwarded-For is believed
	Counter        limit.Counter    // of sign-ins that fail; counts in this process when nil
	Now            func() time.Time // the real clock, also where answers have a frozen one
	Log            *slog.Logger     // nothing is logged when nil
}

// failedSignIns is how many sign-ins of one address may fail in failedWindow.
const (
	failedSignIns = 100
	failedWindow  = 15 * time.Minute
)

// Console answers every path that is not the API's, and shows the authorization server's pages. It implements
// [http.Handler] and [oauth.Pages].
type Console struct {
	baseURL     string
	people      *people.People
	store       Store
	keys        Keys
	limits      Limits
	models      Models
	tools       []string
	ask         Ask
	operations  *operation.Service
	history     History
	uploads     string
	uploading   chan struct{} // has room for as many files as are taken at a time
	shelf       shelf
	schedules   schedules
	tasks       tasks
	hosts       oauth.Hosts
	addresses   clientip.Addresses
	signIns     *limit.Quota
	crossOrigin *http.CrossOriginProtection
	cookies     cookies
	routes      *http.ServeMux
	templates   map[string]*template.Template
	now         func() time.Time
	log         *slog.Logger
}

// New returns the console.
func New(o Options) *Console {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Counter == nil {
		o.Counter = limit.NewCounter()
	}
	c := &Console{
		baseURL: o.BaseURL, people: o.People, store: o.Store, keys: o.Keys, limits: o.Limits, models: o.Models, tools: o.Tools,
		ask: o.Ask, operations: o.Operations, history: o.History, uploads: o.Uploads, uploading: make(chan struct{}, uploads),
		hosts: oauth.NewHosts(o.BaseURL), addresses: clientip.NewAddresses(o.TrustedProxies),
		signIns: &limit.Quota{What: "sign-ins", Limit: failedSignIns, Window: failedWindow, Counter: o.Counter, Log: o.Log}, crossOrigin: http.NewCrossOriginProtection(),
		cookies: cookies{secure: strings.HasPrefix(o.BaseURL, "https://")}, routes: http.NewServeMux(), templates: parseTemplates(), now: o.Now, log: o.Log,
	}
	c.routes.HandleFunc("GET /{$}", c.signedIn(c.home))
	c.routes.HandleFunc("GET "+signInPath, c.signInPage)
	c.routes.HandleFunc("POST "+signInPath, c.signIn)
	c.routes.HandleFunc("POST "+signOutPath, c.posted(c.signOut))
	c.routes.HandleFunc("GET "+keysPath, c.signedIn(c.keysPage))
	c.routes.HandleFunc("POST "+keysPath, c.posted(c.changeKeys))
	c.routes.HandleFunc("GET "+appsPath, c.signedIn(c.appsPage))
	c.routes.HandleFunc("POST "+appsPath, c.posted(c.revokeApp))
	c.routes.HandleFunc("GET "+connectPath, c.signedIn(c.connectPage))
	c.routes.HandleFunc("GET "+peoplePath, c.signedIn(c.peoplePage))
	c.routes.HandleFunc("POST "+peoplePath, c.posted(c.changePeople))
	c.routes.HandleFunc("GET "+setUpPath+"{link}", c.setUpPage)
	c.routes.HandleFunc("POST "+setUpPath+"{link}", c.setUp)
	c.routes.HandleFunc("GET "+accountPath, c.signedIn(c.accountPage))
	c.routes.HandleFunc("POST "+accountPath, c.posted(c.changeAccount))
	c.routes.HandleFunc("GET "+callsPath, c.signedIn(c.callsPage))
	c.routes.HandleFunc("POST "+callsPath, c.posted(c.changeCalls))
	c.routes.HandleFunc("GET "+securityPath, c.signedIn(c.securityPage))
	if c.ask != nil {
		c.routes.HandleFunc("GET "+dataPath, c.signedIn(c.dataPage))
		c.routes.HandleFunc("POST "+dataPath, c.posted(c.changeData))
		c.routes.HandleFunc("POST "+hooksPath, c.posted(c.changeHooks))
		c.routes.HandleFunc("POST "+forgetPath, c.posted(c.forgetCustomer))
		c.routes.HandleFunc("POST "+checkPath, c.sent(c.checkFile))
		c.routes.HandleFunc("GET "+taskPath, c.signedIn(c.taskPage))
		c.routes.HandleFunc("GET "+mappingPath, c.signedIn(c.mappingPage))
		c.routes.HandleFunc("POST "+mappingPath, c.posted(c.changeMapping))
	}
	if c.history != nil {
		c.routes.HandleFunc("GET "+historyPath, c.signedIn(c.historyPage))
	}
	if c.models != nil {
		c.routes.HandleFunc("GET "+modelsPath, c.signedIn(c.modelsPage))
		c.routes.HandleFunc("POST "+modelsPath, c.posted(c.changeModels))
		c.routes.HandleFunc("GET "+modelsPath+"/chart.svg", c.signedIn(c.modelsChart))
		c.routes.HandleFunc("GET "+modelsPath+"/export.csv", c.signedIn(c.modelsExport))
	}
	if c.ask != nil {
		c.routes.HandleFunc("GET "+forecastsPath, c.signedIn(c.forecastsPage))
		c.routes.HandleFunc("POST "+forecastsPath, c.posted(c.changeForecasts))
		c.routes.HandleFunc("GET "+pacePath, c.signedIn(c.pacePicture))
		c.routes.HandleFunc("GET "+fanPath, c.signedIn(c.fanPicture))
		c.routes.HandleFunc("GET "+powerPath, c.signedIn(c.powerPicture))
		c.routes.HandleFunc("GET "+experimentsPath, c.signedIn(c.experimentsPage))
		c.routes.HandleFunc("POST "+experimentsPath, c.posted(c.changeExperiments))
		c.routes.HandleFunc("GET "+weeksPath, c.signedIn(c.weeksPicture))
	}
	c.routes.HandleFunc("GET /assets/{name}", asset)
	c.routes.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		c.Refuse(w, r, http.StatusNotFound, "There is no such page.")
	})
	return c
}

// The paths.
const (
	signInPath  = "/sign-in"
	signOutPath = "/sign-out"
	keysPath    = "/keys"
	appsPath    = "/apps"
	connectPath = "/connect"

	peoplePath   = "/people"
	setUpPath    = "/set-up/" // and the secret of an invitation
	accountPath  = "/account"
	dataPath     = "/data"
	checkPath    = "/data/check" // where a file goes
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

// maxForm is the largest form that is read, in bytes.
const maxForm = 64 << 10

// ServeHTTP answers one request.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !c.hosts.Know(r.Host) {
		c.Refuse(w, r, http.StatusMisdirectedRequest, "This service is not reached under this name.")
		return
	}
	c.routes.ServeHTTP(w, r)
}

// visit is a request of somebody who is signed in.
type visit struct {
	*http.Request
	visitor people.Visitor
}

// calls returns a call of an operation by the visitor.
func (v visit) calls(ws measure.WorkspaceID) operation.Call {
	return operation.Call{Workspace: ws, Caller: operation.Member(v.visitor.User.ID)}
}

// signedIn shows a page to who is signed in, and the sign-in page to others.
func (c *Console) signedIn(show func(http.ResponseWriter, visit)) http.HandlerFunc {
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

// formPurpose is that of the tokens in the console's own forms.
const formPurpose = "console"

// posted takes a form that was shown to who is signed in. Everything else is refused: forms of other sites, of other
// sessions, and without a token.
func (c *Console) posted(take func(http.ResponseWriter, visit)) http.HandlerFunc {
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

const foreignForm = "This form was not shown to you in this session. Go back, load the page again and repeat what you did."

// readForm reads a form of this site, and answers itself when it is not one.
func (c *Console) readForm(w http.ResponseWriter, r *http.Request) bool {
	if c.crossOrigin.Check(r) != nil {
		c.Refuse(w, r, http.StatusForbidden, foreignForm)
		return false
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		c.Refuse(w, r, http.StatusBadRequest, "The form cannot be read.")
		return false
	}
	return true
}

// fail shows a page that says why something was not done, and what to do next: that the visitor may not, that it was asked for
// wrongly, or that it changed or ended meanwhile. Everything else is logged and not the visitor's to know. The log has the route and not the path, which may
// hold the secret of an invitation.
func (c *Console) fail(w http.ResponseWriter, r *http.Request, err error) {
	switch fault.KindOf(err) {
	case fault.KindForbidden:
		c.Refuse(w, r, http.StatusForbidden, told(err))
	case fault.KindNotFound:
		c.Refuse(w, r, http.StatusNotFound, told(err))
	case fault.KindConflict, fault.KindNotReady:
		c.Refuse(w, r, http.StatusConflict, told(err))
	case fault.KindInvalid:
		c.Refuse(w, r, http.StatusBadRequest, told(err))
	default:
		c.log.LogAttrs(r.Context(), fault.LogLevel(r.Context()), "page", slog.String("route", r.Pattern), slog.Any("error", err))
		c.Refuse(w, r, http.StatusInternalServerError, "The service could not do this now. Try again in a moment.")
	}
}
