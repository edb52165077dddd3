package publicnet

import (
	"net"
	"net/netip"
	"testing"
)

func TestOnlyPublicAddressesAreConnectedTo(t *testing.T) {
	t.Parallel()
	closed := []string{
		"127.0.0.1", "127.8.8.8", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "169.254.169.254", "0.0.0.0",
		"224.0.0.1", "255.255.255.255", "240.0.0.1", "198.18.0.1", "192.0.2.1", "192.0.0.1", "::1", "::", "fc00::1", "fd12::1", "fe80::1", "ff02::1",
		"::ffff:10.0.0.1", "::ffff:127.0.0.1", "64:ff9b::a00:1", "2002:a00:1::", "2001::1", "2001:db8::1", "fec0::1", "::10.0.0.1",
	}
	for _, text := range closed {
		if isPublic(netip.MustParseAddr(text)) {
			t.Errorf("%s counts as public", text)
		}
		if Only("tcp", net.JoinHostPort(text, "443"), nil) == nil {
			t.Errorf("connections to %s are allowed", text)
		}
	}
	for _, text := range []string{"1.1.1.1", "8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "::ffff:1.1.1.1"} {
		if err := Only("tcp", net.JoinHostPort(text, "443"), nil); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	if Only("tcp", "1.1.1.1:8443", nil) == nil || Only("tcp", "nonsense", nil) == nil {
		t.Error("connections to another port or to no address are allowed")
	}
}
