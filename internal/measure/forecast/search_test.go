package forecast

import (
	"math"
	"slices"
	"testing"

	"assay/internal/fault"
)

func TestSlopesAreForwardDifferences(t *testing.T) {
	t.Parallel()
	for at, want := range map[float64]float64{0: 1e-6, 0.5: 1e-6, -1: 1e-6, 3: 3e-6, -20: 2e-5} {
		equal(t, "step", stepAt(at), want)
	}
	// The residuals are 3a + 2b and a·b. Parameters above 4 are not allowed, so the slope of a is a backward difference.
	allowed := func(params, out []float64) bool {
		out[0], out[1] = 3*params[0]+2*params[1], params[0]*params[1]
		return params[0] <= 4 && params[1] <= 5
	}
	for _, b := range []float64{2, -7} {
		params, columns := []float64{4, b}, make([]float64, 4)
		p := problem{points: 2, residuals: allowed}
		now := make([]float64, 2)
		allowed(params, now)
		for _, many := range []several{nil, func(params, out [][]float64, ok []bool) {
			for i := range params {
				ok[i] = allowed(params[i], out[i])
			}
		}} {
			p.several = many
			p.slopes(params, now, columns)
			for i, want := range []float64{3, b, 2, 4} {
				if math.Abs(columns[i]-want) > 1e-6 {
					t.Errorf("slope %d is %v, want %v", i, columns[i], want)
				}
			}
			equal(t, "parameters after the slopes", params, []float64{4, b})
		}
	}
	// Neither direction is allowed, so the parameter has no slope.
	fixed := problem{points: 1, residuals: func(params, out []float64) bool { out[0] = params[0]; return params[0] == 1 }}
	column := make([]float64, 1)
	fixed.slopes([]float64{1}, []float64{1}, column)
	equal(t, "slope of a fixed parameter", column, []float64{0})
}

// Five parameters are more than the four that are evaluated at once.
func TestManyParametersAreEvaluatedInGroups(t *testing.T) {
	t.Parallel()
	calls := []int{}
	p := problem{points: 5, several: func(params, out [][]float64, ok []bool) {
		calls = append(calls, len(params))
		for i := range params {
			copy(out[i], params[i])
			ok[i] = true
		}
	}}
	params, columns := []float64{1, 2, 3, 4, 5}, make([]float64, 25)
	p.slopes(params, slices.Clone(params), columns)
	for i, got := range columns {
		want := 0.0
		if i%6 == 0 {
			want = 1
		}
		if math.Abs(got-want) > 1e-8 {
			t.Errorf("element %d is %v, want %v", i, got, want)
		}
	}
	if !slices.Equal(calls, []int{4, 1}) {
		t.Errorf("groups of %v, want 4 and 1", calls)
	}
}

// The minimum of Rosenbrock's function is 0 at (1, 1) (Rosenbrock 1960). Powell's singular function has its minimum 0
// at the origin (Moré, Garbow and Hillstrom 1981, problem 13).
func TestSearchFindsKnownMinima(t *testing.T) {
	t.Parallel()
	rosenbrock := problem{points: 2, residuals: func(p, out []float64) bool {
		out[0], out[1] = 10*(p[1]-p[0]*p[0]), 1-p[0]
		return true
	}}
	params := []float64{-1.2, 1}
	if got := rosenbrock.solve(params); got > 1e-12 || math.Abs(params[0]-1) > 1e-6 || math.Abs(params[1]-1) > 1e-6 {
		t.Errorf("Rosenbrock: %v at %v", got, params)
	}
	powell := problem{points: 4, residuals: func(p, out []float64) bool {
		out[0], out[1] = p[0]+10*p[1], math.Sqrt(5)*(p[2]-p[3])
		out[2], out[3] = (p[1]-2*p[2])*(p[1]-2*p[2]), math.Sqrt(10)*(p[0]-p[3])*(p[0]-p[3])
		return true
	}}
	params = []float64{3, -1, 0, 1}
	if got := powell.solve(params); got > 1e-10 {
		t.Errorf("Powell: %v at %v", got, params)
	}
	forbidden := problem{points: 1, residuals: func(_, _ []float64) bool { return false }}
	if got := forbidden.solve([]float64{1}); !math.IsInf(got, 1) {
		t.Errorf("parameters that are not allowed: %v", got)
	}
	none := problem{points: 2, residuals: func(_, out []float64) bool { out[0], out[1] = 3, 4; return true }}
	equal(t, "without parameters", none.solve(nil), 25.0)
	equal(t, "not finite", squares([]float64{math.NaN()}), math.Inf(1))
}

