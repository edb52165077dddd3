// Package slowbody is about bodies of requests that come slowly: how long they are waited for, and their end when the service
// stops.
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

// Grace is how much longer bodies may take that are still coming when the service stops.
const Grace = time.Second

// arrivals are the connections on which the body of a request is still coming. When the service stops they get a moment
// more, so that who sends slowly, or never goes on, holds up neither the stop nor the calls that run.
type arrivals struct {
	now func() time.Time // the real clock

	mu     sync.Mutex // guards what follows
	coming map[net.Conn]struct{}
	last   time.Time // until when bodies are waited for; zero: the service does not stop
}

// Watch makes a server end bodies that are still coming a moment after it begins to stop. Whoever reads one then gets a
// fault of kind unavailable. The clock is the real one.
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

// connectionKey is where a request's context has its connection.
type connectionKey struct{}

// noting marks connections until their bodies have come. What a handler leaves unread the server reads after it, so the
// mark then stays until the connection is idle.
func (a *arrivals) noting(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, ok := r.Context().Value(connectionKey{}).(net.Conn)
		if !ok || r.ContentLength == 0 {
			next.ServeHTTP(w, r)
			return
		}
		a.expect(c)
		noted := *r // the server goes by the body that it made itself
		noted.Body = body{r.Body, a, c}
		next.ServeHTTP(w, &noted)
	})
}

// body tells when it has come in full, and ends when the service stops.
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
		err = fault.Unavailable("the service stopped before everything had come").Wrap(err).WithHint("send it again when the service is up")
	}
	return n, err
}

func (a *arrivals) expect(c net.Conn) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.coming[c] = struct{}{}
	a.limit(c)
}

// bound keeps whoever moved the deadline of a body that comes slowly from waiting beyond the stop.
func (a *arrivals) bound(c net.Conn) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, coming := a.coming[c]; coming {
		a.limit(c)
	}
}

// limit sets the last deadline once there is one. The lock is held.
func (a *arrivals) limit(c net.Conn) {
	if !a.last.IsZero() {
		_ = c.SetReadDeadline(a.last) // one that is closed needs none
	}
}

func (a *arrivals) arrived(c net.Conn) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, noted := a.coming[c]; noted && !a.last.IsZero() {
		_ = c.SetReadDeadline(time.Time{}) // or the call that runs now would end with it
	}
	delete(a.coming, c)
}

func (a *arrivals) stopping() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return !a.last.IsZero()
}

// hurry is called once the service stops.
func (a *arrivals) hurry() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last = a.now().Add(Grace)
	for c := range a.coming {
		a.limit(c)
	}
}
