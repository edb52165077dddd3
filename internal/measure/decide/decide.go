// Package decide optimizes the allocation of a budget to channels under uncertain response curves.
//
// Response curves are joint posterior draws on a grid of spends. Joint draws preserve correlated uncertainty. For
// example, a draw with a high baseline has lower responses of all channels. [Optimize] allocates a budget and bounds
// the distance to the optimum. It evaluates the allocation out of sample, with draws that were not used to optimize it.
// [Information] returns the value of an experiment on each channel. [Spread] distributes spend over time.
//
// The package does not depend on a model. It assumes that channels' responses are additive and do not change after the
// window of the draws.
package decide

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"assay/internal/fault"
	"assay/internal/measure"
)

// Problem contains a budget, the channels' responses and the bounds of an allocation.
type Problem struct {
	// Budget is the total spend of all channels in the window of the responses.
	Budget   float64
	Channels []Channel
	Groups   []Group
	Risk     Risk
	// MessageUnit divides amounts in error messages, so that messages have the caller's unit. For monthly amounts, it
	// is the number of months in the window. 0 means 1.
	MessageUnit float64
}

// Channel is a channel with its response. Spends are totals in the window.
type Channel struct {
	Name     measure.Channel
	Current  float64
	Min, Max float64 // bounds of the channel's spend; equal bounds fix the spend
	// Seen is the largest spend within the range of the data. Above this spend, the response depends on the assumed
	// curve shape. 0 means unknown.
	Seen     float64
	Response Response
	// Weight is the value of a unit of this response in the objective. It does not affect the lift. The optimization
	// ignores weights that are all equal. Channels with a weight of 0 or below have the smallest positive weight.
	Weight float64
}

// Response is a channel's response curve as joint draws on a grid of spends, with cubic Hermite interpolation. The
// interpolation is linear in values and slopes, so the mean of the draws' curves is the curve of their means.
type Response struct {
	Spend []float64   // grid of spends, increasing from 0
	Value [][]float64 // one row per grid point, one element per draw, in the target's unit
	Slope [][]float64 // derivatives with respect to spend; not used at spend 0, where they may be infinite
}

// Group bounds the total spend of several channels. A channel is in at most one group.
type Group struct {
	Name     string
	Channels []measure.Channel
	Min, Max float64
}

// Risk contains the weight of bad outcomes in the objective and the limit on a channel's change.
type Risk struct {
	// Weight is the weight of the conditional value at risk (CVaR) in the objective, 0 to 1; the remaining weight is on
	// the mean.
	Weight float64
	// Tail is the share of draws in the CVaR. The CVaR is the mean over these worst draws.
	Tail float64
	// Move is the limit on the change of a channel's spend, as a share of its current spend.
	Move float64
}

// The named risk levels.
var (
	Conservative = Risk{Weight: 0.5, Tail: 0.2, Move: 0.15}
	Balanced     = Risk{Weight: 0.2, Tail: 0.2, Move: 0.30}
	Aggressive   = Risk{Weight: 0, Tail: 0.2, Move: 0.60}
)

// ParseRisk returns the risk level with the given name.
func ParseRisk(s string) (Risk, error) {
	switch s {
	case "conservative":
		return Conservative, nil
	case "balanced":
		return Balanced, nil
	case "aggressive":
		return Aggressive, nil
	}
	return Risk{}, fault.Invalid("unknown risk %q (want conservative, balanced or aggressive)", s)
}

// Bounds returns a channel's bounds under the risk level's limit on moves.
func (r Risk) Bounds(current float64) (least, most float64) {
	return (1 - r.Move) * current, (1 + r.Move) * current
}

// slack is the tolerance of sums for rounding errors, as a share of the budget.
const slack = 1e-9

// size returns the number of draws.
func (r Response) size() int {
	if len(r.Value) == 0 {
		return 0
	}
	return len(r.Value[0])
}

// draws returns the number of joint draws.
func (p Problem) draws() int { return p.Channels[0].Response.size() }

