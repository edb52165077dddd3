package mmm

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// batch is the joint prior of controls' coefficients that are of one size, which nobody knows beforehand: days of a calendar, of
// which each is seen a few times only. A batch of which the data show that it moves sales by little draws each of its members
// towards zero, one with large effects leaves them (Gelman 2005, on variances of batches of coefficients):
//
//	gamma_h ~ Normal(0, tau^2),   tau^2 ~ InverseGamma(nu / 2, nu batchScale^2 / 2)
//
// tau is summed out, which leaves a density of Student's t of n dimensions with nu degrees of freedom, and to the sampler no
// narrow neck where tau is small:
//
//	log p(gamma) = -(nu + n) / 2 log(1 + gamma'gamma / (nu batchScale^2))
//
// Coefficients are in maxima of the target, for the period that lies in the event with the most of its days.
type batch struct {
	at []int // the coefficients' places among the parameters
}

// Before the data a coefficient is Student's t with batchFreedom degrees of freedom and scale batchScale: half of them move their
// period by less than .04 of the largest one, and one in twenty by more than .16.
const (
	batchFreedom = 3
	batchScale   = 0.05
)

// newBatches marks the parameters that batches hold and returns the joint priors of controls in the order of the data. Controls whose coefficient has a prior of its own, or by
// its batch's name, stay out of it.
func (m *model) newBatches() []batch {
	var out []batch
	places := map[string]int{}
	for k, t := range m.terms {
		if !t.batched || m.spec.hasPrior(t.name) || m.spec.hasPrior(t.group) {
			continue
		}
		place, ok := places[t.group]
		if !ok {
			place = len(out)
			places[t.group], out = place, append(out, batch{})
		}
		out[place].at = append(out[place].at, m.baselineAt+k)
		m.parameters[m.baselineAt+k].joint = true
	}
	return out
}

func (s Spec) hasPrior(name string) bool {
	_, ok := s.Priors[name]
	return ok
}

// logp returns the log density at the coefficients in theta up to a constant, and sets its gradient by them.
func (b batch) logp(theta, gradient []float64) float64 {
	var squares float64
	for _, i := range b.at {
		squares += theta[i] * theta[i]
	}
	const unit = batchFreedom * batchScale * batchScale
	power := (batchFreedom + float64(len(b.at))) / 2
	for _, i := range b.at {
		gradient[i] = -2 * power * theta[i] / (unit + squares)
	}
	return -power * math.Log1p(squares/unit)
}

// draw sets the coefficients in theta to draws of the prior.
func (b batch) draw(theta []float64, random *rand.Rand) {
	precision := distuv.ChiSquared{K: batchFreedom, Src: random}.Rand() / batchFreedom
	tau := batchScale / math.Sqrt(precision)
	for _, i := range b.at {
		theta[i] = tau * random.NormFloat64()
	}
}
