package tools

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
	"assay/internal/warehouse"
)

// Compare is the `compare` tool.
var Compare = toolkit.Define(toolkit.Spec{
	Name:        "compare",
	Title:       "Compare two periods",
	Description: "Compare two periods of any length: changes in revenue, orders, AOV, spend and ROAS, optionally by channel.",
	Needs:       "orders",
	Reads:       snapshot.Wants{Annotations: true},
}, runCompare)

type compareParams struct {
	Period1Start    civil.Date `json:"period1_start" doc:"Start of the earlier period. Default 60 days ago."`
	Period1End      civil.Date `json:"period1_end" doc:"Default 31 days ago."`
	Period2Start    civil.Date `json:"period2_start" doc:"Start of the recent period. Default 30 days ago."`
	Period2End      civil.Date `json:"period2_end" doc:"Default today."`
	Channel         string     `json:"channel" doc:"Only this channel."`
	IncludeChannels bool       `json:"include_channels" default:"false" doc:"Add a row for each channel."`
	answer.Shared
}

// Check rejects reversed periods.
func (p compareParams) Check() error {
	if err := answer.CheckOrder("period1_start", p.Period1Start, "period1_end", p.Period1End); err != nil {
		return err
	}
	return answer.CheckOrder("period2_start", p.Period2Start, "period2_end", p.Period2End)
}

// CompareAnswer is the answer of the `compare` tool.
type CompareAnswer struct {
	answer.Opening
	Period1  ComparedPeriod       `json:"period1"`
	Period2  ComparedPeriod       `json:"period2"`
	Timezone string               `json:"timezone"`
	Channel  measure.Channel      `json:"channel,omitempty"`
	Metrics  toolkit.StoreMetrics `json:"metrics" doc:"value: period 2; previous: period 1."`
	toolkit.Why
	answer.Table[ComparedRow]
	answer.Closing
}

// ComparedPeriod is one of the two compared periods.
type ComparedPeriod struct {
	Start civil.Date `json:"start"`
	End   civil.Date `json:"end"`
	Days  int        `json:"days"`
}

// ComparedRow contains the figures of a channel in both periods.
type ComparedRow struct {
	Channel         measure.Channel `json:"channel"`
	Revenue         answer.Money    `json:"revenue"`
	RevenuePrevious *answer.Money   `json:"revenue_previous,omitempty" doc:"Absent if period 1 starts before the store's first data."`
	RevenueChange   *answer.Percent `json:"revenue_change_pct,omitempty"`
	Orders          answer.Count    `json:"orders"`
	OrdersPrevious  *answer.Count   `json:"orders_previous,omitempty"`
	OrdersChange    *answer.Percent `json:"orders_change_pct,omitempty" detail:"analyst"`
	Spend           *answer.Money   `json:"spend,omitempty"`
	SpendPrevious   *answer.Money   `json:"spend_previous,omitempty"`
	SpendChange     *answer.Percent `json:"spend_change_pct,omitempty" detail:"analyst"`
	ROAS            *answer.Ratio   `json:"roas,omitempty" detail:"analyst"`
	ROASPrevious    *answer.Ratio   `json:"roas_previous,omitempty" detail:"analyst"`
}

