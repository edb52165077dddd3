package halo

import (
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/floats"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/stats"
)

// seeds returns the number of simulated stores: few by default, or many if ASSAY_NIGHTLY is set.
func seeds(few, many int) int {
	if os.Getenv("ASSAY_NIGHTLY") != "" {
		return many
	}
	return few
}

// simulate returns two years of a marketplace on which four channels of the online store have the given halo effects.
// Adstock and saturation differ from the model's. Spend has levels, bursts, pauses and a seasonal part. Sales have
// growth, seasonality, weekday and holiday effects, autocorrelated errors and outliers.
func simulate(seed uint64, effects [4]float64) Data {
	return simulateWith(seed, effects, (*rand.Rand).NormFloat64)
}

// heavyTailed draws from the t-distribution with 3 degrees of freedom.
func heavyTailed(rng *rand.Rand) float64 {
	z, squares := rng.NormFloat64(), 0.0
	for range 3 {
		x := rng.NormFloat64()
		squares += x * x
	}
	return z / math.Sqrt(squares/3)
}

func simulateWith(seed uint64, effects [4]float64, noise func(*rand.Rand) float64) Data {
	rng := rand.New(rand.NewPCG(seed, 3))
	const days = 730
	d := Data{First: civil.MustParse("2024-11-18")}
	revenue := make([]float64, days)
	season := func(t int) float64 { return 1 + 0.15*math.Cos(2*math.Pi*float64(t-10)/365.25) }
	e := 0.0
	for t := range revenue {
		e = 0.4*e + 90*noise(rng)
		level := 650 * season(t) * math.Pow(1.2, float64(t)/365) * (1 + 0.15*math.Sin(2*math.Pi*float64(t)/7))
		revenue[t] = level + e + 60*noise(rng)
		if rng.Float64() < 0.01 {
			revenue[t] += 900 * rng.Float64()
		}
		if blackFriday(d.First.AddDays(t)) {
			revenue[t] *= 3
		}
	}
	for k, coefficient := range effects {
		spend := make([]float64, days)
		level, burst := 300.0, 1.0
		for t := range spend {
			if rng.IntN(30) == 0 {
				level = 300 * math.Exp(0.3*rng.NormFloat64())
			}
			switch rng.IntN(40) {
			case 0:
				burst = 2.5
			case 1:
				burst = 0.1
			case 2, 3, 4:
				burst = 1
			}
			spend[t] = level * burst * (0.6 + 0.4*season(t)) * math.Exp(0.1*rng.NormFloat64())
		}
		name := measure.Channel([]string{"facebook", "google", "tiktok", "snapchat"}[k])
		d.Channels = append(d.Channels, Channel{Name: name, Spend: spend, Home: measure.OnlineStore})
		floats.AddScaled(revenue, coefficient, lag{keep: 0.4 + 0.1*float64(k), half: 2}.response(spend))
	}
	d.Surfaces = []Surface{{Name: measure.Marketplace, Revenue: revenue}}
	return d
}

func estimate(t *testing.T, d Data, o Options) []Effect {
	t.Helper()
	effects, err := Estimate(d, o)
	if err != nil {
		t.Fatal(err)
	}
	return effects
}

// By default, the test has 12 stores with 48 effects. A coverage of 0.95 then has a standard error of three percentage
// points, and the bound is three standard errors below. The nightly 200 stores have 800 effects, a standard error of
// one percentage point and a tighter bound.
func TestSimulatedEffectsAreInsideTheirIntervals(t *testing.T) {
	t.Parallel()
	for name, noise := range map[string]func(*rand.Rand) float64{"normal": (*rand.Rand).NormFloat64, "heavy-tailed": heavyTailed} {
		t.Run(name, func(t *testing.T) { effectsAreInside(t, noise) })
	}
}

