package mmm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"assay/internal/civil"
	"assay/internal/measure/stats"
)

// contributionOf contains a channel's total incremental outcome, its derivative with respect to the relative change of
// spend, and its weekly response to constant spend.
type contributionOf struct {
	contribution, margin float64
	response             func(spend float64) float64
}

// confounded returns two years of weekly data of a store with slow unobserved demand. The log of tv's spend has the
// given correlation with the demand. The spend of search is not correlated with the demand.
func confounded(seed uint64, follows float64) (d Data, tv contributionOf) {
	const weeks = 104
	random := stats.Stream(seed, 11)
	spend, search := make([]float64, weeks), make([]float64, weeks)
	demand := random.NormFloat64()
	for t := range weeks {
		demand = 0.9*demand + math.Sqrt(1-0.9*0.9)*random.NormFloat64()
		spend[t] = 6000 * math.Exp(0.35*(follows*demand+math.Sqrt(1-follows*follows)*random.NormFloat64()))
		search[t] = 4000 * math.Exp(0.4*random.NormFloat64())
		d.Dates = append(d.Dates, civil.New(2024, 1, 1).AddDays(7*t))
		d.Target = append(d.Target, 50000+2500*demand+2000*random.NormFloat64())
	}
	for i, c := range []struct {
		spend                  []float64
		alpha, half, magnitude float64
	}{{spend, 0.4, 9000, 24000}, {search, 0.2, 6000, 20000}} {
		a := Adstock{Geometric, 8}
		k, carried := a.newKernel(), make([]float64, weeks)
		a.weights(k, []float64{c.alpha})
		k.spread(carried, c.spend)
		response := func(x float64) float64 { return c.magnitude * x / (c.half + x) }
		for t, x := range carried {
			d.Target[t] += response(x)
			if i == 0 {
				tv.contribution += response(x)
				tv.margin += response(x) * c.half / (c.half + x)
				tv.response = response
			}
		}
	}
	d.Media = []Media{{Channel: "tv", Exposure: spend}, {Channel: "search", Exposure: search}}
	return d, tv
}

// testError is the lift test's standard error as a share of its true result.
const testError = 0.05

// test simulates a lift test of tv that changes its spend from x to another amount.
func (tv contributionOf) test(x, to float64, random *rand.Rand) Lift {
	l := Lift{Channel: "tv", X: x, DeltaX: to - x, DeltaY: tv.response(to) - tv.response(x)}
	l.Sigma = testError * math.Abs(l.DeltaY)
	l.DeltaY += l.Sigma * random.NormFloat64()
	return l
}

// coverage contains the number of intervals that contain the true value, and the errors of the estimates.
type coverage struct {
	stores, inside int
	ratio          float64 // sum of posterior means / true values
	off            float64 // sum of errors in standard deviations
}

func (c *coverage) add(s stats.Summary, truth float64) {
	c.stores++
	c.ratio += s.Mean / truth
	c.off += (s.Mean - truth) / s.SD
	if s.Q05 <= truth && truth <= s.Q95 {
		c.inside++
	}
}

func (c *coverage) String() string {
	n := float64(c.stores)
	return fmt.Sprintf("%d of %d inside, mean / true %.2f, off by %.1f standard errors",
		c.inside, c.stores, c.ratio/n, c.off/math.Sqrt(n))
}

// wrong reports whether coverage is too low or the mean error is beyond three standard errors. Coverage is too low if
// its probability is below 1 in 300 for 90% intervals. The lowest accepted numbers are 14 intervals of 20 and 1 of 3.
func (c *coverage) wrong() bool {
	n := float64(c.stores)
	return distuv.Binomial{N: n, P: 0.9}.CDF(float64(c.inside)) < 1.0/300 || math.Abs(c.off) > 3*math.Sqrt(n)
}

// TestLiftTestsRemoveConfoundingBias fits stores with spend that follows unobserved demand, and other stores. Each
// store is fitted with and without a lift test of tv. The test must remove the bias of tv's ROAS and marginal ROAS,
// with nominal coverage. A test of tv's full spend must also at least halve the interval.
func TestLiftTestsRemoveConfoundingBias(t *testing.T) {
	t.Parallel()
	stores, nightly := uint64(3), os.Getenv("ASSAY_NIGHTLY") == "1"
	if nightly {
		stores = 20
	}
	for name, c := range map[string]struct{ follows, from, to float64 }{ // spends in multiples of usual spend
		"budget follows":         {0.5, 1, 0},
		"budget does not follow": {0, 1, 0},
		"test of a half":         {0.5, 1, 0.5},
		"test at half":           {0.5, 0.5, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name != "test at half" && !nightly {
				t.Skip("set ASSAY_NIGHTLY=1 to run it")
			}
			var before, after, margin coverage
			var refused uint64
			for seed := uint64(1); seed <= stores; seed++ {
				d, tv := confounded(seed, c.follows)
				spec, how := Spec{Saturation: MichaelisMenten}, Sampling{Seed: seed, Warmup: 300, Draws: 400}
				plain, err := Fit(d, spec, how)
				if err != nil {
					t.Fatal(err)
				}
				usual := stats.Quantile(slices.Sorted(slices.Values(d.Media[0].Exposure)), 0.5)
				spec.Lifts = []Lift{tv.test(c.from*usual, c.to*usual, stats.Stream(seed, 12))}
				tested, err := Fit(d, spec, how)
				if err != nil {
					t.Fatal(err)
				}
				if plain.Status != OK || tested.Status != OK {
					refused++ // too few effective draws in some stores
					continue
				}
				without, effect := plain.Posterior.Effects()[0].Contribution, tested.Posterior.Effects()[0]
				with := effect.Contribution
				before.add(without, tv.contribution)
				after.add(with, tv.contribution)
				next := *effect.MarginalROAS
				margin.add(next, tv.margin/effect.Spend)
				if c.to == 0 && with.Q95-with.Q05 > (without.Q95-without.Q05)/2 {
					t.Errorf("seed %d: the interval with the test, %v to %v, is more than half as wide as without",
						seed, with.Q05, with.Q95)
				}
			}
			t.Logf("%d refused; without the test %v; with it %v; the next unit of money %v", refused, &before, &after, &margin)
			if c.follows > 0 && before.ratio < 1.3*float64(before.stores) {
				t.Errorf("without the test the estimate for tv is %.2f of the true value: the simulated stores are not confounded",
					before.ratio/float64(before.stores))
			}
			if refused > stores/5 {
				t.Errorf("%d of %d stores are refused", refused, stores)
			}
			if after.wrong() || margin.wrong() {
				t.Errorf("with the test %v; the next unit of money %v: want nine in ten inside, on both sides of the truth",
					&after, &margin)
			}
		})
	}
}

// Fitted values, forecasts and scores use the same mean as the likelihood.
func TestFittedMeansAreThoseOfTheLikelihood(t *testing.T) {
	t.Parallel()
	for _, s := range []Spec{{}, {Lifts: toyLifts()}, {Lifts: toyLifts()[1:], Effect: ROI}} {
		m, err := newModel(toy(), s)
		if err != nil {
			t.Fatal(err)
		}
		d, u, theta := m.newDensity(), slices.Repeat([]float64{0.4}, len(m.parameters)), make([]float64, len(m.parameters))
		d.LogDensity(u, make([]float64, len(u)))
		m.constrain(theta, u, m.newCurves())
		if got := m.newLocator().location(theta); !floats.EqualApprox(got, d.mu, 1e-12) {
			t.Errorf("%d lift tests: means %v, the likelihood saw %v", len(s.Lifts), got, d.mu)
		}
	}
}
