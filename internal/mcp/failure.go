package mcp

import (
	"bytes"
	"errors"
	"strconv"
	"strings"

	"assay/internal/fault"
)

// Failure is a kind of error response.
type Failure int

// The kinds of failures of a request, in the order in which the server checks for them.
const (
	WrongPath Failure = iota
	MethodNotAllowed
	HostRefused
	OriginRefused
	BodyTooLarge
	WrongMediaType
	Unauthenticated
	Misconfigured
	RateLimited
	NotJSON
	InvalidRequest
	MethodNotFound
	InvalidParams
	InsufficientScope
	Internal
	Unavailable
)

// failures contains the HTTP status, the JSON-RPC code and the message of each failure.
var failures = [...]struct {
	class   string // for logs and metrics
	status  int    // HTTP
	code    int    // JSON-RPC
	message string
}{
	WrongPath:         {"wrong_path", 400, 400, "Bad request"},
	MethodNotAllowed:  {"method_not_allowed", 405, -32600, "HTTP method not allowed"},
	HostRefused:       {"host_refused", 421, -32000, "Host not served"},
	OriginRefused:     {"origin_refused", 403, -32000, "Origin not allowed"},
	BodyTooLarge:      {"too_large", 413, -32600, "Request too large"},
	WrongMediaType:    {"media_type", 415, -32600, "Content-Type must be application/json, without a Content-Encoding"},
	Unauthenticated:   {"unauthenticated", 401, -32000, "Authentication failed"},
	Misconfigured:     {"misconfigured", 500, 500, "Server configuration error"},
	RateLimited:       {"rate_limited", 429, -32000, "Rate limit exceeded"},
	NotJSON:           {"not_json", 400, -32700, "Parse error"},
	InvalidRequest:    {"invalid_request", 400, -32600, "Invalid request"},
	MethodNotFound:    {"method_not_found", 200, -32601, "Method not found"},
	InvalidParams:     {"invalid_params", 400, -32602, "Invalid params"},
	InsufficientScope: {"insufficient_scope", 403, -32000, "Insufficient scope"},
	Internal:          {"internal", 500, -32603, "Internal error"},
	Unavailable:       {"unavailable", 503, -32603, "Service unavailable"},
}

// Status returns the HTTP status of the failure.
func (f Failure) Status() int { return failures[f].status }

// Class returns the failure's name for logs and metrics, such as "rate_limited".
func (f Failure) Class() string { return failures[f].class }

// Body returns the JSON-RPC error response. The ID is the request's own bytes, or nil. The detail follows the message.
// The `data` member is omitted when it is nil.
func (f Failure) Body(id []byte, detail string, data any) []byte {
	if id == nil {
		id = []byte("null")
	}
	message := failures[f].message
	if detail != "" {
		message += ": " + detail
	}
	var b bytes.Buffer
	b.WriteString(`{"jsonrpc":"2.0","id":`)
	b.Write(id)
	b.WriteString(`,"error":{"code":` + strconv.Itoa(failures[f].code) + `,"message":`)
	b.Write(encode(message))
	if data != nil {
		b.WriteString(`,"data":`)
		b.Write(encode(data))
	}
	b.WriteString(`}}`)
	return b.Bytes()
}

// refusal is a failure with details about one request.
type refusal struct {
	Failure
	detail string
	data   any
}

// Error returns the message and the detail, as in the response.
func (r refusal) Error() string {
	return strings.TrimSuffix(failures[r.Failure].message+": "+r.detail, ": ")
}

func invalidParams(detail string) error { return refusal{Failure: InvalidParams, detail: detail} }

// invalidRequest returns the standard error "Invalid request". The reason is in the member data.
func invalidRequest(reason string) error {
	return refusal{Failure: InvalidRequest, data: map[string]string{"reason": reason}}
}

// ScopeError reports the scopes that the call needs and the caller's grant lacks. It is of kind forbidden.
type ScopeError struct {
	Required []string // scopes that the call needs
}

// Error names the scopes.
func (e *ScopeError) Error() string {
	return "insufficient scope: needs " + strings.Join(e.Required, " ")
}

// Unwrap returns the error as a fault of kind forbidden.
func (e *ScopeError) Unwrap() error { return fault.Forbidden("%s", e.Error()) }

// refusalOf converts an error of a session to an error response. An error of a kind that is not listed here is
// internal. Its response shows no detail, and the log contains the error.
func refusalOf(err error) refusal {
	if r, ok := errors.AsType[refusal](err); ok {
		return r
	}
	text, _, _ := fault.Public(err)
	switch fault.KindOf(err) {
	case fault.KindNotFound, fault.KindInvalid:
		return refusal{Failure: InvalidParams, detail: text}
	case fault.KindForbidden:
		return refusal{Failure: InsufficientScope, data: map[string][]string{"requiredScopes": requiredScopes(err)}}
	case fault.KindMisconfigured:
		return refusal{Failure: Misconfigured}
	case fault.KindUnavailable:
		return refusal{Failure: Unavailable, detail: text}
	default:
		return refusal{Failure: Internal}
	}
}

func requiredScopes(err error) []string {
	if missing, ok := errors.AsType[*ScopeError](err); ok {
		return missing.Required
	}
	return []string{}
}