func effectsAreInside(t *testing.T, noise func(*rand.Rand) float64) {
	t.Helper()
	planted := [4]float64{0.25, 0.10, 0, 0.05}
	n, least := seeds(12, 200), 0.93
	if n < 100 {
		least = 0.85
	}
	var inside, all, false95, refused int
	var squares, bias float64
	for seed := range n {
		for k, e := range estimate(t, simulateWith(uint64(seed), planted, noise), Options{Seed: 1}) {
			if e.Reason != "" {
				refused++
				continue
			}
			all++
			inside += int(indicator(e.Wide.Low <= planted[k] && planted[k] <= e.Wide.High))
			squares += (e.Coefficient.Value - planted[k]) * (e.Coefficient.Value - planted[k])
			bias += e.Coefficient.Value - planted[k]
			false95 += int(indicator(k == 2 && e.Found()))
		}
	}
	got := float64(inside) / float64(all)
	t.Logf(
		"%d of %d in the 95%% interval (%.3f), rmse %.3f, bias %.3f; %d of %d stores find the effect that is not there; "+
			"%d refused",
		inside, all, got, math.Sqrt(squares/float64(all)), bias/float64(all), false95, n, refused)
	if got < least {
		t.Errorf("%.3f of the effects are in their 95%% interval, want %.2f", got, least)
	}
	if refused > all/20 {
		t.Errorf("%d of %d effects are refused", refused, refused+all)
	}
}

func TestNoEffectIsFoundWithoutOne(t *testing.T) {
	t.Parallel()
	found, all := 0, 0
	for seed := range seeds(12, 200) {
		for _, e := range estimate(t, simulate(uint64(1000+seed), [4]float64{}), Options{Seed: 1}) {
			all++
			found += int(indicator(e.Found()))
		}
	}
	t.Logf("%d of %d effects are found in stores without any", found, all)
	if float64(found) > 0.05*float64(all) {
		t.Errorf("%d of %d effects are found in stores without any", found, all)
	}
}

func TestSpendThatFollowsDemandIsRejected(t *testing.T) {
	t.Parallel()
	d := simulate(4, [4]float64{0.1, 0.1, 0.1, 0.1})
	// Budgets follow last week's sales.
	sold := d.Surfaces[0].Revenue
	for t := range d.Channels[1].Spend {
		sum := 0.0
		for _, v := range sold[max(0, t-5) : max(0, t-5)+5] {
			sum += v / 5
		}
		d.Channels[1].Spend[t] = 0.4 * sum
	}
	e := estimate(t, d, Options{})[1]
	if e.Reason != LeadsSales {
		t.Errorf("spend that follows sales: %+v", e)
	}
}

func TestUnidentifiedEffectsHaveAReason(t *testing.T) {
	t.Parallel()
	d := simulate(5, [4]float64{0.1, 0.1, 0.1, 0.1})
	steady, rare := d.Channels[0].Spend, d.Channels[2].Spend
	for i := range steady {
		steady[i] = 300 + float64(i)/10
		if i > 50 {
			rare[i] = 0
		}
	}
	copy(d.Channels[3].Spend, d.Channels[1].Spend)
	short := make([]float64, len(steady))
	copy(short[600:], d.Surfaces[0].Revenue[600:])
	d.Surfaces = append(d.Surfaces, Surface{Name: measure.Retail, Revenue: short})
	var got []Reason
	for _, e := range estimate(t, d, Options{}) {
		got = append(got, e.Reason)
	}
	want := []Reason{Constant, Collinear, FewSpendDays, Collinear, FewDays, FewDays, FewDays, FewDays}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
}

func TestExperimentsAndDaysAreCombinedByPrecision(t *testing.T) {
	t.Parallel()
	d := simulate(6, [4]float64{0.25, 0.1, 0, 0.05})
	before := estimate(t, d, Options{})[0]
	d.Experiments = []Experiment{{Channel: "facebook", Surface: measure.Marketplace, Coefficient: 0.25, Error: 0.01}}
	after := estimate(t, d, Options{})[0]
	if after.Experiments != 1 || after.Alone || math.Abs(after.Coefficient.Value-0.25) > 0.02 ||
		after.Coefficient.High-after.Coefficient.Low > (before.Coefficient.High-before.Coefficient.Low)/2 {
		t.Errorf("with an experiment of 0.25 ± 0.01: %+v, before %+v", after, before)
	}
	d.Experiments[0].Coefficient, d.Experiments[0].Error = 5, 50
	vague := estimate(t, d, Options{})[0]
	if math.Abs(vague.Coefficient.Value-before.Coefficient.Value) > 0.01 || math.Abs(vague.SD-before.SD) > 0.01 {
		t.Errorf("an experiment without information changes %+v to %+v", before, vague)
	}
}

