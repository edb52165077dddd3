package decide

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"assay/internal/fault"
	"assay/internal/measure"
)

// Flighting is a channel's response to spends that differ from period to period, with carry-over: what is spent in one
// period works in the next ones too.
type Flighting interface {
	// Response returns what the spends bring, in the target's unit, from the first period to the end of the
	// carry-over of the last, and adds the derivative by each period's spend to slope. The carry-over of what was spent
	// before the first period is part of it.
	Response(spend, slope []float64) float64
}

// Timetable is a budget to be spread over channels and periods.
type Timetable struct {
	Budget   float64 // of all periods
	Periods  int
	Channels []ScheduledChannel
	// Pace bounds what all channels spend in one period; nil when only the sum over time counts.
	Pace *Pace
}

// Pace is what all channels may spend together in one period.
type Pace struct{ Min, Max float64 }

// ScheduledChannel is one channel of a timetable. Min and Max bound its spend in each period: the least is a
// commitment, the most what can be bought.
type ScheduledChannel struct {
	Name     measure.Channel
	Min, Max float64
	Response Flighting
}

// Schedule is a plan over time.
type Schedule struct {
	Spend       [][]float64 // one row for each channel, one element for each period
	Certificate Certificate
}

const (
	scheduleSteps = 600
	scheduleGap   = 1e-6
)

// Spread finds the spends of each channel and period that bring most. Where responses are concave the certificate's
// bound holds for every schedule; with S-shaped ones it holds for those whose response lies below the tangent at the
// plan, and the plan is a local best.
//
// The method is projected gradient ascent with momentum (Nesterov 1983, in the form of Beck and Teboulle 2009) that
// starts anew when a step loses; the bound is the tangent's gain over all schedules (Frank and Wolfe 1956).
func Spread(t Timetable) (*Schedule, error) {
	if err := t.validate(); err != nil {
		return nil, err
	}
	s := newScheduler(t)
	x := s.project(s.even())
	value := s.response(x)
	bound := s.tangent(x, value)
	ahead, momentum := slices.Clone(x), 1.0
	step := t.Budget / (1e-300 + floats.Norm(s.slope, 2)*math.Sqrt(float64(len(x))))
	for range scheduleSteps {
		if bound-value <= scheduleGap*math.Abs(bound) {
			break
		}
		var next []float64
		var better float64
		next, better, step = s.climb(ahead, step)
		if better <= value && momentum == 1 {
			break // not even the plain gradient helps: rounding
		}
		if better <= value {
			ahead, momentum = slices.Clone(x), 1
			continue
		}
		grown := (1 + math.Sqrt(1+4*momentum*momentum)) / 2
		for i := range x {
			ahead[i] = next[i] + (momentum-1)/grown*(next[i]-x[i])
		}
		ahead, momentum = s.project(ahead), grown
		x, value = next, better
		s.response(x)
		bound = math.Min(bound, s.tangent(x, value))
		step *= 1.3
	}
	plan := &Schedule{Certificate: Certificate{Objective: value, UpperBound: math.Max(bound, value)}}
	for row := range slices.Chunk(x, t.Periods) {
		plan.Spend = append(plan.Spend, row)
	}
	return plan, nil
}

// climb goes uphill from a schedule by the largest step, from the one given downwards, that gains at least what the
// quadratic of that step promises.
func (s *scheduler) climb(from []float64, step float64) (to []float64, value, used float64) {
	base := s.response(from)
	slope := slices.Clone(s.slope)
	for range 60 {
		y := slices.Clone(from)
		floats.AddScaled(y, step, slope)
		to = s.project(y)
		value = s.response(to)
		var linear, square float64
		for i := range to {
			linear += slope[i] * (to[i] - from[i])
			square += (to[i] - from[i]) * (to[i] - from[i])
		}
		if value >= base+linear-square/(2*step) {
			break
		}
		step /= 2
	}
	return to, value, step
}

// tangent returns what no schedule exceeds if responses are concave, from the slopes at x.
func (s *scheduler) tangent(x []float64, value float64) float64 {
	for i, best := range s.steepest() {
		value += s.slope[i] * (best - x[i])
	}
	return value
}

