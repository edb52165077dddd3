package decision

import (
	"slices"

	"assay/internal/control"
	"assay/internal/measure/mix"
	"assay/internal/toolkit"
)

// Method describes how findings and their values are obtained.
const Method = "A change is a finding if its robust z-score, relative to the history of the series, is at least 3. Changes are also compared with the previous year. Values are expected gains per month: " +
	"contribution where costs are known, revenue otherwise. A finding does not prove the cause of the change."

// InsightCounts are the numbers of insights by priority.
type InsightCounts struct {
	Critical int `json:"critical"`
	High     int `json:"high"`
	Medium   int `json:"medium"`
	Low      int `json:"low"`
}

// Counted counts insights by priority.
func Counted(all []Insight) (n InsightCounts) {
	for _, i := range all {
		*[]*int{&n.Critical, &n.High, &n.Medium, &n.Low}[slices.Index(priorities, i.Priority)]++
	}
	return n
}

// OfPriority returns the insights of a priority, or all insights if p is empty.
func OfPriority(all []Insight, p Priority) []Insight {
	if p == "" {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(i Insight) bool { return i.Priority != p })
}

// Readable is the state of the data, the model and the experiments.
type Readable struct {
	Decisions int        `json:"decisions"`
	Readiness int        `json:"readiness_decisions" doc:"Decisions about data."`
	Model     mix.Status `json:"model_status,omitempty" doc:"active, stale or refused; absent without a model."`
	Tests     int        `json:"completed_experiments"`
	Applied   int        `json:"applied_experiments"`
}

// State summarizes the readiness of data, model and experiments.
func State(c *toolkit.Call, all []Decision) Readable {
	r := Readable{Decisions: len(all)}
	r.Model, _ = c.ModelState()
	for _, d := range all {
		if d.Area == Readiness {
			r.Readiness++
		}
	}
	for _, e := range c.Experiments {
		if e.Status == control.ExperimentCompleted {
			r.Tests++
		}
		if e.Applied {
			r.Applied++
		}
	}
	return r
}

// StepCounts are numbers of steps by kind.
type StepCounts struct {
	Checks      int `json:"checks"`
	Moves       int `json:"budget_moves"`
	Experiments int `json:"experiments"`
	Reviews     int `json:"reviews"`
}

// Counts counts the steps by kind.
func (p *Plan) Counts() (n StepCounts) {
	for _, s := range p.Steps {
		switch s.Kind {
		case CheckStep:
			n.Checks++
		case BudgetStep:
			n.Moves++
		case ExperimentStep:
			n.Experiments++
		case ReviewStep:
			n.Reviews++
		}
	}
	return n
}
