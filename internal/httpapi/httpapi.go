// Package httpapi is the service's face on HTTP: routes, who may call, limits, discovery and the OpenAPI document.
// What the messages mean is decided in mcp; nothing is measured here.
package httpapi

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"time"

	"assay/internal/auth"
	"assay/internal/bodybudget"
	"assay/internal/mcp"
)

// Authenticator tells whose credential a bearer token is. Its errors are of kind unauthenticated when the token is
// nobody's and of kind misconfigured when the operator has to set something before tokens can be checked.
type Authenticator interface {
	Authenticate(ctx context.Context, bearer string) (auth.Principal, error)
}

// Limiter counts a call of a workspace and says whether it may be answered.
type Limiter interface {
	Count(ctx context.Context, p auth.Principal) auth.Decision
}

// Recorder takes measurements of the service. [Metrics] is one.
type Recorder interface {
	// Call is told of each tools/call: the tool's name, or "unknown" for one that does not exist, and an outcome
	// of [mcp.Reply].
	Call(tool, outcome string, took time.Duration)
	// Request is told of each request: the name of the route, which is one of few, and the HTTP status.
	Request(route string, status int)
	// RateLimited is told of each call that the limit refused.
	RateLimited()
}

// ToolDoc is what the OpenAPI document says of a tool.
type ToolDoc struct {
	Name, Title, Description string
	Parameters               json.RawMessage // JSON Schema of the arguments
	Result                   json.RawMessage // JSON Schema of the result with format json
}

// Options are the parts that the service is made of.
type Options struct {
	BaseURL        string   // scheme and host, without a path: where clients reach the service
	AllowedOrigins []string // further origins of browsers, such as "https://app.example"
	Version        string
	Tools          []ToolDoc // in the contract's order
	Instructions   string    // for the client's model, when it connects

	Auth    Authenticator
	Limits  Limiter
	Session func(p auth.Principal, requestID string) mcp.Session
	Ready   func(context.Context) error // whether the stores can be reached; nil: always

	// Unopened is how many workspaces' facts cannot be opened; nil: none. The others are answered.
	Unopened func() int

	// Singer takes the messages of a Singer tap into the caller's workspace. It returns the last state that may be kept,
	// nil when there is none, and a report, as JSON; both also beside an error. Nil: there is no such endpoint.
	Singer func(ctx context.Context, p auth.Principal, messages io.Reader, skipRejected bool) (state, report json.RawMessage, err error)

	// Shopify stores a message of a shop and returns in a word what became of it. It reads the body, and only where its
	// signature can be valid. A signature that is not the workspace's is a fault of kind unauthenticated, a body that is not
	// what it says one of kind invalid; [bodybudget.ErrFull] means to send it again later. Nil: there is no such endpoint.
	Shopify func(ctx context.Context, m ShopMessage) (outcome string, err error)

	// Bodies bounds the memory of request bodies whose sender is not known yet; nil: 64 MiB of this service's own.
	Bodies *bodybudget.Budget

	OAuth http.Handler // the authorization server's endpoints and metadata; nil: there is none
	Pages http.Handler // every path that is not the API's; nil: there are none

	Log     *slog.Logger
	Metrics Recorder         // nil: nothing is recorded
	Now     func() time.Time // the real clock, for durations
}

// service answers requests. Nothing in it changes after it was made.
type service struct {
	Options
	gate    gate
	routes  map[string]*route
	server  mcp.Server
	openapi []byte
	info    []byte
	// resource is the protected-resource metadata, metadataURL its address in challenges.
	resource    []byte
	metadataURL string
}

// New returns the handler of everything the service answers on HTTP. It panics when the base URL is not one, which
// the settings have to make sure of, and when a part is missing that has no stand-in.
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
		s.Bodies = bodybudget.New(64 << 20)
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
