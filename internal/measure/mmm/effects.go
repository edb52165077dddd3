package mmm

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"assay/internal/measure"
	"assay/internal/measure/stats"
	"assay/internal/panics"
)

// Level is the probability of the credible intervals in posterior summaries. The intervals extend from the 5% to the
// 95% quantile.
const Level = 0.9

// EstimateOf returns the mean and the credible interval of posterior draws.
func EstimateOf(s stats.Summary) measure.Estimate {
	return measure.Estimate{
		Value: s.Mean, Interval: measure.Interval{Low: s.Q05, High: s.Q95, Level: Level},
		Method: measure.MediaMixPosterior, Basis: measure.Modelled,
	}
}

// ChannelEffect is a channel's estimated effect over all periods, including the holdout.
type ChannelEffect struct {
	Channel      measure.Channel `json:"channel"`
	Spend        float64         `json:"spend"`
	Contribution stats.Summary   `json:"contribution"` // in the target's unit
	Share        stats.Summary   `json:"share"`        // share of the target's sum, as a fraction
	ROAS         *stats.Summary  `json:"roas"`         // incremental outcome / spend; nil without spend
	MarginalROAS *stats.Summary  `json:"marginal_roas"`
	// Adstock contains the parameters by name, for the exposure divided by its maximum.
	Adstock     map[string]stats.Summary `json:"adstock"`
	Saturation  map[string]stats.Summary `json:"saturation"`            // parameters by name, as in Adstock
	Confounding *Confounding             `json:"confounding,omitempty"` // nil for a channel without lift tests
}

// Effects returns every channel's effect in the data's order. The marginal ROAS is the derivative of the incremental
// outcome with respect to spend, with the channel's whole spend history scaled.
func (p *Posterior) Effects() []ChannelEffect {
	out := make([]ChannelEffect, len(p.model.channels))
	var work panics.Group
	for i := range out {
		work.Go(func() { out[i] = p.effect(&p.model.channels[i]) })
	}
	work.Wait()
	return out
}

func (p *Posterior) effect(c *channel) ChannelEffect {
	total := p.ContributionTotals(c.name)
	e := ChannelEffect{
		Channel: c.name, Spend: floats.Sum(c.cost),
		Contribution: stats.Summarize(total), Share: stats.Summarize(divided(total, floats.Sum(p.data.Target))),
		Adstock: map[string]stats.Summary{}, Saturation: map[string]stats.Summary{}, Confounding: p.confounding(c),
	}
	if e.Spend > 0 {
		average, marginal := stats.Summarize(divided(total, e.Spend)), stats.Summarize(divided(p.slopes(c), e.Spend))
		e.ROAS, e.MarginalROAS = &average, &marginal
	}
	at := c.at + 1
	for j, parameter := range p.model.spec.Adstock.parameters() {
		e.Adstock[parameter.name] = p.summary(at + j)
	}
	at += p.model.carryOver
	for j, parameter := range p.model.spec.Saturation.parameters() {
		e.Saturation[parameter.name] = p.summary(at + j)
	}
	return e
}

// summary summarizes the draws of one parameter.
func (p *Posterior) summary(i int) stats.Summary {
	return stats.Summarize(series(len(p.draws), func(draw int) float64 { return p.draws[draw][i] }))
}

func divided(values []float64, by float64) []float64 {
	out := slices.Clone(values)
	floats.Scale(1/by, out)
	return out
}

// slopes returns the derivative of the channel's incremental outcome for each draw. The derivative is with respect to a
// factor that scales the channel's history, at a factor of 1.
func (p *Posterior) slopes(c *channel) []float64 {
	_, slopes := p.ResponseSlopes(c.name, []float64{1})
	return slopes[0]
}

// Responses returns the channel's incremental outcome over all periods if its whole history is scaled by each factor.
// The result has one row per factor and one element per draw, in the target's unit. Other channels are unchanged. The
// larger a factor is, the more the result depends on the saturation shape. For a channel with reach and frequency, the
// frequency is scaled. This assumption is conservative: more spend reaches the same people more often.
func (p *Posterior) Responses(name measure.Channel, factors []float64) [][]float64 {
	responses, _ := p.ResponseSlopes(name, factors)
	return responses
}

// toReach converts weights of adstocked exposures to weights of saturated frequencies. The weight of a period is the
// period's reach times a sum over this and later periods. The sum contains each period's weight times the adstock
// weight of its lag.
func (p *Posterior) toReach(weights []float64, v *curve, c *channel) {
	for g := range p.model.geos {
		from, to := g*p.model.span, (g+1)*p.model.span
		v.kernel.back(v.ds[from:to], weights[from:to])
	}
	floats.MulTo(weights, v.ds, c.x)
}

