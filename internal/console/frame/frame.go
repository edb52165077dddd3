// Package frame contains the common parts of all pages: the visitor's session and workspace, templates, forms with CSRF
// tokens, tool answers, jobs, charts and formats. It contains no page.
package frame

import (
	"context"
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"assay/internal/console/frame/cookie"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/oauth/people"
	"assay/internal/operation"
)

// Store reads workspaces, grants, mappings, calls and the audit log. A missing object results in a fault of kind
// not_found.
type Store interface {
	Annotations(ctx context.Context, ws measure.WorkspaceID) ([]control.Annotation, error)
	DismissedInsights(ctx context.Context, ws measure.WorkspaceID) ([]control.DismissedInsight, error)
	Workspace(ctx context.Context, id measure.WorkspaceID) (control.Workspace, error)
	Client(ctx context.Context, id control.ClientID) (control.Client, error)
	Calls(ctx context.Context, f control.CallFilter) ([]control.Call, error)
	Events(ctx context.Context, f control.EventFilter) ([]control.Event, error)
	Grants(ctx context.Context, ws measure.WorkspaceID) ([]control.Grant, error)
	HookSecrets(ctx context.Context, ws measure.WorkspaceID) ([]control.HookSecret, error)
	Mappings(ctx context.Context, ws measure.WorkspaceID) ([]control.Mapping, error)
	Mapping(ctx context.Context, ws measure.WorkspaceID, name string) (control.Mapping, error)
	ShareByHash(ctx context.Context, hash []byte) (control.Share, control.Workspace, error)
	TouchShare(ctx context.Context, id control.ShareID, used time.Time) error
}

// Keys lists API keys.
type Keys interface {
	List(ctx context.Context, ws measure.WorkspaceID) ([]control.Key, error)
}

// Frame contains the dependencies of all pages.
type Frame struct {
	BaseURL     string
	People      *people.People
	Store       Store
	Keys        Keys
	Ask         Ask
	Operations  *operation.Service
	CrossOrigin *http.CrossOriginProtection
	Cookies     cookie.Cookies
	templates   map[string]*template.Template
	assets      assets
	Now         func() time.Time
	Log         *slog.Logger
}

// Options are the dependencies of [New].
type Options struct {
	BaseURL    string // scheme and host without a path
	People     *people.People
	Store      Store
	Keys       Keys
	Ask        Ask // nil: no pages that show answers of tools
	Operations *operation.Service
	Now        func() time.Time // the real clock, even if answers use a fixed clock
	Log        *slog.Logger
	Templates  []Templates // templates of each group of pages
	Assets     fs.FS       // style sheets, scripts and icons, in the folder assets
}

// New returns the frame of the pages.
func New(o Options) *Frame {
	files := newAssets(o.Assets)
	return &Frame{
		BaseURL: o.BaseURL, People: o.People, Store: o.Store, Keys: o.Keys, Ask: o.Ask, Operations: o.Operations,
		CrossOrigin: http.NewCrossOriginProtection(), Cookies: cookie.Cookies{Secure: strings.HasPrefix(o.BaseURL, "https://")},
		templates: parseTemplates(o.Templates, files), assets: files, Now: o.Now, Log: o.Log,
	}
}

// Paths that pages of several groups link to.
const (
	SignInPath    = "/sign-in"
	SetUpPath     = "/set-up/" // followed by the secret of an invitation
	ModelsPath    = "/models"
	OptimizerPath = "/optimizer"

	BudgetChangesPath = "/budget-changes"
	AlertsPath        = "/alerts"
)

// maxForm is the maximum size of a form in bytes.
const maxForm = 64 << 10

// Visitor returns the signed-in user of a request, or a fault of kind unauthenticated.
func (c *Frame) Visitor(r *http.Request) (people.Visitor, error) {
	return c.People.Visitor(r.Context(), c.Cookies.Read(r, cookie.Session))
}

// SignIn redirects to the sign-in page, which redirects to the path next.
func (c *Frame) SignIn(w http.ResponseWriter, _ *http.Request, next string) {
	See(w, SignInPath+"?"+url.Values{"next": {next}}.Encode())
}

