package decide

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"assay/internal/fault"
	"assay/internal/measure"
)

// Flighting is a channel's response to spend per period. With adstock, spend also affects later periods.
type Flighting interface {
	// Response returns the total response in the target's unit, until the adstock of the last period has decayed. It
	// includes the adstock of spend before the first period. Response adds the derivatives with respect to each
	// period's spend to the slice slope.
	Response(spend, slope []float64) float64
}

// Timetable contains the budget, channels, periods and bounds of a schedule.
type Timetable struct {
	Budget   float64 // over all periods
	Periods  int
	Channels []ScheduledChannel
	Groups   []Group // bounds on sums of channels over all periods
	// Pace bounds the total spend of each period; nil means no bounds. With a pace, channels have only bounds per
	// period, and there are no groups.
	Pace *Range
	// MessageUnit divides amounts in error messages, as in [Problem].
	MessageUnit float64
}

// Range is a minimum and a maximum spend.
type Range struct{ Min, Max float64 }

func (r Range) hold(x float64) float64 { return math.Min(math.Max(x, r.Min), r.Max) }

// ScheduledChannel is one channel of a [Timetable]. Min and Max bound its spend in each period.
type ScheduledChannel struct {
	Name     measure.Channel
	Min, Max float64
	Total    *Range   // bounds on the total spend over all periods; nil: none
	Change   *float64 // limit on the difference between consecutive periods; nil: none
	Response Flighting
	Weight   float64 // as in [Channel]
	// Concave is true if the channel has diminishing returns at every spend. Otherwise, Spread tries several starting
	// points, and its certificate does not bound every schedule.
	Concave bool
}

// Schedule is an allocation of the budget over time.
type Schedule struct {
	Spend  [][]float64 // one row per channel, one element per period
	Steady []float64   // each channel's spend per period in the best schedule with constant spend
	// Certificate bounds the objective of every schedule if Proven is true. Otherwise, it bounds only the schedules with
	// an objective below the tangent at this schedule. The objective is the sum of the responses, each multiplied by its
	// channel's weight relative to the largest weight.
	Certificate Certificate
	Proven      bool    // every response is concave
	SteadyValue float64 // objective of the steady schedule; at most the objective of this schedule
}

const (
	scheduleSteps = 600
	scheduleGap   = 1e-6
	tangentError  = 1e-7 // error of a tangent's bound, as a share of the schedule's response
)

// Spread returns the schedule that maximizes the weighted response. For concave responses, the certificate bounds every
// schedule. For S-shaped responses, it bounds only schedules with a response below the tangent at the result. The
// result is then a local optimum. For S-shaped responses, searches start from constant spend and from bursts every two
// to four periods.
//
// The method is projected gradient ascent with momentum (Nesterov 1983, as in Beck and Teboulle 2009) and a restart
// after each decrease. The bound is the maximum of the tangent over all schedules (Frank and Wolfe 1956).
func Spread(t Timetable) (*Schedule, error) {
	if err := t.validate(); err != nil {
		return nil, err
	}
	s := newScheduler(t)
	level, _, _ := newScheduler(t.steady()).ascend(nil)
	steady := make([]float64, 0, len(s.slope))
	for _, x := range level {
		for range t.Periods {
			steady = append(steady, x)
		}
	}
	plan := &Schedule{
		Steady: level,
		Proven: !slices.ContainsFunc(t.Channels, func(c ScheduledChannel) bool { return !c.Concave }),
	}
	// The steady schedule meets the bounds up to rounding, which the projection removes.
	plan.SteadyValue = s.response(steady)
	best, value, bound := s.ascend(steady)
	if !plan.Proven {
		for every := 2; every <= 4; every++ {
			if x, v, b := s.ascend(s.bursts(steady, every)); v > value {
				best, value, bound = x, v, b
			}
		}
	}
	if value < plan.SteadyValue {
		best, value = steady, plan.SteadyValue
	}
	plan.Certificate = Certificate{Objective: value, UpperBound: math.Max(bound, value)}
	for row := range slices.Chunk(best, t.Periods) {
		plan.Spend = append(plan.Spend, row)
	}
	return plan, nil
}

