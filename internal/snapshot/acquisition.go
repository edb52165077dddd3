package snapshot

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/measure/cohort"
	"assay/internal/warehouse"
)

// NewCustomers contains the number of new customers in a window by the last-touch channel of their first order, in
// millionths. A new customer is an identified customer with the first order in the window. Sample orders and orders
// without a customer are excluded.
type NewCustomers map[measure.Channel]int64

// All returns the number of new customers of all channels.
func (n NewCustomers) All() (all int64) {
	for _, customers := range n {
		all += customers
	}
	return all
}

// NewCustomers returns the number of new customers of one channel, or of each channel. All numbers of new customers,
// CAC and LTV use this method.
func (c *Snapshot) NewCustomers(ctx context.Context, days civil.Range, only measure.Channel) (NewCustomers, error) {
	found, err := c.facts.SegmentChannels(ctx, c.Workspace.ID, days)
	if err != nil {
		return nil, fmt.Errorf("segments by channel %s: %w", days, err)
	}
	c.note("segment_channels", len(found))
	won := NewCustomers{}
	for channel, totals := range found {
		if n := totals.New.Orders; n > 0 && (only == "" || channel == only) {
			won[channel] = n
		}
	}
	return won, nil
}

// Acquisition is the spend and the new customers of a window.
type Acquisition struct {
	Segments    warehouse.Pair[warehouse.SegmentTotals]
	Won         NewCustomers
	Paid        NewCustomers              // the part of Won since the first day with spend; the basis of CAC
	Spend       map[measure.Channel]int64 // channels with known spend
	Spent       int64
	SpentBefore int64
	SpendKnown  bool
	KnownBefore bool // the data cover the whole previous window
}

// Acquired returns the spend and the new customers of a window.
func (c *Snapshot) Acquired(ctx context.Context, days civil.Range) (q Acquisition, err error) {
	in := warehouse.Windows{Recent: days, Earlier: days.Previous()}
	if q.Segments, err = c.SegmentTotals(ctx, "", in); err != nil {
		return q, err
	}
	if q.Won, err = c.NewCustomers(ctx, days, ""); err != nil {
		return q, err
	}
	q.Paid = q.Won
	if first := c.Store.FirstDay(FromAds, FromSpend); first.After(days.First) && !first.After(days.Last) {
		if q.Paid, err = c.NewCustomers(ctx, civil.Range{First: first, Last: days.Last}, ""); err != nil {
			return q, err
		}
	}
	totals, err := c.LastTouchTotals(ctx, in, "")
	if err != nil {
		return q, err
	}
	q.Spend = map[measure.Channel]int64{}
	for _, t := range totals.Recent {
		if t.SpendKnown {
			q.Spend[t.Channel] = t.Spend
		}
	}
	now, before := c.Sum(totals.Recent, "", days), c.Sum(totals.Earlier, "", days.Previous())
	q.Spent, q.SpendKnown, q.SpentBefore, q.KnownBefore = now.Spend, now.SpendKnown, before.Spend, before.SpendKnown
	q.KnownBefore = q.KnownBefore && c.Store.Covers(in.Earlier, FromAds, FromSpend)
	return q, nil
}

// WithChannels adds an empty curve for each channel of the map without a curve, such as a channel without customers in
// the panel.
func WithChannels(curves []cohort.Curve, channels map[measure.Channel]int64) []cohort.Curve {
	for _, channel := range slices.Sorted(maps.Keys(channels)) {
		if !slices.ContainsFunc(curves, func(c cohort.Curve) bool { return c.Channel == channel }) {
			curves = append(curves, cohort.Curve{Channel: channel})
		}
	}
	return curves
}

// Everybody is the channel name of a group with the customers of all channels.
const Everybody measure.Channel = "all"

// MarginCurves returns the margin per customer by channel, with all customers under "all".
func MarginCurves(p Panel, margins cohort.Margins) (map[measure.Channel]cohort.Curve, error) {
	members := p.Members(func(d warehouse.PanelDay) int64 {
		if d.Orders == 0 {
			return -d.Refunds
		}
		return margins.Of(saleOf(d)) - d.Refunds
	})
	curves, whole, err := CurvesOf(members)
	if err != nil {
		return nil, err
	}
	out := map[measure.Channel]cohort.Curve{Everybody: whole}
	for _, curve := range curves {
		out[curve.Channel] = curve
	}
	return out, nil
}
