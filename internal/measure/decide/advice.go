package decide

import (
	"fmt"
	"math"

	"assay/internal/fault"
	"assay/internal/measure/stats"
)

// Action is the recommendation for an allocation.
type Action string

// The actions.
const (
	Shift Action = "shift" // use the optimized allocation
	Hold  Action = "hold"  // keep the current allocation until the evidence is better
)

// Advice is a recommendation with its reasons.
type Advice struct {
	Action  Action
	Reasons []string // the first reason to hold, and then notes on the allocation
	// BestExperiment is the most valuable experiment. It is nil if its gain is below a thousandth of the allocation's
	// response.
	BestExperiment *Value
	// Experiments is the value of a perfect experiment on each channel, highest first.
	Experiments []Value
}

// WhyHold returns the reason to keep the current allocation, or "" if the advice is to use the optimized allocation.
// The reason continues a sentence.
func (a *Advice) WhyHold() string {
	if a.Action != Hold {
		return ""
	}
	return a.Reasons[0]
}

// convincing is the minimum probability of a gain for a recommendation to change an allocation or a budget.
const convincing = 0.6

// WhyNot returns the reason not to recommend a change, or "" for a recommended change. The parameter probability is the
// probability of a gain. The reason continues a sentence that states this probability. Reallocations and changes of the
// budget follow the same rule (decision 36).
func WhyNot(probability float64, gain stats.Summary) string {
	switch {
	case !(probability >= convincing):
		return fmt.Sprintf("below the required %.0f%%", 100*convincing)
	case !(gain.Mean > 0):
		return "but the expected gain is not positive"
	case gain.Q05 < -gain.Mean:
		return "but the loss exceeds the expected gain with a probability of 5%"
	}
	return ""
}

// worthwhile is the minimum gain of a recommended experiment, as a share of the allocation's response.
const worthwhile = 1e-3

// Advise recommends whether to use the allocation, and estimates the value of a perfect experiment on each channel.
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
	advice.Experiments = values
	if values[0].Gain > worthwhile*math.Abs(plan.Certificate.Objective) {
		advice.BestExperiment = &values[0]
	}
	return advice, nil
}

// Judge recommends whether to use the allocation. It does not estimate the value of experiments.
func Judge(p Problem, plan *Plan) *Advice {
	advice := &Advice{Action: Shift}
	if p.stays(plan) {
		advice.Action = Hold
		advice.Reasons = append(advice.Reasons, p.whyStay())
	} else if whyNot := WhyNot(plan.BeatsCurrent, plan.Lift); whyNot != "" {
		advice.Action = Hold
		shown := math.Round(100 * plan.BeatsCurrent)
		if plan.BeatsCurrent < convincing {
			shown = min(shown, 100*convincing-1)
		}
		advice.Reasons = append(advice.Reasons, fmt.Sprintf(
			"the probability that the optimized allocation is better is %.0f%%, %s", shown, whyNot))
	}
	for _, a := range plan.Allocations {
		if a.Unseen {
			advice.Reasons = append(
				advice.Reasons, fmt.Sprintf(
					"the proposed spend on %s is above the observed range, so the estimate extrapolates the response curve",
					a.Channel))
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
			return "the current allocation is already optimal within the bounds"
		}
	}
	return "the bounds fix the spend of every channel"
}

func (p Problem) noTest(t Test) error {
	return fault.Invalid("invalid test of %q with standard error %v", t.Channel, t.SE).
		WithHint("use one of the channels %v and a standard error of at least 0", p.names())
}
