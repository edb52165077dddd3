package mmm

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/decide"
	"assay/internal/panics"
)

// Grid size and number of draws of a geo's response. There is one response per channel and geo, so these numbers are
// smaller than in [Posterior.Problem].
const (
	geoGridPoints = 16
	geoDraws      = 500
)

// InGeo returns the name of a channel's spend in one geo: "search[north]".
func InGeo(channel measure.Channel, geo string) measure.Channel {
	return channel + measure.Channel("["+geo+"]")
}

// GeoProblem returns the optimization problem of allocating a budget to channels and geos. Each channel of the problem
// is a channel in one geo, with that geo's response. [InGeo] defines the names, which bounds also use. The order is by
// channel, then geo. GeoProblem omits a channel in geos without spend. In all other respects, the result equals
// [Posterior.Problem].
func (p *Posterior) GeoProblem(budget float64, risk decide.Risk, bounds map[measure.Channel]Bounds) (
	decide.Problem, error,
) {
	problem := decide.Problem{Budget: budget, Risk: risk}
	if p.data.Geos == nil {
		return problem, fault.Invalid("allocation by geo needs a model with geos").WithHint("fit a model with geos")
	}
	draws := p.thin(geoDraws)
	var work panics.Group
	perChannel := make([][]decide.Channel, len(p.model.channels))
	for i := range p.model.channels {
		c := &p.model.channels[i]
		places := p.places(c, risk, bounds)
		perChannel[i] = places
		work.Go(func() { p.geoResponses(c, places, draws) })
	}
	work.Wait()
	known := map[measure.Channel]bool{}
	for _, places := range perChannel {
		for _, c := range places {
			if c.Current > 0 {
				problem.Channels = append(problem.Channels, c)
				known[c.Name] = true
			}
		}
	}
	for name := range bounds {
		if !known[name] {
			return problem, fault.Invalid("bounds for %q: no such channel with spend in a geo", name).
				WithHint("write them as %s", problem.Channels[0].Name)
		}
	}
	return problem, nil
}

// places converts a channel of the model to channels of the allocation problem, one for each geo, without responses.
func (p *Posterior) places(c *channel, risk decide.Risk, bounds map[measure.Channel]Bounds) (out []decide.Channel) {
	for g, geo := range p.data.Geos {
		cost := c.cost[g*p.model.span : (g+1)*p.model.span]
		out = append(out, bounded(InGeo(c.name, geo.Name), cost, risk, bounds))
	}
	return out
}

// geoResponses sets the responses of a channel in every geo.
func (p *Posterior) geoResponses(c *channel, places []decide.Channel, draws []int) {
	m := p.model
	for g := range places {
		r := &places[g].Response
		top := math.Max(places[g].Max, places[g].Current)
		for i := range geoGridPoints + 1 {
			step := float64(i) / geoGridPoints
			r.Spend = append(r.Spend, top*step*step)
		}
		r.Value, r.Slope = grid(geoGridPoints+1, len(draws)), grid(geoGridPoints+1, len(draws))
	}
	w, scaled := newSaturated(m.span), make([]float64, m.span)
	p.eachExposure(c, draws, func(i int, e exposed) {
		for g := range places {
			r, current := &places[g].Response, places[g].Current
			if current == 0 {
				continue
			}
			a, weights := e.a[g*m.span:(g+1)*m.span], e.weights[g*m.span:(g+1)*m.span]
			for k, spend := range r.Spend {
				floats.ScaleTo(scaled, spend/current, a)
				m.spec.Saturation.fill(w, scaled, e.shape)
				r.Value[k][i] = floats.Dot(weights, w.s)
				floats.Mul(w.ds, a)
				r.Slope[k][i] = floats.Dot(weights, w.ds) / current
			}
		}
	})
}

// thin returns the indexes of at most the given number of draws, spread evenly over the chains.
func (p *Posterior) thin(most int) (draws []int) {
	every := (len(p.draws) + most - 1) / most
	for i := 0; i < len(p.draws); i += every {
		draws = append(draws, i)
	}
	return draws
}
