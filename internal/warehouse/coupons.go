package warehouse

import (
	"context"
	"fmt"
	"strings"

	"assay/internal/measure"
	"assay/internal/money"
)

// CouponChannel returns the channel and the creator of a discount code. Both are "" if the code is not mapped.
func (w *salesQuestions) CouponChannel(ctx context.Context, ws measure.WorkspaceID, code string) (CouponChannel, error) {
	m := CouponChannel{Code: strings.ToUpper(code)}
	err := w.ask(ctx, ws, "coupon_channel", map[string]any{"code": m.Code}, func(row Row) error {
		return row.Scan(&m.Channel, &m.Creator)
	})
	if err != nil {
		return m, fmt.Errorf("channel of coupon %q: %w", m.Code, err)
	}
	return m, nil
}

// couponSource is the name of the reader of coupon mappings. The import ledger also uses this name for individual
// changes.
const couponSource = "coupon_map"

// CouponChange maps a discount code to a channel. An empty channel removes the mapping.
type CouponChange struct {
	Code    string
	Channel measure.Channel
	Where   string // where the change was made, for the import ledger
}

// MapCoupon changes the channel of a discount code and returns the previous mapping. The code keeps its creator. If the
// code already has this channel, nothing changes. The change is an import. A workspace has one import at a time, so
// MapCoupon waits for other imports until ctx ends.
func (w *Warehouse) MapCoupon(ctx context.Context, ws measure.WorkspaceID, base money.Currency, c CouponChange) (before CouponChannel, err error) {
	load, err := w.engine.Begin(ctx, ImportSpec{Workspace: ws, Source: couponSource, File: c.Where, Base: base})
	if err != nil {
		return before, err
	}
	defer load.Abort()
	// From here on, no other import can change the workspace.
	if before, err = w.CouponChannel(ctx, ws, c.Code); err != nil || before.Channel == c.Channel {
		return before, err
	}
	now := before
	now.Channel = c.Channel
	if err := load.Add(ctx, &Batch{CouponMap: []CouponChannel{now}}); err != nil {
		return before, err
	}
	if _, err := load.Commit(ctx); err != nil {
		return before, fmt.Errorf("coupon %q: %w", now.Code, err)
	}
	return before, nil
}
