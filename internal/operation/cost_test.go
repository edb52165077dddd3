package operation_test

import (
	"testing"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/operation"
)

func TestACostNeedsTheRoleToWriteAndIsInTheWorkspacesCurrency(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	fee := measure.CostRule{Kind: measure.PaymentFee, Share: 29_000, Fixed: money.Amount{Minor: 30}}
	viewer, _ := s.member(control.RoleViewer)
	if _, err := operation.SetCost.Do(t.Context(), s.Service, s.by(operation.Member(viewer.ID)), fee); fault.KindOf(err) != fault.KindForbidden {
		t.Errorf("a viewer enters a cost: %v", err)
	}
	by := s.by(operation.Operator("test"))
	if _, err := operation.SetCost.Do(t.Context(), s.Service, by, fee); err != nil {
		t.Fatal(err)
	}
	all, err := operation.ListCosts.Do(t.Context(), s.Service, by, operation.None{})
	w, werr := s.Store.Workspace(t.Context(), "w")
	if err != nil || werr != nil || len(all.Rules) != 1 || all.Rules[0].Fixed.Currency != w.Currency || all.Known {
		t.Errorf("costs %+v, %v, %v", all, err, werr)
	}
	if _, err := operation.RemoveCost.Do(t.Context(), s.Service, by, measure.CostRule{Kind: measure.PaymentFee}); err != nil {
		t.Error(err)
	}
}
