package mix

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/decide"
	"assay/internal/measure/mmm"
	"assay/internal/measure/stats"
)

// daysPerMonth is the mean length of a month.
const daysPerMonth = 30.4375

// Months returns the window's length in mean months.
func (m *Model) Months() float64 { return float64(m.Window.Days()) / daysPerMonth }

// Spend returns the total spend of the model's channels over the window.
func (m *Model) Spend() float64 {
	var total float64
	for _, e := range m.Effects {
		total += e.Spend
	}
	return total
}

// Incremental returns the joint incremental revenue of an amount of spend per channel at the average incremental ROAS
// of the window. The channels must be in the model and have spend in the window. Errors of ROAS from one posterior are
// correlated, so intervals of single channels do not add up to this interval.
func (m *Model) Incremental(spend map[measure.Channel]float64) stats.Summary {
	var sum []float64
	for _, channel := range slices.Sorted(maps.Keys(spend)) {
		totals := m.posterior.ContributionTotals(channel)
		if sum == nil {
			sum = make([]float64, len(totals))
		}
		floats.AddScaled(sum, spend[channel]/m.posterior.Spend(channel), totals)
	}
	return stats.Summarize(sum)
}

// Plan is the optimized allocation of a budget over a period as long as the window, with the supporting estimates. The
// current allocation is scaled to the budget, so the lift is the effect of the allocation alone.
type Plan struct {
	decide.Plan
	Advice *decide.Advice
	// Change is the response of the optimized allocation minus the response of the window's spend: the joint effect of
	// budget and allocation. The estimate is slightly optimistic, because it uses the draws of the optimization.
	Change stats.Summary
	Times  float64 // budget / current spend
	Start  float64 // current spend of all channels
	Recent bool    // the current spend differs from the window's spend
	// Profit is the effect on the contribution after spend. It is nil if the contribution rates are unknown.
	Profit *Profit
}

// Profit is the change of the contribution after ad spend: contribution rate × change of the response, minus the change
// of spend. Profit uses the same draws as [Plan.Change]. The rates are treated as exact.
type Profit struct {
	Change stats.Summary // from current spend to the optimized allocation
	Pays   float64       // probability that the change is positive
	// Reallocation is the part of the change from optimizing the allocation of current spend. Budget is the part from
	// the difference between the budget and current spend. Both are nil if there is no difference or if the bounds
	// exclude current spend.
	Reallocation, Budget *stats.Summary
	BudgetPays           float64 // probability that Budget is positive
}

// BudgetWhyNot returns the reason not to recommend the budget change, or "" for a recommended change; see
// [decide.WhyNot].
func (p *Profit) BudgetWhyNot() string { return decide.WhyNot(p.BudgetPays, *p.Budget) }

// positive returns the share of the draws that are positive.
func positive(draws []float64) float64 {
	n := 0
	for _, x := range draws {
		if x > 0 {
			n++
		}
	}
	return float64(n) / float64(len(draws))
}

// Ask contains the constraints of an allocation. Amounts are for a period as long as the window.
type Ask struct {
	Budget      float64
	Bounds      map[measure.Channel]mmm.Bounds
	Groups      []decide.Group // joint limits on several channels
	MessageUnit float64        // see [decide.Problem]
	// Current is the spend that the optimization starts from. If it is nil, the optimization starts from the spend of the
	// window. A channel that is not in the map has no spend.
	Current map[measure.Channel]float64
	// Rates are the contributions per unit of response; nil if unknown. If they are known, the optimization multiplies
	// each response by its rate and maximizes the contribution. The lift and the change remain in the unit of the
	// response.
	Rates map[measure.Channel]float64
	Risk  *decide.Risk // nil: balanced
}

// risk returns the risk level of the allocation.
func (a Ask) risk() decide.Risk {
	if a.Risk == nil {
		return decide.Balanced
	}
	return *a.Risk
}

