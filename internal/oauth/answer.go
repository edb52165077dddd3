package oauth

import (
	"encoding/json"
	"log/slog"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/internal/fault"
)

// The error codes come from RFC 6749, 7591, 8707 and 9101.
const (
	invalidRequest         = "invalid_request"
	invalidClient          = "invalid_client"
	invalidGrant           = "invalid_grant"
	invalidScope           = "invalid_scope"
	invalidTarget          = "invalid_target"
	invalidRedirectURI     = "invalid_redirect_uri"
	invalidClientMetadata  = "invalid_client_metadata"
	unsupportedGrantType   = "unsupported_grant_type"
	unsupportedResponse    = "unsupported_response_type"
	requestNotSupported    = "request_not_supported"
	loginRequired          = "login_required"
	consentRequired        = "consent_required"
	accessDenied           = "access_denied"
	serverError            = "server_error"
	temporarilyUnavailable = "temporarily_unavailable"
)

// refusal is an OAuth error response. It never contains the caller's input.
type refusal struct {
	status int
	code   string
	text   string
}

// Error implements error.
func (r *refusal) Error() string { return r.code + ": " + r.text }

func refuse(code, text string) *refusal {
	return &refusal{status: http.StatusBadRequest, code: code, text: text}
}

// retryAfter is the value of the Retry-After header of responses with status 503, in seconds.
const retryAfter = "5"

// write sends the error to the client, in OAuth's JSON format.
func (r *refusal) write(w http.ResponseWriter) {
	if r.status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", retryAfter)
	}
	writeJSON(w, r.status, map[string]string{"error": r.code, "error_description": r.text})
}

// notConfigured returns the error for requests that need a signing secret when none is set.
func notConfigured() *refusal {
	return &refusal{status: http.StatusInternalServerError, code: serverError, text: "the server has no signing secret; the operator has to configure one"}
}

// report logs details that the caller must not see.
func (s *Server) report(r *http.Request, err error) {
	s.log.LogAttrs(r.Context(), fault.LogLevel(r.Context(), err), "authorization server", slog.String("path", r.URL.Path), slog.Any("error", err))
}

// broken logs an internal failure and returns the error response. If the store does not respond, the response asks the
// client to try again.
func (s *Server) broken(r *http.Request, err error) *refusal {
	s.report(r, err)
	if fault.KindOf(err) == fault.KindUnavailable {
		return &refusal{status: http.StatusServiceUnavailable, code: temporarilyUnavailable, text: "the service cannot reach its data; try again in a few seconds"}
	}
	return &refusal{status: http.StatusInternalServerError, code: serverError, text: "internal error; try again later"}
}

// busy rejects a request from an address above its rate limit.
func busy(w http.ResponseWriter, wait time.Duration, text string) {
	w.Header().Set("Retry-After", strconv.Itoa(max(1, int(math.Ceil(wait.Seconds())))))
	(&refusal{status: http.StatusTooManyRequests, code: temporarilyUnavailable, text: text}).write(w)
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	text, err := json.Marshal(body)
	if err != nil {
		panic("value that JSON cannot hold: " + err.Error())
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	if _, err := w.Write(text); err != nil {
		return // the client has disconnected
	}
}

func preflight(w http.ResponseWriter, methods []string) {
	h := w.Header()
	h.Set("Access-Control-Allow-Methods", strings.Join(methods, ", "))
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Mcp-Protocol-Version")
	h.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
}

func allows(w http.ResponseWriter, r *http.Request, methods []string) bool {
	if slices.Contains(methods, r.Method) {
		return true
	}
	w.Header().Set("Allow", strings.Join(methods, ", "))
	(&refusal{status: http.StatusMethodNotAllowed, code: invalidRequest, text: "use " + strings.Join(methods, " or ")}).write(w)
	return false
}
