package forecast

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"assay/internal/fault"
)

// rejected checks the kind and the text of an error.
func rejected(t *testing.T, err error, kind fault.Kind, text string) {
	t.Helper()
	if err == nil || fault.KindOf(err) != kind || !strings.Contains(err.Error(), text) {
		t.Errorf("%v of kind %s, want %q of kind %s", err, fault.KindOf(err), text, kind)
	}
}

func TestErrorsOfForecastsNameTheLimit(t *testing.T) {
	t.Parallel()
	three := []float64{1, 2, 3}
	for _, c := range []struct {
		values []float64
		ask    Ask
		kind   fault.Kind
		text   string
	}{
		{three, Ask{}, fault.KindInvalid, "the horizon is 0 points, want 1 to 2000"},
		{three, Ask{Horizon: 2001}, fault.KindInvalid, "the horizon is 2001 points, want 1 to 2000"},
		{three, Ask{Horizon: 1, Season: -1}, fault.KindInvalid, "the season is -1 points"},
		{make([]float64, 50_001), Ask{Horizon: 1}, fault.KindInvalid, "the series has 50001 points, more than the maximum of 50000"},
		{three[:2], Ask{Horizon: 1}, fault.KindNotReady, "the series has 2 points; a forecast requires at least 3 points"},
		{three, Ask{Horizon: 1, Levels: []float64{.9, 1}}, fault.KindInvalid, "level of the interval is 1,"},
		{three, Ask{Horizon: 1, Levels: []float64{0}}, fault.KindInvalid, "level of the interval is 0,"},
		{[]float64{1, 2, -1.1e100}, Ask{Horizon: 1}, fault.KindInvalid, "value 2 is -1.1e+100, want a finite number"},
		{[]float64{1, math.NaN(), 1}, Ask{Horizon: 1}, fault.KindInvalid, "value 1 is NaN"},
		{
			three,
			Ask{Horizon: 2, Calendar: flat(2, 2, 1, 0)},
			fault.KindInvalid,
			"the calendar has 4 factors and 2 rows of covariance, want 5 and 2",
		},
		{
			three,
			Ask{Horizon: 2, Calendar: &Calendar{Factors: ones(5), Covariance: make([][]float64, 1)}},
			fault.KindInvalid,
			"the calendar has 5 factors and 1 rows of covariance, want 5 and 2",
		},
		{three, Ask{Horizon: 2, Calendar: flat(3, 2, 0, 0)}, fault.KindInvalid, "factor 0 of the calendar is 0, want a positive number"},
		{three, Ask{Horizon: 2, Calendar: flat(3, 2, math.Inf(1), 0)}, fault.KindInvalid, "factor 0 of the calendar is +Inf"},
	} {
		_, err := Predict(c.values, c.ask)
		rejected(t, err, c.kind, c.text)
	}
	for _, ask := range []Ask{
		{Horizon: 1}, {Horizon: 2000}, {Horizon: 2, Calendar: flat(3, 2, 1, 0)}, {Horizon: 1, Levels: []float64{1e-9, .999}},
	} {
		if _, err := Predict([]float64{1e100, -1e100, 1}, ask); err != nil {
			t.Errorf("%+v: %v", ask, err)
		}
	}
	if err := (Ask{Horizon: 1}).check(make([]float64, 50_000)); err != nil {
		t.Errorf("50,000 points: %v", err)
	}
}

func TestNotesStateTheLimitsOfAForecast(t *testing.T) {
	t.Parallel()
	const walk = "The series is too short for a backtest, so the interval assumes a random walk."
	const short = "The series is shorter than two seasons, so the forecast has no seasonality."
	const constant = "The series is constant, so its variation is unknown."
	for _, c := range []struct {
		values []float64
		season int
		want   []string
	}{
		{nile[:19], 1, []string{walk}},
		{nile[:20], 1, nil},
		{nile[:39], 20, []string{short}},
		{nile, 20, nil},
		{nile[:3], 2, []string{walk, short}},
		{make([]float64, 30), 1, []string{constant}},
	} {
		p := predicted(t, c.values, Ask{Horizon: 1, Season: c.season, Model: Theta})
		if !slices.Equal(p.Notes, c.want) {
			t.Errorf("%d points, season %d: %q, want %q", len(c.values), c.season, p.Notes, c.want)
		}
	}
}

