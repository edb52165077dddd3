package tools

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/measure/attribution"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
	"assay/internal/warehouse"
)

// journeyMethod describes how journeys and their shares are computed.
const journeyMethod = "A conversion path contains the known touchpoints before an order. Orders without touchpoints have no path. Paths without an order are unknown. " +
	"Markov and Shapley shares are shares of orders with touchpoints; Markov intervals come from 40 resamples."

const (
	creditedChannels = 8  // maximum number of channels with shares in an answer
	pathDraws        = 40 // number of resamples for the interval of a Markov share
	pathSeed         = 7
)

// journeys fills in the conversion paths.
func journeys(ctx context.Context, c *toolkit.Call, a *CustomersAnswer, days civil.Range, page answer.Page) error {
	top, err := c.TopPaths(ctx, warehouse.PathsOf{
		Windows: warehouse.Windows{Recent: days, Earlier: days.Previous()}, Segment: a.Segment, Channel: a.Channel, Limit: page.Limit, Offset: page.Offset,
	})
	if err != nil {
		return err
	}
	f, total := c.Figures, top.Totals.Recent
	for _, p := range top.Paths {
		a.Rows = append(a.Rows, pathRow(f, p, total.Orders))
	}
	a.Pagination = page.Pagination(len(a.Rows), int(top.Ranked))
	a.Metrics = CustomersMetrics{
		Touched: new(answer.MetricOf(answer.Orders(total.Orders), answer.Orders(top.Totals.Earlier.Orders)).
			Where(true, c.Store.Covers(days.Previous(), snapshot.FromOrders))),
		Touches: answer.RatioOf(measure.AOV(total.Touches, total.Orders)),
	}
	if top.Ranked == 0 {
		if c.Store.Untouched() && !c.Store.Empty() {
			c.WarnUntouched(&a.Closing, days, a.Channel)
			a.Summary = fmt.Sprintf("Conversion paths are unavailable %s: no order has touchpoints.", answer.Dates(days))
		}
		return nil
	}
	if a.Channel == "" {
		if err := delays(ctx, c, a, days); err != nil {
			return err
		}
	}
	if c.View.DetailLevel != answer.SummaryLevel {
		if err := journeyCredits(ctx, c, a, days); err != nil {
			return err
		}
	}
	c.WarnBefore(&a.Closing, days, false)
	a.Summary = journeysSummary(a, top.First, total, days)
	return nil
}

// journeyCredits fills in the channels' shares of orders by attribution model. It reads all journeys.
func journeyCredits(ctx context.Context, c *toolkit.Call, a *CustomersAnswer, days civil.Range) error {
	all, err := c.Paths(ctx, a.Segment, warehouse.Windows{Recent: days})
	if err != nil {
		return err
	}
	ended := slices.DeleteFunc(all.Recent, func(p warehouse.PathTotal) bool {
		return p.Sums.Orders == 0 || a.Channel != "" && !slices.Contains(p.Channels, a.Channel)
	})
	slices.SortStableFunc(ended, func(a, b warehouse.PathTotal) int { return cmp.Compare(b.Sums.Orders, a.Sums.Orders) })
	a.Credits, err = pathCredits(ended)
	a.Estimates = &answer.Estimates{LevelPct: int(100 * answer.Level90), Method: "Markov shares are proportional to the removal effects of the channels. Intervals come from a Poisson bootstrap of the conversion paths.", Seed: new(uint64(pathSeed))}
	return err
}

// secondsPerDay turns seconds into days.
const secondsPerDay = 86_400

func pathRow(f answer.Figures, p warehouse.PathTotal, all int64) CustomersRow {
	names := make([]string, len(p.Channels))
	for i, channel := range p.Channels {
		names[i] = string(channel)
	}
	return CustomersRow{
		Path: answer.Foreign(strings.Join(names, " > ")), Orders: new(answer.Orders(p.Sums.Orders)), Revenue: new(f.Revenue(p.Sums)),
		SharePct: answer.PercentOf(measure.Share(p.Sums.Orders, all)), AOV: f.AOV(p.Sums), NewPct: answer.PercentOf(measure.Share(p.Sums.NewOrders, p.Sums.Orders)),
		Touches: answer.RatioOf(measure.AOV(p.Touches, p.Sums.Orders)), Days: answer.RatioOf(measure.AOV(p.Seconds, p.Sums.Orders*secondsPerDay)),
	}
}

