package snapshot

import (
	"context"
	"fmt"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/panics"
)

// Contribution is the store's contribution before ad spend in a window, with the share of the costs that is known.
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
	found, err := soldGoods(ctx, c, days)
	if err != nil {
		return out, err
	}
	out.Contribution = measure.NewContribution(found.sales, found.goods, c.Workspace.Costs, c.Workspace.Basis)
	return out, nil
}

// hasCosts reports whether the store can have a known cost of goods.
func hasCosts(c *Snapshot) bool {
	return c.Store.Counts["order_lines"] > 0 || len(c.Workspace.Costs) > 0
}

// goodsAndSales contains the sales by surface and day, and the product sales with costs.
type goodsAndSales struct {
	sales []measure.SalesDay
	goods []measure.Goods
}

// soldGoods returns the sales and the product sales by day and surface. A call reads each range of days once. The
// result is read-only.
func soldGoods(ctx context.Context, c *Snapshot, days civil.Range) (found goodsAndSales, err error) {
	if known, ok := c.goods[days]; ok {
		return known, nil
	}
	err = panics.Together(
		func() (err error) {
			if found.sales, err = c.facts.SurfaceDays(ctx, c.Workspace.ID, days); err != nil {
				err = fmt.Errorf("sales of surfaces %s: %w", days, err)
			}
			return err
		},
		func() (err error) {
			if found.goods, err = c.facts.GoodsDays(ctx, c.Workspace.ID, days); err != nil {
				err = fmt.Errorf("cost of goods %s: %w", days, err)
			}
			return err
		},
	)
	if err != nil {
		return found, err
	}
	c.note("surface_days", len(found.sales))
	c.note("goods_days", len(found.goods))
	if c.goods == nil {
		c.goods = map[civil.Range]goodsAndSales{}
	}
	c.goods[days] = found
	return found, nil
}
