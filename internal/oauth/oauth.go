// Package oauth is the authorization server. People authorize clients, clients get tokens, and the server verifies the
// tokens. It implements OAuth 2.1 with PKCE for public clients and one resource. It does not support client secrets,
// the implicit grant or OpenID.
package oauth

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"assay/internal/auth"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/limit"
	"assay/internal/oauth/clientip"
	"assay/internal/oauth/people"
)

// Lifetimes.
const (
	accessLifetime  = 10 * time.Minute
	codeLifetime    = time.Minute
	requestLifetime = 10 * time.Minute    // time for a decision on the consent page
	refreshIdle     = 30 * 24 * time.Hour // time after which an unused refresh token is invalid
	grantLifetime   = 90 * 24 * time.Hour // time after which the person has to authorize the client again
	reuseGrace      = 10 * time.Second    // time within which a repeated refresh does not revoke the grant
	leeway          = 30 * time.Second    // accepted clock difference
)

// Limits per IP address.
const (
	registrationsPerHour = 20
	documentsPerHour     = 60
)

// The paths.
const (
	authorizePath        = "/api/mcp/authorize"
	tokenPath            = "/api/mcp/token" //nolint:gosec // a path, not a credential
	registerPath         = "/api/mcp/register"
	rpcPath              = "/api/mcp/rpc"
	metadataPath         = "/.well-known/oauth-authorization-server"
	suffixedMetadataPath = metadataPath + rpcPath
)

// Store stores clients, requests, grants and tokens. A missing object is a fault of kind not_found. One statement marks
// a single-use object as used, so only one of several concurrent uses succeeds.
type Store interface {
	CreateClient(ctx context.Context, c control.Client) error
	Client(ctx context.Context, id control.ClientID) (control.Client, error)

	KeepRequest(ctx context.Context, r control.AuthRequest) error
	Request(ctx context.Context, hash []byte) (control.AuthRequest, error)
	ApproveRequest(ctx context.Context, hash []byte, g control.Grant, c control.Code, by control.By) error
	RefuseRequest(ctx context.Context, hash []byte, by control.By) error

	Access(ctx context.Context, grant control.GrantID) (control.Access, error)
	// State returns a number that changes with each change of the data by any process.
	State(ctx context.Context) (uint64, error)
	RevokeGrant(ctx context.Context, id control.GrantID, why string, by control.By) (control.Grant, error)

	Code(ctx context.Context, hash []byte) (control.Code, error)
	RedeemCode(ctx context.Context, hash []byte, first control.RefreshToken, at time.Time) (bool, error)
	RefreshToken(ctx context.Context, hash []byte) (t control.RefreshToken, successorUsed bool, err error)
	RotateRefreshToken(ctx context.Context, hash []byte, next control.RefreshToken, at time.Time) (bool, error)

	Memberships(ctx context.Context, id control.UserID) ([]control.Membership, error)
	AppendEvent(ctx context.Context, e control.Event) error
	Prune(ctx context.Context, now time.Time) error
}

// Pages are the HTML pages of the authorization server.
type Pages interface {
	// Visitor returns the person who is signed in with the browser, or a fault of kind unauthenticated.
	Visitor(r *http.Request) (people.Visitor, error)
	// SignIn redirects the browser to the sign-in page, and from there to next, which is a path of this service.
	SignIn(w http.ResponseWriter, r *http.Request, next string)
	// Consent shows the consent page. Its form is posted to this server. The fields are csrf (the form token of
	// [ConsentForm]), request, workspace, a scope for each selected box, and decision (approve or deny).
	Consent(w http.ResponseWriter, r *http.Request, c Consent)
	// Refuse shows why a request is rejected. The text is for people.
	Refuse(w http.ResponseWriter, r *http.Request, status int, text string)
}

// ConsentForm is the purpose of the consent form's token.
const ConsentForm = "consent"

// Consent is the content of the consent page.
type Consent struct {
	Visitor     people.Visitor
	Request     people.Secret // secret of the request, for the form
	Client      string        // name in the client's registration or document
	Origin      string        // host of the client's metadata document; "" for a registered client
	Redirect    string        // redirect URI
	Host        string        // host of the redirect URI, or its scheme if the host is not meaningful
	OnlyLocal   bool          // every redirect URI of the client is on the visitor's own machine
	Scopes      []control.Scope
	Memberships []control.Membership // at least one
}

