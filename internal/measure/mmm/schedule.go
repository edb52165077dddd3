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

// Ahead is the time that a plan is for: periods that follow the data, as long as those of the data.
type Ahead struct {
	Periods int
	// Gap is the number of periods between the data and the first one. Every channel is taken to spend there what it
	// does in a mean period of the data, and after the last one that times the budget by what all spend in the data.
	Gap int
	// Change is by how much a channel's spend may differ between two periods in a row, as a share of what it spends
	// in a mean period of the data. A channel that is not in it may change freely.
	Change map[measure.Channel]float64
}

// MostAhead is the largest number of periods that a plan is made for.
const MostAhead = 104

// choosing is the number of draws that choose a schedule. The others judge it.
const choosing = 128

// Schedule is a plan over time. What it brings is judged by draws that did not choose it. It is what all channels of the plan
// bring, what is left of earlier spends included.
type Schedule struct {
	decide.Schedule
	Channels []measure.Channel // in the order of Spend and Steady
	Budget   float64           // of all periods
	Brings   Flow
	Steadily Flow // of the steady plan
	// Lift is what the schedule brings more than the steady plan, to the end of all carry-over, and Better the probability
	// that it does.
	Lift   stats.Summary
	Better float64
}

// Flow is what a plan brings over time, in the target's unit.
type Flow struct {
	Periods []stats.Summary // in each
	Inside  stats.Summary   // in all of them
	After   stats.Summary   // when the last is over, more than spends then bring by themselves
	Total   stats.Summary
}

// Schedule spreads a budget over periods that follow the data. The problem is that of a division, over the data's window: its
// budget and its bounds on channels and groups are taken in proportion to the periods. No period of a channel gets more than its
// dearest one in the data did, if the mean period of what the channel may spend is not more than that. The mean response is
// maximised, whatever the problem's risk. A fault of kind invalid says which bound or sum cannot be met, or why the model has no
// such plan.
func (p *Posterior) Schedule(problem decide.Problem, ahead Ahead) (*Schedule, error) {
	if ahead.Periods < 1 || ahead.Periods > MostAhead || ahead.Gap < 0 {
		return nil, fault.Invalid("a plan of %d periods, %d after the data, cannot be made", ahead.Periods, ahead.Gap).WithHint("give 1 to %d periods", MostAhead)
	}
	table, out := p.timetable(problem, ahead)
	for name, share := range ahead.Change {
		if !slices.Contains(out.Channels, name) || !(share >= 0) || math.IsInf(share, 0) {
			return nil, fault.Invalid("the spend of %q cannot be held to changes of %v", name, share).WithHint("name one of the channels %v and a share of at least 0", out.Channels)
		}
	}
	chosen, others := p.divideDraws()
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
	out.judge(responses, len(others))
	return out, nil
}

// timetable states a problem over the window for the periods ahead, without responses.
func (p *Posterior) timetable(problem decide.Problem, ahead Ahead) (decide.Timetable, *Schedule) {
	part := float64(ahead.Periods) / float64(p.model.span)
	table := decide.Timetable{Budget: part * problem.Budget, Periods: ahead.Periods, Spoken: part * problem.Spoken}
	out := &Schedule{Budget: table.Budget}
	for _, c := range problem.Channels {
		all := decide.Range{Min: part * c.Min, Max: part * c.Max}
		s := decide.ScheduledChannel{Name: c.Name, Max: math.Max(p.dearest(c.Name), all.Max/float64(ahead.Periods)), Total: &all}
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

// dearest returns the most that the channel spent in one period.
func (p *Posterior) dearest(name measure.Channel) float64 {
	all := make([]float64, p.model.span)
	for row := range slices.Chunk(p.channel(name).cost, p.model.span) {
		floats.Add(all, row)
	}
	return floats.Max(all)
}

// divideDraws returns the draws that choose, which lie all over the chains, and the others.
func (p *Posterior) divideDraws() (chosen, others []int) {
	every := max(len(p.draws)/choosing, 2)
	for i := range p.draws {
		if i%every == 0 {
			chosen = append(chosen, i)
		} else {
			others = append(others, i)
		}
	}
	return chosen, others
}

// judge sets what the schedule and the steady plan bring under the draws of the responses.
func (s *Schedule) judge(responses []*flight, draws int) {
	both := [2][][]float64{}
	for k := range both {
		both[k] = make([][]float64, draws)
		for i := range both[k] {
			both[k][i] = make([]float64, len(responses[0].a))
		}
	}
	for j, f := range responses {
		steady := slices.Repeat([]float64{s.Steady[j]}, f.periods)
		f.addPeriods(both[0], s.Spend[j])
		f.addPeriods(both[1], steady)
	}
	periods := responses[0].periods
	var work panics.Group
	work.Go(func() { s.Brings = flowOf(both[0], periods) })
	work.Go(func() { s.Steadily = flowOf(both[1], periods) })
	work.Wait()
	lift := series(draws, func(i int) float64 { return floats.Sum(both[0][i]) - floats.Sum(both[1][i]) })
	s.Lift = stats.Summarize(lift)
	for _, v := range lift {
		switch {
		case v > 0:
			s.Better += 1 / float64(draws)
		case v == 0: // staying has an even chance
			s.Better += 0.5 / float64(draws)
		}
	}
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
