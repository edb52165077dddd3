package warehouse

import (
	"cmp"
	"context"
	"math"
	"slices"

	"assay/internal/civil"
	"assay/internal/measure"
)

// StoreTotals returns the totals of the whole store in each window.
func (w *salesQuestions) StoreTotals(ctx context.Context, ws measure.WorkspaceID, in Windows) (Pair[measure.Sums], error) {
	var totals Pair[measure.Sums]
	err := w.ask(ctx, ws, "store_totals", in.bind(), func(row Row) error {
		var period int
		var sums measure.Sums
		err := row.Scan(append([]any{&period}, sumsOf(&sums)...)...)
		*totals.of(period) = sums
		return err
	})
	return totals, err
}

// ChannelTotals returns a row per channel for each window, sorted by channel. A row contains the figures that the
// attribution model attributes to the channel, the spend and the platform-reported figures. The total of the attributed
// figures equals StoreTotals, because [measure.Unattributed] has all orders that are not attributed to a channel. Under
// platform_reported, the platform-reported figures replace the attributed figures. The row of [measure.Unattributed] is
// then the store's total minus the platform-reported total, which may be negative.
func (w *salesQuestions) ChannelTotals(ctx context.Context, ws measure.WorkspaceID, model measure.Model, in Windows) (Pair[[]ChannelTotal], error) {
	name, bind := "channel_totals", in.bind()
	bind["model"] = string(model)
	switch {
	case model == measure.PlatformReported:
		name = "claimed_totals"
	case in.adjacent():
		name = "channel_totals_adjacent"
	}
	var period int
	var spendRows int64
	var c ChannelTotal
	into := append([]any{&period, &c.Channel}, sumsOf(&c.Sums)...)
	into = append(into, &c.Spend, &spendRows, &c.Impressions, &c.Clicks, &c.Claimed, &c.ClaimedSum)
	var totals Pair[[]ChannelTotal]
	err := w.ask(ctx, ws, name, bind, func(row Row) error {
		err := row.Scan(into...)
		c.SpendKnown = spendRows > 0
		rows := totals.of(period)
		*rows = append(*rows, c)
		return err
	})
	totals.Recent, totals.Earlier = perChannel(totals.Recent), perChannel(totals.Earlier)
	return totals, err
}

// ChannelBriefs returns [Warehouse.ChannelTotals] with at least the figures of a summary: orders, charged amount,
// refunds, undated refunds and spend. Other figures may be zero. ChannelBriefs reads all figures under
// platform_reported, for windows that are not adjacent, and if a channel has only zeros in the summary.
func (w *salesQuestions) ChannelBriefs(ctx context.Context, ws measure.WorkspaceID, model measure.Model, in Windows) (Pair[[]ChannelTotal], error) {
	if model == measure.PlatformReported || !in.adjacent() {
		return w.ChannelTotals(ctx, ws, model, in)
	}
	bind := in.bind()
	bind["model"] = string(model)
	var earlier bool
	var spendRows int64
	var c ChannelTotal
	var briefs Pair[[]ChannelTotal]
	err := w.ask(ctx, ws, "channel_briefs", bind, func(row Row) error {
		err := row.Scan(&earlier, &c.Channel, &c.Sums.Orders, &c.Sums.Charged, &c.Sums.Refunds, &c.Sums.Undated, &c.Spend, &spendRows)
		c.SpendKnown = spendRows > 0
		rows := &briefs.Recent
		if earlier {
			rows = &briefs.Earlier
		}
		*rows = append(*rows, c)
		return err
	})
	if err != nil {
		return briefs, err
	}
	briefs.Recent, briefs.Earlier = perChannel(briefs.Recent), perChannel(briefs.Earlier)
	untold := func(c ChannelTotal) bool { return c.Sums == (measure.Sums{}) && c.Spend == 0 }
	if slices.ContainsFunc(briefs.Recent, untold) || slices.ContainsFunc(briefs.Earlier, untold) {
		return w.ChannelTotals(ctx, ws, model, in)
	}
	return briefs, nil
}

// perChannel merges the rows of each channel and sorts them by channel. A query returns a channel's attributed figures
// and spend in one row or in two.
func perChannel(rows []ChannelTotal) []ChannelTotal {
	slices.SortStableFunc(rows, func(a, b ChannelTotal) int { return cmp.Compare(a.Channel, b.Channel) })
	kept := rows[:0]
	for _, row := range rows {
		if len(kept) == 0 || kept[len(kept)-1].Channel != row.Channel {
			kept = append(kept, row)
			continue
		}
		c := &kept[len(kept)-1]
		c.Sums, c.SpendKnown = c.Sums.Add(row.Sums), c.SpendKnown || row.SpendKnown
		c.Spend, c.Impressions, c.Clicks = c.Spend+row.Spend, c.Impressions+row.Impressions, c.Clicks+row.Clicks
		c.Claimed, c.ClaimedSum = c.Claimed+row.Claimed, c.ClaimedSum+row.ClaimedSum
	}
	return kept
}

// of returns the pair's value for a window: 0 is the recent window.
func (p *Pair[T]) of(period int) *T {
	if period == 0 {
		return &p.Recent
	}
	return &p.Earlier
}

// adjacent reports whether the earlier window ends the day before the recent window begins, as in comparisons with the
// previous period. One scan of the days is then sufficient for both windows.
func (in Windows) adjacent() bool {
	return in.Earlier.Days() > 0 && in.Recent.Days() > 0 && in.Earlier.Last.AddDays(1) == in.Recent.First
}

// bind returns the first and last days of both windows as parameters. A missing earlier window becomes an empty window.
func (in Windows) bind() values {
	earlier := in.Earlier
	if earlier.Days() == 0 {
		earlier = civil.Range{First: civil.New(1900, 1, 2), Last: civil.New(1900, 1, 1)}
	}
	return values{
		"recent_first": in.Recent.First.String(), "recent_last": in.Recent.Last.String(),
		"earlier_first": earlier.First.String(), "earlier_last": earlier.Last.String(),
	}
}

// sumsOf returns the scan destinations of a row's nine sums, in the column order of all queries.
func sumsOf(s *measure.Sums) []any {
	return []any{
		&s.Orders, &s.Charged, &s.Tax, &s.Shipping, &s.Discounts, &s.Refunds, &s.Undated, &s.NewOrders, &s.Units,
	}
}

// ask renders a query, binds its parameters and calls scan for every row of the result.
func (a *asker) ask(ctx context.Context, ws measure.WorkspaceID, name string, bind values, scan func(Row) error) error {
	return a.engine.Select(ctx, ws, a.statement(ws, name, bind), scan)
}

// orAll returns a page's limit, or a limit for all rows.
func orAll(limit int) int {
	if limit <= 0 {
		return math.MaxInt32
	}
	return limit
}
