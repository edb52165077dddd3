package tools

import (
	"context"
	"fmt"
	"strings"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

var products = define(Spec{
	Name:        "products",
	Title:       "Products and coupons",
	Description: "What sold, by revenue, units or order value, and which coupon codes were used.",
	Needs:       "order_lines",
}, runProducts)

type productsParams struct {
	last30
	View   salesView             `json:"view" enum:"products|coupons" default:"products" doc:"What the rows are."`
	SortBy warehouse.ProductSort `json:"sort_by" enum:"revenue|units|aov" default:"revenue" doc:"Of products, largest first."`
	Code   string                `json:"code" doc:"Only this coupon; with view=coupons."`
	paged
	shared
}

// salesView is what the rows of products are.
type salesView string

const (
	productsView salesView = "products"
	couponsView  salesView = "coupons"
)

// Check refuses a reversed period, and a coupon where products are asked for.
func (p productsParams) Check() error {
	if p.Code != "" && p.View == productsView {
		return fault.Invalid("code filters coupons, and view is products").
			WithHint(`Corrected arguments: {"view":"coupons","code":%q}`, clean(p.Code))
	}
	return p.last30.Check()
}

type productsAnswer struct {
	opening
	View    salesView    `json:"view"`
	Metrics salesMetrics `json:"metrics" doc:"Over all products or coupons of the selection, not the page."`
	table[salesRow]
	closing
}

type salesMetrics struct {
	Revenue  Metric[Money]  `json:"revenue"`
	Orders   Metric[Count]  `json:"orders"`
	Units    *Metric[Count] `json:"units,omitempty"`
	Discount Metric[Money]  `json:"discount"`
	AOV      Metric[Money]  `json:"aov"`
}

// salesRow is a product or a coupon.
type salesRow struct {
	Title     Foreign         `json:"title,omitempty"`
	SKU       Foreign         `json:"sku,omitempty"`
	Code      Foreign         `json:"code,omitempty"`
	Channel   measure.Channel `json:"channel,omitempty" doc:"What the coupon is mapped to."`
	Revenue   Money           `json:"revenue" doc:"Charged for the product's lines, or for the orders that used the coupon."`
	Units     *int64          `json:"units,omitempty"`
	Orders    Count           `json:"orders"`
	AOV       *Money          `json:"aov,omitempty" doc:"Revenue per order."`
	NewOrders *Count          `json:"new_orders,omitempty" doc:"Orders by new customers."`
	Discount  *Money          `json:"discount,omitempty" detail:"analyst"`
	SharePct  *Percent        `json:"share_pct,omitempty" detail:"analyst" doc:"Of the revenue of all rows of all pages."`
	Cost      *Money          `json:"cost,omitempty" detail:"analyst" doc:"Of goods, where the cost of every unit is known."`
	MarginPct *Percent        `json:"margin_pct,omitempty" detail:"analyst"`
	CostedPct *Percent        `json:"costed_pct,omitempty" detail:"debug" doc:"Units whose cost is known."`
	CreatorID string          `json:"creator_id,omitempty" detail:"debug"`
}

func runProducts(ctx context.Context, c *Call, p productsParams) (*productsAnswer, error) {
	days, err := p.window(c.Today)
	if err != nil {
		return nil, err
	}
	a := &productsAnswer{View: p.View}
	a.Period, a.Currency = c.period(days), c.Workspace.Currency
	windows := warehouse.Windows{Recent: days, Earlier: days.Previous()}
	var revenue int64
	switch p.View {
	case couponsView:
		revenue, err = c.coupons(ctx, a, p, windows)
	case productsView:
		revenue, err = c.products(ctx, a, p, windows)
	}
	if err != nil {
		return nil, err
	}
	if a.Pagination.Total == 0 {
		a.Summary = c.explainEmpty(&a.closing, days)
	} else {
		a.Summary = c.productsSummary(a, days, revenue)
		c.warnBefore(&a.closing, days)
		c.warnDays(&a.closing, days, 0, false)
		c.productsNext(a, days)
	}
	quality := DataQuality{Revenue: "charged for the lines after discounts, without shipping"}
	if p.View == couponsView {
		quality.Revenue = "charged for the orders that used the code; an order with two codes counts for both"
	}
	c.describe(&a.closing, quality, fromOrders, "catalogue")
	return a, nil
}

func (c *Call) products(ctx context.Context, a *productsAnswer, p productsParams, windows warehouse.Windows) (revenue int64, err error) {
	page := p.page(&c.Writer)
	found, err := c.Facts.Products(ctx, c.Workspace.ID, warehouse.ProductsOf{
		Windows: windows, Sort: p.SortBy, Limit: page.limit, Offset: page.offset,
	})
	if err != nil {
		return 0, fmt.Errorf("products %s: %w", windows.Recent, err)
	}
	c.read("products", len(found.Rows))
	f, now, before := c.figures, found.Totals.Recent, found.Totals.Earlier
	a.Metrics = salesMetrics{
		Revenue:  metricOf(f.money(now.Net), f.money(before.Net)),
		Orders:   metricOf(Count(now.Orders), Count(before.Orders)),
		Units:    new(metricOf(Count(now.Units), Count(before.Units))),
		Discount: metricOf(f.money(now.Discount), f.money(before.Discount)),
		AOV:      metricOfKnown(f.each(now.Net, now.Orders), f.each(before.Net, before.Orders)),
	}
	for _, t := range found.Rows {
		a.Rows = append(a.Rows, f.productRow(t, now.Net))
	}
	a.Pagination = page.pagination(len(a.Rows), found.Total)
	return now.Net, nil
}

func (f figures) productRow(t warehouse.ProductTotal, all int64) salesRow {
	row := salesRow{
		Title: Foreign(t.Title), SKU: Foreign(t.SKU), Revenue: f.money(t.Net), Units: new(t.Units), Orders: Count(t.Orders),
		AOV: f.each(t.Net, t.Orders), Discount: new(f.money(t.Discount)), SharePct: percent(measure.Share(t.Net, all)),
		CostedPct: percent(measure.Share(t.Costed, t.Units)),
	}
	if t.Units > 0 && t.Costed == t.Units {
		row.Cost, row.MarginPct = new(f.money(t.Cost)), percent(measure.Share(t.Net-t.Cost, t.Net))
	}
	return row
}

func (c *Call) coupons(ctx context.Context, a *productsAnswer, p productsParams, windows warehouse.Windows) (revenue int64, err error) {
	page := p.page(&c.Writer)
	found, err := c.Facts.Coupons(ctx, c.Workspace.ID, warehouse.CouponsOf{
		Windows: windows, Code: strings.ToUpper(strings.TrimSpace(p.Code)), Limit: page.limit, Offset: page.offset,
	})
	if err != nil {
		return 0, fmt.Errorf("coupons %s: %w", windows.Recent, err)
	}
	c.read("coupons", len(found.Rows))
	f, now, before := c.figures, found.Totals.Recent, found.Totals.Earlier
	a.Metrics = salesMetrics{
		Revenue:  metricOf(f.money(now.Charged), f.money(before.Charged)),
		Orders:   metricOf(Count(now.Orders), Count(before.Orders)),
		Discount: metricOf(f.money(now.Discount), f.money(before.Discount)),
		AOV:      metricOfKnown(f.each(now.Charged, now.Orders), f.each(before.Charged, before.Orders)),
	}
	for _, t := range found.Rows {
		a.Rows = append(a.Rows, salesRow{
			Code: Foreign(t.Code), Channel: t.Channel, Revenue: f.money(t.Charged), Orders: Count(t.Orders),
			AOV: f.each(t.Charged, t.Orders), NewOrders: new(Count(t.NewOrders)), Discount: new(f.money(t.Discount)),
			SharePct: percent(measure.Share(t.Charged, now.Charged)), CreatorID: t.Creator,
		})
	}
	a.Pagination = page.pagination(len(a.Rows), found.Total)
	return now.Charged, nil
}

// each returns the revenue per whole order.
func (f figures) each(revenue, orders int64) *Money {
	return f.perMinor(measure.AOV(revenue, orders*measure.Millionths))
}

func (c *Call) productsSummary(a *productsAnswer, days civil.Range, revenue int64) string {
	what, subject := plural(a.Pagination.Total, "product", "products"), "took"
	if a.View == couponsView {
		what, subject = plural(a.Pagination.Total, "coupon code", "coupon codes"), "were used in orders of"
		if a.Pagination.Total == 1 {
			subject = "was used in orders of"
		}
	}
	return fmt.Sprintf("%s %s %s %s, %s.", what, subject, c.amount(revenue), spell(days), against(a.Metrics.Revenue.ChangePct, days))
}

func (c *Call) productsNext(a *productsAnswer, days civil.Range) {
	if a.View == productsView && c.Store.Counts["order_coupons"] > 0 {
		c.suggest(&a.closing, "products", with(dated(days), "view", string(couponsView)), "See which coupon codes were used.")
	}
	c.suggest(&a.closing, "performance", dated(days), "See which channels the orders came from.")
}
