package app

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// arrivalGrace is how much longer bodies may take that are still coming when the service stops.
const arrivalGrace = time.Second

// arrivals are the connections on which the body of a request is still coming. When the service stops they get a moment
// more, so that who sends slowly, or never goes on, holds up neither the stop nor the calls that run.
type arrivals struct {
	now func() time.Time // the real clock

	mu     sync.Mutex // guards what follows
	coming map[net.Conn]struct{}
	last   time.Time // until when bodies are waited for; zero: the service does not stop
}

// watch makes a server tell what comes.
func (a *arrivals) watch(server *http.Server) {
	a.coming = map[net.Conn]struct{}{}
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
		noted.Body = arrival{r.Body, func() { a.arrived(c) }}
		next.ServeHTTP(w, &noted)
	})
}

// arrival is a body that tells when it has come in full.
type arrival struct {
	io.ReadCloser
	done func()
}

// Read implements [io.Reader].
func (b arrival) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		b.done()
	}
	return n, err
}

func (a *arrivals) expect(c net.Conn) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.coming[c] = struct{}{}
	if !a.last.IsZero() {
		_ = c.SetReadDeadline(a.last)
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

// hurry is called once the service stops.
func (a *arrivals) hurry() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last = a.now().Add(arrivalGrace)
	for c := range a.coming {
		_ = c.SetReadDeadline(a.last) // one that is closed needs none
	}
}
