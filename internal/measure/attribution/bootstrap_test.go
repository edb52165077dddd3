package attribution_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/fault"
	"assay/internal/measure/attribution"
)

func TestIntervalsHaveTheWidthOfABinomialForLastTouch(t *testing.T) {
	t.Parallel()
	paths := pathsOf(t, path("a", 300, 0, 0), path("b", 100, 0, 0))
	got, err := attribution.Intervals(paths, attribution.Last, attribution.Resampling{Draws: 2000, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	se := math.Sqrt(.75 * .25 / 400)
	for _, interval := range got {
		// With two thousand draws, the error of a 5% quantile is about a twentieth of the standard error. Skewness adds
		// an error of the same size.
		if math.Abs(interval.Share.High-interval.Share.Low-2*1.645*se) > .2*se || interval.Share.Low > interval.Share.Value ||
			interval.Share.High < interval.Share.Value {
			t.Errorf("%+v, want a width of %v", interval, 2*1.645*se)
		}
	}
	if got[0].ChanceOfLeading != 1 || got[1].ChanceOfLeading != 0 {
		t.Errorf("a leads in %v and b in %v of the draws", got[0].ChanceOfLeading, got[1].ChanceOfLeading)
	}
}

func TestTheSameSeedGivesTheSameIntervals(t *testing.T) {
	t.Parallel()
	paths := pathsOf(t, randomPaths(2, 100, 4)...)
	before := paths.Totals()
	how := attribution.Resampling{Draws: 30, Level: .8, Seed: 9}
	first, err := attribution.Intervals(paths, attribution.Markov2, how)
	if err != nil {
		t.Fatal(err)
	}
	second, err := attribution.Intervals(paths, attribution.Markov2, how)
	if diff := cmp.Diff(first, second); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	if paths.Totals() != before {
		t.Errorf("drawing changed the paths to %+v", paths.Totals())
	}
}

func TestTooFewDrawsAreRefused(t *testing.T) {
	t.Parallel()
	if _, err := attribution.Intervals(&attribution.Paths{}, attribution.Last, attribution.Resampling{
		Draws: 3,
	}); fault.KindOf(err) != fault.KindInvalid {
		t.Error(err)
	}
}
