package throttle_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"

	"assay/internal/oauth/throttle"
)

func TestAddressesAreTheLastThatIsNoProxy(t *testing.T) {
	t.Parallel()
	a := throttle.NewAddresses([]netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")})
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

func TestAQuotaHoldsForAWindow(t *testing.T) {
	t.Parallel()
	q := throttle.NewQuota(2, time.Hour)
	one, other := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
	now := time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)
	want := func(what string, from netip.Addr, at time.Time, wait time.Duration) {
		t.Helper()
		if got := q.Take(from, at); got != wait {
			t.Errorf("%s: wait %s, want %s", what, got, wait)
		}
	}
	want("first", one, now, 0)
	want("second", one, now.Add(10*time.Minute), 0)
	want("third", one, now.Add(20*time.Minute), 40*time.Minute)
	want("another address", other, now, 0)
	q.Return(one)
	want("after one came back", one, now.Add(20*time.Minute), 0)
	want("in the next window", one, now.Add(time.Hour), 0)
	want("with the clock set back", one, now.Add(-24*time.Hour), 0)
}
