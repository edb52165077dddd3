package mmm

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/measure/stats"
)

func allAdstocks() []AdstockKind {
	return []AdstockKind{Geometric, Delayed, Binomial, WeibullCDF, WeibullPDF, Immediately}
}

func allSaturations() []Saturation {
	return []Saturation{Logistic, Hill, MichaelisMenten, Tanh, Root, Log, CES, Unsaturated}
}

// central returns the fourth-order central difference of f at 0. For a smooth function, its error is about 1e-12.
func central(f func(d float64) float64) float64 {
	const h = 1e-3
	return (8*(f(h)-f(-h)) - (f(2*h) - f(-2*h))) / (12 * h)
}

func near(got, want, tolerance float64) bool {
	return math.Abs(got-want) <= tolerance*(1+math.Abs(want))
}

func TestAdstockWeightsSumToOneAndHaveTheirDerivatives(t *testing.T) {
	t.Parallel()
	values := map[string]float64{"alpha": 0.55, "theta": 1.7, "scale": 2.3, "shape": 1.6}
	for _, kind := range allAdstocks() {
		for _, lags := range []int{1, 2, 8, 13} {
			a := Adstock{kind, lags}
			var theta []float64
			for _, p := range a.parameters() {
				theta = append(theta, values[p.name])
			}
			k := a.newKernel()
			a.weights(k, theta)
			if !near(floats.Sum(k.w), 1, 1e-14) || slices.Min(k.w) < 0 {
				t.Errorf("%s:%d has weights %v", kind, lags, k.w)
			}
			for i := range theta {
				for l := range k.w {
					want := central(func(d float64) float64 {
						moved, other := slices.Clone(theta), a.newKernel()
						moved[i] += d
						a.weights(other, moved)
						return other.w[l]
					})
					if !near(k.dw[i][l], want, 1e-8) {
						t.Errorf("%s:%d weight %d by parameter %d: got %v, want %v", kind, lags, l, i, k.dw[i][l], want)
					}
				}
			}
		}
	}
}

func TestAdstockShapesMatchTheirFormulas(t *testing.T) {
	t.Parallel()
	// The expected unnormalized weights are computed by hand for three lags.
	for _, c := range []struct {
		kind  AdstockKind
		theta []float64
		want  []float64
	}{
		{Geometric, []float64{0.5}, []float64{1, 0.5, 0.25}},
		{Delayed, []float64{0.5, 1}, []float64{0.5, 1, 0.5}},
		{Binomial, []float64{0.5}, []float64{1, 0.75, 0.5}},
		{WeibullCDF, []float64{2, 1}, []float64{1, math.Exp(-0.5), math.Exp(-1.5)}},
		{WeibullPDF, []float64{2, 2}, []float64{math.Exp(-0.25), 2 * math.Exp(-1), 3 * math.Exp(-2.25)}},
		{Immediately, nil, []float64{1}},
	} {
		a := Adstock{c.kind, 3}
		k := a.newKernel()
		a.weights(k, c.theta)
		floats.Scale(1/floats.Sum(c.want), c.want)
		if !floats.EqualApprox(k.w, c.want, 1e-14) {
			t.Errorf("%s: got %v, want %v", c.kind, k.w, c.want)
		}
	}
}

func TestSaturationsStartAtZeroRiseAndHaveTheirDerivatives(t *testing.T) {
	t.Parallel()
	values := map[string]float64{
		"lam": 2.2, "kappa": 0.4, "slope": 1.3, "c": 0.7, "p": 0.6, "elasticity": 0.6, "sharpness": 1.7,
	}
	for _, s := range allSaturations() {
		var theta []float64
		for _, p := range s.parameters() {
			theta = append(theta, values[p.name])
		}
		if v, _, _ := s.value(0, theta); v != 0 {
			t.Errorf("%s at 0: got %v, want 0", s, v)
		}
		for _, a := range []float64{0.02, 0.3, 0.9, 2} {
			_, da, dTheta := s.value(a, theta)
			at := func(d float64) float64 { v, _, _ := s.value(a+d, theta); return v }
			if want := central(at); !near(da, want, 1e-4) || !(da > 0) {
				t.Errorf("%s at %v: slope %v, want %v", s, a, da, want)
			}
			for i := range theta {
				want := central(func(d float64) float64 {
					moved := slices.Clone(theta)
					moved[i] += d
					v, _, _ := s.value(a, moved)
					return v
				})
				if !near(dTheta[i], want, 1e-8) {
					t.Errorf("%s at %v by parameter %d: got %v, want %v", s, a, i, dTheta[i], want)
				}
			}
		}
	}
}

