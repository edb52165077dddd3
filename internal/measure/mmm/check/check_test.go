package check

import (
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/mmm"
	"assay/internal/measure/stats"
	"assay/internal/measure/stats/hmc"
)

// series returns n values of a function.
func series(n int, f func(t int) float64) []float64 {
	out := make([]float64, n)
	for t := range out {
		out[t] = f(t)
	}
	return out
}

func near(got, want, tolerance float64) bool {
	return math.Abs(got-want) <= tolerance*(1+math.Abs(want))
}

func weeks(n int) []civil.Date {
	out := make([]civil.Date, n)
	for t := range out {
		out[t] = civil.New(2023, 1, 2).AddDays(7 * t)
	}
	return out
}

// toy returns forty weeks of two channels and a target that depends on search.
func toy() mmm.Data {
	random := stats.Stream(11, 0)
	d := mmm.Data{Dates: weeks(40)}
	for _, name := range []measure.Channel{"search", "social"} {
		d.Media = append(d.Media,
			mmm.Media{Channel: name, Exposure: series(40, func(int) float64 { return 100 * random.Float64() })})
	}
	d.Controls = []mmm.Control{{Name: "price", Values: series(40, func(int) float64 { return 20 - 5*random.Float64() })}}
	d.Target = series(40, func(t int) float64 { return 900 + 3*d.Media[0].Exposure[t] + 50*random.NormFloat64() })
	return d
}

// toyGeos returns thirty weeks of two channels in three geos of different sizes.
func toyGeos() mmm.Data {
	random := stats.Stream(13, 0)
	d := mmm.Data{
		Dates: weeks(30), Geos: []mmm.Geo{
			{Name: "north", Population: 100}, {Name: "south", Population: 300}, {Name: "west", Population: 50},
		},
		Media: []mmm.Media{{Channel: "search"}, {Channel: "social"}},
	}
	for _, g := range d.Geos {
		for i := range d.Media {
			d.Media[i].Exposure = append(
				d.Media[i].Exposure, series(30, func(int) float64 { return g.Population * random.Float64() })...)
		}
		d.Target = append(d.Target, series(30, func(int) float64 { return g.Population * (9 + random.NormFloat64()) })...)
	}
	return d
}

// planted returns a simulated store with two and a half years of weekly data and three channels with geometric adstock
// and saturation. It has yearly seasonality and noise of 3%.
func planted() mmm.Data {
	random := stats.Stream(1, 0)
	const n = 130
	d := mmm.Data{Dates: weeks(n)}
	d.Target = series(n, func(t int) float64 {
		season := math.Sin(2 * math.Pi * float64(d.Dates[t].YearDay()) / 365.25)
		return 50000 + 60*float64(t) + 4000*season + 1500*random.NormFloat64()
	})
	for i, c := range []struct {
		name             measure.Channel
		spend, alpha     float64
		kappa, magnitude float64
	}{{"search", 4000, 0.2, 0.5, 30000}, {"social", 3000, 0.6, 0.4, 16000}, {"tv", 6000, 0.7, 0.8, 20000}} {
		spend := series(n, func(t int) float64 {
			return c.spend * (1 + 0.5*math.Sin(float64(t)/float64(4+3*i))) * math.Exp(0.5*random.NormFloat64())
		})
		top, carried := slices.Max(spend), 0.0
		for t, x := range spend {
			carried = c.alpha*carried + (1-c.alpha)*x/top
			d.Target[t] += c.magnitude * carried / (c.kappa + carried)
		}
		d.Media = append(d.Media, mmm.Media{Channel: c.name, Exposure: spend})
	}
	return d
}

func reportable(t *testing.T, d mmm.Data, s mmm.Spec, how mmm.Sampling) *mmm.Posterior {
	t.Helper()
	result, err := mmm.Fit(d, s, how)
	if err != nil {
		t.Fatal(err)
	}
	if result.Status != mmm.OK {
		t.Fatalf("not reportable: %+v\n%+v", result.Reasons, result.Diagnostics)
	}
	return result.Posterior
}

