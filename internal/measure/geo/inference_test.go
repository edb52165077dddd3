package geo

import (
	"math"
	"slices"
	"strings"
	"testing"

	"assay/internal/measure/stats"
	"assay/internal/measure/stats/statstest"
)

// Six pairs of four regions, in lexicographic order.
func TestAllSetsAreVisitedOnce(t *testing.T) {
	t.Parallel()
	sets, all := placeboSets([]int{3, 5, 8, 9}, 2, 6, 1)
	want := [][]int{{3, 5}, {3, 8}, {3, 9}, {5, 8}, {5, 9}, {8, 9}}
	if !all || !slices.EqualFunc(sets, want, func(a, b []int) bool { return slices.Equal(a, b) }) {
		t.Errorf("%v, %t; want all of %v", sets, all, want)
	}
	sets, all = placeboSets([]int{3, 5, 8, 9}, 2, 5, 1)
	if all || len(sets) != 5 {
		t.Errorf("%v, %t; want a sample of 5", sets, all)
	}
	seen := map[string]int{}
	for i := range 3000 {
		set := sample(stats.Stream(7, uint64(i)), []int{3, 5, 8, 9}, 2)
		if !slices.IsSorted(set) || set[0] == set[1] {
			t.Fatalf("set %v", set)
		}
		seen[string(rune('0'+set[0]))+string(rune('0'+set[1]))]++
	}
	for set, n := range seen { // 500 ± 4 standard deviations of a binomial distribution
		if n < 418 || n > 582 {
			t.Errorf("set %s is drawn %d times of 3000", set, n)
		}
	}
	if len(seen) != 6 {
		t.Errorf("%d different sets", len(seen))
	}
	for _, c := range []struct {
		n, k int
		want float64
	}{{5, 0, 1}, {5, 2, 10}, {5, 5, 1}, {40, 3, 9880}, {52, 5, 2598960}} {
		if got := choose(c.n, c.k); got != c.want {
			t.Errorf("%d choose %d is %v, want %v", c.n, c.k, got, c.want)
		}
	}
}

func TestRestOfAPool(t *testing.T) {
	t.Parallel()
	if got := rest([]int{99}, []int{1, 4, 6, 7}, []int{4, 7}); !slices.Equal(got, []int{99, 1, 6}) {
		t.Errorf("rest %v", got)
	}
	if got := complement([]int{99}, 4, []int{0, 2}); !slices.Equal(got, []int{99, 1, 3}) {
		t.Errorf("complement %v", got)
	}
}

// For 20 regions and sets of 2, κ² = 18/19. Student's t with 19 degrees of freedom has the quantile -2.093024 at 0.025:
// 2 Φ(-2.093024/κ) = 0.031510.
func TestSmallPoolsLowerTheLevel(t *testing.T) {
	t.Parallel()
	s := newSmallSample(20, 2)
	statstest.Near(t, "level", s.level(.05), 2*.5*math.Erfc(2.0930240544/math.Sqrt(18./19)/math.Sqrt2), 1e-6)
	statstest.Near(t, "corrected level", s.corrected(s.level(.05)), .05, 1e-6)
	statstest.Near(t, "another level", s.corrected(s.level(.2)), .2, 1e-6)
	one := newSmallSample(20, 1)
	if one.level(.05) != .05 || one.corrected(.05) != .05 || s.corrected(1) != 1 || s.corrected(1.2) != 1 {
		t.Errorf("single regions are exact: %v, %v", one.level(.05), one.corrected(.05))
	}
	// Two donors of 10 and four of 5 are (40)²/(200+100) = 5.33 regions.
	c := contrastSample([]float64{10, 10, 5, 5, 5, 5}, 3)
	statstest.Near(t, "degrees of freedom", c.freedom, 16./3-1, 1e-6)
	if c.kappa != 1 || c.size != 3 {
		t.Errorf("contrast %+v", c)
	}
	statstest.Near(t, "least degrees of freedom", contrastSample([]float64{10, .1}, 2).freedom, 1, 1e-6)
}

