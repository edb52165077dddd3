package mmm

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/decide"
	"assay/internal/measure/stats"
)

// fromPrior returns a posterior with draws from the prior.
func fromPrior(t *testing.T, d Data, s Spec, draws int) *Posterior {
	t.Helper()
	m, err := newModel(d, s)
	if err != nil {
		t.Fatal(err)
	}
	p := &Posterior{model: m, data: d, chains: 1}
	for i := range uint64(draws) {
		p.draws = append(p.draws, m.drawPrior(stats.Stream(52, i)))
	}
	return p
}

// followed returns data with additional periods of a channel's spend. The additional spend has the previous split by
// geo and the previous cost per exposure. Other channels spend nothing in these periods.
func followed(d Data, name measure.Channel, spend []float64) Data {
	span, more := len(d.Dates), len(spend)
	longer := func(x []float64, each func(g int) func(k int) float64) []float64 {
		if x == nil {
			return nil
		}
		var out []float64
		for g := range max(len(d.Geos), 1) {
			out = append(out, x[g*span:(g+1)*span]...)
			out = append(out, series(more, each(g))...)
		}
		return out
	}
	none := func(int) func(int) float64 { return func(int) float64 { return 0 } }
	out := Data{Geos: d.Geos, Target: longer(d.Target, none), Dates: slices.Clone(d.Dates)}
	for range spend {
		out.Dates = append(out.Dates, out.Dates[len(out.Dates)-1].AddDays(7))
	}
	for _, c := range d.Controls {
		out.Controls = append(out.Controls, Control{Name: c.Name, Values: longer(c.Values, none)})
	}
	for _, media := range d.Media {
		cost := floats.Sum(media.cost())
		by := func(x []float64) func(g int) func(k int) float64 {
			return func(g int) func(k int) float64 {
				return func(k int) float64 {
					if media.Channel != name {
						return 0
					}
					return spend[k] * floats.Sum(x[g*span:(g+1)*span]) / cost
				}
			}
		}
		media.Exposure, media.Spend = longer(media.Exposure, by(media.Exposure)), longer(media.Spend, by(media.Spend))
		out.Media = append(out.Media, media)
	}
	return out
}

// The response to scheduled spend equals the incremental outcome in data extended by that spend, for the same draws.
func TestFlightResponseEqualsThatOfExtendedData(t *testing.T) {
	t.Parallel()
	priced := toyGeos()
	priced.Media[0].Spend = slices.Clone(priced.Media[0].Exposure)
	floats.Scale(2.5, priced.Media[0].Spend)
	for name, c := range map[string]struct {
		data Data
		spec Spec
	}{
		"one place":   {wide(), Spec{}},
		"a return":    {wide(), Spec{Effect: ROI, Saturation: CES, Adstock: Adstock{Geometric, 5}}},
		"root":        {wide(), Spec{Saturation: Root, Adstock: Adstock{Delayed, 4}}},
		"no carrying": {wide(), Spec{Saturation: Hill, Adstock: Adstock{Kind: Immediately}}},
		"geos":        {priced, Spec{Saturation: MichaelisMenten}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const periods = 6
			p := fromPrior(t, c.data, c.spec, 8)
			media := p.data.Media[0].Channel
			for _, gap := range []int{0, 2} {
				flights, err := p.flights([]measure.Channel{media}, []int{0, 3, 5}, periods, gap, 1.5)
				if err != nil {
					t.Fatal(err)
				}
				usual := p.Spend(media) / float64(p.model.span)
				spend := []float64{2 * usual, 0, 0, usual, 0.3 * usual, 1.7 * usual}
				got := grid(3, len(flights[0].a))
				flights[0].addPeriods(got, spend)

				later := slices.Repeat([]float64{1.5 * usual}, len(flights[0].a)-periods)
				contributions := func(spends ...float64) [][]float64 {
					spec := c.spec
					spec.Holdout = len(spends)
					longer, err := newModel(followed(c.data, media, spends), spec)
					if err != nil {
						t.Fatal(err)
					}
					return (&Posterior{model: longer, data: p.data, chains: 1, draws: [][]float64{
						p.draws[0], p.draws[3], p.draws[5],
					}}).Contributions(media)
				}
				const pause = 10 // longer than any adstock
				alone := contributions(append(make([]float64, pause), later...)...)
				for i, row := range contributions(slices.Concat(slices.Repeat([]float64{usual}, gap), spend, later)...) {
					for k, want := range row[p.model.span+gap:] {
						if k >= periods {
							want -= alone[i][p.model.span+pause+k-periods]
						}
						// Curves are linear below a millionth of the largest exposure.
						if math.Abs(got[i][k]-want) > 1e-7*(1+math.Abs(want)) {
							t.Errorf("gap %d, draw %d, period %d: got %v, want %v", gap, i, k, got[i][k], want)
						}
					}
				}
			}
		})
	}
}

