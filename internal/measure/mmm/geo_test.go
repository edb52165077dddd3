package mmm

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/stats"
	"assay/internal/measure/stats/hmc"
)

// toyGeos returns three geos of different sizes with the channels of [toy].
func toyGeos() Data { return toyTowns(Geo{"north", 100}, Geo{"south", 300}, Geo{"west", 50}) }

// manyToyGeos returns enough geos for control coefficients to vary by geo.
func manyToyGeos() Data {
	towns := make([]Geo, manyGeos)
	for i := range towns {
		towns[i] = Geo{fmt.Sprintf("town%d", i), 100 + 30*float64(i)}
	}
	return toyTowns(towns...)
}

func toyTowns(towns ...Geo) Data {
	random := stats.Stream(13, 0)
	d := Data{
		Geos:  towns,
		Media: []Media{{Channel: "search"}, {Channel: "social"}}, Controls: []Control{{Name: "price"}},
	}
	for t := range 30 {
		d.Dates = append(d.Dates, civil.New(2024, 1, 1).AddDays(7*t))
	}
	for _, g := range d.Geos {
		for range d.Dates {
			for i := range d.Media {
				d.Media[i].Exposure = append(d.Media[i].Exposure, g.Population*random.Float64())
			}
			d.Controls[0].Values = append(d.Controls[0].Values, 20-5*random.Float64())
			d.Target = append(d.Target, g.Population*(9+random.NormFloat64()))
		}
	}
	return d
}

func TestGradientOfGeosIsTheDerivative(t *testing.T) {
	t.Parallel()
	lifts := []Lift{
		{Channel: "social", X: 200, DeltaX: 300, DeltaY: 400, Sigma: 120},
		{Channel: "search", X: 100, DeltaX: -50, DeltaY: -90, Sigma: 30, Geo: "south"},
	}
	unknown := toyGeos()
	for g := range unknown.Geos {
		unknown.Geos[g].Population = 0
	}
	reached := toyGeos()
	random := stats.Stream(18, 0)
	reached.Media[0].Frequency = series(reached.rows(), func(int) float64 { return 1 + 4*random.Float64() })
	for _, e := range []Effect{Coefficient, ROI, Share} {
		checkGradient(t, toyGeos(), Spec{Effect: e, Yearly: 1})
		checkGradient(t, manyToyGeos(), Spec{Effect: e, Yearly: 1, Holdout: 4})
		checkGradient(t, toyGeos(), Spec{Effect: e, Saturation: Hill, Holdout: 4, Lifts: lifts})
		checkGradient(t, reached, Spec{Effect: e, Saturation: Hill, TimeVarying: 9, Holdout: 4})
		checkGradient(t, unknown, Spec{Effect: e, Adstock: Adstock{Delayed, 4}, Trend: Trend{KnotTrend, 10}})
	}
}

// Scaled coordinates give the same density as unscaled coordinates, times the Jacobian.
func TestScaledCoordinatesGiveTheSameDensity(t *testing.T) {
	t.Parallel()
	m, err := newModel(toyGeos(), Spec{})
	if err != nil {
		t.Fatal(err)
	}
	m.scaledEffects = []float64{12, 5}
	plain := *m
	plain.scaledEffects = make([]float64, 2) // a guess of zero means a scale of 1
	random := stats.Stream(19, 0)
	u, grad := make([]float64, len(m.parameters)), make([]float64, len(m.parameters))
	for i := range u {
		u[i] = random.NormFloat64() / 2
	}
	got := m.newDensity().LogDensity(u, grad)
	moved := slices.Clone(u)
	plainScale := math.Hypot(math.Exp(u[m.pooledAt])/math.Sqrt(3), m.resolution)
	scale, from, logJacobian := plainScale*plainScale, 0.0, 0.0
	for i, guess := range m.scaledEffects {
		spread := math.Exp(u[m.pooledAt+1+i])
		by := math.Sqrt(1 + guess*guess*spread*spread/3)
		moved[m.channels[i].at] = guess + by*u[m.channels[i].at]
		logJacobian += math.Log(by)
		from += u[m.channels[i].at] * m.levels[i] * (by - 1/by)
		scale += m.levels[i] * m.levels[i] * (1 - 1/(by*by))
	}
	moved[m.baselineAt] = (from + math.Sqrt(scale)*u[m.baselineAt]) / plainScale
	logJacobian += math.Log(math.Sqrt(scale) / plainScale)
	if want := plain.newDensity().LogDensity(moved, grad) + logJacobian; !near(got, want, 1e-10) {
		t.Errorf("got %v, want %v", got, want)
	}
	a, b := make([]float64, len(u)), make([]float64, len(u))
	m.constrain(a, u, m.newCurves())
	plain.constrain(b, moved, plain.newCurves())
	if !floats.EqualApprox(a, b, 1e-12) {
		t.Errorf("parameters %v, want %v", a, b)
	}
}