func TestPriorCheckMatchesThePriors(t *testing.T) {
	t.Parallel()
	d := toy()
	check := func(s mmm.Spec) PriorCheck {
		t.Helper()
		c, err := Priors(d, s, 1)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	shares := check(mmm.Spec{Effect: mmm.Share})
	for _, e := range shares.Channels {
		// A half-normal distribution of scale 0.2 has mean 0.1596 and standard deviation 0.1206. The standard error of
		// the mean of 1,000 draws is 0.004.
		if math.Abs(e.Share.Mean-0.1596) > 0.015 || math.Abs(e.Share.SD-0.1206) > 0.015 {
			t.Errorf("share of %s before the data: %+v", e.Channel, e.Share)
		}
	}
	if sum := shares.Channels[0].Share.Mean + shares.Channels[1].Share.Mean; !near(shares.Media.Mean, sum, 1e-9) {
		t.Errorf("all media bring %v, their sum is %v", shares.Media.Mean, sum)
	}
	if shares.Inside < 0.9 {
		t.Errorf("vague priors hold %v of the periods", shares.Inside)
	}
	sure := check(mmm.Spec{Priors: map[string]mmm.Prior{
		"intercept": {Family: mmm.NormalPrior, A: 5, B: 0.01}, "beta": {Family: mmm.HalfNormalPrior, A: 0.01, B: 0},
		"sigma": {Family: mmm.HalfNormalPrior, A: 0.01, B: 0},
		"trend": {Family: mmm.NormalPrior, A: 0, B: 0.01}, "control": {Family: mmm.NormalPrior, A: 0, B: 0.01},
	}})
	if sure.Inside != 0 || sure.Negative != 0 {
		t.Errorf("priors five times above the data hold %v of the periods, %v below zero", sure.Inside, sure.Negative)
	}
	below := check(mmm.Spec{
		Priors: map[string]mmm.Prior{
			"intercept": {Family: mmm.NormalPrior, A: -5, B: 0.1}, "beta": {Family: mmm.HalfNormalPrior, A: 0.01, B: 0},
		},
	})
	if below.Negative < 0.99 {
		t.Errorf("priors far below zero: %v of the periods are negative", below.Negative)
	}
	if c, err := Priors(toyGeos(), mmm.Spec{Effect: mmm.ROI}, 1); err != nil || c.Inside < 0.8 {
		t.Errorf("geos: %v of the periods inside, %v", c.Inside, err)
	}
	d.Media[0].Exposure = make([]float64, len(d.Dates))
	if _, err := Priors(d, mmm.Spec{}, 1); fault.KindOf(err) != fault.KindNotReady {
		t.Errorf("a channel without exposure: got %v, want a fault of kind not ready", err)
	}
}

// simple returns a spec with few parameters and a short sampling that is sufficient for this spec.
func simple() (mmm.Spec, mmm.Sampling) {
	return mmm.Spec{Saturation: mmm.MichaelisMenten, Yearly: 1}, mmm.Sampling{Seed: 1, Chains: 2, Warmup: 200, Draws: 500}
}

func TestBacktestPredictsHeldOutPeriods(t *testing.T) {
	t.Parallel()
	d := planted()
	s, how := simple()
	by := Slices{First: 117, Horizon: 6, Step: 7}
	b, err := Backtested(d, s, how, by)
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Slices) != 2 || b.Refused != 0 || b.Rows != 12 || b.Slices[1].Fitted != 124 {
		t.Fatalf("got %d slices with %d rows, %d refused", len(b.Slices), b.Rows, b.Refused)
	}
	s.Holdout = 6
	alone := reportable(t, until(d, 123), s, how) // later weeks have no effect
	for i, want := range alone.LogScores() {
		if got := b.Slices[0].Rows[i].LogScore; got != want {
			t.Errorf("log score %v of row %d, of the fit alone %v", got, i, want)
		}
	}
	var scores float64
	for _, slice := range b.Slices {
		for _, row := range slice.Rows {
			scores += row.LogScore
		}
	}
	if !near(b.ELPD, scores, 1e-12) || !(b.SE > 0) {
		t.Errorf("ELPD %v ± %v, the scores' sum is %v", b.ELPD, b.SE, scores)
	}
	// The noise is 2% to 3% of the target. The CRPS of a normal distribution is at least 0.23 of its standard deviation.
	if b.Inside90 < 0.7 || b.Accuracy.WMAPE > 0.05 || b.CRPS > b.Accuracy.WMAPE || b.CRPS < 0.005 {
		t.Errorf("inside %v, WMAPE %v, CRPS %v", b.Inside90, b.Accuracy.WMAPE, b.CRPS)
	}
	if len(b.Stability) != 3 || b.Stability[0].Overlap < 0.5 || b.Stability[0].Overlap > 1 {
		t.Errorf("stability %+v", b.Stability)
	}
	if _, err := Backtested(d, s, how, Slices{First: 128, Horizon: 6, Step: 1}); fault.KindOf(err) != fault.KindInvalid {
		t.Errorf("slices beyond the end: %v", err)
	}
}