func TestPriorsHaveTheirDerivatives(t *testing.T) {
	t.Parallel()
	for _, p := range []Prior{
		{NormalPrior, 0.2, 0.7},
		{LaplacePrior, 0.1, 0.5},
		{HalfNormalPrior, 0.8, 0},
		{LogNormalPrior, 0.2, 0.9},
		{GammaPrior, 3, 2},
		{BetaPrior, 1, 3},
	} {
		const v = 0.4
		_, got := p.logp(v)
		want := central(func(d float64) float64 { logp, _ := p.logp(v + d); return logp })
		if !near(got, want, 1e-8) {
			t.Errorf("%+v: derivative %v, want %v", p, got, want)
		}
	}
}

// toy returns 40 weeks with two channels, one control and a positive target.
func toy() Data {
	random := stats.Stream(11, 0)
	d := Data{Media: []Media{{Channel: "search"}, {Channel: "social"}}, Controls: []Control{{Name: "price"}}}
	for t := range 40 {
		d.Dates = append(d.Dates, civil.New(2024, 1, 1).AddDays(7*t))
		for i := range d.Media {
			v := 100 * random.Float64()
			if random.Float64() < 0.2 {
				v = 0
			}
			d.Media[i].Exposure = append(d.Media[i].Exposure, v)
		}
		d.Controls[0].Values = append(d.Controls[0].Values, 20-5*random.Float64())
		d.Target = append(d.Target, 900+3*d.Media[0].Exposure[t]+50*random.NormFloat64())
	}
	return d
}

// toyLifts returns lift tests of both channels of [toy].
func toyLifts() []Lift {
	return []Lift{
		{Channel: "social", X: 20, DeltaX: 30, DeltaY: 40, Sigma: 12},
		{Channel: "search", X: 50, DeltaX: -50, DeltaY: -90, Sigma: 30},
	}
}

// specs lists specifications with every transform, effect and likelihood, and with lift tests.
func specs() []Spec {
	var out []Spec
	for _, kind := range allAdstocks() {
		out = append(out, Spec{Adstock: Adstock{kind, 5}})
	}
	for _, s := range allSaturations() {
		out = append(out, Spec{Saturation: s})
	}
	lifts := toyLifts()
	out = append(out, Spec{Lifts: lifts, Unconfounded: []measure.Channel{lifts[0].Channel}}, Spec{
		Lifts: lifts[1:], Likelihood: StudentT, Saturation: CES, Adstock: Adstock{Delayed, 4},
	})
	for _, e := range []Effect{Coefficient, ROI, Share} {
		out = append(out, Spec{Effect: e, Yearly: 1}, Spec{Effect: e, Lifts: lifts, Saturation: Hill, Holdout: 5})
	}
	for _, l := range []Likelihood{StudentT, LogNormal} {
		out = append(out, Spec{Likelihood: l, Trend: Trend{KnotTrend, 10}})
	}
	priors := map[string]Prior{
		"alpha": {BetaPrior, 2, 2}, "search.alpha": {BetaPrior, 3, 1}, "price": {LaplacePrior, 0.01, 0.2},
		"sigma": {GammaPrior, 2, 4},
	}
	return append(out, Spec{Priors: priors, Adstock: Adstock{Delayed, 4}})
}

func TestGradientOfThePosteriorIsItsDerivative(t *testing.T) {
	t.Parallel()
	for _, s := range specs() {
		checkGradient(t, toy(), s)
	}
	for _, e := range []Effect{Coefficient, ROI, Share} {
		checkGradient(t, toy(), Spec{Effect: e, TimeVarying: 9, Saturation: Hill, Holdout: 5})
		checkGradient(t, contacts(), Spec{Effect: e, Saturation: Hill, Adstock: Adstock{Delayed, 4}, Holdout: 5})
		checkGradient(t, contacts(), Spec{Effect: e, TimeVarying: 9, Adstock: Adstock{Immediately, 1}})
	}
	checkGradient(t, toy(), Spec{TimeVarying: 9, Likelihood: LogNormal})
	checkGradient(t, toy(), Spec{Effect: ROI, PoolEffects: true})
}

