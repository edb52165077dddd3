package merge

import (
	"context"

	"assay/internal/measure"
	"assay/internal/warehouse/facts"
)

// remember stores the current totals of the changed days with the import's ledger entry, unless the totals equal the
// previous totals. It also stores which days the import contains.
func (h dayHistory) remember(ctx context.Context) error {
	touched, err := h.count(ctx, "(SELECT day FROM dirty UNION ALL SELECT day FROM spend_dirty LIMIT 1)")
	if err != nil {
		return err
	}
	if touched > 0 {
		if err := h.rememberChanges(ctx); err != nil {
			return err
		}
	}
	return h.rememberDays(ctx)
}

func (h dayHistory) rememberChanges(ctx context.Context) error {
	if err := h.run(ctx, "rollups/history", nil); err != nil {
		return err
	}
	if h.spec.Feed {
		if err := h.outlive(ctx); err != nil {
			return err
		}
	}
	return h.run(ctx, "sql/remember_changes", nil)
}

// outlive removes history rows of the import's days that a feed wrote within the same clock hour. Only imports of feeds
// call it.
func (h dayHistory) outlive(ctx context.Context) error {
	if err := h.run(ctx, "rollups/outlived", nil); err != nil {
		return err
	}
	n, err := h.count(ctx, "outlived")
	if err != nil || n == 0 {
		return err
	}
	return h.run(ctx, "rollups/history_hour", nil)
}

// rememberDays stores the days in the import.
func (h dayHistory) rememberDays(ctx context.Context) error {
	orders, ads := h.of(facts.OrdersTable), h.of(facts.AdDaysTable)
	values := args{
		"orders": orders.rows > 0 && !orders.direct, "ads": ads.opened && !ads.direct, "feed": h.spec.Feed,
		"order_totals": measure.OrderTotals, "spend_totals": measure.SpendTotals,
	}
	if values["orders"] == false && values["ads"] == false {
		return nil
	}
	return h.run(ctx, "sql/remember_days", values)
}
