package forecast

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"assay/internal/measure/stats"
)

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-9), cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func straightLine(n int, intercept, slope float64) []float64 {
	out := make([]float64, n)
	for t := range out {
		out[t] = intercept + slope*float64(t)
	}
	return out
}

func TestSmoothersReproduceLines(t *testing.T) {
	t.Parallel()
	values := straightLine(40, 5, -0.25)
	for _, window := range []int{3, 7, 25, 61} {
		out := make([]float64, len(values))
		loess(values, window, out)
		equal(t, "loess", out, values)
	}
	intercept, slope := line(values)
	equal(t, "least-squares line", []float64{intercept, slope}, []float64{5, -0.25})
	intercept, slope = line([]float64{7})
	equal(t, "line of one point", []float64{intercept, slope}, []float64{7, 0})
	equal(t, "moving mean", moving([]float64{1, 2, 6, 4, 5}, 3), []float64{3, 4, 5})
	nan := math.NaN()
	equal(t, "centered mean of an odd season", centered([]float64{1, 2, 6, 4, 5}, 3), []float64{nan, 3, 4, 5, nan})
	equal(t, "centered mean of an even season", centered([]float64{0, 2, 4, 10, 4, 2}, 4), []float64{nan, nan, 4.5, 5, nan, nan})
}

func TestWindowsAreOddAndAtLeastThree(t *testing.T) {
	t.Parallel()
	for x, want := range map[float64]int{0: 3, 3: 3, 3.2: 5, 4: 5, 5: 5, 5.5: 7, 10: 11} {
		if got := odd(x); got != want {
			t.Errorf("odd(%v) = %d, want %d", x, got, want)
		}
	}
}

// Each period needs two cycles. The trend of a line without a period is the line.
func TestDecompositionWithoutAPeriodIsALoessCurve(t *testing.T) {
	t.Parallel()
	values := straightLine(23, 5, 0.5)
	values[11] += 3
	curve, zero := make([]float64, len(values)), make([]float64, len(values))
	loess(values, 9, curve) // the smallest odd number of at least 23/10 + 5
	rest := make([]float64, len(values))
	for i := range rest {
		rest[i] = values[i] - curve[i]
	}
	for _, periods := range [][]int{nil, {0}, {1}, {12}, {1, 12}} {
		p := MSTL(values, periods...)
		equal(t, "trend", p.Trend, curve)
		equal(t, "remainder", p.Remainder, rest)
		if len(p.Seasonal) != len(periods) {
			t.Fatalf("periods %v: %d components", periods, len(p.Seasonal))
		}
		for _, component := range p.Seasonal {
			equal(t, "component", component, zero)
		}
	}
	if p := MSTL(values, 11); slices.Equal(p.Seasonal[0], zero) {
		t.Error("two cycles of eleven points have no component")
	}
}

func TestSeasonalFactorsAreThoseOfTheSeries(t *testing.T) {
	t.Parallel()
	differences, ratios := []float64{3, -1, -2, 0}, []float64{1.2, 0.8, 1.1, 0.9}
	added, scaled := straightLine(24, 10, 2), straightLine(24, 100, 0)
	for i := range added {
		added[i] += differences[i%4]
		scaled[i] *= ratios[i%4]
	}
	equal(t, "differences from a line", cycle(added, 4, false), differences)
	equal(t, "ratios to a level", cycle(scaled, 4, true), ratios)
	short := []float64{5, 6, 7, 8}
	equal(t, "differences of one season", cycle(short, 4, false), []float64{0, 0, 0, 0})
	equal(t, "ratios of one season", cycle(short, 4, true), []float64{1, 1, 1, 1})
}

func TestStrengthOfASeasonIsItsShareOfTheVariance(t *testing.T) {
	t.Parallel()
	season := [][]float64{{1, -1, 1, -1}}
	equal(t, "no remainder", strength(Parts{Seasonal: season, Remainder: make([]float64, 4)}), 1.0)
	equal(t, "a remainder with a variance of 0.25", strength(Parts{Seasonal: season, Remainder: []float64{0.5, 0.5, -0.5, -0.5}}), 0.8)
	equal(t, "a remainder that cancels the season", strength(Parts{Seasonal: season, Remainder: []float64{-1, 1, -1, 1}}), 0.0)
}

