package mmm

import (
	"math"
	"slices"
	"testing"

	"assay/internal/civil"
	"assay/internal/measure/stats"
)

// festive is [toy] with four holidays of two weeks each.
func festive() Data {
	d := toy()
	for h := range 4 {
		c := Control{Name: string(rune('a' + h)), Batch: "holiday", Values: make([]float64, len(d.Dates))}
		c.Values[3+5*h], c.Values[23+4*h] = 1, 0.5
		d.Controls = append(d.Controls, c)
	}
	return d
}

func festiveModel(t *testing.T, s Spec) *model {
	t.Helper()
	m, err := newModel(festive(), s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestTheDensityOfABatchIsThatOfItsDraws sums over a grid of deviations what the density has in closed form.
func TestTheDensityOfABatchIsThatOfItsDraws(t *testing.T) {
	t.Parallel()
	m := festiveModel(t, Spec{})
	if len(m.batches) != 1 || len(m.batches[0].at) != 4 {
		t.Fatalf("batches %v, want one of four", m.batches)
	}
	b := batch{at: []int{0, 1, 2, 3}}
	slow := func(gamma []float64) float64 {
		var density float64
		const step = 1e-3
		for log := math.Log(batchScale) - 7; log < math.Log(batchScale)+12; log += step {
			tau2 := math.Exp(2 * log)
			// The density of log tau when tau^2 is inverse gamma.
			p := math.Exp(-batchFreedom*log - batchFreedom*batchScale*batchScale/(2*tau2))
			for _, g := range gamma {
				p *= math.Exp(-g*g/(2*tau2)) / math.Sqrt(tau2)
			}
			density += p
		}
		return math.Log(density)
	}
	scratch, origin := make([]float64, 4), make([]float64, 4)
	for _, gamma := range [][]float64{{0.01, 0, -0.02, 0.01}, {0.3, 0.1, 0, -0.1}, {1, -1, 2, 0}} {
		got, want := b.logp(gamma, scratch)-b.logp(origin, scratch), slow(gamma)-slow(origin)
		if math.Abs(got-want) > 1e-8 {
			t.Errorf("log density at %v: got %v above that at 0, want %v", gamma, got, want)
		}
	}
	// Draws have the quartiles of Student's t: .765 scales; four standard errors of a quartile from 40,000 draws are .022 of it.
	random, sizes := stats.Stream(5, 0), []float64(nil)
	for range 40_000 {
		sizes = append(sizes, math.Abs(m.drawPrior(random)[m.batches[0].at[2]])/batchScale)
	}
	slices.Sort(sizes)
	if got := stats.Quantile(sizes, 0.5); math.Abs(got/0.7649-1) > 0.022 {
		t.Errorf("half of the drawn coefficients are below %v scales, want .765", got)
	}
}

func TestControlsWithAPriorOfTheirOwnLeaveTheirBatch(t *testing.T) {
	t.Parallel()
	own := Prior{NormalPrior, 0.1, 0.1}
	if m := festiveModel(t, Spec{Priors: map[string]Prior{"b": own}}); len(m.batches[0].at) != 3 {
		t.Errorf("the batch has %d members beside one with a prior of its own, want 3", len(m.batches[0].at))
	}
	m := festiveModel(t, Spec{Priors: map[string]Prior{"holiday": own}})
	if at := slices.Index(m.parameterNames(), "c"); len(m.batches) != 0 || m.parameters[at].prior != own {
		t.Errorf("under a prior of the batch's name there are %d batches and the prior %v", len(m.batches), m.parameters[at].prior)
	}
}

// holidayStore is three years of weeks whose budgets double on six holidays, of which one moves sales much, two a little and three not
// at all. It returns what the channel brings.
func holidayStore(seed uint64) (d Data, contribution float64, effects []float64) {
	random := stats.Stream(seed, 4)
	const weeks = 156
	effects = []float64{20000, 6000, 6000, 0, 0, 0}
	spend := make([]float64, weeks)
	for t := range weeks {
		d.Dates = append(d.Dates, civil.New(2023, 1, 2).AddDays(7*t))
		spend[t] = 4000 * math.Exp(0.4*random.NormFloat64())
		d.Target = append(d.Target, 40000+1500*random.NormFloat64())
	}
	for h, effect := range effects {
		c := Control{Name: string(rune('a' + h)), Batch: "holiday", Values: make([]float64, weeks)}
		for year := range 3 {
			t := 52*year + 5 + 8*h + year%2
			c.Values[t], spend[t], d.Target[t] = 1, 2*spend[t], d.Target[t]+effect
		}
		d.Controls = append(d.Controls, c)
	}
	top := slices.Max(spend)
	for t := range d.Target {
		brought := 20000 * spend[t] / (0.5*top + spend[t])
		d.Target[t], contribution = d.Target[t]+brought, contribution+brought
	}
	d.Media = []Media{{Channel: "search", Exposure: spend}}
	return d, contribution, effects
}

// TestHolidaysKeepTheirSalesFromTheChannels fits the store with its holidays and without. Days without effect are drawn towards
// zero, the one with a large effect is not.
func TestHolidaysKeepTheirSalesFromTheChannels(t *testing.T) {
	t.Parallel()
	d, truth, effects := holidayStore(1)
	spec := Spec{Adstock: Adstock{Immediately, 1}, Saturation: MichaelisMenten, Trend: Trend{Kind: NoTrend}}
	how := Sampling{Seed: 1, Warmup: 300, Draws: 300}
	inside := func(p *Posterior) (bool, ChannelEffect) {
		e := p.Effects()[0]
		return e.Contribution.Q05 < truth && truth < e.Contribution.Q95, e
	}
	with := reportable(t, d, spec, how)
	if in, e := inside(with); !in {
		t.Errorf("with holidays: %v to %v misses %v", e.Contribution.Q05, e.Contribution.Q95, truth)
	}
	for h, e := range with.Batched() {
		want := 3 * effects[h]
		if e.Periods != 3 || e.Batch != "holiday" || math.Abs(e.Contribution.Mean-want) > 3*e.Contribution.SD {
			t.Errorf("holiday %s brought %v (deviation %v) in %d periods, want %v in 3", e.Name, e.Contribution.Mean, e.Contribution.SD, e.Periods, want)
		}
		if got, want := e.Share.Mean*sumOf(d.Target), e.Contribution.Mean; !near(got, want, 1e-9) {
			t.Errorf("holiday %s: the share is of %v, want %v", e.Name, got, want)
		}
	}
	d.Controls = nil
	if _, e := inside(reportable(t, d, spec, how)); e.Contribution.Mean < 1.3*truth {
		t.Errorf("without holidays their sales are not the channel's: it brings %v, want at least 1.3 times %v", e.Contribution.Mean, truth)
	}
}

func sumOf(values []float64) (sum float64) {
	for _, v := range values {
		sum += v
	}
	return sum
}
