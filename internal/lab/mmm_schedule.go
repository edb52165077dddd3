package lab

import (
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/decide"
	"assay/internal/measure/mmm"
	"assay/internal/measure/stats"
)

// schedule is an allocation over the periods after the data. The budget and bounds of the schedule are proportional to
// the budget and bounds of the allocation.
type schedule struct {
	Budget  float64                     `json:"budget"`
	Periods []scheduled                 `json:"periods"`
	After   lift                        `json:"after"` // response after the last period
	Steady  map[measure.Channel]float64 `json:"steady"`
	// Lift is the difference from a schedule with constant spend. The difference includes the periods until adstock has
	// decayed.
	Lift        lift        `json:"lift_over_steady"`
	Better      float64     `json:"p_better"`
	Certificate certificate `json:"certificate"`
	Proven      bool        `json:"proven"` // the certificate is valid for every schedule, not only for nearby ones
}

// scheduled is one period of a schedule. The first period is 1.
type scheduled struct {
	Period int                         `json:"period"`
	Spend  map[measure.Channel]float64 `json:"spend"`
	Total  float64                     `json:"total"`
	Brings lift                        `json:"brings"` // response of all channels, including adstock from earlier spend
}

func liftOf(s stats.Summary) lift { return lift{s.Mean, s.Q05, s.Q95} }

// schedule returns the requested schedule, or nil if none is requested.
func (o Optimize) schedule(posterior *mmm.Posterior, problem decide.Problem) (*schedule, error) {
	if o.Periods == 0 && o.Change == "" {
		return nil, nil //nolint:nilnil // no schedule is requested
	}
	if o.Periods == 0 {
		return nil, fault.Invalid("limits on changes need a plan over periods").WithHint("give the number of periods as well")
	}
	ahead := mmm.Ahead{Periods: o.Periods}
	if o.Change != "" {
		if err := readJSON(o.Change, &ahead.Change); err != nil {
			return nil, err
		}
	}
	plan, err := posterior.Schedule(problem, ahead)
	if err != nil {
		return nil, err
	}
	c := plan.Certificate
	out := &schedule{
		Budget: plan.Budget, After: liftOf(plan.Brings.After), Steady: map[measure.Channel]float64{}, Lift: liftOf(plan.Lift),
		Better: plan.Better, Certificate: certificate{c.Objective, c.UpperBound, c.Gap()}, Proven: plan.Proven,
	}
	for i, brings := range plan.Brings.Periods {
		period := scheduled{Period: i + 1, Spend: map[measure.Channel]float64{}, Brings: liftOf(brings)}
		for j, channel := range plan.Channels {
			period.Spend[channel] = plan.Spend[j][i]
			period.Total += plan.Spend[j][i]
			out.Steady[channel] = plan.Steady[j]
		}
		out.Periods = append(out.Periods, period)
	}
	return out, nil
}
