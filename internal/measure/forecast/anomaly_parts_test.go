package forecast

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"assay/internal/fault"
)

func TestErrorsOfAnomaliesNameTheLimit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		values []float64
		season int
		kind   fault.Kind
		text   string
	}{
		{nile[:20], 1, fault.KindNotReady, "the series has 20 points; anomaly detection requires at least 21 points"},
		{nile[:35], 12, fault.KindNotReady, "the series has 35 points; anomaly detection requires at least 36 points"},
		{[]float64{1, math.NaN()}, 1, fault.KindInvalid, "value 1 is NaN, want a finite number"},
		{[]float64{-1.1e100}, 1, fault.KindInvalid, "value 0 is -1.1e+100"},
		{make([]float64, 50_001), 1, fault.KindInvalid, "the series has 50001 points, more than the maximum of 50000"},
	} {
		_, err := Anomalies(c.values, c.season)
		rejected(t, err, c.kind, c.text)
	}
	for n, season := range map[int]int{21: 1, 36: 12} {
		if got, err := Anomalies(nile[:n], season); err != nil || len(got) != n {
			t.Errorf("%d points, season %d: %v", n, season, err)
		}
	}
	same := slices.Repeat([]float64{7}, 50_000)
	got, err := Anomalies(same, 0)
	if err != nil || got[9] != (Anomaly{Expected: 7, P: 1, Q: 1}) {
		t.Errorf("a constant series: %+v, %v", got[9], err)
	}
	for n, text := range map[int]string{
		20: "the series has 20 points; change detection requires at least 21 points",
		27: "the series has 27 points; change detection requires at least 28 points",
	} {
		_, err := Changes(nile[:n], map[int]int{20: 1, 27: 7}[n])
		rejected(t, err, fault.KindNotReady, text)
	}
	for n, season := range map[int]int{21: 0, 28: 7} {
		if _, err := Changes(nile[:n], season); err != nil {
			t.Errorf("changes of %d points: %v", n, err)
		}
	}
}

func TestLensesTransformAndRestore(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lens         lens
		y, x, slopes float64
	}{{asIs, 9, 9, 0}, {root, 9, 3, -math.Log(6)}, {logs, math.E, 1, -1}} {
		equal(t, "to", c.lens.to(c.y), c.x)
		equal(t, "from", c.lens.from(c.x), c.y)
		equal(t, "logarithm of the derivative", c.lens.slope(c.y, 1), c.slopes)
	}
	equal(t, "a negative root", root.from(-2), 0.0)
	equal(t, "derivative of the root at zero", root.slope(0, 4000), -math.Log(4))
	for _, positive := range []bool{true, false} {
		values := slices.Clone(nile)
		if !positive {
			values[3] = -1
		}
		if got := bestLens(values, 1); got.lens == asIs == positive {
			t.Errorf("all positive %v: lens %v", positive, got.lens)
		}
	}
}

func TestWeightsFallWithTheError(t *testing.T) {
	t.Parallel()
	weight := func(u float64) float64 { return (1 - u*u) * (1 - u*u) }
	got := make([]float64, 5)
	bisquare([]float64{1, -1, 1, 6, -7}, got) // the median absolute error is 1
	equal(t, "bisquare", got, []float64{weight(1. / 6), weight(1. / 6), weight(1. / 6), 1e-6, 1e-6})
	bisquare([]float64{0, 0, 0, 5, 0}, got)
	equal(t, "no scale", got, ones(5))
	bisquare([]float64{1, -1, 1, 5.999, 1}, got)
	equal(t, "at least a millionth", got[3], 1e-6)
	equal(t, "typical error", typical([]float64{-5, 1, 3, -2}), 2.5)
	factors := make([]float64, 5)
	others([]float64{1, 2, 3, 6, 8}, []float64{1, 1, 2, 3, 1}, 2, factors)
	// Places 0: 1, 3, 8 with the weights 1, 2, 1. Places 1: 2 and 6 with the weights 1 and 3.
	equal(t, "factors without the point", factors, []float64{14. / 3, 6, 4.5, 2, 7. / 3})
}

// The expected values are weighted lines by NumPy's polyfit with tricube weights.
func TestLocalLineExcludesItsPoint(t *testing.T) {
	t.Parallel()
	x, weights := []float64{3, 1, 4, 1, 5, 9, 2, 6}, []float64{1, 1, .5, 1, 1, 2, 1, 1}
	equal(t, "middle, begin and end",
		[]float64{withoutIt(x, weights, 3, 2), withoutIt(x, weights, 0, 3), withoutIt(x, weights, 7, 5)},
		[]float64{4.5916742249534765, 0.6647211078588696, 5.909029278141457})
	equal(t, "two points have a line", withoutIt([]float64{1, 2, 4}, ones(3), 0, 2), 0.0)
	equal(t, "one point has a level", withoutIt([]float64{1, 2}, ones(2), 0, 2), 2.0)
}

