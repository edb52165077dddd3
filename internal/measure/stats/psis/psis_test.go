package psis_test

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"assay/internal/measure/stats"
	"assay/internal/measure/stats/psis"
)

// ratios returns logs of Pareto distributed ratios: exponentially distributed numbers divided by the tail index.
func ratios(seed uint64, n int, shape float64) []float64 {
	random := stats.Stream(seed, 0)
	out := make([]float64, n)
	for i := range out {
		out[i] = shape * random.ExpFloat64()
	}
	return out
}

func TestShapeOfTheTailIsFound(t *testing.T) {
	t.Parallel()
	for _, shape := range []float64{0.2, 0.5, 0.9} {
		var mean float64
		for seed := range uint64(20) {
			_, k := psis.Smooth(ratios(seed, 4000, shape))
			mean += k / 20
		}
		// The fit to 190 values has a standard error of about (1 + k) / sqrt(190) = 0.1. The mean of 20 fits has about
		// a fifth of this standard error. The prior shrinks the shape by a twentieth of the distance to 0.5.
		if want := (190*shape + 5) / 200; math.Abs(mean-want) > 0.08 {
			t.Errorf("shape %v: fitted %v, want about %v", shape, mean, want)
		}
	}
}

func TestSmoothingLowersTheErrorOfAMean(t *testing.T) {
	t.Parallel()
	// The draws are Normal(0, 1) and weighted to Normal(0, 1.6). The second moment of the latter is 2.56.
	var raw, smooth float64
	for seed := range uint64(200) {
		random := stats.Stream(seed, 1)
		x, log := make([]float64, 500), make([]float64, 500)
		for i := range x {
			x[i] = random.NormFloat64()
			log[i] = x[i] * x[i] / 2 * (1 - 1/(1.6*1.6))
		}
		smoothed, _ := psis.Smooth(log)
		floats.AddConst(-floats.LogSumExp(log), log)
		square := func(weights []float64) (sum float64) {
			for i, w := range weights {
				sum += math.Exp(w) * x[i] * x[i]
			}
			return (sum - 2.56) * (sum - 2.56)
		}
		raw, smooth = raw+square(log), smooth+square(smoothed)
	}
	if smooth >= raw {
		t.Errorf("squared error %v smoothed, %v raw", smooth, raw)
	}
}

func TestWeightsSumToOneAndKeepTheirOrder(t *testing.T) {
	t.Parallel()
	log := ratios(3, 1000, 0.8)
	weights, _ := psis.Smooth(log)
	if sum := floats.LogSumExp(weights); math.Abs(sum) > 1e-12 {
		t.Errorf("the log of the sum is %v", sum)
	}
	order := func(x []float64) []int {
		at := make([]int, len(x))
		floats.Argsort(slices.Clone(x), at)
		return at
	}
	if !slices.Equal(order(log), order(weights)) {
		t.Error("smoothing changed the order of weights")
	}
	if weights, k := psis.Smooth(make([]float64, 100)); !math.IsInf(k, 1) || math.Abs(weights[7]+math.Log(100)) > 1e-12 {
		t.Errorf("equal ratios: weight %v, shape %v", weights[7], k)
	}
}