// The changes of 1, 3, 2, 6 are 2, -1 and 4. Their root mean square is √7, with 3 - 1 degrees of freedom. The 97.5%
// point of Student's t with 2 degrees of freedom is 4.30265.
func TestShortSeriesHaveIntervalsOfARandomWalk(t *testing.T) {
	t.Parallel()
	p := predicted(t, []float64{1, -1, -2, 2}, Ask{Horizon: 4, Levels: []float64{.95}})
	for h, want := range []float64{1, math.Sqrt2, math.Sqrt(3), 2} {
		want *= 4.302652729749464 * math.Sqrt(7)
		if b := p.Bands[0][h]; math.Abs(b.High-p.Points[h]-want) > 1e-8 || math.Abs(p.Points[h]-b.Low-want) > 1e-8 {
			t.Errorf("step %d: %v around %v, want %v to each side", h+1, b, p.Points[h], want)
		}
	}
	equal(t, "the last value repeats", p.Points, []float64{2, 2, 2, 2})
	positive := predicted(t, []float64{1, math.E, 1}, Ask{Horizon: 1, Levels: []float64{.5}})
	// The logarithms change by 1 and -1: 1 degree of freedom, with the 75% point 1.
	equal(t, "by ratios", positive.Bands[0][0], Band{math.Exp(-1), math.Exp(1)})
}

func TestForecastsStayInTheRangeOfTheSeries(t *testing.T) {
	t.Parallel()
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		p            Prediction
		values, want []float64
	}{
		{Prediction{Points: []float64{-5, nan, 1e101, -inf, 1e100, 7}}, []float64{-1, 4}, []float64{-5, 4, 4, 4, 1e100, 7}},
		{Prediction{Points: []float64{-5, nan, 1e-9}, nonnegative: true}, []float64{0, 4}, []float64{0, 4, 1e-9}},
		{Prediction{Points: []float64{-5, 1e-9, 3, nan}, ratio: true, nonnegative: true}, []float64{2, 4}, []float64{2e-3, 2e-3, 3, 4}},
		{Prediction{Points: []float64{-5}, ratio: true, nonnegative: true}, []float64{1e-9, 4}, []float64{4e-9}},
	} {
		c.p.keepInside(c.values)
		equal(t, "points", c.p.Points, c.want)
	}
}

func TestSpreadsRiseByIsotonicRegression(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ values, weights, want []float64 }{
		{[]float64{1, 3, 2}, []float64{1, 1, 1}, []float64{1, 2.5, 2.5}},
		{[]float64{1, 3, 2}, []float64{1, 3, 1}, []float64{1, 2.75, 2.75}},
		{[]float64{3, 2, 1, 5}, []float64{1, 1, 2, 1}, []float64{1.75, 1.75, 1.75, 5}},
		{[]float64{1, 1, 2}, []float64{1, 1, 1}, []float64{1, 1, 2}},
		{[]float64{4, 5, 1}, []float64{1, 1, 1}, []float64{10. / 3, 10. / 3, 10. / 3}},
	} {
		rising(c.values, c.weights)
		equal(t, "isotonic", c.values, c.want)
	}
}

// Nine origins have errors of ±2 at the first step and ±4 at the second step. Seven origins reach the third step, which
// is too few. Its spread follows from the square root of the horizon.
func TestSpreadIsTheRootMeanSquareOfTheErrors(t *testing.T) {
	t.Parallel()
	p := Prediction{spread: make([]float64, 4), freedom: make([]float64, 4), spent: 2}
	for i := range 9 {
		vector := []float64{2, -4, 9}
		if i >= 7 {
			vector = []float64{-2, 4}
		}
		p.errors = append(p.errors, vector)
	}
	p.spreads()
	equal(t, "spread", p.spread, []float64{2, 4, 4 * math.Sqrt(3./2), 4 * math.Sqrt2})
	equal(t, "freedom", p.freedom, []float64{9 - 2, 9/1.1 - 2, 9/1.1 - 2, 9/1.1 - 2})
	equal(t, "shape", p.shape, ones(18))
	p = Prediction{spread: make([]float64, 1), freedom: make([]float64, 1), spent: 7}
	for range 8 {
		p.errors = append(p.errors, []float64{0})
	}
	p.spreads()
	equal(t, "freedom is at least 3", p.freedom, []float64{3})
	equal(t, "shape of no errors", len(p.shape), 0)
	equal(t, "reach without spread", p.reach(0, .9), 0.0)
}

