package diag

import (
	"math"
	"testing"

	"assay/internal/measure/stats"
)

// With three ranks out of 0, 1, 2 there are 27 outcomes; those at least as extreme are counted.
func TestPValueOfRanksMatchesEnumeration(t *testing.T) {
	t.Parallel()
	b := newBinomial(3)
	low, high := b.tails(1.0/3), b.tails(2.0/3)
	var outcomes [][]int
	var extremes []float64
	for i := range 27 {
		ranks := []int{i % 3, i / 3 % 3, i / 9}
		zero, one := 0, 0
		for _, r := range ranks {
			if r < 1 {
				zero++
			}
			if r < 2 {
				one++
			}
		}
		outcomes, extremes = append(outcomes, ranks), append(extremes, math.Min(low[zero], high[one]))
	}
	for i, ranks := range outcomes {
		want := 0.0
		for _, e := range extremes {
			if e <= extremes[i]*(1+1e-9) {
				want += 1.0 / 27
			}
		}
		if got := UniformP(ranks, 2); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v: got %v, want %v", ranks, got, want)
		}
	}
}

func TestUniformRanksAreRejectedAtTheNominalRate(t *testing.T) {
	t.Parallel()
	random := stats.Stream(31, 0)
	doubted, found := 0, 0
	const sets, n, most = 300, 50, 19
	for range sets {
		even, low := make([]int, n), make([]int, n)
		for i := range even {
			u := random.Float64()
			even[i], low[i] = int(u*(most+1)), int(math.Pow(u, 1.6)*(most+1))
		}
		if UniformP(even, most) < 0.05 {
			doubted++
		}
		if UniformP(low, most) < 0.05 {
			found++
		}
	}
	// The count is binomial with a standard deviation of 3.8 around 15.
	if doubted < 4 || doubted > 26 {
		t.Errorf("%d of %d even sets are doubted at .05", doubted, sets)
	}
	if found < sets*3/4 {
		t.Errorf("%d of %d uneven sets are found", found, sets)
	}
}
