package mmm

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"assay/internal/measure/stats"
)

// A budget that follows what nobody sees shows in the periods like an effect, and they cannot say so: only a test moves the budget by
// itself. So what the periods show of a channel with a lift test is its effect and something that moves with it, and the test is of
// the effect alone. With z the channel's worth s, less its mean and divided by its standard deviation over the fitted rows,
//
//	mu_t = ... + beta s_t + sigma x z_t,   x ~ Normal(0, 1)
//
// What moves with the budget is of the same unknown things as the noise, so x counts in its standard deviations: x / sqrt(1 + x^2) is
// the correlation of all that the model does not know with the channel, as in the bias by an omitted variable (Cinelli and Hazlett
// 2020, section 4), and with a normal x each correlation up to .9 is about as likely as any other. Contributions, returns and curves
// are of beta s alone. Being of the form of s, the term says nothing of carry-over and shape, which are still the periods' to tell.
//
// Data know beta sd(s) + sigma x, what the channel seems to do, to about the resolution; what of it is which the test and the prior
// tell. So that sum is the sampler's coordinate of x, in units of the resolution. And the channel's own is not its swing, of which the
// periods say no more than of x, but what its surest test, the anchor, would find, in standard errors of it.

// confoundingPrior is of x.
var confoundingPrior = Prior{NormalPrior, 0, 1}

// confoundingParameter adds the parameter of what moves with the channel, if the model has it.
func (m *model) confoundingParameter(c *channel) {
	if len(c.lifts) == 0 || slices.Contains(m.spec.Believed, c.name) {
		return
	}
	c.confoundingAt = len(m.parameters)
	c.anchor = slices.MinFunc(c.lifts, func(a, b lift) int {
		return cmp.Compare(a.sigma/math.Abs(a.to-a.from), b.sigma/math.Abs(b.to-b.from))
	})
	m.parameters = append(m.parameters, parameter{name: string(c.name) + ".confounding", support: real, prior: confoundingPrior})
}

// rise is how much more the channel's worth is at the larger spend of its anchor than at the smaller one, in the anchor's standard
// errors and for a beta of 1, and the derivatives of its logarithm by the parameters of saturation.
func (m *model) rise(c *channel, shape []float64) (rise float64, byShape [maxSaturationParameters]float64) {
	low, _, byLow := m.spec.Saturation.value(math.Min(c.anchor.from, c.anchor.to), shape)
	high, _, byHigh := m.spec.Saturation.value(math.Max(c.anchor.from, c.anchor.to), shape)
	for k := range shape {
		byShape[k] = (byHigh[k] - byLow[k]) / (high - low)
	}
	return (high - low) / c.anchor.sigma, byShape
}

// confoundingOfSwing turns the coordinate in theta into x, once the curve has its beta, and returns the derivative.
func (m *model) confoundingOfSwing(v *curve, c *channel, theta []float64) float64 {
	by := m.resolution / theta[m.noiseAt]
	theta[c.confoundingAt] = theta[c.confoundingAt]*by - v.beta*v.sd/theta[m.noiseAt]
	return by
}

// setConfounding sets by how much more than beta the target moves with s. A worth that does not vary has nothing beside it.
func (m *model) setConfounding(v *curve, c *channel, theta []float64) {
	v.confounding = 0
	if c.confoundingAt > 0 && v.sd > 0 {
		v.confounding = theta[m.noiseAt] * theta[c.confoundingAt] / v.sd
	}
}

// confoundingGradient adds what moves with the channel to the gradient, all but the derivative by s, which is
//
//	(sigma x / sd) (r_t - mean r - z_t mean(r z))
//
// with r the gradient by mu, whose product with s is given. It returns mean r, mean(r z) / sd, and the gradient by the log of beta, and
// of sd too, that comes from x. Prior and likelihood are in the gradient by x before.
func (d *density) confoundingGradient(v *curve, c *channel, along float64) (mean, slope, bySwing float64) {
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

// Confounding is what moves with a channel's budget and not because of it, as a lift test tells it from the channel's effect.
type Confounding struct {
	// Effect is how far the channel moved the target from period to period, and Beside how far the target moved with it for other causes:
	// standard deviations in the target's unit, Beside below zero where those hid the effect.
	Effect stats.Summary `json:"effect"`
	Beside stats.Summary `json:"beside"`
	// Share is Beside by the sum of Effect and Beside's size: of what the periods seem to show, the part that is not the channel's doing.
	Share stats.Summary `json:"share"`
	// Correlation is that of the channel with all that the model does not know.
	Correlation stats.Summary `json:"correlation"`
}

// confounding describes what moves with the channel; nil when the model does not tell it from the effect.
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
	return &Confounding{stats.Summarize(effect), stats.Summarize(beside), stats.Summarize(share), stats.Summarize(correlation)}
}
