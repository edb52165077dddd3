// Package decide turns what is believed about channels' responses into what to spend on each.
//
// What a channel brings is given as joint posterior draws on a ladder of spends, so that uncertainty which channels
// share (a high baseline lowers all of them at once) is not lost. The package divides a budget ([Optimize]), says how
// far the division can be from the best one, what it promises on draws that did not choose it, and what an experiment
// on each channel would be worth ([Information]). [Schedule] spreads a channel's money over time.
//
// The package knows no model: whoever has draws of responses can ask it. It assumes that channels add up and that
// responses stay what they were in the window that the draws speak of.
package decide

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"assay/internal/fault"
	"assay/internal/measure"
)

// Problem is a budget that has to be divided.
type Problem struct {
	// Budget is what all channels spend together, in money over the window that the responses speak of.
	Budget   float64
	Channels []Channel
	Groups   []Group
	Risk     Risk
	// Spoken is what amounts are divided by in messages about bounds that cannot be kept, so that they speak of the
	// amounts that were entered: the months in the window for money a month. 0 is 1.
	Spoken float64
}

// Channel is one channel to spend on. Spends are money over the window.
type Channel struct {
	Name     measure.Channel
	Current  float64
	Min, Max float64 // what may be spent; equal to hold the channel where it is
	// Seen is the largest spend that the data speak of; beyond it the response rests on the shape assumed. 0 when
	// that is not known.
	Seen     float64
	Response Response
}

// Response is what a channel brings, as joint draws on a ladder of spends. Between the rungs a cubic with the given
// slopes is taken, which is linear in values and slopes: the mean of the draws' curves is the curve of the means.
type Response struct {
	Spend []float64   // rungs, rising from 0
	Value [][]float64 // one row for each rung, one element for each draw, in the target's unit
	Slope [][]float64 // the derivatives by spend; those on the rung 0 are not used, where they may be infinite
}

// Group bounds what some channels spend together. Groups share no channel.
type Group struct {
	Name     string
	Channels []measure.Channel
	Min, Max float64
}

// Risk says how much a plan is judged by its bad cases.
type Risk struct {
	// Weight is the share of the conditional value at risk in what is maximised, 0 to 1; the rest is the mean.
	Weight float64
	// Tail is the share of draws that the conditional value at risk is the mean of: the worst ones.
	Tail float64
	// Move is by how much a channel may go up or down as a share of its current spend.
	Move float64
}

// The appetites for risk that have a name.
var (
	Conservative = Risk{Weight: 0.5, Tail: 0.2, Move: 0.15}
	Balanced     = Risk{Weight: 0.2, Tail: 0.2, Move: 0.30}
	Aggressive   = Risk{Weight: 0, Tail: 0.2, Move: 0.60}
)

// ParseRisk reads the name of an appetite for risk.
func ParseRisk(s string) (Risk, error) {
	switch s {
	case "conservative":
		return Conservative, nil
	case "balanced":
		return Balanced, nil
	case "aggressive":
		return Aggressive, nil
	}
	return Risk{}, fault.Invalid("there is no risk %q (want conservative, balanced or aggressive)", s)
}

// Bounds returns what a channel may spend under the risk's limit on moves.
func (r Risk) Bounds(current float64) (least, most float64) {
	return (1 - r.Move) * current, (1 + r.Move) * current
}

// slack is what sums of money may miss a bound by, as a share of the budget: rounding, not money.
const slack = 1e-9

// size is the number of draws, 0 when there are none.
func (r Response) size() int {
	if len(r.Value) == 0 {
		return 0
	}
	return len(r.Value[0])
}

// draws is the number of joint draws.
func (p Problem) draws() int { return p.Channels[0].Response.size() }

