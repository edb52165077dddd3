package mmm

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/decide"
	"assay/internal/measure/stats/hmc"
)

func TestSettingsHaveTheirDefaults(t *testing.T) {
	t.Parallel()
	if got := (Sampling{Seed: 5}).withDefaults(); got.Seed != 5 || got.Chains != 4 || got.Warmup != 1000 || got.Draws != 1000 {
		t.Errorf("sampling %+v", got)
	}
	if got := (Sampling{Chains: 1, Warmup: 2, Draws: 3}).withDefaults(); got.Chains != 1 || got.Warmup != 2 || got.Draws != 3 {
		t.Errorf("given sampling %+v", got)
	}
	want := Spec{
		Adstock: Adstock{Geometric, 8}, Saturation: Logistic, Effect: Coefficient, Trend: Trend{Kind: LinearTrend}, Likelihood: Normal,
	}
	if diff := cmp.Diff(want, Spec{}.withDefaults()); diff != "" {
		t.Errorf("specification (-want +got):\n%s", diff)
	}
	given := Spec{
		Adstock: Adstock{Delayed, 3}, Saturation: Hill, Effect: ROI, Trend: Trend{KnotTrend, 9}, Likelihood: StudentT, Yearly: 2,
	}
	if diff := cmp.Diff(given, given.withDefaults()); diff != "" {
		t.Errorf("given specification (-want +got):\n%s", diff)
	}
	for _, c := range []struct{ chains, warmup, draws int }{{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}} {
		_, err := Fit(toy(), Spec{}, Sampling{Chains: c.chains, Warmup: c.warmup, Draws: c.draws})
		if err == nil || !strings.Contains(err.Error(), "invalid sampling: ") {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// The documentation of the model states these priors.
func TestParametersHaveTheirDefaultPriors(t *testing.T) {
	t.Parallel()
	type row struct {
		Name  string
		Prior Prior
	}
	rows := func(parameters []parameter) (out []row) {
		for _, p := range parameters {
			out = append(out, row{p.name, p.prior})
		}
		return out
	}
	lam, kappa := row{"lam", Prior{GammaPrior, 3, 1}}, row{"kappa", Prior{LogNormalPrior, -0.7, 0.7}}
	for saturation, want := range map[Saturation][]row{
		Logistic: {lam}, Log: {lam}, Hill: {kappa, {"slope", Prior{LogNormalPrior, 0, 0.3}}}, MichaelisMenten: {kappa},
		Tanh: {{"c", Prior{LogNormalPrior, -0.35, 0.7}}}, Root: {{"p", Prior{BetaPrior, 3, 2}}}, Unsaturated: nil,
		CES: {{"elasticity", Prior{BetaPrior, 3, 1}}, {"sharpness", Prior{LogNormalPrior, 0.45, 0.7}}},
	} {
		if diff := cmp.Diff(want, rows(saturation.parameters())); diff != "" {
			t.Errorf("%s (-want +got):\n%s", saturation, diff)
		}
		if got, err := ParseSaturation(string(saturation)); got != saturation || err != nil {
			t.Errorf("%s is read as %s, %v", saturation, got, err)
		}
	}
	alpha := row{"alpha", Prior{BetaPrior, 1, 3}}
	weibull := []row{{"scale", Prior{GammaPrior, 4, 2}}, {"shape", Prior{GammaPrior, 9, 3}}}
	for kind, want := range map[AdstockKind][]row{
		Geometric: {alpha}, Binomial: {alpha}, WeibullCDF: weibull, WeibullPDF: weibull, Immediately: nil,
		Delayed: {{"alpha", Prior{BetaPrior, 2, 2}}, {"theta", Prior{HalfNormalPrior, 2, 0}}},
	} {
		if diff := cmp.Diff(want, rows(Adstock{kind, 4}.parameters())); diff != "" {
			t.Errorf("%s (-want +got):\n%s", kind, diff)
		}
	}
	sigma := row{"sigma", Prior{HalfNormalPrior, 0.5, 0}}
	for likelihood, want := range map[Likelihood][]row{
		Normal: {sigma}, LogNormal: {sigma}, StudentT: {sigma, {"nu", Prior{GammaPrior, 2, 0.1}}},
	} {
		if diff := cmp.Diff(want, rows(likelihood.parameters())); diff != "" {
			t.Errorf("%s (-want +got):\n%s", likelihood, diff)
		}
	}
	m := &model{hsgp: make([][]float64, 2)}
	if diff := cmp.Diff([]row{
		{"amplitude", Prior{LogNormalPrior, -1.9, 0.6}}, {"wave.1", Prior{NormalPrior, 0, 1}}, {"wave.2", Prior{NormalPrior, 0, 1}},
	}, rows(m.timeVaryingParameters())); diff != "" {
		t.Errorf("time-varying effects (-want +got):\n%s", diff)
	}
	if confoundingPrior != (Prior{NormalPrior, 0, 1}) || pooledFreedom != 3 || pooledScale != 0.05 {
		t.Errorf("priors of confounding %+v and of pooled controls t(%v) · %v", confoundingPrior, pooledFreedom, pooledScale)
	}
	for saturation, want := range map[Saturation]int{CES: 1, Hill: 0} {
		if got := saturation.held(); got != want {
			t.Errorf("%s has %d parameters from priors alone, want %d", saturation, got, want)
		}
	}
}

func TestBaselineTermsHaveTheirPriorsAndValues(t *testing.T) {
	t.Parallel()
	d := Data{Dates: []civil.Date{civil.New(2024, 1, 1), civil.New(2024, 1, 2)}, Controls: []Control{
		{Name: "price", Values: []float64{-4, 2}}, {Name: "easter", Values: []float64{0, 0}, Group: "holidays"},
	}}
	type row struct {
		Name, Group string
		Prior       Prior
		Pooled      bool
		Values      []float64
	}
	year, week := 2*math.Pi/365.25, 2*math.Pi/7
	want := []row{
		{"intercept", "", Prior{NormalPrior, 0.5, 0.5}, false, []float64{1, 1}},
		{"trend", "", Prior{NormalPrior, 0, 0.5}, false, []float64{0, 0.5}},
		{"yearly.sin1", "yearly", Prior{NormalPrior, 0, 0.2}, false, []float64{math.Sin(year), math.Sin(2 * year)}},
		{"yearly.cos1", "yearly", Prior{NormalPrior, 0, 0.2}, false, []float64{math.Cos(year), math.Cos(2 * year)}},
		{"weekly.sin1", "weekly", Prior{NormalPrior, 0, 0.2}, false, []float64{math.Sin(week), math.Sin(2 * week)}}, // Monday, Tuesday
		{"weekly.cos1", "weekly", Prior{NormalPrior, 0, 0.2}, false, []float64{math.Cos(week), math.Cos(2 * week)}},
		{"weekly.sin2", "weekly", Prior{NormalPrior, 0, 0.2}, false, []float64{math.Sin(2 * week), math.Sin(4 * week)}},
		{"weekly.cos2", "weekly", Prior{NormalPrior, 0, 0.2}, false, []float64{math.Cos(2 * week), math.Cos(4 * week)}},
		{"price", "control", Prior{NormalPrior, 0, 0.5}, false, []float64{-1, 0.5}},
		{"easter", "holidays", Prior{NormalPrior, 0, 0.5}, true, []float64{0, 0}},
	}
	var got []row
	for _, x := range baseline(d, Spec{Yearly: 1, Weekly: 2}.withDefaults()) {
		got = append(got, row{x.name, x.group, x.prior, x.pooled, x.values})
	}
	if len(got) != len(want) {
		t.Fatalf("%d terms, want %d", len(got), len(want))
	}
	for i, g := range got {
		for k := range g.Values {
			if math.Abs(g.Values[k]-want[i].Values[k]) > 1e-12 {
				t.Errorf("%s has the values %v, want %v", g.Name, g.Values, want[i].Values)
			}
		}
		got[i].Values, want[i].Values = nil, nil
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("terms (-want +got):\n%s", diff)
	}
	if got := baseline(d, Spec{Likelihood: LogNormal, Trend: Trend{Kind: NoTrend}})[0].prior; got != (Prior{NormalPrior, -0.5, 1}) {
		t.Errorf("the intercept of logarithms has the prior %+v", got)
	}
	d.Geos = make([]Geo, 3)
	if got := baseline(d, Spec{}.withDefaults())[1].values; len(got) != 6 || got[5] != 0.5 {
		t.Errorf("the trend of three geos is %v", got)
	}
}

// A knot is at least half the spacing from the end, and at least two periods.
func TestKnotsAreAwayFromTheEnd(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		periods, every int
		want           []string
	}{
		{15, 10, []string{"trend", "knot.10"}},
		{14, 10, []string{"trend"}},
		{25, 10, []string{"trend", "knot.10", "knot.20"}},
		{4, 2, []string{"trend", "knot.2"}},
		{3, 2, []string{"trend"}},
	} {
		var got []string
		terms := Trend{KnotTrend, c.every}.terms(c.periods)
		for _, x := range terms {
			got = append(got, x.name)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%d periods, a knot every %d (-want +got):\n%s", c.periods, c.every, diff)
		}
	}
	knot := Trend{KnotTrend, 2}.terms(4)[1]
	if diff := cmp.Diff([]float64{0, 0, 0, 0.25}, knot.values); diff != "" || knot.group != "knot" {
		t.Errorf("a knot of group %q (-want +got):\n%s", knot.group, diff)
	}
}

// Divergent transitions need smaller steps: the distance of the acceptance from 1 becomes a quarter. Otherwise, more
// draws help.
func TestLaterAttemptsAreHarder(t *testing.T) {
	t.Parallel()
	o := hmc.Options{Warmup: 100, Draws: 200, Accept: 0.9}
	if got := harder(o, &Diagnostics{Divergences: 1}); math.Abs(got.Accept-0.975) > 1e-12 || got.Warmup != 100 || got.Draws != 200 {
		t.Errorf("after a divergence: %+v", got)
	}
	if got := harder(o, &Diagnostics{}); got.Accept != 0.9 || got.Warmup != 200 || got.Draws != 400 {
		t.Errorf("without divergences: %+v", got)
	}
	if attempts != 3 || rHatBelow != 1.01 || essAbove != 400 {
		t.Errorf("%d attempts, R-hat below %v, ESS above %d", attempts, rHatBelow, essAbove)
	}
}

func TestReasonsOfTheGateNameTheirFigures(t *testing.T) {
	t.Parallel()
	g := Diagnostics{RHatMax: 1.0234, ESSBulkMin: 399.6, ESSTailMin: 1200, Divergences: 7, Worst: "search.beta"}
	want := []string{
		"7 divergent transitions: the sampler did not explore the whole posterior",
		"the chains have not converged: R-hat of search.beta is 1.023, want below 1.01",
		"the effective sample size of tv.alpha is too small (bulk 400, tail 1200 over all quantities, want above 400)",
	}
	var got []string
	for _, r := range g.complaints("tv.alpha") {
		got = append(got, r.Text)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
	about := g.complaints("tv.alpha")
	if about[1].About != "search.beta" || about[2].About != "tv.alpha" {
		t.Errorf("reasons about %q and %q", about[1].About, about[2].About)
	}
	text, err := json.Marshal([]Number{1.5, Number(math.NaN()), Number(math.Inf(1)), Number(math.Inf(-1))})
	if err != nil || string(text) != "[1.5,null,null,null]" {
		t.Errorf("diagnostics in JSON: %s, %v", text, err)
	}
}

func TestPriorsNeedASpreadAndAShape(t *testing.T) {
	t.Parallel()
	inf := math.Inf(1)
	for _, c := range []struct {
		prior Prior
		valid bool
	}{
		{Prior{NormalPrior, -3, 1}, true},
		{Prior{NormalPrior, 0, 0}, false},
		{Prior{LaplacePrior, 0, -1}, false},
		{Prior{LogNormalPrior, 0, 0}, false},
		{Prior{NormalPrior, inf, 1}, false},
		{Prior{NormalPrior, 0, inf}, false},
		{Prior{HalfNormalPrior, 1, 0}, true},
		{Prior{HalfNormalPrior, 0, 1}, false},
		{Prior{GammaPrior, 1, 1}, true},
		{Prior{GammaPrior, 0, 1}, false},
		{Prior{GammaPrior, 1, 0}, false},
		{Prior{BetaPrior, 1, 1}, true},
		{Prior{BetaPrior, 0, 1}, false},
		{Prior{BetaPrior, 1, 0}, false},
	} {
		err := c.prior.validate()
		if (err == nil) != c.valid || err != nil && !strings.Contains(err.Error(), "needs a positive, finite spread and shape") {
			t.Errorf("%+v: %v", c.prior, err)
		}
	}
	if err := (Prior{Family: "cauchy", A: 1, B: 1}).validate(); err == nil || !strings.Contains(err.Error(), `unknown prior "cauchy"`) {
		t.Errorf("an unknown family: %v", err)
	}
	for s, families := range map[support]string{
		real: "normal laplace", positive: "half_normal log_normal gamma", soft: "half_normal log_normal gamma", unit: "beta",
	} {
		for _, f := range []Family{NormalPrior, LaplacePrior, HalfNormalPrior, LogNormalPrior, GammaPrior, BetaPrior} {
			want := false
			for name := range strings.FieldsSeq(families) {
				want = want || name == string(f)
			}
			if got := s.allows(f); got != want {
				t.Errorf("support %d allows %s: %v, want %v", s, f, got, want)
			}
		}
	}
	if support(9).allows(NormalPrior) {
		t.Error("an unknown support allows a prior")
	}
}

func TestErrorsOfDataNameThePlace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		spoil func(d *Data, s *Spec)
		want  string
	}{
		{func(d *Data, _ *Spec) { d.Dates, d.Target = nil, nil }, "a media mix model needs periods and at least one channel"},
		{func(d *Data, _ *Spec) { d.Media = nil }, "a media mix model needs periods and at least one channel"},
		{
			func(d *Data, _ *Spec) { d.Dates[7] = d.Dates[7].AddDays(1) },
			"the periods are not equally spaced: " + toy().Dates[7].AddDays(1).String(),
		},
		{func(d *Data, _ *Spec) { d.Target = d.Target[1:] }, "target has 39 values for 40 periods"},
		{func(d *Data, _ *Spec) { d.Target[2] = math.Inf(-1) }, "target has the value -Inf in period 3"},
		{func(d *Data, _ *Spec) { d.Media[1].Exposure[39] = -0.5 }, "social has the value -0.5 in period 40"},
		{func(d *Data, _ *Spec) { d.Media[1].Spend = []float64{1} }, "spend of social has 1 values for 40 periods"},
		{func(d *Data, _ *Spec) { d.Media[1].Frequency = []float64{1} }, "frequency of social has 1 values for 40 periods"},
		{func(d *Data, _ *Spec) { d.Controls[0].Name = "" }, `channels and controls need different names; "" is empty or used twice`},
		{func(d *Data, _ *Spec) { d.Controls[0].Group = "weekly" }, `price is in group "weekly", which is the name of other terms`},
		{func(d *Data, _ *Spec) { d.Controls[0].Group = "control" }, `price is in group "control"`},
		{func(_ *Data, s *Spec) { s.Adstock = Adstock{"pulse", 4} }, `unknown adstock "pulse" over 4 periods`},
		{func(_ *Data, s *Spec) { s.Adstock = Adstock{Geometric, -1} }, `unknown adstock "geometric" over -1 periods`},
		{func(_ *Data, s *Spec) { s.Saturation = "cubic" }, `unknown saturation "cubic"`},
		{func(_ *Data, s *Spec) { s.Effect = "lift" }, `unknown effect "lift"`},
		{func(_ *Data, s *Spec) { s.Trend = Trend{KnotTrend, 1} }, `unknown trend "knots" every 1 periods`},
		{func(_ *Data, s *Spec) { s.Likelihood = "poisson" }, `unknown likelihood "poisson"`},
	} {
		d, s := toy(), Spec{}
		c.spoil(&d, &s)
		_, err := newModel(d, s)
		if fault.KindOf(err) != fault.KindInvalid || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	d := toy()
	d.Target[3] = -5 // refunds
	d.Media[0].Exposure[3] = 0
	if _, err := newModel(d, Spec{}); err != nil {
		t.Errorf("a negative target and a week without spend: %v", err)
	}
	for text, want := range map[string]Adstock{"geometric:1": {Geometric, 1}, "delayed:400": {Delayed, 400}, "none": {Immediately, 8}} {
		if got, err := ParseAdstock(text); got != want || err != nil {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	if _, err := ParseAdstock("geometric:401"); err == nil || !strings.Contains(err.Error(), "between 1 and 400") {
		t.Errorf("401 periods: %v", err)
	}
	if got, err := ParseTrend("knots:2"); got != (Trend{KnotTrend, 2}) || err != nil {
		t.Errorf("knots:2 is %+v, %v", got, err)
	}
	if got, err := ParseTrend("none"); got != (Trend{Kind: NoTrend}) || err != nil {
		t.Errorf("none is %+v, %v", got, err)
	}
}

// 26 periods are the minimum, and 1.5 periods for each parameter.
func TestFewPeriodsAreNamedWithTheirMinimum(t *testing.T) {
	t.Parallel()
	first := func(d Data, n int) Data {
		d.Dates, d.Target = d.Dates[:n], d.Target[:n]
		for i := range d.Media {
			d.Media[i].Exposure = d.Media[i].Exposure[:n]
		}
		d.Controls[0].Values = d.Controls[0].Values[:n]
		return d
	}
	// Two channels with effect, adstock and curve, three terms and sigma are ten parameters.
	simple := Spec{}
	for _, c := range []struct {
		spec    Spec
		periods int
		want    string
	}{
		{simple, 25, "25 periods are too few for 10 parameters: this model needs at least 26"},
		{simple, 26, ""},
		{Spec{Yearly: 4}, 26, "26 periods are too few for 18 parameters: this model needs at least 27"},
		{Spec{Yearly: 4}, 27, ""},
		{Spec{Saturation: CES}, 26, ""}, // the sharpness is determined by its prior
		{Spec{Yearly: 4, Holdout: 1}, 27, "26 periods are too few for 18 parameters: this model needs at least 27"},
	} {
		d := first(toy(), c.periods)
		m, err := newModel(d, c.spec)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if reasons := m.unidentified(d); len(reasons) > 0 {
			got = reasons[0].Text
		}
		if got != c.want {
			t.Errorf("%d periods: %q, want %q", c.periods, got, c.want)
		}
	}
}

// Spend of three weeks is the minimum.
func TestChannelsNeedThreeWeeksAndSomeVariation(t *testing.T) {
	t.Parallel()
	of := func(exposure func(t int) float64) string {
		d := toy()
		d.Media[0].Exposure = series(40, exposure)
		m, err := newModel(d, Spec{})
		if err != nil {
			t.Fatal(err)
		}
		if reasons := m.unusable(d.Media[0], m.channels[0]); len(reasons) > 0 {
			return reasons[0].Text
		}
		return ""
	}
	weeks := func(n int) func(int) float64 {
		return func(t int) float64 {
			if t < n {
				return 10
			}
			return 0
		}
	}
	const few = "search has exposure in 2 periods and a total spend of 20: too little to estimate its effect"
	if two, three := of(weeks(2)), of(weeks(3)); two != few || three != "" {
		t.Errorf("two weeks: %q, three weeks: %q", two, three)
	}
	// Alternating values 1 ± v have the coefficient of variation v √(40/39) = 1.0127 v.
	alternating := func(v float64) func(int) float64 { return func(t int) float64 { return 1 + v*float64(1-2*(t%2)) } }
	const still = "search barely varies, so its effect cannot be separated from the baseline"
	if little, more := of(alternating(0.0098)), of(alternating(0.0099)); little != still || more != "" {
		t.Errorf("a variation below 1%%: %q, above 1%%: %q", little, more)
	}
}

// The columns (1, 2, 3, 4) and (1, 3, 2, 4) have the correlation 0.8.
func TestCorrelationsMatchAComputationByHand(t *testing.T) {
	t.Parallel()
	a, b, flat := []float64{1, 2, 3, 4}, []float64{1, 3, 2, 4}, []float64{1, 1, 1, 1}
	if got := correlation(a, b); math.Abs(got-0.8) > 1e-12 {
		t.Errorf("correlation %v, want 0.8", got)
	}
	if correlation(a, flat) != 0 || correlation(flat, a) != 0 {
		t.Error("a constant column is correlated")
	}
	columns := [][]float64{a, flat, b, {-1, -2.5, -2.5, -4}}
	if got := closest(columns, 0); got != 3 {
		t.Errorf("the closest column is %d, want 3", got)
	}
	if got := explained([][]float64{a, flat, b}, 0); math.Abs(got-0.64) > 1e-12 {
		t.Errorf("R² of %v, want 0.64", got)
	}
}

// With 100 periods and a length of 20, the frequencies ω = jπ/150 below 3.5/20 are those with j up to 8.
func TestBasisOfTimeVaryingEffectsFollowsItsFormula(t *testing.T) {
	t.Parallel()
	basis := hsgpBasis(100, 20)
	if len(basis) != 8 {
		t.Fatalf("%d functions, want 8", len(basis))
	}
	for _, at := range [][2]int{{1, 0}, {3, 70}, {8, 99}} {
		omega := float64(at[0]) * math.Pi / 150
		r := math.Sqrt(math.Sqrt(2*math.Pi) * 20 * math.Exp(-20*omega*20*omega/2))
		want := r * math.Sin(omega*(float64(at[1])-49.5+75)) / math.Sqrt(75)
		if got := basis[at[0]-1][at[1]]; math.Abs(got-want) > 1e-12 {
			t.Errorf("function %d at %d: %v, want %v", at[0], at[1], got, want)
		}
	}
}

// Weeks of 0, 10, 20 and 30: the 95th percentile of active weeks is 29, of a mean of 20.
func TestSpendIsSeenUpToTheLargestWeeks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cost []float64
		want float64
	}{{[]float64{0, 10, 20, 30}, 60 * 29. / 20}, {[]float64{20, 20, 0}, 40 * 1.3}, {[]float64{0, 0}, 0}} {
		if got := seen(c.cost); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%v: seen up to %v, want %v", c.cost, got, c.want)
		}
	}
	least, most := 5.0, 90.0
	for _, c := range []struct {
		bounds     Bounds
		least, top float64
	}{{Bounds{}, 42, 78}, {Bounds{Min: &least}, 5, 78}, {Bounds{Max: &most}, 42, 90}} {
		got := bounded("a", []float64{20, 40}, decide.Balanced, map[measure.Channel]Bounds{"a": c.bounds})
		if math.Abs(got.Min-c.least) > 1e-9 || math.Abs(got.Max-c.top) > 1e-9 || got.Current != 60 || got.Seen <= 60 {
			t.Errorf("%+v, want %v to %v", got, c.least, c.top)
		}
	}
}

// Two coefficients of 0.05 have the squares 0.005 of 0.0075: the density is (1 + 2/3)^(-5/2).
func TestPooledControlsHaveAMultivariateTDensity(t *testing.T) {
	t.Parallel()
	gradient := make([]float64, 3)
	got := pooledControls{at: []int{0, 2}}.logp([]float64{0.05, 9, -0.05}, gradient)
	if math.Abs(got+2.5*math.Log(5./3)) > 1e-12 || math.Abs(gradient[0]+5*0.05/0.0125) > 1e-9 || gradient[1] != 0 ||
		math.Abs(gradient[2]-5*0.05/0.0125) > 1e-9 {
		t.Errorf("log density %v with the gradient %v", got, gradient)
	}
}

func TestPooledEffectsDivideTheirVariance(t *testing.T) {
	t.Parallel()
	k := poolEffects([]int{0, 1}, Prior{LogNormalPrior, 0.2, 2})
	for j := range k.own {
		rho := (2*float64(j) + 1) / 32
		if math.Abs(k.common[j]-4*rho) > 1e-12 || math.Abs(k.own[j]+k.common[j]-4) > 1e-12 {
			t.Errorf("point %d: variances %v and %v, want %v of 4", j, k.common[j], k.own[j], 4*rho)
		}
	}
	if len(k.own) != 16 || k.mean != 0.2 {
		t.Errorf("%d points around %v", len(k.own), k.mean)
	}
	var none *pooledEffects
	if none.holds(0) || !k.holds(1) || k.holds(2) {
		t.Error("another parameter is pooled")
	}
}

func TestPeriodsHaveADayOrTheirDistance(t *testing.T) {
	t.Parallel()
	day := civil.New(2024, 3, 1)
	for _, c := range []struct {
		dates []civil.Date
		want  int
	}{{nil, 1}, {[]civil.Date{day}, 1}, {[]civil.Date{day, day.AddDays(7)}, 7}} {
		if got := PeriodDays(c.dates); got != c.want {
			t.Errorf("%v: %d days, want %d", c.dates, got, c.want)
		}
	}
}

// A coefficient's scale is the share of spend relative to equal shares, at least a tenth.
func TestEffectsHaveTheirDefaultPriors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		effect Effect
		share  float64
		name   string
		want   Prior
	}{
		{Coefficient, 0.5, "beta", Prior{HalfNormalPrior, 2, 0}},
		{Coefficient, 0.01, "beta", Prior{HalfNormalPrior, 0.1, 0}},
		{Coefficient, math.NaN(), "beta", Prior{HalfNormalPrior, 0.1, 0}},
		{ROI, 0.5, "roi", Prior{LogNormalPrior, 0.2, 0.9}},
		{Share, 0.5, "share", Prior{HalfNormalPrior, 0.2, 0}},
	} {
		if got := c.effect.prior(c.share, 4); got != c.want || c.effect.parameter() != c.name || !c.effect.known() {
			t.Errorf("%s with %v of the spend: %s %+v, want %s %+v", c.effect, c.share, c.effect.parameter(), got, c.name, c.want)
		}
	}
}
