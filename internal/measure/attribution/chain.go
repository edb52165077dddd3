package attribution

import (
	"cmp"
	"slices"
)

// removedNone is the channel index if no channel is removed. The start state, which has no touchpoint, also has this
// index.
const removedNone = -1

// chain is an absorbing Markov chain, stored as sparse rows of transition probabilities. State 0 is the start, and most
// transitions lead to a later state (a higher number).
type chain struct {
	starts  []int     // starts[s] to starts[s+1] are the transitions of state s, sorted by target state
	ahead   []int     // ahead[s] is the first transition of s that stays or leads to a later state
	to      []int32   // the target state of a transition
	chance  []float64 // the probability of a transition
	convert []float64 // for each state, the probability that conversion is next
	last    []int     // for each state, the channel of the last touchpoint; removedNone for the start
}

// chainOf returns the Markov chain of the conversion paths with touchpoints. A transition probability is the number of
// transitions divided by the number of visits to the state.
//
// A state is coded as a number in base channels + 1, with the latest touchpoint in the lowest digit. To compute the
// next state, chainOf shifts the digits, adds the new touchpoint and drops the oldest digit.
func chainOf(p *Paths, order int) chain {
	base := uint64(len(p.names)) + 1
	size := uint64(1)
	for range order {
		size *= base
	}
	counts := newTally(size * (base + 1))
	toConversion, toNull := base-1, base // the codes after those of the touchpoints, 0 … base-2
	for i := range p.ends {
		touches, _ := p.touchesOf(i)
		weight := p.conversions[i] + p.nulls[i]
		if len(touches) == 0 || weight == 0 {
			continue
		}
		state := uint64(0)
		for _, ch := range touches {
			counts.add(state*(base+1)+uint64(ch), weight)
			state = (state*base + uint64(ch) + 1) % size
		}
		counts.add(state*(base+1)+toConversion, p.conversions[i])
		counts.add(state*(base+1)+toNull, p.nulls[i])
	}
	return chainFrom(counts, base, size)
}

func chainFrom(counts *tally, base, size uint64) chain {
	keys := counts.keys()
	ids := map[uint64]int32{}
	codes := []uint64{0}
	for _, key := range keys {
		if code := key / (base + 1); code > 0 && codes[len(codes)-1] != code {
			ids[code] = int32(len(codes))
			codes = append(codes, code)
		}
	}
	c := chain{starts: make([]int, 1, len(codes)+1), convert: make([]float64, len(codes)), last: make([]int, len(codes))}
	next := 0
	for s, code := range codes {
		c.last[s] = int(code%base) - 1
		end, visits := next, 0.0
		for ; end < len(keys) && keys[end]/(base+1) == code; end++ {
			visits += counts.of(keys[end])
		}
		for _, key := range keys[next:end] {
			chance := counts.of(key) / visits
			switch event := key % (base + 1); {
			case event < base-1:
				c.to = append(c.to, ids[(code*base+event+1)%size])
				c.chance = append(c.chance, chance)
			case event == base-1:
				c.convert[s] = chance
			}
		}
		c.starts = append(c.starts, len(c.to))
		next = end
	}
	return c.forward()
}

// forward returns the chain with its states renumbered in reverse postorder of a depth-first search from the start.
// With these numbers, only steps that close a cycle lead to an earlier state.
func (c chain) forward() chain {
	n := len(c.convert)
	place := make([]int32, n) // 0: not visited; n + 1: on the stack; otherwise 1 + the new number
	left := int32(n)
	var walk func(s int)
	walk = func(s int) {
		place[s] = int32(n) + 1
		for _, to := range c.to[c.starts[s]:c.starts[s+1]] {
			if place[to] == 0 {
				walk(int(to))
			}
		}
		place[s] = left
		left--
	}
	walk(0)
	order := make([]int, n)
	for s, at := range place {
		order[at-1] = s
	}
	f := chain{starts: make([]int, 1, n+1)}
	for at, s := range order {
		row := make([]step, 0, c.starts[s+1]-c.starts[s])
		for k := c.starts[s]; k < c.starts[s+1]; k++ {
			row = append(row, step{place[c.to[k]] - 1, c.chance[k]})
		}
		slices.SortFunc(row, func(a, b step) int { return cmp.Compare(a.to, b.to) })
		back, _ := slices.BinarySearchFunc(row, int32(at), func(a step, to int32) int { return cmp.Compare(a.to, to) })
		f.ahead = append(f.ahead, len(f.to)+back)
		for _, r := range row {
			f.to = append(f.to, r.to)
			f.chance = append(f.chance, r.chance)
		}
		f.starts = append(f.starts, len(f.to))
		f.convert = append(f.convert, c.convert[s])
		f.last = append(f.last, c.last[s])
	}
	return f
}

// step is one transition of a row.
type step struct {
	to     int32
	chance float64
}

// denseTally is the maximum number of possible keys for a tally in an array. An array of that size takes 32 MB.
const denseTally = 1 << 22

// tally sums weights by key, in an array if all possible keys fit, otherwise in a map.
type tally struct {
	dense  []float64
	sparse map[uint64]float64
}

func newTally(keys uint64) *tally {
	if keys <= denseTally {
		return &tally{dense: make([]float64, keys)}
	}
	return &tally{sparse: map[uint64]float64{}}
}

func (t *tally) add(key uint64, weight float64) {
	if t.dense != nil {
		t.dense[key] += weight
	} else if weight > 0 {
		t.sparse[key] += weight
	}
}

func (t *tally) of(key uint64) float64 {
	if t.dense != nil {
		return t.dense[key]
	}
	return t.sparse[key]
}

// keys returns the keys with a weight, in ascending order.
func (t *tally) keys() []uint64 {
	var keys []uint64
	for key, weight := range t.dense {
		if weight > 0 {
			keys = append(keys, uint64(key))
		}
	}
	for key := range t.sparse {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
