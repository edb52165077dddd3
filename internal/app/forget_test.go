package app

import (
	"testing"
	"time"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/ingest/source"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

// Somebody who manages the workspace forgets a customer on the page: the order stays as nobody's, and the security log tells.
// Whose role ends while an import runs changes nothing.
func TestACustomerIsForgottenFromThePage(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	store, by := h.app.control.Store, control.By{Actor: "test", At: time.Now()}
	who, err := h.app.people(func() {}).Create(t.Context(), "ana@example.com", "correct horse battery", "test")
	if err != nil {
		t.Fatal(err)
	}
	if err := store.SetRole(t.Context(), who.ID, "w", control.RoleAdmin, by); err != nil {
		t.Fatal(err)
	}
	hash := source.NewCustomers(h.app.control.Installation.HashKey("w")).Hashes("bo@example.com")[0]
	load, err := h.app.facts.Begin(t.Context(), warehouse.ImportSpec{Workspace: "w", Source: "test", Base: "USD"})
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 1, 10, 12, 0, 0, 0, time.UTC)
	order := warehouse.Order{OrderRef: warehouse.OrderRef{Source: "csv", Key: "1"}, At: at, Day: civil.DayOf(at, time.UTC), Surface: measure.OnlineStore, Customer: hash, Charged: 100, Status: "paid"}
	if err := load.Add(t.Context(), &warehouse.Batch{Orders: []warehouse.Order{order}}); err != nil {
		t.Fatal(err)
	}
	if _, err := load.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	ana := control.By{Actor: control.ActorOf(who.ID), At: time.Now()}
	leave, err := h.app.writing.enter(t.Context(), "w")
	if err != nil {
		t.Fatal(err)
	}
	refused := make(chan error, 1)
	go func() {
		_, err := h.app.forgetFromPage(t.Context(), "w", "bo@example.com", ana)
		refused <- err
	}()
	if err := store.SetRole(t.Context(), who.ID, "w", control.RoleAnalyst, by); err != nil {
		t.Error(err)
	}
	leave()
	if err := <-refused; fault.KindOf(err) != fault.KindForbidden {
		t.Errorf("the role ended while the import ran: %v", err)
	}
	if err := store.SetRole(t.Context(), who.ID, "w", control.RoleOwner, by); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{1, 0} {
		if orders, err := h.app.forgetFromPage(t.Context(), "w", "Bo@Example.com", ana); err != nil || orders != want {
			t.Errorf("%d orders, %v; want %d", orders, err, want)
		}
	}
	events, err := store.Events(t.Context(), control.EventFilter{Workspace: "w", Kinds: []control.EventKind{control.CustomerForgotten}, Limit: 10})
	if err != nil || len(events) == 0 || events[0].Actor != ana.Actor {
		t.Errorf("the security log has %+v, %v", events, err)
	}
}
