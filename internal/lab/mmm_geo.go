package lab

import (
	"slices"

	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/decide"
	"assay/internal/measure/mmm"
)

// place is a channel in one geo.
type place struct {
	channel measure.Channel
	geo     string
}

// runByGeo allocates the budget to channels and geos. It does not estimate the value of experiments, because a test in
// one geo is also informative about the other geos.
func (o Optimize) runByGeo(posterior *mmm.Posterior, risk decide.Risk, bounds map[measure.Channel]mmm.Bounds) (
	*OptimizeReport, error,
) {
	if o.Periods != 0 || o.Change != "" {
		return nil, fault.Invalid("a plan over time cannot be allocated by geo").WithHint("request one of the two")
	}
	problem, err := posterior.GeoProblem(o.Budget, risk, bounds)
	if err != nil {
		return nil, err
	}
	var places []place
	byName := map[measure.Channel]place{}
	for _, channel := range posterior.Channels() {
		for _, geo := range posterior.Geos() {
			name := mmm.InGeo(channel, geo.Name)
			if slices.ContainsFunc(problem.Channels, func(c decide.Channel) bool { return c.Name == name }) {
				byName[name] = place{channel, geo.Name}
				places = append(places, byName[name])
			}
		}
	}
	if problem.Groups, err = o.groups(places); err != nil {
		return nil, err
	}
	plan, err := decide.Optimize(problem)
	if err != nil {
		return nil, err
	}
	report := newOptimizeReport(plan, decide.Judge(problem, plan))
	for i := range report.Allocations {
		a := &report.Allocations[i]
		at := byName[a.Channel]
		a.Channel, a.Geo = at.channel, at.geo
	}
	return report, nil
}

// within returns the names of the group's channels in its geos.
func (g group) within(name string, places []place) (names []measure.Channel, err error) {
	channels, geos := map[measure.Channel]bool{}, map[string]bool{}
	for _, p := range places {
		channels[p.channel], geos[p.geo] = true, true
		if (g.Channels == nil || slices.Contains(g.Channels, p.channel)) &&
			(g.Geos == nil || slices.Contains(g.Geos, p.geo)) {
			names = append(names, mmm.InGeo(p.channel, p.geo))
		}
	}
	for _, c := range g.Channels {
		if !channels[c] {
			return nil, fault.Invalid("group %q: channel %q has no spend", name, c)
		}
	}
	for _, geo := range g.Geos {
		if !geos[geo] {
			return nil, fault.Invalid("group %q: geo %q has no spend", name, geo)
		}
	}
	return names, nil
}
