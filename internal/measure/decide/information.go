package decide

import (
	"cmp"
	"math"
	"slices"

	"assay/internal/measure"
	"assay/internal/measure/stats"
)

// Test is an experiment that measures the difference between a channel's responses at its maximum and minimum spend.
type Test struct {
	Channel measure.Channel
	// SE is the standard error of the result, in the target's unit over the window. 0 means a test without error.
	SE float64
}

// Value is the expected value of a test's information. It is the expected response of the best allocation after the
// test, minus the expected response of the best allocation now. It is in the target's unit over the window and excludes
// the cost of the test.
type Value struct {
	Test
	Gain float64
}

// outcomes is the number of equally likely results of a test.
const outcomes = 8

// Information returns the expected value of sample information (EVSI) of tests, highest first. Gains are differences of
// the mean response, also for a problem with a risk weight.
//
// The method is stratification (Strong and Oakley 2013, for a single parameter). Draws are sorted by the test result
// that they predict, and each stratum is one result. Within a stratum, the allocation is optimized with one half of the
// draws and evaluated with the other half, to avoid optimistic bias. A negative gain is set to zero.
func Information(p Problem, tests []Test, seed uint64) ([]Value, error) {
	if err := p.validate(); err != nil {
		return nil, err
	}
	p.Risk = Risk{}
	order := p.order()
	now := p.judged(order) // the value without a test is the same for all tests
	out := make([]Value, 0, len(tests))
	for i, t := range tests {
		j := slices.IndexFunc(p.Channels, func(c Channel) bool { return c.Name == t.Channel })
		if j < 0 || !(t.SE >= 0) || math.IsInf(t.SE, 0) {
			return nil, p.noTest(t)
		}
		out = append(out, Value{t, p.worth(p.results(j, t.SE, seed, uint64(i)), now)})
	}
	slices.SortStableFunc(out, func(a, b Value) int { return cmp.Compare(b.Gain, a.Gain) })
	return out, nil
}

// results returns the test result in each draw.
func (p Problem) results(j int, se float64, seed, index uint64) []float64 {
	c := p.Channels[j]
	n := p.draws()
	high, low := make([]float64, n), make([]float64, n)
	c.Response.draws(high, c.Max)
	c.Response.draws(low, c.Min)
	random := stats.Stream(seed, index)
	for i := range high {
		high[i] += se*random.NormFloat64() - low[i]
	}
	return high
}

func (p Problem) order() []int {
	order := make([]int, p.draws())
	for i := range order {
		order[i] = i
	}
	return order
}

// worth returns the expected gain of choosing the allocation after the result instead of now.
func (p Problem) worth(results []float64, now float64) float64 {
	n, order := len(results), p.order()
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(results[a], results[b]), cmp.Compare(a, b))
	})
	strata := min(outcomes, n/4)
	var after float64
	for s := range strata {
		stratum := order[s*n/strata : (s+1)*n/strata]
		after += p.judged(stratum) * float64(len(stratum)) / float64(n)
	}
	return math.Max(after-now, 0)
}

// judged optimizes an allocation on each half of the draws, evaluates it on the other half, and returns the mean
// response.
func (p Problem) judged(draws []int) float64 {
	halves := [2][]int{}
	for i, d := range draws {
		halves[i%2] = append(halves[i%2], d)
	}
	var sum float64
	for k, half := range halves {
		plan, _, _ := newChooser(p, half).choose()
		other := newChooser(p, halves[1-k])
		sum += other.objective(plan) * float64(len(other.draws))
	}
	return sum / float64(len(draws))
}
