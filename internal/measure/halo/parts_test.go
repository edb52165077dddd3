package halo

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/stats/statstest"
)

func repeat(n int, pattern ...float64) []float64 { return slices.Repeat(pattern, n) }

// For 20 equal errors, ρ(l) = (20-l)/20 and 1 + 2 Σ (1 - l/11)(1 - l/20) = 9. The share p adds 2 p Σ (1 - l/11) = 10 p.
func TestLastingErrorsAddUp(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		u      []float64
		weight float64
		p      float64
		want   float64
	}{
		{repeat(20, 3), 1, 0, 9},
		{repeat(20, 3), 4, 0, 9},
		{repeat(20, 3), 1, .1, 10},
		{repeat(10, 1, -1), 1, 0, 1},
		{make([]float64, 20), 1, .1, 1},
	} {
		statstest.Near(t, "ratio", lasting(c.u, repeat(len(c.u), c.weight), c.p), c.want, 1e-9)
	}
	// Two errors one day apart with the weights 4 and 1: (1 + 2·10/11·√4·6/(4·4+9)).
	statstest.Near(t, "ratio with weights", lasting([]float64{2, 3}, []float64{4, 1}, 0), 1+20./11*2*6/25, 1e-9)
	statstest.Near(t, "median size", medianSize([]float64{-5, 1, 3, -2, 9}), 3, 1e-9)
}

// All errors have the size 1, which is 0.7407 of the scale: the median of |t| with 4 degrees of freedom. The weight is
// (4 + 1)/(4 + 0.7407²).
func TestErrorsOfOneSizeHaveOneWeight(t *testing.T) {
	t.Parallel()
	known := firstFit(repeat(100, 1, -1, -1, 1), nil)
	if known.phi != 0 {
		t.Errorf("phi %v, want 0", known.phi)
	}
	for _, w := range known.weight {
		statstest.Near(t, "weight", w, 5/(4+.7407*.7407), 1e-9)
	}
	if none := firstFit(make([]float64, 50), nil); none.phi != 0 || none.excess != 1 || none.weight[7] != 1 {
		t.Errorf("without errors: %+v", none)
	}
}

func TestSpendMustVaryOn60Days(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		days int
		rest float64 // in every one of 100 days
		want Reason
	}{
		{60, 1, ""}, {59, 1, FewSpendDays}, {0, 1, FewSpendDays}, {100, .301, ""}, {100, .299, Constant},
	} {
		spend := make([]float64, 100)
		for i := range c.days {
			spend[i] = 10
		}
		if got := cannotTell(spend, repeat(100, c.rest)); got != c.want {
			t.Errorf("%d days with spend, a variation of %v: %q, want %q", c.days, c.rest, got, c.want)
		}
	}
	if got := cannotTell(repeat(100, -1), repeat(100, 5)); got != FewSpendDays {
		t.Errorf("negative spend: %q", got)
	}
}

// Precisions add: 1/0.2² = 25 for a halo effect, 1/2² for the home surface, and 1/0.1² = 100 for an experiment.
func TestPriorsCombineExperiments(t *testing.T) {
	t.Parallel()
	d := Data{Experiments: []Experiment{
		{"a", "shop", .5, .1},
		{"a", "shop", .3, .1},
		{"b", "shop", 9, .1},
		{"a", "web", 9, .1},
		{"a", "shop", 9, 0},
		{"a", "shop", 9, -1},
	}}
	got := d.priorOf(Effect{Channel: "a", Surface: "shop"})
	statstest.Near(t, "mean", got.mean, (50.+30)/225, 1e-9)
	statstest.Near(t, "variance", got.variance, 1./225, 1e-9)
	if got.experiments != 2 {
		t.Errorf("%d experiments, want 2", got.experiments)
	}
	home := Data{}.priorOf(Effect{Home: true})
	statstest.Near(t, "variance at home", home.variance, 4, 1e-9)
	statstest.Near(t, "variance of a halo effect", Data{}.priorOf(Effect{}).variance, .04, 1e-9)
	effects := []Effect{
		{Channel: "a", Surface: "shop", Reason: Constant, MeanLag: 3},
		{Channel: "a", Surface: "shop"},
		{Channel: "c", Surface: "shop", Reason: Constant},
	}
	d.fallBack(effects, .9)
	e := effects[0]
	if e.Reason != "" || !e.Alone || e.Experiments != 2 || e.MeanLag != 0 ||
		e.Coefficient.Method != measure.GeoExperiment || e.Wide.Level != .95 || e.Coefficient.Level != .9 {
		t.Errorf("effect from experiments alone: %+v", e)
	}
	statstest.Near(t, "its value", e.Coefficient.Value, 80./225, 1e-9)
	statstest.Near(t, "its standard deviation", e.SD, 1./15, 1e-9)
	statstest.Near(t, "its upper limit", e.Wide.High, 80./225+1.959963984540054/15, 1e-9)
	statstest.Near(t, "its probability", e.Positive, .5*math.Erfc(-80./225*15/math.Sqrt2), 1e-9)
	if effects[1].Alone || effects[2].Alone || effects[2].Reason != Constant {
		t.Errorf("other effects changed: %+v", effects[1:])
	}
}

