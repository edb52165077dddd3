package forecast

import (
	"math"

	"assay/internal/measure/stats"
)

// reverting is a level that returns to the trend of the whole series. It is an ARMA(1,1) process around a line (Box and
// Jenkins 1970, "Time Series Analysis", chapter 3). Let x be the values, or their logarithms if all are positive. Let a
// + b t be the least-squares line through the points so far. Then
//
//	x_{t+1} = a + b (t+1) + d_t + e_{t+1},   d_{t+1} = φ (d_t + α e_{t+1}).
//
// φ and α, between 0 and 1, minimize the squared errors around the line through the values of the fit. The forecast of
// the deviation d decreases by the factor φ per point. The other models of the pool repeat the last level.
type reverting struct {
	phi, alpha    float64
	deviation     float64 // d
	points        float64
	mean, product float64 // mean of the points; sum of (t - mean of t) times the points
	logarithms    bool
	smear         float64 // mean of exp(e), which converts a median to a mean (Duan 1983, "Smearing estimate")
}

// line returns a + b t.
func (r *reverting) line(t float64) float64 {
	n := r.points
	if n < 2 {
		return r.mean
	}
	return r.mean + r.product/(n*(n*n-1)/12)*(t-(n-1)/2)
}

// include adds the next point to the line.
func (r *reverting) include(x float64) {
	r.product += r.points / 2 * (x - r.mean)
	r.points++
	r.mean += (x - r.mean) / r.points
}

// observe treats a value without a logarithm as the expected value.
func (r *reverting) observe(y float64) {
	x := r.line(r.points) + r.deviation
	e := 0.0
	if !r.logarithms {
		e = y - x
	} else if y > 0 {
		e = math.Log(y) - x
	}
	r.include(x + e)
	r.deviation = r.phi * (r.deviation + r.alpha*e)
}

func (r *reverting) String() string { return "Reverting" }

func (r *reverting) ahead(out []float64) {
	d := r.deviation
	for h := range out {
		out[h] = r.line(r.points+float64(h)) + d
		if r.logarithms {
			out[h] = r.smear * math.Exp(min(out[h], 700))
		}
		d *= r.phi
	}
}

func (r *reverting) clone() track {
	c := *r
	return &c
}

// fitReverting fits the mean-reverting model to values without seasonality.
func fitReverting(values []float64) track {
	r := &reverting{logarithms: allPositive(values), smear: 1}
	x := make([]float64, len(values))
	for t, y := range values {
		if x[t] = y; r.logarithms {
			x[t] = math.Log(y)
		}
		r.include(x[t])
	}
	for t := range x {
		x[t] -= r.line(float64(t))
	}
	unit := meanSize(x)
	if unit == 0 {
		return r
	}
	p := problem{points: len(x), residuals: func(params, out []float64) bool {
		phi, alpha, d := between(params[0], 0, 1), between(params[1], 0, 1), 0.0
		for t := range x {
			e := x[t] - d
			out[t] = e / unit
			d = phi * (d + alpha*e)
		}
		return true
	}}
	least := math.Inf(1)
	for _, start := range [][2]float64{{0.99, 0.05}, {0.95, 0.1}, {0.8, 0.3}} { // slow to fast
		params := []float64{inside(start[0], 0, 1), inside(start[1], 0, 1)}
		if sum := p.solve(params); sum < least {
			least, r.phi, r.alpha = sum, between(params[0], 0, 1), between(params[1], 0, 1)
		}
	}
	smear := 0.0
	for t := range x {
		e := x[t] - r.deviation
		smear += math.Exp(e) / float64(len(x))
		r.deviation = r.phi * (r.deviation + r.alpha*e)
	}
	if r.logarithms {
		r.smear = smear
	}
	return r
}

// leastReverting is the minimum number of points for [reverting] in a forecast: a year of days. In a shorter series,
// the level to which the series returns is not identified.
const leastReverting = 365

// orReverting returns two pools. Each contains a model and [reverting], fitted to the same values. The first pool is
// fitted to the values before the rolling origins, the second pool to all values. The first pool's errors determine the
// weights, as in [backtestWeights]. The errors are of totals over the horizon, because the noise of single points hides
// errors of the level.
func (a Ask) orReverting(earlier, whole track, values []float64) (first, all *pool) {
	begin := len(values) - a.origins(len(values))
	both := func(m track, values []float64) *pool {
		return &pool{name: m.String(), members: []track{m, classical(values, a.Season, fitReverting)}}
	}
	first, all = both(earlier, values[:begin]), both(whole, values)
	rest := values[begin:]
	horizon := min(a.Horizon, len(rest))
	weights := backtestWeights(first.clone().(*pool).backtestTotals(rest, horizon), float64(len(rest))/float64(horizon))
	if weights == nil {
		weights = []float64{1, 0}
	}
	first.weigh(weights)
	all.weigh(weights)
	return first, all
}

// backtestTotals moves the forecast origin through the values. It returns each model's mean absolute error of the total
// over the horizon.
func (p *pool) backtestTotals(values []float64, horizon int) []float64 {
	errors, ahead := make([]float64, len(p.members)), make([]float64, horizon)
	n := len(values) - horizon + 1
	for t := range n {
		actual := stats.Sum(values[t : t+horizon])
		for i, m := range p.members {
			m.ahead(ahead)
			errors[i] += math.Abs(actual-stats.Sum(ahead)) / float64(n)
		}
		p.observe(values[t])
	}
	return errors
}