func TestPlaceboErrorsHaveTheTreatedLevel(t *testing.T) {
	t.Parallel()
	r := Randomization{Sets: 2, sets: []reading{{effect: .1, level: 10}, {effect: -.3, level: 30}}, own: reading{level: 100, fit: .04}}
	r.spread(true)
	statstest.Near(t, "relative", r.SE, 20, 1e-6)
	r.spread(false)
	statstest.Near(t, "absolute", r.SE, 5, 1e-6)
	statstest.Near(t, "deviation", deviation([]float64{2, 4, 4, 4, 5, 5, 7, 9}), 2, 1e-6)
	// The largest statistic of 19 sets is not rejected at 0.05; the distance is in units of the own scale and level.
	var sets []reading
	for i := range 19 {
		sets = append(sets, reading{effect: float64(i + 1), fit: 1})
	}
	r = Randomization{Sets: 19, sets: sets, own: reading{level: 100, fit: .04}, sample: smallSample{size: 1}}
	reach, ok := r.reach(.05)
	if !ok {
		t.Error("20 sets are enough for 0.05")
	}
	statstest.Near(t, "reach", reach, 19*.2*100, 1e-6)
	statstest.Near(t, "scale of fixed weights", (reading{fit: .04, fixed: true}).scale(), .04, 1e-6)
	statstest.Near(t, "least scale of fixed weights", (reading{fixed: true}).scale(), 1e-4, 1e-6)
	sorted, own := (&Randomization{sets: []reading{{effect: 3}, {effect: -1}, {effect: 2}}, own: reading{effect: 9}}).Effects()
	if !slices.Equal(sorted, []float64{-1, 2, 3}) || own != 9 {
		t.Errorf("effects %v and %v", sorted, own)
	}
}

// fitOf returns a conformal test with given residuals; the test is in the last periods.
func fitOf(start int, resid ...float64) *refit {
	return &refit{
		estimator: &estimator{frame: &frame{span: span{start: start, end: len(resid) - 1, fit: len(resid)}}}, resid: resid,
	}
}

// The p-value is the share of cyclic shifts with at least the sum of the test.
func TestShiftsAreCounted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		start int
		resid []float64
		want  float64
	}{
		{4, []float64{1, -1, 0, 0, 5}, .2},
		{4, []float64{1, -5, 0, 0, 5}, .4},
		{4, []float64{1, -5, 0, 6, 5}, .6},
		{3, []float64{3, 1, -1, 2, 2}, .6},     // sums 4, 0, 1, 4 and 5
		{3, []float64{-3, -1, -1, 2, 2.5}, .2}, // sums -4, -2, 1, 4.5 and -0.5
		{2, []float64{0, 0, 0, 0}, 1},
		{0, []float64{1, 2, 3}, 1},
	} {
		statstest.Near(t, "share", fitOf(c.start, c.resid...).unusual(), c.want, 1e-6)
	}
}

func TestPermutationsDrawEachPeriodEquallyOften(t *testing.T) {
	t.Parallel()
	p := newPermutations(5, 2, 4000, 3)
	if p.length != 2 || len(p.picks) != 8000 {
		t.Fatalf("%d picks of %d", len(p.picks), p.length)
	}
	seen := make([]int, 5)
	for choice := range slices.Chunk(p.picks, 2) {
		if choice[0] == choice[1] {
			t.Fatalf("choice %v", choice)
		}
		seen[choice[0]]++
		seen[choice[1]]++
	}
	for period, n := range seen { // 1600 ± 4 standard deviations
		if n < 1476 || n > 1724 {
			t.Errorf("period %d is drawn %d times of 8000", period, n)
		}
	}
	// Of the ten pairs of 1, 1, -1, -1 and 4, four have a sum of 4 in absolute value at least 3: those with 4.
	if got := p.unusual([]float64{1, 1, -1, -1, 4}, 3); math.Abs(got-.4) > .031 { // four standard deviations
		t.Errorf("share %v, want 0.4", got)
	}
	own := &permutations{length: 1, picks: []int32{0, 1, 2}}
	statstest.Near(t, "share with the observed selection", own.unusual([]float64{1, -3, 3}, 2), 3./4, 1e-6)
}