// Adstock with the retention 0.5 of 8, 0, 0, 0 is 4, 2, 1, 0.5, scaled to the sum of 8. The saturation a/(a + h·mean)
// with the mean of 1.875 is then scaled likewise.
func TestResponsesSumToTheSpend(t *testing.T) {
	t.Parallel()
	spend := []float64{8, 0, 0, 0}
	sum := 0.0
	saturated := []float64{4 / 5.875, 2 / 3.875, 1 / 2.875, .5 / 2.375}
	for _, x := range saturated {
		sum += x
	}
	for i, want := range []float64{4, 2, 1, .5} {
		statstest.Near(t, "linear", lag{.5, 0}.response(spend)[i], want*8/7.5, 1e-9)
		statstest.Near(t, "saturated", lag{.5, 1}.response(spend)[i], saturated[i]*8/sum, 1e-9)
	}
	statstest.Near(t, "without adstock", lag{0, 0}.response(spend)[0], 8, 1e-9)
	if got := (lag{.5, 3}).response(make([]float64, 3)); !slices.Equal(got, []float64{0, 0, 0}) || len(lag{}.response(nil)) != 0 {
		t.Errorf("no spend has the response %v", got)
	}
	if lags[usualLag] != (lag{.5, 0}) || len(lags) != 15 {
		t.Errorf("usual lag %+v of %d", lags[usualLag], len(lags))
	}
	for i, want := range []float64{0, 3. / 7, 1, 7. / 3, 17. / 3} {
		for j, half := range []float64{0, 3, 1} {
			statstest.Near(t, "mean lag", lags[3*i+j].meanLag(), want, 1e-9)
			statstest.Near(t, "saturation", lags[3*i+j].half, half, 1e-9)
		}
	}
}

// The mean of the next seven days, or of those that the data contain.
func TestFutureSpendIsThatOfTheNextWeek(t *testing.T) {
	t.Parallel()
	got := ahead([]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 100})
	for i, want := range []float64{
		35. / 7, 42. / 7, 139. / 7, 135. / 6, 130. / 5, 124. / 4, 117. / 3, 109. / 2, 100, 100, // the last day takes its own spend
	} {
		statstest.Near(t, "mean of the next days", got[i], want, 1e-9)
	}
}

