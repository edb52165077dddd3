package httpapi

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"assay/internal/mcp"
)

// gate knows under which names the service is called and from which origins browsers may. It keeps a page that
// somebody lured a browser to from reaching a service on the browser's own network.
type gate struct {
	hosts   []string // in lower case, with the port as clients send it
	origins []string
}

// newGate makes the lists of the base URL. On a loopback address both common names of it are accepted.
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
		// Clients leave out the port that the scheme has anyway.
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

// knows reports whether the request names this service as its host.
func (g gate) knows(host string) bool { return slices.Contains(g.hosts, strings.ToLower(host)) }

// origin returns the request's one Origin header, "" when there is none, and whether it may call.
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

// What browsers of allowed origins may send and read.
const (
	corsHeaders = "Authorization, Content-Type, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, X-Request-Id"
	corsExposed = "WWW-Authenticate, Retry-After, RateLimit, RateLimit-Policy, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, X-Request-Id"
	corsSeconds = "600"
)

// admit refuses foreign hosts and origins, and tells the browser of an allowed origin what it may read.
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

// preflight answers a browser that asks whether it may call. Who is no browser has no reason to ask.
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