// Donors are constant, so the residuals are those of the treated region, 0 before the test and the effect in it. A
// hypothesis of the effect leaves residuals of zero.
func TestConformalTestsAcceptTheEffect(t *testing.T) {
	t.Parallel()
	y := []float64{10.1, 9.8, 10.3, 9.7, 10.2, 9.9, 10.1, 9.9, 10.2, 9.8, 10.1, 9.9, 10.2, 9.8, 10.1, 9.9, 10.1, 9.9, 13.1, 12.9}
	p := small(y, constant(10, 20), constant(20, 20))
	e := newEstimator(p, Scaled, before(18, 19), []int{0}, []int{1, 2})
	fit := newRefit(p, e, []int{0}, []int{1, 2}, nil)
	unit := e.target([]int{0}).unit
	statstest.Near(t, "level", unit, 10, 1e-6)
	statstest.Near(t, "p-value of no effect", fit.p(0), .05, 1e-6)
	if got := fit.p(3 / unit); got < .5 {
		t.Errorf("p-value of the effect %v", got)
	}
	i := fit.invert(3/unit, .1)
	if i == nil || i.Low >= 3 || i.High <= 3 || i.Low < 2.3 || i.High > 3.7 || i.Level != .9 {
		t.Fatalf("interval %+v around 3", i)
	}
	for _, end := range []struct{ inside, outside float64 }{{i.Low + .001, i.Low - .001}, {i.High - .001, i.High + .001}} {
		if fit.p(end.inside/unit) <= .1 || fit.p(end.outside/unit) > .1 {
			t.Errorf("p-values %v inside and %v outside of %+v", fit.p(end.inside/unit), fit.p(end.outside/unit), i)
		}
	}
	if fit.invert(3/unit, .049) != nil {
		t.Error("20 periods cannot reject at 0.049")
	}
	if fit.invert(3/unit, .05) == nil {
		t.Error("20 periods can reject at 0.05")
	}
	if fit.invert(0, .1) != nil {
		t.Error("an interval around a rejected effect")
	}
}

// GeoLift's statistic adds absolute residuals, so it also finds effects that change sign.
func TestGeoLiftsStatisticFindsEffectsThatChangeSign(t *testing.T) {
	t.Parallel()
	y := slices.Concat(slices.Repeat([]float64{10.1, 9.9}, 9), []float64{14, 6})
	p := small(y, constant(10, 20), constant(20, 20))
	e := newEstimator(p, Demeaned, before(18, 19), []int{0}, []int{1, 2})
	fit := newRefit(p, e, []int{0}, []int{1, 2}, nil)
	statstest.Near(t, "its p-value", fit.geoLift(0), .05, 1e-6)
	statstest.Near(t, "the p-value of the sum", fit.p(0), 1, 1e-6)
	r, err := Fit(p, Test{Treated: []Region{"a"}, Start: 18, End: 19}, Options{Method: Demeaned, Inference: ConformalIID})
	if err != nil {
		t.Fatal(err)
	}
	if r.Inference != ConformalIID || r.P > .01 || len(r.Notes) == 0 ||
		!strings.Contains(strings.Join(r.Notes, "\n"), "the permutation test assumes independent days") {
		t.Errorf("p-value %v with notes %q", r.P, r.Notes)
	}
}

// The grid has the penalties 8, 4, 2 and 1. Their mean errors are 4, 2.4, 2 and 3, and the standard error of the third
// is 0.5: of the errors 1, 2, 3, 2 the variance is 2/3.
func TestTheLargestRidgeWithinAStandardErrorIsChosen(t *testing.T) {
	t.Parallel()
	errors := [][]float64{{4, 2.4, 1, 3}, {4, 2.4, 2, 3}, {4, 2.4, 3, 3}, {4, 2.4, 2, 3}}
	grid := []float64{8, 4, 2, 1}
	if got := chooseRidge(grid, errors); got != 4 { // 2.4 < 2 + √(2/3/4) = 2.408
		t.Errorf("ridge %v, want 4", got)
	}
	for _, row := range errors {
		row[1] = 2.41
	}
	if got := chooseRidge(grid, errors); got != 2 {
		t.Errorf("ridge %v, want 2", got)
	}
}