func TestAutocorrelationMatchesAComputationByHand(t *testing.T) {
	t.Parallel()
	equal(t, "a line", autocorrelation([]float64{1, 2, 3, 4}, 5), []float64{0.25, -0.3, -0.45, 0, 0})
	equal(t, "constant", autocorrelation([]float64{2, 2, 2}, 2), []float64{0, 0})
	alternating := make([]float64, 40)
	for i := range alternating {
		alternating[i] = float64(i % 2)
	}
	for season, want := range map[int]bool{2: true, 1: false, 20: false} {
		if got := isSeasonal(alternating, season); got != want {
			t.Errorf("alternating values, season %d: got %v, want %v", season, got, want)
		}
	}
	equal(t, "median", median([]float64{9, 1, 5, 3}), 4.0)
}

func TestASeriesBeginsWithItsFirstValue(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		values []float64
		want   int
	}{
		{[]float64{0, 0, 3, 0}, 2}, {[]float64{math.NaN(), 0, 1}, 2}, {[]float64{0, 0}, 0}, {nil, 0}, {[]float64{5}, 0}, {[]float64{0, -2, 5}, 1},
	} {
		if got := Begun(c.values); got != c.want {
			t.Errorf("%v begins at %d, want %d", c.values, got, c.want)
		}
	}
}

func TestGapsAreFilledWithinTheCycle(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	equal(t, "without a season", joined([]float64{nan, 1, nan, nan, 4, nan}, 1), []float64{1, 1, 2, 3, 4, 4})
	equal(t, "every second point", joined([]float64{1, nan, nan, 10, 5, nan}, 2), []float64{1, 10, 3, 10, 5, 10})
	equal(t, "no values", joined([]float64{nan, nan}, 1), []float64{nan, nan})
}

// The autocovariances of an autoregression follow from its coefficients (Brockwell and Davis 1991, section 3.3).
func TestYuleWalkerRecoversAnAutoregression(t *testing.T) {
	t.Parallel()
	phi, v := yuleWalker([reachBack + 1]float64{}, [reachBack + 1]float64{})
	equal(t, "without data: the prior", phi, []float64{priorRho})
	equal(t, "without data: the variance", v, 1-priorRho*priorRho)

	const first, second, variance, points = 0.5, 0.3, 4.0, 1e9
	correlations := [reachBack + 1]float64{1, first / (1 - second)}
	for k := 2; k <= reachBack; k++ {
		correlations[k] = first*correlations[k-1] + second*correlations[k-2]
	}
	var sum, count [reachBack + 1]float64
	for k, r := range correlations {
		sum[k], count[k] = points*variance*r, points
	}
	phi, v = yuleWalker(sum, count)
	want := []float64{first, second, variance * (1 - first*correlations[1] - second*correlations[2])}
	if len(phi) != 2 {
		t.Fatalf("coefficients %v, want two", phi)
	}
	for i, got := range []float64{phi[0], phi[1], v} {
		if math.Abs(got-want[i]) > 1e-6 { // the prior has 28 of 1e9 points
			t.Errorf("element %d is %v, want %v", i, got, want[i])
		}
	}
}

// Two coefficients are better by AIC if they reduce n log v by more than 2. The autocovariances have 72 points and the
// 28 of the prior, which the sums compensate.
func TestYuleWalkerPenalizesEachCoefficientByTwo(t *testing.T) {
	t.Parallel()
	const points = 100
	for _, c := range []struct {
		gain float64 // decrease of n log v by the second coefficient
		want int
	}{{0.5, 1}, {1.9, 1}, {2.1, 2}, {8, 2}} {
		second := math.Sqrt(1 - math.Exp(-c.gain/points))
		first := 0.6 * (1 - second)
		correlation := [reachBack + 1]float64{1, 0.6}
		var sum, count [reachBack + 1]float64
		for k := range correlation {
			if k > 1 {
				correlation[k] = first*correlation[k-1] + second*correlation[k-2]
			}
			sum[k], count[k] = points*correlation[k]-priorCount*math.Pow(priorRho, float64(k)), points-priorCount
		}
		phi, v := yuleWalker(sum, count)
		want, variance := []float64{0.6}, 1-0.6*0.6
		if c.want == 2 {
			want, variance = []float64{first, second}, variance*(1-second*second)
		}
		equal(t, "coefficients", phi, want)
		equal(t, "variance", v, variance)
	}
}

func TestCostOfAPieceIsItsResidualSumOfSquares(t *testing.T) {
	t.Parallel()
	x := []float64{3, 1, 4, 1, 5, 9, 2, 6, 5, 3}
	s := sumsOf(x)
	for from := range x {
		for to := from + 2; to <= len(x); to++ {
			a, b := line(x[from:to])
			want := 0.0
			for i, y := range x[from:to] {
				e := y - a - b*float64(i)
				want += e * e
			}
			if got := s.cost(from, to); math.Abs(got-want) > 1e-9 {
				t.Errorf("points %d to %d cost %v, want %v", from, to, got, want)
			}
		}
	}
	steps := slices.Concat(straightLine(20, 0, 1), straightLine(15, 100, 0), straightLine(15, 50, -2))
	equal(t, "change points of lines", partition(steps, 10, 1), []int{20, 35})
}

