package mmm

import (
	"math"
	"math/rand/v2"
	"slices"

	"assay/internal/fault"
)

// kin is the joint prior of effects that learn from one another. What the channels of a store return has causes in common: its
// prices, its margins, its market. How much of it is common is not known, so that any correlation between the logs of two
// effects is as likely as any other:
//
//	log effect_c = common + own_c,   common ~ Normal(a, rho b^2),   own_c ~ Normal(0, (1 - rho) b^2),   rho ~ Uniform(0, 1)
//
// for effects whose prior is LogNormal(a, b), which stays the prior of each on its own, whatever rho. Channels of which the data
// know little are drawn towards the others as far as those turn out to be alike (Efron and Morris 1975; Gelman and Hill 2007,
// chapter 12). Common part and correlation are summed out, rho over the middles of [kinSteps] equal stretches: with z the logs,
// m their mean, S the sum of squares around it, n their number and tau^2 = (1 - rho) b^2,
//
//	p(z) = mean over rho of Normal(m; a, rho b^2 + tau^2/n) tau^(1-n) exp(-S / (2 tau^2))
type kin struct {
	at     []int             // the effects' places among the parameters
	mean   float64           // a
	own    [kinSteps]float64 // tau^2
	common [kinSteps]float64 // rho b^2
}

const kinSteps = 16

// newKin returns the joint prior of the channels' effects, nil when they are independent. Channels with a prior of their own
// stay out of it.
func (m *model) newKin() (*kin, error) {
	if !m.spec.Alike {
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
		return nil, fault.Invalid("effects that are alike need a log-normal prior, not %s", prior.Family).
			WithHint("speak of returns (roi), or give the effect a log-normal prior")
	}
	return kinOf(at, prior), nil
}

// kinOf returns the joint prior of effects with one prior, which is log-normal.
func kinOf(at []int, prior Prior) *kin {
	k := &kin{at: at, mean: prior.A}
	for j := range k.own {
		rho := (float64(j) + 0.5) / kinSteps
		k.own[j], k.common[j] = (1-rho)*prior.B*prior.B, rho*prior.B*prior.B
	}
	return k
}

// holds reports whether the prior of a parameter is the joint one. There is none on nil.
func (k *kin) holds(parameter int) bool { return k != nil && slices.Contains(k.at, parameter) }

// logp returns the log density at the effects in theta up to a constant, and sets its gradient by them.
func (k *kin) logp(theta, gradient []float64) (logp float64) {
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
	var terms [kinSteps]float64
	for j, own := range k.own {
		around := k.common[j] + own/n
		terms[j] = -(squares/own + off*off/around + (n-1)*math.Log(own) + math.Log(around)) / 2
	}
	top := slices.Max(terms[:])
	var total, own, common float64 // of weights, and of these by the variances
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

// draw sets the effects in theta to draws of the prior.
func (k *kin) draw(theta []float64, random *rand.Rand) {
	j := random.IntN(kinSteps)
	common := k.mean + math.Sqrt(k.common[j])*random.NormFloat64()
	for _, i := range k.at {
		theta[i] = math.Exp(common + math.Sqrt(k.own[j])*random.NormFloat64())
	}
}
