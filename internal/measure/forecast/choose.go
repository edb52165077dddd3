package forecast

import (
	"math"
	"slices"
)

// tolerance is the largest backtest error of a model that [Auto] keeps, relative to the best model's error. The value is
// from M4 hourly, M4 weekly and M3 monthly series: with 1.25 to 1.5 the accuracy changes by less than 2%, and above 1.75
// bad seasonal models stay in.
const tolerance = 1.4

// choose removes the models of a pool whose backtest error is too large, from a pool fitted to the first part of a
// series and from the pool of the whole series. The forecast is then the mean of the others. The rest is the part of
// the series after the first. Other models are unchanged.
func choose(earlier, whole track, rest []float64, horizon int) {
	first, own := poolOf(earlier, rest)
	all, _ := poolOf(whole, nil)
	if first == nil || all == nil || len(first.members) != len(all.members) {
		return
	}
	kept := first.clone().(*pool).kept(own, horizon)
	first.keep(kept)
	all.keep(kept)
}

// poolOf returns the pool in a model, and later values on the pool's scale.
func poolOf(m track, later []float64) (*pool, []float64) {
	switch m := m.(type) {
	case *pool:
		return m, later
	case *adjusted:
		own := slices.Clone(later)
		for t := range own {
			own[t] -= m.factors[(m.place+t)%len(m.factors)]
		}
		inner, _ := m.inner.(*pool)
		return inner, own
	}
	return nil, nil
}

// kept rolls the models through the values and returns those with a small error. The error of a model is the mean
// absolute error over all origins and steps up to the horizon.
func (p *pool) kept(values []float64, horizon int) []int {
	errors := make([]float64, len(p.members))
	ahead := make([]float64, horizon)
	for t := range values {
		out := ahead[:min(horizon, len(values)-t)]
		for i, m := range p.members {
			m.ahead(out)
			for h, f := range out {
				errors[i] += math.Abs(values[t+h] - f)
			}
		}
		p.observe(values[t])
	}
	least := slices.Min(errors)
	var kept []int
	for i, e := range errors {
		if e <= tolerance*least {
			kept = append(kept, i)
		}
	}
	if len(kept) == 0 { // an error is not a number
		for i := range errors {
			kept = append(kept, i)
		}
	}
	return kept
}

// keep removes all other models. The forecast is then their mean, because no model is bad.
func (p *pool) keep(models []int) {
	all := p.members
	p.members, p.average = nil, true
	for _, i := range models {
		p.members = append(p.members, all[i])
	}
	if len(p.members) == 1 {
		p.name = p.members[0].String()
	}
}

// Clones of models have their own state.

func (p *pool) clone() track {
	c := &pool{name: p.name, average: p.average}
	for _, m := range p.members {
		c.members = append(c.members, m.clone())
	}
	return c
}

func (l *last) clone() track { return &last{recent: slices.Clone(l.recent), place: l.place} }

func (s *smoother) clone() track {
	c := *s
	c.seasonal = slices.Clone(s.seasonal)
	return &c
}

func (a *arima) clone() track {
	c := *a
	c.values, c.errors = slices.Clone(a.values), slices.Clone(a.errors)
	return &c
}

func (m *theta) clone() track {
	c := *m
	c.smoothed = m.smoothed.clone()
	return &c
}

func (d *dynamic) clone() track {
	c := *d
	return &c
}

func (a *adjusted) clone() track {
	c := *a
	c.inner = a.inner.clone()
	return &c
}

func (l logarithmic) clone() track { return logarithmic{l.inner.clone()} }
