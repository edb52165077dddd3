package forecast

import (
	"math"
	"testing"

	"assay/internal/measure/stats"
)

// nile is the annual flow of the Nile at Aswan from 1871 to 1910, in 10⁸ m³ (Cobb 1978; statsmodels datasets.nile).
var nile = []float64{
	1120, 1160, 963, 1210, 1160, 1160, 813, 1230, 1370, 1140, 995, 935, 1110, 994, 1020, 960, 1180, 799, 958, 1140,
	1100, 1210, 1150, 1250, 1260, 1220, 1030, 1100, 774, 840, 874, 694, 940, 833, 701, 916, 692, 1020, 1050, 969,
}

// The expected values minimize the same sums of squares with SciPy's Nelder-Mead search. The tolerance is for the
// searches, which stop at a relative gain of 1e-6.
func TestModelsOfTheNileMatchSciPy(t *testing.T) {
	t.Parallel()
	grown, shifted := make([]float64, len(nile)), make([]float64, len(nile))
	for i, y := range nile {
		grown[i], shifted[i] = y+15*float64(i), y-1000
	}
	for _, c := range []struct {
		model track
		name  string
		steps map[int]float64
	}{
		{fitTheta(nile), "Theta", map[int]float64{0: 938.42075, 5: 921.70405}},
		{fitDynamic(nile), "DOTM", map[int]float64{0: 951.25142, 5: 951.25142}},
		{fitDynamic(grown), "DOTM", map[int]float64{0: 1518.03448, 5: 1518.03448}},
		{fitReverting(shifted), "Reverting", map[int]float64{0: 921.48764 - 1000, 1: 902.24039 - 1000, 9: 829.14856 - 1000}},
		{fitReverting(nile), "Reverting", map[int]float64{0: 921.11269, 1: 902.81222, 9: 835.11413}},
	} {
		if c.model.String() != c.name {
			t.Errorf("the model is %s, want %s", c.model, c.name)
		}
		out := make([]float64, 10)
		c.model.ahead(out)
		for at, want := range c.steps {
			if math.Abs(out[at]-want) > 0.3 {
				t.Errorf("%s, step %d: %.3f, want %.3f", c.name, at+1, out[at], want)
			}
		}
	}
}

// The points 12, 16 and 18 have the line 28/3 + 3t for t = 1, 2, 3. The levels are 11, 13.5 and 15.75.
func TestDynamicThetaMatchesAComputationByHand(t *testing.T) {
	t.Parallel()
	d := &dynamic{alpha: 0.5, theta: 2, level: 10, power: 1}
	for i, c := range []struct{ y, expected float64 }{{12, 10}, {16, 14}, {18, 18}} {
		equal(t, "expectation", d.expect(), c.expected)
		if i == 2 {
			out := make([]float64, 2)
			d.ahead(out)
			equal(t, "two steps", out, []float64{18, 15.75 + 0.5*(0.125*28/3+(1-0.0625)/0.5*3)})
		}
		d.observe(c.y)
	}
	equal(t, "intercept, slope, mean, level and power",
		[]float64{d.a, d.b, d.mean, d.level, d.power}, []float64{28. / 3, 3, 46. / 3, 15.75, 0.125})
}

// The state after the fit is that of one pass over the values: it contains the line through all of them.
func TestDynamicThetaFollowsTheValuesOnce(t *testing.T) {
	t.Parallel()
	grown := make([]float64, len(nile))
	for i, y := range nile {
		grown[i] = y + 15*float64(i)
	}
	for _, values := range [][]float64{nile, nile[:6], grown} {
		d, ok := fitDynamic(values).(*dynamic)
		if !ok {
			t.Fatalf("%d values have no dynamic model", len(values))
		}
		intercept, slope := line(values)
		equal(t, "points, mean, intercept and slope", []float64{d.points, d.mean, d.a, d.b},
			[]float64{float64(len(values)), stats.Mean(values), intercept - slope, slope})
		equal(t, "power", d.power, math.Pow(1-d.alpha, d.points))
	}
}

func TestShortSeriesHaveSimpleModels(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		model track
		want  string
	}{
		{fitTheta(nile[:3]), "Naive"},
		{fitTheta(nile[:4]), "Theta"},
		{fitDynamic(nile[:3]), "Naive"},
		{fitDynamic(nile[:5]), "Theta"},
		{fitDynamic(nile[:6]), "DOTM"},
		{fitDynamic(make([]float64, 30)), "Naive"},
		{fitPool(nile[:7], 1, nil), "Naive"},
		{fitPool(nile[:7], 3, nil), "SeasonalNaive"},
		{fitPool(nile[:8], 1, nil), "Pool"},
		{naive(nile, 0), "Naive"},
		{naive(nile, 2), "SeasonalNaive"},
		{naive(nile[:1], 7), "Naive"},
		{ETS.fit(nile[:3], 2, nil), "Naive"},
		{ETS.fit(nile[:23], 12, nil), "ETS(M,N,N)"},
	} {
		if got := c.model.String(); got != c.want {
			t.Errorf("the model is %s, want %s", got, c.want)
		}
	}
	l := naive([]float64{9, 1, 2, 3}, 3)
	out := make([]float64, 4)
	l.ahead(out)
	equal(t, "the last season repeats", out, []float64{1, 2, 3, 1})
	l.observe(5)
	l.observe(6)
	l.ahead(out)
	equal(t, "after two more points", out, []float64{3, 5, 6, 3})
}

