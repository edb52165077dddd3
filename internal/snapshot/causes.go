package snapshot

import (
	"context"
	"math"
	"slices"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/measure/change"
	"assay/internal/measure/stats"
	"assay/internal/warehouse"
)

// Minimum sizes of events in percent. Smaller changes of spend, prices and discounts are common.
const (
	leastSpendPct = 20
	leastPricePct = 2
)

// leastLost is the minimum increase of the share of untracked orders on a day with lost tracking.
const leastLost = 0.2

// findTracking adds runs of days on which an unusually large share of orders has no channel. The estimate of the usual
// share uses the days with the lowest shares, because up to three quarters of the days may lack tracking. Lost tracking
// changes only the revenue of channels, not the store's revenue.
func (w *changes) findTracking(ctx context.Context) error {
	if w.Store.Untouched() || w.of.Channel == measure.Unattributed {
		return nil
	}
	span := w.of.Windows.Recent.Span(w.of.Windows.Earlier)
	lost, err := w.SeriesOf(ctx, measure.Unattributed, span)
	if err != nil {
		return err
	}
	all := w.calendar.series
	if w.of.Channel != "" {
		if all, err = w.SeriesOf(ctx, "", span); err != nil {
			return err
		}
	}
	on := func(s Series, d changeDay) Total { return s.Total(civil.Range{First: d.Date, Last: d.Date}) }
	share := func(d changeDay) float64 {
		if orders := on(all, d).Orders; orders > 0 {
			return float64(on(lost, d).Orders) / float64(orders)
		}
		return math.NaN()
	}
	var shares []float64
	for _, d := range w.calendar.days {
		if x := share(d); !math.IsNaN(x) {
			shares = append(shares, x)
		}
	}
	if len(shares) == 0 {
		return nil
	}
	usual, spread := lowerPart(shares)
	broken := func(d changeDay) bool {
		chance := math.Sqrt(usual * (1 - usual) / max(1, on(all, d).OrderCount()))
		return share(d) > usual+max(leastLost, 4*chance, 4*spread)
	}
	for _, run := range w.runs(broken) {
		e := Event{Kind: LostTracking, Days: spanOf(run), Earlier: run[0].earlier}
		points, revenue := 0.0, 0.0
		for _, d := range run {
			points += 100 * (share(d) - usual) / float64(len(run))
			revenue += (share(d) - usual) * float64(w.revenue(on(all, d).Sums))
		}
		e.Pct = points
		if w.of.Channel != "" {
			effect := run[0].effect(-revenue * w.shareOfTracked(all, lost, broken))
			e.Effect = new(int64(math.Round(effect)))
		}
		w.events = append(w.events, e)
	}
	return nil
}

// lowerPart estimates the mean and the standard deviation of a normal distribution from its 5% and 25% quantiles. These
// quantiles are 1.645 and 0.674 standard deviations below the mean. lowerPart sorts the values in place.
func lowerPart(values []float64) (mean, spread float64) {
	slices.Sort(values)
	low, quarter := stats.Quantile(values, 0.05), stats.Quantile(values, 0.25)
	spread = (quarter - low) / (1.645 - 0.674)
	return quarter + 0.674*spread, spread
}

// shareOfTracked returns the channel's share of all attributed revenue, on days without a tracking loss.
func (w *changes) shareOfTracked(all, lost Series, broken func(changeDay) bool) float64 {
	var own, tracked float64
	for _, d := range w.calendar.days {
		if !broken(d) {
			day := civil.Range{First: d.Date, Last: d.Date}
			own += d.value
			tracked += float64(w.revenue(all.Total(day).Sums) - w.revenue(lost.Total(day).Sums))
		}
	}
	if tracked <= 0 {
		return 0
	}
	return own / tracked
}

// findSpend adds the channels with a change in spend per day of 20% or more. Revenue is treated as spend × ROAS. The
// effect is the part of the revenue change that comes from spend, at most the whole change. The effect is unknown if
// revenue and spend moved in opposite directions.
func (w *changes) findSpend(ctx context.Context) error {
	before := map[measure.Channel]warehouse.ChannelTotal{}
	for _, t := range w.of.Totals.Earlier {
		before[t.Channel] = t
	}
	days := float64(w.of.Windows.Recent.Days()) / float64(w.of.Windows.Earlier.Days())
	for _, now := range w.of.Totals.Recent {
		was := before[now.Channel]
		if !now.SpendKnown || !was.SpendKnown || was.Spend <= 0 {
			continue
		}
		pct := 100 * (float64(now.Spend)/(float64(was.Spend)*days) - 1)
		if math.Abs(pct) < leastSpendPct {
			continue
		}
		day, err := w.stepOfSpend(ctx, now.Channel)
		if err != nil {
			return err
		}
		w.events = append(w.events, Event{
			Kind: SpendChange, Days: civil.Range{First: day, Last: day}, Earlier: w.of.Windows.Earlier.Contains(day),
			Subject: string(now.Channel), Pct: pct, Effect: w.effectOfSpend(now, was),
		})
	}
	return nil
}

