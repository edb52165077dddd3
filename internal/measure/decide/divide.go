package decide

import (
	"container/heap"
	"math"
	"slices"
)

// division is the allocation of a budget to deterministic curves that maximizes the sum of responses.
//
// The upper bound comes from the Lagrangian dual (Everett 1963). The price of money is the Lagrange multiplier of the
// budget. For any price, no allocation has a response above price times budget plus the sum of the channels' maximum
// profits at that price. The maximum profit is exact. For concave curves, the best price has no duality gap
// (water-filling). S-shaped curves may have a gap, because a channel's spend jumps over a part of the curve at the best
// price. The problem is then split in two at that channel until bound and value meet (branch and bound; Land and Doig
// 1960).
type division struct {
	curves []curve
	parts  []part
	budget float64
}

const (
	closeEnough = 1e-7 // bound and value meet if their relative difference is below this
	mostSplits  = 4000
	priceSteps  = 64 // bisections of the interval of prices
)

// region is the set of allocations with each channel's spend between two bounds.
type region struct {
	low, high []float64
	bound     float64 // upper bound of the response of all allocations in the region
	at        int     // channel to split, -1 if bound and value meet
	split     float64
}

// regions is a heap with the highest bound on top.
type regions []region

func (r regions) Len() int           { return len(r) }
func (r regions) Less(i, j int) bool { return r[i].bound > r[j].bound }
func (r regions) Swap(i, j int)      { r[i], r[j] = r[j], r[i] }
func (r *regions) Push(x any)        { *r = append(*r, x.(region)) } //nolint:forcetypeassert // the heap is typed by its only user
func (r *regions) Pop() any {
	last := (*r)[len(*r)-1]
	*r = (*r)[:len(*r)-1]
	return last
}

// best returns the best allocation between the bounds, its response, and an upper bound for all allocations.
func (d division) best(low, high []float64) (plan []float64, value, bound float64) {
	value = math.Inf(-1)
	var open regions
	visit := func(low, high []float64) {
		r, x := d.relax(low, high)
		if x == nil {
			return
		}
		if v := d.value(x); v > value {
			plan, value = x, v
		}
		heap.Push(&open, r)
	}
	visit(low, high)
	for splits := 0; len(open) > 0; splits++ {
		r := open[0]
		if r.at < 0 || splits == mostSplits || r.bound-value <= closeEnough*math.Abs(r.bound) {
			return plan, value, math.Max(r.bound, value)
		}
		heap.Pop(&open)
		left, right := slices.Clone(r.high), slices.Clone(r.low)
		left[r.at], right[r.at] = r.split, r.split
		visit(r.low, left)
		visit(right, r.high)
	}
	return plan, value, value
}

func (d division) value(plan []float64) float64 {
	var sum float64
	for j, x := range plan {
		v, _ := d.curves[j].at(x)
		sum += v
	}
	return sum
}

// relax solves the Lagrangian relaxation in a region. The result plan is nil if no allocation in the region spends the
// budget.
func (d division) relax(low, high []float64) (r region, plan []float64) {
	if !d.reachable(low, high) {
		return r, nil
	}
	m := newMarket(d, low, high)
	plan, bound := m.clear(m.buy, d.budget)
	r = region{low: low, high: high, bound: bound, at: -1}
	r.at, r.split = m.gap(plan)
	return r, plan
}

// reachable reports whether an allocation within the bounds can spend the whole budget.
func (d division) reachable(low, high []float64) bool {
	var least, most float64
	for _, p := range d.parts {
		var from, to float64
		for _, j := range p.members {
			from, to = from+low[j], to+high[j]
		}
		if p.group != nil {
			if from > p.group.Max+slack*d.budget || to < p.group.Min-slack*d.budget {
				return false
			}
			from, to = math.Max(from, p.group.Min), math.Min(to, p.group.Max)
		}
		least, most = least+from, most+to
	}
	return least <= d.budget*(1+slack) && most >= d.budget*(1-slack)
}
