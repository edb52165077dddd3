package clientip_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"assay/internal/oauth/clientip"
)

func TestAddressIsTheLastUntrustedOne(t *testing.T) {
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
		{"[2001:db8:1:3:3:4:5:6]:1", "", "2001:db8:1:3::"},
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