func TestFlightSlopesAreTheDerivatives(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		data Data
		spec Spec
	}{{wide(), Spec{Saturation: CES}}, {toyGeos(), Spec{}}, {wide(), Spec{TimeVarying: 60}}} {
		p := fromPrior(t, c.data, c.spec, 6)
		name := p.data.Media[0].Channel
		flights, err := p.flights([]measure.Channel{name}, []int{1, 2, 4}, 5, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		usual := p.Spend(name) / float64(p.model.span)
		spend := []float64{usual, 0.2 * usual, 3 * usual, 0.5 * usual, usual}
		slope, none := make([]float64, 5), make([]float64, 5)
		flights[0].Response(spend, slope)
		for k := range spend {
			moved := func(by float64) float64 {
				x := slices.Clone(spend)
				x[k] += by
				return flights[0].Response(x, none)
			}
			h := 1e-4 * usual
			if want := (moved(h) - moved(-h)) / (2 * h); math.Abs(slope[k]-want) > 1e-5*math.Abs(want) {
				t.Errorf("period %d: slope %v, want %v", k, slope[k], want)
			}
		}
	}
}

// ahead returns the problem of allocating a posterior's current spend, with changes of up to 60%.
func ahead(t *testing.T, p *Posterior) decide.Problem {
	t.Helper()
	var all float64
	for _, name := range p.Channels() {
		all += p.Spend(name)
	}
	problem, err := p.Problem(all, decide.Aggressive, nil)
	if err != nil {
		t.Fatal(err)
	}
	return problem
}

func TestScheduleScalesTheProblemToItsPeriods(t *testing.T) {
	t.Parallel()
	p := fromPrior(t, toyGeos(), Spec{Saturation: MichaelisMenten}, 60)
	problem := ahead(t, p)
	names := p.Channels()
	part := 10 / float64(p.model.span)
	problem.Groups = []decide.Group{{Name: "first", Channels: names[:1], Min: 1.2 * p.Spend(names[0]), Max: math.Inf(1)}}
	s, err := p.Schedule(problem, Ahead{Periods: 10, Change: map[measure.Channel]float64{names[0]: 0.05}})
	if err != nil {
		t.Fatal(err)
	}
	if all := floats.Sum(slices.Concat(s.Spend...)); math.Abs(all-part*problem.Budget) > 1e-6*all ||
		s.Budget != part*problem.Budget {
		t.Errorf("spends %v, want %v", all, part*problem.Budget)
	}
	if first := floats.Sum(s.Spend[0]); first < part*1.2*p.Spend(names[0])*(1-1e-6) {
		t.Errorf("the group spends %v of at least %v", first, part*1.2*p.Spend(names[0]))
	}
	for i := 1; i < 10; i++ {
		if by := math.Abs(s.Spend[0][i] - s.Spend[0][i-1]); by > 0.05*p.Spend(names[0])/float64(p.model.span)*(1+1e-6) {
			t.Errorf("the spend changes by %v from period %d to the next", by, i)
		}
	}
	// Means over draws are additive over time.
	for what, f := range map[string]Flow{"schedule": s.Brings, "steady plan": s.Steadily} {
		sum := f.After.Mean
		for _, period := range f.Periods {
			sum += period.Mean
		}
		if !near(sum, f.Total.Mean, 1e-9) || f.After.Mean <= 0 || len(f.Periods) != 10 {
			t.Errorf("%s: periods sum to %v, total is %v", what, sum, f.Total.Mean)
		}
	}
	if !near(s.Brings.Total.Mean-s.Steadily.Total.Mean, s.Lift.Mean, 1e-6) {
		t.Errorf("the lift is %v, of totals %v and %v", s.Lift.Mean, s.Brings.Total.Mean, s.Steadily.Total.Mean)
	}
}

