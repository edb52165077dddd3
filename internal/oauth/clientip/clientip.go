// Package clientip finds the IP address of a request, which limits for anonymous callers count by.
package clientip

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// Addresses finds the IP addresses of requests. The zero value trusts no proxy.
type Addresses struct{ trusted []netip.Prefix }

// NewAddresses returns one that trusts the X-Forwarded-For header of proxies in these networks only.
func NewAddresses(trusted []netip.Prefix) Addresses { return Addresses{trusted: trusted} }

// Of returns the client's IP address: that of the connection, or, behind trusted proxies, the last address in
// X-Forwarded-For that is not a trusted proxy. For IPv6 it returns the /64 network, because one customer has that
// many addresses. It returns the zero Addr if the connection has none.
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

// OfConnection returns the address that a connection counts for, and false for connections of trusted proxies, which carry
// the requests of many clients, and for connections without an address.
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
