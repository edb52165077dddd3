// Package connlimit limits the number of open connections per client address.
package connlimit

import (
	"context"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"time"
)

// Options are the dependencies and limits of [Listen].
type Options struct {
	PerAddress int // connections that one address may keep open

	// Of returns the address of the connection's client, and false if the connection is not counted.
	Of  func(net.Addr) (netip.Addr, bool)
	Now func() time.Time // the real clock
	Log *slog.Logger
}

// logPause is the minimum time between two log lines about rejected connections.
const logPause = time.Minute

// Listen returns a listener that closes connections over the limit as soon as it accepts them.
func Listen(on net.Listener, o Options) net.Listener {
	return &listener{Listener: on, options: o, open: map[netip.Addr]int{}}
}

type listener struct {
	net.Listener
	options Options

	mu       sync.Mutex // guards the fields below
	open     map[netip.Addr]int
	rejected int // rejected connections since the last log line
	logged   time.Time
}

// Accept implements [net.Listener].
func (l *listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		from, counts := l.options.Of(c.RemoteAddr())
		if !counts {
			return c, nil
		}
		if l.enter(from) {
			return &conn{Conn: c, leave: sync.OnceFunc(func() { l.leave(from) })}, nil
		}
		_ = c.Close() // nothing was read from it or written to it
		l.report(from)
	}
}

func (l *listener) enter(from netip.Addr) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[from] >= l.options.PerAddress {
		return false
	}
	l.open[from]++
	return true
}

func (l *listener) leave(from netip.Addr) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[from]--; l.open[from] == 0 {
		delete(l.open, from)
	}
}

// report logs rejected connections, at most once per logPause.
func (l *listener) report(from netip.Addr) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rejected++
	now := l.options.Now()
	if !l.logged.IsZero() && now.Sub(l.logged) < logPause {
		return
	}
	l.options.Log.WarnContext(context.Background(), "connections rejected: the address has too many open",
		slog.String("address", from.String()), slog.Int("limit", l.options.PerAddress), slog.Int("rejected", l.rejected))
	l.logged, l.rejected = now, 0
}

// conn is a connection that is counted until it is closed.
type conn struct {
	net.Conn
	leave func()
}

// Close implements [net.Conn].
func (c *conn) Close() error {
	defer c.leave()
	return c.Conn.Close()
}

// CloseWrite lets net/http end a response before it closes the connection, so that the client can read the response.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
