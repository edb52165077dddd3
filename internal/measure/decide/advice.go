package decide

import (
	"fmt"
	"math"

	"assay/internal/fault"
)

// Action is what to do with a plan.
type Action string

// The actions.
const (
	Shift Action = "shift" // move the money
	Hold  Action = "hold"  // leave it where it is until more is known
)

// Advice is what the evidence behind a plan allows.
type Advice struct {
	Action  Action
	Reasons []string
	// Settle is the experiment that is worth most, nil when none is worth a thousandth of what the plan brings.
	Settle *Value
	// Worth is what a perfect experiment on each channel is worth, highest first.
	Worth []Value
}

// convincing is the least probability of beating the current spends at which money is moved.
const convincing = 0.6

// worthwhile is the least gain of an experiment that is spoken of, as a share of what the plan brings.
const worthwhile = 1e-3

// Advise says whether to follow the plan of the problem, and which perfect experiment would be worth most.
func Advise(p Problem, plan *Plan, seed uint64) (*Advice, error) {
	advice := Judge(p, plan)
	tests := make([]Test, len(p.Channels))
	for j, c := range p.Channels {
		tests[j].Channel = c.Name
	}
	values, err := Information(p, tests, seed)
	if err != nil {
		return nil, err
	}
	advice.Worth = values
	if values[0].Gain > worthwhile*math.Abs(plan.Certificate.Objective) {
		advice.Settle = &values[0]
	}
	return advice, nil
}

// Judge says whether to follow the plan of the problem, and values no experiments.
func Judge(p Problem, plan *Plan) *Advice {
	advice := &Advice{Action: Shift}
	switch {
	case p.stays(plan):
		advice.Action = Hold
		advice.Reasons = append(advice.Reasons, p.whyStay())
	case plan.BeatsCurrent < convincing:
		advice.Action = Hold
		advice.Reasons = append(advice.Reasons, fmt.Sprintf("the plan beats the current spends with a chance of %.0f %% only, below %.0f %%", 100*plan.BeatsCurrent, 100*convincing))
	case plan.Lift.Mean <= 0:
		advice.Action = Hold
		advice.Reasons = append(advice.Reasons, "the plan is not expected to bring more than the current spends")
	case plan.Lift.Q05 < -plan.Lift.Mean:
		advice.Action = Hold
		advice.Reasons = append(advice.Reasons, "in one case of twenty the plan loses more than it is expected to win")
	}
	for _, a := range plan.Allocations {
		if a.Unseen {
			advice.Reasons = append(advice.Reasons, fmt.Sprintf("%s would spend more than the data have seen, where the assumed shape speaks and not the data", a.Channel))
		}
	}
	return advice
}

func (p Problem) stays(plan *Plan) bool {
	for _, a := range plan.Allocations {
		if math.Abs(a.Proposed-a.Current) > moved*p.Budget {
			return false
		}
	}
	return true
}

func (p Problem) whyStay() string {
	for _, c := range p.Channels {
		if c.Max > c.Min {
			return "the current spends are already the best within the bounds"
		}
	}
	return "the bounds leave no channel any room"
}

func (p Problem) noTest(t Test) error {
	return fault.Invalid("a test of %q with standard error %v cannot be valued", t.Channel, t.SE).
		WithHint("name one of the channels %v and a standard error of at least 0", p.names())
}