// In each fold, the weights and their correction come from the other periods before the test. The error is that of the
// left-out period. The last period before the test is in all fits.
func TestLeftOutPeriodsAreNotInTheirFit(t *testing.T) {
	t.Parallel()
	const start = 12
	p := noisy(6, 15)
	donors, grid := []int{2, 3, 5}, []float64{0.01, 1, 100}
	e := &estimator{frame: newFrame(p, Augmented.form(), before(start, 14)), method: Augmented}
	g := e.target([]int{0, 1})
	y := e.series(g)
	errors := e.heldOut(g, donors, grid)
	if len(errors) != start-1 {
		t.Fatalf("%d folds, want %d", len(errors), start-1)
	}
	for left, got := range errors {
		b, n := newBench(), len(e.z)
		q := quadratic{gram: make([]float64, n*n), size: n, donors: donors, linear: make([]float64, n)}
		for s := range start {
			if s == left {
				continue
			}
			for i := range n {
				q.linear[i] += e.z[i][s] * y[s]
				for j := range n {
					q.gram[i*n+j] += e.z[i][s] * e.z[j][s]
				}
			}
		}
		w := slices.Clone(b.solve(&q, nil))
		mean := (e.z[2][left] + e.z[3][left] + e.z[5][left]) / 3
		for k, lambda := range grid {
			c := center(&q)
			gap := y[left]
			for i, v := range c.correction(&b.solver, w, lambda) {
				gap -= w[i]*e.z[donors[i]][left] + v*(e.z[donors[i]][left]-mean)
			}
			statstest.Near(t, "squared error", got[k], gap*gap, 1e-6*(1+gap*gap))
		}
	}
}

func TestCholeskySolvesAndRidges(t *testing.T) {
	t.Parallel()
	var c cholesky
	x := []float64{10, 11, 9}
	c.factor([]float64{3, 1, 1, 1, 4, 0, 1, 0, 1}, 3, 1) // (4 1 1, 1 5 0, 1 0 2) (1, 2, 4)
	c.solve(x)
	for i, want := range []float64{1, 2, 4} {
		statstest.Near(t, "solution", x[i], want, 1e-6)
	}
	x = []float64{4, 4}
	c.factor([]float64{1, 1, 1, 1}, 2, 0) // singular: the solution with the smallest norm
	c.solve(x)
	statstest.Near(t, "sum of the solution", x[0]+x[1], 4, 1e-6)
	x = []float64{3, 5}
	c.factor([]float64{0, 0, 0, 0}, 2, 0)
	c.solve(x)
	if x[0] != 3 || x[1] != 5 {
		t.Errorf("without products the ridge is 1, and the solution %v", x)
	}
}

// In each period, center subtracts the mean over the donors from the donors and from the target.
func TestCenteringIsByPeriod(t *testing.T) {
	t.Parallel()
	z := [][]float64{{1, 5, 2}, {9, 9, 9}, {3, 1, 2}, {2, 0, 8}}
	y := []float64{4, 1, 3}
	q := quadratic{size: 4, donors: []int{0, 2, 3}, gram: make([]float64, 16), linear: make([]float64, 4)}
	for i := range z {
		q.linear[i] = stats.Dot(z[i], y)
		for j := range z {
			q.gram[4*i+j] = stats.Dot(z[i], z[j])
		}
	}
	c := center(&q)
	minus := func(r int) (out []float64) { // means are 2, 2 and 4
		for s, m := range []float64{2, 2, 4} {
			out = append(out, z[r][s]-m)
		}
		return out
	}
	target := []float64{2, -1, -1}
	for i, r := range q.donors {
		statstest.Near(t, "product with the target", c.linear[i], stats.Dot(minus(r), target), 1e-6)
		for j, u := range q.donors {
			statstest.Near(t, "product of donors", c.gram[3*i+j], stats.Dot(minus(r), minus(u)), 1e-6)
		}
	}
}

