package forecast

import "math"

// dynamic is the dynamic optimized theta model. See Fiorucci, Pellegrini, Louzada, Petropoulos and Koehler 2016,
// "Models for optimising the theta method and their relationship to state space models", section 3. Let A and B be the
// intercept and the slope of the least-squares line through the points so far. Then
//
//	μ_{t+1} = ℓ_t + (1 - 1/θ) ((1-α)^t A_t + (1 - (1-α)^{t+1}) / α · B_t),   ℓ_{t+1} = α y_{t+1} + (1-α) ℓ_t.
type dynamic struct {
	alpha, theta float64
	level        float64
	power        float64 // (1-α)^t
	a, b, mean   float64
	points       float64
}

func (d *dynamic) expect() float64 {
	return d.level + (1-1/d.theta)*(d.power*d.a+(1-d.power*(1-d.alpha))/d.alpha*d.b)
}

func (d *dynamic) observe(y float64) {
	d.points++
	t := d.points
	d.level += d.alpha * (y - d.level)
	before := d.mean
	d.mean += (y - before) / t
	if t > 1 {
		d.b = ((t-2)*d.b + 6*(y-before)/t) / (t + 1)
	}
	d.a = d.mean - d.b*(t+1)/2
	d.power *= 1 - d.alpha
}

func (d *dynamic) String() string { return "DOTM" }

func (d *dynamic) ahead(out []float64) {
	next := *d
	for h := range out {
		out[h] = next.expect()
		next.observe(out[h])
	}
}

func fitDynamic(values []float64) track {
	if len(values) < 6 {
		return fitTheta(values)
	}
	unit := 0.0
	for _, y := range values {
		unit += math.Abs(y) / float64(len(values))
	}
	if unit == 0 {
		return naive(values, 1)
	}
	var d dynamic
	set := func(params []float64) {
		d = dynamic{alpha: between(params[0], 0.02, 0.9999), theta: 1 + math.Exp(params[1]), level: params[2] * unit, power: 1}
	}
	p := problem{points: len(values), residuals: func(params, out []float64) bool {
		set(params)
		for t, y := range values {
			out[t] = y - d.expect()
			if t == 0 {
				out[t] = 0 // the first level is a free parameter
			}
			d.observe(y)
		}
		return true
	}}
	var best []float64
	least := math.Inf(1)
	room := make([]float64, len(values))
	for _, alpha := range []float64{0.1, 0.3, 0.5, 0.9} {
		params := []float64{inside(alpha, 0.02, 0.9999), 0, values[0] / unit}
		p.residuals(params, room)
		if sum := squares(room); sum < least || best == nil {
			best, least = params, sum
		}
	}
	p.solve(best)
	best[1] = min(best[1], math.Log(1e4))
	set(best)
	for _, y := range values {
		d.observe(y)
	}
	return &d
}
