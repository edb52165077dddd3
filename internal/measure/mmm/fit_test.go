package mmm

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/stats"
	"assay/internal/measure/stats/hmc"
)

// planted returns a simulated store with 130 weeks, three channels, yearly seasonality, a promotion and noise of 3%. It
// also returns the channels' true incremental outcomes.
func planted(seed uint64) (d Data, contributions map[measure.Channel]float64) {
	random := stats.Stream(seed, 0)
	contributions = map[measure.Channel]float64{}
	const weeks = 130
	for t := range weeks {
		d.Dates = append(d.Dates, civil.New(2023, 1, 2).AddDays(7*t))
	}
	d.Target = series(weeks, func(t int) float64 {
		season := math.Sin(2 * math.Pi * float64(d.Dates[t].YearDay()) / 365.25)
		return 50000 + 60*float64(t) + 4000*season + 1500*random.NormFloat64()
	})
	promotion := series(weeks, func(int) float64 { return math.Floor(random.Float64() + 0.1) })
	floats.AddScaled(d.Target, 8000, promotion)
	d.Controls = []Control{{Name: "promotion", Values: promotion}}
	for i, c := range []struct {
		name             measure.Channel
		spend, alpha     float64
		kappa, magnitude float64
	}{{"search", 4000, 0.2, 0.5, 30000}, {"social", 3000, 0.6, 0.4, 16000}, {"tv", 6000, 0.7, 0.8, 20000}} {
		spend := series(weeks, func(t int) float64 {
			timeVarying := 1 + 0.5*math.Sin(float64(t)/float64(4+3*i))
			return c.spend * timeVarying * math.Exp(0.5*random.NormFloat64())
		})
		k := Adstock{Geometric, 8}.newKernel()
		Adstock{Geometric, 8}.weights(k, []float64{c.alpha})
		carried := make([]float64, weeks)
		k.spread(carried, spend)
		top := slices.Max(spend)
		for t, a := range carried {
			s, _, _ := MichaelisMenten.value(a/top, []float64{c.kappa})
			d.Target[t] += c.magnitude * s
			contributions[c.name] += c.magnitude * s
		}
		d.Media = append(d.Media, Media{Channel: c.name, Exposure: spend})
	}
	return d, contributions
}

