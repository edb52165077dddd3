package geo

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"assay/internal/measure/stats"
)

// Randomization is the distribution of the estimate over untreated sets of regions (placebo sets).
type Randomization struct {
	Sets   int     // placebo sets
	All    bool    // the sets are all possible sets, not a sample
	SE     float64 // standard deviation of the sets' estimates in outcome units per region and period; see [Fit]
	LeastP float64 // smallest possible p-value with this number of sets
	sets   []reading
	own    reading
	sample smallSample
}

// reading is the estimate for one set of regions.
type reading struct {
	effect float64 // as a share of the set's level before the test
	fit    float64 // root mean squared gap before the test, as a share of the level
	level  float64 // mean absolute outcome before the test, in outcome units per region
	fixed  bool    // the donors' weights are fixed, so the fit is not overfitted
}

// closest is the minimum relative fit. A smaller value is a result of overfitting with many donors.
const closest = 1e-4

// statistic returns the statistic that ranks sets: the absolute relative effect divided by the square root of the
// relative fit.
//
// Without scaling, the test would compare closely fitted sets with noisy sets. Dividing by the full fit, as the ratio
// of mean squared prediction errors does, favors overfitted sets. Under random assignment, every exponent of the fit
// gives a test of the nominal size. The square root has the highest power on the reference panel and preserves the size
// if the treated set is chosen for its fit (docs/validation.md). Fixed weights cannot overfit, so their statistic
// divides by the full fit. The statistic then accounts for the size of the set and of its donors.
func (r reading) statistic() float64 { return math.Abs(r.effect) / r.scale() }

func (r reading) scale() float64 {
	if r.fixed {
		return max(r.fit, closest)
	}
	return math.Sqrt(max(r.fit, closest))
}

// gauge estimates the effect on a set of regions with given donors.
type gauge func(b *bench, set, donors []int) reading

// randomize estimates the effect on each placebo set of the given size. Sets are drawn from the test's donors and
// compared with the other donors.
//
// The p-value comes from the rank of the treated set's statistic. If the treated regions were drawn at random from the
// admissible sets, the p-value is exact for any distribution and any dependence in time. See Abadie, Diamond and
// Hainmueller 2010, section 3.4, and Imbens and Rubin 2015, chapter 5.
func randomize(measure gauge, treated, donors []int, size, draws int, seed uint64) *Randomization {
	if len(donors) <= size {
		return nil
	}
	sets, all := placeboSets(donors, size, draws, seed)
	r := &Randomization{Sets: len(sets), All: all, sets: make([]reading, len(sets))}
	r.sample = newSmallSample(len(donors), size)
	r.LeastP = r.sample.corrected(1 / float64(len(sets)+1))
	each(len(sets), newBench, func(b *bench, i int) {
		b.rest = rest(b.rest[:0], donors, sets[i])
		r.sets[i] = measure(b, sets[i], b.rest)
	})
	r.own = measure(newBench(), treated, donors)
	return r
}

// rest appends the members of pool that are not in set to dst. The slices pool and set are sorted.
func rest(dst, pool, set []int) []int {
	j := 0
	for _, r := range pool {
		if j < len(set) && set[j] == r {
			j++
			continue
		}
		dst = append(dst, r)
	}
	return dst
}

// placeboSets returns all sets of k regions of the pool if their number is at most the parameter draws. Otherwise, it
// returns that many random sets. The regions of each set are sorted.
func placeboSets(pool []int, k, draws int, seed uint64) (sets [][]int, all bool) {
	if count := choose(len(pool), k); count <= float64(draws) {
		combinations(pool, k, func(set []int) { sets = append(sets, slices.Clone(set)) })
		return sets, true
	}
	sets = make([][]int, draws)
	for i := range sets {
		sets[i] = sample(stats.Stream(seed, uint64(i)), pool, k)
	}
	return sets, false
}

// sample returns k sorted members of the pool. Each set is equally likely.
func sample(rng *rand.Rand, pool []int, k int) []int {
	left := slices.Clone(pool)
	for i := range k {
		j := i + rng.IntN(len(left)-i)
		left[i], left[j] = left[j], left[i]
	}
	set := left[:k:k]
	slices.Sort(set)
	return set
}

// choose returns the binomial coefficient "n choose k".
func choose(n, k int) float64 {
	c := 1.0
	for i := range k {
		c = c * float64(n-i) / float64(i+1)
	}
	return math.Round(c)
}

