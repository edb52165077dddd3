package mmm

import (
	"math"
	"math/rand/v2"
	"slices"

	"assay/internal/fault"
)

// pooledEffects is a hierarchical prior of channel effects (partial pooling). Effects of a store's channels have common
// causes, such as prices, margins and market, so their logs are correlated. The correlation rho is unknown and has a
// uniform prior:
//
//	log effect_c = common + own_c,   common ~ Normal(a, rho b^2),   own_c ~ Normal(0, (1 - rho) b^2),   rho ~ Uniform(0, 1)
//
// The marginal prior of each effect is LogNormal(a, b) for every rho. The effects of channels with little data shrink
// toward the effects of the other channels. The shrinkage is stronger if the other channels are more similar to each
// other (Efron and Morris 1975; Gelman and Hill 2007, chapter 12). The common part is integrated out exactly and rho by
// the midpoint rule with [rhoSteps] points. Let z be the logs of the effects, m their mean, S their sum of squares
// around m, n their number and tau^2 = (1 - rho) b^2. Then
//
//	p(z) = mean over rho of Normal(m; a, rho b^2 + tau^2/n) tau^(1-n) exp(-S / (2 tau^2))
type pooledEffects struct {
	at     []int             // positions of the effects in the parameter vector
	mean   float64           // a
	own    [rhoSteps]float64 // tau^2
	common [rhoSteps]float64 // rho b^2
}

const rhoSteps = 16

// newPooledEffects returns the hierarchical prior of the channels' effects, or nil if the effects are independent.
// Channels with their own prior are independent.
func (m *model) newPooledEffects() (*pooledEffects, error) {
	if !m.spec.PoolEffects {
		return nil, nil
	}
	var at []int
	for _, c := range m.channels {
		if _, own := m.spec.Priors[m.parameters[c.at].name]; !own {
			at = append(at, c.at)
		}
	}
	if len(at) < 2 {
		return nil, nil
	}
	prior := m.parameters[at[0]].prior
	if prior.Family != LogNormalPrior {
		return nil, fault.Invalid("pooled effects need a log-normal prior, not %s", prior.Family).
			WithHint("use the effect \"roi\", or give the effect a log-normal prior")
	}
	return poolEffects(at, prior), nil
}

// poolEffects returns the hierarchical prior of effects with a common log-normal marginal prior.
func poolEffects(at []int, prior Prior) *pooledEffects {
	k := &pooledEffects{at: at, mean: prior.A}
	for j := range k.own {
		rho := (float64(j) + 0.5) / rhoSteps
		k.own[j], k.common[j] = (1-rho)*prior.B*prior.B, rho*prior.B*prior.B
	}
	return k
}

// holds reports whether the parameter has the hierarchical prior. It returns false on nil.
func (k *pooledEffects) holds(parameter int) bool {
	return k != nil && slices.Contains(k.at, parameter)
}

// logp returns the log density up to a constant and sets its gradient.
func (k *pooledEffects) logp(theta, gradient []float64) (logp float64) {
	n := float64(len(k.at))
	var mean, squares float64
	for _, i := range k.at {
		z := math.Log(theta[i])
		mean += z / n
		logp -= z
	}
	for _, i := range k.at {
		z := math.Log(theta[i]) - mean
		squares += z * z
	}
	off := mean - k.mean
	var terms [rhoSteps]float64
	for j, own := range k.own {
		around := k.common[j] + own/n
		terms[j] = -(squares/own + off*off/around + (n-1)*math.Log(own) + math.Log(around)) / 2
	}
	top := slices.Max(terms[:])
	var total, own, common float64 // sums of weights, and of weights divided by the variances
	for j, variance := range k.own {
		w := math.Exp(terms[j] - top)
		total += w
		own += w / variance
		common += w / (k.common[j] + variance/n)
	}
	for _, i := range k.at {
		byLog := -own/total*(math.Log(theta[i])-mean) - common/total*off/n
		gradient[i] = (byLog - 1) / theta[i]
	}
	return logp + top + math.Log(total)
}

// draw sets the effects in theta to draws from the prior.
func (k *pooledEffects) draw(theta []float64, random *rand.Rand) {
	j := random.IntN(rhoSteps)
	common := k.mean + math.Sqrt(k.common[j])*random.NormFloat64()
	for _, i := range k.at {
		theta[i] = math.Exp(common + math.Sqrt(k.own[j])*random.NormFloat64())
	}
}
