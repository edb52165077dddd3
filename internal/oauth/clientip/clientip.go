// Package clientip tells from which address a request comes, so that strangers can be counted by it.
package clientip

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// Addresses tells from where requests come. The zero value trusts no proxy.
type Addresses struct{ trusted []netip.Prefix }

// NewAddresses returns one that believes the X-Forwarded-For of proxies in these networks, and of nobody else.
func NewAddresses(trusted []netip.Prefix) Addresses { return Addresses{trusted: trusted} }

// Of returns the address that the request comes from: the connection's, or, behind trusted proxies, the last one
// that is no proxy. Of an IPv6 address the network of 64 bits is returned, because one customer has that many. It
// is the zero Addr when the connection has none.
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
