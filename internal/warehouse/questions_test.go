package warehouse_test

import (
	"testing"
	"time"

	"assay/internal/warehouse"
	"assay/internal/warehouse/storetest"
	"assay/internal/warehouse/warehousetest"
)

// This test runs only the queries of the suite. The packages of the engines run the whole suite.
func TestQuestionsAreAnswered(t *testing.T) {
	t.Parallel()
	warehousetest.Questions(t, opened)
}

func opened(t *testing.T, clock func() time.Time) *warehouse.Warehouse {
	t.Helper()
	return storetest.OpenAt(t, clock)
}
