package mmm

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// pooledControls is the hierarchical prior of a group of controls with a common, unknown scale. An example is a group
// of holidays, each observed a few times. If effects in the group are small, each member shrinks toward zero. Large
// effects shrink little (Gelman 2005, on variances of batches of coefficients):
//
//	gamma_h ~ Normal(0, tau^2),   tau^2 ~ InverseGamma(nu / 2, nu pooledScale^2 / 2)
//
// tau is integrated out, which avoids the funnel at small tau. The n coefficients have a multivariate t density with nu
// degrees of freedom:
//
//	log p(gamma) = -(nu + n) / 2 log(1 + gamma'gamma / (nu pooledScale^2))
//
// A coefficient is the effect in the period with the largest share of event days, as a fraction of the largest target.
type pooledControls struct {
	at []int // positions of the coefficients in the parameter vector
}

// The marginal prior of a coefficient is Student's t with pooledFreedom degrees of freedom and scale pooledScale. Half
// of all coefficients have an absolute value below 0.04 of the largest target, and one in twenty has an absolute value
// above 0.16.
const (
	pooledFreedom = 3
	pooledScale   = 0.05
)

// newPooledControls returns the hierarchical priors of the control groups in the data's order and sets the field joint
// of their parameters. A control is independent if there is a prior under its own name or under its group's name.
func (m *model) newPooledControls() []pooledControls {
	var out []pooledControls
	places := map[string]int{}
	for k, t := range m.terms {
		if !t.pooled || m.spec.hasPrior(t.name) || m.spec.hasPrior(t.group) {
			continue
		}
		place, ok := places[t.group]
		if !ok {
			place = len(out)
			places[t.group], out = place, append(out, pooledControls{})
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

// logp returns the log density up to a constant and sets its gradient.
func (b pooledControls) logp(theta, gradient []float64) float64 {
	var squares float64
	for _, i := range b.at {
		squares += theta[i] * theta[i]
	}
	const unit = pooledFreedom * pooledScale * pooledScale
	power := (pooledFreedom + float64(len(b.at))) / 2
	for _, i := range b.at {
		gradient[i] = -2 * power * theta[i] / (unit + squares)
	}
	return -power * math.Log1p(squares/unit)
}

// draw sets the coefficients in theta to draws from the prior.
func (b pooledControls) draw(theta []float64, random *rand.Rand) {
	precision := distuv.ChiSquared{K: pooledFreedom, Src: random}.Rand() / pooledFreedom
	tau := pooledScale / math.Sqrt(precision)
	for _, i := range b.at {
		theta[i] = tau * random.NormFloat64()
	}
}