// validate rejects problems without a solution. The error states what to change.
func (p Problem) validate() error {
	switch {
	case len(p.Channels) == 0:
		return fault.Invalid("there are no channels").WithHint("name at least one channel")
	case !(p.Budget >= 0) || math.IsInf(p.Budget, 0):
		return fault.Invalid("the budget %v is not an amount of money", p.Budget).WithHint("give a budget above zero")
	case p.Budget == 0:
		return fault.Invalid("the budget is 0").
			WithHint("give a budget above zero, such as the current total of %.6g", p.current())
	case !(p.Risk.Weight >= 0 && p.Risk.Weight <= 1) || p.Risk.Weight > 0 && !(p.Risk.Tail > 0 && p.Risk.Tail <= 1):
		return fault.Invalid("the risk weight %v and tail %v must be between 0 and 1", p.Risk.Weight, p.Risk.Tail)
	}
	seen := map[measure.Channel]bool{}
	draws := p.Channels[0].Response.size()
	for _, c := range p.Channels {
		if seen[c.Name] {
			return fault.Invalid("channel %q appears twice", c.Name).WithHint("name each channel once")
		}
		seen[c.Name] = true
		if err := c.validate(draws); err != nil {
			return err
		}
	}
	if err := p.validateGroups(seen); err != nil {
		return err
	}
	return p.feasible()
}

func (c Channel) validate(draws int) error {
	amount := func(v float64) bool { return v >= 0 && !math.IsInf(v, 0) }
	r := c.Response
	switch {
	case !amount(c.Current) || !amount(c.Min) || !amount(c.Max):
		return fault.Invalid("channel %s: the spend %v and the bounds %v to %v must be amounts of money",
			c.Name, c.Current, c.Min, c.Max).
			WithHint("give finite bounds of at least 0")
	case c.Min > c.Max:
		return fault.Invalid("channel %s: minimum spend %v exceeds maximum %v", c.Name, c.Min, c.Max).
			WithHint("swap them, or make them equal to fix the channel's spend")
	case len(r.Spend) < 2 || r.Spend[0] != 0 || !rising(r.Spend) || len(r.Value) != len(r.Spend) ||
		len(r.Slope) != len(r.Spend):
		return fault.Invalid("the response of %s needs values and slopes on at least two increasing spends, starting at 0",
			c.Name)
	case r.Spend[len(r.Spend)-1] < math.Max(c.Max, c.Current)*(1-slack):
		return fault.Invalid("the response of %s ends at %v, below the channel's maximum spend %v",
			c.Name, r.Spend[len(r.Spend)-1], math.Max(c.Max, c.Current)).
			WithHint("compute the response up to the maximum spend, or lower the maximum")
	}
	for i := range r.Spend {
		if len(r.Value[i]) != draws || len(r.Slope[i]) != draws || draws < 4 {
			return fault.Invalid("the response of %s has %d draws at %v: want %d, and at least 4",
				c.Name, len(r.Value[i]), r.Spend[i], draws)
		}
		if !finite(r.Value[i]) || i > 0 && !finite(r.Slope[i]) {
			return fault.Invalid("the response of %s at %v is not finite in every draw", c.Name, r.Spend[i])
		}
	}
	return nil
}

// rising reports whether the values are finite and strictly increasing.
func rising(x []float64) bool {
	for i := 1; i < len(x); i++ {
		if !(x[i] > x[i-1]) {
			return false
		}
	}
	return !math.IsInf(x[len(x)-1], 0)
}

