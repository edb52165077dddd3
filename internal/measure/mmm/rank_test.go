package mmm

import (
	"math"
	"testing"

	"assay/internal/measure/stats"
)

// Three ranks from 0 to 2 have 27 outcomes. For each outcome, the test counts the outcomes that are at least as
// extreme.
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
		if got := uniformP(ranks, 2); math.Abs(got-want) > 1e-12 {
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
		if uniformP(even, most) < 0.05 {
			doubted++
		}
		if uniformP(low, most) < 0.05 {
			found++
		}
	}
	// The number of rejected uniform samples is binomial with mean 15 and standard deviation 3.8.
	if doubted < 4 || doubted > 26 {
		t.Errorf("%d of %d even sets are doubted at .05", doubted, sets)
	}
	if found < sets*3/4 {
		t.Errorf("%d of %d uneven sets are found", found, sets)
	}
}

// uniformP returns the p-value of uniformity of ranks from 0 to the parameter most. It is 1 minus the level of the
// narrowest simultaneous band around the expected distribution function that contains the observed one. Bands are
// pointwise binomial intervals of one level, and their joint level is exact. See Säilynoja, Bürkner, Vehtari: Graphical
// test for discrete uniformity and its applications, 2022. It panics on a rank out of range.
func uniformP(ranks []int, most int) float64 {
	counts := make([]int, most+1)
	for _, r := range ranks {
		counts[r]++
	}
	b := newBinomial(len(ranks))
	least, below := 1.0, 0
	for k := 1; k <= most; k++ {
		below += counts[k-1]
		least = math.Min(least, b.tails(float64(k) / float64(most+1))[below])
	}
	// The loop computes the distribution of the number of ranks below k, without the outcomes outside the band.
	inside := make([]float64, b.n+1)
	inside[0] = 1
	for k := 1; k <= most; k++ {
		next := make([]float64, b.n+1)
		tails := b.tails(float64(k) / float64(most+1))
		step := 1 / float64(most+2-k)
		for from, p := range inside {
			if p == 0 {
				continue
			}
			for to := from; to <= b.n; to++ {
				if tails[to] > least*(1+1e-9) {
					next[to] += p * b.mass(b.n-from, to-from, step)
				}
			}
		}
		inside = next
	}
	kept := 0.0
	for _, p := range inside {
		kept += p
	}
	return math.Max(0, 1-kept)
}

// binomial evaluates binomial distributions of up to n trials.
type binomial struct {
	n            int
	logFactorial []float64
}

func newBinomial(n int) binomial {
	b := binomial{n, make([]float64, n+1)}
	for i := 1; i <= n; i++ {
		b.logFactorial[i] = b.logFactorial[i-1] + math.Log(float64(i))
	}
	return b
}

// mass returns the probability of a number of successes. p is above 0 and below 1, or 1 if every trial succeeds.
func (b binomial) mass(trials, successes int, p float64) float64 {
	failures := trials - successes
	log := b.logFactorial[trials] - b.logFactorial[successes] - b.logFactorial[failures] + float64(successes)*math.Log(p)
	if failures > 0 {
		log += float64(failures) * math.Log1p(-p)
	}
	return math.Exp(log)
}

// tails returns the two-sided p-value of each number of successes in n trials.
func (b binomial) tails(p float64) []float64 {
	out := make([]float64, b.n+1)
	low := 0.0
	for r := range out {
		mass := b.mass(b.n, r, p)
		low += mass
		out[r] = math.Min(1, 2*math.Min(low, 1-low+mass))
	}
	return out
}
