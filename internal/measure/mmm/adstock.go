package mmm

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/floats"

	"assay/internal/fault"
	"assay/internal/measure/stats"
)

// AdstockKind is the shape of adstock (carryover): how the effect of an exposure is distributed over the following
// periods.
type AdstockKind string

// Adstock shapes. The weights of lags l = 0 .. Lags-1 are proportional to the formula and sum to one.
const (
	Geometric   AdstockKind = "geometric"   // alpha^l
	Delayed     AdstockKind = "delayed"     // alpha^((l - theta)^2): the peak is theta periods after the exposure
	Binomial    AdstockKind = "binomial"    // (1 - l/(Lags+1))^(1/alpha - 1): ends at the last lag
	WeibullCDF  AdstockKind = "weibull_cdf" // product over i = 1 .. l of exp(-(i/scale)^shape)
	WeibullPDF  AdstockKind = "weibull_pdf" // (l+1)^(shape-1) exp(-((l+1)/scale)^shape)
	Immediately AdstockKind = "none"        // no carryover
)

// Adstock is a shape and its length in periods, including the period of the exposure.
type Adstock struct {
	Kind AdstockKind `json:"kind"`
	Lags int         `json:"lags"`
}

// ParseAdstock reads "geometric:8": a kind and an optional number of periods (default 8).
func ParseAdstock(s string) (Adstock, error) {
	kind, lags, hasLags := strings.Cut(s, ":")
	a := Adstock{Kind: AdstockKind(kind), Lags: 8}
	if !a.known() {
		return Adstock{}, fault.Invalid(
			"unknown adstock %q (want geometric, delayed, binomial, weibull_cdf, weibull_pdf or none)", kind)
	}
	if hasLags {
		n, err := strconv.Atoi(lags)
		if err != nil || n < 1 || n > 400 {
			return Adstock{}, fault.Invalid("adstock %q: the number of periods must be between 1 and 400", s)
		}
		a.Lags = n
	}
	return a, nil
}

func (a Adstock) known() bool {
	switch a.Kind {
	case Geometric, Delayed, Binomial, WeibullCDF, WeibullPDF, Immediately:
		return true
	}
	return false
}

// parameters lists the shape's parameters with their default priors. With alpha near 0, a delayed adstock puts all
// weight on the lag closest to theta. The weights are then discontinuous in theta, so the prior keeps alpha away from
// 0.
func (a Adstock) parameters() []parameter {
	switch a.Kind {
	case Geometric, Binomial:
		return []parameter{{name: "alpha", support: unit, prior: Prior{BetaPrior, 1, 3}}}
	case Delayed:
		return []parameter{
			{name: "alpha", support: unit, prior: Prior{BetaPrior, 2, 2}},
			{name: "theta", support: positive, prior: Prior{HalfNormalPrior, 2, 0}},
		}
	case WeibullCDF, WeibullPDF:
		return []parameter{
			{name: "scale", support: positive, prior: Prior{GammaPrior, 4, 2}},
			{name: "shape", support: positive, prior: Prior{GammaPrior, 9, 3}},
		}
	case Immediately:
		return nil
	}
	panic("mmm: unknown adstock")
}

// kernel contains the lag weights and their derivatives with respect to each parameter.
type kernel struct {
	w  []float64
	dw [][]float64
}

func (a Adstock) newKernel() *kernel {
	k := &kernel{w: make([]float64, max(a.Lags, 1))}
	if a.Kind == Immediately {
		k.w = k.w[:1]
	}
	for range a.parameters() {
		k.dw = append(k.dw, make([]float64, len(k.w)))
	}
	return k
}

// weights evaluates the kernel. It normalizes on the log scale to avoid overflow. Let l be the log weights and ' a
// derivative. Then w = exp(l) / sum exp(l) and w' = w (l' - sum w l').
func (a Adstock) weights(k *kernel, theta []float64) {
	a.logWeights(k, theta)
	top := floats.Max(k.w)
	floats.AddConst(-top, k.w)
	stats.Exp(k.w, k.w)
	floats.Scale(1/floats.Sum(k.w), k.w)
	for _, d := range k.dw {
		mean := floats.Dot(k.w, d)
		for i := range d {
			d[i] = k.w[i] * (d[i] - mean)
		}
	}
}

// logWeights sets w to the unnormalized log weights and dw to their derivatives.
func (a Adstock) logWeights(k *kernel, theta []float64) {
	switch a.Kind {
	case Geometric:
		log := math.Log(theta[0])
		for l := range k.w {
			k.w[l], k.dw[0][l] = float64(l)*log, float64(l)/theta[0]
		}
	case Delayed:
		log := math.Log(theta[0])
		for l := range k.w {
			d := float64(l) - theta[1]
			k.w[l], k.dw[0][l], k.dw[1][l] = d*d*log, d*d/theta[0], -2*d*log
		}
	case Binomial:
		for l := range k.w {
			log := math.Log1p(-float64(l) / float64(len(k.w)+1))
			k.w[l], k.dw[0][l] = (1/theta[0]-1)*log, -log/(theta[0]*theta[0])
		}
	case WeibullCDF:
		scale, shape := theta[0], theta[1]
		k.w[0], k.dw[0][0], k.dw[1][0] = 0, 0, 0
		for l := 1; l < len(k.w); l++ {
			ratio := float64(l) / scale
			hazard := math.Pow(ratio, shape)
			k.w[l] = k.w[l-1] - hazard
			k.dw[0][l] = k.dw[0][l-1] + hazard*shape/scale
			k.dw[1][l] = k.dw[1][l-1] - hazard*math.Log(ratio)
		}
	case WeibullPDF:
		scale, shape := theta[0], theta[1]
		for l := range k.w {
			ratio := float64(l+1) / scale
			hazard := math.Pow(ratio, shape)
			k.w[l] = (shape-1)*math.Log(float64(l+1)) - hazard
			k.dw[0][l] = hazard * shape / scale
			k.dw[1][l] = math.Log(float64(l+1)) - hazard*math.Log(ratio)
		}
	case Immediately:
		k.w[0] = 0
	}
}

// spread sets a to the adstock of the exposures x. Exposure before the first period is treated as zero.
func (k *kernel) spread(a, x []float64) {
	clear(a)
	for l, w := range k.w {
		if l < len(a) {
			floats.AddScaled(a[l:], w, x[:len(a)-l])
		}
	}
}

// back sets gx to the gradient with respect to the exposures, given the gradient with respect to the adstocked
// exposures.
func (k *kernel) back(gx, ga []float64) {
	clear(gx)
	for l, w := range k.w {
		if l < len(ga) {
			floats.AddScaled(gx[:len(ga)-l], w, ga[l:])
		}
	}
}

// gradient adds the gradient with respect to each parameter to grad. The parameter by is scratch space with one element
// per weight.
func (k *kernel) gradient(grad, by, ga, x []float64) {
	if len(k.dw) == 0 {
		return
	}
	for l := range k.w {
		by[l] = 0
		if l < len(ga) {
			by[l] = floats.Dot(ga[l:], x[:len(ga)-l])
		}
	}
	for i, d := range k.dw {
		grad[i] += floats.Dot(by[:len(d)], d)
	}
}
