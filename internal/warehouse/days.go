package warehouse

import (
	"context"
	"slices"

	"assay/internal/civil"
	"assay/internal/measure"
)

// StoreDays returns the store's days in the period, including the spend of all channels.
func (w *salesQuestions) StoreDays(ctx context.Context, ws measure.WorkspaceID, days civil.Range) ([]DayTotal, error) {
	var out []DayTotal
	err := w.ask(ctx, ws, "store_days", bindDays(days), func(row Row) error {
		var d DayTotal
		var spendRows int64
		err := row.Scan(append(append([]any{&d.Day}, sumsOf(&d.Sums)...), &d.Spend, &spendRows)...)
		d.SpendKnown = spendRows > 0
		out = append(out, d)
		return err
	})
	return out, err
}

// GoodsDays returns the product sales and the cost of goods by day and sales surface. Days without order lines are absent.
func (w *salesQuestions) GoodsDays(ctx context.Context, ws measure.WorkspaceID, days civil.Range) ([]measure.Goods, error) {
	var out []measure.Goods
	err := w.ask(ctx, ws, "goods_days", bindDays(days), func(row Row) error {
		var g measure.Goods
		err := row.Scan(&g.Day, &g.Surface, &g.Units, &g.Net, &g.Costed, &g.CostedNet, &g.Cost)
		out = append(out, g)
		return err
	})
	return out, err
}

// ChannelDays returns the daily totals of the channels, sorted by channel and day. If no channel is given, it returns
// the daily totals of all channels.
func (w *salesQuestions) ChannelDays(ctx context.Context, ws measure.WorkspaceID, model measure.Model, days civil.Range, channels ...measure.Channel) ([]ChannelDay, error) {
	name, bind := "channel_days", bindDays(days)
	bind["model"], bind["channel"] = string(model), ""
	if len(channels) == 1 {
		bind["channel"] = string(channels[0])
	}
	if model == measure.PlatformReported {
		name = "claimed_days"
	}
	var out []ChannelDay
	err := w.ask(ctx, ws, name, bind, func(row Row) error {
		var d ChannelDay
		var spendRows int64
		into := append([]any{&d.Channel, &d.Day}, sumsOf(&d.Sums)...)
		err := row.Scan(append(into, &d.Spend, &spendRows)...)
		d.SpendKnown = spendRows > 0
		if len(channels) == 0 || slices.Contains(channels, d.Channel) {
			out = append(out, d)
		}
		return err
	})
	return out, err
}

func bindDays(days civil.Range) values {
	return values{"first": days.First.String(), "last": days.Last.String()}
}
