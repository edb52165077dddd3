package mmm

import (
	"math"
	"os"
	"slices"
	"testing"

	"assay/internal/civil"
	"assay/internal/measure/stats"
)

// confounded is two years of weeks of a store whose demand comes and goes over months, which no column shows. The budget of tv follows
// demand and that of search does not. It returns what tv brings.
func confounded(seed uint64) (d Data, tv float64, curve func(spend float64) float64) {
	const weeks = 104
	random := stats.Stream(seed, 11)
	spend, search := make([]float64, weeks), make([]float64, weeks)
	demand := random.NormFloat64()
	for t := range weeks {
		demand = 0.9*demand + math.Sqrt(1-0.9*0.9)*random.NormFloat64()
		spend[t] = 6000 * math.Exp(0.35*(0.5*demand+0.85*random.NormFloat64()))
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
		worth := func(x float64) float64 { return c.magnitude * x / (c.half + x) }
		for t, x := range carried {
			d.Target[t] += worth(x)
			if i == 0 {
				tv += worth(x)
			}
		}
		if i == 0 {
			curve = worth
		}
	}
	d.Media = []Media{{Channel: "tv", Exposure: spend}, {Channel: "search", Exposure: search}}
	return d, tv, curve
}

// testError is the standard error of the lift test below, as a share of what it measures.
const testError = 0.05

// TestLiftTestsPutRightWhatAConfounderBends fits stores whose budget follows a demand that nobody sees, with a lift test of tv and
// without. Every year's sales say what is wrong, so the test has to be much surer than they are; what is left of the error then is the
// test's own, and that sales still bend the curve that leads from the tested spend to the others.
func TestLiftTestsPutRightWhatAConfounderBends(t *testing.T) {
	t.Parallel()
	seeds := 3
	if os.Getenv("ASSAY_NIGHTLY") == "1" {
		seeds = 20
	}
	var missed, held int
	var before, after float64
	for i := range uint64(seeds) {
		seed := i + 1
		d, truth, curve := confounded(seed)
		spec, how := Spec{Saturation: MichaelisMenten}, Sampling{Seed: seed, Warmup: 300, Draws: 400}
		without := reportable(t, d, spec, how).Effects()[0].Contribution
		usual := stats.Quantile(slices.Sorted(slices.Values(d.Media[0].Exposure)), 0.5)
		lift := Lift{Channel: "tv", X: usual, DeltaX: -usual, DeltaY: -curve(usual), Sigma: testError * curve(usual)}
		lift.DeltaY += lift.Sigma * stats.Stream(seed, 12).NormFloat64()
		spec.Lifts = []Lift{lift}
		with := reportable(t, d, spec, how).Effects()[0].Contribution
		t.Logf("seed %d: mean / true %.2f (%.2f to %.2f) without, %.2f (%.2f to %.2f) with", seed, without.Mean/truth, without.Q05/truth, without.Q95/truth,
			with.Mean/truth, with.Q05/truth, with.Q95/truth)
		if without.Mean < 1.3*truth {
			t.Errorf("seed %d: without the test tv brings %.2f of the truth: the store does not show what the test is for", seed, without.Mean/truth)
		}
		// Three standard errors of the test.
		if math.Abs(with.Mean/truth-1) > 3*testError {
			t.Errorf("seed %d: with the test tv brings %.2f of the truth", seed, with.Mean/truth)
		}
		if with.Q95-with.Q05 > (without.Q95-without.Q05)/2 {
			t.Errorf("seed %d: the interval with the test, %v to %v, is more than half as wide as without", seed, with.Q05, with.Q95)
		}
		if truth < without.Q05 || truth > without.Q95 {
			missed++
		}
		if with.Q05 < truth && truth < with.Q95 {
			held++
		}
		before, after = before+without.Mean/truth/float64(seeds), after+with.Mean/truth/float64(seeds)
	}
	t.Logf("%d stores: mean / true %.2f and %.2f; without the test %d intervals miss the truth, with it %d hold it", seeds, before, after, missed, held)
}