// validate refuses what has no answer, and says what would have one.
func (p Problem) validate() error {
	switch {
	case len(p.Channels) == 0:
		return fault.Invalid("there are no channels to spend on").WithHint("name at least one channel")
	case !(p.Budget >= 0) || math.IsInf(p.Budget, 0):
		return fault.Invalid("the budget %v is not an amount of money", p.Budget).WithHint("give a budget above zero")
	case p.Budget == 0:
		return fault.Invalid("a budget of 0 leaves nothing to divide").WithHint("give a budget above zero, such as the current total of %.6g", p.current())
	case !(p.Risk.Weight >= 0 && p.Risk.Weight <= 1) || p.Risk.Weight > 0 && !(p.Risk.Tail > 0 && p.Risk.Tail <= 1):
		return fault.Invalid("the risk weight %v and tail %v must lie between 0 and 1", p.Risk.Weight, p.Risk.Tail)
	}
	seen := map[measure.Channel]bool{}
	draws := p.Channels[0].Response.size()
	for _, c := range p.Channels {
		if seen[c.Name] {
			return fault.Invalid("the channel %q is there twice", c.Name).WithHint("name each channel once")
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
		return fault.Invalid("%s has the spend %v and the bounds %v to %v, which are not all amounts of money", c.Name, c.Current, c.Min, c.Max).
			WithHint("bounds start at 0 and are finite")
	case c.Min > c.Max:
		return fault.Invalid("%s has the least spend %v above the most %v", c.Name, c.Min, c.Max).WithHint("exchange them, or make them equal to hold the channel")
	case len(r.Spend) < 2 || r.Spend[0] != 0 || !rising(r.Spend) || len(r.Value) != len(r.Spend) || len(r.Slope) != len(r.Spend):
		return fault.Invalid("the response of %s needs values and slopes on at least two rising spends from 0", c.Name)
	case r.Spend[len(r.Spend)-1] < math.Max(c.Max, c.Current)*(1-slack):
		return fault.Invalid("the response of %s ends at %v, below its bound %v", c.Name, r.Spend[len(r.Spend)-1], math.Max(c.Max, c.Current)).
			WithHint("ask for the response up to the largest spend allowed, or lower the bound")
	}
	for i := range r.Spend {
		if len(r.Value[i]) != draws || len(r.Slope[i]) != draws || draws < 4 {
			return fault.Invalid("the response of %s has %d draws at %v, where %d are wanted and at least 4", c.Name, len(r.Value[i]), r.Spend[i], draws)
		}
		if !finite(r.Value[i]) || i > 0 && !finite(r.Slope[i]) {
			return fault.Invalid("the response of %s at %v is not finite in every draw", c.Name, r.Spend[i])
		}
	}
	return nil
}

// rising reports whether the values are finite and each lies above the one before.
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
			return fault.Invalid("the group %q of %d channels may spend %v to %v, which cannot be kept", g.Name, len(g.Channels), g.Min, g.Max).
				WithHint("a group needs channels and bounds with 0 <= min <= max")
		}
		for _, name := range g.Channels {
			if !known[name] {
				return fault.Invalid("the group %q names the channel %q, which is not among the channels", g.Name, name).WithHint("the channels are %v", p.names())
			}
			if other, twice := taken[name]; twice {
				return fault.Invalid("the channel %q is in the groups %q and %q", name, other, g.Name).WithHint("put each channel in one group at most")
			}
			taken[name] = g.Name
		}
	}
	return nil
}

// feasible refuses bounds that no plan keeps and names the sum that cannot be met.
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
		return fault.Invalid("the least that the channels may spend adds up to %s, above the budget of %s", p.spelled(least), p.spelled(p.Budget)).
			WithHint("raise the budget to %s or more, or lower a min", spelled(math.Ceil(p.spoken(least))))
	case most < p.Budget*(1-slack):
		return fault.Invalid("the most that the channels may spend adds up to %s, below the budget of %s", p.spelled(most), p.spelled(p.Budget)).
			WithHint("lower the budget to %s or less, or raise a max; where none is given the appetite for risk sets it", spelled(math.Floor(p.spoken(most))))
	}
	return nil
}

// unkept says which sum of a group's channels lies outside of what the group may spend.
func (p Problem) unkept(g *Group, low, high float64) error {
	if high < g.Min {
		return fault.Invalid("the most that the channels of the group %q may spend adds up to %s, below the %s that the group has to spend", g.Name, p.spelled(high), p.spelled(g.Min)).
			WithHint("lower the least of the group to %s or less, or raise the most of its channels; where none is given the appetite for risk sets it", spelled(math.Floor(p.spoken(high))))
	}
	return fault.Invalid("the least that the channels of the group %q may spend adds up to %s, above the %s that the group may spend", g.Name, p.spelled(low), p.spelled(g.Max)).
		WithHint("raise the most of the group to %s or more, or lower the least of its channels; where none is given the appetite for risk sets it", spelled(math.Ceil(p.spoken(low))))
}

// spoken returns an amount as messages have it.
func (p Problem) spoken(x float64) float64 {
	if p.Spoken > 0 {
		return x / p.Spoken
	}
	return x
}

func (p Problem) spelled(x float64) string { return spelled(p.spoken(x)) }

// spelled writes money for a message, whole where it is large: 1200000, 12.5.
func spelled(x float64) string {
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

// part is channels whose sum is bounded: a group, or one channel on its own.
type part struct {
	group   *Group
	members []int
}

// parts returns the groups and the channels outside of them, in the order of their first channels.
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
