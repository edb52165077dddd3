package controltest

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/money"
)

// costsChangeTheWorkspace enters, replaces and removes costs.
func costsChangeTheWorkspace(t *testing.T, s Store) {
	by := at(0)
	ctx, w := t.Context(), newWorkspace(t, s, "Costs")
	fee := measure.CostRule{Kind: measure.PaymentFee, Share: 29_000, Fixed: money.Amount{Minor: 30, Currency: "USD"}}
	later := measure.CostRule{Kind: measure.PaymentFee, Share: 19_000, From: civil.MustParse("2026-10-01")}
	for i, r := range []measure.CostRule{later, fee, fee} { // the last one changes nothing
		if _, err := s.SetCost(ctx, w.ID, r, at(time.Duration(i)*time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.Workspace(ctx, w.ID)
	if want := (measure.CostRules{fee, later}); err != nil || !slices.Equal(want, got.Costs) || got.Version != w.Version+2 {
		t.Errorf("costs at version %d: %v, %v; want %v", got.Version, got.Costs, err, want)
	}
	got.Name = "Renamed"
	got.Costs = nil
	if got, err = s.UpdateWorkspace(ctx, got, by); err != nil || len(got.Costs) != 2 {
		t.Errorf("an update of other settings leaves %v, %v", got.Costs, err)
	}
	if _, err := s.RemoveCost(ctx, w.ID, measure.CostRule{Kind: measure.PaymentFee}, at(time.Hour)); err != nil {
		t.Error(err)
	}
	if _, err := s.RemoveCost(ctx, w.ID, measure.CostRule{Kind: measure.PaymentFee}, by); fault.KindOf(err) != fault.KindNotFound {
		t.Errorf("a missing cost is removed: %v", err)
	}
	foreign := measure.CostRule{Kind: measure.Shipping, Fixed: money.Amount{Minor: 1, Currency: "EUR"}}
	if _, err := s.SetCost(ctx, w.ID, foreign, by); fault.KindOf(err) != fault.KindInvalid {
		t.Errorf("an amount in another currency: %v", err)
	}
	events, err := s.Events(ctx, control.EventFilter{Workspace: w.ID, Kinds: []control.EventKind{control.CostSet, control.CostRemoved}, Limit: 10})
	var details []string
	for _, e := range events {
		details = append(details, string(e.Kind)+" "+e.Detail)
	}
	want := []string{
		"cost_removed payment_fee: 2.9% and USD 0.30 per order", "cost_set payment_fee: 2.9% and USD 0.30 per order",
		"cost_set payment_fee from 2026-10-01: 1.9%",
	}
	if diff := cmp.Diff(want, details); err != nil || diff != "" {
		t.Errorf("audit log, %v (-want +got):\n%s", err, diff)
	}
}
