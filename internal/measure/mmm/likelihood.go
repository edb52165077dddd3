package mmm

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mathext"

	"assay/internal/fault"
)

// Likelihood is the distribution of the target around its mean.
type Likelihood string

// The likelihoods.
const (
	Normal    Likelihood = "normal"     // y ~ Normal(mu, sigma)
	StudentT  Likelihood = "student_t"  // y ~ t(nu, mu, sigma): robust to outliers
	LogNormal Likelihood = "log_normal" // log y ~ Normal(mu, sigma): effects are multiplicative
)

// ParseLikelihood parses the name of a likelihood.
func ParseLikelihood(s string) (Likelihood, error) {
	if l := Likelihood(s); l.known() {
		return l, nil
	}
	return "", fault.Invalid("unknown likelihood %q (want normal, student_t or log_normal)", s)
}

func (l Likelihood) known() bool {
	switch l {
	case Normal, StudentT, LogNormal:
		return true
	}
	return false
}

// parameters lists sigma and the likelihood's other parameters with their default priors.
func (l Likelihood) parameters() []parameter {
	sigma := parameter{name: "sigma", support: positive, prior: Prior{HalfNormalPrior, 0.5, 0}}
	if l == StudentT {
		return []parameter{sigma, {name: "nu", support: positive, prior: Prior{GammaPrior, 2, 0.1}}}
	}
	return []parameter{sigma}
}

// logp returns the log likelihood of y. For [LogNormal], y is on the log scale. logp sets byMu to the gradient with
// respect to the means and adds the gradient with respect to the parameters to grad.
func (l Likelihood) logp(y, mu, theta, byMu, grad []float64) float64 {
	n, sigma := float64(len(y)), theta[0]
	if l == StudentT {
		return studentT(y, mu, theta, byMu, grad)
	}
	z := byMu[:len(y)]
	floats.SubTo(z, y, mu)
	floats.Scale(1/sigma, z)
	squares := floats.Dot(z, z)
	floats.Scale(1/sigma, z)
	grad[0] += (squares - n) / sigma
	return -squares/2 - n*math.Log(sigma)
}

func studentT(y, mu, theta, byMu, grad []float64) float64 {
	n, sigma, nu := float64(len(y)), theta[0], theta[1]
	var kernel, bySigma, byNu float64
	for t := range y {
		z := (y[t] - mu[t]) / sigma
		log := math.Log1p(z * z / nu)
		pull := (nu + 1) * z / (nu + z*z)
		kernel += log
		byMu[t] = pull / sigma
		bySigma += pull * z
		byNu += pull*z/nu - log
	}
	upper, _ := math.Lgamma((nu + 1) / 2)
	lower, _ := math.Lgamma(nu / 2)
	grad[0] += (bySigma - n) / sigma
	grad[1] += byNu/2 + n*(mathext.Digamma((nu+1)/2)-mathext.Digamma(nu/2)-1/nu)/2
	return n*(upper-lower-math.Log(nu)/2-math.Log(sigma)) - (nu+1)/2*kernel
}