// Plan optimizes a budget's allocation at a risk level. For a channel without bounds, the risk level limits the
// difference between the channel's optimized spend and its current share of the budget.
// Infeasible budgets, bounds or groups result in a fault of kind invalid.
func (m *Model) Plan(ask Ask) (*Plan, error) {
	problem, start, err := m.problem(ask)
	if err != nil {
		return nil, err
	}
	current := slices.Clone(problem.Channels)
	out := &Plan{Times: ask.Budget / start, Start: start, Recent: ask.Current != nil}
	for i := range problem.Channels {
		c := &problem.Channels[i]
		// The response extends to the larger of maximum spend and current spend.
		c.Current = math.Min(c.Current*out.Times, c.Response.Spend[len(c.Response.Spend)-1])
	}
	plan, err := decide.Optimize(problem)
	if err != nil {
		return nil, err
	}
	out.Plan = *plan
	if out.Advice, err = decide.Advise(problem, plan, m.Seed); err != nil {
		return nil, err
	}
	out.Change = stats.Summarize(change(current, plan.Allocations, nil))
	if ask.Rates != nil {
		out.Profit = m.profit(ask, out, current)
	}
	return out, nil
}

// sameBudget is the maximum relative difference of two budgets that are treated as equal.
const sameBudget = 1e-3

// profit returns the effect of a plan on the contribution after spend.
func (m *Model) profit(ask Ask, plan *Plan, current []decide.Channel) *Profit {
	total := change(current, plan.Allocations, ask.Rates)
	p := &Profit{Change: stats.Summarize(total), Pays: positive(total)}
	if math.Abs(plan.Times-1) <= sameBudget {
		return p
	}
	ask.Budget = plan.Start
	problem, _, err := m.problem(ask)
	if err != nil {
		return p
	}
	same, err := decide.Optimize(problem)
	if err != nil {
		return p // the bounds exclude current spend
	}
	part := change(current, same.Allocations, ask.Rates)
	p.Reallocation = new(stats.Summarize(part))
	for i := range total {
		total[i] -= part[i]
	}
	p.Budget, p.BudgetPays = new(stats.Summarize(total)), positive(total)
	return p
}

// problem returns the allocation problem, and the current spend of all channels.
func (m *Model) problem(ask Ask) (problem decide.Problem, start float64, err error) {
	current, budget := m.start(ask), ask.Budget
	for _, spend := range current {
		start += spend
	}
	if !(budget > 0) || math.IsInf(budget, 0) {
		return problem, 0, fault.Invalid("the budget %v must be above zero", budget).
			WithHint("give a budget such as the current %.0f", start)
	}
	problem, err = m.curves.problem(budget, scaled(current, budget/start, ask), m.comparable(current, start, ask))
	problem.Groups, problem.MessageUnit, problem.Risk = ask.Groups, ask.MessageUnit, ask.risk()
	for i := range problem.Channels {
		c := &problem.Channels[i]
		c.Current, c.Weight = math.Min(current[c.Name], c.Response.Spend[len(c.Response.Spend)-1]), ask.Rates[c.Name]
	}
	return problem, start, err
}

// comparable returns the necessary range of the response curves, as a multiple of the window's spend. With this range,
// the allocation of a smaller budget can be compared with allocations of the current total spend.
func (m *Model) comparable(current map[measure.Channel]float64, start float64, ask Ask) (times float64) {
	bounds := scaled(current, 1, ask)
	for channel, spend := range current {
		times = math.Max(times, math.Max(spend, most(bounds[channel], start))/m.Posterior().Spend(channel))
	}
	return math.Min(times, mostTimes)
}

// start returns the current spend by channel, for the channels with spend in the window.
func (m *Model) start(ask Ask) map[measure.Channel]float64 {
	out := map[measure.Channel]float64{}
	var total float64
	for _, channel := range m.Posterior().Channels() {
		if m.Posterior().Spend(channel) > 0 {
			out[channel] = ask.Current[channel]
			total += out[channel]
		}
	}
	if total > 0 {
		return out
	}
	for channel := range out {
		out[channel] = m.Posterior().Spend(channel)
	}
	return out
}

// Schedule distributes the budget over weeks after the model's window; see [mmm.Posterior.Schedule].
func (m *Model) Schedule(ask Ask, ahead mmm.Ahead) (*mmm.Schedule, error) {
	problem, _, err := m.problem(ask)
	if err != nil {
		return nil, err
	}
	return m.Posterior().Schedule(problem, ahead)
}