func finite(x []float64) bool {
	return !slices.ContainsFunc(x, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}

func (p Problem) validateGroups(known map[measure.Channel]bool) error {
	taken := map[measure.Channel]string{}
	for _, g := range p.Groups {
		if len(g.Channels) == 0 || !(g.Min >= 0) || !(g.Max >= g.Min) || math.IsInf(g.Min, 0) {
			return fault.Invalid("group %q of %d channels has invalid bounds %v to %v", g.Name, len(g.Channels), g.Min, g.Max).
				WithHint("a group needs channels and bounds with 0 <= min <= max")
		}
		for _, name := range g.Channels {
			if !known[name] {
				return fault.Invalid("group %q has an unknown channel %q", g.Name, name).WithHint("the channels are %v", p.names())
			}
			if other, twice := taken[name]; twice {
				return fault.Invalid("channel %q is in two groups, %q and %q", name, other, g.Name).
					WithHint("put each channel in one group at most")
			}
			taken[name] = g.Name
		}
	}
	return nil
}

// feasible rejects bounds that no allocation can meet. The error states the sum of the bounds.
func (p Problem) feasible() error {
	var least, most float64
	for _, part := range p.parts() {
		low, high := part.sums(p.Channels)
		if part.group != nil {
			if g := part.group; low > g.Max*(1+slack) || high < g.Min*(1-slack) {
				return p.unkept(g, low, high)
			}
			low, high = math.Max(low, part.group.Min), math.Min(high, part.group.Max)
		}
		least, most = least+low, most+high
	}
	switch {
	case least > p.Budget*(1+slack):
		return fault.Invalid("the channels' minimum spends add up to %s, above the budget of %s",
			p.formatted(least), p.formatted(p.Budget)).
			WithHint("raise the budget to %s or more, or lower a min", formatted(math.Ceil(p.inMessage(least))))
	case most < p.Budget*(1-slack):
		return fault.Invalid("the channels' maximum spends add up to %s, below the budget of %s",
			p.formatted(most), p.formatted(p.Budget)).
			WithHint("lower the budget to %s or less, or raise a max; without a max, the risk level sets one",
				formatted(math.Floor(p.inMessage(most))))
	}
	return nil
}

// unkept returns the error for a group if its channels' bounds conflict with the group's bounds.
func (p Problem) unkept(g *Group, low, high float64) error {
	if high < g.Min {
		return fault.Invalid("the maximum spends of the channels in group %q add up to %s, below the group's minimum of %s",
			g.Name, p.formatted(high), p.formatted(g.Min)).
			WithHint(
				"lower the group's minimum to %s or less, or raise a max of its channels; without a max, the risk level sets one",
				formatted(math.Floor(p.inMessage(high))))
	}
	return fault.Invalid("the minimum spends of the channels in group %q add up to %s, above the group's maximum of %s",
		g.Name, p.formatted(low), p.formatted(g.Max)).
		WithHint(
			"raise the group's maximum to %s or more, or lower a min of its channels; without a min, the risk level sets one",
			formatted(math.Ceil(p.inMessage(low))))
}

// inMessage converts an amount to the unit in which error messages state amounts.
func (p Problem) inMessage(x float64) float64 {
	if p.MessageUnit > 0 {
		return x / p.MessageUnit
	}
	return x
}

func (p Problem) formatted(x float64) string { return formatted(p.inMessage(x)) }

// formatted returns an amount as text for a message. It rounds large amounts to units: 1200000, 12.5.
func formatted(x float64) string {
	if math.Abs(x) >= 1000 {
		x = math.Round(x)
	}
	return strconv.FormatFloat(math.Round(100*x)/100, 'f', -1, 64)
}

func (p Problem) names() []measure.Channel {
	out := make([]measure.Channel, len(p.Channels))
	for i, c := range p.Channels {
		out[i] = c.Name
	}
	return out
}

func (p Problem) current() float64 {
	var sum float64
	for _, c := range p.Channels {
		sum += c.Current
	}
	return sum
}

// part is a set of channels with a bounded sum: a group, or one channel outside all groups.
type part struct {
	group   *Group
	members []int
}

// parts returns groups and single channels in the order of their first channel.
func (p Problem) parts() []part {
	in := map[int]bool{}
	var out []part
	for i := range p.Groups {
		g := part{group: &p.Groups[i]}
		for j, c := range p.Channels {
			if slices.Contains(p.Groups[i].Channels, c.Name) {
				g.members = append(g.members, j)
				in[j] = true
			}
		}
		out = append(out, g)
	}
	for j := range p.Channels {
		if !in[j] {
			out = append(out, part{members: []int{j}})
		}
	}
	slices.SortStableFunc(out, func(a, b part) int { return cmp.Compare(a.members[0], b.members[0]) })
	return out
}

func (s part) sums(channels []Channel) (least, most float64) {
	for _, j := range s.members {
		least += channels[j].Min
		most += channels[j].Max
	}
	return least, most
}