// A season above 24 points is removed only if its strength exceeds 0.64.
func TestLongSeasonsAreRemovedIfTheyAreStrong(t *testing.T) {
	t.Parallel()
	wave := func(n, season int, size float64) []float64 {
		random := stats.Stream(8, 1)
		out := make([]float64, n)
		for i := range out {
			out[i] = size*math.Sin(2*math.Pi*float64(i)/float64(season)) + random.NormFloat64()
		}
		return out
	}
	for _, c := range []struct {
		season int
		size   float64
		want   string
	}{{24, 20, "ETS(A,N,A)"}, {25, 20, "STL+ETS(A,N,N)"}, {25, 0, "ETS(A,N,N)"}} {
		if got := ETS.fit(wave(300, c.season, c.size), c.season, nil).String(); got != c.want {
			t.Errorf("a season of %d with size %v: %s, want %s", c.season, c.size, got, c.want)
		}
	}
	strongly := wave(300, 25, 20)
	out := make([]float64, 25)
	Theta.fit(strongly, 25, nil).ahead(out)
	Pool.fit(strongly, 25, nil).ahead(out)
	for h, y := range out {
		if want := 20 * math.Sin(2*math.Pi*float64(h)/25); math.Abs(y-want) > 4 {
			t.Errorf("step %d: %v, want about %v", h, y, want)
		}
	}
}

func TestKindsAreParsed(t *testing.T) {
	t.Parallel()
	for _, k := range Kinds() {
		if got, err := ParseKind(string(k)); got != k || err != nil {
			t.Errorf("%s is %s, %v", k, got, err)
		}
	}
	if got, err := ParseKind("prophet"); got != "" || err == nil || err.Error() != `unknown forecasting model "prophet"` {
		t.Errorf("prophet is %q, %v", got, err)
	}
}

func TestThetaIsTheMeanOfALineAndASmoother(t *testing.T) {
	t.Parallel()
	r := &recorder{expected: 5}
	m := &theta{intercept: 1, slope: 2, points: 3, smoothed: r}
	out := make([]float64, 2)
	m.ahead(out)
	equal(t, "forecast", out, []float64{(5 + 7) / 2., (5 + 9) / 2.})
	m.observe(9)
	m.observe(9)
	equal(t, "doubled curvature", r.observed, []float64{18 - 7, 18 - 9})
}

// Values 1, 2 and 3 against forecasts of 1 and 4 over two steps: five comparisons.
func TestBacktestAveragesOverOriginsAndSteps(t *testing.T) {
	t.Parallel()
	one, four := &recorder{expected: 1}, &recorder{expected: 4}
	p := &pool{members: []track{one, four}}
	equal(t, "mean absolute errors", p.backtest([]float64{1, 2, 3}, 2), []float64{(0 + 1 + 1 + 2 + 2) / 5., (3 + 2 + 2 + 1 + 1) / 5.})
	equal(t, "observed", one.observed, []float64{1, 2, 3})
	equal(t, "observed by the second model", four.observed, []float64{1, 2, 3})
	// The totals of two points are 3 and 5; the forecasts of the totals are 2 and 8.
	p = &pool{members: []track{&recorder{expected: 1}, &recorder{expected: 4}}}
	equal(t, "errors of totals", p.backtestTotals([]float64{1, 2, 3}, 2), []float64{(1 + 3) / 2., (5 + 3) / 2.})
	out := make([]float64, 1)
	p.ahead(out)
	equal(t, "median", out, []float64{2.5})
	p.weights = []float64{0.75, 0.25}
	p.ahead(out)
	equal(t, "weighted mean", out, []float64{1.75})
}

func TestWeightsArePowersOfErrors(t *testing.T) {
	t.Parallel()
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		errors []float64
		k      float64
		want   []float64
	}{
		{[]float64{2, 4, 8}, 2, []float64{16. / 21, 4. / 21, 1. / 21}},
		{[]float64{2, 4}, 0.5, []float64{2. / 3, 1. / 3}}, // at least one window
		{[]float64{0, 1}, 3, []float64{1, 0}},
		{[]float64{3, 3, nan}, 3, []float64{0.5, 0.5, 0}},
		{[]float64{inf, 1}, 1, []float64{0, 1}},
		{[]float64{nan, nan}, 1, nil},
		{[]float64{inf, inf}, 1, nil},
	} {
		equal(t, "weights", backtestWeights(c.errors, c.k), c.want)
	}
}

