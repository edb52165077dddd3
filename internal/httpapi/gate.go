package httpapi

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"assay/internal/mcp"
)

// gate lists the host names of the service and the origins with pages that may call it. The gate prevents DNS
// rebinding, by which a malicious page calls a service on the browser's own network.
type gate struct {
	hosts   []string // in lower case, with the port as clients send it
	origins []string
}

// newGate derives the allowed hosts and origins from the base URL. For a loopback address, it also allows 127.0.0.1 and
// localhost. The parameter further contains additional allowed origins.
func newGate(baseURL string, further []string) gate {
	base, err := url.Parse(baseURL)
	if err != nil || base.Host == "" || base.Path != "" {
		panic("base URL " + baseURL + ": want scheme and host, without a path")
	}
	hosts := []string{strings.ToLower(base.Host)}
	if port := base.Port(); isLoopback(base.Hostname()) {
		for _, name := range []string{"127.0.0.1", "localhost"} {
			hosts = append(hosts, withPort(name, port))
		}
	}
	g := gate{origins: slices.Clone(further)}
	standard := map[string]string{"http": "80", "https": "443"}[base.Scheme]
	for _, host := range hosts {
		g.hosts = append(g.hosts, host)
		g.origins = append(g.origins, base.Scheme+"://"+host)
		// Clients omit the default port of the scheme.
		if base.Port() == "" {
			g.hosts = append(g.hosts, host+":"+standard)
		} else if short, ok := strings.CutSuffix(host, ":"+standard); ok {
			g.hosts, g.origins = append(g.hosts, short), append(g.origins, base.Scheme+"://"+short)
		}
	}
	return g
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func withPort(host, port string) string {
	if port == "" {
		return host
	}
	return net.JoinHostPort(host, port)
}

// knows reports whether the Host header of the request names this service.
func (g gate) knows(host string) bool { return slices.Contains(g.hosts, strings.ToLower(host)) }

// origin returns the request's Origin header, or "" unless there is exactly one. It also reports whether the request
// may call the service. A request without an Origin header may call it.
func (g gate) origin(r *http.Request) (origin string, allowed bool) {
	switch values := r.Header.Values("Origin"); len(values) {
	case 0:
		return "", true
	case 1:
		return values[0], slices.Contains(g.origins, values[0])
	default:
		return "", false
	}
}

// These are the headers that browsers of allowed origins may send and read, and the time in seconds for which browsers
// cache this permission.
const (
	corsHeaders = "Authorization, Content-Type, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, X-Request-Id"
	corsExposed = "WWW-Authenticate, Retry-After, RateLimit, RateLimit-Policy, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, X-Request-Id, Mcp-Session-Id"
	corsSeconds = "600"
)

// admit rejects unknown hosts and origins. For an allowed origin, it sets the headers that let the browser read the
// response.
func (s *service) admit(x *exchange, r *http.Request) bool {
	x.Header()["Vary"] = byOrigin
	if !s.gate.knows(r.Host) {
		x.fail(mcp.HostRefused, nil)
		return false
	}
	origin, allowed := s.gate.origin(r)
	if !allowed {
		x.fail(mcp.OriginRefused, nil)
		return false
	}
	if origin != "" {
		x.Header().Set("Access-Control-Allow-Origin", origin)
		x.Header().Set("Access-Control-Expose-Headers", corsExposed)
	}
	return true
}

// preflight answers a browser's CORS preflight request. It rejects requests without an Origin, which do not come from a
// browser.
func (s *service) preflight(known *route, x *exchange, r *http.Request) {
	if !s.admit(x, r) {
		return
	}
	if r.Header.Get("Origin") == "" {
		x.fail(mcp.OriginRefused, nil)
		return
	}
	h := x.Header()
	h.Set("Access-Control-Allow-Methods", strings.Join(known.methods, ", "))
	h.Set("Access-Control-Allow-Headers", corsHeaders)
	h.Set("Access-Control-Max-Age", corsSeconds)
	x.WriteHeader(http.StatusNoContent)
}