func TestCRPSOfDrawsMatchesItsFormula(t *testing.T) {
	t.Parallel()
	if got := crps([]float64{0, 2}, 1); !near(got, 0.5, 1e-14) {
		t.Errorf("got %v, want 1 - 1/2", got)
	}
	// The CRPS of a standard normal distribution at its mean is (sqrt 2 - 1) / sqrt pi.
	random := stats.Stream(3, 0)
	draws := series(20000, func(int) float64 { return random.NormFloat64() })
	slices.Sort(draws)
	if got, want := crps(draws, 0), (math.Sqrt2-1)/math.Sqrt(math.Pi); math.Abs(got-want) > 0.01 {
		t.Errorf("got %v, want %v", got, want)
	}
}

// quick returns data without controls, and a spec and sampling that take a fraction of a second.
func quick() (mmm.Data, mmm.Spec, mmm.Sampling) {
	d := toy()
	d.Controls = nil
	return d, mmm.Spec{
		Saturation: mmm.MichaelisMenten, Trend: mmm.Trend{Kind: mmm.NoTrend}, Adstock: mmm.Adstock{Kind: mmm.Immediately, Lags: 1},
		Priors: map[string]mmm.Prior{"social.beta": {Family: mmm.HalfNormalPrior, A: 0.5}},
	}, mmm.Sampling{Seed: 1, Chains: 2, Warmup: 200, Draws: 400}
}

// The target depends on search and not on social. A shifted copy of search has a smaller effect than search in all
// draws. A shifted copy of social is no worse than social in many draws.
func TestPlaceboIsComparedWithItsChannel(t *testing.T) {
	t.Parallel()
	d, s, how := quick()
	for of, c := range map[measure.Channel]struct{ low, high float64 }{"search": {0, 0.02}, "social": {0.1, 0.9}} {
		p, err := PlaceboOf(d, s, how, of)
		if err != nil {
			t.Fatal(err)
		}
		if p.Of != of || p.Status != mmm.OK || p.Share == nil || p.Real == nil || p.Passes < c.low || p.Passes > c.high {
			t.Fatalf("placebo of %s: %+v, want it to pass with a probability between %v and %v", of, p, c.low, c.high)
		}
		// The share of search is 3 times its exposure, of the target's sum. The tolerance covers the Monte Carlo error and
		// the noise of the target.
		if want := 3 * floats.Sum(d.Media[0].Exposure) / floats.Sum(d.Target); of == "search" &&
			(math.Abs(p.Real.Mean-want) > 0.06 || p.Share.Mean > p.Real.Mean/2) {
			t.Errorf("search has %v of the target and its placebo %v, want about %v and little", p.Real.Mean, p.Share.Mean, want)
		}
	}
	if len(d.Media) != 2 || len(s.Priors) != 1 {
		t.Errorf("the placebo tests changed the data or the spec: %d channels, priors %v", len(d.Media), s.Priors)
	}
	if _, err := PlaceboOf(d, s, how, "print"); fault.KindOf(err) != fault.KindInvalid || !strings.Contains(err.Error(), `no channel "print"`) {
		t.Errorf("a placebo of no channel: %v", err)
	}
	few, err := PlaceboOf(until(d, 20), s, how, "search")
	if err != nil || few.Status != mmm.NotReportable || len(few.Reasons) == 0 || few.Share != nil || few.Real != nil || few.Passes != 0 {
		t.Errorf("of 20 periods: %+v, %v; want reasons and no numbers", few, err)
	}
	how.Stop = func() bool { return true }
	if p, err := PlaceboOf(d, s, how, "search"); !errors.Is(err, hmc.ErrStopped) || p != nil {
		t.Errorf("a stopped placebo test: %+v, %v; want ErrStopped", p, err)
	}
	d.Target[3] = math.NaN()
	if p, err := PlaceboOf(d, s, how, "search"); fault.KindOf(err) != fault.KindInvalid || p != nil {
		t.Errorf("an invalid target: %+v, %v", p, err)
	}
}

