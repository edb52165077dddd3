package mmm

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"assay/internal/fault"
	"assay/internal/measure/stats"
)

// Saturation is the shape of diminishing returns: what an exposure a, carried over and divided by the channel's
// largest exposure, is worth. It is 0 at 0.
type Saturation string

// The shapes.
const (
	Logistic        Saturation = "logistic"         // (1 - exp(-lam a)) / (1 + exp(-lam a))
	Hill            Saturation = "hill"             // a^slope / (kappa^slope + a^slope); S-shaped where slope > 1
	MichaelisMenten Saturation = "michaelis_menten" // a / (kappa + a)
	Tanh            Saturation = "tanh"             // tanh(a / c)
	Root            Saturation = "root"             // a^p
	Log             Saturation = "log"              // log(1 + lam a)
	Unsaturated     Saturation = "none"             // a
)

// ParseSaturation reads the name of a shape.
func ParseSaturation(s string) (Saturation, error) {
	if kind := Saturation(s); kind.known() {
		return kind, nil
	}
	return "", fault.Invalid("there is no saturation %q (want logistic, hill, michaelis_menten, tanh, root, log or none)", s)
}

func (s Saturation) known() bool {
	switch s {
	case Logistic, Hill, MichaelisMenten, Tanh, Root, Log, Unsaturated:
		return true
	}
	return false
}

// parameters lists the parameters of the shape with their defaults. The slope of Hill's curve is hardly identified
// by two years of weeks, so its prior stays near the concave form.
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
	case Unsaturated:
		return nil
	}
	panic("mmm: unknown saturation")
}

// maxSaturationParameters is the length of the longest list of parameters.
const maxSaturationParameters = 2

// worth is what exposures are worth, with derivatives by the exposure and by each parameter.
type worth struct {
	s, ds  []float64
	dTheta [maxSaturationParameters][]float64
}

func newWorth(n int) worth {
	row := func() []float64 { return make([]float64, n) }
	return worth{row(), row(), [maxSaturationParameters][]float64{row(), row()}}
}

// fill sets w for the exposures a. Where there is no exposure nothing can change its worth, so the derivatives are 0
// there for the shapes whose slope is infinite or undefined.
func (s Saturation) fill(w worth, a, theta []float64) {
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
	case Unsaturated:
		for t, x := range a {
			v[t], da[t] = x, 1
		}
	default:
		panic("mmm: unknown saturation")
	}
}

func hill(w worth, a []float64, kappa, slope float64) {
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

// value returns the worth of a single exposure with its derivatives.
func (s Saturation) value(a float64, theta []float64) (v, da float64, dTheta [maxSaturationParameters]float64) {
	w := newWorth(1)
	s.fill(w, []float64{a}, theta)
	return w.s[0], w.ds[0], [maxSaturationParameters]float64{w.dTheta[0][0], w.dTheta[1][0]}
}
