package decide

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// scheduler represents a schedule as one vector, ordered by channel, then period.
type scheduler struct {
	Timetable
	slope   []float64
	weights []float64 // relative weights of the channels
	parts   []part    // groups, and channels outside groups
	chain   chain
}

func newScheduler(t Timetable) *scheduler {
	p := Problem{Groups: t.Groups}
	for _, c := range t.Channels {
		p.Channels = append(p.Channels, Channel{Name: c.Name, Weight: c.Weight})
	}
	return &scheduler{
		Timetable: t, slope: make([]float64, t.Periods*len(t.Channels)), weights: p.relativeWeights(), parts: p.parts(),
	}
}

// response returns a schedule's total weighted response and sets its slopes.
func (s *scheduler) response(x []float64) (sum float64) {
	clear(s.slope)
	for j, c := range s.Channels {
		slope := s.row(s.slope, j)
		sum += s.weights[j] * c.Response.Response(s.row(x, j), slope)
		floats.Scale(s.weights[j], slope)
	}
	return sum
}

// row returns a channel's part of a schedule.
func (s *scheduler) row(x []float64, j int) []float64 { return x[j*s.Periods : (j+1)*s.Periods] }

// even returns a schedule with equal spend in every period. The spends of all channels are at the same relative
// position between the bounds of their channels.
func (s *scheduler) even() []float64 {
	var least, most float64
	for _, c := range s.Channels {
		least, most = least+c.Min, most+c.Max
	}
	share := 0.0
	if most > least {
		share = (s.Budget/float64(s.Periods) - least) / (most - least)
	}
	x := make([]float64, len(s.slope))
	for j, c := range s.Channels {
		for i := range s.Periods {
			x[j*s.Periods+i] = c.Min + share*(c.Max-c.Min)
		}
	}
	return x
}

// project returns the feasible schedule nearest to y (Euclidean projection). Each bounded sum has a price. project
// subtracts the budget's price from every spend. If the bounds of a group or channel bind, it also subtracts the price
// of that group or channel. It then projects the spends onto the channels' bounds per period.
func (s *scheduler) project(y []float64) []float64 {
	p := projection{scheduler: s, x: make([]float64, len(y)), y: y, size: floats.Norm(y, math.Inf(1)) + s.Budget}
	if s.Pace != nil {
		p.everyPeriod(p.level(p.periods, s.Budget))
		return p.x
	}
	by := p.level(func(by float64) (sum float64) {
		for _, part := range s.parts {
			sum += p.part(part, by)
		}
		return sum
	}, s.Budget)
	for _, part := range s.parts {
		p.settle(part, by)
	}
	return p.x
}

// projection is the search for the schedule x nearest to y.
type projection struct {
	*scheduler
	x, y []float64
	size float64 // prices are between -size and size
}

// channel subtracts a price, the parameter by, from a channel's values of y. It sets the channel's spends to the
// nearest values within the limits per period. It returns the sum of the spends, limited to the bounds of the channel's
// total.
func (p *projection) channel(j int, by float64) float64 {
	sum := p.lower(j, by)
	if total := p.Channels[j].Total; total != nil {
		return total.hold(sum)
	}
	return sum
}

func (p *projection) lower(j int, by float64) (sum float64) {
	c, x := p.Channels[j], p.row(p.x, j)
	for i, y := range p.row(p.y, j) {
		x[i] = y - by
	}
	if c.Change != nil {
		p.chain.nearest(x, Range{c.Min, c.Max}, *c.Change)
	}
	for i := range x {
		x[i] = math.Min(math.Max(x[i], c.Min), c.Max)
		sum += x[i]
	}
	return sum
}

// part returns the spend of a group or a single channel after a price, the parameter by, is subtracted from each
// element of y.
func (p *projection) part(of part, by float64) (sum float64) {
	for _, j := range of.members {
		sum += p.channel(j, by)
	}
	if of.group != nil {
		return Range{of.group.Min, of.group.Max}.hold(sum)
	}
	return sum
}

// settle sets the spends of a part at the budget's price, or at its own price if its bounds bind.
func (p *projection) settle(of part, by float64) {
	members := func(by float64) (sum float64) {
		for _, j := range of.members {
			sum += p.channel(j, by)
		}
		return sum
	}
	if of.group != nil {
		if sum, held := members(by), p.part(of, by); sum != held {
			by = p.level(members, held)
		}
	}
	for _, j := range of.members {
		if sum, held := p.lower(j, by), p.channel(j, by); sum != held {
			p.lower(j, p.level(func(by float64) float64 { return p.lower(j, by) }, held))
		}
	}
}

// period sets one period's spends to y minus an amount, within the channels' bounds, and returns their sum.
func (p *projection) period(i int, by float64) (sum float64) {
	for j, c := range p.Channels {
		k := j*p.Periods + i
		p.x[k] = math.Min(math.Max(p.y[k]-by, c.Min), c.Max)
		sum += p.x[k]
	}
	return sum
}

// periods returns the total spend at a price, with each period's spend within the pace.
func (p *projection) periods(by float64) (sum float64) {
	for i := range p.Periods {
		sum += p.Pace.hold(p.period(i, by))
	}
	return sum
}

// everyPeriod sets the spends of all periods to y minus the price, each period within the pace.
func (p *projection) everyPeriod(by float64) {
	for i := range p.Periods {
		if sum := p.period(i, by); sum != p.Pace.hold(sum) {
			p.period(i, p.level(func(by float64) float64 { return p.period(i, by) }, p.Pace.hold(sum)))
		}
	}
}

// level returns the amount at which a decreasing sum meets its target, found by bisection.
func (p *projection) level(sum func(by float64) float64, target float64) float64 {
	low, high := -p.size, p.size
	for range priceSteps {
		by := low + (high-low)/2
		if sum(by) > target {
			low = by
		} else {
			high = by
		}
	}
	return high
}