func (w *changes) effectOfSpend(now, was warehouse.ChannelTotal) *int64 {
	if w.Store.Untouched() {
		return nil
	}
	after, before := float64(w.revenue(now.Sums)), float64(w.revenue(was.Sums))
	part := after - before
	if now.Spend > 0 {
		spend, spendBefore := float64(now.Spend), float64(was.Spend)
		part = change.Factors([]float64{spendBefore, before / spendBefore}, []float64{spend, after / spend})[0]
	}
	if part == 0 || (part > 0) != (after > before) || (part > 0) != (now.Spend > was.Spend) {
		return nil
	}
	return new(int64(math.Copysign(math.Min(math.Abs(part), math.Abs(after-before)), part)))
}

// stepOfSpend returns the first day after the largest step of a channel's spend.
func (w *changes) stepOfSpend(ctx context.Context, channel measure.Channel) (civil.Date, error) {
	recent, earlier := w.of.Windows.Recent, w.of.Windows.Earlier
	span := recent
	if earlier.Last.AddDays(1) == recent.First {
		span = earlier.Span(recent)
	}
	s, err := w.spendSeries(ctx, channel, span)
	if err != nil {
		return recent.First, err
	}
	var spend []float64
	for _, d := range s.totals {
		if !d.SpendKnown {
			break
		}
		spend = append(spend, float64(d.Spend))
	}
	if at := change.Step(spend); at > 0 {
		return s.Days.First.AddDays(at), nil
	}
	return recent.First, nil
}

// findPrices adds the changes of list prices and discounts.
//
// A change of list prices is the median change of the products that sold in both windows. Single large orders at a
// special price hardly change the median. The effect of list prices is this change, applied to the sales of all these
// products. The effect of discounts is PartDiscounts of the split by price.
func (w *changes) findPrices() {
	var ratios []float64
	var sales, gross, net, grossBefore, netBefore float64
	before, after := byKey(w.products.Earlier), byKey(w.products.Recent)
	for _, key := range keysOf(before, after) {
		was, now := before[key], after[key]
		valueBefore, value := float64(was.Net+was.Discount), float64(now.Net+now.Discount)
		grossBefore, netBefore, gross, net = grossBefore+valueBefore, netBefore+float64(was.Net), gross+value, net+float64(now.Net)
		if was.Units > 0 && now.Units > 0 && valueBefore > 0 && value > 0 && was.Net > 0 && now.Net > 0 {
			ratios = append(ratios, math.Log(value/float64(now.Units))-math.Log(valueBefore/float64(was.Units)))
			sales += change.LogMean(float64(now.Net), float64(was.Net))
		}
	}
	typical := median(ratios)
	w.price(PriceChange, 100*math.Expm1(typical), sales*typical)
	if i := slices.IndexFunc(w.splits, func(s Split) bool { return s.Dimension == ByPrice }); i >= 0 && gross > 0 && grossBefore > 0 {
		for _, p := range w.splits[i].Parts {
			if p.Name == PartDiscounts {
				w.price(MoreDiscount, 100*(netBefore/grossBefore-net/gross), float64(p.Change))
			}
		}
	}
}

func (w *changes) price(kind EventKind, pct, effect float64) {
	if math.Abs(pct) >= leastPricePct {
		w.events = append(w.events, Event{Kind: kind, Days: w.of.Windows.Recent, Pct: pct, Effect: new(int64(math.Round(effect)))})
	}
}

// mostProducts is the maximum number of listed products that are out of stock.
const mostProducts = 3

// findProducts adds products without sales at the start or the end of a window, or in the whole window. It adds a
// product only if the product's sales in the other window make this lack of sales improbable. Over all products, the
// probability of adding a product by chance is below one in a thousand.
func (w *changes) findProducts() {
	before, after := byKey(w.products.Earlier), byKey(w.products.Recent)
	keys := keysOf(before, after)
	var found []Event
	for _, key := range keys {
		for _, earlier := range []bool{false, true} {
			here, there := after[key], before[key]
			if earlier {
				here, there = there, here
			}
			gap, days, others := w.gapOf(here, earlier), 0, 0
			for _, d := range w.calendar.days {
				switch {
				case d.orders == 0: // a day without any order contains no information about a product
				case d.earlier != earlier:
					others++
				case gap.Days() > 0 && gap.Contains(d.Date):
					days++
				}
			}
			if others == 0 || float64(there.Units)/float64(others)*float64(days) < leastExpected+math.Log(float64(len(keys))) {
				continue
			}
			effect := float64(there.Net) / float64(others) * float64(days)
			if !earlier {
				effect = -effect
			}
			found = append(found, Event{
				Kind: OutOfStock, Days: gap, Earlier: earlier, Subject: key.name(), Effect: new(int64(math.Round(effect))),
			})
		}
	}
	found = ranked(found, w.total)
	w.events = append(w.events, found[:min(len(found), mostProducts)]...)
}

// gapOf returns the longer of two periods in a window: the days before a product's first sale or the days after its
// last sale. Without a sale, it returns the whole window.
func (w *changes) gapOf(s warehouse.ProductSpan, earlier bool) civil.Range {
	window := w.of.Windows.Recent
	if earlier {
		window = w.of.Windows.Earlier
	}
	window.Last = civil.Earliest(window.Last, w.Today.AddDays(-1))
	if s.Sold.Days() == 0 {
		return window
	}
	head := civil.Range{First: window.First, Last: s.Sold.First.AddDays(-1)}
	tail := civil.Range{First: s.Sold.Last.AddDays(1), Last: window.Last}
	if head.Days() > tail.Days() {
		return head
	}
	return tail
}
