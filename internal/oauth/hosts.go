package oauth

import (
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// Hosts are the host names of the service. Requests with another Host header are rejected, which prevents DNS
// rebinding.
type Hosts []string

// NewHosts returns the host of the base URL. For a loopback address, it also returns 127.0.0.1 and localhost.
func NewHosts(baseURL string) Hosts {
	base, err := url.Parse(baseURL)
	if err != nil {
		return nil
	}
	hosts := Hosts{strings.ToLower(base.Host)}
	if base.Port() == "" {
		hosts = append(hosts, hosts[0]+":"+map[string]string{"http": "80", "https": "443"}[base.Scheme])
	}
	ip, err := netip.ParseAddr(base.Hostname())
	if base.Hostname() != "localhost" && (err != nil || !ip.IsLoopback()) {
		return hosts
	}
	for _, name := range []string{"127.0.0.1", "localhost"} {
		if port := base.Port(); port != "" {
			name = net.JoinHostPort(name, port)
		}
		hosts = append(hosts, name)
	}
	return hosts
}

// Know reports whether the Host header has one of the names.
func (h Hosts) Know(host string) bool { return slices.Contains(h, strings.ToLower(host)) }