// Integrating out the geos' deviations gives a normal density with known covariance, which the test computes in full.
func TestDifferencesBetweenGeosAreIntegratedOut(t *testing.T) {
	t.Parallel()
	for _, data := range []Data{toyGeos(), manyToyGeos()} {
		m, err := newModel(data, Spec{Holdout: 3})
		if err != nil {
			t.Fatal(err)
		}
		checkIntegral(t, m)
	}
}

func checkIntegral(t *testing.T, m *model) {
	t.Helper()
	d := m.newDensity()
	random := stats.Stream(14, 0)
	u, grad := make([]float64, d.Dim()), make([]float64, d.Dim())
	for i := range u {
		u[i] = random.NormFloat64() / 2
	}
	m.constrain(d.theta, u, d.curves)
	clear(d.mu)
	m.baselineMean(d.mu, d.theta)
	for i := range d.curves {
		floats.AddScaled(d.mu, d.curves[i].beta, d.curves[i].s)
	}
	var want float64
	n := m.periods
	for g := range m.geos {
		cov := mat.NewSymDense(n, nil)
		r := mat.NewVecDense(n, nil)
		for i := range n {
			r.SetVec(i, m.y[g*m.span+i]-d.mu[g*n+i])
			for j := range i + 1 {
				v := d.theta[m.pooledAt] * d.theta[m.pooledAt]
				for k := range d.curves {
					spread := d.curves[k].beta * d.theta[m.pooledAt+1+k]
					v += spread * spread * d.curves[k].s[g*n+i] * d.curves[k].s[g*n+j]
				}
				for k, at := range m.local {
					spread, z := d.theta[m.pooledAt+1+len(d.curves)+k], m.terms[at].values[g*m.span:]
					v += spread * spread * z[i] * z[j]
				}
				if i == j {
					v += d.theta[m.noiseAt] * d.theta[m.noiseAt]
				}
				cov.SetSym(i, j, v)
			}
		}
		var root mat.Cholesky
		if !root.Factorize(cov) {
			t.Fatal("the covariance is not positive definite")
		}
		var solved mat.VecDense
		if err := root.SolveVecTo(&solved, r); err != nil {
			t.Fatal(err)
		}
		want -= (root.LogDet() + mat.Dot(r, &solved)) / 2
	}
	clear(grad)
	if got := d.geoLikelihood(); !near(got, want, 1e-10) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// towns returns 78 weeks of a store with two channels in eight geos with different returns.
func towns(seed uint64) (d Data, contributions map[measure.Channel][]float64) {
	random := stats.Stream(seed, 5)
	const weeks, geos = 78, 8
	contributions = map[measure.Channel][]float64{}
	for t := range weeks {
		d.Dates = append(d.Dates, civil.New(2023, 1, 2).AddDays(7*t))
	}
	for g := range geos {
		d.Geos = append(d.Geos, Geo{fmt.Sprintf("town%d", g), 1000 * math.Exp(0.5*random.NormFloat64())})
		level := 10 * math.Exp(0.1*random.NormFloat64())
		for t := range weeks {
			season := math.Sin(2 * math.Pi * float64(d.Dates[t].YearDay()) / 365.25)
			d.Target = append(d.Target, d.Geos[g].Population*(level+season+0.4*random.NormFloat64()))
		}
	}
	for i, c := range []struct {
		name             measure.Channel
		alpha, magnitude float64
	}{{"search", 0.2, 5}, {"tv", 0.6, 4}} {
		media := Media{Channel: c.name}
		for _, geo := range d.Geos {
			for t := range weeks {
				burst := 1 + 0.5*math.Sin(float64(t)/float64(3+i)) // much faster than the season
				media.Exposure = append(media.Exposure, geo.Population*burst*math.Exp(0.5*random.NormFloat64()))
			}
		}
		k := Adstock{Geometric, 8}.newKernel()
		Adstock{Geometric, 8}.weights(k, []float64{c.alpha})
		carried := make([]float64, weeks)
		for g, geo := range d.Geos {
			own := c.magnitude * (1 + 0.25*random.NormFloat64())
			var total float64
			k.spread(carried, media.Exposure[g*weeks:(g+1)*weeks])
			for t, a := range carried {
				s, _, _ := MichaelisMenten.value(a/geo.Population, []float64{1.5})
				d.Target[g*weeks+t] += geo.Population * own * s
				total += geo.Population * own * s
			}
			contributions[c.name] = append(contributions[c.name], total)
		}
		d.Media = append(d.Media, media)
	}
	return d, contributions
}

func TestSimulatedEffectsOfGeosAreRecovered(t *testing.T) {
	t.Parallel()
	if os.Getenv("ASSAY_NIGHTLY") != "1" {
		t.Skip("a fit of eight towns; set ASSAY_NIGHTLY=1 to run it")
	}
	d, truth := towns(2)
	p := reportable(t, d, Spec{Saturation: MichaelisMenten, Yearly: 1, Trend: Trend{Kind: NoTrend}, Holdout: 8}, Sampling{
		Seed: 1, Warmup: 250, Draws: 250,
	})
	inside := 0
	for _, e := range p.Effects() {
		low, high := e.Contribution.Mean-2.4*e.Contribution.SD, e.Contribution.Mean+2.4*e.Contribution.SD
		if want := floats.Sum(truth[e.Channel]); want < low || want > high {
			t.Errorf("%s: contribution %v to %v misses %v", e.Channel, low, high, want)
		}
		for g, want := range truth[e.Channel] {
			totals := make([]float64, len(p.draws))
			for i, row := range p.GeoContributions(e.Channel, g) {
				totals[i] = floats.Sum(row)
			}
			if s := stats.Summarize(totals); s.Q05 <= want && want <= s.Q95 {
				inside++
			}
		}
	}
	// Of 16 independent 90% intervals, fewer than 11 contain the true value with probability 0.003.
	if inside < 11 {
		t.Errorf("%d of 16 contributions of geos are in their 90%% interval", inside)
	}
	if fitted, holdout := p.Accuracy(); fitted.R2 < 0.8 || holdout == nil || holdout.WMAPE > 0.15 {
		t.Errorf("fitted %+v, holdout %+v", fitted, holdout)
	}
	if n := len(p.LogScores()); n != 8*8 {
		t.Errorf("%d scores of 64 held-out rows", n)
	}
}

func TestGeosAddUpAndAreRestored(t *testing.T) {
	t.Parallel()
	data := manyToyGeos()
	m, err := newModel(data, Spec{Holdout: 3})
	if err != nil {
		t.Fatal(err)
	}
	run, err := hmc.Sample(
		func() stats.Density { return m.newDensity() }, hmc.Options{Seed: 3, Chains: 2, Warmup: 60, Draws: 30})
	if err != nil {
		t.Fatal(err)
	}
	p := newPosterior(m, data, run)
	whole := p.Contributions("social")
	sum := make([]float64, m.span)
	for g := range m.geos {
		floats.Add(sum, p.GeoContributions("social", g)[7])
	}
	if !floats.EqualApprox(sum, whole[7], 1e-9*floats.Max(sum)) {
		t.Errorf("contributions of geos add up to %v, those of all are %v", sum, whole[7])
	}
	if r := p.Responses("social", []float64{1}); !near(r[0][7], floats.Sum(sum), 1e-9) {
		t.Errorf("the response at the current spend is %v, the contribution %v", r[0][7], floats.Sum(sum))
	}
	// A geo's mean depends on its own intercept.
	theta := slices.Clone(p.draws[7])
	before := p.model.newLocator().mean(theta)
	theta[m.ofGeo(1)] += 0.1
	after := p.model.newLocator().mean(theta)
	if rise := after[m.span] - before[m.span]; !near(rise, 0.1*m.yScale*m.size[1], 1e-9) || after[0] != before[0] {
		t.Errorf("the second geo's intercept moves the second geo by %v and the first by %v", rise, after[0]-before[0])
	}
	// A geo's mean also depends on the geo's own coefficient of a control, times the control's value in the period.
	theta = slices.Clone(p.draws[7])
	theta[m.ofGeo(1)+1+len(m.channels)] += 0.1
	own, price := p.model.newLocator().mean(theta), m.terms[m.local[0]].values[m.span]
	if rise := own[m.span] - before[m.span]; !near(rise, 0.1*price*m.yScale*m.size[1], 1e-9) || own[0] != before[0] {
		t.Errorf("the second geo's coefficient of the price moves the second geo by %v and the first by %v",
			rise, own[0]-before[0])
	}
	restored, err := Restore(p.Save())
	if err != nil || !slices.Equal(restored.Parameters(), p.Parameters()) || len(p.Parameters()) != len(p.draws[0]) {
		t.Fatalf("restored %v with %v, want %v", restored, err, p.Parameters())
	}
	if a, b := p.Effects(), restored.Effects(); a[1].Contribution != b[1].Contribution {
		t.Errorf("restored %+v, want %+v", b[1], a[1])
	}
}

func TestGatheredSumsAreThoseOfAllRows(t *testing.T) {
	t.Parallel()
	random := stats.Stream(15, 0)
	a, weights := make([]float64, 3000), make([]float64, 3000)
	for t := range a {
		if random.Float64() < 0.7 {
			a[t] = random.Float64() * random.Float64()
		}
		weights[t] = random.Float64()
	}
	points, sums := gathered(a, weights)
	for _, s := range allSaturations() {
		theta := map[Saturation][]float64{
			Logistic: {3}, Hill: {0.4, 1.4}, MichaelisMenten: {0.4}, Tanh: {0.6}, Root: {0.6}, Log: {3}, CES: {0.6, 1.7},
		}[s]
		all, few := newSaturated(len(a)), newSaturated(len(points))
		s.fill(all, a, theta)
		s.fill(few, points, theta)
		// The root saturation has an infinite slope at 0, and grid points near 0 are 1e-5 apart. The tolerance is
		// therefore 5e-5.
		if got, want := floats.Dot(few.s[:len(points)], sums), floats.Dot(all.s, weights); math.Abs(got-want) > 5e-5*want {
			t.Errorf("%s: gathered %v, all %v", s, got, want)
		}
	}
}

// Exposures at grid points keep their weights. An exposure in the middle of two grid points gives half of its weight to
// each. Fewer rows than gatherFrom are unchanged.
func TestGatheredWeightsAreSplitBetweenNeighbors(t *testing.T) {
	t.Parallel()
	const top = 50.0
	at := func(k int) float64 { return top * float64(k*k) / (gatherAt * gatherAt) }
	var a, weights []float64
	want := make([]float64, gatherAt+1)
	for k := range gatherAt + 1 {
		a, weights = append(a, at(k)), append(weights, float64(k+1))
		want[k] += float64(k + 1)
		if k < gatherAt {
			a, weights = append(a, (at(k)+at(k+1))/2), append(weights, 4)
			want[k], want[k+1] = want[k]+2, want[k+1]+2
		}
	}
	for len(a) < gatherFrom {
		a, weights = append(a, 0), append(weights, 3)
		want[0] += 3
	}
	points, sums := gathered(a, weights)
	if len(points) != gatherAt+1 || len(sums) != gatherAt+1 {
		t.Fatalf("%d points and %d sums, want %d", len(points), len(sums), gatherAt+1)
	}
	for k := range points {
		if !near(points[k], at(k), 1e-12) || !near(sums[k], want[k], 1e-9) {
			t.Fatalf("point %d is %v with the weight %v, want %v with %v", k, points[k], sums[k], at(k), want[k])
		}
	}
	few, same := gathered(a[:gatherFrom-1], weights[:gatherFrom-1])
	if !slices.Equal(few, a[:gatherFrom-1]) || !slices.Equal(same, weights[:gatherFrom-1]) {
		t.Errorf("%d rows are gathered at %d points", gatherFrom-1, len(few))
	}
}

// A geo's intercept is normal around the common intercept. Its coefficients of channels are normal around the common
// coefficients, with a standard deviation relative to them. Its coefficients of controls are normal around the common
// coefficients, with an absolute standard deviation.
func TestDrawnGeosHaveTheSpreadBetweenGeos(t *testing.T) {
	t.Parallel()
	m, err := newModel(manyToyGeos(), Spec{})
	if err != nil {
		t.Fatal(err)
	}
	random := stats.Stream(61, 0)
	common := make([]float64, len(m.parameters))
	for i, p := range m.parameters {
		common[i] = p.prior.draw(random)
	}
	type coefficient struct{ center, spread float64 }
	want := []coefficient{{common[m.baselineAt], common[m.pooledAt]}}
	for i := range m.channels {
		v := m.newCurves()[i]
		m.evaluateAt(&v, &m.channels[i], common)
		want = append(want, coefficient{v.beta, v.beta * common[m.pooledAt+1+i]})
	}
	for i, k := range m.local {
		want = append(want, coefficient{common[m.baselineAt+k], common[m.pooledAt+1+len(m.channels)+i]})
	}
	if len(want) != m.differences() || len(m.local) == 0 {
		t.Fatalf("%d coefficients with %d controls, want %d", len(want), len(m.local), m.differences())
	}
	const draws = 400
	sums, squares := make([]float64, len(want)), make([]float64, len(want))
	for range draws {
		theta := m.withGeos(slices.Clone(common), random)
		if len(theta) != len(common)+m.geos*len(want) || !slices.Equal(theta[:len(common)], common) {
			t.Fatalf("%d parameters, want the %d common ones and %d for each of %d geos", len(theta), len(common), len(want), m.geos)
		}
		for g := range m.geos {
			for i, w := range want {
				z := (theta[m.ofGeo(g)+i] - w.center) / w.spread
				sums[i], squares[i] = sums[i]+z, squares[i]+z*z
			}
		}
	}
	// The tolerances are four standard errors of the mean and of the variance.
	n := float64(draws * m.geos)
	for i := range want {
		if mean, variance := sums[i]/n, squares[i]/n; math.Abs(mean) > 4/math.Sqrt(n) || math.Abs(variance-1) > 4*math.Sqrt(2/n) {
			t.Errorf("coefficient %d: standardized mean %v and variance %v, want 0 and 1", i, mean, variance)
		}
	}
	one := []float64{1, 2}
	if got := (&model{geos: 1}).withGeos(one, nil); !slices.Equal(got, one) {
		t.Errorf("a single geo has the parameters %v, want %v", got, one)
	}
}

func TestInvalidGeosAreRejected(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(*Data, *Spec)
		says  string
	}{
		"one geo":            {func(d *Data, _ *Spec) { d.Geos = d.Geos[:1] }, "at least two geos"},
		"a geo twice":        {func(d *Data, _ *Spec) { d.Geos[1].Name = "north" }, "north"},
		"half a population":  {func(d *Data, _ *Spec) { d.Geos[1].Population = 0 }, "south"},
		"rows of two geos":   {func(d *Data, _ *Spec) { d.Geos = d.Geos[:2] }, "90 values for 60"},
		"another likelihood": {func(_ *Data, s *Spec) { s.Likelihood = StudentT }, "student_t"},
		"a test elsewhere": {func(_ *Data, s *Spec) {
			s.Lifts = []Lift{{Channel: "social", X: 1, DeltaX: 1, DeltaY: 1, Sigma: 1, Geo: "east"}}
		}, "east"},
	} {
		d, s := toyGeos(), Spec{}
		d.Geos = slices.Clone(d.Geos)
		c.spoil(&d, &s)
		if _, err := newModel(d, s); fault.KindOf(err) != fault.KindInvalid || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, want an error with %q", name, err, c.says)
		}
	}
}

