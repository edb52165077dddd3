package mmm

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"assay/internal/fault"
	"assay/internal/measure/stats"
)

// Saturation is the shape of diminishing returns as a function of a, the adstocked exposure divided by the channel's
// unit. The shape is 0 at a = 0. The unit is the channel's largest exposure in the fitted rows. For [CES], it is the
// mean of the positive exposures in these rows.
type Saturation string

// Saturation shapes, as functions of a.
const (
	Logistic        Saturation = "logistic"         // (1 - exp(-lam a)) / (1 + exp(-lam a))
	Hill            Saturation = "hill"             // a^slope / (kappa^slope + a^slope); S-shaped if slope > 1
	MichaelisMenten Saturation = "michaelis_menten" // a / (kappa + a)
	Tanh            Saturation = "tanh"             // tanh(a / c)
	Root            Saturation = "root"             // a^p
	Log             Saturation = "log"              // log(1 + lam a)
	CES             Saturation = "ces"              // (elasticity a^-sharpness + 1 - elasticity)^(-1/sharpness)
	Unsaturated     Saturation = "none"             // a
)

// ParseSaturation parses the name of a shape.
func ParseSaturation(s string) (Saturation, error) {
	if kind := Saturation(s); kind.known() {
		return kind, nil
	}
	return "", fault.Invalid("unknown saturation %q (want logistic, hill, michaelis_menten, tanh, root, log, ces or none)",
		s)
}

func (s Saturation) known() bool {
	switch s {
	case Logistic, Hill, MichaelisMenten, Tanh, Root, Log, CES, Unsaturated:
		return true
	}
	return false
}

// parameters lists the shape's parameters with their default priors. Two years of weekly data barely identify the slope
// of Hill's curve, so its prior stays near the concave form.
func (s Saturation) parameters() []parameter {
	switch s {
	case Logistic, Log:
		return []parameter{{name: "lam", support: positive, prior: Prior{GammaPrior, 3, 1}}}
	case Hill:
		return []parameter{
			{name: "kappa", support: positive, prior: Prior{LogNormalPrior, -0.7, 0.7}},
			{name: "slope", support: positive, prior: Prior{LogNormalPrior, 0, 0.3}},
		}
	case MichaelisMenten:
		return []parameter{{name: "kappa", support: positive, prior: Prior{LogNormalPrior, -0.7, 0.7}}}
	case Tanh:
		return []parameter{{name: "c", support: positive, prior: Prior{LogNormalPrior, -0.35, 0.7}}}
	case Root:
		return []parameter{{name: "p", support: unit, prior: Prior{BetaPrior, 3, 2}}}
	case CES:
		return []parameter{
			{name: "elasticity", support: unit, prior: Prior{BetaPrior, 3, 1}},
			{name: "sharpness", support: positive, prior: Prior{LogNormalPrior, 0.45, 0.7}},
		}
	case Unsaturated:
		return nil
	}
	panic("mmm: unknown saturation")
}

// held returns the number of shape parameters that are determined by their priors, because the data contain little
// information on them.
func (s Saturation) held() int {
	if s == CES {
		return 1
	}
	return 0
}

// unit returns the divisor of exposures: the maximum of the exposures of the fitted rows. For [CES], the divisor is the
// mean of the positive exposures, because a single outlier can determine the maximum.
func (s Saturation) unit(exposures []float64) float64 {
	active := floats.Count(func(v float64) bool { return v > 0 }, exposures)
	if s != CES || active == 0 {
		return largest(exposures)
	}
	return floats.Sum(exposures) / float64(active)
}

// maxSaturationParameters is the largest number of parameters of a shape.
const maxSaturationParameters = 2

// saturated contains saturated exposures and their derivatives with respect to the exposure and to each parameter.
type saturated struct {
	s, ds  []float64
	dTheta [maxSaturationParameters][]float64
}

func newSaturated(n int) saturated {
	row := func() []float64 { return make([]float64, n) }
	return saturated{row(), row(), [maxSaturationParameters][]float64{row(), row()}}
}

