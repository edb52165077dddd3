package demo

import (
	"math"
	"math/rand/v2"
	"testing"
)

// constant is a random source that always returns the same number. The smallest source number gives the uniform number
// 0. The largest source number gives the largest uniform number below 1.
type constant uint64

func (c constant) Uint64() uint64 { return uint64(c) }

var extremes = map[string]*rand.Rand{"smallest": rand.New(constant(0)), "largest": rand.New(constant(math.MaxUint64))}

func TestImpossibleAndCertainEvents(t *testing.T) {
	t.Parallel()
	for which, r := range extremes {
		if chance(r, 0) || !chance(r, 1) {
			t.Errorf("with the %s number, chance 0 is %t and chance 1 is %t", which, chance(r, 0), chance(r, 1))
		}
		if n := count(r, 0); n != 0 {
			t.Errorf("with the %s number, a mean of 0 gives %d", which, n)
		}
		if x := between(r, 2, 5); x < 2 || x > 5 {
			t.Errorf("with the %s number, %v is not between 2 and 5", which, x)
		}
	}
}

// An index with the weight 0 is never drawn, not even the first and the last.
func TestPickersDrawByWeight(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		weights           []float64
		smallest, largest int
	}{
		{nil, -1, -1},
		{[]float64{0, 0}, -1, -1},
		{[]float64{3}, 0, 0},
		{[]float64{0, 0.1, 0, 0.2, 0}, 1, 3},
		{[]float64{2, 1}, 0, 1},
	} {
		k := newPicker(c.weights)
		if a, b := k.pick(extremes["smallest"]), k.pick(extremes["largest"]); a != c.smallest || b != c.largest {
			t.Errorf("weights %v: %d to %d, want %d to %d", c.weights, a, b, c.smallest, c.largest)
		}
	}
	r, k, drawn := rand.New(rand.NewPCG(1, 2)), newPicker([]float64{1, 0, 3}), [3]float64{}
	const n = 20_000
	for range n {
		drawn[k.pick(r)]++
	}
	if drawn[1] != 0 || math.Abs(drawn[2]/n-0.75) > 4*math.Sqrt(0.75*0.25/n) {
		t.Errorf("weights 1, 0 and 3 are drawn %v times", drawn)
	}
}

// The tolerances are four standard errors for the mean and five for the variance.
func TestDrawsHaveTheMeanAndVarianceOfTheirDistribution(t *testing.T) {
	t.Parallel()
	const n = 40_000
	for _, c := range []struct {
		name           string
		draw           func(*rand.Rand) float64
		mean, variance float64
	}{
		{"uniform from 2 to 5", func(r *rand.Rand) float64 { return between(r, 2, 5) }, 3.5, 9. / 12},
		{"whole from 2 to 5", func(r *rand.Rand) float64 { return float64(whole(r, 2, 5)) }, 3.5, 15. / 12},
		{"chance of 0.3", func(r *rand.Rand) float64 {
			if chance(r, 0.3) {
				return 1
			}
			return 0
		}, 0.3, 0.21},
		{"lognormal factor", func(r *rand.Rand) float64 { return scatter(r, 0.25) }, 1, math.Expm1(0.25 * 0.25)},
		{"Poisson with mean 0.7", func(r *rand.Rand) float64 { return float64(count(r, 0.7)) }, 0.7, 0.7},
		{"Poisson with mean 12", func(r *rand.Rand) float64 { return float64(count(r, 12)) }, 12, 12},
		{"Poisson with mean 400", func(r *rand.Rand) float64 { return float64(count(r, 400)) }, 400, 400 + 1./12}, // a rounded normal
		{"gamma with shape 0.4", func(r *rand.Rand) float64 { return gamma(r, 0.4) }, 0.4, 0.4},
		{"gamma with shape 3", func(r *rand.Rand) float64 { return gamma(r, 3) }, 3, 3},
		{"beta with 1.4 and 2.6", func(r *rand.Rand) float64 { return share(r, 1.4, 2.6) }, 0.35, 0.35 * 0.65 / 5},
	} {
		r := rand.New(rand.NewPCG(3, 4))
		sum, squares, fourth := 0.0, 0.0, 0.0
		for range n {
			d := c.draw(r) - c.mean
			sum, squares, fourth = sum+d, squares+d*d, fourth+d*d*d*d
		}
		mean, variance := sum/n, squares/n
		if math.Abs(mean) > 4*math.Sqrt(c.variance/n) {
			t.Errorf("%s: mean %v, want %v", c.name, c.mean+mean, c.mean)
		}
		if math.Abs(variance-c.variance) > 5*math.Sqrt((fourth/n-variance*variance)/n) {
			t.Errorf("%s: variance %v, want %v", c.name, variance, c.variance)
		}
	}
}

// The factors are lognormal with mean 1. The correlation of the logarithms on neighboring days is the persistence.
func TestDriftIsAutocorrelatedAroundOne(t *testing.T) {
	t.Parallel()
	const n, persistence, sd = 40_000, 0.8, 0.3
	factors := drift(always(rand.New(rand.NewPCG(5, 6))), n, persistence, sd)
	var mean, variance, neighbors float64
	logOf := func(t int) float64 { return math.Log(factors[t]) + sd*sd/2 }
	for t := range factors {
		mean += factors[t] / n
		variance += logOf(t) * logOf(t) / n
		if t > 0 {
			neighbors += logOf(t) * logOf(t-1) / n
		}
	}
	// The n correlated days have the precision of n·(1-0.8)/(1+0.8) independent days.
	independent := n * (1 - persistence) / (1 + persistence)
	if math.Abs(mean-1) > 4*sd/math.Sqrt(independent) || math.Abs(variance-sd*sd) > 5*sd*sd*math.Sqrt(2/independent) || math.Abs(neighbors/variance-persistence) > 4/math.Sqrt(n) {
		t.Errorf("mean %v, variance %v, correlation %v; want 1, %v, %v", mean, variance, neighbors/variance, sd*sd, persistence)
	}
}
