package demo

import (
	"slices"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/measure"
	"assay/internal/measure/geo"
)

// experimentSpec is a geo experiment of every demo store with a long enough history. Days count back from today.
type experimentSpec struct {
	id, name   string
	hypothesis string
	applied    bool // the experiment's incrementality factor is applied in the demo
	channel    measure.Channel
	start, end int     // days before today
	multiple   float64 // factor of the channel's regional spend in the treated states
	share      float64 // minimum treated share of the population
}

var experimentSpecs = []experimentSpec{
	{
		id: "facebook-holdout", name: "Facebook off in some states", hypothesis: "Half of Facebook's attributed revenue would occur without the ads.",
		channel: facebook, start: 402, end: 361, multiple: 0, share: 0.30,
	},
	{
		id: "google-scale-up", name: "Google at four times the spend", hypothesis: "Non-brand search and shopping are not saturated.", applied: true,
		channel: google, start: 196, end: 162, multiple: 4, share: 0.26,
	},
	{
		id: "facebook-scale-up", name: "Facebook at three times the spend", hypothesis: "More spend still returns its cost.", applied: true,
		channel: facebook, start: 63, end: 29, multiple: 3, share: 0.26,
	},
}

// nullSpec is an A/A test. The preflight designs the test from the orders before the start, and spend does not change.
// The test ends before the first day that the analysis of any other experiment uses.
var nullSpec = experimentSpec{
	id: "search-null", name: "Google at unchanged spend (A/A test)", hypothesis: "Without a change of spend, the treated states do not differ.",
	channel: google, start: 610, end: 583, multiple: 1,
}

// Experiments returns the past experiments of a store as control data. All experiments are completed, and some are
// applied. The control data contain no results, because results are estimated from the orders.
func Experiments(t Truth) []control.Experiment {
	var kept []control.Experiment
	for _, e := range t.Experiments {
		spec := nullSpec
		if i := slices.IndexFunc(experimentSpecs, func(s experimentSpec) bool { return s.id == e.ID }); i >= 0 {
			spec = experimentSpecs[i]
		}
		kept = append(kept, control.Experiment{
			ID: control.ExperimentID(e.ID), Name: spec.name, Hypothesis: spec.hypothesis, Kind: control.GeoTest, Channel: e.Channel,
			Status: control.ExperimentCompleted, Treated: e.Treated, Days: civil.Range{First: e.Start, Last: e.End}, Applied: spec.applied,
		})
	}
	return kept
}

// pretest is the number of days that an experiment needs before its start.
const pretest = 28

// experiment is an experiment of one store.
type experiment struct {
	experimentSpec
	first, last int // days
	treated     []int
}

// planExperiments selects the treated states of each experiment for which the store is old enough. It never selects the
// two largest states, because no combination of other states can match them.
func (p *plan) planExperiments() []experiment {
	var tests []experiment
	for _, spec := range experimentSpecs {
		e := p.scheduled(spec)
		if e.first < pretest {
			continue
		}
		people := 0.0
		for _, i := range p.stream("experiment", spec.id).Perm(len(states)) {
			if states[i].population > 25_000 {
				continue
			}
			if people += p.places.people[i]; people > spec.share+0.03 {
				people -= p.places.people[i]
				continue
			}
			e.treated = append(e.treated, i)
			if people >= spec.share {
				break
			}
		}
		tests = append(tests, e)
	}
	return tests
}

func (p *plan) scheduled(spec experimentSpec) experiment {
	return experiment{experimentSpec: spec, first: p.opt.Days - 1 - spec.start, last: p.opt.Days - 1 - spec.end}
}

// designed returns the A/A test. The preflight selects its treated states from the orders before the test. designed
// returns false if the store is too young or too small for a design.
func (p *plan) designed(sold *sales) (experiment, bool) {
	e := p.scheduled(nullSpec)
	if e.first < 4*(e.last-e.first+1) {
		return e, false
	}
	panel := &geo.Panel{Values: sold.before}
	for t := range e.first {
		panel.Periods = append(panel.Periods, geo.Day(p.day(t)))
	}
	place := map[geo.Region]int{}
	for i, s := range states {
		panel.Regions = append(panel.Regions, geo.Region(s.code))
		place[geo.Region(s.code)] = i
	}
	found, err := geo.Check(panel, geo.PreflightOptions{Duration: e.last - e.first + 1, Seed: p.opt.Seed})
	if err != nil {
		return e, false
	}
	for _, region := range found.Plan.Treated {
		e.treated = append(e.treated, place[region])
	}
	return e, true
}

// multiples returns, for each state, the factor of the channel's regional spend on a day.
func (p *plan) multiples(c measure.Channel, t int) (factors []float64, changed bool) {
	for _, e := range p.tests {
		if e.channel != c || t < e.first || t > e.last {
			continue
		}
		factors = ones(len(states))
		for _, i := range e.treated {
			factors[i] = e.multiple
		}
		return factors, true
	}
	return nil, false
}

// truth compares the expected revenue of the treated states with the expected revenue without the experiment.
func (e experiment) truth(p *plan, value [surfaceCount]float64) ExperimentTruth {
	var tested *medium
	others := 0.0
	for _, m := range p.media {
		if m.channel == e.channel {
			tested = m
			continue
		}
		others += m.orderValue(value) * e.within(m, p)
	}
	for s, days := range p.base {
		for _, i := range e.treated {
			others += value[s] * p.places.own[i] * sum(days[e.first:e.last+1])
		}
	}
	without := tested.stateResponses(p, tested.untested, 1)
	was, would := 0.0, 0.0
	out := ExperimentTruth{ID: e.id, Channel: e.channel, Start: p.day(e.first), End: p.day(e.last), Factor: e.multiple}
	for _, i := range e.treated {
		was += sum(tested.byState[i][e.first : e.last+1])
		would += tested.peak * sum(without[i][e.first:e.last+1])
		out.Treated = append(out.Treated, states[i].code)
	}
	perOrder := tested.orderValue(value)
	out.TrueLift = rounded((others+was*perOrder)/(others+would*perOrder)-1, 6)
	return out
}

// within returns a channel's expected orders in the treated states during the experiment.
func (e experiment) within(m *medium, p *plan) float64 {
	total := 0.0
	for _, i := range e.treated {
		if m.byState == nil {
			total += p.places.people[i] * sum(m.orders[e.first:e.last+1])
		} else {
			total += sum(m.byState[i][e.first : e.last+1])
		}
	}
	return total
}
