package decide

import "math"

// market finds the price of money (the Lagrange multiplier of the budget) at which the channels' spends add up to the
// budget. At a price below all slopes, every channel spends its maximum. At a price above all slopes, every channel
// spends its minimum.
type market struct {
	division
	low, high   []float64
	least, most float64   // a price below every slope, and a price above every slope
	paid        []float64 // each channel's last price; different from the common price in a group at a bound
}

func newMarket(d division, low, high []float64) *market {
	m := &market{
		division: d, low: low, high: high, least: math.Inf(1), most: math.Inf(-1), paid: make([]float64, len(low)),
	}
	for j, k := range d.curves {
		least, most := k.steepest(low[j], high[j])
		m.least, m.most = math.Min(m.least, least), math.Max(m.most, most)
	}
	margin := 1e-3*(m.most-m.least) + 1e-9*(math.Abs(m.most)+math.Abs(m.least))
	if margin == 0 {
		margin = 1 // every response is flat
	}
	m.least, m.most = m.least-margin, m.most+margin
	return m
}

// buyer sets the optimal spends of its channels at a price and returns their sum and profit. Spends of other channels
// are unchanged. atMost and atLeast are known optimal spends at a lower and a higher price. They bound the result.
type buyer func(x []float64, price float64, atMost, atLeast []float64) (sum, profit float64)

// buy implements [buyer] for all parts.
func (m *market) buy(x []float64, price float64, atMost, atLeast []float64) (sum, profit float64) {
	for _, p := range m.parts {
		s, gain := m.buyPart(p, x, price, atMost, atLeast)
		sum, profit = sum+s, profit+gain
	}
	return sum, profit
}

// buyPart implements [buyer] for one part. If the sum of a group is outside the group's bounds, the group gets its own
// price. At this price, the sum meets the bound. The group pays or receives the price difference on the sum.
func (m *market) buyPart(p part, x []float64, price float64, atMost, atLeast []float64) (sum, profit float64) {
	members := func(x []float64, price float64, atMost, atLeast []float64) (sum, profit float64) {
		for _, j := range p.members {
			spend, gain := m.curves[j].best(atLeast[j], atMost[j], price)
			x[j], m.paid[j] = spend, price
			sum, profit = sum+spend, profit+gain
		}
		return sum, profit
	}
	if p.group == nil {
		return members(x, price, atMost, atLeast)
	}
	// At other prices, the group may be at a bound, so atMost and atLeast do not bound the members' spends.
	sum, profit = members(x, price, m.high, m.low)
	if sum >= p.group.Min && sum <= p.group.Max {
		return sum, profit
	}
	bound := math.Min(math.Max(sum, p.group.Min), p.group.Max)
	within, dual := m.clear(members, bound)
	for _, j := range p.members {
		x[j] = within[j]
	}
	return bound, dual - price*bound
}

// clear finds the price at which the spends add up to sum, and an allocation with that sum. Channels with a jump in
// spend at this price share the remainder. The result dual is an upper bound for all allocations with that sum.
func (m *market) clear(buy buyer, sum float64) (plan []float64, dual float64) {
	least, most := m.least, m.most
	cheap, dear, try := make([]float64, len(m.low)), make([]float64, len(m.low)), make([]float64, len(m.low))
	dual = math.Inf(1)
	offer := func(x []float64, price float64, atMost, atLeast []float64) float64 {
		taken, profit := buy(x, price, atMost, atLeast)
		dual = math.Min(dual, profit+price*sum)
		return taken
	}
	offer(cheap, least, m.high, m.low)
	taken := offer(dear, most, m.high, m.low)
	for range priceSteps {
		price := least + (most-least)/2
		if s := offer(try, price, cheap, dear); s > sum {
			least, cheap, try = price, try, cheap
		} else {
			most, dear, try, taken = price, try, dear, s
		}
	}
	rest := sum - taken
	for j := range dear {
		step := math.Max(math.Min(cheap[j]-dear[j], rest), 0)
		dear[j] += step
		rest -= step
	}
	return dear, dual
}

// gap returns the channel with the largest difference between its maximum profit and its profit in the allocation. It
// also returns the spend at which to split the channel's range. Without a difference it returns -1.
func (m *market) gap(plan []float64) (at int, split float64) {
	at = -1
	var widest float64
	for j, x := range plan {
		ideal, most := m.curves[j].best(m.low[j], m.high[j], m.paid[j])
		value, _ := m.curves[j].at(x)
		short := most - (value - m.paid[j]*x)
		if short > widest && m.high[j] > m.low[j] {
			at, widest, split = j, short, x
			if x <= m.low[j] || x >= m.high[j] {
				split = (x + ideal) / 2
			}
		}
	}
	return at, split
}
