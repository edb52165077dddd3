package warehouse

import (
	"context"
	"fmt"
	"strings"

	"assay/internal/civil"
	"assay/internal/measure"
)

// Products returns product sales.
func (w *salesQuestions) Products(ctx context.Context, ws measure.WorkspaceID, of ProductsOf) (ProductPage, error) {
	var page ProductPage
	bind := of.Windows.bind()
	bind["sort"], bind["limit"], bind["offset"] = string(of.Sort), orAll(of.Limit), of.Offset
	err := w.ask(ctx, ws, "product_totals", bind, func(row Row) error {
		var period, products int
		var t ProductTotal
		err := row.Scan(append([]any{&period, &products}, t.sums()...)...)
		*page.Totals.of(period) = t
		if period == 0 {
			page.Total = products
		}
		return err
	})
	if err != nil {
		return ProductPage{}, fmt.Errorf("product totals: %w", err)
	}
	err = w.ask(ctx, ws, "products", bind, func(row Row) error {
		var t ProductTotal
		err := row.Scan(append([]any{&t.SKU, &t.Title}, t.sums()...)...)
		page.Rows = append(page.Rows, t)
		return err
	})
	return page, err
}

// ProductSpan contains the sales of a product in a window, and its first and last day with a sale.
type ProductSpan struct {
	SKU      string
	Title    string
	Units    int64
	Net      int64 // amount charged for the product's lines
	Discount int64
	Sold     civil.Range
}

// ProductSpans returns every product sold in each window, sorted by SKU and title.
func (w *salesQuestions) ProductSpans(ctx context.Context, ws measure.WorkspaceID, in Windows) (Pair[[]ProductSpan], error) {
	var spans Pair[[]ProductSpan]
	err := w.ask(ctx, ws, "product_spans", in.bind(), func(row Row) error {
		var period int
		var s ProductSpan
		err := row.Scan(&period, &s.SKU, &s.Title, &s.Units, &s.Net, &s.Discount, &s.Sold.First, &s.Sold.Last)
		rows := spans.of(period)
		*rows = append(*rows, s)
		return err
	})
	return spans, err
}

func (t *ProductTotal) sums() []any {
	return []any{&t.Units, &t.Orders, &t.Net, &t.Discount, &t.Cost, &t.Costed}
}

// Coupons returns the use of discount codes.
func (w *salesQuestions) Coupons(ctx context.Context, ws measure.WorkspaceID, of CouponsOf) (CouponPage, error) {
	var page CouponPage
	bind := of.Windows.bind()
	bind["code"], bind["limit"], bind["offset"] = strings.ToUpper(of.Code), orAll(of.Limit), of.Offset
	err := w.ask(ctx, ws, "coupon_totals", bind, func(row Row) error {
		var period, codes int
		var t CouponTotal
		err := row.Scan(append([]any{&period, &codes}, t.sums()...)...)
		*page.Totals.of(period) = t
		if period == 0 {
			page.Total = codes
		}
		return err
	})
	if err != nil {
		return CouponPage{}, fmt.Errorf("coupon totals: %w", err)
	}
	err = w.ask(ctx, ws, "coupons", bind, func(row Row) error {
		var t CouponTotal
		err := row.Scan(append([]any{&t.Code, &t.Channel, &t.Creator}, t.sums()...)...)
		page.Rows = append(page.Rows, t)
		return err
	})
	return page, err
}

func (t *CouponTotal) sums() []any { return []any{&t.Orders, &t.Charged, &t.Discount, &t.NewOrders} }
