package operation

import (
	"context"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/measure"
)

// coverageDays is the number of days before today that [ListCosts] describes.
const coverageDays = 30

// Costs are the costs that people entered, and the coverage of the cost of goods in the last 30 days.
type Costs struct {
	Rules  measure.CostRules `json:"rules"`
	Days   civil.Range       `json:"days"`
	Units  int64             `json:"units"`  // units sold in these days
	Costed int64             `json:"costed"` // units with a known cost
	Known  bool              `json:"known"`  // whether the contribution is known
	Rate   float64           `json:"rate"`   // contribution before ad spend, divided by revenue
}

// SetCost enters a cost that applies from a day on. It replaces a cost with the same kind, surface, channel and first
// day. The amount per order is in the workspace's currency.
var SetCost = Operation[measure.CostRule, None]{
	Spec{Name: "cost.set", Needs: Write, Undo: "Set the earlier value, or remove the cost; the audit log has the value."},
	func(r *Run, ctx context.Context, rule measure.CostRule) (None, error) {
		return r.changeCosts(ctx, rule, r.Store.SetCost)
	},
}

// RemoveCost removes the cost with the given kind, surface, channel and first day.
var RemoveCost = Operation[measure.CostRule, None]{
	Spec{Name: "cost.remove", Needs: Write, Undo: "Set the cost again; the audit log has it."},
	func(r *Run, ctx context.Context, rule measure.CostRule) (None, error) {
		return r.changeCosts(ctx, rule, r.Store.RemoveCost)
	},
}

func (r *Run) changeCosts(
	ctx context.Context, rule measure.CostRule,
	change func(context.Context, measure.WorkspaceID, measure.CostRule, control.By) (control.Workspace, error),
) (None, error) {
	if rule.Fixed.Minor != 0 && rule.Fixed.Currency == "" {
		rule.Fixed.Currency = r.Workspace.Currency
	}
	w, err := change(ctx, r.Workspace.ID, rule, r.By())
	if err == nil && w.Version != r.Workspace.Version {
		r.AccessEnded()
	}
	return None{}, err
}

// ListCosts returns the entered costs and the coverage of the cost of goods in the last 30 days.
var ListCosts = Operation[None, Costs]{Spec{Name: "cost.list", Needs: Read, Facts: true}, (*Run).listCosts}

func (r *Run) listCosts(ctx context.Context, _ None) (Costs, error) {
	w := r.Workspace
	today := r.today()
	out := Costs{Rules: w.Costs, Days: civil.Range{First: today.AddDays(-coverageDays), Last: today.AddDays(-1)}}
	sales, err := r.Warehouse.SurfaceDays(ctx, w.ID, out.Days)
	if err != nil {
		return out, err
	}
	goods, err := r.Warehouse.GoodsDays(ctx, w.ID, out.Days)
	if err != nil {
		return out, err
	}
	c := measure.NewContribution(sales, goods, w.Costs, w.Basis)
	out.Units, out.Costed = c.Units, c.Costed
	out.Rate, out.Known = c.Rate()
	return out, nil
}