// fill sets w for the exposures a. At an exposure of 0, derivatives are set to 0 for shapes with an infinite or
// undefined slope.
func (s Saturation) fill(w saturated, a, theta []float64) {
	v, da, first := w.s[:len(a)], w.ds[:len(a)], w.dTheta[0][:len(a)]
	switch s {
	case Logistic:
		floats.ScaleTo(v, -theta[0], a)
		stats.Exp(v, v)
		for t, x := range a {
			e := v[t]
			by := 1 / (1 + e)
			half := 2 * e * by * by // (1 - s^2) / 2
			v[t], da[t], first[t] = (1-e)*by, theta[0]*half, x*half
		}
	case Hill:
		hill(w, a, theta[0], theta[1])
	case MichaelisMenten:
		for t, x := range a {
			by := 1 / (theta[0] + x)
			v[t], da[t], first[t] = x*by, theta[0]*by*by, -x*by*by
		}
	case Tanh:
		for t, x := range a {
			v[t] = math.Tanh(x / theta[0])
			rest := (1 - v[t]*v[t]) / theta[0]
			da[t], first[t] = rest, -rest*x/theta[0]
		}
	case Root:
		for t, x := range a {
			v[t], da[t], first[t] = 0, 0, 0
			if x > 0 {
				log := math.Log(x)
				v[t] = math.Exp(theta[0] * log)
				da[t], first[t] = theta[0]*v[t]/x, v[t]*log
			}
		}
	case Log:
		for t, x := range a {
			by := 1 / (1 + theta[0]*x)
			v[t], da[t], first[t] = math.Log1p(theta[0]*x), theta[0]*by, x*by
		}
	case CES:
		ces(w, a, theta[0], theta[1])
	case Unsaturated:
		for t, x := range a {
			v[t], da[t] = x, 1
		}
	default:
		panic("mmm: unknown saturation")
	}
}

func hill(w saturated, a []float64, kappa, slope float64) {
	logKappa := math.Log(kappa)
	for t, x := range a {
		w.s[t], w.ds[t], w.dTheta[0][t], w.dTheta[1][t] = 0, 0, 0, 0
		if x > 0 {
			log := math.Log(x) - logKappa
			v := 1 / (1 + math.Exp(-slope*log))
			q := v * (1 - v)
			w.s[t], w.ds[t], w.dTheta[0][t], w.dTheta[1][t] = v, q*slope/x, -q*slope/kappa, q*log
		}
	}
}

// ces fills w with a saturation curve: the constant elasticity of substitution (CES) between spend and an audience of
// fixed size. See Arrow, Chenery, Minhas and Solow 1961; the same curve describes light response in Bannister 1979:
//
//	s(a) = (e a^-m + 1 - e)^(-1/m)
//
// At the mean exposure, a = 1, the elasticity is e: the marginal response is e times the average response. The
// sharpness m determines where the curve bends. With a small m, the curve bends everywhere; the limit is the power a^e.
// With a large m, the curve bends at saturation; the limit is a line up to a ceiling. m = 1 is Michaelis-Menten, and m
// near 2.5 is close to the logistic curve. The curve is concave for all e and m. Using p = a^m below 1 and a^-m above
// avoids overflow.
func ces(w saturated, a []float64, e, m float64) {
	v, da, byE, byM := w.s[:len(a)], w.ds[:len(a)], w.dTheta[0][:len(a)], w.dTheta[1][:len(a)]
	stats.Log(da, a)
	for t, log := range da {
		v[t] = -m * math.Abs(log)
	}
	stats.Exp(v, v)
	for t, p := range v {
		byE[t] = e + (1-e)*p
		if da[t] > 0 {
			byE[t] = e*p + 1 - e
		}
	}
	stats.Log(byM, byE)
	perM := 1 / m
	for t, x := range a {
		log, p, root := da[t], v[t], byM[t]*perM
		perD := 1 / byE[t]
		elasticity := e * perD // elasticity at the exposure x
		v[t], byE[t] = log-root, (p-1)*perM*perD
		if log > 0 {
			elasticity *= p
			v[t], byE[t] = -root, -byE[t]
		}
		da[t], byM[t] = elasticity/x, (elasticity*log-v[t])*perM
	}
	stats.Exp(v, v)
	for t, x := range a {
		if x == 0 {
			v[t], da[t], byE[t], byM[t] = 0, 0, 0, 0
			continue
		}
		da[t], byE[t], byM[t] = v[t]*da[t], v[t]*byE[t], v[t]*byM[t]
	}
}

// value returns the saturated value of a single exposure with its derivatives.
func (s Saturation) value(a float64, theta []float64) (v, da float64, dTheta [maxSaturationParameters]float64) {
	w := newSaturated(1)
	s.fill(w, []float64{a}, theta)
	return w.s[0], w.ds[0], [maxSaturationParameters]float64{w.dTheta[0][0], w.dTheta[1][0]}
}