// ResponseSlopes returns [Posterior.Responses] and their derivatives with respect to the factor. At a factor of 0, it
// returns 0 for an infinite derivative.
func (p *Posterior) ResponseSlopes(name measure.Channel, factors []float64) (responses, slopes [][]float64) {
	c, m := p.channel(name), p.model
	responses, slopes = grid(len(factors), len(p.draws)), grid(len(factors), len(p.draws))
	w, room := newSaturated(len(m.y)), make([]float64, len(m.y))
	p.eachExposed(c, func(i int, e exposed) {
		for k, factor := range factors {
			scaled := room[:len(e.a)]
			floats.ScaleTo(scaled, factor, e.a)
			m.spec.Saturation.fill(w, scaled, e.shape)
			floats.Mul(w.ds[:len(e.a)], e.a) // the adstocked exposure is proportional to the factor
			if e.without == nil {
				responses[k][i], slopes[k][i] = floats.Dot(e.weights, w.s[:len(e.a)]), floats.Dot(e.weights, w.ds[:len(e.a)])
				continue
			}
			if e.timeVarying != nil {
				e.timeVarying.vary(w.s)
				e.timeVarying.vary(w.ds)
			}
			responses[k][i], slopes[k][i] = multiplied(e.beta, w, e.without)
		}
	})
	return responses, slopes
}

// grid allocates rows of equal length.
func grid(rows, columns int) [][]float64 {
	out := make([][]float64, rows)
	for k := range out {
		out[k] = make([]float64, columns)
	}
	return out
}

// exposed contains a channel's response under one draw: the weighted sum of the saturated exposures. For the log-normal
// likelihood, the field without is the mean of each period without the channel. The channel multiplies this mean by
// exp(beta times the saturated exposure).
type exposed struct {
	a, weights  []float64
	shape       []float64 // saturation parameters
	beta        float64
	timeVarying *timeVarying
	without     []float64 // nil for additive effects
}

// eachExposed calls f with the channel's response under each draw. If there are many exposures, it gathers them on a
// grid. f must not keep its argument.
func (p *Posterior) eachExposed(c *channel, f func(draw int, e exposed)) {
	p.eachExposure(c, p.thin(len(p.draws)), func(i int, e exposed) {
		if e.without == nil {
			e.a, e.weights = gathered(e.a, e.weights)
		}
		f(i, e)
	})
}

// eachExposure calls f with the channel's exposures in every period under the given draws. f must not keep its
// argument.
func (p *Posterior) eachExposure(c *channel, draws []int, f func(i int, e exposed)) {
	m := p.model
	v, weights, l := m.newCurve(len(m.y)), make([]float64, len(m.y)), m.newLocator()
	for i, draw := range draws {
		theta := p.draws[draw]
		m.evaluateAt(&v, c, theta)
		_, shape := m.split(c, theta)
		for t := range weights {
			weights[t] = v.betas[t/m.span] * m.size[t/m.span] * m.yScale
		}
		if v.timeVarying != nil {
			v.timeVarying.vary(weights)
		}
		e := exposed{v.a, weights, shape, v.beta, v.timeVarying, l.without(&v, theta)}
		if c.often != nil {
			e.a = c.often
			p.toReach(weights, &v, c)
		}
		f(i, e)
	}
}

// Sums over at least gatherFrom rows use a grid of gatherAt points.
const (
	gatherFrom = 1024
	gatherAt   = 320
)

// gathered returns fewer exposures with nearly the same weighted sum of a smooth function. Each weight is split between
// two neighboring grid points, so sum and mean are preserved. The grid is denser near 0. The sum is exact for piecewise
// linear functions. For saturation curves, it differs by about 1e-5.
func gathered(a, weights []float64) (points, sums []float64) {
	if len(a) < gatherFrom {
		return a, weights
	}
	top := largest(a)
	points, sums = make([]float64, gatherAt+1), make([]float64, gatherAt+1)
	for k := range points {
		points[k] = top * float64(k*k) / (gatherAt * gatherAt)
	}
	for t, x := range a {
		k := min(int(math.Sqrt(x/top)*gatherAt), gatherAt-1)
		if points[k] > x && k > 0 {
			k-- // rounding of the root
		}
		share := (x - points[k]) / (points[k+1] - points[k])
		sums[k] += (1 - share) * weights[t]
		sums[k+1] += share * weights[t]
	}
	return points, sums
}

// without returns the mean of each period without the channel for multiplicative effects, and nil for additive effects.
func (l *locator) without(v *curve, theta []float64) []float64 {
	if l.spec.Likelihood != LogNormal {
		return nil
	}
	mean := l.mean(theta)
	for t := range mean {
		mean[t] *= math.Exp(-v.beta * v.s[t])
	}
	return mean
}

// multiplied returns the sum of multiplicative incremental outcomes and the derivative of this sum. The field w.ds
// contains the derivatives of the saturated exposures.
func multiplied(beta float64, w saturated, without []float64) (total, slope float64) {
	for t, mean := range without {
		total += mean * math.Expm1(beta*w.s[t])
		slope += mean * math.Exp(beta*w.s[t]) * beta * w.ds[t]
	}
	return total, slope
}