func TestChangePointsDoNotDependOnTheUnit(t *testing.T) {
	t.Parallel()
	random := stats.Stream(3, 1)
	values := make([]float64, 120)
	for i := range values {
		if values[i] = 50 + random.NormFloat64(); i >= 70 {
			values[i] += 12
		}
	}
	for _, unit := range []float64{1e-3, 1, 1e3} {
		scaled := make([]float64, len(values))
		for i, y := range values {
			scaled[i] = unit * y
		}
		got, err := Changes(scaled, 1)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != 1 || got[0].At != 70 || math.Abs(got[0].After-got[0].Before-12*unit) > 1.5*unit {
			t.Errorf("unit %v: %+v, want one change of %v at 70", unit, got, 12*unit)
		}
	}
}

// With k = 1/2 and h = 4, Siegmund's approximation of the average run length of a one-sided CUSUM is 338, close to the
// exact 336 (Montgomery 2013, "Introduction to statistical quality control", table 9.3).
func TestAlarmLimitSolvesSiegmundsApproximation(t *testing.T) {
	t.Parallel()
	if got := alarmLimit(338.1); math.Abs(got-4) > 1e-3 {
		t.Errorf("limit %v, want 4", got)
	}
	for _, length := range []float64{20, 1000, 2e6} {
		if b := alarmLimit(length) + 1.166; math.Abs((math.Exp(b)-b-1)*2/length-1) > 1e-9 {
			t.Errorf("the limit for %v gives a run length of %v", length, (math.Exp(b)-b-1)*2)
		}
	}
}

func TestParametersStayInsideTheirBounds(t *testing.T) {
	t.Parallel()
	for _, x := range []float64{-1.9, -0.5, 0, 2.5, 2.99} {
		equal(t, "between is the inverse of inside", between(inside(x, -2, 3), -2, 3), x)
	}
	for _, x := range []float64{-5, 9} {
		if got := between(inside(x, -2, 3), -2, 3); !(got > -2 && got < 3) {
			t.Errorf("%v is moved to %v, want a number between -2 and 3", x, got)
		}
	}
}

func TestNormalEquationsAreSolved(t *testing.T) {
	t.Parallel()
	x := make([]float64, 3)
	if !cholesky([]float64{4, 2, 1, 2, 5, 3, 1, 3, 6}, []float64{11, 21, 25}, x) { // 4+4+3, 2+10+9, 1+6+18
		t.Fatal("a positive definite matrix is rejected")
	}
	equal(t, "solution", x, []float64{1, 2, 3})
	if cholesky([]float64{1, 2, 2, 1}, []float64{1, 1}, make([]float64, 2)) {
		t.Error("an indefinite matrix is accepted")
	}
	values := []float64{1, 3, 2, 5, 4}
	params := []float64{0, 0}
	best := problem{points: len(values), residuals: func(params, out []float64) bool {
		for i, y := range values {
			out[i] = y - params[0] - params[1]*float64(i)
		}
		return true
	}}.solve(params)
	// The least-squares line is 1.4 + 0.8 t, with residuals -0.4, 0.8, -1, 1.2 and -0.6.
	if math.Abs(params[0]-1.4) > 1e-5 || math.Abs(params[1]-0.8) > 1e-5 || math.Abs(best-3.6) > 1e-8 {
		t.Errorf("line %v with %v, want 1.4 and 0.8 with 3.6", params, best)
	}
}

// recorder is a model that records the observed values and always predicts the same value.
type recorder struct {
	expected float64
	observed []float64
}

func (r *recorder) String() string    { return "recorder" }
func (r *recorder) observe(y float64) { r.observed = append(r.observed, y) }
func (r *recorder) clone() track      { return &recorder{r.expected, slices.Clone(r.observed)} }
func (r *recorder) ahead(out []float64) {
	for h := range out {
		out[h] = r.expected
	}
}

func TestModelsOfLogarithmsObserveLogarithms(t *testing.T) {
	t.Parallel()
	r := &recorder{expected: 2}
	m := logarithmic{r}
	for _, y := range []float64{1, math.E, 0, -4} {
		m.observe(y)
	}
	equal(t, "observed", r.observed, []float64{0, 1, 2, 2})
	out := make([]float64, 2)
	m.ahead(out)
	equal(t, "forecast", out, []float64{math.Exp(2), math.Exp(2)})
}

