package tools

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

var compare = define(Spec{
	Name:        "compare",
	Title:       "Compare two periods",
	Description: "Compare two periods of any length: what changed in revenue, orders, AOV, spend and ROAS, on request for each channel.",
	Needs:       "orders",
}, runCompare)

type compareParams struct {
	Period1Start    civil.Date `json:"period1_start" doc:"Earlier period. Default 60 days ago."`
	Period1End      civil.Date `json:"period1_end" doc:"Default 31 days ago."`
	Period2Start    civil.Date `json:"period2_start" doc:"Recent period. Default 30 days ago."`
	Period2End      civil.Date `json:"period2_end" doc:"Default today."`
	Channel         string     `json:"channel" doc:"Only this channel."`
	IncludeChannels bool       `json:"include_channels" default:"false" doc:"Add a row for each channel."`
	shared
}

// Check refuses reversed periods.
func (p compareParams) Check() error {
	if err := checkOrder("period1_start", p.Period1Start, "period1_end", p.Period1End); err != nil {
		return err
	}
	return checkOrder("period2_start", p.Period2Start, "period2_end", p.Period2End)
}

type compareAnswer struct {
	opening
	Period1  comparedPeriod  `json:"period1"`
	Period2  comparedPeriod  `json:"period2"`
	Timezone string          `json:"timezone"`
	Channel  measure.Channel `json:"channel,omitempty"`
	Metrics  storeMetrics    `json:"metrics" doc:"value is of period 2, previous of period 1."`
	table[comparedRow]
	closing
}

type comparedPeriod struct {
	Start civil.Date `json:"start"`
	End   civil.Date `json:"end"`
	Days  int        `json:"days"`
}

// comparedRow is a channel in both periods.
type comparedRow struct {
	Channel         measure.Channel `json:"channel"`
	Revenue         Money           `json:"revenue"`
	RevenuePrevious Money           `json:"revenue_previous"`
	RevenueChange   *Percent        `json:"revenue_change_pct,omitempty"`
	Orders          Count           `json:"orders"`
	OrdersPrevious  Count           `json:"orders_previous"`
	OrdersChange    *Percent        `json:"orders_change_pct,omitempty" detail:"analyst"`
	Spend           *Money          `json:"spend,omitempty"`
	SpendPrevious   *Money          `json:"spend_previous,omitempty"`
	SpendChange     *Percent        `json:"spend_change_pct,omitempty" detail:"analyst"`
	ROAS            *Ratio          `json:"roas,omitempty" detail:"analyst"`
	ROASPrevious    *Ratio          `json:"roas_previous,omitempty" detail:"analyst"`
}

func runCompare(ctx context.Context, c *Call, p compareParams) (*compareAnswer, error) {
	ago := func(days int) civil.Date { return c.Today.AddDays(-days) }
	earlier := civil.Range{First: p.Period1Start.Or(ago(60)), Last: p.Period1End.Or(ago(31))}
	recent := civil.Range{First: p.Period2Start.Or(ago(30)), Last: p.Period2End.Or(c.Today)}
	if err := checkOrder("period1_start", earlier.First, "period1_end", earlier.Last); err != nil {
		return nil, err
	}
	if err := checkOrder("period2_start", recent.First, "period2_end", recent.Last); err != nil {
		return nil, err
	}
	channel, err := c.channel(p.Channel)
	if err != nil {
		return nil, err
	}
	totals, err := c.lastTouchTotals(ctx, warehouse.Windows{Recent: recent, Earlier: earlier}, channel)
	if err != nil {
		return nil, err
	}
	a := &compareAnswer{Period1: compared(earlier), Period2: compared(recent), Timezone: c.Workspace.Zone, Channel: channel}
	a.Currency = c.Workspace.Currency
	now, before := c.totalOf(totals.Recent, channel, recent), c.totalOf(totals.Earlier, channel, earlier)
	a.Metrics = c.figures.storeMetrics(now, before)
	if earlier.Days() != recent.Days() {
		a.Metrics.perDay(recent.Days(), earlier.Days())
	}
	if p.IncludeChannels {
		a.Rows = c.comparedRows(totals)
	}
	if len(totals.Recent)+len(totals.Earlier) == 0 {
		a.Summary = c.explainEmpty(&a.closing, recent)
	} else {
		a.Summary = c.compareSummary(a, now, before, totals)
		if c.Store.untouched() && (channel != "" || p.IncludeChannels) {
			c.warnUntouched(&a.closing, recent, channel)
		}
		c.warnSpend(&a.closing, now, channel)
		c.warnCompare(a, earlier, recent, now.Undated+before.Undated)
		c.compareNext(a, earlier, recent, p.IncludeChannels)
	}
	c.describe(&a.closing, c.quality(measure.LastTouch, storeTotal{Sums: measure.Sums{Undated: now.Undated + before.Undated}}), fromOrders, fromAds, fromSpend)
	return a, nil
}

func compared(r civil.Range) comparedPeriod {
	return comparedPeriod{Start: r.First, End: r.Last, Days: r.Days()}
}