// The errors are 100 quantiles of 2·t(5). The expected values are from SciPy: t.logpdf, t.logsf for the two censored
// errors, and the prior -14/ν.
func TestNoiseMaximizesItsCensoredLikelihood(t *testing.T) {
	t.Parallel()
	errors := make([]float64, 100)
	for i := range errors {
		errors[i] = 2 * distuv.StudentsT{Sigma: 1, Nu: 5}.Quantile((float64(i)+.5)/100)
	}
	slices.Reverse(errors[:50])
	noise, likelihood := noiseOf(errors, 1)
	if math.Abs(noise.Nu-10.218166624758) > 1e-4 || math.Abs(noise.Sigma-2.218772103884) > 1e-4 ||
		math.Abs(likelihood+232.278835306) > 1e-6 {
		t.Errorf("%+v with %v, want ν = 10.218167, σ = 2.218772 and -232.278835", noise, likelihood)
	}
	if noise, _ := noiseOf(make([]float64, 30), 5); noise.Sigma < 5e-9 || noise.Sigma > 1e-7 {
		t.Errorf("without errors, σ is %v, want about a billionth of the size", noise.Sigma)
	}
	for n, want := range map[int]int{1: 1, 50: 1, 51: 2, 100: 2, 101: 3} {
		if got := censoredOf(n); got != want {
			t.Errorf("%d of %d errors are censored, want %d", got, n, want)
		}
	}
}

func TestMaximumIsFound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		f               func(float64) float64
		low, high, want float64
		calls           int // golden section steps alone need 25 for a range of 4
	}{
		{func(x float64) float64 { return -(x - 1.3) * (x - 1.3) }, 0, 4, 1.3, 10},
		{func(x float64) float64 { return -(x - 2.9) * (x - 2.9) }, 0, 4, 2.9, 10},
		{func(x float64) float64 { return -math.Abs(x - 0.3) }, -2, 1, 0.3, 22},
		{func(x float64) float64 { return -math.Pow(x-2.5, 4) - math.Exp(-x) }, 0, 3, 2.751744, 16},
		{math.Sin, 0, 3, math.Pi / 2, 12},
		{math.Cos, -1, 2, 0, 12},
		{func(x float64) float64 { return x }, 0, 1, 1, 26},
		{func(x float64) float64 { return -x }, 0, 1, 0, 26},
	} {
		calls := 0
		got := highestBetween(func(x float64) float64 { calls++; return c.f(x) }, c.low, c.high)
		if math.Abs(got-c.want) > 1e-4 || calls > c.calls {
			t.Errorf("%v after %d calls, want %v after at most %d", got, calls, c.want, c.calls)
		}
	}
}

// The q-values are by hand: 0.2, 0.04·4/3 for two points, and 0.01·4.
func TestDiscoveriesMatchBenjaminiAndHochberg(t *testing.T) {
	t.Parallel()
	all := []Anomaly{{P: .01}, {P: .04}, {P: .03}, {P: .2}}
	discover(all)
	for i, want := range []float64{.04, .16 / 3, .16 / 3, .2} {
		if math.Abs(all[i].Q-want) > 1e-12 || !all[i].Actionable {
			t.Errorf("P %v: %+v, want Q %v", all[i].P, all[i], want)
		}
	}
	all = []Anomaly{{P: .21}, {P: 1}}
	discover(all)
	if all[0].Q != .42 || all[0].Actionable || all[1].Q != 1 {
		t.Errorf("%+v", all)
	}
}

// The two-sided 5% point of Student's t with 5 degrees of freedom is 2.570582.
func TestZComesFromTheTwoSidedPValue(t *testing.T) {
	t.Parallel()
	j := judgement{lens: root, expected: []float64{3, 3, 3}, errors: []float64{-2 * 2.570581835636314, 0, 1e99}}
	noise := distuv.StudentsT{Sigma: 2, Nu: 5}
	if got := j.oddity(0, noise); math.Abs(got.P-.05) > 1e-9 || math.Abs(got.Z+1.959963984540054) > 1e-7 || got.Expected != 9 {
		t.Errorf("%+v, want P 0.05, Z -1.96 and 9", got)
	}
	if got := j.oddity(1, noise); got.P != 1 || got.Z != 0 {
		t.Errorf("no error: %+v", got)
	}
	if got := j.oddity(2, distuv.StudentsT{Sigma: 2, Nu: 100}); got.P != 1e-300 || math.IsInf(got.Z, 0) || got.Z < 37 {
		t.Errorf("an extreme error: %+v", got)
	}
}

