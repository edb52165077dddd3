package mmm

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/decide"
	"assay/internal/measure/stats"
	"assay/internal/panics"
)

// Ahead describes the periods of a schedule after the end of the data.
type Ahead struct {
	Periods int
	// Gap is the number of periods between the data and the schedule's first period. During the gap, every channel has its
	// mean spend. After the schedule, its spend is the mean spend times the ratio of the budget to current spend.
	Gap int
	// Change limits the difference of a channel's spend between consecutive periods, as a share of its mean spend per
	// period in the data. A channel without an entry has no limit.
	Change map[measure.Channel]float64
}

// MostAhead is the maximum number of periods of a schedule.
const MostAhead = 104

// optimizingDraws is the number of draws for optimizing a schedule. The other draws are for evaluating it.
const optimizingDraws = 128

// Schedule is an allocation over time (flighting). The evaluation uses draws that were not used in the optimization.
// The response is the sum over all channels, including adstock from earlier spend.
type Schedule struct {
	decide.Schedule
	Channels []measure.Channel // order of Spend and Steady
	Budget   float64           // over all periods
	Brings   Flow
	Steadily Flow // flow of the steady schedule
	Gain          // of the response
	// Weighted is the gain of the responses, each multiplied by its channel's weight. It is nil without weights.
	Weighted *Gain
}

// Gain compares a schedule with the steady schedule, until adstock has decayed.
type Gain struct {
	Lift   stats.Summary // value of the schedule minus value of the steady schedule
	Better float64       // probability that Lift is positive
	Base   float64       // mean value of the steady schedule
}

// Flow is a schedule's response over time, in the target's unit.
type Flow struct {
	Periods []stats.Summary // response in each period
	Inside  stats.Summary   // sum over the schedule's periods
	After   stats.Summary   // after the schedule, above the response to the later spend
	Total   stats.Summary
}

// Schedule distributes a budget over the periods after the data. The problem is an allocation over the data's window.
// Schedule scales the budget, bounds and groups to the number of periods. A channel's spend per period is at most its
// largest observed spend or, if larger, its maximum divided by the number of periods. Schedule maximizes the posterior
// mean of the response with the problem's weights, regardless of the problem's risk level. Infeasible bounds,
// multiplicative effects, and channels with reach and frequency result in a fault of kind invalid.
func (p *Posterior) Schedule(problem decide.Problem, ahead Ahead) (*Schedule, error) {
	if ahead.Periods < 1 || ahead.Periods > MostAhead || ahead.Gap < 0 {
		return nil, fault.Invalid("invalid plan of %d periods, %d after the data", ahead.Periods, ahead.Gap).
			WithHint("give 1 to %d periods", MostAhead)
	}
	table, out := p.timetable(problem, ahead)
	for name, share := range ahead.Change {
		if !slices.Contains(out.Channels, name) || !(share >= 0) || math.IsInf(share, 0) {
			return nil, fault.Invalid("invalid limit on changes of the spend of %q: %v", name, share).
				WithHint("name one of the channels %v and a share of at least 0", out.Channels)
		}
	}
	chosen, others := p.splitDraws()
	var current float64
	for _, c := range problem.Channels {
		current += p.Spend(c.Name)
	}
	later := problem.Budget / current
	responses, err := p.flights(out.Channels, chosen, ahead.Periods, ahead.Gap, later)
	if err != nil {
		return nil, err
	}
	for j, f := range responses {
		table.Channels[j].Response, table.Channels[j].Concave = f, f.concave()
	}
	plan, err := decide.Spread(table)
	if err != nil {
		return nil, err
	}
	out.Schedule = *plan
	responses, err = p.flights(out.Channels, others, ahead.Periods, ahead.Gap, later)
	if err != nil {
		return nil, err
	}
	out.judge(problem, responses, len(others))
	return out, nil
}

