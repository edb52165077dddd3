package mmm

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"assay/internal/fault"
	"assay/internal/measure/stats"
)

func pooledModel(t *testing.T, s Spec) *model {
	t.Helper()
	m, err := newModel(toy(), s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestPooledEffectsHaveTheirMarginalPriorAndCorrelation(t *testing.T) {
	t.Parallel()
	const n = 40_000
	m := pooledModel(t, Spec{Effect: ROI, PoolEffects: true})
	random := stats.Stream(31, 0)
	search, social := make([]float64, n), make([]float64, n)
	for i := range n {
		theta := m.drawPrior(random)
		search[i], social[i] = math.Log(theta[m.channels[0].at]), math.Log(theta[m.channels[1].at])
	}
	prior := ROI.prior(0, 0)
	mean, sd := stats.MeanSD(search)
	// The tolerance is four standard errors: sd / sqrt(n) for the mean, sd / sqrt(2 n) for the standard deviation.
	if math.Abs(mean-prior.A) > 0.018 || math.Abs(sd/prior.B-1) > 0.014 {
		t.Errorf("logs of a return have the mean %.3f and deviation %.3f, want %.3f and %.3f", mean, sd, prior.A, prior.B)
	}
	if r := stat.Correlation(search, social, nil); math.Abs(r-0.5) > 0.02 {
		t.Errorf("two returns have correlation %.3f, want the prior mean 0.5", r)
	}
}

// TestPooledEffectsDensityMatchesItsDraws compares the closed-form density with a numerical integral over the
// correlation and the common part of the log effects.
func TestPooledEffectsDensityMatchesItsDraws(t *testing.T) {
	t.Parallel()
	k := pooledModel(t, Spec{Effect: ROI, PoolEffects: true}).pooledEffects
	slow := func(logs []float64) float64 {
		var density float64
		const step = 0.002
		for j := range k.own {
			tau := math.Sqrt(k.own[j])
			for common := -6.0; common < 6; common += step {
				z := (common - k.mean) / math.Sqrt(k.common[j])
				p := math.Exp(-z*z/2) / math.Sqrt(k.common[j])
				for _, log := range logs {
					z := (log - common) / tau
					p *= math.Exp(-z*z/2-log) / tau
				}
				density += p
			}
		}
		return math.Log(density)
	}
	of := func(logs []float64) float64 {
		theta, gradient := make([]float64, slices.Max(k.at)+1), make([]float64, slices.Max(k.at)+1)
		for i, at := range k.at {
			theta[at] = math.Exp(logs[i])
		}
		return k.logp(theta, gradient)
	}
	origin := []float64{0, 0}
	for _, logs := range [][]float64{{0.3, 0.2}, {-1, 1}, {2, 2.1}, {-2, 0.5}} {
		if got, want := of(logs)-of(origin), slow(logs)-slow(origin); math.Abs(got-want) > 1e-9 {
			t.Errorf("log density at %v: got %v above that at 0, want %v", logs, got, want)
		}
	}
}

func TestPoolingLeavesOutChannelsWithAPriorOfTheirOwn(t *testing.T) {
	t.Parallel()
	own := Prior{LogNormalPrior, 1, 0.2}
	if m := pooledModel(
		t, Spec{Effect: ROI, PoolEffects: true, Priors: map[string]Prior{"search.roi": own}}); m.pooledEffects != nil {
		t.Errorf("a single channel is pooled: %v", m.pooledEffects.at)
	}
	if _, err := newModel(toy(), Spec{PoolEffects: true}); fault.KindOf(err) != fault.KindInvalid {
		t.Errorf("half-normal coefficients with partial pooling: %v, want a fault of kind invalid", err)
	}
}

// TestShrinkageIsStrongerTheMoreSimilarOtherEffectsAre computes the conditional prior of one return given the others.
func TestShrinkageIsStrongerTheMoreSimilarOtherEffectsAre(t *testing.T) {
	t.Parallel()
	const n = 6
	prior := ROI.prior(0, 0)
	k := poolEffects([]int{0, 1, 2, 3, 4, 5}, prior)
	// given returns the conditional mean and standard deviation of the log of the last return.
	given := func(logs ...float64) (mean, sd float64) {
		theta, gradient := make([]float64, n), make([]float64, n)
		for i, log := range logs {
			theta[i] = math.Exp(log)
		}
		var mass, square float64
		for z := -6.0; z < 6; z += 0.01 {
			theta[n-1] = math.Exp(z)
			p := math.Exp(k.logp(theta, gradient) + z)
			mass, mean, square = mass+p, mean+p*z, square+p*z*z
		}
		mean /= mass
		return mean, math.Sqrt(square/mass - mean*mean)
	}
	// With five returns around e, the standard error of the common part is the spread / sqrt(5). The last log return is
	// then near 1 with a standard deviation slightly above the spread. With five returns that differ by factors, the
	// conditional prior is hardly narrower.
	mean, sd := given(0.9, 1, 1.1, 0.95, 1.05)
	if math.Abs(mean-1) > 0.1 || sd > 0.4*prior.B {
		t.Errorf("with partial pooling of returns: %.2f with deviation %.2f, want about 1 with less than %.2f",
			mean, sd, 0.4*prior.B)
	}
	if _, sd := given(-1, 0, 1, 2, 3); sd < 0.9*prior.B {
		t.Errorf("beside returns that differ: deviation %.2f, want at least %.2f", sd, 0.9*prior.B)
	}
}