// Options configure [New].
type Options struct {
	BaseURL        string // scheme and host without a path: the issuer
	Store          Store
	Secrets        [][]byte         // the first one signs, all verify; none: no tokens are issued or accepted
	TrustedProxies []netip.Prefix   // networks of proxies that are trusted to set X-Forwarded-For
	Counter        limit.Counter    // counts anonymous requests; in this process when nil
	Now            func() time.Time // the real clock, even where answers use a fixed date
	Log            *slog.Logger     // nil: no logging
}

// minSecretLen is the minimum length of a signing secret in bytes.
const minSecretLen = 32

// Server is the authorization server. It implements auth.Tokens. Its methods are safe for concurrent use.
type Server struct {
	issuer          string
	resource        string
	store           Store
	keys            *keyring // nil: there is no signing secret
	known           auth.Known
	hosts           Hosts
	addresses       clientip.Addresses
	registrations   *limit.Quota
	documents       *documents
	documentFetches *limit.Quota
	crossOrigin     *http.CrossOriginProtection
	metadata        []byte
	now             func() time.Time
	log             *slog.Logger
}

// New returns the server. A secret of less than 32 bytes is a fault of kind misconfigured.
func New(o Options) (*Server, error) {
	for i, secret := range o.Secrets {
		if len(secret) < minSecretLen {
			return nil, fault.New(fault.KindMisconfigured, "signing secret %d has %d bytes; at least %d are needed", i+1, len(secret), minSecretLen).
				WithHint("create one with: openssl rand -hex 32")
		}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Counter == nil {
		o.Counter = limit.NewCounter()
	}
	s := &Server{
		issuer: o.BaseURL, resource: o.BaseURL + rpcPath, store: o.Store,
		hosts: NewHosts(o.BaseURL), addresses: clientip.NewAddresses(o.TrustedProxies),
		registrations:   &limit.Quota{What: "registrations", Limit: registrationsPerHour, Window: time.Hour, Counter: o.Counter, Log: o.Log},
		documents:       newDocuments(o.Now),
		documentFetches: &limit.Quota{What: "client documents", Limit: documentsPerHour, Window: time.Hour, Counter: o.Counter, Log: o.Log},
		crossOrigin:     http.NewCrossOriginProtection(),
		metadata:        metadata(o.BaseURL), now: o.Now, log: o.Log,
	}
	var err error
	if s.keys, err = newKeyring(o.Secrets); err != nil {
		return nil, fmt.Errorf("signing keys: %w", err)
	}
	return s, nil
}

// Handler serves the metadata documents and the authorize, token and register endpoints. The caller checks the Host and
// Origin headers of requests to token and register, as for every endpoint that scripts of allowed origins may call. The
// pages are a parameter of Handler, because they depend on the server.
func (s *Server) Handler(pages Pages) http.Handler {
	talk := &dialogue{Server: s, pages: pages}
	endpoints := map[string]struct {
		methods []string
		open    bool // scripts of any origin may read the response
		serve   http.HandlerFunc
	}{
		metadataPath:         {[]string{http.MethodGet, http.MethodHead}, true, s.serveMetadata},
		suffixedMetadataPath: {[]string{http.MethodGet, http.MethodHead}, true, s.serveMetadata},
		authorizePath:        {[]string{http.MethodGet, http.MethodPost}, false, talk.authorize},
		tokenPath:            {[]string{http.MethodPost}, false, s.token},
		registerPath:         {[]string{http.MethodPost}, false, s.register},
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e, known := endpoints[r.URL.Path]
		if !known {
			http.NotFound(w, r)
			return
		}
		if e.open {
			w.Header().Set("Access-Control-Allow-Origin", "*")
			if r.Method == http.MethodOptions {
				preflight(w, e.methods)
				return
			}
		}
		if !allows(w, r, e.methods) {
			return
		}
		e.serve(w, r)
	})
}

// Run removes expired objects periodically until ctx ends. It returns nil.
func (s *Server) Run(ctx context.Context) error {
	tick := time.NewTicker(time.Hour)
	defer tick.Stop()
	for {
		if err := s.store.Prune(ctx, s.now()); err != nil && ctx.Err() == nil {
			s.log.WarnContext(ctx, "expired objects not removed", slog.Any("error", err))
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// instant returns the current time in the store's precision.
func (s *Server) instant() time.Time { return s.now().UTC().Truncate(time.Microsecond) }
