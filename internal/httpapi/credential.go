package httpapi

import (
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/internal/auth"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/mcp"
)

// authenticate stores the caller in the exchange. Every invalid credential gets the same response body.
func (s *service) authenticate(x *exchange, r *http.Request) bool {
	p, err := s.caller(r)
	if err != nil {
		s.refuseCaller(x, r, err)
		return false
	}
	x.principal = p
	return true
}

// errNoToken means that a request has no bearer token.
var errNoToken = fault.New(fault.KindUnauthenticated, "no bearer token")

// caller authenticates a request and returns its principal.
func (s *service) caller(r *http.Request) (auth.Principal, error) {
	token := bearer(r.Header)
	if token == "" {
		return auth.Principal{}, errNoToken
	}
	return s.Auth.Authenticate(r.Context(), token)
}

// refuseCaller sends the error for a request that [service.caller] could not authenticate.
func (s *service) refuseCaller(x *exchange, r *http.Request, err error) {
	switch fault.KindOf(err) {
	case fault.KindUnauthenticated:
		s.challenge(x, len(r.Header["Authorization"]) > 0)
	case fault.KindMisconfigured:
		s.logFailure(x, r, "credential cannot be checked", err)
		x.fail(mcp.Misconfigured, nil)
	case fault.KindUnavailable:
		s.logFailure(x, r, "credential cannot be checked", err)
		x.fail(mcp.Unavailable, nil)
	default:
		s.logFailure(x, r, "credential cannot be checked", err)
		x.fail(mcp.Internal, nil)
	}
}

// bearer returns the token of the Authorization header. It returns "" unless there is exactly one such header, with a
// bearer token after exactly one space. A token in the query or in a cookie is never read.
func bearer(h http.Header) string {
	values := h.Values("Authorization")
	if len(values) != 1 {
		return ""
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	if !strings.EqualFold(scheme, "Bearer") || strings.ContainsAny(token, " \t,") {
		return ""
	}
	return token
}

// challenge sends status 401 and states where clients get a token. It reports an invalid token only if the request had
// a credential.
func (s *service) challenge(x *exchange, sent bool) {
	value := `Bearer resource_metadata="` + s.metadataURL + `", scope="` + string(control.ScopeRead) + `"`
	if sent {
		value += `, error="invalid_token"`
	}
	x.Header().Set("WWW-Authenticate", value)
	x.fail(mcp.Unauthenticated, nil)
}

// stepUp returns the challenge that asks for more scopes. It also names the scopes already granted, because a client
// requests exactly the scopes in the challenge.
func (s *service) stepUp(p auth.Principal, needed []string) string {
	var all []string
	for _, scope := range control.Scopes() {
		if p.Has(scope) || slices.Contains(needed, string(scope)) {
			all = append(all, string(scope))
		}
	}
	return `Bearer error="insufficient_scope", scope="` + strings.Join(all, " ") + `", resource_metadata="` + s.metadataURL + `"`
}

// withinLimit counts the request. It rejects the request if the workspace has reached its rate limit.
func (s *service) withinLimit(x *exchange, r *http.Request) bool {
	d := s.Limits.Count(r.Context(), x.principal)
	reset := wholeSeconds(d.ResetIn)
	limit, left := strconv.Itoa(d.PerMinute), strconv.Itoa(max(0, d.PerMinute-d.Used))
	x.set("Ratelimit-Limit", limit)
	x.set("Ratelimit-Remaining", left)
	x.set("Ratelimit-Reset", reset)
	x.set("Ratelimit-Policy", `"workspace";q=`+limit+`;w=60`)
	x.set("Ratelimit", `"workspace";r=`+left+`;t=`+reset)
	if d.Allowed {
		return true
	}
	s.Metrics.RateLimited()
	x.set("Retry-After", reset)
	x.fail(mcp.RateLimited, struct {
		Used      int `json:"queriesUsed"`
		PerMinute int `json:"ratePerMin"`
	}{d.Used, d.PerMinute})
	return false
}

// wholeSeconds rounds up, so that a caller that waits for the reported time does not call too early.
func wholeSeconds(d time.Duration) string {
	return strconv.Itoa(max(1, int(math.Ceil(d.Seconds()))))
}