// A step that gains what a linear problem predicts has at most its own gain left.
func TestSearchStopsWithoutAChance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		gain, predicted, want float64
	}{{10, 10, 1}, {8.1, 10, 1}, {11.9, 10, 1}, {7.9, 10, 30}, {12.1, 10, 30}} {
		equal(t, "remaining steps", further(c.gain, c.predicted, 30), c.want)
	}
	// With gram [[4, 0], [0, 9]], slope (2, 3) and no damping, the step (0.5, 1/3) gains 0.5·2 + 3/3.
	equal(t, "linear gain", decline([]float64{4, 0, 0, 9}, []float64{2, 3}, []float64{.5, 1. / 3}, 0), 2.0)
	equal(t, "damped gain", decline([]float64{4, 0, 0, 9}, []float64{2, 3}, []float64{.5, 1. / 3}, 2), 2+2*(4*.25+9./9))
	evaluations := func(rival float64) int {
		n := 0
		rosenbrock := problem{points: 2, rival: rival, residuals: func(p, out []float64) bool {
			n++
			out[0], out[1] = 10*(p[1]-p[0]*p[0]), 1-p[0]
			return true
		}}
		rosenbrock.solve([]float64{-1.2, 1})
		return n
	}
	whole := evaluations(0)
	if got := evaluations(math.Inf(1)); got != whole {
		t.Errorf("%d evaluations with an infinite rival, %d without one", got, whole)
	}
	// From 24.2, forty steps of less than 20 each can reach a rival of 1e-9.
	if got := evaluations(1e-9); got >= whole && whole > 60 {
		t.Errorf("%d evaluations with a rival, %d without one", got, whole)
	}
}

func TestMemoryIsReused(t *testing.T) {
	t.Parallel()
	r := new(room)
	a := r.take(5)
	b := r.take(3)
	b[0] = 7
	if len(a) != 5 || len(b) != 3 || a[0] != 7 || len(r.take(6)) != 6 {
		t.Errorf("%v and %v", a, b)
	}
	var none *room
	if got := none.take(4); len(got) != 4 {
		t.Errorf("%v of no room, want four numbers", got)
	}
}

// Errors of 1 add 0.5 per point to the upper sum. At a run length of 180, the threshold is that of 360 for one side.
func TestAlarmIsRaisedAboveTheThreshold(t *testing.T) {
	t.Parallel()
	limit := alarmLimit(360)
	n := int(limit/0.5) + 1
	for _, c := range []struct {
		sign float64
		up   bool
	}{{1, true}, {-1, false}} {
		errors := make([]float64, 2*n+3)
		for i := range errors {
			if i >= 2 {
				errors[i] = c.sign
			}
		}
		got, err := Alarms(errors, 180)
		want := []Alarm{{At: n + 1, Since: 1, Up: c.up, Excess: c.sign}, {At: 2*n + 1, Since: n + 1, Up: c.up, Excess: c.sign}}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("sign %v: %+v, %v; want %+v", c.sign, got, err, want)
		}
	}
	// An error of 100 counts as 3 and adds 2.5.
	clipped := int(limit/2.5) + 1
	errors := slices.Repeat([]float64{100}, clipped)
	if got, _ := Alarms(errors[1:], 180); len(got) != 0 {
		t.Errorf("%d large errors raise %+v", clipped-1, got)
	}
	if got, _ := Alarms(errors, 180); len(got) != 1 || got[0].Excess != 3 || got[0].Since != -1 {
		t.Errorf("%d large errors raise %+v, want one alarm with an excess of 3", clipped, got)
	}
	for _, length := range []float64{9.99, 1e6 + 1, math.NaN()} {
		_, err := Alarms(nil, length)
		rejected(t, err, fault.KindInvalid, "want 10 to a million")
		_, err = Drifts(nil, length)
		rejected(t, err, fault.KindInvalid, "want 10 to a million")
	}
	for _, length := range []float64{10, 1e6} {
		if _, err := Alarms(nil, length); err != nil {
			t.Errorf("run length %v: %v", length, err)
		}
	}
}