// steady returns a timetable with one period. The spend of this period is repeated in every period of t.
func (t Timetable) steady() Timetable {
	n := float64(t.Periods)
	out := Timetable{Budget: t.Budget / n, Periods: 1, Pace: t.Pace}
	for _, c := range t.Channels {
		c.Response, c.Change = &repeated{c.Response, make([]float64, t.Periods), make([]float64, t.Periods)}, nil
		if c.Total != nil {
			c.Total = &Range{c.Total.Min / n, c.Total.Max / n}
		}
		out.Channels = append(out.Channels, c)
	}
	for _, g := range t.Groups {
		g.Min, g.Max = g.Min/n, g.Max/n
		out.Groups = append(out.Groups, g)
	}
	return out
}

// repeated is the response to constant spend.
type repeated struct {
	of           Flighting
	spend, slope []float64
}

// Response returns the response if spend[0] is spent in every period.
func (r *repeated) Response(spend, slope []float64) float64 {
	clear(r.slope)
	for i := range r.spend {
		r.spend[i] = spend[0]
	}
	value := r.of.Response(r.spend, r.slope)
	slope[0] += floats.Sum(r.slope)
	return value
}

// bursts returns a schedule with constant spend concentrated in every second, third or fourth period.
func (s *scheduler) bursts(steady []float64, every int) []float64 {
	out := make([]float64, len(steady))
	for i, x := range steady {
		if i%s.Periods%every == 0 {
			out[i] = float64(every) * x
		}
	}
	return out
}

