package mmm

import (
	"math"
	"slices"
	"testing"

	"assay/internal/civil"
	"assay/internal/measure/stats"
)

// festive returns [toy] with four holiday controls, each nonzero in two weeks.
func festive() Data {
	d := toy()
	for h := range 4 {
		c := Control{Name: string(rune('a' + h)), Group: "holiday", Values: make([]float64, len(d.Dates))}
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

// TestPooledControlsDensityMatchesItsDraws compares the closed form of the density with a sum over a grid of tau.
func TestPooledControlsDensityMatchesItsDraws(t *testing.T) {
	t.Parallel()
	m := festiveModel(t, Spec{})
	if len(m.controlGroups) != 1 || len(m.controlGroups[0].at) != 4 {
		t.Fatalf("groups %v, want one of four", m.controlGroups)
	}
	b := pooledControls{at: []int{0, 1, 2, 3}}
	slow := func(gamma []float64) float64 {
		var density float64
		const step = 1e-3
		for log := math.Log(pooledScale) - 7; log < math.Log(pooledScale)+12; log += step {
			tau2 := math.Exp(2 * log)
			// p is the density of log tau if tau^2 is inverse gamma.
			p := math.Exp(-pooledFreedom*log - pooledFreedom*pooledScale*pooledScale/(2*tau2))
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
	// The upper quartile of Student's t with 3 degrees of freedom is 0.765 times its scale. Four standard errors of a
	// quartile from 40,000 draws are 2.2% of the quartile.
	random, sizes := stats.Stream(5, 0), []float64(nil)
	for range 40_000 {
		sizes = append(sizes, math.Abs(m.drawPrior(random)[m.controlGroups[0].at[2]])/pooledScale)
	}
	slices.Sort(sizes)
	if got := stats.Quantile(sizes, 0.5); math.Abs(got/0.7649-1) > 0.022 {
		t.Errorf("half of the drawn coefficients are below %v scales, want .765", got)
	}
}

func TestControlsWithAPriorOfTheirOwnLeaveTheirGroup(t *testing.T) {
	t.Parallel()
	own := Prior{NormalPrior, 0.1, 0.1}
	if m := festiveModel(t, Spec{Priors: map[string]Prior{"b": own}}); len(m.controlGroups[0].at) != 3 {
		t.Errorf("the group has %d members and one control has its own prior, want 3", len(m.controlGroups[0].at))
	}
	m := festiveModel(t, Spec{Priors: map[string]Prior{"holiday": own}})
	if at := slices.Index(m.parameterNames(), "c"); len(m.controlGroups) != 0 || m.parameters[at].prior != own {
		t.Errorf("with a prior under the group name there are %d groups and prior %v",
			len(m.controlGroups), m.parameters[at].prior)
	}
}

// holidayStore returns three years of weekly data with doubled spend on six holidays. One holiday has a large effect,
// two have a small effect and three have none. It also returns the channel's incremental outcome and the holidays'
// effects.
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
		c := Control{Name: string(rune('a' + h)), Group: "holiday", Values: make([]float64, weeks)}
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

// TestHolidayControlsRemoveBiasOfChannels fits the store with and without holiday controls. The fit shrinks the effects
// of holidays without a true effect toward zero, but not the large effect of one holiday.
func TestHolidayControlsRemoveBiasOfChannels(t *testing.T) {
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
	for h, e := range with.PooledControls() {
		want := 3 * effects[h]
		if e.Periods != 3 || e.Group != "holiday" || math.Abs(e.Contribution.Mean-want) > 3*e.Contribution.SD {
			t.Errorf("holiday %s: contribution %v (sd %v) in %d periods, want %v in 3",
				e.Name, e.Contribution.Mean, e.Contribution.SD, e.Periods, want)
		}
		if got, want := e.Share.Mean*sumOf(d.Target), e.Contribution.Mean; !near(got, want, 1e-9) {
			t.Errorf("holiday %s: the share is of %v, want %v", e.Name, got, want)
		}
	}
	d.Controls = nil
	if _, e := inside(reportable(t, d, spec, how)); e.Contribution.Mean < 1.3*truth {
		t.Errorf("without holidays the contribution is %v, want at least 1.3 times %v", e.Contribution.Mean, truth)
	}
}

func sumOf(values []float64) (sum float64) {
	for _, v := range values {
		sum += v
	}
	return sum
}
