// Package clientip determines the IP address of the client that sent a request. Limits for anonymous callers apply per
// address.
package clientip

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// Addresses determines the IP addresses of requests. The zero value trusts no proxy.
type Addresses struct{ trusted []netip.Prefix }

// NewAddresses returns Addresses that trust the X-Forwarded-For header only from proxies in these networks.
func NewAddresses(trusted []netip.Prefix) Addresses { return Addresses{trusted: trusted} }

// Of returns the client's IP address. It is the address of the connection or, behind trusted proxies, the last address
// in X-Forwarded-For that is not a trusted proxy. For IPv6 it returns the /64 network, because a provider assigns a
// whole network to each customer. It returns the zero Addr if the connection has no IP address.
func (a Addresses) Of(r *http.Request) netip.Addr {
	port, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	from := port.Addr().Unmap()
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && a.trusts(from); i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		from = hop.Unmap()
	}
	return network(from)
}

// OfConnection returns the IP address of a connection's client. It returns false for connections without an address. It
// also returns false for trusted proxies, because their connections carry the requests of many clients.
func (a Addresses) OfConnection(remote net.Addr) (netip.Addr, bool) {
	tcp, ok := remote.(*net.TCPAddr)
	if !ok {
		return netip.Addr{}, false
	}
	from := tcp.AddrPort().Addr().Unmap()
	return network(from), !a.trusts(from)
}

func (a Addresses) trusts(addr netip.Addr) bool {
	for _, p := range a.trusted {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}

func network(addr netip.Addr) netip.Addr {
	if !addr.Is6() {
		return addr
	}
	prefix, err := addr.WithZone("").Prefix(64)
	if err != nil {
		return addr
	}
	return prefix.Addr()
}