// The differences are 1, 3, 2 and 2, 4, 6: mean 3, sum of squares 70 - 54, five degrees of freedom.
func TestNoiseIsTheDeviationOfDifferences(t *testing.T) {
	t.Parallel()
	z := [][]float64{{0, 1, 4, 6, 99}, {5, 50, 1, 0, 0}, {1, 3, 7, 13, -99}}
	statstest.Near(t, "noise", noise(z, []int{0, 2}, 4), math.Sqrt(16./5), 1e-6)
}

func TestFramesScaleAndCenter(t *testing.T) {
	t.Parallel()
	p := small([]float64{2, 4, 6, 9, 11}, []float64{-3, -3, -6, 0, 0})
	for _, c := range []struct {
		form  form
		z     [2][]float64
		after [2]float64
		unit  float64 // of the group of both regions
		group []float64
	}{
		{levels, [2][]float64{{2, 4, 6, 9, 11}, {-3, -3, -6, 0, 0}}, [2]float64{10, 0}, 1, []float64{-.5, .5, 0, 4.5, 5.5}},
		{demeaned, [2][]float64{{-2, 0, 2, 5, 7}, {1, 1, -2, 4, 4}}, [2]float64{6, 4}, 1, []float64{-.5, .5, 0, 4.5, 5.5}},
		{scaled, [2][]float64{{-.5, 0, .5, 1.25, 1.75}, {.25, .25, -.5, 1, 1}}, [2]float64{1.5, 1}, 4, []float64{-.125, .125, 0, 1.125, 1.375}},
	} {
		f := newFrame(p, c.form, before(3, 4))
		for r := range 2 {
			for s, want := range c.z[r] {
				statstest.Near(t, "series", f.z[r][s], want, 1e-6)
			}
			statstest.Near(t, "mean of the test", f.after[r], c.after[r], 1e-6)
			statstest.Near(t, "level", f.level[r], 4, 1e-6)
			statstest.Near(t, "product", f.gram[2*r+1-r], stats.Dot(c.z[0][:3], c.z[1][:3]), 1e-6)
			statstest.Near(t, "square", f.gram[3*r], stats.Dot(c.z[r][:3], c.z[r][:3]), 1e-6)
		}
		g := f.target([]int{0, 1})
		statstest.Near(t, "unit", g.unit, c.unit, 1e-6)
		statstest.Near(t, "level of the group", g.level, 4, 1e-6)
		if c.form != levels {
			for s, v := range f.series(g) {
				statstest.Near(t, "group", v, (c.z[0][s]+c.z[1][s])/2, 1e-6)
			}
		}
		lin := make([]float64, 2)
		f.linear(lin, g)
		statstest.Near(t, "product of group and region", lin[0], stats.Dot(f.series(g)[:3], c.z[0][:3]), 1e-6)
		statstest.Near(t, "combination", g.combine([]float64{1, 3}), 2, 1e-6)
	}
	// Weights of a group are in proportion to the levels if series are scaled.
	f := newFrame(small([]float64{30, 30, 36}, []float64{10, 10, 10}), scaled, before(2, 2))
	g := f.target([]int{0, 1})
	statstest.Near(t, "weight of the large region", g.weights[0], .75, 1e-6)
	statstest.Near(t, "effect on the group", g.combine(f.after)*g.unit, 3, 1e-6) // the mean of 6 and 0
}

func TestPlaceboSetsOfContrastsUseHalfOfTheDonors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		method          Method
		treated, donors int
		want            int
	}{
		{Combined, 1, 2, 1},
		{Combined, 2, 3, 2},
		{Combined, 3, 20, 3},
		{Combined, 12, 20, 10},
		{ScaledDiD, 9, 5, 2},
		{Scaled, 12, 20, 12},
	} {
		a := analysis{treated: make([]int, c.treated), donors: make([]int, c.donors)}
		a.Method = c.method
		if got := a.placeboSize(); got != c.want {
			t.Errorf("%s with %d treated regions and %d donors: %d, want %d", c.method, c.treated, c.donors, got, c.want)
		}
	}
	a := analysis{panel: small([]float64{1, -3, 99}, []float64{5, 5, 99}), donors: []int{0, 1}, span: before(2, 2)}
	if got := a.donorLevels(); !slices.Equal(got, []float64{2, 5}) {
		t.Errorf("levels %v, want 2 and 5", got)
	}
}
