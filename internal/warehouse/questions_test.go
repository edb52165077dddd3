package warehouse_test

import (
	"context"
	"testing"
	"time"

	"assay/internal/warehouse"
	"assay/internal/warehouse/duckdb"
	"assay/internal/warehouse/warehousetest"
)

// The packages of the engines run the whole suite.
func TestQuestionsAreAnswered(t *testing.T) {
	t.Parallel()
	warehousetest.Questions(t, opened)
}

func opened(t *testing.T, clock func() time.Time) *warehouse.Warehouse {
	t.Helper()
	engine, err := duckdb.Open(t.Context(), duckdb.Options{Dir: t.TempDir(), Threads: 2, Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := engine.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return warehouse.New(engine)
}