func TestMergedAlarmsFollowWithinTheGap(t *testing.T) {
	t.Parallel()
	alarms := []Alarm{{At: 10, Since: 6, Excess: 1}, {At: 20, Since: 17, Excess: 8}}
	if got := Lasting(alarms, 6); !slices.Equal(got, alarms) {
		t.Errorf("with a gap of 7 points: %+v", got)
	}
	if got := Lasting(alarms, 7); !slices.Equal(got, []Alarm{{At: 20, Since: 6, Excess: 4}}) { // (4·1 + 3·8)/7
		t.Errorf("within the gap: %+v", got)
	}
}

// Two errors: the first has the prior variance 1. The second is predicted by 0.3 times the first, if AIC prefers that
// order, and has the variance (1 - 0.3²) at least.
func TestWhitenedErrorsAreInnovations(t *testing.T) {
	t.Parallel()
	got := Whitened([]float64{2, 1})
	phi, v := yuleWalker([8]float64{4}, [8]float64{1})
	equal(t, "first error", got[0], 2/math.Sqrt(1-0.3*0.3))
	equal(t, "second error", got[1], (1-phi[0]*2)/math.Sqrt(v))
	// The autocovariances with the prior are 32/29 and 28·0.3/29.
	r := 28 * 0.3 / 32
	equal(t, "coefficient", phi[:1], []float64{r})
	if order := len(phi); order == 1 {
		equal(t, "variance", v, 32./29*(1-r*r))
	}
	// Large errors are clipped for later points.
	equal(t, "after a large error", Whitened([]float64{50, 1})[1], Whitened([]float64{3, 1})[1])
	equal(t, "after a large negative error", Whitened([]float64{-50, 1})[1], Whitened([]float64{-3, 1})[1])
}

func TestGapsAreFilledWithTheirSeason(t *testing.T) {
	t.Parallel()
	week := make([]float64, 28)
	for i := range week {
		week[i] = 10 + float64(i%7)
	}
	gap := slices.Clone(week)
	gap[10], gap[11] = math.NaN(), math.NaN()
	for i, got := range Filled(gap, 7) {
		if math.Abs(got-week[i]) > 0.5 {
			t.Errorf("day %d: %v, want about %v", i, got, week[i])
		}
	}
	gap[0] = math.NaN()
	if got := Filled(gap, 7); got[0] != 11 { // half a cycle before the first centered mean: the nearest value
		t.Errorf("the first day is %v, want 11", got[0])
	}
	equal(t, "shorter than two seasons", Filled(gap[7:20], 7)[3:5], []float64{13, 14})
}