// The 95% points of Student's t for both sides are 2.570582 with 5 degrees of freedom and 3.182446 with 3. The normal
// point is 1.959964.
func TestIntervalsAreWiderWithFewErrors(t *testing.T) {
	t.Parallel()
	for freedom, point := range map[float64]float64{5: 2.570581835636314, 3: 3.182446305284263, 1: 3.182446305284263} {
		if got, want := cautious(freedom, .95), point/1.959963984540054; math.Abs(got-want) > 1e-9 {
			t.Errorf("%v degrees of freedom: %v, want %v", freedom, got, want)
		}
	}
	p := Prediction{spread: []float64{10, 10}, freedom: []float64{5, 5}}
	if got := p.reach(1, .95); math.Abs(got-25.70581835636314) > 1e-8 {
		t.Errorf("without a shape: %v", got)
	}
	p.shape = []float64{0, 1, 2, 3, 4}
	if got, want := p.reach(1, .95), 10*3.8*2.570581835636314/1.959963984540054; math.Abs(got-want) > 1e-8 {
		t.Errorf("with a shape: %v, want %v", got, want)
	}
}

// At level 0.6826895, the normal point is 1, so the calendar's standard deviation is also its half-width.
func TestCalendarWidensIntervals(t *testing.T) {
	t.Parallel()
	const level = 0.6826894921370859
	p := Prediction{Points: []float64{10, 30}}
	equal(t, "without a calendar", p.widened(1, 5, level), 5.0)
	equal(t, "factor without a calendar", p.factor(1), 1.0)
	equal(t, "deviation without a calendar", p.calendarSD(2), 0.0)
	p.calendar, p.factors = [][]float64{{0.04, 0.01}, {0.01, 0.16}}, []float64{2, 3}
	equal(t, "differences", p.widened(1, 5, level), math.Hypot(15, 0.4*30))
	equal(t, "factor", p.factor(1), 3.0)
	// (1/16)·0.04 + 2·(3/16)·0.01 + (9/16)·0.16
	equal(t, "deviation of the sum", p.calendarSD(2), math.Sqrt(0.09625))
	equal(t, "deviation of the first point", p.calendarSD(1), 0.2)
	p.ratio = true
	equal(t, "ratios", p.widened(0, 0.3, level), math.Hypot(0.3, 0.2))
	p.Points = []float64{-1, 1}
	equal(t, "deviation of a zero sum", p.calendarSD(2), 0.0)
	p.calendar[0][0] = -1e-20
	equal(t, "a rounding error", p.widened(0, 5, level), 5.0)
}

func TestBlurredDrawsHaveTheDeviationOfTheCalendar(t *testing.T) {
	t.Parallel()
	equal(t, "without uncertainty", blurred([]float64{3, 5}, 0), []float64{3, 5})
	out := blurred([]float64{3, 5}, 0.2)
	if len(out) != 18 {
		t.Fatalf("%d draws, want nine for each", len(out))
	}
	logs := make([]float64, 0, 9)
	for i := 0; i < len(out); i += 2 {
		equal(t, "draws keep their order", out[i+1]/out[i], 5./3)
		logs = append(logs, math.Log(out[i]/3))
	}
	if mean, sd := logs[4], math.Sqrt(variance(logs)); math.Abs(mean) > 1e-12 || math.Abs(sd-0.2) > 1e-5 || logs[0] >= logs[8] {
		t.Errorf("logarithms around %v with the deviation %v, want 0 and 0.2", mean, sd)
	}
	if wide := blurred([]float64{1}, 1e3); wide[8] != math.Exp(20) {
		t.Errorf("the largest draw is %v, want exp(20)", wide[8])
	}
}

