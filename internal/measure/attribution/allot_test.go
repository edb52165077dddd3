package attribution_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/measure/attribution"
)

func TestAllotGivesWhatIsLeftToTheLargestFractions(t *testing.T) {
	t.Parallel()
	cases := []struct {
		total   int64
		weights []float64
		want    []int64
	}{
		{100, []float64{1, 1, 1}, []int64{34, 33, 33}},
		{101, []float64{1, 1, 1}, []int64{34, 34, 33}},
		{10, []float64{1, 0, 2}, []int64{3, 0, 7}},
		{1, []float64{.3, .3 + 1e-13, .3}, []int64{1, 0, 0}},
		{7, []float64{.1, .2, .7}, []int64{1, 1, 5}},
		{0, []float64{0, 0}, []int64{0, 0}},
		{0, nil, []int64{}},
		{1 << 53, []float64{1}, []int64{1 << 53}},
	}
	for _, c := range cases {
		got, err := attribution.Allot(c.total, c.weights)
		if err != nil {
			t.Errorf("Allot(%d, %v): %v", c.total, c.weights, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("Allot(%d, %v):\n%s", c.total, c.weights, diff)
		}
	}
}

func TestAllotConservesEveryTotalAndStaysNearTheExactShare(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 5))
	for range 2000 {
		weights := make([]float64, 1+r.IntN(40))
		var sum float64
		for i := range weights {
			weights[i] = math.Exp(20 * r.NormFloat64())
			sum += weights[i]
		}
		total := r.Int64N(1 << (1 + r.IntN(53)))
		got, err := attribution.Allot(total, weights)
		if err != nil {
			t.Fatal(err)
		}
		left := total
		for i, part := range got {
			left -= part
			// Shares of a total near 2^53 are accurate to about one unit.
			if exact := float64(total) * (weights[i] / sum); part < 0 || math.Abs(float64(part)-exact) > 1+exact*1e-15 {
				t.Errorf("part %d of %d is %d, want within one of %v", i, total, part, exact)
			}
		}
		if left != 0 {
			t.Errorf("%d of %d are not allotted", left, total)
		}
	}
}

func TestAllotRejectsInvalidTotalsAndWeights(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		total   int64
		weights []float64
	}{
		{-1, []float64{1}},
		{1<<53 + 1, []float64{1}},
		{1, nil},
		{1, []float64{0}},
		{1, []float64{2, -1}},
		{1, []float64{math.NaN()}},
		{1, []float64{math.Inf(1)}},
	} {
		if got, err := attribution.Allot(c.total, c.weights); err == nil {
			t.Errorf("Allot(%d, %v) = %v", c.total, c.weights, got)
		}
	}
}