func TestLayoutsHaveTheParametersOfTheirForm(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]layout{
		"ETS(A,N,N)":  {beta: -1, gamma: -1, phi: -1, level: 1, slope: -1, seasonal: -1, length: 2},
		"ETS(A,Ad,N)": {beta: 1, gamma: -1, phi: 2, level: 3, slope: 4, seasonal: -1, length: 5},
		"ETS(A,A,A)":  {beta: 1, gamma: 2, phi: -1, level: 3, slope: 4, seasonal: 5, length: 8},
		"ETS(M,Ad,M)": {beta: 1, gamma: 2, phi: 3, level: 4, slope: 5, seasonal: 6, length: 9},
		"ETS(M,N,M)":  {beta: -1, gamma: 1, phi: -1, level: 2, slope: -1, seasonal: 3, length: 6},
	} {
		found := false
		for _, f := range forms(4, true) {
			if f.String() != name {
				continue
			}
			found = true
			l := f.layout(4, 10)
			got := []int{l.beta, l.gamma, l.phi, l.level, l.slope, l.seasonal, l.length}
			equal(t, name, got, []int{want.beta, want.gamma, want.phi, want.level, want.slope, want.seasonal, want.length})
			params := make([]float64, l.length)
			params[l.level] = 3
			if l.slope > 0 {
				params[l.slope] = -0.5
			}
			s := &smoother{form: f, seasonal: make([]float64, 4), slope: 9, place: 2}
			if l.seasonal > 0 {
				copy(params[l.seasonal:], []float64{0.5, 1, 2})
			}
			l.set(s, params)
			alpha := (1e-4 + 0.9999) / 2 // 0 is the middle of each range
			equal(t, name+": smoothing", []float64{s.alpha, s.level, float64(s.place)}, []float64{alpha, 30, 0})
			if f.trend {
				equal(t, name+": trend", []float64{s.beta, s.slope}, []float64{(1e-4 + alpha) / 2, -5})
			} else {
				equal(t, name+": no trend", s.slope, 0.0)
			}
			switch f.season {
			case 'A':
				equal(t, name+": season", append(s.seasonal, s.gamma), []float64{5, 10, 20, -35, (1e-4 + 1 - alpha) / 2})
			case 'M':
				equal(t, name+": season", append(s.seasonal, s.gamma), []float64{0.5, 1, 2, 0.5, (1e-4 + 1 - alpha) / 2})
			}
			if f.damped {
				equal(t, name+": damping", s.phi, 0.89)
			} else {
				equal(t, name+": no damping", s.phi, 1.0)
			}
		}
		if !found {
			t.Errorf("%s is not a candidate", name)
		}
	}
	for _, c := range []struct {
		season   int
		positive bool
		want     int
	}{{4, true, 15}, {4, false, 6}, {1, true, 6}, {1, false, 3}, {2, false, 6}} {
		if got := len(forms(c.season, c.positive)); got != c.want {
			t.Errorf("season %d, positive %v: %d forms, want %d", c.season, c.positive, got, c.want)
		}
	}
}

// AICc is n log S + 2 k n / (n - k - 1). Simple smoothing has k = 3 parameters: α, the level and the variance.
func TestCriterionIsAICc(t *testing.T) {
	t.Parallel()
	start := initialOf(nile, 1, true)
	c, ok := form{season: 'N'}.begin(nile, 1, start, nil, nil)
	if !ok {
		t.Fatal("no start")
	}
	equal(t, "freedom", c.freedom(), 36.0)
	equal(t, "penalty", c.penalty(), 2*3*40/36.)
	equal(t, "criterion", c.criterion(math.E), 40+2*3*40/36.)
	equal(t, "criterion of no error", c.criterion(0), 40*math.Log(1e-300)+2*3*40/36.)
	for n, want := range map[int]bool{5: true, 4: false} {
		if _, ok := (form{season: 'N'}).begin(nile[:n], 1, start, nil, nil); ok != want {
			t.Errorf("%d points: %v, want %v", n, ok, want)
		}
	}
	// SciPy's minimum of the sum of squares is 946,948.33.
	s, _ := fitETS(nile, 1, nil)
	if s.String() != "ETS(A,N,N)" || math.Abs(s.criterion-557.10666) > 1e-4 {
		t.Errorf("%s has the AICc %v, want ETS(A,N,N) with 557.10666", s, s.criterion)
	}
	equal(t, "mean size", start.unit, func() (sum float64) {
		for _, y := range nile {
			sum += y / 40
		}
		return sum
	}())
	zero := initialOf(make([]float64, 12), 1, false)
	equal(t, "unit of zeros", zero.unit, 1.0)
	// The line through the first ten points is 20 - 4 t, for t = 0, 1 …; the level is at t = -1.
	falling := initialOf(append(straightLine(10, 20, -4), 500), 1, false)
	equal(t, "level and slope", []float64{falling.level, falling.slope, falling.plain}, []float64{24, -4, 24})
	// A line from 1 with the slope 3 has the level -2 before the first point. Positive series start at the mean.
	rising := initialOf(straightLine(10, 1, 3), 1, true)
	equal(t, "positive level", []float64{rising.level, rising.slope, rising.plain}, []float64{14.5, 0, 14.5})
}