// timetable converts an allocation problem over the window to a timetable for the schedule's periods. It does not set
// the responses.
func (p *Posterior) timetable(problem decide.Problem, ahead Ahead) (decide.Timetable, *Schedule) {
	part := float64(ahead.Periods) / float64(p.model.span)
	table := decide.Timetable{
		Budget: part * problem.Budget, Periods: ahead.Periods, MessageUnit: part * problem.MessageUnit,
	}
	out := &Schedule{Budget: table.Budget}
	for _, c := range problem.Channels {
		all := decide.Range{Min: part * c.Min, Max: part * c.Max}
		s := decide.ScheduledChannel{
			Name: c.Name, Max: math.Max(p.largestSpend(c.Name), all.Max/float64(ahead.Periods)), Total: &all, Weight: c.Weight,
		}
		if share, limited := ahead.Change[c.Name]; limited {
			s.Change = new(share * p.Spend(c.Name) / float64(p.model.span))
		}
		table.Channels = append(table.Channels, s)
		out.Channels = append(out.Channels, c.Name)
	}
	for _, g := range problem.Groups {
		g.Min, g.Max = part*g.Min, part*g.Max
		table.Groups = append(table.Groups, g)
	}
	return table, out
}

// largestSpend returns the channel's largest spend in one period.
func (p *Posterior) largestSpend(name measure.Channel) float64 {
	all := make([]float64, p.model.span)
	for row := range slices.Chunk(p.channel(name).cost, p.model.span) {
		floats.Add(all, row)
	}
	return floats.Max(all)
}

// splitDraws returns the draws for the optimization, spread evenly over the chains, and the other draws.
func (p *Posterior) splitDraws() (chosen, others []int) {
	every := max(len(p.draws)/optimizingDraws, 2)
	for i := range p.draws {
		if i%every == 0 {
			chosen = append(chosen, i)
		} else {
			others = append(others, i)
		}
	}
	return chosen, others
}

// judge evaluates the schedule and the best schedule with constant spend, on the draws of the responses.
func (s *Schedule) judge(problem decide.Problem, responses []*flight, draws int) {
	room, periods := len(responses[0].a), responses[0].periods
	var flows [2][][]float64 // of the schedule and the steady schedule, by draw and period
	var values [2][]float64  // weighted response by draw
	for k := range flows {
		flows[k], values[k] = grid(draws, room), make([]float64, draws)
	}
	for j, f := range responses {
		for k, spend := range [2][]float64{s.Spend[j], slices.Repeat([]float64{s.Steady[j]}, periods)} {
			one := grid(draws, room)
			f.addPeriods(one, spend)
			for i, row := range one {
				floats.Add(flows[k][i], row)
				values[k][i] += problem.Channels[j].Weight * floats.Sum(row)
			}
		}
	}
	var work panics.Group
	work.Go(func() { s.Brings = flowOf(flows[0], periods) })
	work.Go(func() { s.Steadily = flowOf(flows[1], periods) })
	work.Wait()
	total := func(flow [][]float64) []float64 {
		return series(draws, func(i int) float64 { return floats.Sum(flow[i]) })
	}
	s.Gain = gainOf(total(flows[0]), total(flows[1]))
	if slices.ContainsFunc(problem.Channels, func(c decide.Channel) bool { return c.Weight != 0 }) {
		s.Weighted = new(gainOf(values[0], values[1]))
	}
}

// gainOf compares the values of a schedule and of the steady schedule by draw.
func gainOf(values, steady []float64) (g Gain) {
	lift := make([]float64, len(values))
	floats.SubTo(lift, values, steady)
	g.Lift, g.Base = stats.Summarize(lift), floats.Sum(steady)/float64(len(steady))
	for _, v := range lift {
		switch {
		case v > 0:
			g.Better += 1 / float64(len(lift))
		case v == 0: // ties have half weight
			g.Better += 0.5 / float64(len(lift))
		}
	}
	return g
}

func flowOf(draws [][]float64, periods int) Flow {
	var f Flow
	for t := range periods {
		f.Periods = append(f.Periods, stats.Summarize(series(len(draws), func(i int) float64 { return draws[i][t] })))
	}
	f.Inside = stats.Summarize(series(len(draws), func(i int) float64 { return floats.Sum(draws[i][:periods]) }))
	f.After = stats.Summarize(series(len(draws), func(i int) float64 { return floats.Sum(draws[i][periods:]) }))
	f.Total = stats.Summarize(series(len(draws), func(i int) float64 { return floats.Sum(draws[i]) }))
	return f
}
