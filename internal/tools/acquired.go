package tools

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

// acquisition is what winning customers cost and who was won.
type acquisition struct {
	segments    warehouse.Pair[warehouse.SegmentTotals]
	byChannel   map[measure.Channel]warehouse.SegmentTotals
	spend       map[measure.Channel]int64 // of channels whose spend is known
	spent       int64
	spentBefore int64
	spendKnown  bool
	knownBefore bool
}

func (c *Snapshot) acquisition(ctx context.Context, days civil.Range) (q acquisition, err error) {
	in := warehouse.Windows{Recent: days, Earlier: days.Previous()}
	if q.segments, err = c.facts.SegmentTotals(ctx, c.Workspace.ID, "", in); err != nil {
		return q, fmt.Errorf("segments %s: %w", days, err)
	}
	if q.byChannel, err = c.facts.SegmentChannels(ctx, c.Workspace.ID, days); err != nil {
		return q, fmt.Errorf("segments by channel %s: %w", days, err)
	}
	totals, err := c.lastTouchTotals(ctx, in, "")
	if err != nil {
		return q, err
	}
	c.read("segment_totals", 2)
	c.read("segment_channels", len(q.byChannel))
	q.spend = map[measure.Channel]int64{}
	for _, t := range totals.Recent {
		if t.SpendKnown {
			q.spend[t.Channel] = t.Spend
		}
	}
	now, before := c.totalOf(totals.Recent, "", days), c.totalOf(totals.Earlier, "", days.Previous())
	q.spent, q.spendKnown, q.spentBefore, q.knownBefore = now.spend, now.spendKnown, before.spend, before.spendKnown
	return q, nil
}

// unwon lists the channels with spend that won nobody who could be followed.
func unwon(curves []cohort.Curve, spend map[measure.Channel]int64) (out []cohort.Curve) {
	for _, channel := range slices.Sorted(maps.Keys(spend)) {
		if !slices.ContainsFunc(curves, func(c cohort.Curve) bool { return c.Channel == channel }) {
			out = append(out, cohort.Curve{Channel: channel})
		}
	}
	return out
}

// everybody stands for all channels where customers are one group.
const everybody measure.Channel = "all"

// marginCurves returns the margin per customer by channel, and of all customers under "all".
func marginCurves(p panel, margins cohort.Margins) (map[measure.Channel]cohort.Curve, error) {
	members := p.members(func(d warehouse.PanelDay) int64 {
		if d.Orders == 0 {
			return -d.Refunds
		}
		return margins.Of(saleOf(d)) - d.Refunds
	})
	curves, whole, err := curvesOf(members)
	if err != nil {
		return nil, err
	}
	out := map[measure.Channel]cohort.Curve{everybody: whole}
	for _, curve := range curves {
		out[curve.Channel] = curve
	}
	return out, nil
}