func TestModelsWithNegligibleWeightAreDropped(t *testing.T) {
	t.Parallel()
	members := func() *pool {
		return &pool{name: "Pool", members: []track{&recorder{expected: 1}, &recorder{expected: 2}, naive(nile, 1)}}
	}
	p := members()
	p.weigh([]float64{0.2, 0.799, 0.0009})
	if len(p.members) != 2 || p.String() != "Pool" {
		t.Errorf("%d models of %s, want 2 of a pool", len(p.members), p)
	}
	equal(t, "weights", p.weights, []float64{0.2 / 0.999, 0.799 / 0.999})
	p = members()
	p.weigh([]float64{0, 0.999, 0.001})
	equal(t, "a weight of a thousandth is kept", p.weights, []float64{0.999, 0.001})
	p = members()
	p.weigh([]float64{0, 0, 1})
	if p.String() != "Naive" {
		t.Errorf("the pool of one model is %s", p)
	}
	p = members()
	p.weigh(nil)
	if len(p.members) != 3 || p.weights != nil {
		t.Errorf("without weights: %d models with %v", len(p.members), p.weights)
	}
}

func TestOnlyPoolsOfTheSameModelsAreWeighted(t *testing.T) {
	t.Parallel()
	of := func(expected ...float64) *pool {
		p := &pool{name: "Pool"}
		for _, x := range expected {
			p.members = append(p.members, &recorder{expected: x})
		}
		return p
	}
	rest := []float64{1, 1, 1, 1}
	for _, c := range []struct{ earlier, whole track }{
		{&recorder{}, of(1, 3)},
		{of(1, 3), &recorder{}},
		{&recorder{}, &recorder{}},
		{of(1, 3), of(1, 3, 5)},
		{of(1, 3), &adjusted{inner: &recorder{}, factors: []float64{0}}},
	} {
		if got := choose(c.earlier, c.whole, rest, 2); got != 0 {
			t.Errorf("%v and %v: %d weights are determined, want 0", c.earlier, c.whole, got)
		}
	}
	earlier, whole := of(2, 3), of(2, 3)
	if got := choose(earlier, whole, rest, 2); got != 1 {
		t.Errorf("%d weights of two models are determined, want 1", got)
	}
	// The errors are 1 and 2, and the four values have two windows.
	for _, p := range []*pool{earlier, whole} {
		equal(t, "weights", p.weights, []float64{0.8, 0.2})
		if n := len(p.members[0].(*recorder).observed); n != 0 {
			t.Errorf("the backtest adds %d points to the model", n)
		}
	}
	// Without the factors 1, -1, 1, -1, the rest is 4, 4, 4, 4. The errors are 1 and 2, and each value is a window.
	inner := of(3, 6)
	seasonal := &adjusted{inner: inner, factors: []float64{-1, 1}, place: 1}
	if got := choose(seasonal, &adjusted{inner: of(3, 6), factors: []float64{-1, 1}}, []float64{5, 3, 5, 3}, 1); got != 1 {
		t.Errorf("%d weights of seasonal models are determined, want 1", got)
	}
	equal(t, "weights after seasonal adjustment", inner.weights, []float64{16. / 17, 1. / 17})
}

func TestCopiesOfModelsAreIndependent(t *testing.T) {
	t.Parallel()
	values := airPassengers[:60]
	for _, kind := range append(Kinds(), "reverting", "logs", "naive") {
		var m track
		switch kind {
		case "reverting":
			m = fitReverting(values)
		case "logs":
			m = onLogarithms(values, func(v []float64) track { return fitARIMA(v, 12, nil) })
		case "naive":
			m = naive(values, 12)
		default:
			m = kind.fit(values, 12, nil)
		}
		before, after, copied := make([]float64, 13), make([]float64, 13), make([]float64, 13)
		m.ahead(before)
		c := m.clone()
		c.ahead(copied)
		equal(t, string(kind)+": forecast of the copy", copied, before)
		for range 5 {
			c.observe(1000)
		}
		m.ahead(after)
		equal(t, string(kind)+": forecast after observations of the copy", after, before)
		if c.ahead(copied); copied[7] == before[7] || c.String() != m.String() {
			t.Errorf("%s: the copy %s does not follow its observations", kind, c)
		}
	}
}

func TestLogarithmsNeedPositiveValues(t *testing.T) {
	t.Parallel()
	plain := func(values []float64) track { return naive(values, 1) }
	if got := onLogarithms([]float64{1, 2}, plain).String(); got != "log Naive" {
		t.Errorf("of positive values: %s", got)
	}
	if got := onLogarithms([]float64{1, 0}, plain).String(); got != "Naive" {
		t.Errorf("with a zero: %s", got)
	}
	m := onLogarithms([]float64{1, 8}, plain)
	out := make([]float64, 1)
	m.ahead(out)
	equal(t, "the last value repeats", out, []float64{8})
}
