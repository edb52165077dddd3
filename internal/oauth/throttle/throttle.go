// Package throttle bounds what strangers may do: it tells from which address a request comes, and counts by address.
package throttle

import (
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"
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

// Quota allows each address so many things in a window of time that begins with the first of them. Its methods may
// be called from many goroutines.
type Quota struct {
	limit  int
	window time.Duration

	mu   sync.Mutex // guards seen
	seen map[netip.Addr]use
}

type use struct {
	count int
	began time.Time
}

const maxAddresses = 100_000

// NewQuota returns a quota of limit things in each window.
func NewQuota(limit int, window time.Duration) *Quota {
	return &Quota{limit: limit, window: window, seen: make(map[netip.Addr]use)}
}

// Take counts one thing of the address and returns 0, or returns how long the address has to wait for the next.
func (q *Quota) Take(from netip.Addr, now time.Time) (wait time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	u := q.seen[from]
	if over(u, now, q.window) {
		u = use{began: now}
	}
	if u.count >= q.limit {
		return u.began.Add(q.window).Sub(now)
	}
	if len(q.seen) >= maxAddresses {
		q.sweep(now)
	}
	u.count++
	q.seen[from] = u
	return 0
}

// Return gives back what was taken for something that did not come about.
func (q *Quota) Return(from netip.Addr) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if u, ok := q.seen[from]; ok && u.count > 0 {
		u.count--
		q.seen[from] = u
	}
}

// sweep forgets windows that are over, and all when none is: memory is bounded before fairness.
func (q *Quota) sweep(now time.Time) {
	for from, u := range q.seen {
		if over(u, now, q.window) {
			delete(q.seen, from)
		}
	}
	if len(q.seen) >= maxAddresses {
		clear(q.seen)
	}
}

// over reports whether the window has ended. One that begins in the future is over too: the clock was set back.
func over(u use, now time.Time, window time.Duration) bool {
	age := now.Sub(u.began)
	return age >= window || age < 0
}
