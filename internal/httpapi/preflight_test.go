package httpapi

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestPreflightsReachOnlyWhatBrowsersMayCall(t *testing.T) {
	t.Parallel()
	options := testOptions()
	options.OAuth = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	service := New(options)
	for path, want := range map[string]int{
		"/.well-known/oauth-protected-resource":             http.StatusNoContent,
		"/.well-known/oauth-protected-resource/api/mcp/rpc": http.StatusNoContent,
		"/.well-known/oauth-authorization-server":           http.StatusTeapot,
		"/api/mcp/token":    http.StatusForbidden, // without an Origin
		"/api/mcp/register": http.StatusForbidden,
		"/openapi/mcp.json": http.StatusMethodNotAllowed,
		"/healthz":          http.StatusMethodNotAllowed,
		"/readyz":           http.StatusMethodNotAllowed,
	} {
		answer := httptest.NewRecorder()
		service.ServeHTTP(answer, httptest.NewRequest(http.MethodOptions, testBase+path, http.NoBody))
		if answer.Code != want {
			t.Errorf("OPTIONS %s: %d, want %d", path, answer.Code, want)
		}
	}
}

func TestThePortThatTheSchemeHasAnywayMayBeLeftOut(t *testing.T) {
	t.Parallel()
	for base, hosts := range map[string][]string{
		"https://assay.example":     {"assay.example", "assay.example:443"},
		"https://assay.example:443": {"assay.example", "assay.example:443"},
		"http://127.0.0.1:80":       {"127.0.0.1", "127.0.0.1:80", "localhost", "localhost:80"},
	} {
		g := newGate(base, nil)
		for _, host := range hosts {
			if !g.knows(host) {
				t.Errorf("%s does not accept the host %s", base, host)
			}
		}
		if g.knows("evil.example") {
			t.Errorf("%s accepts a foreign host", base)
		}
	}
}
