package httpapi

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"

	"assay/internal/control"
	"assay/internal/mcp"
)

// describe returns the response body of /api/mcp/info.
func (s *service) describe() []byte {
	tools := make([]string, len(s.Tools))
	for i, t := range s.Tools {
		tools[i] = t.Name
	}
	methods := []string{"api_key"}
	if s.OAuth != nil {
		methods = []string{"oauth", "api_key"}
	}
	return mustJSON(map[string]any{
		"name":             "assay",
		"version":          s.Version,
		"protocolVersions": mcp.ProtocolVersions(),
		"tools":            tools,
		"auth": map[string]any{
			"methods":           methods,
			"header":            "Authorization: Bearer <access token or API key>",
			"resource_metadata": s.metadataURL,
			"scopes":            control.Scopes(),
		},
	})
}

// serveInfo sends the description of the service to an authenticated caller. The request does not count against the
// rate limit.
func (s *service) serveInfo(x *exchange, r *http.Request) {
	if s.authenticate(x, r) {
		x.json(http.StatusOK, s.info)
	}
}

// resourceMetadata names the authorization server that issues tokens for the endpoint (RFC 9728). It offers only the
// lowest scope. If a call needs more scopes, the response asks the client for them.
func (s *service) resourceMetadata() []byte {
	return mustJSON(map[string]any{
		"resource":                 s.BaseURL + rpcPath,
		"authorization_servers":    []string{s.BaseURL},
		"scopes_supported":         []control.Scope{control.ScopeRead},
		"bearer_methods_supported": []string{"header"},
		"resource_name":            "Assay",
	})
}

func (s *service) serveResource(x *exchange, _ *http.Request) {
	x.Header().Set("Access-Control-Allow-Origin", "*")
	x.json(http.StatusOK, s.resource)
}

func (s *service) serveOpenAPI(x *exchange, _ *http.Request) {
	x.Header().Set("Access-Control-Allow-Origin", "*")
	x.json(http.StatusOK, s.openapi)
}

// oauth passes a request to the authorization server. Without an authorization server, the response is an OAuth error.
func (s *service) oauth(x *exchange, r *http.Request) {
	if s.OAuth == nil {
		x.json(http.StatusServiceUnavailable, []byte(`{"error":"temporarily_unavailable","error_description":"This service has no authorization server. Use an API key."}`))
		return
	}
	s.withForm(x, r, s.OAuth)
}

func (s *service) serverMetadata(x *exchange, r *http.Request) {
	if s.OAuth == nil {
		x.json(http.StatusNotFound, []byte(`{"error":"not_found"}`))
		return
	}
	s.OAuth.ServeHTTP(x, r)
}

func (s *service) live(x *exchange, _ *http.Request) {
	x.json(http.StatusOK, []byte(`{"status":"ok"}`))
}

func (s *service) ready(x *exchange, r *http.Request) {
	if s.Ready != nil {
		if err := s.Ready(r.Context()); err != nil {
			s.Log.WarnContext(r.Context(), "not ready", slog.Any("error", err))
			x.json(http.StatusServiceUnavailable, []byte(`{"status":"unavailable"}`))
			return
		}
	}
	if s.Unopened != nil && s.Unopened() > 0 { // the log names the workspaces; anonymous callers do not see them
		x.json(http.StatusOK, []byte(`{"status":"impaired"}`))
		return
	}
	x.json(http.StatusOK, []byte(`{"status":"ready"}`))
}

// mustJSON encodes a value of the program without escaping <, > and &.
func mustJSON(v any) []byte {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("value that JSON cannot hold: " + err.Error())
	}
	return []byte(strings.TrimSuffix(b.String(), "\n"))
}