// TestCommonMeanOfTwoGeosHasNoFunnel samples two geos with a channel that is always on. The data identify the geos' own
// means. The common mean may differ from these means as much as the effects of geos differ. A coordinate with a fixed
// scale leads to divergent transitions.
func TestCommonMeanOfTwoGeosHasNoFunnel(t *testing.T) {
	t.Parallel()
	random := stats.Stream(23, 0)
	d := Data{Geos: []Geo{{Name: "north"}, {Name: "south"}}, Media: []Media{{Channel: "video"}}}
	for t := range 60 {
		d.Dates = append(d.Dates, civil.New(2024, 1, 1).AddDays(7*t))
	}
	for g := range 2 {
		for range d.Dates {
			spend := 100 * math.Exp(0.4*random.NormFloat64())
			d.Media[0].Exposure = append(d.Media[0].Exposure, spend)
			d.Target = append(d.Target, 1000+float64(3+2*g)*spend+30*random.NormFloat64())
		}
	}
	m, err := newModel(d, Spec{Adstock: Adstock{Immediately, 1}, Saturation: Unsaturated, Trend: Trend{Kind: NoTrend}})
	if err != nil {
		t.Fatal(err)
	}
	// deviation returns the posterior standard deviation of the mean's coordinate. The deviation is 1 if the
	// coordinate's unit is the mean's standard error.
	deviation := func(m *model) (sd float64, divergences int) {
		run, err := hmc.Sample(func() stats.Density { return m.newDensity() },
			hmc.Options{Seed: 1, Chains: 2, Warmup: 300, Draws: 400, Accept: 0.9})
		if err != nil {
			t.Fatal(err)
		}
		_, sd = stats.MeanSD(slices.Concat(run.Values(func(draw []float64) float64 { return draw[m.baselineAt] })...))
		return sd, run.Divergences()
	}
	sd, divergences := deviation(m)
	blind := *m
	blind.levels = make([]float64, 1)
	blindSD, blindDivergences := deviation(&blind)
	t.Logf("deviation %.2f, %d divergences; blind to levels %.2f, %d", sd, divergences, blindSD, blindDivergences)
	if sd > 1.25 || divergences > 0 {
		t.Errorf("the coordinate of the mean has deviation %.2f, want about 1; %d trajectories diverged", sd, divergences)
	}
	if blindSD < 1.5 || blindDivergences == 0 {
		t.Error("blind to levels the coordinate is as good: the store does not show what they are for")
	}
}
