package warehousetest

import (
	"testing"

	"assay/internal/fault"
	"assay/internal/warehouse"
)

// targets checks that targets are sorted by first day, kind of period, metric and channel. It also checks that the last
// import of a target applies.
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

// targetsChange sets a target, changes it and removes it, each time with an entry in the ledger and a new data version.
// Removing a missing target is an error. Setting an equal value changes nothing.
func targetsChange(on trial) {
	t, w := on.t, on.w
	month := warehouse.Target{Metric: "revenue", Period: "monthly", Start: january.First, Value: 1000}
	podcast := warehouse.Target{Metric: "spend", Period: "monthly", Start: january.First, Channel: "podcast", Value: 99.5}
	change := func(goal warehouse.Target, value float64, removed bool, want *float64) {
		t.Helper()
		goal.Value = value
		before, err := w.ChangeTarget(t.Context(), shop, "USD", warehouse.TargetChange{Target: goal, Removed: removed, Where: "a test"})
		if err != nil {
			t.Fatalf("%+v: %v", goal, err)
		}
		same(t, "value before", want, before)
	}
	version := func() uint64 {
		t.Helper()
		return answer[uint64](t)(w.Version(t.Context(), shop))
	}
	change(month, 900, false, nil)
	change(podcast, 99.5, false, nil)
	set := version()
	change(month, 1000, false, new(900.0))
	if version() == set {
		t.Error("changing a target does not change the data version")
	}
	set = version()
	change(month, 1000, false, new(1000.0))
	same(t, "version after the same target again", set, version())
	same(t, "goals", []warehouse.Target{month, podcast}, targetsOf(t, w))
	change(podcast, 0, true, new(99.5))
	if version() == set {
		t.Error("removing a target does not change the data version")
	}
	same(t, "goals that are left", []warehouse.Target{month}, targetsOf(t, w))
	if _, err := w.ChangeTarget(t.Context(), shop, "USD", warehouse.TargetChange{Target: podcast, Removed: true}); fault.KindOf(err) != fault.KindNotFound {
		t.Errorf("removing a missing target: %v", err)
	}
	lines := answer[[]warehouse.ImportRecord](t)(w.Imports(t.Context(), shop, 10))
	if len(lines) != 4 || lines[0].Removed != 1 || lines[0].Source != "targets" || lines[0].File != "a test" {
		t.Errorf("the ledger has %+v, want four lines and the removal first", lines)
	}
}

func targetsOf(t *testing.T, w *warehouse.Warehouse) []warehouse.Target {
	t.Helper()
	return answer[[]warehouse.Target](t)(w.Targets(t.Context(), shop))
}
