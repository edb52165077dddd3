package app

import (
	"context"
	"errors"
	"fmt"
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
