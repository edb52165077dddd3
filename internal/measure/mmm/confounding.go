package mmm

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"assay/internal/measure/stats"
)

// Spend that follows unobserved demand correlates with sales without causing them. Observational data cannot separate
// this confounding from the channel's effect. A lift test can separate the two, because it changes the spend
// independently of demand. A channel with a lift test therefore has two terms: the effect and a confounding term. The
// test measures only the effect. Let z be the saturated exposure s, standardized over the fitted rows. Then
//
//	mu_t = ... + beta s_t + sigma x z_t,   x ~ Normal(0, 1)
//
// The confounding is part of the unexplained variation, so x is in units of the noise's standard deviation sigma. The
// correlation of the channel with all omitted variables is x / sqrt(1 + x^2), as in omitted variable bias. See Cinelli
// and Hazlett 2020, section 4. With a standard normal x, correlations up to 0.9 are about equally likely. Incremental
// outcomes, ROAS and curves use beta s alone. The confounding term has the shape of s, so adstock and saturation are
// still estimated from the observational data.
//
// The data identify the apparent effect beta sd(s) + sigma x with an error of about one resolution (see [model]). The
// test and the prior determine how much of the apparent effect is confounding. The sampler's coordinate of x is
// therefore the apparent effect, in units of the resolution. The channel's own coordinate is the predicted result of
// its most precise test (the anchor), in units of the test's standard error.

// confoundingPrior is the prior of x.
var confoundingPrior = Prior{NormalPrior, 0, 1}

// confoundingParameter adds x to the parameters of a channel with a confounding term.
func (m *model) confoundingParameter(c *channel) {
	if len(c.lifts) == 0 || slices.Contains(m.spec.Unconfounded, c.name) {
		return
	}
	c.confoundingAt = len(m.parameters)
	c.anchor = slices.MinFunc(c.lifts, func(a, b lift) int {
		return cmp.Compare(a.sigma/math.Abs(a.to-a.from), b.sigma/math.Abs(b.to-b.from))
	})
	m.parameters = append(
		m.parameters, parameter{name: string(c.name) + ".confounding", support: real, prior: confoundingPrior})
}

// rise returns the difference in saturated exposure between the anchor's two spends, in the anchor's standard errors
// for a beta of 1. It also returns the derivatives of the difference's logarithm with respect to the saturation
// parameters.
func (m *model) rise(c *channel, shape []float64) (rise float64, byShape [maxSaturationParameters]float64) {
	low, _, byLow := m.spec.Saturation.value(math.Min(c.anchor.from, c.anchor.to), shape)
	high, _, byHigh := m.spec.Saturation.value(math.Max(c.anchor.from, c.anchor.to), shape)
	for k := range shape {
		byShape[k] = (byHigh[k] - byLow[k]) / (high - low)
	}
	return (high - low) / c.anchor.sigma, byShape
}

// confoundingOfCoordinate converts the coordinate in theta to x, given the curve's beta. It returns the derivative of x
// with respect to the coordinate.
func (m *model) confoundingOfCoordinate(v *curve, c *channel, theta []float64) float64 {
	by := m.resolution / theta[m.noiseAt]
	theta[c.confoundingAt] = theta[c.confoundingAt]*by - v.beta*v.sd/theta[m.noiseAt]
	return by
}

// setConfounding sets the coefficient of s that comes from confounding. It is 0 if s does not vary.
func (m *model) setConfounding(v *curve, c *channel, theta []float64) {
	v.confounding = 0
	if c.confoundingAt > 0 && v.sd > 0 {
		v.confounding = theta[m.noiseAt] * theta[c.confoundingAt] / v.sd
	}
}

// confoundingGradient adds the confounding term's part of the gradient, except the derivative with respect to s_t. The
// latter is
//
//	(sigma x / sd) (r_t - mean r - z_t mean(r z))
//
// where r is the gradient with respect to mu. The parameter along is the dot product of r and s.
// confoundingGradient returns mean r, mean(r z) / sd, and the gradient through x with respect to the log of beta. The
// latter equals the gradient with respect to the log of sd. The gradient with respect to x must already contain the
// prior and the likelihood.
func (d *density) confoundingGradient(v *curve, c *channel, along float64) (mean, slope, byCoordinate float64) {
	n := float64(d.rows)
	mean = floats.Sum(d.byMu) / n
	withZ := (along - v.mean*mean*n) / v.sd
	x, sigma := d.theta[c.confoundingAt], d.theta[d.noiseAt]
	d.gradient[c.confoundingAt] += sigma * withZ
	d.gradient[d.noiseAt] += x * withZ
	by := d.gradient[c.confoundingAt]
	d.gradient[d.noiseAt] -= (by*x + 1) / sigma
	return mean, withZ / (n * v.sd), -by * v.beta * v.sd / sigma
}

// Confounding contains a channel's effect and its confounding: the variation of the target that correlates with the
// channel's spend but has another cause. The channel's lift test separates the two.
type Confounding struct {
	// Effect is the standard deviation of the channel's incremental outcome over periods. Unobserved is the standard
	// deviation of the correlated unobserved demand, with a negative sign if the demand hides the effect. Both are in
	// the target's unit.
	Effect     stats.Summary `json:"effect"`
	Unobserved stats.Summary `json:"beside"`
	// Share is Unobserved / (Effect + |Unobserved|): the part of the apparent effect that is confounding.
	Share stats.Summary `json:"share"`
	// Correlation is the correlation of the channel's effect with the sum of all omitted variables.
	Correlation stats.Summary `json:"correlation"`
}

// confounding summarizes a channel's confounding term. It returns nil for a channel without this term.
func (p *Posterior) confounding(c *channel) *Confounding {
	if c.confoundingAt == 0 {
		return nil
	}
	m, n := p.model, len(p.draws)
	effect, beside, share, correlation := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	v := m.newCurve(m.rows)
	for i, theta := range p.draws {
		m.evaluateAt(&v, c, theta)
		x := theta[c.confoundingAt]
		effect[i], beside[i] = v.beta*v.sd*m.yScale, v.confounding*v.sd*m.yScale
		share[i], correlation[i] = beside[i]/(effect[i]+math.Abs(beside[i])), x/math.Hypot(1, x)
	}
	return &Confounding{
		stats.Summarize(effect), stats.Summarize(beside), stats.Summarize(share), stats.Summarize(correlation),
	}
}