func runCompare(ctx context.Context, c *toolkit.Call, p compareParams) (*CompareAnswer, error) {
	ago := func(days int) civil.Date { return c.Today.AddDays(-days) }
	earlier := civil.Range{First: p.Period1Start.Or(ago(60)), Last: p.Period1End.Or(ago(31))}
	recent := civil.Range{First: p.Period2Start.Or(ago(30)), Last: p.Period2End.Or(c.Today)}
	if err := answer.CheckOrder("period1_start", earlier.First, "period1_end", earlier.Last); err != nil {
		return nil, err
	}
	if err := answer.CheckOrder("period2_start", recent.First, "period2_end", recent.Last); err != nil {
		return nil, err
	}
	for n, period := range []civil.Range{earlier, recent} {
		if period.First.After(c.Today) {
			return nil, fault.Invalid("period%d_start %s is after today, %s", n+1, period.First, c.Today).
				WithHint("Compare periods that have begun, or call forecasting.")
		}
	}
	earlier, recent = earlier.UpTo(c.Today), recent.UpTo(c.Today)
	channel, err := c.Channel(p.Channel)
	if err != nil {
		return nil, err
	}
	totals, err := c.LastTouchTotals(ctx, warehouse.Windows{Recent: recent, Earlier: earlier}, channel)
	if err != nil {
		return nil, err
	}
	a := &CompareAnswer{Period1: compared(earlier), Period2: compared(recent), Timezone: c.Workspace.Zone, Channel: channel}
	a.Currency = c.Workspace.Currency
	now, before := c.Sum(totals.Recent, channel, recent), c.Sum(totals.Earlier, channel, earlier)
	a.Metrics = c.StoreMetrics(now, before, earlier)
	profit, err := c.Contributions(ctx, warehouse.Windows{Recent: recent, Earlier: earlier})
	if err != nil {
		return nil, err
	}
	a.Metrics.ProfitMetrics = c.ProfitMetrics(now, before, profit, channel)
	sold := c.Store.Covers(earlier, snapshot.FromOrders)
	if earlier.Days() != recent.Days() {
		a.Metrics.PerDay(recent.Days(), earlier.Days())
	}
	if p.IncludeChannels {
		a.Rows = comparedRows(c, totals, sold, c.Store.Covers(earlier, snapshot.FromAds, snapshot.FromSpend))
	}
	if len(totals.Recent)+len(totals.Earlier) == 0 {
		a.Summary = c.ExplainEmpty(&a.Closing, recent)
	} else {
		if a.Metrics.Revenue.Previous != nil && !now.RevenueUnknown {
			of := snapshot.ChangeOf{Windows: warehouse.Windows{Recent: recent, Earlier: earlier}, Channel: channel, Totals: totals}
			if a.Why, err = c.Why(ctx, of); err != nil {
				return nil, err
			}
			if p.IncludeChannels && c.View.DetailLevel == answer.SummaryLevel {
				a.Why = a.SentenceOnly() // the token budget is for the rows
			}
		}
		a.Summary = compareSummary(c, a, now, before, totals)
		if c.Store.Untouched() && (channel != "" || p.IncludeChannels) {
			c.WarnUntouched(&a.Closing, recent, channel)
		}
		c.WarnSpend(&a.Closing, now, channel)
		warnCompare(c, a, earlier, recent, now.Undated+before.Undated)
		compareNext(c, a, earlier, recent, p.IncludeChannels)
	}
	quality := c.Quality(measure.LastTouch, snapshot.Total{Sums: measure.Sums{Undated: now.Undated + before.Undated}})
	quality.Costs = c.CostsSentence(profit.Recent)
	c.Describe(&a.Closing, quality, snapshot.FromOrders, snapshot.FromAds, snapshot.FromSpend)
	return a, nil
}

func compared(r civil.Range) ComparedPeriod {
	return ComparedPeriod{Start: r.First, End: r.Last, Days: r.Days()}
}

// comparedRows returns a row for each channel of either period, sorted as in the `performance` tool. If sold is false,
// the orders of the earlier period are unknown. If spent is false, the spend of the earlier period is unknown.
func comparedRows(c *toolkit.Call, totals warehouse.Pair[[]warehouse.ChannelTotal], sold, spent bool) []ComparedRow {
	f := c.Figures
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
	rows := make([]ComparedRow, 0, len(recent))
	for _, t := range toolkit.ByRevenue(f, recent) {
		row := comparedRowOf(f, t, before[t.Channel])
		if c.Store.Untouched() {
			row.ROAS, row.ROASPrevious = nil, nil
		}
		if !sold {
			row.RevenuePrevious, row.RevenueChange, row.OrdersPrevious, row.OrdersChange, row.ROASPrevious = nil, nil, nil, nil, nil
		}
		if !spent {
			row.SpendPrevious, row.SpendChange, row.ROASPrevious = nil, nil, nil
		}
		rows = append(rows, row)
	}
	return rows
}