func (t Timetable) validate() error {
	if t.Periods < 1 || len(t.Channels) == 0 {
		return fault.Invalid("a timetable of %d periods and %d channels has nothing to fill", t.Periods, len(t.Channels)).WithHint("give at least one of each")
	}
	if !(t.Budget > 0) || math.IsInf(t.Budget, 0) {
		return fault.Invalid("the budget %v is not an amount of money above zero", t.Budget).WithHint("give a budget above zero")
	}
	var least, most float64
	for _, c := range t.Channels {
		if !(c.Min >= 0) || !(c.Max >= c.Min) || math.IsInf(c.Max, 0) {
			return fault.Invalid("%s may spend %v to %v a period, which cannot be kept", c.Name, c.Min, c.Max).WithHint("bounds need 0 <= min <= max")
		}
		least, most = least+c.Min, most+c.Max
	}
	if t.Pace != nil {
		if !(t.Pace.Max >= t.Pace.Min) || t.Pace.Max < least*(1-slack) || t.Pace.Min > most*(1+slack) {
			return fault.Invalid("a pace of %.6g to %.6g a period cannot be kept by channels that spend %.6g to %.6g together", t.Pace.Min, t.Pace.Max, least, most).
				WithHint("widen the pace or the channels' bounds")
		}
		least, most = math.Max(least, t.Pace.Min), math.Min(most, t.Pace.Max)
	}
	n := float64(t.Periods)
	if t.Budget < n*least*(1-slack) || t.Budget > n*most*(1+slack) {
		return fault.Invalid("%d periods spend %.6g to %.6g, the budget is %.6g", t.Periods, n*least, n*most, t.Budget).
			WithHint("change the budget, the number of periods or the bounds")
	}
	return nil
}

// scheduler holds a timetable as one vector: all periods of the first channel, then of the second, and so on.
type scheduler struct {
	Timetable
	slope []float64
}

func newScheduler(t Timetable) *scheduler {
	return &scheduler{t, make([]float64, t.Periods*len(t.Channels))}
}

// response returns what a schedule brings and sets the slopes.
func (s *scheduler) response(x []float64) (sum float64) {
	clear(s.slope)
	for j, c := range s.Channels {
		from, to := j*s.Periods, (j+1)*s.Periods
		sum += c.Response.Response(x[from:to], s.slope[from:to])
	}
	return sum
}

// even spends the same in every period, each channel the same share of the room between its bounds.
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

// steepest returns the schedule that the slopes alone would choose: money goes to the steepest places first, within
// the bounds of channel, period and budget. Where a period has a least pace, that much goes there before the rest.
func (s *scheduler) steepest() []float64 {
	x, left := make([]float64, len(s.slope)), s.Budget
	spent := make([]float64, s.Periods)
	for j, c := range s.Channels {
		for i := range s.Periods {
			x[j*s.Periods+i] = c.Min
			spent[i] += c.Min
			left -= c.Min
		}
	}
	order := make([]int, len(x))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case s.slope[a] > s.slope[b]:
			return -1
		case s.slope[a] < s.slope[b]:
			return 1
		}
		return a - b
	})
	fill := func(pace func(period int) float64) {
		for _, k := range order {
			period := k % s.Periods
			step := math.Min(s.Channels[k/s.Periods].Max-x[k], math.Min(left, pace(period)-spent[period]))
			if step > 0 {
				x[k], spent[period], left = x[k]+step, spent[period]+step, left-step
			}
		}
	}
	if s.Pace == nil {
		fill(func(int) float64 { return math.Inf(1) })
		return x
	}
	fill(func(int) float64 { return s.Pace.Min })
	fill(func(int) float64 { return s.Pace.Max })
	return x
}

// project returns the schedule within all bounds that is nearest to y: every spend is lowered by one amount, or by one
// amount in each period whose pace would be broken, and kept within its channel's bounds.
func (s *scheduler) project(y []float64) []float64 {
	x := make([]float64, len(y))
	size := floats.Norm(y, math.Inf(1)) + s.Budget
	s.level(func(by float64) (sum float64) {
		for i := range s.Periods {
			part := s.lower(x, y, i, by)
			if s.Pace != nil && (part < s.Pace.Min || part > s.Pace.Max) {
				within := math.Min(math.Max(part, s.Pace.Min), s.Pace.Max)
				s.level(func(by float64) float64 { return s.lower(x, y, i, by) }, within, size)
				part = within
			}
			sum += part
		}
		return sum
	}, s.Budget, size)
	return x
}

// lower sets one period's spends to y less an amount, within the channels' bounds, and returns their sum.
func (s *scheduler) lower(x, y []float64, period int, by float64) (sum float64) {
	for j, c := range s.Channels {
		k := j*s.Periods + period
		x[k] = math.Min(math.Max(y[k]-by, c.Min), c.Max)
		sum += x[k]
	}
	return sum
}

// level finds the amount at which a falling sum meets its target, by halving.
func (s *scheduler) level(sum func(by float64) float64, target, size float64) {
	low, high := -size, size
	for range priceSteps {
		by := low + (high-low)/2
		if sum(by) > target {
			low = by
		} else {
			high = by
		}
	}
	sum(high)
}