func TestTrailConvertsUnits(t *testing.T) {
	t.Parallel()
	var none *trail
	if got := none.form(form{season: 'N'}, 1, 1); got != nil {
		t.Errorf("without a trail: %v", got)
	}
	tr := newTrail()
	added, scaled := form{trend: true, season: 'A'}, form{relative: true, season: 'M'}
	if got := tr.form(added, 3, 1); got != nil {
		t.Errorf("an unknown form: %v", got)
	}
	tr.forms[added] = ending{params: []float64{9, -9, 1, 2, 3, 4, 5}, unit: 10}
	tr.forms[scaled] = ending{params: []float64{0, 1, 2, 3, 4}, unit: 10}
	equal(t, "additive", tr.form(added, 3, 20), []float64{8, -8, 1, 1, 1.5, 2, 2.5})
	equal(t, "multiplicative", tr.form(scaled, 3, 20), []float64{0, 1, 1, 3, 4})
	o := order{p: 1, d: 1, constant: true, season: 1}
	params := []float64{0.5, 0}
	tr.order(o, &candidate{center: 4, spread: 2}, params)
	equal(t, "an unknown order", params, []float64{0.5, 0})
	tr.leaveOrder(o, &candidate{center: 10, spread: 3}, []float64{5, 2})
	tr.order(o, &candidate{center: 4, spread: 2}, params)
	equal(t, "an order", params, []float64{3, (10 + 3*2 - 4) / 2.})
	if _, ok := tr.chosen(o); ok {
		t.Error("an order is chosen before a fit")
	}
	tr.choose(o)
	for _, c := range []struct {
		base order
		want bool
	}{
		{order{d: 1, season: 1}, true},
		{order{season: 1}, false},
		{order{d: 1, sd: 1, season: 1}, false},
		{order{d: 1, season: 2}, false},
	} {
		if got, ok := tr.chosen(c.base); ok != c.want || ok && got != o {
			t.Errorf("%+v: %v, %v", c.base, got, ok)
		}
	}
	none.choose(o)
	none.leaveOrder(o, nil, nil)
	none.order(o, nil, nil)
}

// Outside of its window, the loess curve has the value of the nearest point or the line through the points.
func TestLocalRegressionAtSpecialPoints(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		values []float64
		window int
		at     float64
		want   float64
	}{
		{[]float64{5}, 3, 0, 5},
		{[]float64{1, 2, 3, 4}, 3, -1, 0},
		{[]float64{1, 2, 3, 4}, 3, 4, 5},
		{[]float64{1, 2, 3, 4}, 3, 1.5, 2.5},
		// The window of three points reaches to the neighbors, which have a weight of zero, so only the point counts.
		{[]float64{1, 7, 3}, 3, 1, 7},
		// A window of five reaches one point further: the weights are 1 and (1 - 1/8)³ = 343/512.
		{[]float64{0, 0, 8, 0, 0}, 5, 2, 8 * 512. / (512 + 2*343)},
		{[]float64{0, 8, 0}, 5, 1, 8 * 512. / (512 + 2*343)},
	} {
		equal(t, "loess", loessAt(c.values, c.window, c.at), c.want)
	}
	equal(t, "moving mean", moving([]float64{2, 4, 9}, 3), []float64{5})
	out := []float64{0, 9, 9, 6}
	draw(out, 0, 3)
	equal(t, "interpolated", out, []float64{0, 2, 4, 6})
}

