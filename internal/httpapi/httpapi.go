// Package httpapi is the service's HTTP interface: routes, authentication, limits, discovery and the OpenAPI document.
// Package mcp interprets the messages.
package httpapi

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"assay/internal/auth"
	"assay/internal/bodybudget"
	"assay/internal/mcp"
)

// Authenticator returns the principal of a bearer token. For an unknown token, the error is of kind unauthenticated. If
// a setting that tokens need is missing, the error is of kind misconfigured.
type Authenticator interface {
	Authenticate(ctx context.Context, bearer string) (auth.Principal, error)
}

// Limiter counts a request of a workspace and decides whether it is allowed.
type Limiter interface {
	Count(ctx context.Context, p auth.Principal) auth.Decision
}

// Recorder records measurements of the service. [Metrics] implements it.
type Recorder interface {
	// Call records a tools/call: the name of the tool, or "unknown", and an outcome of [mcp.Reply].
	Call(tool, outcome string, took time.Duration)
	// Request records a request: the name of its route and the HTTP status.
	Request(route string, status int)
	// RateLimited records a request above the rate limit.
	RateLimited()
}

// ToolDoc is the description of a tool in the OpenAPI document.
type ToolDoc struct {
	Name, Title, Description string
	Parameters               json.RawMessage // JSON Schema of the arguments
	Result                   json.RawMessage // JSON Schema of the result with format json
}

// Options are the dependencies and settings of the service.
type Options struct {
	BaseURL        string   // scheme and host, without a path: where clients reach the service
	AllowedOrigins []string // further origins of browsers, such as "https://app.example"
	Version        string
	Tools          []ToolDoc // in the contract's order
	Instructions   string    // instructions that the client's model receives when the client connects

	Auth    Authenticator
	Limits  Limiter
	Session func(p auth.Principal, requestID string) mcp.Session
	Ready   func(context.Context) error // whether the stores can be reached; nil: always

	// Unopened returns the number of workspaces with facts that cannot be opened. If Unopened is nil, there are none.
	// Calls of other workspaces are not affected.
	Unopened func() int

	// Singer imports the messages of a Singer tap into the caller's workspace. It returns the last state that the tap
	// may store, or nil if there is none. It also returns a report as JSON. It returns the state and the report even
	// with an error. If Singer is nil, the service has no endpoint for Singer messages.
	Singer func(ctx context.Context, p auth.Principal, messages io.Reader, skipRejected bool) (state, report json.RawMessage, err error)

	// Shopify stores a message of a shop and returns the outcome as one word. It reads the body only if the signature can
	// be valid. An invalid signature is a fault of kind unauthenticated, and a malformed body is a fault of kind invalid.
	// For [bodybudget.ErrFull], the response asks the shop to send the message again later. If Shopify is nil, the service
	// has no endpoint for messages of shops.
	Shopify func(ctx context.Context, m ShopMessage) (outcome string, err error)

	// Bodies bounds the memory of request bodies of anonymous callers. If it is nil, the service has its own budget of
	// 64 MiB.
	Bodies *bodybudget.Budget

	// AddressOf returns the client address of a request. Bodies limits the memory per address. If AddressOf is nil, all
	// requests share one address.
	AddressOf func(*http.Request) netip.Addr

	OAuth http.Handler // the authorization server's endpoints and metadata; nil: there is none
	Pages http.Handler // every path that is not the API's; nil: there are none

	Log     *slog.Logger
	Metrics Recorder         // nil: nothing is recorded
	Now     func() time.Time // the real clock, for durations
}

// service handles requests. It is immutable.
type service struct {
	Options
	gate    gate
	routes  map[string]*route
	server  mcp.Server
	openapi []byte
	info    []byte
	// resource is the protected-resource metadata, and metadataURL is its address in challenges.
	resource    []byte
	metadataURL string
}

// New returns the handler of all HTTP requests to the service. It panics if a required part is missing or the base URL
// is invalid. The validation of the settings rules out an invalid base URL.
func New(o Options) http.Handler {
	if o.Auth == nil || o.Limits == nil || o.Session == nil || o.Log == nil || o.Now == nil {
		panic("httpapi: Auth, Limits, Session, Log and Now are needed")
	}
	s := &service{
		Options:     o,
		gate:        newGate(o.BaseURL, o.AllowedOrigins),
		server:      mcp.Server{Title: "Assay", Version: o.Version, Instructions: o.Instructions},
		openapi:     OpenAPI(o.BaseURL, o.Version, o.Tools),
		metadataURL: o.BaseURL + resourceMetadataPath + rpcPath,
	}
	s.info = s.describe()
	s.resource = s.resourceMetadata()
	if s.Bodies == nil {
		s.Bodies = bodybudget.New(64<<20, 64<<20)
	}
	if s.AddressOf == nil {
		s.AddressOf = func(*http.Request) netip.Addr { return netip.Addr{} }
	}
	if s.Metrics == nil {
		s.Metrics = unrecorded{}
	}
	s.routes = map[string]*route{}
	for _, r := range routes() {
		s.routes[r.path] = &r
	}
	return s
}

// unrecorded records nothing.
type unrecorded struct{}

func (unrecorded) Call(string, string, time.Duration) {}
func (unrecorded) Request(string, int)                {}
func (unrecorded) RateLimited()                       {}
