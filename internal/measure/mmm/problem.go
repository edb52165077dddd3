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

// Bounds contains limits of a channel's spend over the whole window, in the spend's currency. If a bound is nil, the
// risk level determines the limit.
type Bounds struct {
	Min *float64 `json:"min"`
	Max *float64 `json:"max"`
}

// gridPoints is the number of positive spends on the grid of responses.
const gridPoints = 32

// seenGrowth is a multiple of current spend. Spend up to this multiple is treated as observed, even if spend per period
// is constant.
const seenGrowth = 1.3

// Problem returns the optimization problem of allocating a budget to the channels with spend. Budget and bounds are
// totals over the data's periods. The risk level limits the change of a channel without bounds. Responses are as in
// [Posterior.Responses]: each channel's history is scaled, including adstock. Bounds for an unknown channel result in a
// fault of kind invalid.
func (p *Posterior) Problem(budget float64, risk decide.Risk, bounds map[measure.Channel]Bounds) (
	decide.Problem, error,
) {
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
			return problem, fault.Invalid("bounds for %q: no such channel with spend", name).
				WithHint("the channels are %v", known)
		}
	}
	var work panics.Group
	for i := range problem.Channels {
		c := &problem.Channels[i]
		work.Go(func() { c.Response = p.responseOnGrid(c.Name, math.Max(c.Max, c.Current)) })
	}
	work.Wait()
	return problem, nil
}

// responseOnGrid returns the channel's response on a grid of spends up to top, denser where curves bend.
func (p *Posterior) responseOnGrid(name measure.Channel, top float64) decide.Response {
	current := p.Spend(name)
	if !(top > 0) || math.IsInf(top, 0) {
		top = current // the bounds are rejected later
	}
	var r decide.Response
	factors := make([]float64, gridPoints+1)
	for i := range factors {
		step := float64(i) / gridPoints
		r.Spend = append(r.Spend, top*step*step)
		factors[i] = r.Spend[i] / current
	}
	r.Value, r.Slope = p.ResponseSlopes(name, factors)
	for _, row := range r.Slope {
		floats.Scale(1/current, row)
	}
	return r
}

// bounded returns a channel with its current spend and limits, without its response. The parameter cost is the spend by
// period.
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

// seen returns the largest total spend within the range of the data. At this total, the mean spend of an active period
// equals the 95th percentile of spend per active period. If current spend times [seenGrowth] is larger, it returns that
// amount.
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
