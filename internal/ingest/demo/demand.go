package demo

import "math/rand/v2"

// orderShares contains the surfaces' shares of the baseline orders, which occur without spend.
var orderShares = [surfaceCount]float64{online: 0.690, marketplace: 0.140, shortVideo: 0.045, retail: 0.110, wholesale: 0.015}

// planBaseline returns the expected orders without spend, by surface and day. The sum of the expected orders is the
// requested number of orders minus the orders caused by media.
func (p *plan) planBaseline() [][]float64 {
	base := p.baseShapes()
	p.level(base)
	return base
}

// baseShapes returns the baseline before scaling, including days after today.
func (p *plan) baseShapes() [][]float64 {
	noise := drift(p.onDays("baseline"), p.span, 0.6, 0.05)
	base := make([][]float64, surfaceCount)
	for s := range base {
		base[s] = make([]float64, p.span)
		level := orderShares[s] / sum(p.demand[s])
		for t := range base[s] {
			base[s][t] = level * p.demandOn(s, p.day(t)) * noise[t]
		}
	}
	return base
}

// level scales the baseline so that all expected orders, including orders caused by media, sum to the requested number.
// Outages and the incomplete last day lower the orders of their days, but not this sum. The baseline includes the
// additional orders of viral days.
func (p *plan) level(base [][]float64) {
	own, paid := make([]float64, p.opt.Days), p.mediaOrders()
	budget, weight := float64(p.opt.Orders), 0.0
	for t := range own {
		for s := range base {
			own[t] += base[s][t]
		}
		weight += p.open(t) * p.viral(t) * own[t]
		budget -= p.viral(t) * paid[t]
	}
	p.baseLevel = max(0, budget/weight)
	for t := range own {
		expected := p.baseLevel*own[t]*p.open(t)*p.viral(t) + (p.viral(t)-1)*paid[t]
		for s := range base {
			base[s][t] *= expected / own[t]
		}
	}
}

// mediaOrders returns the expected orders per day that all media generate.
func (p *plan) mediaOrders() []float64 {
	days := make([]float64, p.span)
	for _, m := range p.media {
		for t, o := range m.orders {
			days[t] += o
		}
	}
	return days
}

// expectedOn returns a surface's expected orders of a day from all causes.
func (p *plan) expectedOn(surface, t int) float64 {
	orders := p.base[surface][t]
	for _, m := range p.media {
		orders += m.reach[surface] * m.orders[t]
	}
	return orders
}

// arrivals distributes the requested orders over the days. The numbers are Poisson distributed, conditional on their
// sum.
func (p *plan) arrivals(r *rand.Rand) []int {
	expected := p.mediaOrders()
	for t := range expected {
		for s := range p.base {
			expected[t] += p.base[s][t]
		}
	}
	days := make([]int, p.opt.Days)
	pick := newPicker(expected)
	for range p.opt.Orders {
		days[pick.pick(r)]++
	}
	return days
}

// cause is the cause of an order: the surface, and the channel with the spend that causes the order, if any.
type cause struct {
	medium  *medium // nil: no spend
	surface int
}

// causes lists the causes of orders on a day and the expected orders of each.
func (p *plan) causes(t int) ([]cause, picker) {
	var all []cause
	var weights []float64
	for s := range p.base {
		all, weights = append(all, cause{surface: s}), append(weights, p.base[s][t])
	}
	for _, m := range p.media {
		for s, reach := range m.reach {
			if reach > 0 {
				all, weights = append(all, cause{m, s}), append(weights, reach*m.orders[t])
			}
		}
	}
	return all, newPicker(weights)
}