// combinations calls visit with each set of k regions of the pool, in lexicographic order. It reuses the slice that it
// passes to visit.
func combinations(pool []int, k int, visit func([]int)) {
	set := make([]int, k)
	var extend func(from, depth int)
	extend = func(from, depth int) {
		if depth == k {
			visit(set)
			return
		}
		for i := from; i <= len(pool)-(k-depth); i++ {
			set[depth] = pool[i]
			extend(i+1, depth+1)
		}
	}
	extend(0, 0)
}

// p returns the two-sided p-value of no effect, corrected by [smallSample]. Before the correction, it is the share of
// sets, including the treated set, with a statistic at least as far from zero as the treated set's statistic.
func (r *Randomization) p() float64 {
	extreme := 1
	for _, set := range r.sets {
		if set.statistic() >= r.own.statistic()*(1-1e-12) {
			extreme++
		}
	}
	return r.sample.corrected(float64(extreme) / float64(r.Sets+1))
}

// smallSample corrects the level for a small pool of regions.
//
// Sets of several regions overlap. Thousands of sets may come from twenty regions, so the ranks of the sets overstate
// the information. Sets drawn without replacement from N regions also vary less than independent sets, by κ² =
// (N-k)/(N-1). The critical quantile is therefore moved outward, from the normal distribution to Student's t with N-1
// degrees of freedom:
//
//	α' = 2 Φ(-t_{N-1}(1-α/2) / κ).
//
// Single regions do not overlap, and their ranks are exact. In simulations with 2 of 20 to 10 of 200 treated regions,
// the uncorrected test of size 0.05 rejects with probability 0.06 to 0.09 (docs/validation.md).
//
// For a contrast of totals (did_scaled, combined), the statistic divides the effect by the whole fit. The fit contains
// the variance of the set and of its donors, so κ = 1. Large regions dominate totals, so N is the effective number of
// donors, (Σy)²/Σy², where y is a donor's level.
type smallSample struct {
	size    int
	freedom float64 // degrees of freedom of t
	kappa   float64
}

func newSmallSample(pool, size int) smallSample {
	return smallSample{size: size, freedom: float64(pool - 1), kappa: math.Sqrt(float64(pool-size) / float64(pool-1))}
}

// contrastSample returns the correction for contrasts of totals, given the levels of the donors.
func contrastSample(levels []float64, size int) smallSample {
	all := stats.Sum(levels)
	return smallSample{size: size, freedom: max(1, all*all/stats.Dot(levels, levels)-1), kappa: 1}
}

// level returns the corrected size of the rank test for a nominal alpha.
func (s smallSample) level(alpha float64) float64 {
	if s.size == 1 {
		return alpha
	}
	return s.normal(alpha)
}

func (s smallSample) normal(alpha float64) float64 {
	return 2 * distuv.UnitNormal.CDF(studentT(s.freedom).Quantile(alpha/2)/s.kappa)
}

// corrected returns the p-value that is corrected for a small pool. It is the inverse function of level.
func (s smallSample) corrected(p float64) float64 {
	if s.size == 1 || p >= 1 || p < 1e-300 {
		return min(p, 1)
	}
	return 2 * studentT(s.freedom).CDF(distuv.UnitNormal.Quantile(p/2)*s.kappa)
}

// reach returns the distance from the estimate, in outcome units, at which the test of size alpha starts to reject. It
// returns false if there are too few placebo sets for any rejection.
func (r *Randomization) reach(alpha float64) (float64, bool) {
	limit, ok := critical(r.sets, r.sample.level(alpha))
	return limit * r.own.scale() * r.own.level, ok
}

// critical returns the largest statistic that the rank test of size alpha does not reject.
func critical(sets []reading, alpha float64) (float64, bool) {
	may := int(math.Floor(alpha*float64(len(sets)+1)+1e-9)) - 1 // maximum number of more extreme sets with which the test rejects
	if may < 0 {
		return 0, false
	}
	if may >= len(sets) {
		return 0, true
	}
	statistics := make([]float64, len(sets))
	for i, set := range sets {
		statistics[i] = set.statistic()
	}
	slices.Sort(statistics)
	return statistics[len(sets)-1-may], true
}

// spread sets SE to the standard deviation of the placebo estimates. If relative is true, the estimates are scaled to
// the level of the treated regions.
func (r *Randomization) spread(relative bool) {
	estimates := make([]float64, r.Sets)
	for i, set := range r.sets {
		estimates[i] = set.effect * set.level
		if relative {
			estimates[i] = set.effect * r.own.level
		}
	}
	r.SE = deviation(estimates)
}

// deviation returns the standard deviation with divisor n.
func deviation(x []float64) float64 {
	m := stats.Mean(x)
	var sum float64
	for _, v := range x {
		sum += (v - m) * (v - m)
	}
	return math.Sqrt(sum / float64(len(x)))
}