func checkGradient(t *testing.T, data Data, s Spec) {
	t.Helper()
	m, err := newModel(data, s)
	if err != nil {
		t.Fatalf("%+v: %v", s, err)
	}
	d := m.newDensity()
	random := stats.Stream(12, 0)
	u, grad, scratch := make([]float64, d.Dim()), make([]float64, d.Dim()), make([]float64, d.Dim())
	for range 3 {
		for i := range u {
			u[i] = random.NormFloat64() / 2
		}
		d.LogDensity(u, grad)
		for i := range u {
			want := central(func(h float64) float64 {
				moved := slices.Clone(u)
				moved[i] += h
				return d.LogDensity(moved, scratch)
			})
			if !near(grad[i], want, 1e-6) {
				t.Errorf("%d geos, %s/%s/%s/%s: derivative by %s: got %v, want %v", len(data.Geos),
					m.spec.Adstock.Kind, m.spec.Saturation, m.spec.Effect, m.spec.Likelihood, m.parameters[i].name, grad[i], want)
			}
		}
	}
}

func TestEvaluationIsDeterministicAndLeavesNoTrace(t *testing.T) {
	t.Parallel()
	for _, s := range specs() {
		m, err := newModel(toy(), s)
		if err != nil {
			t.Fatal(err)
		}
		d := m.newDensity()
		a, b := slices.Repeat([]float64{0.1}, d.Dim()), slices.Repeat([]float64{-0.3}, d.Dim())
		first, again, scratch := make([]float64, d.Dim()), make([]float64, d.Dim()), make([]float64, d.Dim())
		v := d.LogDensity(a, first)
		d.LogDensity(b, scratch)
		if w := d.LogDensity(a, again); v != w || !slices.Equal(first, again) {
			t.Errorf("%+v: %v and %v at the same point", s, v, w)
		}
	}
}

