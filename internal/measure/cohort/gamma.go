package cohort

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// smallShape is the shape below which rejection sampling from a normal distribution is inefficient.
const smallShape = 0.2

// gamma draws from the gamma distribution with scale 1. The method is from Marsaglia and Tsang 2000, "A simple method
// for generating gamma variables", ACM Transactions on Mathematical Software 26(3). For shapes below 1, it uses the
// factor of section 6. With the same random numbers, it returns the same result as [distuv.Gamma] up to rounding, but
// allocates no generator for each draw.
func gamma(shape float64, r *rand.Rand) float64 {
	if shape == 1 || shape < smallShape {
		return distuv.Gamma{Alpha: shape, Beta: 1, Src: r}.Rand()
	}
	d, m := shape-1.0/3, 1.0
	if shape < 1 {
		d, m = d+1, math.Exp(math.Log(r.Float64())/shape) // takes a third of the time of math.Pow
	}
	c := 1 / (3 * math.Sqrt(d))
	for {
		x := r.NormFloat64()
		v := 1 + x*c
		if v <= 0 {
			continue
		}
		v = v * v * v
		u := r.Float64()
		if u < 1-0.0331*(x*x)*(x*x) || math.Log(u) < 0.5*x*x+d*(1-v+math.Log(v)) {
			return m * d * v
		}
	}
}

// beta draws from the beta distribution.
func beta(a, b float64, r *rand.Rand) float64 {
	x := gamma(a, r)
	return x / (x + gamma(b, r))
}
