package warehousetest

import (
	"testing"

	"assay/internal/warehouse"
)

// targets are sorted by first day, kind of period, metric and channel; the last import of a goal counts.
func targets(on trial) {
	t, w := on.t, on.w
	month := warehouse.Target{Metric: "revenue", Period: "monthly", Start: january.First, Value: 1000}
	podcast := warehouse.Target{Metric: "spend", Period: "monthly", Start: january.First, Channel: "podcast", Value: 99.5}
	day := warehouse.Target{Metric: "orders", Period: "daily", Start: january.Last, Value: 3}
	load(t, w, warehouse.ImportSpec{}, warehouse.Batch{Targets: []warehouse.Target{day, podcast, month}})
	raised := month
	raised.Value = 1200
	load(t, w, warehouse.ImportSpec{}, warehouse.Batch{Targets: []warehouse.Target{raised}})
	same(t, "goals", []warehouse.Target{raised, podcast, day}, targetsOf(t, w))
}

func targetsOf(t *testing.T, w *warehouse.Warehouse) []warehouse.Target {
	t.Helper()
	return answer[[]warehouse.Target](t)(w.Targets(t.Context(), shop))
}
