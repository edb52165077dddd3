// Package slowbody limits the time of slow request bodies, including during shutdown.
package slowbody

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"assay/internal/fault"
)

// Grace is the extra time for bodies that are still being received on shutdown.
const Grace = time.Second

// arrivals are the connections on which a request body is still being received. On shutdown, these connections have the
// time [Grace], so that a slow or stalled sender delays neither the shutdown nor running calls.
type arrivals struct {
	now func() time.Time // the real clock

	mu     sync.Mutex // guards the fields below
	coming map[net.Conn]struct{}
	last   time.Time // deadline for bodies on shutdown; zero: the service is running
}

// Watch makes a server stop the reading of unfinished request bodies shortly after its shutdown begins. The reader of
// such a body then receives a fault of kind unavailable.
func Watch(server *http.Server, now func() time.Time) {
	a := &arrivals{now: now, coming: map[net.Conn]struct{}{}}
	server.Handler = a.noting(server.Handler)
	server.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		return context.WithValue(ctx, connectionKey{}, c)
	}
	server.ConnState = func(c net.Conn, s http.ConnState) {
		if s == http.StateIdle || s == http.StateClosed {
			a.arrived(c)
		}
	}
	server.RegisterOnShutdown(a.hurry)
}

// connectionKey is the context key of a request's connection.
type connectionKey struct{}

// noting marks the connection of a request until the request's body is received. The server reads the rest of a body
// that a handler does not read, so the mark remains until the connection is idle.
func (a *arrivals) noting(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, ok := r.Context().Value(connectionKey{}).(net.Conn)
		if !ok || r.ContentLength == 0 {
			next.ServeHTTP(w, r)
			return
		}
		a.expect(c)
		noted := *r // the server uses the body that it created
		noted.Body = body{r.Body, a, c}
		next.ServeHTTP(w, &noted)
	})
}

// body is a request body. After the last byte, it removes the connection from the arrivals. Reads of an unfinished body
// fail after [Grace] on shutdown.
type body struct {
	io.ReadCloser
	arrivals *arrivals
	on       net.Conn
}

// Read implements [io.Reader].
func (b body) Read(p []byte) (int, error) {
	b.arrivals.bound(b.on)
	n, err := b.ReadCloser.Read(p)
	switch {
	case errors.Is(err, io.EOF):
		b.arrivals.arrived(b.on)
	case errors.Is(err, os.ErrDeadlineExceeded) && b.arrivals.stopping():
		err = fault.Unavailable("the service stopped before the request body was complete").Wrap(err).WithHint("send the request again when the service runs")
	}
	return n, err
}

func (a *arrivals) expect(c net.Conn) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.coming[c] = struct{}{}
	a.limit(c)
}

// bound prevents the deadline of a slow body from exceeding the shutdown deadline.
func (a *arrivals) bound(c net.Conn) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, coming := a.coming[c]; coming {
		a.limit(c)
	}
}

// limit sets the read deadline of a connection to the shutdown deadline, if there is one. The caller has the lock.
func (a *arrivals) limit(c net.Conn) {
	if !a.last.IsZero() {
		_ = c.SetReadDeadline(a.last) // a closed connection needs no deadline
	}
}

func (a *arrivals) arrived(c net.Conn) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, noted := a.coming[c]; noted && !a.last.IsZero() {
		_ = c.SetReadDeadline(time.Time{}) // otherwise the deadline would end the running call
	}
	delete(a.coming, c)
}

func (a *arrivals) stopping() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return !a.last.IsZero()
}

// hurry sets the shutdown deadline for all bodies that are still being received.
func (a *arrivals) hurry() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last = a.now().Add(Grace)
	for c := range a.coming {
		a.limit(c)
	}
}
