package decide

import (
	"cmp"
	"math"
	"slices"
)

// chooser optimizes the allocation for a subset of the draws.
//
// The objective is (1-w) mean + w CVaR. CVaR, the conditional value at risk, is the mean total response over the worst
// draws (Rockafellar and Uryasev 2000). Which draws are worst depends on the allocation, so the objective is not
// separable by channel. However, CVaR is the minimum of the means over all sets of that many draws. The mean over any
// fixed set, or mixture of sets, is a separable upper bound. The search alternates between allocations and sets
// (fictitious play; Brown 1951). Each round finds the best allocation for the mixture of worst sets so far, then the
// worst set for that allocation. Each allocation is a candidate, and each round gives a bound.
type chooser struct {
	Problem
	draws []int
	total []float64 // scratch: each draw's total response to an allocation
}

// Limits of the search: the maximum number of rounds, and the relative gap between the bound and the objective at which
// the search ends.
const (
	rounds     = 24
	fairEnough = 2e-5
)

func newChooser(p Problem, draws []int) *chooser {
	return &chooser{p, draws, make([]float64, p.draws())}
}

// choose returns the best allocation found, its objective, and an upper bound for all allocations.
func (c *chooser) choose() (plan []float64, objective, bound float64) {
	low, high := make([]float64, len(c.Channels)), make([]float64, len(c.Channels))
	for j, channel := range c.Channels {
		low[j], high[j] = channel.Min, channel.Max
	}
	d := division{parts: c.parts(), budget: c.Budget, curves: c.means(c.draws)}
	if c.Risk.Weight == 0 {
		return d.best(low, high)
	}
	mean := d.curves
	answer, _, _ := d.best(low, high)
	bound, objective = math.Inf(1), math.Inf(-1)
	var feared []curve
	for round := range rounds {
		plan, objective = c.better(plan, objective, answer)
		feared = blendAll(feared, c.means(c.worst(answer)), 2/float64(round+2))
		d.curves = blendAll(slices.Clone(mean), feared, c.Risk.Weight)
		var most float64
		answer, _, most = d.best(low, high)
		bound = math.Min(bound, most)
		if bound-objective <= fairEnough*math.Abs(bound) {
			break
		}
	}
	plan, objective = c.better(plan, objective, answer)
	return plan, objective, math.Max(bound, objective)
}

// better returns the best of two allocations and their mixtures. All of these meet the bounds.
func (c *chooser) better(plan []float64, objective float64, other []float64) (best []float64, value float64) {
	best, value = plan, objective
	if best == nil {
		return other, c.objective(other)
	}
	for _, step := range []float64{1, 0.5, 0.2, 0.05} {
		mixture := make([]float64, len(plan))
		for j := range mixture {
			mixture[j] = plan[j] + step*(other[j]-plan[j])
		}
		if v := c.objective(mixture); v > value {
			best, value = mixture, v
		}
	}
	return best, value
}

// means returns every channel's mean curve over the given draws.
func (c *chooser) means(draws []int) []curve {
	out := make([]curve, len(c.Channels))
	for j := range c.Channels {
		out[j] = c.Channels[j].Response.mean(draws)
	}
	return out
}

func blendAll(curves, others []curve, w float64) []curve {
	if curves == nil {
		return others
	}
	for j := range curves {
		curves[j] = curves[j].blend(others[j], w)
	}
	return curves
}

// objective returns the value of the objective for an allocation.
func (c *chooser) objective(plan []float64) float64 {
	c.respond(plan)
	mean := meanOf(c.total, c.draws)
	if c.Risk.Weight == 0 {
		return mean
	}
	return (1-c.Risk.Weight)*mean + c.Risk.Weight*meanOf(c.total, c.tail())
}

// worst returns the draws with the smallest response to the allocation.
func (c *chooser) worst(plan []float64) []int {
	c.respond(plan)
	return c.tail()
}

func (c *chooser) respond(plan []float64) { c.responses(c.total, plan) }

// tail returns the draws with the smallest totals. Among draws with equal totals, it returns the first ones.
func (c *chooser) tail() []int {
	order := slices.Clone(c.draws)
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(c.total[a], c.total[b]), cmp.Compare(a, b))
	})
	return order[:max(int(math.Round(c.Risk.Tail*float64(len(order)))), 1)]
}

// responses stores each draw's total response to an allocation in the slice out.
func (p Problem) responses(out, plan []float64) {
	clear(out)
	for j, x := range plan {
		p.Channels[j].Response.draws(out, x)
	}
}
