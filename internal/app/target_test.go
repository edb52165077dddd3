package app

import (
	"context"
	"slices"
	"testing"
	"time"

	"assay/internal/civil"
	"assay/internal/console"
	"assay/internal/control"
	"assay/internal/fault"
)

func TestEachChangeOfATargetIsALineOfTheSecurityLog(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	w, err := h.app.control.Store.Workspace(t.Context(), "w")
	if err != nil {
		t.Fatal(err)
	}
	goal := console.TargetChange{Workspace: w, Metric: "revenue", Period: "monthly", Start: civil.New(2036, time.November, 1), Value: 900.5}
	change := func(value float64, removed bool) error {
		goal.Value, goal.Removed = value, removed
		return h.app.changeTarget(t.Context(), goal, control.By{Actor: "test", At: time.Now()})
	}
	for _, value := range []float64{900.5, 1000, 1000} { // the last one changes nothing
		if err := change(value, false); err != nil {
			t.Fatal(err)
		}
	}
	if err := change(0, true); err != nil {
		t.Fatal(err)
	}
	if err := change(0, true); fault.KindOf(err) != fault.KindNotFound {
		t.Errorf("a target that is gone is removed: %v", err)
	}
	events, err := h.app.control.Store.Events(t.Context(), control.EventFilter{
		Workspace: "w", Kinds: []control.EventKind{control.TargetSet, control.TargetRemoved}, Limit: 10,
	})
	var told []string
	for _, e := range slices.Backward(events) {
		told = append(told, string(e.Kind)+" "+e.Subject+": "+e.Detail)
	}
	const subject = " revenue, monthly from 2036-11-01: "
	want := []string{"target_set" + subject + "900.5", "target_set" + subject + "1000, was 900.5", "target_removed" + subject + "was 1000"}
	if err != nil || !slices.Equal(told, want) {
		t.Errorf("the log has %q, %v; want %q", told, err, want)
	}
}

// Who waits for an import is asked for their role again when it is over.
func TestARoleThatEndsWhileATargetWaitsChangesNothing(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	store, by := h.app.control.Store, control.By{Actor: "test", At: time.Now()}
	who, err := h.app.people(func() {}).Create(t.Context(), "ana@example.com", "correct horse battery", "test")
	if err != nil {
		t.Fatal(err)
	}
	if err := store.SetRole(t.Context(), who.ID, "w", control.RoleAnalyst, by); err != nil {
		t.Fatal(err)
	}
	w, err := store.Workspace(t.Context(), "w")
	if err != nil {
		t.Fatal(err)
	}
	leave, err := h.app.writing.enter(t.Context(), "w")
	if err != nil {
		t.Fatal(err)
	}
	goal := console.TargetChange{Workspace: w, Metric: "revenue", Period: "monthly", Start: civil.New(2036, time.November, 1), Value: 1}
	changed := make(chan error, 1)
	go func() {
		changed <- h.app.changeTarget(t.Context(), goal, control.By{Actor: control.ActorOf(who.ID), At: time.Now()})
	}()
	if err := store.SetRole(t.Context(), who.ID, "w", control.RoleViewer, by); err != nil {
		t.Error(err)
	}
	leave()
	if err := <-changed; fault.KindOf(err) != fault.KindForbidden {
		t.Errorf("the role ended while the target waited: %v", err)
	}
	if all, err := h.app.facts.Targets(t.Context(), "w"); err != nil || len(all) != 0 {
		t.Errorf("%d targets are set, %v", len(all), err)
	}
}

// A workspace that is imported into does not take a turn that another one's messages could have.
func TestMessagesOfAWorkspaceThatIsImportedIntoComeLater(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	leave, err := h.app.writing.enter(t.Context(), "w")
	if err != nil {
		t.Fatal(err)
	}
	d := control.Delivery{Workspace: "w", ID: "m", Topic: "customers/data_request", At: time.Now(), Sent: time.Now(), Body: []byte(`{"id":"1","hashes":["a"]}`)}
	if _, err := h.app.control.Store.Receive(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second) // else it would wait for ever
	defer cancel()
	if err := h.app.takeInAll(ctx, "w"); err != nil {
		t.Errorf("while an import runs: %v", err)
	}
	leave()
	if err := h.app.takeInAll(t.Context(), "w"); err != nil {
		t.Error(err)
	}
	if waiting, err := h.app.control.Store.Awaiting(t.Context()); err != nil || len(waiting) != 0 {
		t.Errorf("messages of %v wait, %v", waiting, err)
	}
}