// A weight is the value of a unit of a channel's response.
func TestSchedulesReportTheirWeightedGain(t *testing.T) {
	t.Parallel()
	p := fromPrior(t, toyGeos(), Spec{Saturation: MichaelisMenten}, 60)
	_, others := p.splitDraws()
	for _, weights := range [][]float64{nil, {0.4, 0.4}, {0.8, 0.1}, {0.1, 0.8}, {-0.2, 0.5}} {
		problem := ahead(t, p)
		for j, w := range weights {
			problem.Channels[j].Weight = w
		}
		s, err := p.Schedule(problem, Ahead{Periods: 6})
		if err != nil {
			t.Fatal(err)
		}
		if !near(s.Base, s.Steadily.Total.Mean, 1e-9) {
			t.Errorf("weights %v: the base is %v, the steady response %v", weights, s.Base, s.Steadily.Total.Mean)
		}
		if s.Weighted == nil || weights == nil {
			if s.Weighted != nil || weights != nil {
				t.Errorf("weights %v: the weighted gain is %+v", weights, s.Weighted)
			}
			continue
		}
		flights, err := p.flights(s.Channels, others, 6, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		lift, base, better := make([]float64, len(others)), 0.0, 0.0
		for j, f := range flights {
			flown, steady := grid(len(others), len(f.a)), grid(len(others), len(f.a))
			f.addPeriods(flown, s.Spend[j])
			f.addPeriods(steady, slices.Repeat([]float64{s.Steady[j]}, 6))
			for i := range lift {
				lift[i] += weights[j] * (floats.Sum(flown[i]) - floats.Sum(steady[i]))
				base += weights[j] * floats.Sum(steady[i]) / float64(len(others))
			}
		}
		for _, x := range lift {
			if x > 0 {
				better += 1 / float64(len(others))
			}
		}
		want := stats.Summarize(lift)
		if got := s.Weighted; !near(got.Lift.Mean, want.Mean, 1e-6) || !near(got.Lift.Q05, want.Q05, 1e-6) || !near(got.Base, base, 1e-9) || !near(got.Better, better, 1e-9) {
			t.Errorf("weights %v: %+v, want %+v over %v with probability %v", weights, got, want, base, better)
		}
	}
}

func TestInvalidSchedulesAreRejected(t *testing.T) {
	t.Parallel()
	p := fromPrior(t, toyGeos(), Spec{}, 8)
	multiplied := fromPrior(t, wide(), Spec{Likelihood: LogNormal}, 8)
	often := fromPrior(t, contacts(), Spec{}, 8)
	for _, c := range []struct {
		p    *Posterior
		ask  Ahead
		says string
	}{
		{p, Ahead{Periods: 0}, "plan of 0 periods"},
		{p, Ahead{Periods: 105}, "plan of 105 periods"},
		{p, Ahead{Periods: 4, Change: map[measure.Channel]float64{"radio": 1}}, `"radio"`},
		{p, Ahead{Periods: 4, Change: map[measure.Channel]float64{p.Channels()[0]: -1}}, "changes of the spend of"},
		{multiplied, Ahead{Periods: 4}, "log-normal"},
		{often, Ahead{Periods: 4}, "reach and frequency"},
	} {
		_, err := c.p.Schedule(ahead(t, c.p), c.ask)
		text, hint, _ := fault.Public(err)
		if !strings.Contains(text, c.says) || hint == "" {
			t.Errorf("%s: got %v, want an error with %q and a hint", fmt.Sprint(c.ask), err, c.says)
		}
	}
}