// ascend improves the schedule from, or an even schedule if this parameter is nil. It returns the best schedule found,
// its value, and an upper bound of the value for concave responses.
func (s *scheduler) ascend(from []float64) (x []float64, value, bound float64) {
	if from == nil {
		from = s.even()
	}
	x = s.project(from)
	value = s.response(x)
	bound = s.tangent(x, value)
	ahead, momentum := slices.Clone(x), 1.0
	step := s.Budget / (1e-300 + floats.Norm(s.slope, 2)*math.Sqrt(float64(len(x))))
	for range scheduleSteps {
		if bound-value <= scheduleGap*math.Abs(bound) {
			break
		}
		var next []float64
		var better float64
		next, better, step = s.climb(ahead, step)
		if better <= value && momentum == 1 {
			break // the plain gradient step also fails, because of rounding
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
	return x, value, bound
}

// climb returns the schedule after a gradient step, its value and the step's length. The step is the largest step, up
// to the given length, that gains at least as much as its quadratic model predicts.
func (s *scheduler) climb(from []float64, step float64) (to []float64, value, used float64) {
	base := s.response(from)
	slope := slices.Clone(s.slope)
	for range 60 {
		to = s.project(along(from, slope, step))
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

func along(from, slope []float64, step float64) []float64 {
	to := slices.Clone(from)
	floats.AddScaled(to, step, slope)
	return to
}

// tangent returns the upper bound at x for concave responses: the value plus the largest gain of the tangent over all
// schedules.
//
// Let p be the end of the projected step of length k along the slopes g. For every schedule z, (x + k g - p)(z - p) is
// at most 0. Therefore g z exceeds g p by at most |p - x| |z - p| / k. The distance |z - p| is at most the diameter of
// the set. A long step makes this bound small.
func (s *scheduler) tangent(x []float64, value float64) float64 {
	diagonal := math.Sqrt2 * s.Budget
	step := diagonal * diagonal / (tangentError*math.Abs(value) + 1e-300)
	if steepest := floats.Norm(s.slope, math.Inf(1)); step*steepest > 1e9*s.Budget {
		step = 1e9 * s.Budget / steepest // rounding dominates larger steps
	}
	p := s.project(along(x, s.slope, step))
	gain, apart := 0.0, 0.0
	for i, to := range p {
		gain += s.slope[i] * (to - x[i])
		apart += (to - x[i]) * (to - x[i])
	}
	return value + gain + math.Sqrt(apart)*diagonal/step
}

func (t Timetable) validate() error {
	if t.Periods < 1 || len(t.Channels) == 0 {
		return fault.Invalid("the schedule has %d periods and %d channels", t.Periods, len(t.Channels)).
			WithHint("give at least one period and one channel")
	}
	if !(t.Budget > 0) || math.IsInf(t.Budget, 0) {
		return fault.Invalid("the budget %v is not an amount of money above zero", t.Budget).
			WithHint("give a budget above zero")
	}
	n := float64(t.Periods)
	sums := Problem{Budget: t.Budget, Groups: t.Groups, MessageUnit: t.MessageUnit}
	known := map[measure.Channel]bool{}
	for _, c := range t.Channels {
		if !(c.Min >= 0) || !(c.Max >= c.Min) || math.IsInf(c.Max, 0) {
			return fault.Invalid("channel %s: invalid bounds %v to %v per period", c.Name, c.Min, c.Max).
				WithHint("bounds need 0 <= min <= max")
		}
		if c.Change != nil && !(*c.Change >= 0) {
			return fault.Invalid("channel %s: the limit on changes between periods, %v, must be an amount of money",
				c.Name, *c.Change).WithHint("give an amount of at least 0, or none")
		}
		known[c.Name] = true
		all := Range{n * c.Min, n * c.Max}
		if c.Total != nil {
			if !(c.Total.Min >= 0) || !(c.Total.Max >= c.Total.Min) || c.Total.Min > all.Max*(1+slack) ||
				c.Total.Max < all.Min*(1-slack) {
				return fault.Invalid("channel %s: bounds %s to %s over %d periods contradict bounds %s to %s per period", c.Name,
					sums.formatted(c.Total.Min), sums.formatted(c.Total.Max), t.Periods, sums.formatted(c.Min), sums.formatted(c.Max)).
					WithHint("widen the bounds of the periods or of their total")
			}
			all = Range{all.hold(c.Total.Min), all.hold(c.Total.Max)}
		}
		sums.Channels = append(sums.Channels, Channel{Name: c.Name, Min: all.Min, Max: all.Max})
	}
	if t.Pace != nil {
		return t.validatePace()
	}
	if err := sums.validateGroups(known); err != nil {
		return err
	}
	return sums.feasible()
}

// validatePace rejects a pace that no schedule can meet.
func (t Timetable) validatePace() error {
	var least, most float64
	for _, c := range t.Channels {
		if c.Total != nil || c.Change != nil || len(t.Groups) > 0 {
			return fault.Invalid("a pace cannot be combined with groups, totals over time or limits on changes").
				WithHint("remove the pace, or give channels bounds per period only")
		}
		least, most = least+c.Min, most+c.Max
	}
	if !(t.Pace.Max >= t.Pace.Min) || t.Pace.Max < least*(1-slack) || t.Pace.Min > most*(1+slack) {
		return fault.Invalid(
			"a pace of %.6g to %.6g per period contradicts the channels' bounds, which add up to %.6g to %.6g",
			t.Pace.Min, t.Pace.Max, least, most).
			WithHint("widen the pace or the channels' bounds")
	}
	least, most = math.Max(least, t.Pace.Min), math.Min(most, t.Pace.Max)
	n := float64(t.Periods)
	if t.Budget < n*least*(1-slack) || t.Budget > n*most*(1+slack) {
		return fault.Invalid("the bounds of %d periods add up to %.6g to %.6g; the budget is %.6g",
			t.Periods, n*least, n*most, t.Budget).
			WithHint("change the budget, the number of periods or the bounds")
	}
	return nil
}