func TestPriorsAreFoundByNameAndRejectedWhenTheyMatchNothing(t *testing.T) {
	t.Parallel()
	m, err := newModel(toy(), Spec{
		Priors: map[string]Prior{"alpha": {BetaPrior, 2, 2}, "search.alpha": {BetaPrior, 3, 1}},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Prior{
		"search.alpha": {BetaPrior, 3, 1}, "social.alpha": {BetaPrior, 2, 2}, "search.lam": {GammaPrior, 3, 1},
	}
	for _, p := range m.parameters {
		if prior, ok := want[p.name]; ok && p.prior != prior {
			t.Errorf("prior of %s: got %+v, want %+v", p.name, p.prior, prior)
		}
	}
	for name, prior := range map[string]Prior{
		"beta.search":  {HalfNormalPrior, 1, 0},
		"social.alpha": {NormalPrior, 0, 1},
		"sigma":        {GammaPrior, 1, 0},
		"alpha":        {"cauchy", 1, 1},
	} {
		if _, err := newModel(toy(), Spec{Priors: map[string]Prior{name: prior}}); err == nil {
			t.Errorf("the prior %+v for %q was accepted", prior, name)
		}
	}
}

func TestEffectsAreReparameterizationsOfOneModel(t *testing.T) {
	t.Parallel()
	// The likelihood of an incremental outcome does not depend on the parameterization of the effect: coefficient,
	// return or share.
	var means [][]float64
	for _, e := range []Effect{Coefficient, ROI, Share} {
		m, err := newModel(toy(), Spec{Effect: e})
		if err != nil {
			t.Fatal(err)
		}
		theta := make([]float64, len(m.parameters))
		m.constrain(theta, make([]float64, len(theta)), m.newCurves())
		for i := range m.channels {
			c := &m.channels[i]
			v := m.newCurve(m.rows)
			m.evaluate(&v, c, theta)
			theta[c.at] = 0.3
			if e != Coefficient {
				theta[c.at] *= v.mean * float64(m.rows) / c.effectOf
			}
		}
		means = append(means, m.newLocator().mean(theta))
	}
	for i, other := range means[1:] {
		if !floats.EqualApprox(means[0], other, 1e-9*floats.Max(means[0])) {
			t.Errorf("effect %d gives another mean", i+1)
		}
	}
}

func TestSettingsAreReadFromWords(t *testing.T) {
	t.Parallel()
	good := []any{Adstock{Geometric, 8}, Adstock{Delayed, 13}, Trend{KnotTrend, 26}, Trend{LinearTrend, 0}}
	a1, err1 := ParseAdstock("geometric")
	a2, err2 := ParseAdstock("delayed:13")
	t1, err3 := ParseTrend("knots:26")
	t2, err4 := ParseTrend("linear")
	if got := []any{a1, a2, t1, t2}; !slices.Equal(got, good) || err1 != nil || err2 != nil || err3 != nil || err4 != nil {
		t.Errorf("got %v (%v %v %v %v), want %v", got, err1, err2, err3, err4, good)
	}
	for _, s := range []string{"", "geo", "geometric:0", "geometric:x", "geometric:401"} {
		if _, err := ParseAdstock(s); err == nil {
			t.Errorf("adstock %q was accepted", s)
		}
	}
	for _, s := range []string{"", "knots", "knots:1", "linear:2", "spline"} {
		if _, err := ParseTrend(s); err == nil {
			t.Errorf("trend %q was accepted", s)
		}
	}
	if _, err := ParseSaturation("michaelis-menten"); err == nil {
		t.Error("saturation michaelis-menten was accepted")
	}
	if _, err := ParseLikelihood("poisson"); err == nil {
		t.Error("likelihood poisson was accepted")
	}
}

func TestMalformedDataAreRejected(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*Data, *Spec){
		"nothing":         func(d *Data, _ *Spec) { *d = Data{} },
		"a gap":           func(d *Data, _ *Spec) { d.Dates[7] = d.Dates[7].AddDays(1) },
		"a short column":  func(d *Data, _ *Spec) { d.Media[0].Exposure = d.Media[0].Exposure[1:] },
		"negative spend":  func(d *Data, _ *Spec) { d.Media[1].Exposure[3] = -1 },
		"a target of NaN": func(d *Data, _ *Spec) { d.Target[2] = math.NaN() },
		"a name twice":    func(d *Data, _ *Spec) { d.Controls[0].Name = "search" },
		"all held out":    func(_ *Data, s *Spec) { s.Holdout = 40 },
		"log of zero":     func(d *Data, s *Spec) { s.Likelihood = LogNormal; d.Target[0] = 0 },
		"lift of a stranger": func(_ *Data, s *Spec) {
			s.Lifts = []Lift{{Channel: measure.Channel("tv"), X: 1, DeltaX: 1, DeltaY: 1, Sigma: 1}}
		},
		"lift without error": func(_ *Data, s *Spec) { s.Lifts = []Lift{{Channel: "search", X: 1, DeltaX: 1, DeltaY: 1}} },
		"a trend of nothing": func(_ *Data, s *Spec) { s.Trend = Trend{KnotTrend, 0} },
		"an unknown shape":   func(_ *Data, s *Spec) { s.Saturation = "cubic" },
		"an unknown effect":  func(_ *Data, s *Spec) { s.Effect = "lift" },
		"lift of a wave": func(_ *Data, s *Spec) {
			s.TimeVarying, s.Lifts = 9, []Lift{{Channel: "search", X: 1, DeltaX: 1, DeltaY: 1, Sigma: 1}}
		},
		"a lost frequency": func(d *Data, _ *Spec) { d.Media[0].Frequency = []float64{1} },
		"reach and logs": func(d *Data, s *Spec) {
			s.Likelihood, d.Media[0].Frequency = LogNormal, slices.Repeat([]float64{2}, len(d.Dates))
		},
		"returns of logs": func(_ *Data, s *Spec) { s.Likelihood, s.Effect = LogNormal, ROI },
	} {
		d, s := toy(), Spec{}
		spoil(&d, &s)
		if _, err := newModel(d, s); err == nil {
			t.Errorf("%s was accepted", name)
		} else if err.Error() == "" {
			t.Errorf("%s: the rejection has no text", name)
		}
	}
}

// The unit of exposures depends only on the fitted rows. For CES, it is the mean of the positive exposures.
func TestExposureUnitMatchesTheSaturation(t *testing.T) {
	t.Parallel()
	d := toy()
	d.Media[0].Exposure = series(len(d.Dates), func(t int) float64 { return float64(t % 4 * 100) })
	d.Media[0].Exposure[len(d.Dates)-1] = 5000 // held out
	for saturation, want := range map[Saturation]float64{Logistic: 300, CES: 200} {
		m, err := newModel(d, Spec{Saturation: saturation, Holdout: 4})
		if err != nil {
			t.Fatal(err)
		}
		if got := m.channels[0].scale; got != want {
			t.Errorf("%s: the unit is %v, want %v", saturation, got, want)
		}
	}
}
