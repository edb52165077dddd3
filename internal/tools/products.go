package tools

import (
	"context"
	"fmt"
	"strings"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/mcp"
	"assay/internal/measure"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
	"assay/internal/warehouse"
)

// Products is the `products` tool.
var Products = toolkit.Define(toolkit.Spec{
	Name:        "products",
	Title:       "Products and coupons",
	Description: "Product sales by revenue, units or order value, and the use of coupon codes.",
	Needs:       "order_lines",
}, runProducts)

type productsParams struct {
	answer.Last30
	View   SalesView             `json:"view" enum:"products|coupons" default:"products" doc:"Rows."`
	SortBy warehouse.ProductSort `json:"sort_by" enum:"revenue|units|aov" default:"revenue" doc:"Sort order of products, largest first."`
	Code   string                `json:"code" doc:"Only this coupon; requires view=coupons."`
	answer.Paged
	answer.Shared
}

// SalesView selects the rows of the `products` tool.
type SalesView string

const (
	productsView SalesView = "products"
	couponsView  SalesView = "coupons"
)

// Check rejects a reversed period and a coupon code in the products view.
func (p productsParams) Check() error {
	if p.Code != "" && p.View == productsView {
		return &mcp.RejectedError{
			Fault: fault.Invalid("code filters coupons, but view is products").WithHint("Use view=coupons with code."),
			Drop:  []string{"code"}, Main: "view", Value: couponsView,
		}
	}
	return p.Last30.Check()
}

// ProductsAnswer is the answer of the `products` tool.
type ProductsAnswer struct {
	answer.Opening
	View    SalesView    `json:"view"`
	Metrics SalesMetrics `json:"metrics" doc:"Totals of all selected products or coupons, not of the page."`
	answer.Table[SalesRow]
	answer.Closing

	costs string // what the costs of the products cover
}

// SalesMetrics are totals of products or coupons.
type SalesMetrics struct {
	Revenue  answer.Metric[answer.Money]  `json:"revenue"`
	Orders   answer.Metric[answer.Count]  `json:"orders"`
	Units    *answer.Metric[answer.Count] `json:"units,omitempty"`
	Discount answer.Metric[answer.Money]  `json:"discount"`
	AOV      answer.Metric[answer.Money]  `json:"aov"`
}

// SalesRow is a product or a coupon.
type SalesRow struct {
	Title     answer.Foreign  `json:"title,omitempty"`
	SKU       answer.Foreign  `json:"sku,omitempty"`
	Code      answer.Foreign  `json:"code,omitempty"`
	Channel   measure.Channel `json:"channel,omitempty" doc:"Channel that the coupon is mapped to."`
	Revenue   answer.Money    `json:"revenue" doc:"Amount charged for the product's line items, or for the orders with the coupon."`
	Units     *int64          `json:"units,omitempty"`
	Orders    answer.Count    `json:"orders"`
	AOV       *answer.Money   `json:"aov,omitempty" doc:"Revenue per order."`
	NewOrders *answer.Count   `json:"new_orders,omitempty" doc:"Orders by new customers."`
	Discount  *answer.Money   `json:"discount,omitempty" detail:"analyst"`
	SharePct  *answer.Percent `json:"share_pct,omitempty" detail:"analyst" doc:"Share of the revenue of all pages."`
	Cost      *answer.Money   `json:"cost,omitempty" detail:"analyst" doc:"Cost of goods; absent if the cost of any unit is unknown."`
	MarginPct *answer.Percent `json:"margin_pct,omitempty" detail:"analyst"`
	Profit    *answer.Money   `json:"contribution,omitempty" detail:"analyst" doc:"Absent if the cost of any unit is unknown. Tax, refunds, fees and shipping are allocated to all products by revenue."`
	CostedPct *answer.Percent `json:"costed_pct,omitempty" detail:"debug" doc:"Share of units with a known cost."`
	CreatorID string          `json:"creator_id,omitempty" detail:"debug"`
}

func runProducts(ctx context.Context, c *toolkit.Call, p productsParams) (*ProductsAnswer, error) {
	days, err := p.Window(c.Today)
	if err != nil {
		return nil, err
	}
	a := &ProductsAnswer{View: p.View}
	a.Period, a.Currency = c.Period(days), c.Workspace.Currency
	windows := warehouse.Windows{Recent: days, Earlier: days.Previous()}
	var revenue int64
	switch p.View {
	case couponsView:
		revenue, err = coupons(ctx, c, a, p, windows)
	case productsView:
		revenue, err = productSales(ctx, c, a, p, windows)
	}
	if err != nil {
		return nil, err
	}
	if a.Pagination.Total == 0 {
		a.Summary = c.ExplainEmpty(&a.Closing, days)
	} else {
		a.Summary = productsSummary(c, a, days, revenue)
		c.WarnBefore(&a.Closing, days, false)
		c.WarnDays(&a.Closing, days, 0, false)
		productsNext(c, a, days)
	}
	quality := answer.DataQuality{Revenue: "amount charged for line items after discounts, without shipping", Costs: a.costs}
	if p.View == couponsView {
		quality.Revenue = "amount charged for orders with the code; an order with two codes is included in both rows"
	}
	c.Describe(&a.Closing, quality, snapshot.FromOrders, "catalogue")
	return a, nil
}

