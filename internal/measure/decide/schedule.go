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
	Groups   []Group // what channels spend together over all periods
	// Pace bounds what all channels spend in one period; nil when only the sum over time counts. With a pace channels
	// have bounds of periods only, and there are no groups.
	Pace *Range
	// Spoken is what amounts are divided by in messages, as in [Problem].
	Spoken float64
}

// Range is the least and the most that may be spent.
type Range struct{ Min, Max float64 }

func (r Range) hold(x float64) float64 { return math.Min(math.Max(x, r.Min), r.Max) }

// ScheduledChannel is one channel of a timetable. Min and Max bound its spend in each period: the least is a
// commitment, the most what can be bought.
type ScheduledChannel struct {
	Name     measure.Channel
	Min, Max float64
	Total    *Range   // over all periods; nil when the bounds of periods say it
	Change   *float64 // by how much the spend may differ between two periods in a row; nil for any
	Response Flighting
	// Concave says that returns diminish wherever the spends lie. Where one channel's may not, several beginnings are
	// tried, and a bound is one among neighbours only.
	Concave bool
}

// Schedule is a plan over time.
type Schedule struct {
	Spend  [][]float64 // one row for each channel, one element for each period
	Steady []float64   // what each channel spends in every period of the best plan found that spends alike in all
	// Certificate bounds every schedule where Proven, and else those whose response lies below the tangent at this one.
	Certificate Certificate
	Proven      bool    // every response is concave
	SteadyValue float64 // what the steady plan brings; never more than the schedule does
}

const (
	scheduleSteps = 600
	scheduleGap   = 1e-6
	tangentError  = 1e-7 // of a tangent's bound, as a share of what the schedule brings
)

// Spread finds the spends of each channel and period that bring most. Where responses are concave the certificate's
// bound holds for every schedule; with S-shaped ones it holds for those whose response lies below the tangent at the
// plan, and the plan is a local best, of those that are reached from steady spends and from bursts every two to four periods.
//
// The method is projected gradient ascent with momentum (Nesterov 1983, in the form of Beck and Teboulle 2009) that
// starts anew when a step loses; the bound is the tangent's gain over all schedules (Frank and Wolfe 1956).
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
	plan := &Schedule{Steady: level, Proven: !slices.ContainsFunc(t.Channels, func(c ScheduledChannel) bool { return !c.Concave })}
	// The steady plan keeps the bounds but for rounding, which the projection mends.
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

// steady is the timetable of one period that stands for all.
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

// repeated is a response to the same spend in every period.
type repeated struct {
	of           Flighting
	spend, slope []float64
}

// Response returns what the first of the spends brings when it is spent in every period.
func (r *repeated) Response(spend, slope []float64) float64 {
	clear(r.slope)
	for i := range r.spend {
		r.spend[i] = spend[0]
	}
	value := r.of.Response(r.spend, r.slope)
	slope[0] += floats.Sum(r.slope)
	return value
}

// bursts moves the spends of steady ones to every second, third or fourth period.
func (s *scheduler) bursts(steady []float64, every int) []float64 {
	out := make([]float64, len(steady))
	for i, x := range steady {
		if i%s.Periods%every == 0 {
			out[i] = float64(every) * x
		}
	}
	return out
}

// ascend climbs from a schedule, from one that spends evenly when there is none, and returns the best found with what no
// schedule exceeds if responses are concave.
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
	return x, value, bound
}

// climb goes uphill from a schedule by the largest step, from the one given downwards, that gains at least what the
// quadratic of that step promises.
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

// tangent returns what no schedule exceeds if responses are concave, from the slopes at x: the value and the tangent's largest gain.
//
// Where a step of length k along the slopes g, projected, ends in p, every schedule z has (x + k g - p)(z - p) <= 0, so that
// g z exceeds g p by |p - x| |z - p| / k at most, and no two schedules of one budget lie farther apart than its diagonal.
// A long step makes that little.
func (s *scheduler) tangent(x []float64, value float64) float64 {
	diagonal := math.Sqrt2 * s.Budget
	step := diagonal * diagonal / (tangentError*math.Abs(value) + 1e-300)
	if steepest := floats.Norm(s.slope, math.Inf(1)); step*steepest > 1e9*s.Budget {
		step = 1e9 * s.Budget / steepest // beyond that rounding says more than the slopes
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
		return fault.Invalid("a timetable of %d periods and %d channels has nothing to fill", t.Periods, len(t.Channels)).WithHint("give at least one of each")
	}
	if !(t.Budget > 0) || math.IsInf(t.Budget, 0) {
		return fault.Invalid("the budget %v is not an amount of money above zero", t.Budget).WithHint("give a budget above zero")
	}
	n := float64(t.Periods)
	sums := Problem{Budget: t.Budget, Groups: t.Groups, Spoken: t.Spoken}
	known := map[measure.Channel]bool{}
	for _, c := range t.Channels {
		if !(c.Min >= 0) || !(c.Max >= c.Min) || math.IsInf(c.Max, 0) {
			return fault.Invalid("%s may spend %v to %v a period, which cannot be kept", c.Name, c.Min, c.Max).WithHint("bounds need 0 <= min <= max")
		}
		if c.Change != nil && !(*c.Change >= 0) {
			return fault.Invalid("%s may change by %v between periods, which is no amount", c.Name, *c.Change).WithHint("give an amount of at least 0, or none")
		}
		known[c.Name] = true
		all := Range{n * c.Min, n * c.Max}
		if c.Total != nil {
			if !(c.Total.Min >= 0) || !(c.Total.Max >= c.Total.Min) || c.Total.Min > all.Max*(1+slack) || c.Total.Max < all.Min*(1-slack) {
				return fault.Invalid("%s may spend %s to %s over %d periods and %s to %s in each, which cannot both be kept", c.Name,
					sums.spelled(c.Total.Min), sums.spelled(c.Total.Max), t.Periods, sums.spelled(c.Min), sums.spelled(c.Max)).
					WithHint("widen the bounds of the periods or of their sum")
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

// validatePace refuses a pace that cannot be kept.
func (t Timetable) validatePace() error {
	var least, most float64
	for _, c := range t.Channels {
		if c.Total != nil || c.Change != nil || len(t.Groups) > 0 {
			return fault.Invalid("a pace of all channels cannot be kept together with groups, sums over time or largest changes").
				WithHint("leave the pace out, or give channels bounds of periods only")
		}
		least, most = least+c.Min, most+c.Max
	}
	if !(t.Pace.Max >= t.Pace.Min) || t.Pace.Max < least*(1-slack) || t.Pace.Min > most*(1+slack) {
		return fault.Invalid("a pace of %.6g to %.6g a period cannot be kept by channels that spend %.6g to %.6g together", t.Pace.Min, t.Pace.Max, least, most).
			WithHint("widen the pace or the channels' bounds")
	}
	least, most = math.Max(least, t.Pace.Min), math.Min(most, t.Pace.Max)
	n := float64(t.Periods)
	if t.Budget < n*least*(1-slack) || t.Budget > n*most*(1+slack) {
		return fault.Invalid("%d periods spend %.6g to %.6g, the budget is %.6g", t.Periods, n*least, n*most, t.Budget).
			WithHint("change the budget, the number of periods or the bounds")
	}
	return nil
}