// Two points and a season of one: the naive error of the sum of two points needs four points.
func TestNaiveErrorOfASumNeedsTwoSums(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		history        []float64
		points, season int
		want           float64
	}{
		{[]float64{1, 2, 3}, 2, 1, 0},
		{[]float64{1, 2, 3, 5}, 2, 1, 5},
		{[]float64{1, 2, 3, 5, 8}, 2, 1, (5 + 8) / 2.},
		{[]float64{1, 2, 3, 5}, 1, 3, 4},
		{[]float64{1, 2, 3}, 1, 3, 0},
		{[]float64{1, 2, 3, 5, 9}, 2, 3, 11},
	} {
		equal(t, "naive error", naiveSum(c.history, c.points, c.season), c.want)
	}
}

func TestScoresAreChecked(t *testing.T) {
	t.Parallel()
	_, err := Pinball(1, []float64{1}, []float64{1})
	rejected(t, err, fault.KindInvalid, "the quantile is 1, want a fraction between 0 and 1")
	_, err = Pinball(0, []float64{1}, []float64{1})
	rejected(t, err, fault.KindInvalid, "the quantile is 0,")
	_, err = Pinball(.5, []float64{1, 2}, []float64{1})
	rejected(t, err, fault.KindInvalid, "2 values to compare with 1 quantiles")
	_, err = Pinball(.5, nil, nil)
	rejected(t, err, fault.KindInvalid, "0 values to compare with 0 quantiles")
	whole := Expected{Points: 1, Median: 1, Levels: []float64{.8}, Bands: []Band{{0, 2}}}
	for text, edit := range map[string]func(e *Expected){
		"invalid forecast of 0 points with 1 levels and 1 bands": func(e *Expected) { e.Points = 0 },
		"invalid forecast of 1 points with 2 levels and 1 bands": func(e *Expected) { e.Levels = []float64{.8, .9} },
		"value 1.1e+100, want a finite number":                   func(e *Expected) { e.Median = 1.1e100 },
		"value NaN, want a finite number":                        func(e *Expected) { e.Bands = []Band{{0, math.NaN()}} },
		"value -Inf, want a finite number":                       func(e *Expected) { e.Bands = []Band{{math.Inf(-1), 0}} },
	} {
		e := whole
		edit(&e)
		_, err := e.Outcome(nil, 7, 1)
		rejected(t, err, fault.KindInvalid, text)
	}
	o, err := whole.Outcome([]float64{1, 2, 4}, 0, 2)
	if err != nil || !o.Inside[0] || o.Error != 1 || *o.MASE != 1/1.5 {
		t.Errorf("at the upper limit: %+v, %v", o, err)
	}
}

// Without a finite step, the search ends at its start.
func TestSearchEndsAtInfiniteSlopes(t *testing.T) {
	t.Parallel()
	for n := 1; n <= 2; n++ {
		params := []float64{2, 2}[:n]
		p := problem{
			points: 1, residuals: func(params, out []float64) bool { out[0] = params[0]; return true },
			derive: func(_, _, columns []float64) {
				for i := range columns {
					columns[i] = math.Inf(1)
				}
			},
		}
		if got := p.solve(params); got != 4 || params[0] != 2 {
			t.Errorf("%v at %v, want 4 at 2", got, params)
		}
	}
}

// All forms fit a constant series exactly. Of equal criteria, the first form is chosen: additive errors without trend.
func TestTheFirstOfEqualFormsIsChosen(t *testing.T) {
	t.Parallel()
	for _, level := range []float64{7, 64, 1000} {
		s, ok := fitETS(slices.Repeat([]float64{level}, 30), 1, nil)
		if !ok || s.String() != "ETS(A,N,N)" {
			t.Errorf("a series of %v has the form %s, want ETS(A,N,N)", level, s)
		}
	}
}
