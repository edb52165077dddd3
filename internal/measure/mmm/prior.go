package mmm

import (
	"math"
	"strings"

	"assay/internal/fault"
	"assay/internal/measure"
)

// Family is the name of a prior's distribution.
type Family string

// Families of priors, with the meaning of A and B.
const (
	NormalPrior     Family = "normal"      // mean A, standard deviation B; any value
	LaplacePrior    Family = "laplace"     // location A, scale B; any value
	HalfNormalPrior Family = "half_normal" // standard deviation A; positive
	LogNormalPrior  Family = "log_normal"  // mean A and standard deviation B of the logarithm; positive
	GammaPrior      Family = "gamma"       // shape A, rate B; positive
	BetaPrior       Family = "beta"        // A and B; between 0 and 1
)

// Prior is the prior distribution of a parameter.
type Prior struct {
	Family Family  `json:"family"`
	A      float64 `json:"a"`
	B      float64 `json:"b,omitempty"`
}

func (p Prior) validate() error {
	var ok bool
	switch p.Family {
	case NormalPrior, LaplacePrior, LogNormalPrior:
		ok = p.B > 0
	case HalfNormalPrior:
		ok = p.A > 0
	case GammaPrior, BetaPrior:
		ok = p.A > 0 && p.B > 0
	default:
		return fault.Invalid("unknown prior %q (want normal, laplace, half_normal, log_normal, gamma or beta)", p.Family)
	}
	if !ok || math.IsInf(p.A, 0) || math.IsInf(p.B, 0) {
		return fault.Invalid("the prior %s(%v, %v) needs a positive, finite spread and shape", p.Family, p.A, p.B)
	}
	return nil
}

// logp returns the log density at v up to a constant, and its derivative.
func (p Prior) logp(v float64) (value, slope float64) {
	switch p.Family {
	case NormalPrior:
		z := (v - p.A) / p.B
		return -z * z / 2, -z / p.B
	case LaplacePrior:
		return -math.Abs(v-p.A) / p.B, -math.Copysign(1, v-p.A) / p.B
	case HalfNormalPrior:
		z := v / p.A
		return -z * z / 2, -z / p.A
	case LogNormalPrior:
		z := (math.Log(v) - p.A) / p.B
		return -z*z/2 - math.Log(v), -(z/p.B + 1) / v
	case GammaPrior:
		return (p.A-1)*math.Log(v) - p.B*v, (p.A-1)/v - p.B
	case BetaPrior:
		return (p.A-1)*math.Log(v) + (p.B-1)*math.Log1p(-v), (p.A-1)/v - (p.B-1)/(1-v)
	}
	panic("mmm: prior without a family")
}

// support is the set of values that a parameter can have.
type support int

const (
	real support = iota
	positive
	unit
	soft // positive, but linear above about 1 instead of exponential
)

// allows reports whether the family's support is s.
func (s support) allows(f Family) bool {
	switch s {
	case real:
		return f == NormalPrior || f == LaplacePrior
	case positive, soft:
		return f == HalfNormalPrior || f == LogNormalPrior || f == GammaPrior
	case unit:
		return f == BetaPrior
	}
	return false
}

// constrain maps an unconstrained u to the support. It returns v, its derivative, the log Jacobian and its derivative.
func (s support) constrain(u float64) (v, dv, logJacobian, slope float64) {
	switch s {
	case real:
		return u, 1, 0, 0
	case positive:
		v = math.Exp(u)
		return v, v, u, 1
	case unit:
		v = 1 / (1 + math.Exp(-u))
		return v, v * (1 - v), -math.Abs(u) - 2*math.Log1p(math.Exp(-math.Abs(u))), 1 - 2*v
	case soft:
		down := math.Exp(-math.Abs(u))
		rise := 1 / (1 + math.Exp(-u))
		return math.Max(u, 0) + math.Log1p(down), rise, math.Min(u, 0) - math.Log1p(down), 1 - rise
	}
	panic("mmm: unknown support")
}

// ChannelPriors returns the given or default priors of each channel's parameters, by the parameter's name.
func ChannelPriors(d Data, s Spec) (map[measure.Channel]map[string]Prior, error) {
	m, err := newModel(d, s)
	if err != nil {
		return nil, err
	}
	out := map[measure.Channel]map[string]Prior{}
	for _, c := range m.channels {
		out[c.name] = map[string]Prior{}
		for _, p := range m.parameters {
			if name, mine := strings.CutPrefix(p.name, string(c.name)+"."); mine {
				out[c.name][name] = p.prior
			}
		}
	}
	return out, nil
}
