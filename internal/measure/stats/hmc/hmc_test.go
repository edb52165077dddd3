package hmc_test

import (
	"errors"
	"math"
	"reflect"
	"runtime"
	"sync/atomic"
	"testing"

	"assay/internal/measure/stats"
	"assay/internal/measure/stats/diag"
	"assay/internal/measure/stats/hmc"
)

// scales returns a normal density with standard deviations from 0.01 to 100.
func scales(dim int) field {
	return field{dim, func(x, grad []float64) (logp float64) {
		for i := range x {
			sd := math.Pow(10, 4*float64(i)/float64(dim-1)-2)
			grad[i] = -x[i] / (sd * sd)
			logp += grad[i] * x[i] / 2
		}
		return logp
	}}
}

// walk returns the density of a stationary autoregression: neighbors have a correlation of 0.99, and every variance is
// 1.
func walk(dim int) field {
	const phi = 0.99
	const v = 1 - phi*phi
	return field{dim, func(x, grad []float64) (logp float64) {
		grad[0] = -x[0]
		logp = -x[0] * x[0] / 2
		for i := 1; i < dim; i++ {
			r := x[i] - phi*x[i-1]
			logp -= r * r / (2 * v)
			grad[i] -= r / v
			grad[i-1] += phi * r / v
		}
		return logp
	}}
}

// banana returns Rosenbrock's density: x0 ~ N(0, 1), x1 ~ N(x0^2, 0.5).
func banana() field {
	return field{2, func(x, grad []float64) float64 {
		r := x[1] - x[0]*x[0]
		grad[0] = -x[0] + 8*r*x[0]
		grad[1] = -4 * r
		return -x[0]*x[0]/2 - 2*r*r
	}}
}

func sample(t *testing.T, d stats.Density, o hmc.Options) *hmc.Run {
	t.Helper()
	run, err := hmc.Sample(func() stats.Density { return d }, o)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// standardError returns the Monte Carlo standard error of the draws' mean.
func standardError(chains [][]float64) float64 {
	return stats.Summarize(flat(chains)).SD / math.Sqrt(diag.Of(chains).ESSBulk)
}

// checkMean compares a mean with its known value. By chance, one comparison in 16,000 fails.
func checkMean(t *testing.T, name string, chains [][]float64, want float64) {
	t.Helper()
	if s, e := stats.Summarize(flat(chains)), standardError(chains); math.Abs(s.Mean-want) > 4*e {
		t.Errorf("mean of %s: got %v ± %v, want %v", name, s.Mean, e, want)
	}
}

func flat(chains [][]float64) (all []float64) {
	for _, c := range chains {
		all = append(all, c...)
	}
	return all
}

func TestKnownMomentsAreRecovered(t *testing.T) {
	t.Parallel()
	t.Run("scales over four decades", func(t *testing.T) {
		t.Parallel()
		run := sample(t, scales(9), hmc.Options{Seed: 1})
		for i := range 9 {
			variance := math.Pow(10, float64(i)-4)
			checkMean(t, "coordinate", run.Values(func(x []float64) float64 { return x[i] }), 0)
			checkMean(t, "square", run.Values(func(x []float64) float64 { return x[i] * x[i] }), variance)
		}
	})
	t.Run("a hundred correlated coordinates", func(t *testing.T) {
		t.Parallel()
		run := sample(t, walk(100), hmc.Options{Seed: 2, Warmup: 400, Draws: 500})
		for i := 0; i < 99; i += 7 {
			checkMean(t, "square", run.Values(func(x []float64) float64 { return x[i] * x[i] }), 1)
			checkMean(t, "product", run.Values(func(x []float64) float64 { return x[i] * x[i+1] }), 0.99)
		}
	})
	t.Run("a banana", func(t *testing.T) {
		t.Parallel()
		run := sample(t, banana(), hmc.Options{Seed: 3, Accept: 0.95, Draws: 4000})
		checkMean(t, "x0^2", run.Values(func(x []float64) float64 { return x[0] * x[0] }), 1)
		checkMean(t, "x1", run.Values(func(x []float64) float64 { return x[1] }), 1)
		checkMean(t, "x1^2", run.Values(func(x []float64) float64 { return x[1] * x[1] }), 3.25)
	})
	t.Run("one coordinate", func(t *testing.T) {
		t.Parallel()
		run := sample(t, walk(1), hmc.Options{Seed: 4})
		checkMean(t, "square", run.Values(func(x []float64) float64 { return x[0] * x[0] }), 1)
	})
}

func TestLowRankMetricSavesGradientsOnCorrelatedDensities(t *testing.T) {
	t.Parallel()
	diagonal := sample(t, walk(30), hmc.Options{Seed: 5, Diagonal: true, Draws: 500})
	lowRank := sample(t, walk(30), hmc.Options{Seed: 5, Draws: 500})
	// The condition number is about 400, so the low-rank metric shortens trajectories by an order of magnitude.
	if lowRank.Gradients()*4 > diagonal.Gradients() {
		t.Errorf("low-rank: %d gradients, diagonal: %d; want at most a quarter", lowRank.Gradients(), diagonal.Gradients())
	}
}

// The test sets GOMAXPROCS, so it does not run in parallel.
func TestDrawsAreTheSameOnAnyNumberOfCores(t *testing.T) {
	before := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(before)
	o := hmc.Options{Seed: 6, Warmup: 100, Draws: 100}
	one := sample(t, walk(40), o)
	runtime.GOMAXPROCS(8)
	many := sample(t, walk(40), o)
	if !reflect.DeepEqual(one, many) {
		t.Error("one core and eight gave different runs")
	}
	o.Seed = 7
	if other := sample(t, walk(40), o); reflect.DeepEqual(one.Chains[0].Draws, other.Chains[0].Draws) {
		t.Error("another seed gave the same draws")
	}
	if reflect.DeepEqual(one.Chains[0].Draws, one.Chains[1].Draws) {
		t.Error("two chains of one run are the same")
	}
}

func TestStopEndsSampling(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	stop := func() bool { return asked.Add(1) > 200 }
	_, err := hmc.Sample(func() stats.Density { return banana() }, hmc.Options{Stop: stop, Draws: 1 << 30})
	if !errors.Is(err, hmc.ErrStopped) {
		t.Errorf("got %v, want ErrStopped", err)
	}
}

// funnel returns Neal's funnel in its centered form. With a fixed step size, the sampler cannot reach the narrow part.
func funnel() field {
	return field{10, func(x, grad []float64) float64 {
		v := x[0]
		logp := -v * v / 18
		grad[0] = -v / 9
		for i := 1; i < 10; i++ {
			w := math.Exp(-v)
			logp -= x[i]*x[i]*w/2 + v/2
			grad[i] = -x[i] * w
			grad[0] += x[i]*x[i]*w/2 - 0.5
		}
		return logp
	}}
}

func TestFunnelIsDetected(t *testing.T) {
	t.Parallel()
	run := sample(t, funnel(), hmc.Options{Seed: 8, Draws: 500})
	neck := diag.Of(run.Values(func(x []float64) float64 { return x[0] }))
	if run.Divergences() == 0 && neck.RHat < 1.01 && neck.ESSBulk > 400 {
		t.Errorf("no divergence and %+v on a density that cannot be sampled well", neck)
	}
	for i, e := range run.EBFMI() {
		if !(e > 0) {
			t.Errorf("energy fraction of chain %d: got %v", i, e)
		}
	}
}
