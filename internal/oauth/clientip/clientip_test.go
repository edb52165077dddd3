package clientip_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"assay/internal/oauth/clientip"
)

func TestAddressesAreTheLastThatIsNoProxy(t *testing.T) {
	t.Parallel()
	a := clientip.NewAddresses([]netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")})
	cases := []struct{ remote, forwarded, want string }{
		{"192.0.2.1:1", "", "192.0.2.1"},
		{"192.0.2.1:1", "203.0.113.9", "192.0.2.1"}, // not from a proxy
		{"10.0.0.1:1", "203.0.113.9", "203.0.113.9"},
		{"10.0.0.1:1", "1.1.1.1, 203.0.113.9, 10.0.0.2", "203.0.113.9"},
		{"10.0.0.1:1", "1.1.1.1, nonsense", "10.0.0.1"},
		{"10.0.0.1:1", "", "10.0.0.1"},
		{"10.0.0.1:1", "10.0.0.3", "10.0.0.3"},
		{"[::ffff:192.0.2.1]:1", "", "192.0.2.1"},
		{"[2001:db8:1:2:3:4:5:6]:1", "", "2001:db8:1:2::"},
		{"[fd00::1]:1", "2001:db8::9", "2001:db8::"},
	}
	for _, test := range cases {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = test.remote
		if test.forwarded != "" {
			r.Header.Set("X-Forwarded-For", test.forwarded)
		}
		if got := a.Of(r); got != netip.MustParseAddr(test.want) {
			t.Errorf("from %s for %q: %s, want %s", test.remote, test.forwarded, got, test.want)
		}
	}
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.RemoteAddr = "@"
	if got := a.Of(r); got.IsValid() {
		t.Errorf("without an address: %s", got)
	}
}

func TestConnectionsOfTrustedProxiesCountForNoAddress(t *testing.T) {
	t.Parallel()
	a := clientip.NewAddresses([]netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")})
	for _, test := range []struct {
		remote net.Addr
		want   string
		counts bool
	}{
		{net.TCPAddrFromAddrPort(netip.MustParseAddrPort("192.0.2.1:1")), "192.0.2.1", true},
		{net.TCPAddrFromAddrPort(netip.MustParseAddrPort("[::ffff:192.0.2.1]:1")), "192.0.2.1", true},
		{net.TCPAddrFromAddrPort(netip.MustParseAddrPort("[2001:db8:1:2:3:4:5:6]:1")), "2001:db8:1:2::", true},
		{net.TCPAddrFromAddrPort(netip.MustParseAddrPort("10.1.2.3:1")), "10.1.2.3", false},
		{net.TCPAddrFromAddrPort(netip.MustParseAddrPort("[::ffff:10.1.2.3]:1")), "10.1.2.3", false},
		{&net.UnixAddr{Name: "@"}, "invalid IP", false},
	} {
		if got, counts := a.OfConnection(test.remote); got.String() != test.want || counts != test.counts {
			t.Errorf("from %s: %s, %t; want %s, %t", test.remote, got, counts, test.want, test.counts)
		}
	}
}
