package duckdb

import (
	"context"
	"testing"
	"time"

	"assay/internal/warehouse"
	"assay/internal/warehouse/warehousetest"
)

func clock() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// open starts an engine that closes with the test.
func open(tb testing.TB, options Options) *Engine {
	tb.Helper()
	if options.Clock == nil {
		options.Clock = clock
	}
	if options.Dir == "" {
		options.Dir = tb.TempDir()
	}
	e, err := Open(tb.Context(), options)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := e.Close(context.Background()); err != nil {
			tb.Error(err)
		}
	})
	return e
}

func TestEnginePassesTheWarehouseSuite(t *testing.T) {
	t.Parallel()
	warehousetest.Run(t, func(t *testing.T, clock func() time.Time) *warehouse.Warehouse {
		t.Helper()
		return warehouse.New(open(t, Options{Threads: 2, Clock: clock}))
	})
}
