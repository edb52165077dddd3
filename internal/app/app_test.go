package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"assay/internal/config"
	"assay/internal/fault"
)

func TestBackgroundWorkRestartsAfterAPanic(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		runs, own := 0, errors.New("own error")
		err := (&App{log: discard()}).tend(t.Context(), func(context.Context) error {
			if runs++; runs < 3 {
				panic("defect")
			}
			return own
		})
		if runs != 3 || !errors.Is(err, own) {
			t.Errorf("ran %d times and ended with %v; want 3 runs and the work's own error", runs, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		err = (&App{log: discard()}).tend(ctx, func(context.Context) error {
			cancel()
			panic("defect")
		})
		if err != nil {
			t.Errorf("panic on shutdown: got %v, want nil", err)
		}
	})
}

func TestBackgroundWorkThatShutdownInterruptsIsNoFailure(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	err := (&App{log: discard()}).tend(ctx, func(ctx context.Context) error {
		cancel()
		return fmt.Errorf("reading the workspaces: %w", ctx.Err())
	})
	if err != nil {
		t.Errorf("got %v, want nil", err)
	}
}

func TestAServiceWithoutItsFactsServerDoesNotStart(t *testing.T) {
	t.Parallel()
	c := config.Config{Data: t.TempDir(), FactsURL: config.NewSecret("clickhouse://127.0.0.1:1/assay?dial_timeout=100ms")}
	_, err := Open(t.Context(), c.WithDefaults(), discard(), time.Now)
	if fault.KindOf(err) != fault.KindUnavailable {
		t.Errorf("got %v, want a fault of kind unavailable", err)
	}
}

func TestPlainHTTPOnANetworkIsLogged(t *testing.T) {
	t.Parallel()
	address := networkAddress(t)
	for addr, want := range map[string]bool{address: true, "127.0.0.1": false, "0.0.0.0": false} {
		var log bytes.Buffer
		c := config.Config{Addr: net.JoinHostPort(addr, "0"), Data: t.TempDir()}
		a, err := Open(t.Context(), c.WithDefaults(), slog.New(slog.NewTextHandler(&log, nil)), time.Now)
		if err != nil {
			t.Fatal(err)
		}
		ctx, shutDown := context.WithCancel(t.Context())
		err = a.Serve(ctx, func(string) error {
			shutDown()
			return nil
		})
		if got := strings.Contains(log.String(), "set base_url"); err != nil || got != want {
			t.Errorf("%s: warned %v, %v; want %v", addr, got, err, want)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}
}

// networkAddress returns an address of this machine that is not a loopback address.
func networkAddress(t *testing.T) string {
	t.Helper()
	all, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range all {
		if ip, ok := a.(*net.IPNet); ok && ip.IP.IsGlobalUnicast() && ip.IP.To4() != nil {
			return ip.IP.String()
		}
	}
	t.Skip("this machine has only loopback addresses")
	return ""
}
