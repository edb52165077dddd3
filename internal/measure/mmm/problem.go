package mmm

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/decide"
	"assay/internal/measure/stats"
	"assay/internal/panics"
)

// Bounds is what a channel may spend over the whole window, in its money. Nil leaves a side to the risk.
type Bounds struct {
	Min *float64 `json:"min"`
	Max *float64 `json:"max"`
}

// rungs is the number of spends above 0 at which responses are evaluated.
const rungs = 32

// seenGrowth is how far beyond its current spend a channel may go without being called unseen, even if its weeks were
// all alike.
const seenGrowth = 1.3

// Problem asks how to divide a budget among the channels that have a spend. Budget and bounds are over all periods of
// the data; a channel without bounds may move as far as the risk lets it. Responses are those of [Posterior.Responses]:
// each channel's history scaled, carry-over included. A fault of kind invalid names bounds that belong to no such
// channel.
func (p *Posterior) Problem(budget float64, risk decide.Risk, bounds map[measure.Channel]Bounds) (decide.Problem, error) {
	problem := decide.Problem{Budget: budget, Risk: risk}
	var known []measure.Channel
	for _, name := range p.Channels() {
		current := p.Spend(name)
		if current == 0 {
			continue
		}
		known = append(known, name)
		problem.Channels = append(problem.Channels, bounded(name, p.channel(name).cost, risk, bounds))
	}
	for name := range bounds {
		if !slices.Contains(known, name) {
			return problem, fault.Invalid("there are bounds for %q, which is no channel with spend", name).WithHint("the channels are %v", known)
		}
	}
	var work panics.Group
	for i := range problem.Channels {
		c := &problem.Channels[i]
		work.Go(func() { c.Response = p.ladder(c.Name, math.Max(c.Max, c.Current)) })
	}
	work.Wait()
	return problem, nil
}

// ladder returns the channel's response on spends up to top, closer together where curves bend.
func (p *Posterior) ladder(name measure.Channel, top float64) decide.Response {
	current := p.Spend(name)
	if !(top > 0) || math.IsInf(top, 0) {
		top = current // the bounds are refused later
	}
	var r decide.Response
	factors := make([]float64, rungs+1)
	for i := range factors {
		step := float64(i) / rungs
		r.Spend = append(r.Spend, top*step*step)
		factors[i] = r.Spend[i] / current
	}
	r.Value, r.Slope = p.ResponseSlopes(name, factors)
	for _, row := range r.Slope {
		floats.Scale(1/current, row)
	}
	return r
}

// bounded returns a channel of these costs, without its response.
func bounded(name measure.Channel, cost []float64, risk decide.Risk, bounds map[measure.Channel]Bounds) decide.Channel {
	c := decide.Channel{Name: name, Current: floats.Sum(cost), Seen: seen(cost)}
	c.Min, c.Max = risk.Bounds(c.Current)
	if b := bounds[name]; b.Min != nil {
		c.Min = *b.Min
	}
	if b := bounds[name]; b.Max != nil {
		c.Max = *b.Max
	}
	return c
}

// seen returns the spend at which the mean active period would cost what the dearest twentieth of periods cost.
func seen(cost []float64) float64 {
	var active []float64
	for _, v := range cost {
		if v > 0 {
			active = append(active, v)
		}
	}
	if len(active) == 0 {
		return 0
	}
	slices.Sort(active)
	mean, _ := stats.MeanSD(active)
	return floats.Sum(cost) * math.Max(seenGrowth, stats.Quantile(active, 0.95)/mean)
}
