package lab

import (
	"math"

	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/decide"
	"assay/internal/measure/mmm"
)

// Optimize contains the parameters of a budget optimization with a saved model.
type Optimize struct {
	Model  string  // directory written by [MMMReport.Save]
	Budget float64 // total over the model's whole window
	Bounds string  // file of bounds by channel, JSON; empty for the risk level's limits
	Groups string  // file of groups of channels by name, JSON; empty for none
	Risk   string  // an input of [decide.ParseRisk]
	// Periods is the number of periods of the schedule after the data. The schedule's budget is proportional to
	// Periods. 0 means no schedule.
	Periods int
	Change  string // JSON file of each channel's limit on changes between periods; see [mmm.Ahead]
	ByGeo   bool   // allocate to channels and geos; the names in bounds are then as in [mmm.InGeo]
	Seed    uint64
}

// OptimizeReport contains the allocation. Amounts are totals over the model's window.
type OptimizeReport struct {
	Verdict
	Allocations  []allocation `json:"allocations,omitempty"`
	ExpectedLift *lift        `json:"expected_lift,omitempty"` // compared with current spend, in the target's unit
	BeatsCurrent float64      `json:"p_beats_current"`
	Certificate  *certificate `json:"certificate,omitempty"`
	Advice       *advice      `json:"advice,omitempty"`
	Schedule     *schedule    `json:"schedule,omitempty"`
	Clock
}

type allocation struct {
	Channel      measure.Channel `json:"channel"`
	Geo          string          `json:"geo,omitempty"`
	Current      float64         `json:"current"`
	Proposed     float64         `json:"proposed"`
	MarginalROAS float64         `json:"marginal_roas"`
	RightWay     *float64        `json:"p_right_way"` // null if the channel's spend does not change
	Unseen       bool            `json:"beyond_the_data"`
}

type lift struct {
	Mean float64 `json:"mean"`
	Q05  float64 `json:"q05"`
	Q95  float64 `json:"q95"`
}

type certificate struct {
	Objective  float64 `json:"objective"`
	UpperBound float64 `json:"upper_bound"`
	Gap        float64 `json:"gap"`
}

type advice struct {
	Action         decide.Action `json:"action"`
	Reasons        []string      `json:"reasons"`
	BestExperiment *experiment   `json:"experiment"` // null if no experiment would change the allocation
}

type experiment struct {
	Channel measure.Channel `json:"channel"`
	Gain    float64         `json:"gain_at_most"` // gain from a perfect test, in the target's unit over the window
}

// Run optimizes the allocation.
func (o Optimize) Run() (*OptimizeReport, error) {
	risk, err := decide.ParseRisk(o.Risk)
	if err != nil {
		return nil, err
	}
	posterior, err := openModel(o.Model)
	if err != nil {
		return nil, err
	}
	bounds := map[measure.Channel]mmm.Bounds{}
	if o.Bounds != "" {
		if err := readJSON(o.Bounds, &bounds); err != nil {
			return nil, err
		}
	}
	if o.ByGeo {
		return o.runByGeo(posterior, risk, bounds)
	}
	problem, err := posterior.Problem(o.Budget, risk, bounds)
	if err != nil {
		return nil, err
	}
	if problem.Groups, err = o.groups(nil); err != nil {
		return nil, err
	}
	plan, err := decide.Optimize(problem)
	if err != nil {
		return nil, err
	}
	told, err := decide.Advise(problem, plan, o.Seed)
	if err != nil {
		return nil, err
	}
	report := newOptimizeReport(plan, told)
	if report.Schedule, err = o.schedule(posterior, problem); err != nil {
		return nil, err
	}
	return report, nil
}

// group contains the spend bounds of a group of channels over the window. Nil means no bound.
type group struct {
	Channels []measure.Channel `json:"channels"`
	Geos     []string          `json:"geos"` // with ByGeo; empty channels or geos mean all
	mmm.Bounds
}

// groups returns the groups of the file, sorted by name. The parameter places contains the channels and geos of an
// allocation by geo. For other allocations it is nil.
func (o Optimize) groups(places []place) ([]decide.Group, error) {
	if o.Groups == "" {
		return nil, nil
	}
	byName := map[string]group{}
	err := readJSON(o.Groups, &byName)
	if err != nil {
		return nil, err
	}
	var out []decide.Group
	for _, name := range namesOf(byName) {
		g := decide.Group{Name: name, Channels: byName[name].Channels, Max: math.Inf(1)}
		switch {
		case places != nil:
			if g.Channels, err = byName[name].within(name, places); err != nil {
				return nil, err
			}
		case byName[name].Geos != nil:
			return nil, fault.Invalid("group %q has geos, but the budget is not allocated by geo", name).
				WithHint("request the allocation by geo, or remove the geos")
		}
		if least := byName[name].Min; least != nil {
			g.Min = *least
		}
		if most := byName[name].Max; most != nil {
			g.Max = *most
		}
		out = append(out, g)
	}
	return out, nil
}

func newOptimizeReport(plan *decide.Plan, told *decide.Advice) *OptimizeReport {
	c := plan.Certificate
	r := &OptimizeReport{
		Verdict:      Granted(),
		ExpectedLift: &lift{plan.Lift.Mean, plan.Lift.Q05, plan.Lift.Q95},
		BeatsCurrent: plan.BeatsCurrent,
		Certificate:  &certificate{c.Objective, c.UpperBound, c.Gap()},
		Advice:       &advice{Action: told.Action, Reasons: append([]string{}, told.Reasons...)},
	}
	for _, a := range plan.Allocations {
		r.Allocations = append(
			r.Allocations, allocation{a.Channel, "", a.Current, a.Proposed, a.MarginalROAS, a.RightWay, a.Unseen})
	}
	if told.BestExperiment != nil {
		r.Advice.BestExperiment = &experiment{told.BestExperiment.Channel, told.BestExperiment.Gain}
	}
	return r
}
