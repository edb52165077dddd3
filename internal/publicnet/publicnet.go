// Package publicnet restricts outgoing connections to public addresses, for URLs that users choose.
package publicnet

import (
	"errors"
	"fmt"
	"net/netip"
	"syscall"
)

// Only is the Control function of a dialer that connects to port 443 of public addresses. It checks each address after
// name resolution and before the connection, so DNS rebinding has no effect.
func Only(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("address %q: %w", address, err)
	}
	if to.Port() != 443 || !isPublic(to.Addr()) {
		return errors.New("not a public address")
	}
	return nil
}

// notPublic lists networks without public hosts, or with embedded addresses of another family, that package netip
// treats as global unicast. See the IANA Special-Purpose Address Registries.
var notPublic = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"),
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"),
	netip.MustParsePrefix("192.88.99.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("198.51.100.0/24"),
	netip.MustParsePrefix("203.0.113.0/24"),
	netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("::/96"),
	netip.MustParsePrefix("64:ff9b::/96"),
	netip.MustParsePrefix("64:ff9b:1::/48"),
	netip.MustParsePrefix("100::/64"),
	netip.MustParsePrefix("2001::/23"),
	netip.MustParsePrefix("2001:db8::/32"),
	netip.MustParsePrefix("2002::/16"),
	netip.MustParsePrefix("3fff::/20"),
	netip.MustParsePrefix("fec0::/10"),
}

func isPublic(addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	if !addr.IsGlobalUnicast() || addr.IsPrivate() {
		return false
	}
	for _, network := range notPublic {
		if network.Contains(addr) {
			return false
		}
	}
	return true
}