func comparedRowOf(f answer.Figures, now, before warehouse.ChannelTotal) ComparedRow {
	row := ComparedRow{
		Channel: now.Channel,
		Revenue: f.Revenue(now.Sums), RevenuePrevious: new(f.Revenue(before.Sums)),
		Orders: answer.Orders(now.Sums.Orders), OrdersPrevious: new(answer.Orders(before.Sums.Orders)),
	}
	row.RevenueChange = answer.PercentOf(measure.Change(float64(row.Revenue), float64(*row.RevenuePrevious)))
	row.OrdersChange = answer.PercentOf(measure.Change(float64(row.Orders), float64(*row.OrdersPrevious)))
	if now.SpendKnown {
		row.Spend, row.ROAS = new(f.Money(now.Spend)), f.ROAS(now.Sums, now.Spend)
	}
	if before.SpendKnown {
		row.SpendPrevious, row.ROASPrevious = new(f.Money(before.Spend)), f.ROAS(before.Sums, before.Spend)
	}
	if now.SpendKnown && before.SpendKnown {
		row.SpendChange = answer.PercentOf(measure.Change(float64(now.Spend), float64(before.Spend)))
	}
	return row
}

func compareSummary(c *toolkit.Call, a *CompareAnswer, now, before snapshot.Total, totals warehouse.Pair[[]warehouse.ChannelTotal]) string {
	if now.RevenueUnknown {
		return c.UnknownRevenueSummary(a.Channel, civil.Range{First: a.Period2.Start, Last: a.Period2.End}, now)
	}
	of := "Revenue"
	if a.Channel != "" {
		of = "Attributed revenue of " + answer.ChannelName(a.Channel)
	}
	length, lengthBefore := answer.Plural(a.Period2.Days, "day", "days"), answer.Plural(a.Period1.Days, "day", "days")
	text := fmt.Sprintf("%s was %s in period 2 (%s), compared with %s in period 1 (%s): %s.", of, c.Amount(c.Workspace.Basis.Revenue(now.Sums)), length,
		c.Amount(c.Workspace.Basis.Revenue(before.Sums)), lengthBefore, answer.Moved(a.Metrics.Revenue.ChangePct))
	if a.Metrics.Revenue.Previous == nil {
		text = fmt.Sprintf("%s was %s in period 2 (%s). Revenue of period 1 is unknown, because period 1 starts before the store's first order.", of,
			c.Amount(c.Workspace.Basis.Revenue(now.Sums)), length)
	}
	if change := a.Metrics.Revenue.PerDay; change != nil {
		text = fmt.Sprintf("%s in total, %s per day.", text[:len(text)-1], answer.Moved(change))
	}
	if a.Channel == "" && !c.Store.Untouched() && a.Metrics.Revenue.Previous != nil {
		text += c.BiggestMover(totals)
	}
	return text + a.Sentence()
}

func warnCompare(c *toolkit.Call, a *CompareAnswer, earlier, recent civil.Range, undated int64) {
	if earlier.Days() != recent.Days() {
		a.Warn(answer.WarnUnequalLengths, fmt.Sprintf("Period 1 has %s and period 2 has %s. Compare values per day (change_pct_per_day).",
			answer.Plural(earlier.Days(), "day", "days"), answer.Plural(recent.Days(), "day", "days")))
	}
	if earlier.Intersect(recent).Days() > 0 {
		a.Warn(answer.WarnOverlap, fmt.Sprintf("The periods overlap by %s.", answer.Plural(earlier.Intersect(recent).Days(), "day", "days")))
	}
	c.WarnPeriod(&a.Closing, earlier, recent)
	c.WarnDays(&a.Closing, recent, undated, true)
}

func compareNext(c *toolkit.Call, a *CompareAnswer, earlier, recent civil.Range, withChannels bool) {
	if !withChannels && a.Channel == "" {
		c.Suggest(&a.Closing, "compare", map[string]any{
			"period1_start": earlier.First.String(), "period1_end": earlier.Last.String(),
			"period2_start": recent.First.String(), "period2_end": recent.Last.String(), "include_channels": true,
		}, "See changes by channel.")
	}
	arguments := toolkit.Dated(recent)
	if a.Channel != "" {
		arguments["channel"] = string(a.Channel)
	}
	c.Suggest(&a.Closing, "trends", arguments, "See changes by day.")
}
