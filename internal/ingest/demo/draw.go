package demo

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"sort"
)

// stream returns the random number generator for a part of the store. The part's name and the seed determine its
// numbers.
func (f *frame) stream(names ...string) *rand.Rand {
	h := fnv.New64a()
	for _, name := range names {
		_, _ = h.Write([]byte(name))
		_, _ = h.Write([]byte{0})
	}
	return rand.New(rand.NewPCG(f.opt.Seed, h.Sum64()))
}

// between returns a uniformly distributed random number from low to high.
func between(r *rand.Rand, low, high float64) float64 { return low + (high-low)*r.Float64() }

// whole returns a random whole number from low to high, inclusive.
func whole(r *rand.Rand, low, high int) int { return low + r.IntN(high-low+1) }

// chance returns true with the given probability.
func chance(r *rand.Rand, probability float64) bool { return r.Float64() < probability }

// scatter returns a lognormal factor with mean 1. The parameter sd is the standard deviation of the factor's logarithm.
func scatter(r *rand.Rand, sd float64) float64 { return math.Exp(sd*r.NormFloat64() - sd*sd/2) }

// count draws from the Poisson distribution. For means above 40, it uses the normal approximation.
func count(r *rand.Rand, mean float64) int64 {
	if mean <= 0 {
		return 0
	}
	if mean > 40 {
		return max(0, int64(math.Round(mean+math.Sqrt(mean)*r.NormFloat64())))
	}
	limit, product := math.Exp(-mean), r.Float64()
	n := int64(0)
	for product > limit {
		n++
		product *= r.Float64()
	}
	return n
}

// gamma draws from the gamma distribution with this shape and scale 1 (Marsaglia and Tsang 2000). For a shape below 1,
// it draws with shape + 1 and multiplies the draw by a power of a uniform number.
func gamma(r *rand.Rand, shape float64) float64 {
	if shape < 1 {
		return gamma(r, shape+1) * math.Pow(r.Float64(), 1/shape)
	}
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := r.NormFloat64()
		v := (1 + c*x) * (1 + c*x) * (1 + c*x)
		if v > 0 && math.Log(1-r.Float64()) < x*x/2+d-d*v+d*math.Log(v) {
			return d * v
		}
	}
}

// share draws from the beta distribution.
func share(r *rand.Rand, a, b float64) float64 {
	x := gamma(r, a)
	return x / (x + gamma(r, b))
}

// byDay returns the random number generator of a part of the store for a day.
type byDay func(t int) *rand.Rand

func always(r *rand.Rand) byDay { return func(int) *rand.Rand { return r } }

// onDays returns a function from a day to its stream: one stream for the store's days and another for the days after
// today. Simulating the days after today therefore does not change the store.
func (f *frame) onDays(names ...string) byDay {
	store, ahead := f.stream(names...), f.stream(append([]string{"ahead"}, names...)...)
	return func(t int) *rand.Rand {
		if t < f.opt.Days {
			return store
		}
		return ahead
	}
}

// drift returns n autocorrelated factors around 1. Their logarithm is a first-order autoregression with the coefficient
// persistence and the stationary standard deviation sd.
func drift(on byDay, n int, persistence, sd float64) []float64 {
	factors := make([]float64, n)
	x := sd * on(0).NormFloat64()
	for t := range factors {
		factors[t] = math.Exp(x - sd*sd/2)
		x = persistence*x + math.Sqrt(1-persistence*persistence)*sd*on(t).NormFloat64()
	}
	return factors
}

// picker draws an index by weight.
type picker struct{ cumulated []float64 }

func newPicker(weights []float64) picker {
	sum := 0.0
	cumulated := make([]float64, len(weights))
	for i, w := range weights {
		sum += w
		cumulated[i] = sum
	}
	return picker{cumulated}
}

// pick returns a random index with probability proportional to its weight, or -1 if no weight is positive.
func (k picker) pick(r *rand.Rand) int {
	if len(k.cumulated) == 0 || k.total() <= 0 {
		return -1
	}
	at := r.Float64() * k.total()
	return sort.Search(len(k.cumulated)-1, func(i int) bool { return k.cumulated[i] > at })
}

func (k picker) total() float64 { return k.cumulated[len(k.cumulated)-1] }

// divide splits a whole number in proportion to weights. The parts sum to this number exactly. Each part differs from
// the exact share by less than one.
func divide(whole int64, weights []float64, parts []int64) {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	if sum <= 0 {
		clear(parts)
		return
	}
	upTo, given := 0.0, int64(0)
	for i, w := range weights {
		upTo += w
		due := int64(math.Round(float64(whole) * upTo / sum))
		parts[i] = due - given
		given = due
	}
}