func productSales(ctx context.Context, c *toolkit.Call, a *ProductsAnswer, p productsParams, windows warehouse.Windows) (revenue int64, err error) {
	page := p.Page(&c.Writer)
	found, err := c.Products(ctx, warehouse.ProductsOf{
		Windows: windows, Sort: p.SortBy, Limit: page.Limit, Offset: page.Offset,
	})
	if err != nil {
		return 0, err
	}
	profit, err := c.Contribution(ctx, windows.Recent)
	if err != nil {
		return 0, err
	}
	a.costs = c.CostsSentence(profit)
	f, now, before := c.Figures, found.Totals.Recent, found.Totals.Earlier
	a.Metrics = SalesMetrics{
		Revenue:  answer.MetricOf(f.Money(now.Net), f.Money(before.Net)),
		Orders:   answer.MetricOf(answer.Count(now.Orders), answer.Count(before.Orders)),
		Units:    new(answer.MetricOf(answer.Count(now.Units), answer.Count(before.Units))),
		Discount: answer.MetricOf(f.Money(now.Discount), f.Money(before.Discount)),
		AOV:      answer.MetricOfKnown(each(f, now.Net, now.Orders), each(f, before.Net, before.Orders)),
	}
	for _, t := range found.Rows {
		a.Rows = append(a.Rows, productRow(f, t, now.Net, profit))
	}
	a.Pagination = page.Pagination(len(a.Rows), found.Total)
	a.Metrics.where(c.Store.Covers(windows.Earlier, snapshot.FromOrders))
	return now.Net, nil
}

// where removes the figures of an earlier window that the store's orders do not cover.
func (m *SalesMetrics) where(comparable bool) {
	m.Revenue, m.Orders, m.Discount, m.AOV = m.Revenue.Where(true, comparable), m.Orders.Where(true, comparable), m.Discount.Where(true, comparable),
		m.AOV.Where(true, comparable)
	if m.Units != nil {
		*m.Units = m.Units.Where(true, comparable)
	}
}

func productRow(f answer.Figures, t warehouse.ProductTotal, all int64, profit snapshot.Contribution) SalesRow {
	row := SalesRow{
		Title: answer.Foreign(t.Title), SKU: answer.Foreign(t.SKU), Revenue: f.Money(t.Net), Units: new(t.Units), Orders: answer.Count(t.Orders),
		AOV: each(f, t.Net, t.Orders), Discount: new(f.Money(t.Discount)), SharePct: answer.PercentOf(measure.Share(t.Net, all)),
		CostedPct: answer.PercentOf(measure.Share(t.Costed, t.Units)),
	}
	if t.Units > 0 && t.Costed == t.Units {
		row.Cost, row.MarginPct = new(f.Money(t.Cost)), answer.PercentOf(measure.Share(t.Net-t.Cost, t.Net))
		if minor, known := profit.Product(t.Net, t.Cost); known {
			row.Profit = new(f.Money(minor))
		}
	}
	return row
}

func coupons(ctx context.Context, c *toolkit.Call, a *ProductsAnswer, p productsParams, windows warehouse.Windows) (revenue int64, err error) {
	page := p.Page(&c.Writer)
	found, err := c.Coupons(ctx, warehouse.CouponsOf{
		Windows: windows, Code: strings.ToUpper(strings.TrimSpace(p.Code)), Limit: page.Limit, Offset: page.Offset,
	})
	if err != nil {
		return 0, err
	}
	f, now, before := c.Figures, found.Totals.Recent, found.Totals.Earlier
	a.Metrics = SalesMetrics{
		Revenue:  answer.MetricOf(f.Money(now.Charged), f.Money(before.Charged)),
		Orders:   answer.MetricOf(answer.Count(now.Orders), answer.Count(before.Orders)),
		Discount: answer.MetricOf(f.Money(now.Discount), f.Money(before.Discount)),
		AOV:      answer.MetricOfKnown(each(f, now.Charged, now.Orders), each(f, before.Charged, before.Orders)),
	}
	for _, t := range found.Rows {
		a.Rows = append(a.Rows, SalesRow{
			Code: answer.Foreign(t.Code), Channel: t.Channel, Revenue: f.Money(t.Charged), Orders: answer.Count(t.Orders),
			AOV: each(f, t.Charged, t.Orders), NewOrders: new(answer.Count(t.NewOrders)), Discount: new(f.Money(t.Discount)),
			SharePct: answer.PercentOf(measure.Share(t.Charged, now.Charged)), CreatorID: t.Creator,
		})
	}
	a.Pagination = page.Pagination(len(a.Rows), found.Total)
	a.Metrics.where(c.Store.Covers(windows.Earlier, snapshot.FromOrders))
	return now.Charged, nil
}

// each returns the revenue per order.
func each(f answer.Figures, revenue, orders int64) *answer.Money {
	return f.PerMinor(measure.AOV(revenue, orders*measure.Millionths))
}

func productsSummary(c *toolkit.Call, a *ProductsAnswer, days civil.Range, revenue int64) string {
	what, subject := answer.Plural(a.Pagination.Total, "product", "products"), "had revenue of"
	if a.View == couponsView {
		what, subject = answer.Plural(a.Pagination.Total, "coupon code", "coupon codes"), "were used. Their orders had revenue of"
		if a.Pagination.Total == 1 {
			subject = "was used. Its orders had revenue of"
		}
	}
	return fmt.Sprintf("%s %s %s %s, %s.", what, subject, c.Amount(revenue), answer.Dates(days), answer.Against(a.Metrics.Revenue.ChangePct, days))
}

func productsNext(c *toolkit.Call, a *ProductsAnswer, days civil.Range) {
	if a.View == productsView && c.Store.Counts["order_coupons"] > 0 {
		c.Suggest(&a.Closing, "products", toolkit.With(toolkit.Dated(days), "view", string(couponsView)), "See the use of coupon codes.")
	}
	c.Suggest(&a.Closing, "performance", toolkit.Dated(days), "See revenue and orders by channel.")
}
