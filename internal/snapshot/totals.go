package snapshot

import (
	"context"
	"fmt"
	"slices"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

// LastTouchTotals returns the last-touch totals of every channel or of one channel.
func (c *Snapshot) LastTouchTotals(ctx context.Context, in warehouse.Windows, only measure.Channel) (
	warehouse.Pair[[]warehouse.ChannelTotal], error,
) {
	return c.ChannelTotals(ctx, false, measure.LastTouch, in, only)
}

// ChannelTotals returns the totals of every channel or of one channel. Brief totals omit figures that appear only in
// detailed answers.
func (c *Snapshot) ChannelTotals(ctx context.Context, brief bool, model measure.Model, in warehouse.Windows,
	only measure.Channel,
) (warehouse.Pair[[]warehouse.ChannelTotal], error) {
	kept := model
	if slices.Contains(measure.Fitted(), model) {
		kept = measure.LastTouch
	}
	ask := c.facts.ChannelTotals
	if brief {
		ask = c.facts.ChannelBriefs
	}
	totals, err := ask(ctx, c.Workspace.ID, kept, in)
	if err != nil {
		return totals, fmt.Errorf("channel totals %s: %w", in.Recent, err)
	}
	c.note("channel_totals", len(totals.Recent)+len(totals.Earlier))
	if kept != model {
		if err := c.refit(ctx, model, in, &totals); err != nil {
			return totals, fmt.Errorf("model %s: %w", model, err)
		}
	}
	unwanted := func(t warehouse.ChannelTotal) bool { return only != "" && t.Channel != only || nothing(t) }
	totals.Recent, totals.Earlier = slices.DeleteFunc(totals.Recent, unwanted), slices.DeleteFunc(totals.Earlier, unwanted)
	return totals, nil
}

// nothing reports whether a channel has no activity.
func nothing(t warehouse.ChannelTotal) bool {
	return t.Sums == (measure.Sums{}) && t.Spend == 0 && t.Impressions == 0 && t.Claimed == 0 && t.ClaimedSum == 0
}

// Sum returns the total of a window's channels: all channels of the store, or only the requested channel. The store's
// spend is known within the range of its ad reports, including days without ads.
func (c *Snapshot) Sum(channels []warehouse.ChannelTotal, only measure.Channel, days civil.Range) Total {
	sum := Total{SpendKnown: only == "" && c.Store.AdDays.Intersect(days).Days() > 0, RevenueUnknown: c.RevenueUnknown(only)}
	for _, t := range channels {
		sum.Sums = sum.Add(t.Sums)
		sum.Spend += t.Spend
		sum.SpendKnown = sum.SpendKnown || t.SpendKnown
	}
	return sum
}