func TestBandsFollowTheScaleOfTheErrors(t *testing.T) {
	t.Parallel()
	of := func(ratio, nonnegative bool, spread float64) Band {
		p := Prediction{
			Points: []float64{10}, Levels: []float64{.9}, spread: []float64{spread}, freedom: []float64{1e9},
			ratio: ratio, nonnegative: nonnegative,
		}
		p.bands()
		return p.Bands[0][0]
	}
	const z = 1.6448536269514722
	within := func(what string, got, want Band) {
		if math.Abs(got.Low-want.Low) > 1e-6*math.Abs(want.High) || math.Abs(got.High-want.High) > 1e-6*want.High {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	within("differences", of(false, false, 10), Band{10 - 10*z, 10 + 10*z})
	within("nonnegative", of(false, true, 10), Band{0, 10 + 10*z})
	within("ratios", of(true, true, 0.1), Band{10 * math.Exp(-0.1*z), 10 * math.Exp(0.1*z)})
	within("the widest ratios", of(true, true, 100), Band{10 * math.Exp(-20), 10 * math.Exp(20)})
}

// Ten origins have errors of -9, -7, ..., 9 at each of two steps, in order.
func TestTotalSumsTheErrorsOfEachOrigin(t *testing.T) {
	t.Parallel()
	p := Prediction{Points: []float64{100, 200, 300}, Levels: []float64{.5}, spread: ones(3), freedom: []float64{5, 5, 5}}
	for i := range 10 {
		e := float64(2*i - 9)
		p.errors = append(p.errors, []float64{e, e})
	}
	got, err := p.Total(2)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "value and number of draws", []float64{got.Value, got.count}, []float64{300, 10})
	want := make([]float64, 10)
	for i := range want {
		level := max(0.01, math.Abs(2*(float64(i)+0.5)/10-1))
		t := distuv.StudentsT{Sigma: 1, Nu: 5} // ten origins have five sums of two points without overlap
		want[i] = 300 + 2*float64(2*i-9)*t.Quantile((1+level)/2)/distuv.UnitNormal.Quantile((1+level)/2)
	}
	for i := range want {
		if math.Abs(got.draws[i]-want[i]) > 1e-6 {
			t.Errorf("draw %d is %v, want %v", i, got.draws[i], want[i])
		}
	}
	// The level 0.5 is raised to 0.55. The quantiles are at 0.225 and 0.775 of nine gaps.
	low, high := want[2]+0.025*(want[3]-want[2]), want[6]+0.975*(want[7]-want[6])
	if b := got.Bands[0]; math.Abs(b.Low-low) > 1e-6 || math.Abs(b.High-high) > 1e-6 {
		t.Errorf("band %v, want %v to %v", b, low, high)
	}
	// No origin has three errors, so the total is that of a random walk with 199 draws.
	walk, err := p.Total(3)
	if err != nil || walk.count != 199 {
		t.Errorf("%v draws, %v; want 199", walk.count, err)
	}
	for _, steps := range []int{0, 4} {
		_, err := p.Total(steps)
		rejected(t, err, fault.KindInvalid, "want 1 to the 3 of the forecast")
	}
}

func TestPointsMoveByTheirErrors(t *testing.T) {
	t.Parallel()
	p := Prediction{Points: []float64{10, 20}}
	equal(t, "a difference", p.moved(1, -25), -5.0)
	p.nonnegative = true
	equal(t, "not below zero", p.moved(1, -25), 0.0)
	equal(t, "a difference above zero", p.moved(1, -5), 15.0)
	p.factors = []float64{1, 2}
	equal(t, "a difference by a factor", p.moved(1, -5), 10.0)
	p.nonnegative = false
	equal(t, "a negative value by a factor", p.moved(1, -15), -10.0)
	p.ratio = true
	equal(t, "a ratio", p.moved(1, math.Log(3)), 60.0)
	equal(t, "the largest ratio", p.moved(0, 21), 10*math.Exp(20))
	equal(t, "the smallest ratio", p.moved(0, -21), 10*math.Exp(-20))
}

// With 100 draws, the levels of the first and last are 0.99. Stretched distances from the median are a multiple of
// the ratio of Student's t to the normal quantile.
func TestDrawsAreStretchedFromTheirMedian(t *testing.T) {
	t.Parallel()
	by := cautious(4, 2./3)
	p := Prediction{}
	draws := []float64{14, 8, 10}
	p.stretch(draws, 4)
	equal(t, "differences", draws, []float64{10 - 2*by, 10, 10 + 4*by})
	p.nonnegative = true
	draws = []float64{0.5, 10, 100}
	p.stretch(draws, 4)
	equal(t, "not below zero", draws, []float64{0, 10, 10 + 90*by})
	p.ratio = true
	draws = []float64{5, 10, 40}
	p.stretch(draws, 4)
	equal(t, "ratios", draws, []float64{10 * math.Pow(0.5, by), 10, 10 * math.Pow(4, by)})
	draws = []float64{10 * math.Exp(-19), 10, 10 * math.Exp(19)}
	p.stretch(draws, 4)
	equal(t, "the widest ratios", draws, []float64{10 * math.Exp(-20), 10, 10 * math.Exp(20)})
}

// The spreads 3 and 5 have variances of 9 and 16 for the first and the second change. The first change affects two
// points. At infinite degrees of freedom, the 97.5% point of 199 draws is 1.959964 deviations.
func TestWalkedTotalsAccumulateTheirChanges(t *testing.T) {
	t.Parallel()
	const z, at = 1.959963984540054, 194 // (194 + 1)/200 = 0.975
	for _, c := range []struct {
		what      string
		p         Prediction
		low, high float64
	}{
		{"differences", Prediction{Points: []float64{10, 30}}, 40 - z*math.Sqrt(9*4+16), 40 + z*math.Sqrt(9*4+16)},
		{"factors", Prediction{Points: []float64{10, 30}, factors: []float64{2, 1}}, 40 - z*math.Sqrt(9*9+16), 40 + z*math.Sqrt(9*9+16)},
		{"nonnegative", Prediction{Points: []float64{5, 5}, nonnegative: true}, 0, 10 + z*math.Sqrt(9*4+16)},
	} {
		c.p.spread, c.p.freedom = []float64{3, 5}, []float64{1e9, 1e9}
		value := c.p.Points[0] + c.p.Points[1]
		got := c.p.walked(2, value)
		if len(got) != 199 || math.Abs(got[4]-c.low) > 1e-5 || math.Abs(got[99]-value) > 1e-9 || math.Abs(got[at]-c.high) > 1e-5 {
			t.Errorf("%s: %v, %v and %v, want %v, %v and %v", c.what, got[4], got[99], got[at], c.low, value, c.high)
		}
	}
	p := Prediction{Points: []float64{10, 30}, ratio: true, spread: []float64{0.3, 0.5}, freedom: []float64{1e9, 1e9}}
	deviation := math.Sqrt(0.09*40*40+0.16*30*30) / 40
	if got, want := p.walked(2, 40)[at], 40*math.Exp(z*deviation); math.Abs(got-want) > 1e-4 {
		t.Errorf("ratios: %v, want %v", got, want)
	}
	p.spread = []float64{100, 100}
	if got := p.walked(2, 40); got[198] != 40*math.Exp(20) || got[0] != 40*math.Exp(-20) {
		t.Errorf("the widest ratios: %v to %v", got[0], got[198])
	}
}

func TestGoalsAreChecked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		goal Goal
		text string
	}{
		{Goal{Target: 0, Length: 3}, "the target is 0, want a number above 0"},
		{Goal{Target: math.Inf(1), Length: 3}, "the target is +Inf"},
		{Goal{Target: 1, Elapsed: -1, Length: 3}, "-1 of 3 points of the period have elapsed, of a series of 5"},
		{Goal{Target: 1, Elapsed: 3, Length: 3}, "3 of 3 points"},
		{Goal{Target: 1, Elapsed: 6, Length: 7}, "6 of 7 points of the period have elapsed, of a series of 5"},
	} {
		rejected(t, c.goal.check(5), fault.KindInvalid, c.text)
		if got := Index(make([]float64, 5), c.goal, Ask{}); got != nil {
			t.Errorf("%+v has the index %v", c.goal, *got)
		}
	}
	for _, goal := range []Goal{{Target: 1e-9, Length: 1}, {Target: 1, Elapsed: 5, Length: 6}} {
		if err := goal.check(5); err != nil {
			t.Errorf("%+v: %v", goal, err)
		}
	}
}