// delays fills in the time from the first touchpoint to the order.
func delays(ctx context.Context, c *toolkit.Call, a *CustomersAnswer, days civil.Range) error {
	counts, err := c.Journeys(ctx, a.Segment, days)
	if err != nil {
		return err
	}
	var all, single int64
	for _, n := range counts {
		all += n.Orders
		if n.Touches == 1 {
			single += n.Orders
		}
	}
	slices.SortFunc(counts, func(a, b warehouse.JourneyCount) int { return cmp.Compare(a.LagDays, b.LagDays) })
	a.Metrics.SinglePct = answer.PercentOf(measure.Share(single, all))
	a.Metrics.Median, a.Metrics.P90 = lagAt(counts, all, 0.5), lagAt(counts, all, 0.9)
	return nil
}

// lagAt returns the smallest number of days that covers a given share of the orders. Counts are sorted by days.
func lagAt(counts []warehouse.JourneyCount, all int64, part float64) *answer.Count {
	var so int64
	for _, n := range counts {
		if so += n.Orders; float64(so) >= part*float64(all) {
			return new(answer.Count(n.LagDays))
		}
	}
	return nil
}

// pathCredits attributes the orders of the paths to their channels by several models, largest Markov share first.
func pathCredits(paths []warehouse.PathTotal) ([]PathCredit, error) {
	var all attribution.Paths
	rows := map[measure.Channel]*PathCredit{}
	var total float64
	for i, p := range paths {
		n := p.Sums.OrderCount()
		if err := all.Add(attribution.Path{Channels: p.Channels, Conversions: n}); err != nil {
			return nil, fmt.Errorf("journey %d: %w", i, err)
		}
		total += n
		for _, channel := range p.Channels {
			if rows[channel] == nil {
				rows[channel] = &PathCredit{Channel: channel}
			}
		}
		rows[touchOf(slices.Values(p.Channels))].FirstTouch += answer.Percent(100 * n)
		rows[touchOf(func(yield func(measure.Channel) bool) {
			for _, channel := range slices.Backward(p.Channels) {
				if !yield(channel) {
					return
				}
			}
		})].LastTouch += answer.Percent(100 * n)
	}
	shapley, err := attribution.Attribute(&all, attribution.Shapley)
	if err != nil {
		return nil, err
	}
	for _, credit := range shapley.Credits {
		rows[credit.Channel].Shapley = answer.Percent(100 * credit.Conversions)
	}
	intervals, err := attribution.Intervals(&all, attribution.Markov1, attribution.Resampling{Draws: pathDraws, Level: answer.Level90, Seed: pathSeed})
	if err != nil {
		return nil, err
	}
	var out []PathCredit
	for _, in := range intervals {
		row := rows[in.Channel]
		row.FirstTouch, row.LastTouch, row.Shapley = row.FirstTouch/answer.Percent(total), row.LastTouch/answer.Percent(total), row.Shapley/answer.Percent(total)
		row.Markov = answer.Percents(in.Share)
		out = append(out, *row)
	}
	slices.SortStableFunc(out, func(a, b PathCredit) int { return cmp.Compare(b.Markov.Value, a.Markov.Value) })
	return out[:min(len(out), creditedChannels)], nil
}

// touchOf returns the first channel of a sequence other than direct, or direct when there is no other.
func touchOf(channels func(func(measure.Channel) bool)) measure.Channel {
	for channel := range channels {
		if channel != "direct" {
			return channel
		}
	}
	return "direct"
}

func journeysSummary(a *CustomersAnswer, most warehouse.PathTotal, total warehouse.Touched, days civil.Range) string {
	orders, verb := answer.Orders(total.Orders), "have"
	if orders == 1 {
		verb = "has"
	}
	what := "touchpoints"
	if a.Channel != "" {
		what = "a touchpoint of " + answer.ChannelName(a.Channel)
	}
	text := fmt.Sprintf("%s %s %s %s", plural(orders, "order", "orders"), answer.Dates(days), verb, what)
	if r := a.Metrics.Touches; r != nil {
		text += fmt.Sprintf(" (%s touchpoints per order)", *r)
	}
	if a.Metrics.Median != nil {
		text += fmt.Sprintf(". The median time from the first touchpoint to the order is %s, and the 90th percentile is %s",
			answer.Plural(int(*a.Metrics.Median), "complete day", "complete days"), answer.Plural(int(*a.Metrics.P90), "complete day", "complete days"))
	}
	names := make([]string, len(most.Channels))
	for i, channel := range most.Channels {
		names[i] = answer.ChannelName(channel)
	}
	share, _ := measure.Share(most.Sums.Orders, total.Orders)
	return text + fmt.Sprintf(". The most common conversion path is %s, with %s of these orders.", strings.Join(names, " > "), answer.Percent(share))
}
