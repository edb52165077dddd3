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

// Acquisition is the spend and the new customers of a window.
type Acquisition struct {
	Segments    warehouse.Pair[warehouse.SegmentTotals]
	ByChannel   map[measure.Channel]warehouse.SegmentTotals
	Spend       map[measure.Channel]int64 // known spend by channel
	Spent       int64
	SpentBefore int64
	SpendKnown  bool
	KnownBefore bool
}

// Acquired returns the spend and the new customers of a window.
func (c *Snapshot) Acquired(ctx context.Context, days civil.Range) (q Acquisition, err error) {
	in := warehouse.Windows{Recent: days, Earlier: days.Previous()}
	if q.Segments, err = c.facts.SegmentTotals(ctx, c.Workspace.ID, "", in); err != nil {
		return q, fmt.Errorf("segments %s: %w", days, err)
	}
	if q.ByChannel, err = c.facts.SegmentChannels(ctx, c.Workspace.ID, days); err != nil {
		return q, fmt.Errorf("segments by channel %s: %w", days, err)
	}
	totals, err := c.LastTouchTotals(ctx, in, "")
	if err != nil {
		return q, err
	}
	c.note("segment_totals", 2)
	c.note("segment_channels", len(q.ByChannel))
	q.Spend = map[measure.Channel]int64{}
	for _, t := range totals.Recent {
		if t.SpendKnown {
			q.Spend[t.Channel] = t.Spend
		}
	}
	now, before := c.Sum(totals.Recent, "", days), c.Sum(totals.Earlier, "", days.Previous())
	q.Spent, q.SpendKnown, q.SpentBefore, q.KnownBefore = now.Spend, now.SpendKnown, before.Spend, before.SpendKnown
	return q, nil
}

// Unwon lists the channels with spend but without an identified new customer.
func Unwon(curves []cohort.Curve, spend map[measure.Channel]int64) (out []cohort.Curve) {
	for _, channel := range slices.Sorted(maps.Keys(spend)) {
		if !slices.ContainsFunc(curves, func(c cohort.Curve) bool { return c.Channel == channel }) {
			out = append(out, cohort.Curve{Channel: channel})
		}
	}
	return out
}

// Everybody is the channel of a group with the customers of all channels.
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
