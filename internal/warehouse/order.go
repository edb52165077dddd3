package warehouse

import (
	"context"
	"time"

	"assay/internal/measure"
)

// Order returns the order with the key ref, and reports whether the order exists.
func (w *salesQuestions) Order(ctx context.Context, ws measure.WorkspaceID, ref OrderRef) (o Order, known bool, err error) {
	err = w.ask(ctx, ws, "order", values{"source": ref.Source, "key": ref.Key}, func(row Row) error {
		var updated *time.Time
		err := row.Scan(&o.Name, &o.At, &o.Day, &o.Surface, &o.Customer, &o.Channel, &o.Charged, &o.Tax, &o.Shipping, &o.Discounts,
			&o.Original.Minor, &o.Original.Currency, &o.Status, &o.Cancelled, &o.Test, &o.Country, &o.Region, &o.Units, &updated)
		if updated != nil {
			o.UpdatedAt = updated.UTC()
		}
		o.OrderRef, o.At, known = ref, o.At.UTC(), true
		return err
	})
	return o, known, err
}
