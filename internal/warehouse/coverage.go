package warehouse

import (
	"context"
	"database/sql"

	"assay/internal/civil"
	"assay/internal/measure"
)

// Coverage returns the date range and the row counts of the store's data, and the times of the last feeds.
func (w *coverageQuestions) Coverage(ctx context.Context, ws measure.WorkspaceID) (Coverage, error) {
	version, err := w.Version(ctx, ws)
	if err != nil {
		return Coverage{}, err
	}
	c := Coverage{Counts: map[string]int64{}, Version: version}
	err = w.ask(ctx, ws, "fact_counts", nil, func(row Row) error {
		var table string
		var rows int64
		err := row.Scan(&table, &rows)
		c.Counts[table] = rows
		return err
	})
	if err != nil {
		return Coverage{}, err
	}
	err = w.ask(ctx, ws, "coverage", nil, func(row Row) error {
		return row.Scan(&c.Orders, &c.Cancelled, &c.Tests, &c.OrderDays.First, &c.OrderDays.Last, &c.AdDays.First, &c.AdDays.Last)
	})
	if err != nil {
		return Coverage{}, err
	}
	err = w.ask(ctx, ws, "last_feeds", values{"webhooks": WebhooksFile, "tap_run": TapRunFile}, func(row Row) error {
		var webhook, run sql.NullTime
		err := row.Scan(&webhook, &run)
		c.LastWebhook, c.LastTapRun = webhook.Time, run.Time
		return err
	})
	return c, err
}

// Channels returns every channel with attributed orders, spend or reports, sorted by key.
func (w *coverageQuestions) Channels(ctx context.Context, ws measure.WorkspaceID) ([]ChannelVolume, error) {
	var out []ChannelVolume
	err := w.ask(ctx, ws, "channels", nil, func(row Row) error {
		var c ChannelVolume
		err := row.Scan(&c.Channel, &c.Platform, &c.Credited, &c.Charged, &c.Spend, &c.SpendDays, &c.Days.First, &c.Days.Last)
		out = append(out, c)
		return err
	})
	return out, err
}

// RecentOrders returns the number of orders since the given day. This number determines the rate-limit tier.
func (w *coverageQuestions) RecentOrders(ctx context.Context, ws measure.WorkspaceID, from civil.Date) (int64, error) {
	var orders int64
	err := w.ask(ctx, ws, "recent_orders", values{"first": from.String()}, func(row Row) error {
		return row.Scan(&orders)
	})
	return orders, err
}
