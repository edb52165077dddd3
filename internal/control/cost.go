package control

import (
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/money"
)

// The kinds of audit events about costs. The subject is the workspace, and the detail is the cost.
const (
	CostSet     EventKind = "cost_set"
	CostRemoved EventKind = "cost_removed"
)

// MaxCosts is the maximum number of costs that a workspace has.
const MaxCosts = 200

// CheckCost returns a fault of kind invalid for a cost that is not valid in a workspace with this currency.
func CheckCost(r measure.CostRule, c money.Currency) error {
	if r.Fixed.Minor != 0 && r.Fixed.Currency != c {
		return fault.Invalid("the amount per order is in %s, but the workspace's currency is %s", r.Fixed.Currency, c)
	}
	return r.Check()
}
