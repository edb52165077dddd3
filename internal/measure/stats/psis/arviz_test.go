package psis_test

import (
	"math"
	"testing"

	"assay/internal/measure/stats/psis"
)

// The expected values are from ArviZ (arviz-stats 0.8.0): psislw of the negative ratios. The log ratios are quantiles of
// an exponential distribution times the shape, in a scrambled order.
func TestSmoothingMatchesArviZ(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n       int
		f       float64
		shape   float64
		weights [3]float64 // first, second and middle
		largest float64
	}{
		{100, 1, 0.7778001678793185, [3]float64{-6.29027555403386, -5.825284466611668, -5.592090579443957}, -1.5110224830942356},
		{25, 0.7, 0.5532443137866409, [3]float64{-4.131727467245306, -3.660666335975608, -3.0859799495267266}, -1.5770218598752868},
		{400, 1.3, 1.1403501111164178, [3]float64{-9.080739911928543, -8.954393833743463, -8.178020524389208}, -0.9787102181489491},
	} {
		ratios := make([]float64, c.n)
		for i := range ratios {
			ratios[i] = -math.Log1p(-(float64(i*37%c.n)+.5)/float64(c.n)) * c.f
		}
		weights, shape := psis.Smooth(ratios)
		largest := math.Inf(-1)
		for _, w := range weights {
			largest = math.Max(largest, w)
		}
		got, want := [3]float64{weights[0], weights[1], weights[c.n/2]}, c.weights
		for i := range got {
			if math.Abs(got[i]-want[i]) > 1e-8 {
				t.Errorf("%d ratios: weights %v, want %v", c.n, got, want)
			}
		}
		if math.Abs(shape-c.shape) > 1e-8 || math.Abs(largest-c.largest) > 1e-8 {
			t.Errorf("%d ratios: shape %v and largest weight %v, want %v and %v", c.n, shape, largest, c.shape, c.largest)
		}
	}
}

// The tail is a fifth of the ratios, at most three times their square root, and has at least five. 21 ratios have a tail
// of five, 20 have a tail of four.
func TestTailNeedsFiveRatios(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]bool{20: false, 21: true} {
		ratios := make([]float64, n)
		for i := range ratios {
			ratios[i] = math.Sqrt(float64(i))
		}
		weights, shape := psis.Smooth(ratios)
		if math.IsInf(shape, 1) == want {
			t.Errorf("%d ratios: shape %v, want one: %v", n, shape, want)
		}
		if first := weights[0] - weights[1]; math.Abs(first+1) > 1e-12 {
			t.Errorf("%d ratios: the small ratios differ by %v, want -1", n, first)
		}
	}
	// The ratios of the tail are equal, so there is no fit.
	equal := make([]float64, 100)
	for i := range 60 {
		equal[i] = -1 - float64(i)
	}
	if weights, shape := psis.Smooth(equal); !math.IsInf(shape, 1) || weights[99] != weights[70] {
		t.Errorf("equal ratios: shape %v, weights %v and %v", shape, weights[99], weights[70])
	}
	if psis.Unreliable != 0.7 {
		t.Errorf("shapes from %v are unreliable, want 0.7 (Vehtari et al. 2024)", psis.Unreliable)
	}
}