// perDay adds the changes per day of the figures that grow with the length of the window.
func (m *storeMetrics) perDay(days, daysBefore int) {
	m.Revenue.perDay(days, daysBefore)
	m.Orders.perDay(days, daysBefore)
	m.Spend.perDay(days, daysBefore)
	m.Refunds.perDay(days, daysBefore)
	m.NetRevenue.perDay(days, daysBefore)
}

func (m *Metric[T]) perDay(days, daysBefore int) {
	if m.Value == nil || m.Previous == nil {
		return
	}
	m.PerDay = percent(measure.Change(float64(*m.Value)/float64(days), float64(*m.Previous)/float64(daysBefore)))
}

// comparedRows returns a row for each channel of either period, in the order of performance.
func (c *Call) comparedRows(totals warehouse.Pair[[]warehouse.ChannelTotal]) []comparedRow {
	f := c.figures
	before := map[measure.Channel]warehouse.ChannelTotal{}
	for _, t := range totals.Earlier {
		before[t.Channel] = t
	}
	recent := slices.Clone(totals.Recent)
	for _, t := range totals.Recent {
		delete(before, t.Channel)
	}
	for _, channel := range slices.Sorted(maps.Keys(before)) {
		recent = append(recent, warehouse.ChannelTotal{Channel: channel})
	}
	for _, t := range totals.Earlier {
		before[t.Channel] = t
	}
	rows := make([]comparedRow, 0, len(recent))
	for _, t := range byRevenue(f, recent) {
		row := f.comparedRow(t, before[t.Channel])
		if c.Store.untouched() {
			row.ROAS, row.ROASPrevious = nil, nil
		}
		rows = append(rows, row)
	}
	return rows
}

func (f figures) comparedRow(now, before warehouse.ChannelTotal) comparedRow {
	row := comparedRow{
		Channel: now.Channel,
		Revenue: f.revenue(now.Sums), RevenuePrevious: f.revenue(before.Sums),
		Orders: orders(now.Sums.Orders), OrdersPrevious: orders(before.Sums.Orders),
	}
	row.RevenueChange = percent(measure.Change(float64(row.Revenue), float64(row.RevenuePrevious)))
	row.OrdersChange = percent(measure.Change(float64(row.Orders), float64(row.OrdersPrevious)))
	if now.SpendKnown {
		row.Spend, row.ROAS = new(f.money(now.Spend)), f.roas(now.Sums, now.Spend)
	}
	if before.SpendKnown {
		row.SpendPrevious, row.ROASPrevious = new(f.money(before.Spend)), f.roas(before.Sums, before.Spend)
	}
	if now.SpendKnown && before.SpendKnown {
		row.SpendChange = percent(measure.Change(float64(now.Spend), float64(before.Spend)))
	}
	return row
}

func (c *Call) compareSummary(a *compareAnswer, now, before storeTotal, totals warehouse.Pair[[]warehouse.ChannelTotal]) string {
	if now.untold {
		return c.untoldSummary(a.Channel, civil.Range{First: a.Period2.Start, Last: a.Period2.End}, now)
	}
	text := fmt.Sprintf("Revenue was %s in %d days against %s in %d days: %s.", c.amount(c.Workspace.Basis.Revenue(now.Sums)), a.Period2.Days,
		c.amount(c.Workspace.Basis.Revenue(before.Sums)), a.Period1.Days, moved(a.Metrics.Revenue.ChangePct))
	if change := a.Metrics.Revenue.PerDay; change != nil {
		text = fmt.Sprintf("%s, %s per day.", text[:len(text)-1], moved(change))
	}
	if a.Channel != "" {
		return spoken(a.Channel) + ": " + text
	}
	if c.Store.untouched() {
		return text
	}
	return text + c.biggestMover(totals)
}

func (c *Call) warnCompare(a *compareAnswer, earlier, recent civil.Range, undated int64) {
	if earlier.Days() != recent.Days() {
		a.warn(warnUnequalLengths, fmt.Sprintf("Period 1 has %d days and period 2 has %d: compare change_pct_per_day.", earlier.Days(), recent.Days()))
	}
	if earlier.Intersect(recent).Days() > 0 {
		a.warn(warnOverlap, fmt.Sprintf("The periods share %s.", plural(earlier.Intersect(recent).Days(), "day", "days")))
	}
	if first := c.Store.OrderDays.First; earlier.First.Before(first) {
		where := "inside period 1"
		if earlier.Last.Before(first) {
			where = "after period 1"
		}
		a.warn(warnDataStart, fmt.Sprintf("The store's orders begin on %s, %s.", first, where))
	}
	c.warnDays(&a.closing, recent, undated, true)
}

func (c *Call) compareNext(a *compareAnswer, earlier, recent civil.Range, withChannels bool) {
	if !withChannels && a.Channel == "" {
		c.suggest(&a.closing, "compare", map[string]any{
			"period1_start": earlier.First.String(), "period1_end": earlier.Last.String(),
			"period2_start": recent.First.String(), "period2_end": recent.Last.String(), "include_channels": true,
		}, "See which channels the change comes from.")
	}
	arguments := dated(recent)
	if a.Channel != "" {
		arguments["channel"] = string(a.Channel)
	}
	c.suggest(&a.closing, "trends", arguments, "See on which days it changed.")
}
