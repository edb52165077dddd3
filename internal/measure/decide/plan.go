package decide

import (
	"math"
	"slices"

	"assay/internal/measure"
	"assay/internal/measure/stats"
	"assay/internal/panics"
)

// Plan is an optimized allocation.
type Plan struct {
	Allocations []Allocation // in the problem's order
	Certificate Certificate
	// Lift is the optimized response minus the response of the current allocation, in the target's unit. It includes the
	// effect of a larger budget. To avoid optimistic bias, the allocation optimized with one half of the draws is
	// evaluated with the other half.
	Lift stats.Summary
	// BeatsCurrent is the probability that the lift is positive. It is evaluated in the same way as Lift.
	BeatsCurrent float64
	// Agreement is the share of the budget on which the allocations of the two halves agree, 0 to 1.
	Agreement float64
}

// Allocation is the spend of one channel over the window.
type Allocation struct {
	Channel  measure.Channel
	Current  float64
	Proposed float64
	// MarginalROAS is the derivative of the expected response at the proposed spend.
	MarginalROAS float64
	// RightWay is the probability that the channel's change increases the response. Money moved into the channel must have
	// a higher response per unit than the money moved out of other channels, and money moved out of it a lower one. It is
	// nil if the channel's spend does not change or no money moves in the other direction.
	RightWay *float64
	// Unseen is true if the proposed spend is above the range of the data. The response at this spend depends on the
	// assumed curve shape.
	Unseen bool
}

// Certificate bounds the distance to the optimum: no allocation within the bounds has an objective above UpperBound.
type Certificate struct {
	Objective  float64 // in the target's unit, over all draws
	UpperBound float64
}

// Gap returns the difference between the bound and the objective as a share of the bound.
func (c Certificate) Gap() float64 {
	if c.UpperBound == 0 {
		return 0
	}
	return (c.UpperBound - c.Objective) / math.Abs(c.UpperBound)
}

// moved is the smallest change of spend that is treated as a change, as a share of the budget.
const moved = 1e-6

// Optimize returns an optimized allocation of the budget. Conflicting bounds or sums and unknown names result in a
// fault of kind invalid that states a remedy. The result does not depend on the number of cores. The two halves of the
// draws must be independent, for example from different chains.
func Optimize(p Problem) (*Plan, error) {
	if err := p.validate(); err != nil {
		return nil, err
	}
	n := p.draws()
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	// The optimizations are independent, so they run in parallel.
	var best, first, second []float64
	var plan Plan
	var work panics.Group
	aim := p.weighted()
	work.Go(func() { best, plan.Certificate.Objective, plan.Certificate.UpperBound = newChooser(aim, all).choose() })
	work.Go(func() {
		first, _, _ = newChooser(aim, all[:n/2]).choose()
		second, _, _ = newChooser(aim, all[n/2:]).choose()
	})
	work.Wait()

	lift := p.lift(second)
	copy(lift[n/2:], p.lift(first)[n/2:])
	plan.Lift = stats.Summarize(lift)
	plan.BeatsCurrent = shareAbove(lift)
	var apart float64
	for j := range first {
		apart += math.Abs(first[j] - second[j])
	}
	plan.Agreement = 1 - apart/(2*p.Budget)
	plan.Allocations = p.allocations(best, all)
	return &plan, nil
}

// weighted returns the problem with the responses multiplied by the relative weights.
func (p Problem) weighted() Problem {
	p.Channels = slices.Clone(p.Channels)
	for j, factor := range p.relativeWeights() {
		if c := &p.Channels[j]; factor != 1 {
			c.Response = c.Response.times(factor)
		}
	}
	return p
}

// relativeWeights returns the channels' weights relative to the largest weight. Without a positive weight, all are 1.
func (p Problem) relativeWeights() []float64 {
	least, most := math.Inf(1), 0.0
	for _, c := range p.Channels {
		if c.Weight > 0 {
			least, most = math.Min(least, c.Weight), math.Max(most, c.Weight)
		}
	}
	out := make([]float64, len(p.Channels))
	for j, c := range p.Channels {
		out[j] = 1
		if most > 0 {
			out[j] = math.Max(c.Weight, least) / most
		}
	}
	return out
}

// times returns the response multiplied by a factor.
func (r Response) times(factor float64) Response {
	scaled := func(rows [][]float64) [][]float64 {
		out := make([][]float64, len(rows))
		for i, row := range rows {
			out[i] = make([]float64, len(row))
			for k, v := range row {
				out[i][k] = factor * v
			}
		}
		return out
	}
	return Response{Spend: r.Spend, Value: scaled(r.Value), Slope: scaled(r.Slope)}
}

// lift returns, for each draw, the response of the optimized allocation minus the response of the current allocation.
func (p Problem) lift(plan []float64) []float64 {
	n := p.draws()
	lift, now := make([]float64, n), make([]float64, n)
	current := make([]float64, len(plan))
	for j, c := range p.Channels {
		current[j] = c.Current
	}
	p.responses(lift, plan)
	p.responses(now, current)
	for i := range lift {
		lift[i] -= now[i]
	}
	return lift
}

// shareAbove returns the share of positive values. A zero has half weight.
func shareAbove(values []float64) float64 {
	var sum float64
	for _, v := range values {
		switch {
		case v > 0:
			sum++
		case v == 0:
			sum += 0.5
		}
	}
	return sum / float64(len(values))
}

func (p Problem) allocations(plan []float64, all []int) []Allocation {
	out := make([]Allocation, len(plan))
	for j, c := range p.Channels {
		_, slope := c.Response.mean(all).at(plan[j])
		out[j] = Allocation{
			Channel: c.Name, Current: c.Current, Proposed: plan[j], MarginalROAS: slope,
			Unseen: c.Seen > 0 && plan[j] > c.Seen*(1+slack),
		}
	}
	p.judgeMoves(out)
	return out
}

// judgeMoves sets RightWay of each move. In each draw, it compares the response per unit of the money moved with the
// response per unit of all money moved in the other direction.
func (p Problem) judgeMoves(moves []Allocation) {
	n := p.draws()
	gains := make([][]float64, len(moves))
	var up, down flow
	for j, a := range moves {
		step := a.Proposed - a.Current
		if math.Abs(step) <= moved*p.Budget {
			continue
		}
		gain, now := make([]float64, n), make([]float64, n)
		p.Channels[j].Response.draws(gain, a.Proposed)
		p.Channels[j].Response.draws(now, a.Current)
		for i := range gain {
			gain[i] = (gain[i] - now[i]) / step
		}
		gains[j] = gain
		if step > 0 {
			up.add(gain, step)
		} else {
			down.add(gain, -step)
		}
	}
	for j, a := range moves {
		against, sign := down, 1.0
		if a.Proposed < a.Current {
			against, sign = up, -1
		}
		if gains[j] == nil || against.money == 0 {
			continue
		}
		for i := range gains[j] {
			gains[j][i] = sign * (gains[j][i] - against.gain[i]/against.money)
		}
		share := shareAbove(gains[j])
		moves[j].RightWay = &share
	}
}

// flow is money moved in one direction and its response in each draw.
type flow struct {
	money float64
	gain  []float64
}

func (f *flow) add(perUnit []float64, money float64) {
	if f.gain == nil {
		f.gain = make([]float64, len(perUnit))
	}
	f.money += money
	for i, v := range perUnit {
		f.gain[i] += v * money
	}
}
