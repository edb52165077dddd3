package operation_test

import (
	"slices"
	"testing"
	"time"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/operation"
)

var start = civil.New(2036, time.November, 1)

func TestEachChangeOfATargetIsALineOfTheAuditLog(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	target := operation.Target{Metric: "revenue", Period: "monthly", Start: start}
	for _, value := range []float64{900.5, 1000, 1000} { // the last one changes nothing
		target.Value = value
		if _, err := operation.SetTarget.Do(t.Context(), s.Service, s.by(operation.Operator("test")), target); err != nil {
			t.Fatal(err)
		}
	}
	remove := func() error {
		_, err := operation.RemoveTarget.Do(t.Context(), s.Service, s.by(operation.Operator("test")), target)
		return err
	}
	if err := remove(); err != nil {
		t.Fatal(err)
	}
	if err := remove(); fault.KindOf(err) != fault.KindNotFound {
		t.Errorf("a missing target is removed: %v", err)
	}
	events, err := s.Store.Events(t.Context(), control.EventFilter{
		Workspace: "w", Kinds: []control.EventKind{control.TargetSet, control.TargetRemoved}, Limit: 10,
	})
	var lines []string
	for _, e := range slices.Backward(events) {
		lines = append(lines, string(e.Kind)+" "+e.Subject+": "+e.Detail)
	}
	const subject = " revenue, monthly from 2036-11-01: "
	want := []string{"target_set" + subject + "900.5", "target_set" + subject + "1000, was 900.5", "target_removed" + subject + "was 1000"}
	if err != nil || !slices.Equal(lines, want) {
		t.Errorf("the log has %q, %v; want %q", lines, err, want)
	}
}

// The role of a member who waits for an import is checked again when the import ends.
func TestATargetIsNotChangedAfterTheRoleEnds(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	who, role := s.member(control.RoleAnalyst)
	unlock := s.lock()
	changed := make(chan error, 1)
	go func() {
		_, err := operation.SetTarget.Do(t.Context(), s.Service, s.by(operation.Member(who.ID).Waiting()), operation.Target{Metric: "revenue", Period: "monthly", Start: start, Value: 1})
		changed <- err
	}()
	role(control.RoleViewer)
	unlock()
	if err := <-changed; fault.KindOf(err) != fault.KindForbidden {
		t.Errorf("the role ended while the target waited: %v", err)
	}
	if all, err := s.Warehouse.Targets(t.Context(), "w"); err != nil || len(all) != 1 || all[0].Metric != "orders" {
		t.Errorf("targets are %v, %v; want the target of the previous operation", all, err)
	}
}

// A page gets an answer while a long import runs.
func TestAMemberDoesNotWaitLongForABusyWorkspace(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	who, _ := s.member(control.RoleAnalyst)
	unlock := s.lock()
	defer unlock()
	_, err := operation.RemoveTarget.Do(t.Context(), s.Service, s.by(operation.Member(who.ID)), operation.Target{Metric: "revenue", Period: "monthly", Start: start})
	if fault.KindOf(err) != fault.KindConflict {
		t.Errorf("while an import runs: %v, want a fault of kind conflict", err)
	}
}