func TestSeasonalFactorsAreRemovedAndRestored(t *testing.T) {
	t.Parallel()
	r := &recorder{expected: 10}
	a := &adjusted{inner: r, factors: []float64{2, 0.5, 1}, place: 2, ratio: true}
	out := make([]float64, 4)
	a.ahead(out)
	equal(t, "forecast by ratios", out, []float64{10, 20, 5, 10})
	a.observe(7)
	a.observe(8)
	equal(t, "adjusted by ratios", r.observed, []float64{7, 4})

	r = &recorder{expected: 10}
	a = &adjusted{inner: r, factors: []float64{2, -2}}
	a.ahead(out)
	equal(t, "forecast by differences", out, []float64{12, 8, 12, 8})
	a.observe(7)
	a.observe(8)
	equal(t, "adjusted by differences", r.observed, []float64{5, 10})
}

func TestVolatilityFollowsRecentChanges(t *testing.T) {
	t.Parallel()
	equal(t, "changes of one", movement([]float64{0, 1, 0, 1, 0, 1}, 1), []float64{1, 1, 1, 1, 1, 1})
	equal(t, "no changes", movement([]float64{3, 3, 3}, 1), []float64{1, 0.98, 0.9604})
	seasonal := []float64{0, 50, 9, 1, 51, 10, 2, 52, 11, 3, 53, 12}
	equal(t, "changes of one over a season", movement(seasonal, 3), slices.Repeat([]float64{1}, 12))
	short := []float64{0, 50, 9, 1, 51, 10} // two seasons do not show that seasonal changes are smaller
	equal(t, "the first volatility of two seasons", movement(short, 3)[0], meanSize(stride(short, 1)))
	equal(t, "the first volatility of more than two seasons", movement(append(short, 2), 3)[0], 1.0)
	// The mean change is 11. A change of 1 moves the volatility from 11 toward 1 by 2% of the difference.
	equal(t, "a large last change", movement([]float64{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 102}, 1)[1], 10.8)
}

func TestBacktestsLeaveTwoSeasonsToTheFit(t *testing.T) {
	t.Parallel()
	for _, season := range []int{1, 7, 12, 52} {
		for n := leastPeriods; n < 400; n++ {
			got := Ask{Season: season}.origins(n)
			usual := min(mostOrigins, 2*n/5)
			switch {
			case got == 0:
			case season > 1 && n-usual < 2*season+2:
				if n-got < min(2*season+2, n-n/4) {
					t.Errorf("season %d, %d points: %d origins leave %d points", season, n, got, n-got)
				}
			case got != usual:
				t.Errorf("season %d, %d points: %d origins, want %d", season, n, got, usual)
			}
			if got != 0 && got < leastOrigins || got == 0 && usual >= leastOrigins && n-usual >= 2*season+2 {
				t.Errorf("season %d, %d points: %d origins, want none or at least %d", season, n, got, leastOrigins)
			}
		}
	}
}

func TestAnObviousOutlierIsActionable(t *testing.T) {
	t.Parallel()
	random := stats.Stream(6, 2)
	values := make([]float64, 200)
	for i := range values {
		values[i] = 100 + random.NormFloat64()
	}
	values[120] += 15
	got, err := Anomalies(values, 7)
	if err != nil {
		t.Fatal(err)
	}
	if a := got[120]; !a.Actionable || a.Z < 4 || math.Abs(a.Expected-100) > 2 {
		t.Errorf("an outlier of fifteen standard deviations: %+v", a)
	}
	for i, a := range got {
		if a.Actionable != (a.Q <= 0.2) {
			t.Errorf("point %d: %+v", i, a)
		}
	}
}

func TestScaleOfErrorsIsTheLargerOfTwoEstimates(t *testing.T) {
	t.Parallel()
	f := &filter{}
	f.settle = 10
	f.sizes = ranked(slices.Repeat([]float64{1}, 9))
	if got := f.sigma(); !math.IsNaN(got) {
		t.Errorf("nine errors: %v, want none", got)
	}
	f.sizes = ranked(slices.Repeat([]float64{1}, 20))
	equal(t, "by the median", f.sigma(), 0.95*1.4826)
	f.sizes = ranked(slices.Concat(slices.Repeat([]float64{0.1}, 15), slices.Repeat([]float64{8}, 5)))
	equal(t, "by the tail", f.sigma(), 4.0)
	f.minimum = 5
	equal(t, "the minimum", f.sigma(), 5.0)
}
