package demo

import "math/rand/v2"

// orderShares is how the orders that no spend brings are spread over the surfaces.
var orderShares = [surfaceCount]float64{online: 0.690, marketplace: 0.140, shortVideo: 0.045, retail: 0.110, wholesale: 0.015}

// planBaseline returns by surface and day the expected orders that no spend brought. Their level is what is left
// of the orders asked for when media have brought theirs.
func (p *plan) planBaseline() [][]float64 {
	noise := drift(p.stream("baseline"), p.opt.Days, 0.6, 0.05)
	base := make([][]float64, surfaceCount)
	for s := range base {
		base[s] = make([]float64, p.opt.Days)
		level := orderShares[s] / sum(p.demand[s])
		for t := range base[s] {
			base[s][t] = level * p.demand[s][t] * noise[t]
		}
	}
	p.level(base)
	return base
}

// level scales the baseline so that all expected orders sum to the number asked for, with the days cut short
// and with the viral days' surplus in the baseline.
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
	k := max(0, budget/weight)
	for t := range own {
		expected := k*own[t]*p.open(t)*p.viral(t) + (p.viral(t)-1)*paid[t]
		for s := range base {
			base[s][t] *= expected / own[t]
		}
	}
}

// mediaOrders returns by day the expected orders that spend brought.
func (p *plan) mediaOrders() []float64 {
	days := make([]float64, p.opt.Days)
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

// arrivals spreads the orders asked for over the days: as many Poisson numbers as there are days, given their sum.
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

// cause is what brought an order: a channel's spend, or nothing that was paid for.
type cause struct {
	medium  *medium // nil: nothing
	surface int
}

// causes lists what can bring orders on a day, and how many each is expected to bring.
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
