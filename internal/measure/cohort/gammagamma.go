package cohort

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mathext"

	"assay/internal/fault"
)

// Spend is a customer's spending on repeat purchases.
type Spend struct {
	Purchases int     // repeat purchases, at least one
	Mean      float64 // their mean value, above zero
}

// GammaGamma is the model of purchase value (Fader and Hardie 2013, "The Gamma-Gamma model of monetary value"). A
// customer's purchases are Gamma(P, ν) distributed, and ν is Gamma(Q, V) distributed over customers.
//
// The model assumes that spend per purchase is independent of purchase frequency; see [SpendFrequencyCorrelation].
type GammaGamma struct {
	P, Q float64
	V    float64 // in the unit of the values
}

func buildGammaGamma(v []float64) GammaGamma { return GammaGamma{P: v[0], Q: v[1], V: v[2]} }

// FitGammaGamma returns the maximum likelihood model. It rejects a customer without purchases or without a positive
// mean value. The error names the customer's index. Fewer than two customers result in a not-ready fault.
func FitGammaGamma(spends []Spend) (Fit[GammaGamma], error) {
	if len(spends) < 2 {
		return Fit[GammaGamma]{},
			fault.NotReady("fit of Gamma-Gamma: %d customers bought again, want at least 2", len(spends))
	}
	scale := 0.0
	for i, s := range spends {
		if s.Purchases < 1 || !(s.Mean > 0) || math.IsInf(s.Mean, 1) {
			return Fit[GammaGamma]{}, fault.Invalid(
				"fit of Gamma-Gamma: customer %d has %d purchases of mean %v, want both above 0", i, s.Purchases, s.Mean)
		}
		scale += s.Mean / float64(len(spends))
	}
	n := float64(len(spends))
	f := gammaGammaLikelihood(spends, scale)
	p, err := maximize(f, []float64{math.Log(3), math.Log(3), 0}, n)
	if err != nil {
		return Fit[GammaGamma]{}, fmt.Errorf("fit of Gamma-Gamma: %w", err)
	}
	fit, err := fitOf(p, []float64{0, 0, math.Log(scale)}, buildGammaGamma)
	if err != nil {
		return Fit[GammaGamma]{}, fmt.Errorf("fit of Gamma-Gamma: %w", err)
	}
	fit.Customers = len(spends)
	fit.LogLikelihood = n * (f(p.logs, make([]float64, 3)) - math.Log(scale))
	return fit, nil
}

// counts contains the distinct numbers of purchases.
type counts struct {
	different []int
	at        []int // for each customer, the index in different
}

func countsOf(spends []Spend) (c counts) {
	places := map[int]int{}
	for _, s := range spends {
		place, ok := places[s.Purchases]
		if !ok {
			place = len(c.different)
			places[s.Purchases] = place
			c.different = append(c.different, s.Purchases)
		}
		c.at = append(c.at, place)
	}
	return c
}

// gammaTerms contains the terms of the likelihood that depend only on the number of purchases. These are ln Γ and its
// derivative at px + q and at px. Their computation takes most of the time of a fit. They are computed once per
// distinct number of purchases, because most customers have one or two repeat purchases.
type gammaTerms struct{ lgBoth, lgP, psiBoth, psiP float64 }

func gammaTermsOf(x, p, q float64) (t gammaTerms) {
	t.lgBoth, _ = math.Lgamma(p*x + q)
	t.lgP, _ = math.Lgamma(p * x)
	t.psiBoth, t.psiP = mathext.Digamma(p*x+q), mathext.Digamma(p*x)
	return t
}

// gammaGammaLikelihood returns the log-likelihood per customer and its gradient. The likelihood, equation (1a) of Fader
// and Hardie 2013, is
//
//	Γ(px+q)/(Γ(px) Γ(q)) · v^q z̄^(px-1) x^(px) / (v + x z̄)^(px+q).
//
// The mean values z̄ are divided by the parameter scale.
func gammaGammaLikelihood(spends []Spend, scale float64) likelihood {
	among := countsOf(spends)
	n := float64(len(spends))
	logSums, logMeans := make([]float64, len(spends)), 0.0 // logarithms of x z̄, and Σ ln z̄
	for i, s := range spends {
		z := s.Mean / scale
		logSums[i] = math.Log(float64(s.Purchases) * z)
		logMeans += math.Log(z)
	}
	return func(logs, gradient []float64) float64 {
		p, q, v := math.Exp(logs[0]), math.Exp(logs[1]), math.Exp(logs[2])
		lgQ, _ := math.Lgamma(q)
		psiQ := mathext.Digamma(q)
		terms := make([]gammaTerms, len(among.different))
		for i, x := range among.different {
			terms[i] = gammaTermsOf(float64(x), p, q)
		}
		sum := -logMeans
		var dp, dq, dv float64
		for i, s := range spends {
			x, of, logOwn := float64(s.Purchases), &terms[among.at[i]], logSums[i]
			all := v + x*(s.Mean/scale)
			logAll := math.Log(all)
			sum += of.lgBoth - of.lgP - lgQ + q*logs[2] + p*x*logOwn - (p*x+q)*logAll
			dp += x * (of.psiBoth - of.psiP + logOwn - logAll)
			dq += of.psiBoth - psiQ + logs[2] - logAll
			dv += q/v - (p*x+q)/all
		}
		gradient[0], gradient[1], gradient[2] = dp*p/n, dq*q/n, dv*v/n
		return sum / n
	}
}

// Expected returns the expected value of a customer's next purchase: the customer's mean, shrunk toward the overall
// mean. The shrinkage is stronger for fewer purchases. The expected value exists if P · purchases + Q > 1.
func (m GammaGamma) Expected(s Spend) float64 {
	x := float64(s.Purchases)
	return m.P * (m.V + x*s.Mean) / (m.P*x + m.Q - 1)
}

// future draws the value of n further purchases, at least one.
func (m GammaGamma) future(s Spend, n int, r *rand.Rand) float64 {
	x := float64(s.Purchases)
	nu := gamma(m.P*x+m.Q, r) / (m.V + x*s.Mean)
	return gamma(m.P*float64(n), r) / nu
}

// LargestCorrelation is the maximum absolute correlation of spend and frequency for which [GammaGamma] is valid.
const LargestCorrelation = 0.1

// SpendFrequencyCorrelation returns the Pearson correlation between the number and the mean value of repeat purchases.
// If its absolute value exceeds [LargestCorrelation], the assumption of [GammaGamma] is violated. The correlation is 0
// if the number or the mean value is constant.
func SpendFrequencyCorrelation(spends []Spend) float64 {
	var meanX, meanZ float64
	for _, s := range spends {
		meanX += float64(s.Purchases) / float64(len(spends))
		meanZ += s.Mean / float64(len(spends))
	}
	var xx, xz, zz float64
	for _, s := range spends {
		dx, dz := float64(s.Purchases)-meanX, s.Mean-meanZ
		xx, xz, zz = xx+dx*dx, xz+dx*dz, zz+dz*dz
	}
	if xx == 0 || zz == 0 {
		return 0
	}
	return xz / math.Sqrt(xx*zz)
}
