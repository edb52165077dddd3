package mix

import (
	"maps"
	"math"
	"slices"

	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/decide"
	"assay/internal/measure/mmm"
	"assay/internal/measure/stats"
)

// daysPerMonth is the mean length of a month.
const daysPerMonth = 30.4375

// Months is the length of the window in months of mean length.
func (m *Model) Months() float64 { return float64(m.Window.Days()) / daysPerMonth }

// Spend is what all channels of the model spent over the window.
func (m *Model) Spend() float64 {
	var total float64
	for _, e := range m.Effects {
		total += e.Spend
	}
	return total
}

// Plan is a division of a budget over a period as long as the window, and what the evidence behind it allows. Its
// current spends are today's, scaled to the budget: so the plan is judged by how it divides the money, and not by how
// much of it there is.
type Plan struct {
	decide.Plan
	Advice *decide.Advice
	// Change is what the plan brings more than the spend of the window did, money and division together. It is judged by
	// the draws that chose the plan, a little in the plan's favour.
	Change stats.Summary
	Times  float64 // budget by current spend
}

// Ask is what a plan is to keep. Money is over a period as long as the window.
type Ask struct {
	Budget float64
	Bounds map[measure.Channel]mmm.Bounds
	Groups []decide.Group // what channels may spend together
	Spoken float64        // see [decide.Problem]
}

// Plan divides a budget with the balanced appetite for risk: a channel without bounds may move by that much from its
// share of the budget. A fault of kind invalid says which budget, bound or group cannot be met.
func (m *Model) Plan(ask Ask) (*Plan, error) {
	problem, times, err := m.problem(ask)
	if err != nil {
		return nil, err
	}
	window := slices.Clone(problem.Channels)
	for i := range problem.Channels {
		c := &problem.Channels[i]
		// The response reaches to the larger of the most that may be spent and today's spend.
		c.Current = math.Min(c.Current*times, c.Response.Spend[len(c.Response.Spend)-1])
	}
	plan, err := decide.Optimize(problem)
	if err != nil {
		return nil, err
	}
	advice, err := decide.Advise(problem, plan, m.Seed)
	if err != nil {
		return nil, err
	}
	return &Plan{Plan: *plan, Advice: advice, Change: change(window, plan.Allocations), Times: times}, nil
}

// problem states what is asked, and the budget by current spend.
func (m *Model) problem(ask Ask) (problem decide.Problem, times float64, err error) {
	current, budget := m.Spend(), ask.Budget
	if !(budget > 0) || math.IsInf(budget, 0) {
		return problem, 0, fault.Invalid("the budget %v leaves nothing to divide", budget).WithHint("give a budget above zero, such as the current %.0f", current)
	}
	times = budget / current
	problem, err = m.curves.problem(budget, scaled(m.Posterior(), times, ask.Bounds))
	problem.Groups, problem.Spoken = ask.Groups, ask.Spoken
	return problem, times, err
}

// Schedule spreads what is asked, in proportion, over weeks that follow the window: see [mmm.Posterior.Schedule].
func (m *Model) Schedule(ask Ask, ahead mmm.Ahead) (*mmm.Schedule, error) {
	problem, _, err := m.problem(ask)
	if err != nil {
		return nil, err
	}
	return m.Posterior().Schedule(problem, ahead)
}

// scaled completes bounds with what the risk allows around each channel's share of the budget. Who asks for at least
// more than that, or for at most less, means it.
func scaled(p *mmm.Posterior, times float64, bounds map[measure.Channel]mmm.Bounds) map[measure.Channel]mmm.Bounds {
	out := maps.Clone(bounds)
	if out == nil {
		out = map[measure.Channel]mmm.Bounds{}
	}
	for _, channel := range p.Channels() {
		spend := p.Spend(channel)
		if spend == 0 {
			continue
		}
		b := out[channel]
		least, most := decide.Balanced.Bounds(times * spend)
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

// Reach is how far a channel's money goes at the spend it has.
type Reach struct {
	// Saturation is the share by which the next unit of money brings less than the mean one: 0 where returns do not
	// diminish, near 1 where more money brings nothing.
	Saturation stats.Summary
	Less, More stats.Summary // change of the response over the window when the spend changes by Step
}

// Step is the change of spend that [Model.Reach] asks about, down and up.
const Step = 0.2

// Reach returns how far the channel's money goes. Draws in which the channel brings nothing have no saturation and are
// left out of it.
func (m *Model) Reach(channel measure.Channel) Reach { return m.curves.reach()[channel] }

func reachOf(p *mmm.Posterior, channel measure.Channel) Reach {
	responses, slopes := p.ResponseSlopes(channel, []float64{1 - Step, 1, 1 + Step})
	var saturation []float64
	less, more := make([]float64, len(responses[1])), make([]float64, len(responses[1]))
	for i, now := range responses[1] {
		less[i], more[i] = responses[0][i]-now, responses[2][i]-now
		if now > 0 {
			saturation = append(saturation, 1-slopes[1][i]/now)
		}
	}
	r := Reach{Less: stats.Summarize(less), More: stats.Summarize(more)}
	if len(saturation) > 0 {
		r.Saturation = stats.Summarize(saturation)
	}
	return r
}
