package connlimit_test

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"syscall"
	"testing"
	"time"

	"assay/internal/connlimit"
)

func listen(t *testing.T, o connlimit.Options) (net.Listener, func() net.Conn) {
	t.Helper()
	on, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { on.Close() })
	return connlimit.Listen(on, o), func() net.Conn {
		c, err := new(net.Dialer).DialContext(t.Context(), "tcp", on.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		if err := c.SetDeadline(time.Now().Add(10 * time.Second)); err != nil { // so that a failure does not hang
			t.Fatal(err)
		}
		return c
	}
}

func accept(t *testing.T, l net.Listener) net.Conn {
	t.Helper()
	c, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func byAddress(a net.Addr) (netip.Addr, bool) {
	port, err := netip.ParseAddrPort(a.String())
	return port.Addr(), err == nil
}

func TestAnAddressKeepsOnlySoManyConnections(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	now := time.Unix(0, 0)
	l, dial := listen(t, connlimit.Options{
		PerAddress: 2, Of: byAddress, Now: func() time.Time { return now }, Log: slog.New(slog.NewTextHandler(&log, nil)),
	})
	dial()
	first := accept(t, l)
	dial()
	accept(t, l)
	rejected := []net.Conn{dial(), dial(), dial()}
	accepted := make(chan net.Conn)
	go func() { accepted <- accept(t, l) }()
	for _, c := range rejected {
		if _, err := c.Read(make([]byte, 1)); !errors.Is(err, io.EOF) && !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("a connection over the limit: %v; want it closed", err)
		}
	}
	first.Close()
	first.Close() // a second Close has no effect on the count
	next := dial()
	if got := <-accepted; got.RemoteAddr().String() != next.LocalAddr().String() {
		t.Errorf("accepted %s, want %s", got.RemoteAddr(), next.LocalAddr())
	}
	if lines := strings.Count(log.String(), "connections rejected"); lines != 1 || !strings.Contains(log.String(), "limit=2") {
		t.Errorf("%d log lines, want 1:\n%s", lines, &log)
	}
}

func TestExemptAddressesAreNotCounted(t *testing.T) {
	t.Parallel()
	l, dial := listen(t, connlimit.Options{
		PerAddress: 1, Of: func(net.Addr) (netip.Addr, bool) { return netip.Addr{}, false }, Now: time.Now, Log: slog.New(slog.DiscardHandler),
	})
	for range 3 {
		c := dial()
		if got := accept(t, l); got.RemoteAddr().String() != c.LocalAddr().String() {
			t.Errorf("accepted %s, want %s", got.RemoteAddr(), c.LocalAddr())
		}
	}
}