// See redirects to a path of this service with 303 See Other.
func See(w http.ResponseWriter, path string) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Location", path)
	w.WriteHeader(http.StatusSeeOther)
}

// Visit is the request of a signed-in user, or of a person who opened a share link.
type Visit struct {
	*http.Request
	Visitor people.Visitor
	Actor   string // name of a person with a share link in the call log; "" for a signed-in user
}

// Calls returns an operation call on the workspace with the visitor as the caller.
func (v Visit) Calls(ws measure.WorkspaceID) operation.Call {
	return operation.Call{Workspace: ws, Caller: operation.Member(v.Visitor.User.ID)}
}

// SignedIn shows a page to signed-in users and redirects others to the sign-in page.
func (c *Frame) SignedIn(show func(http.ResponseWriter, Visit)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		visitor, err := c.Visitor(r)
		switch {
		case err == nil:
			show(w, Visit{Request: r, Visitor: visitor})
		case fault.KindOf(err) == fault.KindUnauthenticated:
			c.SignIn(w, r, r.URL.RequestURI())
		default:
			c.Fail(w, r, err)
		}
	}
}

// FormPurpose is the purpose of the CSRF tokens in forms of signed-in users.
const FormPurpose = "console"

// Posted accepts the form of a signed-in user. It rejects forms that come from other sites, belong to other sessions or
// have no token.
func (c *Frame) Posted(take func(http.ResponseWriter, Visit)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !c.ReadForm(w, r) {
			return
		}
		visitor, err := c.Visitor(r)
		if err != nil || !visitor.Secret.AcceptsForm(FormPurpose, r.PostForm.Get("csrf")) {
			c.Refuse(w, r, http.StatusForbidden, ForeignForm)
			return
		}
		take(w, Visit{Request: r, Visitor: visitor})
	}
}

// Messages that several pages show.
const (
	ForeignForm   = "This form does not belong to your session. Go back, reload the page and try again."
	UnknownAction = "Unknown form action. Reload the page and try again."
	NoSuchChart   = "Chart not found. Reload the page."
)

// ErrUnknownAction reports a form with an action that the page does not have.
var ErrUnknownAction = fault.Invalid("unknown form action").WithHint("reload the page and try again")

// ReadForm parses a form of this site. On failure it writes the error page and returns false.
func (c *Frame) ReadForm(w http.ResponseWriter, r *http.Request) bool {
	if c.CrossOrigin.Check(r) != nil {
		c.Refuse(w, r, http.StatusForbidden, ForeignForm)
		return false
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		c.Refuse(w, r, http.StatusBadRequest, "Assay cannot read the form. Reload the page and try again.")
		return false
	}
	return true
}

// Fail shows an error page with the cause and the next step for faults of the kinds forbidden, not_found, conflict,
// not_ready, invalid and unavailable. Other errors are logged and shown as a general message. The log contains the
// route instead of the path, because a path can contain the secret of an invitation.
func (c *Frame) Fail(w http.ResponseWriter, r *http.Request, err error) {
	switch fault.KindOf(err) {
	case fault.KindForbidden:
		c.Refuse(w, r, http.StatusForbidden, PublicText(err))
	case fault.KindNotFound:
		c.Refuse(w, r, http.StatusNotFound, PublicText(err))
	case fault.KindConflict, fault.KindNotReady:
		c.Refuse(w, r, http.StatusConflict, PublicText(err))
	case fault.KindInvalid:
		c.Refuse(w, r, http.StatusBadRequest, PublicText(err))
	case fault.KindUnavailable:
		c.logFailure(r, err)
		w.Header().Set("Retry-After", "5")
		c.Refuse(w, r, http.StatusServiceUnavailable, PublicText(err))
	default:
		c.logFailure(r, err)
		c.Refuse(w, r, http.StatusInternalServerError, "The request failed because of an internal error. Try again. If the error occurs again, ask the operator to check the log.")
	}
}

func (c *Frame) logFailure(r *http.Request, err error) {
	c.Log.LogAttrs(r.Context(), fault.LogLevel(r.Context(), err), "page", slog.String("route", r.Pattern), slog.Any("error", err))
}