// Two of four days have elapsed with 30. The forecast of the others is 20 and 30.
func TestPaceAddsTheForecastToTheActualTotal(t *testing.T) {
	t.Parallel()
	p := Prediction{Points: []float64{20, 30, 40}, Levels: []float64{.5}, nonnegative: true, spread: ones(3), freedom: ones(3)}
	for i := range 11 {
		p.errors = append(p.errors, []float64{float64(i - 5), float64(i - 5)})
	}
	values := []float64{7, 7, 10, 20}
	total, err := p.Total(2)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		target, required float64
		certain          bool
	}{{81, 25.5, false}, {31, 0.5, false}, {30, 0, true}, {29, 0, true}} {
		got, err := p.Pace(values, Goal{Target: c.target, Elapsed: 2, Length: 4})
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "actual, finish and required", []float64{got.Actual, got.Finish, got.Required}, []float64{30, 80, c.required})
		equal(t, "band", got.Bands, []Band{{30 + total.Bands[0].Low, 30 + total.Bands[0].High}})
		want := 1.0
		if !c.certain {
			want = total.Reaches(c.target - 30)
		}
		equal(t, "probability", got.Probability, want)
	}
	p.nonnegative = false // later values can be negative, so a reached target is not certain
	if got, err := p.Pace(values, Goal{Target: 30, Elapsed: 2, Length: 4}); err != nil || got.Probability >= 1 {
		t.Errorf("probability %v, %v", got.Probability, err)
	}
	if _, err := p.Pace(values, Goal{Target: 30, Length: 4}); err == nil {
		t.Error("a period longer than the forecast has a pace")
	}
	if _, err := p.Pace(values, Goal{}); err == nil {
		t.Error("a goal without a target has a pace")
	}
}