// scaled returns the bounds, completed with the risk level's limits around each channel's share of the budget. A
// caller's bounds take precedence over these limits.
func scaled(current map[measure.Channel]float64, times float64, ask Ask) map[measure.Channel]mmm.Bounds {
	out := maps.Clone(ask.Bounds)
	if out == nil {
		out = map[measure.Channel]mmm.Bounds{}
	}
	for channel, spend := range current {
		b := out[channel]
		least, most := ask.risk().Bounds(times * spend)
		if b.Min != nil {
			most = math.Max(most, *b.Min)
		}
		if b.Max != nil {
			least = math.Min(least, *b.Max)
		}
		if b.Min == nil {
			b.Min = &least
		}
		if b.Max == nil {
			b.Max = &most
		}
		out[channel] = b
	}
	return out
}

// Shift is the effect of a change of one channel's spend over a period as long as the window.
type Shift struct {
	Change stats.Summary // change of the response
	Profit *Profit       // nil if the contribution rate is unknown
}

// Shift returns the effect of a change of the channel's spend by an amount. The parameter from is the spend per window
// before the change. Both amounts are distributed over the days like the spend of the window. The parameter rate is the
// contribution per unit of the response, or nil if unknown. The result ok is false for a channel without spend in the
// model, and for spend far outside the observed range. Spend is never below zero.
func (m *Model) Shift(channel measure.Channel, from, amount float64, rate *float64) (s Shift, ok bool) {
	if m.curves == nil || !slices.Contains(m.Posterior().Channels(), channel) {
		return s, false
	}
	spend, to := m.Posterior().Spend(channel), math.Max(0, from+amount)
	if !(spend > 0) || !(to <= mostTimes*spend) || !(from <= mostTimes*spend) {
		return s, false
	}
	responses := m.Posterior().Responses(channel, []float64{from / spend, to / spend})
	moved := make([]float64, len(responses[0]))
	for i, now := range responses[0] {
		moved[i] = responses[1][i] - now
	}
	s.Change = stats.Summarize(moved)
	if rate == nil {
		return s, true
	}
	for i, change := range moved {
		moved[i] = *rate*change - (to - from)
	}
	s.Profit = &Profit{Change: stats.Summarize(moved), Pays: positive(moved)}
	return s, true
}

// Reach describes the response of a channel at one level of spend.
type Reach struct {
	// Saturation is 1 - marginal ROAS / average ROAS: 0 for a linear response, near 1 if additional spend has no effect.
	Saturation stats.Summary
	Marginal   stats.Summary // response per additional unit of spend
	Less, More stats.Summary // change of the response over the window if spend changes by Step
}

// Step is the relative decrease and increase of spend in [Model.Reach].
const Step = 0.2

// Reach returns the response of the channel at the channel's spend in the window. Saturation excludes draws without an
// effect of the channel, because saturation is undefined in these draws.
func (m *Model) Reach(channel measure.Channel) Reach { return m.curves.reach()[channel] }

// ReachAt returns the response of the channel at another spend per window, distributed over the days like the spend of
// the window. If the other spend is zero, ReachAt returns [Model.Reach], because curves are imprecise near zero spend.
// It also returns [Model.Reach] if the other spend is more than [mostTimes] times the spend of the window.
func (m *Model) ReachAt(channel measure.Channel, spend float64) Reach {
	times := spend / m.Posterior().Spend(channel)
	if !(times > 0 && times <= mostTimes) {
		return m.Reach(channel)
	}
	return reachOf(m.Posterior(), channel, times)
}

// reachOf returns the response at a multiple of the spend of the window.
func reachOf(p *mmm.Posterior, channel measure.Channel, times float64) Reach {
	responses, slopes := p.ResponseSlopes(channel, []float64{(1 - Step) * times, times, (1 + Step) * times})
	spend := p.Spend(channel)
	var saturation, marginal []float64
	less, more := make([]float64, len(responses[1])), make([]float64, len(responses[1]))
	for i, now := range responses[1] {
		less[i], more[i] = responses[0][i]-now, responses[2][i]-now
		if now > 0 {
			saturation = append(saturation, 1-times*slopes[1][i]/now)
		}
		if spend > 0 {
			marginal = append(marginal, slopes[1][i]/spend)
		}
	}
	r := Reach{Less: stats.Summarize(less), More: stats.Summarize(more)}
	if len(marginal) > 0 {
		r.Marginal = stats.Summarize(marginal)
	}
	if len(saturation) > 0 {
		r.Saturation = stats.Summarize(saturation)
	}
	return r
}