// The correlation needs three data sets.
func TestRecoveryComparesEstimatesWithTheTruth(t *testing.T) {
	t.Parallel()
	d, s, how := quick()
	p := reportable(t, d, s, how)
	for _, n := range []int{0, 2, 3} {
		r, err := Recover(p, n, how)
		if err != nil {
			t.Fatal(err)
		}
		if r.DataSets != n || r.Refused != 0 || len(r.Channels) != 2 || r.Channels[0].Channel != "search" || r.Channels[1].Channel != "social" {
			t.Fatalf("%d data sets: %+v", n, r)
		}
		for _, c := range r.Channels {
			if c.Inside > n || n == 3 && c.Inside < 1 {
				t.Errorf("%s: %d of %d intervals contain the truth", c.Channel, c.Inside, n)
			}
			if (c.Error != nil) != (n > 0) || n > 0 && (*c.Error <= 0 || *c.Error > 1) {
				t.Errorf("%s: error %v with %d data sets", c.Channel, c.Error, n)
			}
			if (c.Correlation != nil) != (n > 2) || n > 2 && !(*c.Correlation > 0.5 && *c.Correlation <= 1) {
				t.Errorf("%s: correlation %v with %d data sets", c.Channel, c.Correlation, n)
			}
		}
	}
	how.Stop = func() bool { return true }
	if r, err := Recover(p, 1, how); !errors.Is(err, hmc.ErrStopped) || r != nil {
		t.Errorf("a stopped study: %+v, %v; want ErrStopped", r, err)
	}
}

func TestPlaceboHasLittleEffectUnlessTheChannelIsAPlaceboToo(t *testing.T) {
	t.Parallel()
	if os.Getenv("ASSAY_NIGHTLY") != "1" {
		t.Skip("two fits of five channels; the lab's tests have a short one; set ASSAY_NIGHTLY=1 to run them")
	}
	d := planted()
	random := stats.Stream(8, 0)
	d.Media = append(d.Media,
		mmm.Media{Channel: "radio", Exposure: series(len(d.Dates), func(int) float64 { return 3000 * random.Float64() })})
	s, how := simple()
	for of, c := range map[measure.Channel]struct{ low, high float64 }{"search": {0, 0.01}, "radio": {0.1, 0.9}} {
		p, err := PlaceboOf(d, s, how, of)
		if err != nil {
			t.Fatal(err)
		}
		if p.Status != mmm.OK || p.Passes < c.low || p.Passes > c.high {
			t.Errorf("placebo of %s: %+v, want it to pass with a probability between %v and %v", of, p, c.low, c.high)
		}
	}
	if _, err := PlaceboOf(d, s, how, "print"); fault.KindOf(err) != fault.KindInvalid ||
		!strings.Contains(err.Error(), "print") {
		t.Errorf("a placebo of no channel: %v", err)
	}
}

func TestRecoveryShowsWhatADesignIdentifies(t *testing.T) {
	t.Parallel()
	const dataSets = 20
	if os.Getenv("ASSAY_NIGHTLY") != "1" {
		t.Skip("21 fits; set ASSAY_NIGHTLY=1 to run them")
	}
	d := planted()
	s, how := simple()
	// A fourth channel has a tiny spend and therefore a tiny incremental outcome.
	d.Media = append(d.Media, mmm.Media{Channel: "print", Exposure: slices.Clone(d.Media[0].Exposure)})
	slices.Reverse(d.Media[3].Exposure)
	floats.Scale(1e-3, d.Media[3].Exposure)
	s.Effect = mmm.ROI
	p := reportable(t, d, s, how)
	r, err := Recover(p, dataSets, how)
	if err != nil {
		t.Fatal(err)
	}
	inside := 0
	for _, c := range r.Channels {
		inside += c.Inside
	}
	n := (dataSets - r.Refused) * len(r.Channels)
	// True effects are drawn from the priors, so 90% intervals have nominal coverage. The margin is three standard
	// deviations.
	if p := 0.9; math.Abs(float64(inside)-p*float64(n)) > 3*math.Sqrt(p*(1-p)*float64(n)) {
		t.Errorf("%d of %d truths inside", inside, n)
	}
	if r.Refused > dataSets/3 {
		t.Errorf("%d of %d data sets not reportable", r.Refused, dataSets)
	}
	strong, weak := r.Channels[2], r.Channels[3]
	if *strong.Correlation < 0.8 || *strong.Error > 0.5 || *weak.Error < *strong.Error {
		t.Errorf("error %v and correlation %v of tv, error %v of print", *strong.Error, *strong.Correlation, *weak.Error)
	}
}