// The forecast is 1 with a standard deviation of 1. The probabilities of the targets are about 0.82, 0.42 and 0.003.
func TestStandingHasItsBounds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		target float64
		want   Standing
	}{{0.1, OnTrack}, {1.2, AtRisk}, {9, Off}} {
		p := Prediction{Points: []float64{1}, spread: []float64{1}, freedom: []float64{1e6}}
		got, err := p.Pace([]float64{1}, Goal{Target: c.target, Length: 1})
		if err != nil || got.Standing != c.want {
			t.Errorf("target %v: %s with %v, %v; want %s", c.target, got.Standing, got.Probability, err, c.want)
		}
	}
	if OnTrackFrom != 0.8 || AtRiskFrom != 0.4 {
		t.Errorf("bounds %v and %v, want 0.8 and 0.4", OnTrackFrom, AtRiskFrom)
	}
}

// The history is constant, so each of four days is expected to have a quarter of the target of 80.
func TestIndexIsTheActualShareOfTheExpectedTotal(t *testing.T) {
	t.Parallel()
	values := append(slices.Repeat([]float64{10}, 8), 15, 15)
	goal := Goal{Target: 80, Elapsed: 2, Length: 4}
	if got := Index(values, goal, Ask{}); got == nil || math.Abs(*got-30./40) > 1e-6 {
		t.Errorf("index %v, want 0.75", got)
	}
	c := flat(8, 4, 1, 0)
	c.Factors[8] = 3 // of six parts, four have elapsed
	if got := Index(values, goal, Ask{Calendar: c}); got == nil || math.Abs(*got-30/(80*4./6)) > 1e-6 {
		t.Errorf("index with a calendar %v, want 0.5625", got)
	}
	if got := Index(values[1:], goal, Ask{}); got != nil {
		t.Errorf("after seven days, the index is %v", *got)
	}
	if got := Index(values, Goal{Target: 80, Length: 4}, Ask{}); got != nil {
		t.Errorf("before the period begins, the index is %v", *got)
	}
	if got := Index(append(make([]float64, 8), 15, 15), goal, Ask{}); got != nil {
		t.Errorf("after zeros, the index is %v", *got)
	}
}
