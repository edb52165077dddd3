package mmm

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"assay/internal/measure"
	"assay/internal/measure/stats"
)

// Curve is a channel's response curve. A point is the channel's incremental outcome over the window if the channel's
// total spend in the window is Spend. The spend of each period is scaled by the same factor.
type Curve struct {
	Channel measure.Channel `json:"channel"`
	Points  []CurvePoint    `json:"points"`
}

// CurvePoint is one point of a [Curve]: spend in its currency, response in the target's unit.
type CurvePoint struct {
	Spend float64 `json:"spend"`
	Mean  float64 `json:"mean"`
	Q05   float64 `json:"q05"`
	Q95   float64 `json:"q95"`
}

// ResponseCurve returns the channel's curve at equally spaced spends from zero to the window's spend times the
// parameter factor. The parameter points is the number of spends, at least 2.
func (p *Posterior) ResponseCurve(name measure.Channel, factor float64, points int) Curve {
	factors := floats.Span(make([]float64, points), 0, factor)
	curve := Curve{Channel: name}
	spend := p.Spend(name)
	for i, draws := range p.evenResponses(name, factors) {
		s := stats.Summarize(draws)
		curve.Points = append(curve.Points, CurvePoint{factors[i] * spend, s.Mean, s.Q05, s.Q95})
	}
	return curve
}

// evenResponses returns [Posterior.Responses] for factors equally spaced from 0.
func (p *Posterior) evenResponses(name measure.Channel, factors []float64) [][]float64 {
	m := p.model
	if m.spec.Saturation != Logistic || m.spec.Likelihood == LogNormal {
		return p.Responses(name, factors)
	}
	responses := grid(len(factors), len(p.draws))
	c, sums := climb{first: make([]float64, len(m.y)), at: make([]float64, len(m.y))}, make([]float64, len(factors))
	p.eachExposed(p.channel(name), func(i int, e exposed) {
		c.sums(sums, e.a, e.weights, e.shape[0]*factors[1])
		for k, sum := range sums {
			responses[k][i] = sum
		}
	})
	return responses
}

// climb is scratch space of [climb.sums].
type climb struct{ first, at []float64 }

// sums sets the k-th sum to the weighted sum of (1 - e) / (1 + e) with e = exp(-k lam a). This is the logistic curve of
// k times the exposures a. It equals tanh(k lam a / 2), so each value follows from the previous one:
//
//	tanh(x + y) = (tanh x + tanh y) / (1 + tanh x tanh y)
//
// One exponential is sufficient for all sums. All terms are positive, so there is no cancellation. Rounding errors are
// three or four units in the last place per step.
func (c climb) sums(sums, a, weights []float64, lam float64) {
	first, at := c.first[:len(a)], c.at[:len(a)]
	for t, x := range a {
		first[t] = math.Tanh(lam * x / 2)
	}
	clear(at)
	weights = weights[:len(a)]
	sums[0] = 0
	for k := range sums[1:] {
		var s0, s1 float64
		for t, by := range first {
			s := (at[t] + by) / (1 + at[t]*by)
			at[t] = s
			s0, s1 = s1, s0+weights[t]*s
		}
		sums[k+1] = s0 + s1
	}
}