// Two columns with the correlation 0.6 have the variance inflation 1/(1 - 0.36). With y = 2 x₀ + x₁ + e and e'e = 9, the
// t-statistic of x₁ is 1·√(1-0.36)·√(free-2)/3.
func TestExaminationsMatchTheClosedForm(t *testing.T) {
	t.Parallel()
	r := regression{xx: [][]float64{{1, .6}, {.6, 1}}, xy: []float64{2.6, 2.2}, free: 11, excess: 1}
	r.yy = 2*2.6 + 1*2.2 + 9
	statstest.Near(t, "inflation", r.inflation(0, 2), 1/.64, 1e-9)
	statstest.Near(t, "inflation of one column", r.inflation(0, 1), 1, 1e-9)
	statstest.Near(t, "t-statistic", r.lead(1, 1), .8*math.Sqrt(9)/3, 1e-9)
	r.excess = 4
	statstest.Near(t, "t-statistic with excess variance", r.lead(1, 1), .4, 1e-9)
	statstest.Near(t, "t-statistic without other columns", r.lead(0, 0), math.Sqrt(2.6*2.6/(4*(16.4-2.6*2.6)/10)), 1e-9)
	r.xy[1] = 1.2 // y = 2.94 x₀ - .56 x₁
	statstest.Near(t, "sign", math.Copysign(1, r.lead(1, 1)), -1, 1e-9)
	r.xx[0][1], r.xx[1][0] = 1, 1
	if got := r.inflation(0, 2); !math.IsInf(got, 1) || r.lead(1, 1) != 0 {
		t.Errorf("equal columns: inflation %v, t-statistic %v", got, r.lead(1, 1))
	}
	two := model{regression: regression{yy: 50, xy: []float64{3, 4}, xx: [][]float64{{2, 1}, {1, 5}}}}
	statstest.Near(t, "residual sum of squares", two.left([]float64{2, 1}, []int{0, 1}), 50-2*(6+4)+(8+4+5), 1e-9)
	one := model{regression: regression{yy: 50, xy: []float64{30}, xx: [][]float64{{1}}}}
	statstest.Near(t, "least residual sum of squares", one.left([]float64{30}, []int{0}), 50e-12, 1e-9)
}

func TestDrawsAreSummarized(t *testing.T) {
	t.Parallel()
	d := draws{beta: [][]float64{nil, {-1, 0, 1, 2, 3}}, lag: [][]int{nil, {6, 6, 9, 9, 6}}}
	e := Effect{}
	d.describe(1, .5, &e)
	statstest.Near(t, "mean", e.Coefficient.Value, 1, 1e-9)
	statstest.Near(t, "standard deviation", e.SD, math.Sqrt(2.5), 1e-9)
	statstest.Near(t, "lower quartile", e.Coefficient.Low, 0, 1e-9)
	statstest.Near(t, "upper quartile", e.Coefficient.High, 2, 1e-9)
	statstest.Near(t, "wide lower limit", e.Wide.Low, -.9, 1e-9)
	statstest.Near(t, "wide upper limit", e.Wide.High, 2.9, 1e-9)
	statstest.Near(t, "positive", e.Positive, .6, 1e-9)
	statstest.Near(t, "mean lag", e.MeanLag, (3*1+2*7./3)/5, 1e-9)
	if e.Coefficient.Method != measure.DistributedLag || e.Coefficient.Basis != measure.Modelled ||
		e.Wide.Level != .95 || e.Coefficient.Level != .5 {
		t.Errorf("effect %+v", e)
	}
	columns := make([][]float64, 2*len(lags))
	for i := range columns {
		columns[i] = []float64{float64(i), 1}
	}
	got := d.response(1, columns) // three draws of column 15+6 and two of 15+9
	statstest.Near(t, "mean response", got[0], (3*21+2*24)/5., 1e-9)
	statstest.Near(t, "mean response of equal columns", got[1], 1, 1e-9)
}

func TestPicksAreInProportionToTheWeights(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(4, 4))
	seen := make([]int, 4)
	for range 10_000 {
		seen[pick([]float64{2, 0, 5, 3}, rng)]++
	}
	for i, want := range []int{2000, 0, 5000, 3000} { // ± 4 standard deviations
		if d := seen[i] - want; d < -200 || d > 200 || want == 0 && d != 0 {
			t.Errorf("index %d is picked %d times, want about %d", i, seen[i], want)
		}
	}
}