func TestExperimentsAloneGiveAnEffectWhenTheDaysCannot(t *testing.T) {
	t.Parallel()
	d := simulate(5, [4]float64{0.1, 0.1, 0.1, 0.1})
	copy(d.Channels[3].Spend, d.Channels[1].Spend)
	twin := d.Channels[1].Name
	d.Experiments = []Experiment{
		{Channel: twin, Surface: measure.Marketplace, Coefficient: 0.4, Error: 0.1},
		{Channel: twin, Surface: measure.Marketplace, Coefficient: 0.2, Error: 0.1},
	}
	all := estimate(t, d, Options{})
	e := all[1]
	want := 0.6 / 0.01 / (2/0.01 + 1/(haloSize*haloSize)) // by hand, from two results and the prior centered at zero
	if e.Reason != "" || !e.Alone || e.Experiments != 2 || math.Abs(e.Coefficient.Value-want) > 1e-9 || !e.Found() {
		t.Errorf("%s: %+v, want %v from the two experiments alone", twin, e, want)
	}
	if all[3].Reason != Collinear {
		t.Errorf("its twin without an experiment: %q, want %q", all[3].Reason, Collinear)
	}
}

func TestCoefficientsDoNotDependOnTheCurrency(t *testing.T) {
	t.Parallel()
	d := simulate(7, [4]float64{0.25, 0.1, 0, 0.05})
	want := estimate(t, d, Options{})
	for i := range d.Surfaces {
		scale(160, d.Surfaces[i].Revenue)
	}
	for i := range d.Channels {
		scale(160, d.Channels[i].Spend)
	}
	for i, e := range estimate(t, d, Options{}) {
		if math.Abs(e.Coefficient.Value-want[i].Coefficient.Value) > 1e-6 || e.Reason != want[i].Reason {
			t.Errorf("%s: %v in another currency, %v before", e.Channel, e.Coefficient.Value, want[i].Coefficient.Value)
		}
	}
}

func TestSameDataGiveTheSameBytes(t *testing.T) {
	d := simulate(8, [4]float64{0.25, 0.1, 0, 0.05})
	want := estimate(t, d, Options{Seed: 3})
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if diff := cmp.Diff(want, estimate(t, d, Options{Seed: 3})); diff != "" {
		t.Errorf("on one core (-want +got):\n%s", diff)
	}
}

func TestInvalidDataAreRejected(t *testing.T) {
	t.Parallel()
	short := simulate(9, [4]float64{})
	short.Channels[1].Spend = short.Channels[1].Spend[1:]
	broken := simulate(9, [4]float64{})
	broken.Surfaces[0].Revenue[3] = math.NaN()
	for name, d := range map[string]Data{"google": short, "marketplace": broken} {
		if _, err := Estimate(d, Options{}); err == nil {
			t.Errorf("%s: no error", name)
		} else if text, _, _ := fault.Public(err); text == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if effects, err := Estimate(Data{}, Options{}); err != nil || len(effects) != 0 {
		t.Errorf("no data: %v, %v", effects, err)
	}
}

func BenchmarkEstimate(b *testing.B) {
	d := simulate(1, [4]float64{0.25, 0.1, 0, 0.05})
	for b.Loop() {
		if _, err := Estimate(d, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func scale(c float64, x []float64) {
	for i := range x {
		x[i] *= c
	}
}

// With a flat prior and one column for all lags, the posterior of the coefficient is Student's t. It has free - 1
// degrees of freedom and is centered at the least-squares estimate. Its variance is RSS / ((free - 3) x'x).
func TestSamplerMatchesTheClosedFormOfARegression(t *testing.T) {
	t.Parallel()
	const xx, xy, yy, free = 4.0, 6.0, 45.0, 9.0
	m := model{regression: regression{yy: yy, free: free, excess: 1}, priors: []prior{{variance: 1e12}}}
	for range lags {
		m.xy = append(m.xy, xy)
		m.xx = append(m.xx, slices.Repeat([]float64{xx}, len(lags)))
	}
	const draws = 40_000
	mean, sd := stats.MeanSD(m.draw(draws, stats.Stream(1, 0)).beta[0])
	want := math.Sqrt((yy - xy*xy/xx) / (free - 3) / xx)
	// The tolerance is five standard errors. For the standard deviation, five standard errors are 2.5%, with a kurtosis
	// of 4.5.
	if math.Abs(mean-xy/xx) > 5*want/math.Sqrt(draws) || math.Abs(sd/want-1) > 0.025 {
		t.Errorf("mean %.4f and standard deviation %.4f, want %.4f and %.4f", mean, sd, xy/xx, want)
	}
}
