package geo_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"assay/internal/measure/geo"
	"assay/internal/measure/stats"
)

// counts returns the daily orders of 51 regions of very different sizes, with a common season and common noise. All
// regions together have about 80 orders per day. A third of the regions, drawn at random, is treated in the last 35
// days.
func counts(t testing.TB, seed uint64) (*geo.Panel, geo.Test) {
	t.Helper()
	const regions, periods, start, daily = 51, 175, 140, 80
	rng := stats.Stream(seed, 1)
	size, all := make([]float64, regions), 0.0
	for r := range size {
		size[r] = math.Exp(rng.NormFloat64())
		all += size[r]
	}
	season := make([]float64, periods)
	for s := range season {
		season[s] = (1 + .2*math.Sin(float64(s)/25)) * math.Exp(.1*rng.NormFloat64())
	}
	var rows []geo.Row
	for r, v := range size {
		for s, common := range season {
			rows = append(rows, geo.Row{
				Region: geo.Region(fmt.Sprintf("%02d", r)), Period: geo.Period{At: float64(s), Label: fmt.Sprint(s)},
				Value: poisson(rng, daily*common*max(v/all, .002)),
			})
		}
	}
	p, err := geo.NewPanel(rows, geo.Refuse)
	if err != nil {
		t.Fatal(err)
	}
	return p, geo.Test{Treated: pick(p, rng.Perm(regions)[:17]), Start: start, End: periods - 1}
}

// poisson draws a count by Knuth's method.
func poisson(rng *rand.Rand, mean float64) float64 {
	n, product := 0.0, rng.Float64()
	for limit := math.Exp(-mean); product > limit; n++ {
		product *= rng.Float64()
	}
	return n
}

// For counts, the combined method has nominal size and coverage. The default method gives small regions too much
// weight. Compared with the default, the combined method has a shorter interval and finds an effect of 12% more often.
func TestCombinedIsCalibratedAndPreciseOnCounts(t *testing.T) {
	t.Parallel()
	n := runs(120, 2000)
	var at5, at10, cover90, found, plainFound, length, plainLength float64
	for seed := range n {
		p, test := counts(t, uint64(seed)+1)
		o := geo.Options{Draws: 300, Seed: uint64(seed), Alpha: .1, Method: geo.Combined}
		quiet, lifted := fit(t, p, test, o), fit(t, raise(p, test, .12), test, o)
		o.Method = geo.Scaled
		plain := fit(t, raise(p, test, .12), test, o)
		at5 += indicator(quiet.P <= .05) / float64(n)
		at10 += indicator(quiet.P <= .10) / float64(n)
		cover90 += indicator(math.Abs(lifted.ATT-.12*expected(p, test)) <= lifted.Reach(.10)) / float64(n)
		found += indicator(lifted.P <= .10) / float64(n)
		plainFound += indicator(plain.P <= .10) / float64(n)
		length += lifted.Reach(.10) / float64(n)
		plainLength += plain.Reach(.10) / float64(n)
	}
	within(t, "rejections at 0.05", at5, .04, .06, n)
	within(t, "rejections at 0.10", at10, .085, .115, n)
	within(t, "coverage of 90% intervals", cover90, .88, .92, n)
	t.Logf("a lift of 12%%: combined finds %.3f, the default %.3f; length %.3f and %.3f", found, plainFound, length, plainLength)
	if found <= plainFound || length > .9*plainLength {
		t.Errorf("combined finds %.3f with a length of %.3f, the default %.3f with %.3f", found, length, plainFound, plainLength)
	}
}
