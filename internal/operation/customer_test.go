package operation_test

import (
	"testing"
	"time"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/ingest/source"
	"assay/internal/measure"
	"assay/internal/operation"
	"assay/internal/warehouse"
)

// The order of a forgotten customer remains as an anonymous order, and the audit log contains an event. If a member
// loses the role while the request waits for an import, the request fails.
func TestACustomerIsForgotten(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	who, role := s.member(control.RoleAdmin)
	hash := source.NewCustomers(s.Installation.HashKey("w")).Hashes("bo@example.com")[0]
	load, err := s.Warehouse.Begin(t.Context(), warehouse.ImportSpec{Workspace: "w", Source: "test", Base: "USD"})
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
	forget := func(customer string) (int, error) {
		done, err := operation.ForgetCustomer.Do(t.Context(), s.Service, s.by(operation.Member(who.ID).Waiting()), operation.Customer{Name: customer})
		return done.Orders, err
	}
	unlock := s.lock()
	refused := make(chan error, 1)
	go func() {
		_, err := forget("bo@example.com")
		refused <- err
	}()
	role(control.RoleAnalyst)
	unlock()
	if err := <-refused; fault.KindOf(err) != fault.KindForbidden {
		t.Errorf("the role ended while the import ran: %v", err)
	}
	role(control.RoleOwner)
	for _, want := range []int{1, 0} {
		if orders, err := forget("Bo@Example.com"); err != nil || orders != want {
			t.Errorf("%d orders, %v; want %d", orders, err, want)
		}
	}
	events, err := s.Store.Events(t.Context(), control.EventFilter{Workspace: "w", Kinds: []control.EventKind{control.CustomerForgotten}, Limit: 10})
	if err != nil || len(events) == 0 || events[0].Actor != control.ActorOf(who.ID) {
		t.Errorf("the audit log has %+v, %v", events, err)
	}
}