func fit(t *testing.T, d Data, s Spec, how Sampling) *Result {
	t.Helper()
	result, err := Fit(d, s, how)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func reportable(t *testing.T, d Data, s Spec, how Sampling) *Posterior {
	t.Helper()
	result := fit(t, d, s, how)
	if result.Status != OK {
		t.Fatalf("not reportable: %+v\n%+v", result.Reasons, result.Diagnostics)
	}
	return result.Posterior
}

func TestSimulatedEffectsAreRecovered(t *testing.T) {
	t.Parallel()
	d, truth := planted(1)
	for _, s := range []Spec{
		{Saturation: MichaelisMenten, Yearly: 1, Holdout: 13},
		{Saturation: Hill, Yearly: 2, Likelihood: StudentT, Effect: ROI},
	} {
		p := reportable(t, d, s, Sampling{Seed: 1, Warmup: 500, Draws: 500})
		for _, e := range p.Effects() {
			// The interval has a level of 98%, because the test makes six comparisons with a fixed seed.
			low, high := e.Contribution.Mean-2.4*e.Contribution.SD, e.Contribution.Mean+2.4*e.Contribution.SD
			if want := truth[e.Channel]; want < low || want > high {
				t.Errorf("%s %s: contribution %v to %v misses %v", s.Saturation, e.Channel, low, high, want)
			}
			if got, want := e.ROAS.Mean, e.Contribution.Mean/e.Spend; !near(got, want, 1e-9) {
				t.Errorf("%s: return %v is not contribution by spend %v", e.Channel, got, want)
			}
			if e.MarginalROAS.Mean >= e.ROAS.Mean && s.Saturation == MichaelisMenten {
				t.Errorf("%s: a concave curve has a marginal return %v above the average %v",
					e.Channel, e.MarginalROAS.Mean, e.ROAS.Mean)
			}
		}
		fitted, holdout := p.Accuracy()
		if fitted.R2 < 0.9 || *fitted.MAPE > 0.05 {
			t.Errorf("%s: fitted %+v", s.Saturation, fitted)
		}
		if (holdout != nil) != (s.Holdout > 0) || holdout != nil && holdout.WMAPE > 0.1 {
			t.Errorf("%s: holdout %+v", s.Saturation, holdout)
		}
	}
}

func TestUnidentifiedModelsAreNotReportableAndNameTheCause(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(*Data, *Spec)
		code  Code
		about string
		says  string
	}{
		"a channel twice": {func(d *Data, _ *Spec) {
			twin := slices.Clone(d.Media[0].Exposure)
			floats.Scale(3, twin)
			d.Media = append(d.Media, Media{Channel: "twin", Exposure: twin})
		}, Collinear, "search", "twin"},
		"a sum of channels": {func(d *Data, _ *Spec) {
			sum := slices.Clone(d.Media[0].Exposure)
			floats.Add(sum, d.Media[1].Exposure)
			d.Media = append(d.Media, Media{Channel: "sum", Exposure: sum})
		}, Collinear, "sum", "search"},
		"spend that never changes": {func(d *Data, _ *Spec) {
			d.Media[1].Exposure = slices.Repeat([]float64{500}, len(d.Dates))
		}, Constant, "social", "baseline"},
		"no spend": {func(d *Data, _ *Spec) {
			d.Media[2].Exposure = make([]float64, len(d.Dates))
		}, NoSpend, "tv", "too little"},
		"a return on no money": {func(d *Data, s *Spec) {
			d.Media[2].Spend, s.Effect = make([]float64, len(d.Dates)), ROI
		}, NoSpend, "tv", "spend of 0"},
		"a target that never changes": {func(d *Data, _ *Spec) {
			d.Target = slices.Repeat([]float64{7}, len(d.Dates))
		}, ConstantTarget, "target", "nothing to explain"},
		"half a year": {func(d *Data, _ *Spec) {
			d.Dates, d.Target, d.Controls = d.Dates[:25], d.Target[:25], nil
			for i := range d.Media {
				d.Media[i].Exposure = d.Media[i].Exposure[:25]
			}
		}, TooFewPeriods, "", "25 periods"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, _ := planted(2)
			var s Spec
			c.spoil(&d, &s)
			result := fit(t, d, s, Sampling{})
			if result.Status != NotReportable || result.Posterior != nil || result.Diagnostics != nil {
				t.Fatalf("got %+v, want a refusal without numbers", result)
			}
			found := slices.ContainsFunc(result.Reasons, func(r Reason) bool {
				return r.Code == c.code && r.About == c.about && strings.Contains(r.Text, c.says) && r.Remedy != ""
			})
			if !found {
				t.Errorf("no reason %s about %q with the text %q in %+v", c.code, c.about, c.says, result.Reasons)
			}
		})
	}
}

func TestDrawsThatFailTheGateGiveNoNumbers(t *testing.T) {
	t.Parallel()
	// Two chains of 20 draws, or of 80 draws after retries, cannot reach an effective sample size of 400.
	result := fit(t, toy(), quick(0, nil).spec, Sampling{Seed: 1, Chains: 2, Warmup: 60, Draws: 20})
	if result.Status != NotReportable || result.Posterior != nil || result.Diagnostics == nil {
		t.Fatalf("got %+v, want a refusal with diagnostics", result)
	}
	if !slices.ContainsFunc(result.Reasons, func(r Reason) bool { return r.Code == FewDraws && r.About != "" }) {
		t.Errorf("no reason %s in %+v", FewDraws, result.Reasons)
	}
}

