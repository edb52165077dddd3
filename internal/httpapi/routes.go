package httpapi

import (
	"net/http"
	"slices"
	"strings"

	"assay/internal/mcp"
)

// The paths.
const (
	apiPath              = "/api/mcp"
	rpcPath              = "/api/mcp/rpc"
	infoPath             = "/api/mcp/info"
	authorizePath        = "/api/mcp/authorize"
	tokenPath            = "/api/mcp/token" //nolint:gosec // a path, not a credential
	registerPath         = "/api/mcp/register"
	resourceMetadataPath = "/.well-known/oauth-protected-resource"
	serverMetadataPath   = "/.well-known/oauth-authorization-server"
	singerPath           = "/api/ingest/singer"
	shopifyPath          = "/api/webhooks/shopify/" // the workspace ID follows
	openapiPath          = "/openapi/mcp.json"
	livePath             = "/healthz"
	readyPath            = "/readyz"
)

// These constants name the routes that logs and metrics do not identify by their path.
const (
	routeHealth    = "health"
	routeWrongPath = "wrong_path"
	routePages     = "pages"
)

// route is a path that the service serves. The OpenAPI document is generated from the table of routes.
type route struct {
	path    string
	name    string // in logs and metrics
	methods []string
	guarded bool // host and origin are checked, and pages of allowed origins may call the route
	serve   func(*service, *exchange, *http.Request)
	docs    map[string]operation // description of each method
}

// routes lists every path of the API. All other paths belong to the pages.
func routes() []route {
	get, post := []string{http.MethodGet, http.MethodHead}, []string{http.MethodPost}
	return []route{
		{rpcPath, "rpc", post, true, (*service).rpc, docRPC()},
		{infoPath, "info", get[:1], true, (*service).serveInfo, docInfo()},
		{singerPath, "singer", post, true, (*service).singer, docSinger()},
		{shopifyPath + "{workspace}", "shopify", post, true, (*service).shopify, docShopify()},
		{authorizePath, "authorize", []string{http.MethodGet, http.MethodPost}, false, (*service).oauth, docAuthorize()},
		{tokenPath, "token", post, true, (*service).oauth, docToken()},
		{registerPath, "register", post, true, (*service).oauth, docRegister()},
		{serverMetadataPath, "server_metadata", get, false, (*service).serverMetadata, docServerMetadata()},
		{serverMetadataPath + rpcPath, "server_metadata", get, false, (*service).serverMetadata, docServerMetadata()},
		{resourceMetadataPath, "resource_metadata", get, false, (*service).serveResource, docResource()},
		{resourceMetadataPath + rpcPath, "resource_metadata", get, false, (*service).serveResource, docResource()},
		{openapiPath, "openapi", get, false, (*service).serveOpenAPI, docOpenAPI()},
		{livePath, routeHealth, get, false, (*service).live, docHealth("Check that the process runs", "The process runs")},
		{readyPath, routeHealth, get, false, (*service).ready, docHealth("Check that the stores are available", "The stores are available. The status is impaired instead of ready while the facts of a workspace cannot be opened; all other workspaces work")},
	}
}

// dispatch finds the route by the exact path. Unlike [http.ServeMux], it does not clean or redirect paths. The response
// to a nearly correct path contains a hint. The order of checks is path, method, host, origin.
func (s *service) dispatch(x *exchange, r *http.Request) {
	known := s.routes[r.URL.Path]
	if named := strings.TrimPrefix(r.URL.Path, shopifyPath); named != r.URL.Path && named != "" && !strings.Contains(named, "/") {
		known = s.routes[shopifyPath+"{workspace}"]
	}
	switch {
	case strings.Contains(r.URL.EscapedPath(), "%") && (known != nil || strings.HasPrefix(r.URL.Path, "/api/")):
		// The API's paths need no escapes. An escape may be an attempt to bypass a filter that compares paths as text.
		x.route = routeWrongPath
		x.fail(mcp.WrongPath, map[string]string{"reason": "send the path without percent-encoding"})
	case known != nil:
		x.route = known.name
		s.enter(known, x, r)
	case r.URL.Path == apiPath || strings.HasPrefix(r.URL.Path, apiPath+"/"):
		x.route = routeWrongPath
		x.fail(mcp.WrongPath, map[string]string{"reason": "use POST " + rpcPath + " for calls and GET " + infoPath + " for metadata"})
	case s.Pages != nil:
		x.route = routePages
		s.withForm(x, r, s.Pages)
	default:
		x.route = routePages
		x.json(http.StatusNotFound, []byte(`{"error":"not_found"}`))
	}
}

// delegated names the routes for which the authorization server answers the CORS preflight request.
var delegated = []string{"authorize", "server_metadata"}

// maxForm is the maximum size in bytes of a body that the pages and the authorization server read into memory.
const maxForm = 64 << 10

// withForm reserves memory for the request's body, and then calls a handler that reads the body before the caller is
// authenticated.
func (s *service) withForm(x *exchange, r *http.Request, next http.Handler) {
	size := r.ContentLength
	if size < 0 || size > maxForm {
		size = maxForm
	}
	release, err := s.Bodies.Reserve(s.AddressOf(r), size)
	if err != nil {
		s.busy(x, map[string]string{"error": "temporarily_unavailable", "error_description": "Too many forms arrive at the same time."})
		return
	}
	defer release()
	next.ServeHTTP(x, r)
}

// openPreflight allows scripts of any site to read a public document and to send the headers of MCP clients.
func openPreflight(x *exchange) {
	h := x.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Allow-Methods", "GET")
	h.Set("Access-Control-Allow-Headers", "Content-Type, Mcp-Protocol-Version")
	x.WriteHeader(http.StatusNoContent)
}

func (s *service) enter(known *route, x *exchange, r *http.Request) {
	if r.Method == http.MethodOptions && known.guarded {
		s.preflight(known, x, r)
		return
	}
	if r.Method == http.MethodOptions && known.name == "resource_metadata" {
		openPreflight(x)
		return
	}
	// The authorization server answers a browser's preflight for its own metadata.
	passes := r.Method == http.MethodOptions && s.OAuth != nil && slices.Contains(delegated, known.name)
	if !passes && !slices.Contains(known.methods, r.Method) {
		x.Header().Set("Allow", strings.Join(known.methods, ", "))
		x.fail(mcp.MethodNotAllowed, nil)
		return
	}
	if known.guarded && !s.admit(x, r) {
		return
	}
	known.serve(s, x, r)
}
