package forecast

import (
	"math"
	"slices"
)

// negligible is the weight below which [Auto] drops a model.
const negligible = 1e-3

// choose sets the backtest weights of the models in two pools. The pool earlier is fitted to the first part of a
// series, and the pool whole to the whole series. A pool's forecast is then the weighted mean of its models. The
// parameter rest contains the values after the first part. Models other than pools are unchanged. choose returns the
// number of weights that the errors determine.
func choose(earlier, whole track, rest []float64, horizon int) int {
	first, own := poolOf(earlier, rest)
	all, _ := poolOf(whole, nil)
	if first == nil || all == nil || len(first.members) != len(all.members) {
		return 0
	}
	weights := backtestWeights(first.clone().(*pool).backtest(own, horizon), float64(len(own))/float64(horizon))
	first.weigh(weights)
	all.weigh(weights)
	return len(all.members) - 1
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

// backtest moves the forecast origin through the values. It returns each model's mean absolute error over all origins
// and all steps up to the horizon.
func (p *pool) backtest(values []float64, horizon int) []float64 {
	errors, n := make([]float64, len(p.members)), 0
	ahead := make([]float64, horizon)
	for t := range values {
		out := ahead[:min(horizon, len(values)-t)]
		n += len(out)
		for i, m := range p.members {
			m.ahead(out)
			for h, f := range out {
				errors[i] += math.Abs(values[t+h] - f)
			}
		}
		p.observe(values[t])
	}
	for i := range errors {
		errors[i] /= float64(n)
	}
	return errors
}

// backtestWeights returns weights proportional to
//
//	error^(-k).
//
// A model's weight is proportional to the likelihood of k independent errors from a Laplace distribution with the
// model's own scale. k is the number of disjoint windows of the horizon in the backtest, at least 1. After a short
// backtest, weights are nearly equal. A long backtest selects few models. The result is nil if all errors are NaN.
func backtestWeights(errors []float64, k float64) []float64 {
	least := math.Inf(1)
	for _, e := range errors {
		if e < least { // false if e is NaN
			least = e
		}
	}
	weights, sum := make([]float64, len(errors)), 0.0
	for i, e := range errors {
		switch {
		case e == least:
			weights[i] = 1
		case least > 0 && e > least:
			weights[i] = math.Pow(e/least, -max(1, k))
		}
		sum += weights[i]
	}
	if sum == 0 || math.IsInf(least, 1) {
		return nil
	}
	for i := range weights {
		weights[i] /= sum
	}
	return weights
}

// weigh makes the forecast the weighted mean of the models. Models with a negligible weight are dropped.
func (p *pool) weigh(weights []float64) {
	all, kept := p.members, 0.0
	p.members = nil
	for i, w := range weights {
		if w >= negligible {
			p.members, p.weights, kept = append(p.members, all[i]), append(p.weights, w), kept+w
		}
	}
	if len(p.members) == 0 {
		p.members = all
		return
	}
	for i := range p.weights {
		p.weights[i] /= kept
	}
	if len(p.members) == 1 {
		p.name = p.members[0].String()
	}
}

// Each clone method returns a copy of a model with its own state.

func (p *pool) clone() track {
	c := &pool{name: p.name, weights: slices.Clone(p.weights)}
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
