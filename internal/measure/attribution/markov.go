package attribution

import (
	"cmp"
	"fmt"
	"slices"

	"assay/internal/fault"
	"assay/internal/measure"
)

// MaxOrder is the highest order of a Markov chain.
const MaxOrder = 3

// Removal is a channel's removal effect: the relative loss of conversions if every step into the channel ends without
// conversion.
type Removal struct {
	Channel measure.Channel
	Effect  float64 // 1 - P(conversion without the channel) / P(conversion), a fraction
}

// Removals contains the removal effects of a Markov chain.
type Removals struct {
	Order      int
	States     int     // number of states (tuples of touchpoints), including the start
	Conversion float64 // probability in the chain that a journey with a touchpoint converts; 1 if nulls are unknown
	Effects    []Removal
}

// RemovalEffects fits a Markov chain of order 1, 2 or 3 to the conversion paths. It returns the exact removal effect of
// each channel, sorted by channel. The method is from Anderl, Becker, von Wangenheim and Schumann 2016, "Mapping the
// customer journey", International Journal of Research in Marketing 33(3), sections 3 and 4.
//
// A state is a tuple of the most recent touchpoints. The length of the tuple is the order of the chain, or less at the
// start of a journey. A journey ends in conversion or null. Transition probabilities are relative frequencies. Removing
// a channel redirects every step into it to null. Let Q be the transitions between states, c the transitions into
// conversion and h the probability of conversion from each state. The equations
//
//	h = c + Q h,   P(conversion) = h(start),
//
// are solved once for the whole chain and once for each removed channel. The result has an error of about 1e-13 and
// needs no simulation. At order 1, steps from a state to itself have no effect.
//
// If no path has nulls, every journey converts. The effects then measure only the share of conversions with a channel
// in the path. Paths without touchpoints are ignored. Without conversions all effects are zero.
func RemovalEffects(p *Paths, order int) (Removals, error) {
	if order < 1 || order > MaxOrder {
		return Removals{}, fault.Invalid("order of the chain is %d, want 1 to %d", order, MaxOrder)
	}
	c := chainOf(p, order)
	r := Removals{Order: order, States: len(c.convert)}
	h := make([]float64, len(c.convert))
	if err := c.solve(h, removedNone); err != nil {
		return Removals{}, fmt.Errorf("chain of order %d: %w", order, err)
	}
	r.Conversion = min(1, h[0])
	without := make([]float64, len(h))
	for ch, name := range p.names {
		effect := 0.0
		if r.Conversion > 0 {
			copy(without, h)
			if err := c.solve(without, ch); err != nil {
				return Removals{}, fmt.Errorf("chain of order %d without %q: %w", order, name, err)
			}
			effect = min(1, max(0, 1-without[0]/r.Conversion))
		}
		r.Effects = append(r.Effects, Removal{Channel: name, Effect: effect})
	}
	slices.SortFunc(r.Effects, func(a, b Removal) int { return cmp.Compare(a.Channel, b.Channel) })
	return r, nil
}

// credit returns the conversions and the value of the conversion paths with touchpoints, divided in proportion to the
// removal effects.
func (r Removals) credit(p *Paths) (Result, error) {
	rest := untouched(p)
	conversions := make([]float64, len(p.names))
	values := make([]float64, len(p.names))
	var sum float64
	for _, e := range r.Effects {
		sum += e.Effect
	}
	for _, e := range r.Effects {
		if sum > 0 {
			conversions[p.index[e.Channel]] = (p.totals.Conversions - rest.Conversions) * e.Effect / sum
			values[p.index[e.Channel]] = (float64(p.totals.Value) - rest.Value) * e.Effect / sum
		}
	}
	return resultOf(p, conversions, values)
}
