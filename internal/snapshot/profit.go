package snapshot

import (
	"context"
	"fmt"

	"assay/internal/civil"
	"assay/internal/measure"
)

// Contribution is the profit of the store before ad spend in a window, and the share of its costs that is known.
type Contribution struct {
	measure.Contribution
	Days civil.Range
}

// Contribution returns the store's contribution in a window. It is unknown if too few costs are known.
func (c *Snapshot) Contribution(ctx context.Context, days civil.Range) (Contribution, error) {
	out := Contribution{Days: days}
	if !hasCosts(c) {
		return out, nil
	}
	found, err := c.dayTotals(ctx, "", days)
	if err != nil {
		return out, err
	}
	goods, err := goodsByDay(ctx, c, days)
	if err != nil {
		return out, err
	}
	sales := make([]measure.SalesDay, 0, len(found))
	for _, d := range found {
		if days.Contains(d.Day) {
			sales = append(sales, measure.SalesDay{Day: d.Day, Sums: d.Sums})
		}
	}
	out.Contribution = measure.NewContribution(sales, goods, c.Workspace.Costs, c.Workspace.Basis)
	return out, nil
}

// hasCosts reports whether the store can have a known cost of goods.
func hasCosts(c *Snapshot) bool {
	return c.Store.Counts["order_lines"] > 0 || len(c.Workspace.Costs) > 0
}

// goodsByDay returns the product sales with costs by day. The result is read-only.
func goodsByDay(ctx context.Context, c *Snapshot, days civil.Range) ([]measure.Goods, error) {
	if known, ok := c.goods[days]; ok {
		return known, nil
	}
	found, err := c.facts.GoodsDays(ctx, c.Workspace.ID, days)
	if err != nil {
		return nil, fmt.Errorf("cost of goods %s: %w", days, err)
	}
	c.note("goods_days", len(found))
	if c.goods == nil {
		c.goods = map[civil.Range][]measure.Goods{}
	}
	c.goods[days] = found
	return found, nil
}