// The season and the level of a line are recovered. An outlier does not change the prediction of its own point.
func TestPredictionsUseOnlyOtherPoints(t *testing.T) {
	t.Parallel()
	x := make([]float64, 60)
	for i := range x {
		x[i] = 50 + 0.5*float64(i) + []float64{3, -1, -2}[i%3]
	}
	for i, got := range around(x, 3, nil) {
		if math.Abs(got-x[i]) > 0.05 {
			t.Errorf("point %d of a line with a season: %v, want %v", i, got, x[i])
		}
	}
	for _, at := range []int{1, 30, 58} {
		moved := slices.Clone(x)
		moved[at] += 40
		if got := around(moved, 3, nil)[at]; math.Abs(got-x[at]) > 1 { // the first of three rounds still has the outlier
			t.Errorf("point %d: %v, want %v", at, got, x[at])
		}
	}
	// After a shift, each point is predicted from its own side.
	shifted := slices.Clone(x)
	for i := 30; i < 60; i++ {
		shifted[i] += 400
	}
	for i, got := range around(shifted, 3, []Change{{At: 30}}) {
		if math.Abs(got-shifted[i]) > 0.05 {
			t.Errorf("point %d: %v, want %v", i, got, shifted[i])
		}
	}
}

// Deviations alternate 1, -0.5, 0.25 … around zero level, so neighbors predict each other through the autocorrelation.
func TestAutocorrelatedNeighborsImproveThePrediction(t *testing.T) {
	t.Parallel()
	y := make([]float64, 400)
	for i := range y {
		y[i] = math.Sin(2 * math.Pi * float64(i) / 9)
	}
	var error float64
	for i, got := range around(y, 1, nil)[10:390] {
		error = max(error, math.Abs(got-y[i+10]))
	}
	if error > 0.45 {
		t.Errorf("the largest error is %v of an amplitude of 1", error)
	}
}

// Days alternate by ±1 around a level that changes at day 30. Noise is 1.4826.
func TestShiftsAreLargeAndPermanent(t *testing.T) {
	t.Parallel()
	series := func(n, at int, before, after float64) ([]float64, judgement) {
		values, errors := make([]float64, n), make([]float64, n)
		for i := range values {
			errors[i] = float64(1 - 2*(i%2))
			if values[i] = before + errors[i]; i >= at {
				values[i] = after + errors[i]
			}
		}
		return values, judgement{errors: errors}
	}
	for _, c := range []struct {
		what          string
		n, at         int
		before, after float64
		want          int
	}{
		{"by 70%", 60, 30, 20, 34, 1},
		{"by 60%", 60, 30, 20, 32, 0}, // log(1.6) is below 0.5
		{"by -42%", 60, 30, 40, 23.2, 1},
		{"by -38%", 60, 30, 40, 24.8, 0},
		{"less than four deviations", 60, 30, 5, 10.8, 0},
		{"more than four deviations", 60, 30, 5, 11.1, 1},
		{"at the tenth day of twenty", 20, 10, 20, 60, 1},
		{"of nineteen days", 19, 10, 20, 60, 0},
		{"to zero", 60, 30, 40, 1, 0}, // the median is zero
		{"from below zero", 60, 30, 0.9, 60, 0},
	} {
		values, j := series(c.n, c.at, c.before, c.after)
		if c.after == 1 {
			for i := c.at; i < c.n; i++ {
				values[i] = 0
			}
		}
		got := levelShifts(j, values, 1)
		if len(got) != c.want || c.want == 1 &&
			(got[0].At != c.at || math.Abs(got[0].Before-c.before) > 1 || math.Abs(got[0].After-c.after) > 1) {
			t.Errorf("%s: %+v, want %d", c.what, got, c.want)
		}
	}
	values, j := series(60, 30, 20, 60)
	j.errors = make([]float64, 60)
	if got := levelShifts(j, values, 1); got != nil {
		t.Errorf("without noise: %+v", got)
	}
}

// The 90 nearest of 200 points are unusual or not: 45 before and 45 from the point on, or the first or last 90.
func TestFalseDiscoveryRateComesFromNinetyPoints(t *testing.T) {
	t.Parallel()
	points := make([]Judged, 200)
	for i := range points {
		points[i] = Judged{Known: true, Anomaly: Anomaly{P: 1}}
	}
	points[100].P = 0.001
	points[7] = Judged{}
	for _, c := range []struct {
		other int
		want  float64
	}{{54, .09}, {55, .045}, {144, .045}, {145, .09}} {
		window := slices.Clone(points)
		window[c.other].P = 0.0009
		if got := Among(window)[100].Q; math.Abs(got-c.want) > 1e-12 {
			t.Errorf("with an unusual point %d, Q is %v, want %v", c.other, got, c.want)
		}
	}
	got := Among(points)
	if got[7].Known || got[7].Q != 0 || got[199].Q != 1 || got[100].Q != .09 || !got[100].Actionable {
		t.Errorf("%+v, %+v and %+v", got[7], got[199], got[100])
	}
	if few := Among(points[98:103])[2].Q; math.Abs(few-.005) > 1e-12 {
		t.Errorf("among five points, Q is %v, want 0.005", few)
	}
	points[3].Z, points[5].Z, points[9].Z = -3, 2, 2.5
	points[7].Z = 9 // unknown
	if got := Beyond(points, 2); !slices.Equal(got, []int{3, 9, 5}) {
		t.Errorf("beyond 2 are %v, want 3, 9 and 5", got)
	}
}