func TestSpansLeaveZerosOut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		column []float64
		from   int
		values []float64
	}{
		{[]float64{0, 0, 3, 0, 4, 0}, 2, []float64{3, 0, 4}},
		{[]float64{1, 2}, 0, []float64{1, 2}},
		{[]float64{0, 5}, 1, []float64{5}},
		{[]float64{5, 0}, 0, []float64{5}},
		{[]float64{0, 0}, 2, nil},
	} {
		if s := spanOf(c.column); s.from != c.from || !slices.Equal(s.values, c.values) {
			t.Errorf("%v: from %d %v, want from %d %v", c.column, s.from, s.values, c.from, c.values)
		}
	}
	a, b := spanOf([]float64{0, 1, 2, 3, 0, 0}), spanOf([]float64{0, 0, 5, 7, 9, 0})
	statstest.Near(t, "product", a.with(b), 31, 1e-9)
	statstest.Near(t, "product in the other order", b.with(a), 31, 1e-9)
	statstest.Near(t, "product of one day", a.with(spanOf([]float64{0, 0, 0, 2, 1, 1})), 6, 1e-9)
	statstest.Near(t, "product without a common day", a.with(spanOf([]float64{0, 0, 0, 0, 1, 1})), 0, 1e-9)
	statstest.Near(t, "dot product", a.dot([]float64{9, 1, 1, 2, 9, 9}), 9, 1e-9)
	x := []float64{9, 1, 1, 2, 9, 9}
	base{a}.take([]float64{2}, x)
	if !slices.Equal(x, []float64{9, -1, -3, -4, 9, 9}) {
		t.Errorf("the rest is %v", x)
	}
}

// (4 2, 2 5) = L L' with L = (2 0, 1 2). A column that repeats another is left out.
func TestFactorsIgnoreRepeatedColumns(t *testing.T) {
	t.Parallel()
	a := [][]float64{{4, 4, 2}, {4, 4, 2}, {2, 2, 5}}
	l := factorOf(3, func(i, j int) float64 { return a[i][j] })
	if diff := cmp.Diff(factor{{2}, {2, 0}, {1, 0, 2}}, l); diff != "" || l.rank() != 2 {
		t.Errorf("factor of rank %d (-want +got):\n%s", l.rank(), diff)
	}
	// (4 2, 2 5) (1, 2) = (8, 12).
	got := l.back(l.forward([]float64{8, 8, 12}))
	if !slices.Equal(got, []float64{1, 0, 2}) {
		t.Errorf("solution %v, want 1, 0 and 2", got)
	}
}

func TestDefaultsAndLimitsOfOptions(t *testing.T) {
	t.Parallel()
	d := simulate(2, [4]float64{0.25, 0.1, 0, 0.05})
	want := estimate(t, d, Options{Draws: 800, Level: .9})
	if diff := cmp.Diff(want, estimate(t, d, Options{})); diff != "" {
		t.Errorf("defaults (-want +got):\n%s", diff)
	}
	for name, c := range map[string]struct {
		o  Options
		ok bool
	}{
		"100 draws": {Options{Draws: 100}, true}, "99 draws": {Options{Draws: 99}, false}, "level 1": {Options{Level: 1}, false},
		"level below 0": {Options{Level: -.1}, false}, "level .99": {Options{Level: .99, Draws: 100}, true},
	} {
		if _, err := Estimate(Data{}, c.o); (err == nil) != c.ok || err != nil && fault.KindOf(err) != fault.KindInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, c := range []struct {
		e    Effect
		want bool
	}{
		{Effect{Wide: measure.Interval{Low: .1}}, true},
		{Effect{}, false},
		{Effect{Wide: measure.Interval{Low: .1}, Reason: Constant}, false},
	} {
		if c.e.Found() != c.want {
			t.Errorf("%+v is found: %t", c.e, !c.want)
		}
	}
}

// A single usable channel is estimated, and its estimate is near the simulated effect of 0.25.
func TestOneChannelIsEnough(t *testing.T) {
	t.Parallel()
	d := simulate(3, [4]float64{0.25, 0, 0, 0})
	d.Channels = d.Channels[:1]
	if e := estimate(t, d, Options{})[0]; e.Reason != "" || !(math.Abs(e.Coefficient.Value-.25) < .1) || e.Inflation != 1 {
		t.Errorf("%+v, want an effect of about 0.25 without inflation", e)
	}
}