func TestGateNamesWhatFailed(t *testing.T) {
	t.Parallel()
	good := Diagnostics{RHatMax: 1.005, ESSBulkMin: 900, ESSTailMin: 700}
	for name, c := range map[string]struct {
		change func(*Diagnostics)
		want   []Code
	}{
		"good":             {func(*Diagnostics) {}, nil},
		"one divergence":   {func(g *Diagnostics) { g.Divergences = 1 }, []Code{Diverged}},
		"R-hat":            {func(g *Diagnostics) { g.RHatMax = 1.01 }, []Code{NotConverged}},
		"R-hat not finite": {func(g *Diagnostics) { g.RHatMax = Number(math.NaN()) }, []Code{NotConverged}},
		"tail":             {func(g *Diagnostics) { g.ESSTailMin = 400 }, []Code{FewDraws}},
		"bulk is NaN":      {func(g *Diagnostics) { g.ESSBulkMin = Number(math.NaN()) }, []Code{FewDraws}},
	} {
		g := good
		c.change(&g)
		var got []Code
		for _, r := range g.complaints("x.lam") {
			got = append(got, r.Code)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

// The test sets GOMAXPROCS, so it does not run in parallel.
func TestFitIsTheSameOnAnyNumberOfCores(t *testing.T) {
	d, _ := planted(4)
	before := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(before)
	how := Sampling{Seed: 9, Warmup: 100, Draws: 150}
	m, err := newModel(d, Spec{})
	if err != nil {
		t.Fatal(err)
	}
	sample := func() *Posterior {
		run, err := hmc.Sample(
			func() stats.Density { return m.newDensity() }, hmc.Options{Seed: how.Seed, Warmup: how.Warmup, Draws: how.Draws})
		if err != nil {
			t.Fatal(err)
		}
		return newPosterior(m, d, run)
	}
	one := sample()
	runtime.GOMAXPROCS(8)
	if many := sample(); !reflect.DeepEqual(one.draws, many.draws) || !reflect.DeepEqual(one.Effects(), many.Effects()) {
		t.Error("one core and eight gave different posteriors")
	}
}

func TestScaleAndOrderOfChannelsDoNotMatter(t *testing.T) {
	t.Parallel()
	d, _ := planted(5)
	m, err := newModel(d, Spec{})
	if err != nil {
		t.Fatal(err)
	}
	scaled := d
	scaled.Target = slices.Clone(d.Target)
	floats.Scale(1000, scaled.Target)
	scaled.Media = slices.Clone(d.Media)
	for i := range scaled.Media {
		scaled.Media[i].Exposure = slices.Clone(d.Media[i].Exposure)
		floats.Scale(0.01, scaled.Media[i].Exposure)
	}
	other, err := newModel(scaled, Spec{})
	if err != nil {
		t.Fatal(err)
	}
	u := slices.Repeat([]float64{0.2}, len(m.parameters))
	grad := make([]float64, len(u))
	if a, b := m.newDensity().LogDensity(u, grad), other.newDensity().LogDensity(u, grad); !near(a, b, 1e-10) {
		t.Errorf("other units give another density: %v and %v", a, b)
	}
	slices.Reverse(scaled.Media)
	turned, err := newModel(scaled, Spec{})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := other.newDensity().LogDensity(u, grad), turned.newDensity().LogDensity(u, grad); !near(a, b, 1e-10) {
		t.Errorf("another order gives another density: %v and %v", a, b)
	}
}

func TestLiftTestMovesThePosteriorTowardsIt(t *testing.T) {
	t.Parallel()
	d, _ := planted(6)
	how := Sampling{Seed: 1, Warmup: 500, Draws: 500}
	s := Spec{Saturation: MichaelisMenten, Yearly: 1}
	without := reportable(t, d, s, how)
	// The lift test's result is the true effect of switching off tv at a spend of 6,000 per week, with a standard error
	// of 2%.
	top := slices.Max(d.Media[2].Exposure)
	v, _, _ := MichaelisMenten.value(6000/top, []float64{0.8})
	s.Lifts = []Lift{{Channel: "tv", X: 6000, DeltaX: -6000, DeltaY: -20000 * v, Sigma: 400 * v}}
	with := reportable(t, d, s, how)
	before, after := without.Effects()[2].Contribution, with.Effects()[2].Contribution
	if after.SD > before.SD/2 {
		t.Errorf("the test leaves a standard deviation of %v of %v, want less than half", after.SD, before.SD)
	}
}

func TestResponseCurvePassesThroughTheContribution(t *testing.T) {
	t.Parallel()
	reached, _ := planted(7)
	random := stats.Stream(7, 7)
	for i := range reached.Media {
		reached.Media[i].Frequency = series(len(reached.Dates), func(int) float64 { return 1 + 4*random.Float64() })
	}
	national, _ := planted(7)
	for _, c := range []struct {
		data Data
		spec Spec
	}{
		{national, Spec{}},
		{national, Spec{Likelihood: LogNormal}},
		{national, Spec{TimeVarying: 26}},
		{national, Spec{TimeVarying: 26, Likelihood: LogNormal}},
		{repeated(national, 8), Spec{Likelihood: LogNormal}},
		{repeated(national, 8), Spec{}},
		{reached, Spec{Saturation: Hill}},
	} {
		d, s := c.data, c.spec
		m, err := newModel(d, s)
		if err != nil {
			t.Fatal(err)
		}
		p := &Posterior{model: m, data: d, chains: 1}
		for i := range uint64(5) {
			p.draws = append(p.draws, m.drawPrior(stats.Stream(3, i)))
		}
		for _, name := range p.Channels() {
			const h = 1e-4
			r := p.Responses(name, []float64{0, 1, 1 - h, 1 + h})
			totals, slopes := p.ContributionTotals(name), p.slopes(p.channel(name))
			_, moved := p.ResponseSlopes(name, []float64{1})
			for i := range totals {
				// Sums over many rows use fewer grid points, so they are less precise.
				within := 1e-9
				if len(d.Dates) >= gatherFrom && s.Likelihood != LogNormal {
					within = 5e-5
				}
				if r[0][i] != 0 || !near(r[1][i], totals[i], within) {
					t.Errorf("%s draw %d: response %v at 0 and %v at 1, want 0 and %v", name, i, r[0][i], r[1][i], totals[i])
				}
				if want := (r[3][i] - r[2][i]) / (2 * h); !near(slopes[i], want, 1e-6) {
					t.Errorf("%s draw %d: slope %v, want %v", name, i, slopes[i], want)
				}
				if !near(moved[0][i], slopes[i], 1e-9) {
					t.Errorf("%s draw %d: slope %v of the response, want %v", name, i, moved[0][i], slopes[i])
				}
			}
			curve := p.ResponseCurve(name, 2, 21)
			if n := len(curve.Points); n != 21 || !near(curve.Points[n-1].Spend, 2*p.Spend(name), 1e-12) {
				t.Errorf("%s: %d points up to %v", name, n, curve.Points[n-1].Spend)
			}
		}
	}
}

// repeated returns the periods several times in a row.
func repeated(d Data, times int) Data {
	for t := len(d.Dates); t < times*len(d.Target); t++ {
		d.Dates = append(slices.Clip(d.Dates), d.Dates[0].AddDays(7*t))
	}
	d.Target = slices.Repeat(d.Target, times)
	d.Media, d.Controls = slices.Clone(d.Media), slices.Clone(d.Controls)
	for i := range d.Media {
		d.Media[i].Exposure = slices.Repeat(d.Media[i].Exposure, times)
	}
	for i := range d.Controls {
		d.Controls[i].Values = slices.Repeat(d.Controls[i].Values, times)
	}
	return d
}

func TestSavedPosteriorIsTheSameWhenRestored(t *testing.T) {
	t.Parallel()
	d, _ := planted(8)
	m, err := newModel(d, Spec{Yearly: 1})
	if err != nil {
		t.Fatal(err)
	}
	run, err := hmc.Sample(func() stats.Density { return m.newDensity() }, hmc.Options{Seed: 3, Warmup: 50, Draws: 10})
	if err != nil {
		t.Fatal(err)
	}
	p := newPosterior(m, d, run)
	text, err := json.Marshal(p.Save())
	if err != nil {
		t.Fatal(err)
	}
	var saved Saved
	if err := json.Unmarshal(text, &saved); err != nil {
		t.Fatal(err)
	}
	restored, err := Restore(saved)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(p.Effects(), restored.Effects()) || !reflect.DeepEqual(p.Draws(), restored.Draws()) {
		t.Error("the restored posterior gives other effects or draws")
	}
	saved.Parameters = saved.Parameters[1:]
	if _, err := Restore(saved); fault.KindOf(err) != fault.KindInvalid {
		t.Errorf("draws of another model: got %v, want a fault of kind invalid", err)
	}
}

func TestStopEndsTheFit(t *testing.T) {
	t.Parallel()
	d, _ := planted(1)
	if _, err := Fit(d, Spec{}, Sampling{Stop: func() bool { return true }}); !errors.Is(err, hmc.ErrStopped) {
		t.Errorf("got %v, want ErrStopped", err)
	}
}

func TestEventControlsAreSharesOfTheirPeriods(t *testing.T) {
	t.Parallel()
	weeks := []civil.Date{civil.New(2025, 11, 17), civil.New(2025, 11, 24), civil.New(2025, 12, 1)}
	event := civil.Range{First: civil.New(2025, 11, 28), Last: civil.New(2025, 12, 1)}
	want := []float64{0, 3.0 / 7, 1.0 / 7}
	if got := EventControl("black friday", weeks, event); !slices.Equal(got.Values, want) || got.Name != "black friday" {
		t.Errorf("got %v, want %v", got, want)
	}
}
