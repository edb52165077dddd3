package decision

import (
	"context"
	"fmt"
	"slices"

	"assay/internal/answer"
	"assay/internal/control"
	"assay/internal/measure"
	"assay/internal/measure/detect"
	"assay/internal/toolkit"
)

// Area is the subject of a decision.
type Area string

// The areas, in the order of the feed. Readiness is first, because wrong data affect every later decision.
const (
	Readiness   Area = "readiness"   // readiness of the data
	Calibration Area = "calibration" // calibration of the model by experiments
	Confidence  Area = "confidence"  // too little evidence to act: measure first
	Action      Area = "action"
)

var areas = []Area{Readiness, Calibration, Confidence, Action}

// Decision is an item of the decision feed.
type Decision struct {
	Area      Area                           `json:"area" doc:"readiness: correct the data; calibration: model and experiments; confidence: measure first; action: act on a finding."`
	Priority  Priority                       `json:"priority"`
	Decision  string                         `json:"decision"`
	Why       string                         `json:"why"`
	Subject   answer.Foreign                 `json:"subject,omitempty"`
	Value     *answer.Estimate[answer.Money] `json:"monthly_value,omitempty" doc:"Expected gain per month if you act on the decision."`
	InsightID control.InsightID              `json:"insight_id,omitempty" detail:"analyst"`
	Call      *answer.Next                   `json:"call,omitempty" doc:"Complete call that shows or previews the decision."`
}

// Feed lists the next decisions: data first, then calibration, then measurements, then actions, each by priority. A
// decision with the priority critical comes before all others.
func Feed(ctx context.Context, c *toolkit.Call) ([]Decision, error) {
	insights, found, err := Insights(ctx, c)
	if err != nil {
		return nil, err
	}
	all := append(modelDecisions(c), factorDecisions(c)...)
	for _, i := range insights {
		all = append(all, decisionOf(i))
	}
	hold, err := holdDecision(ctx, c, found.Store.Rate)
	if err != nil {
		return nil, err
	}
	all = append(all, hold...)
	slices.SortStableFunc(all, func(a, b Decision) int { return a.rank() - b.rank() })
	return all, nil
}

// rank orders decisions: critical decisions first, then by area, then by priority.
func (d Decision) rank() int {
	p := slices.Index(priorities, d.Priority)
	if d.Priority == Critical {
		return 0
	}
	return 10*(1+slices.Index(areas, d.Area)) + p
}

func decisionOf(i Insight) Decision {
	d := Decision{Area: Action, Priority: i.Priority, Decision: i.Action, Why: i.Finding, Subject: i.Subject, Value: i.Value, InsightID: i.ID, Call: i.Call}
	switch i.Kind {
	case dataProblem, detect.TrackingBreak, detect.ClaimsBreak, detect.PixelLoss, detect.Outage:
		d.Area = Readiness
	case detect.Untested:
		d.Area = Confidence
	default:
	}
	return d
}

// modelDecisions returns the decision to train a missing model. The health checks report a stale model.
func modelDecisions(c *toolkit.Call) []Decision {
	if status, _ := c.ModelState(); status != "" || c.Store.Empty() || c.MMM.Training {
		return nil
	}
	return []Decision{{
		Area: Calibration, Priority: Medium, Decision: "Train a media mix model: assay train mmm --workspace " + string(c.Workspace.ID),
		Why: "Without a model, marginal ROAS is unknown and Assay cannot optimize budgets.", Call: next(c, "explain", map[string]any{"query": "train model"}, "Read which data the training requires."),
	}}
}

// factorDecisions returns the decision to review measured factors that are not applied, or none if all are applied.
func factorDecisions(c *toolkit.Call) []Decision {
	done, applied := 0, 0
	for _, e := range c.Experiments {
		if e.Status == control.ExperimentCompleted {
			done++
			if e.Applied {
				applied++
			}
		}
	}
	if done == applied {
		return nil
	}
	return []Decision{{
		Area: Calibration, Priority: Low, Decision: "Review the incrementality factors that are not applied.",
		Why:  fmt.Sprintf("%s no applied incrementality factor, so the results do not correct last-touch ROAS.", answer.Plural(done-applied, "completed experiment has", "completed experiments have")),
		Call: next(c, "experiments", map[string]any{"view": "results"}, "Review the results of the experiments."),
	}}
}

// holdDecision returns the decision between the current and the optimized allocation, or none without a model.
func holdDecision(ctx context.Context, c *toolkit.Call, rate *float64) ([]Decision, error) {
	current, err := c.CurrentPlan(ctx)
	if err != nil || current == nil {
		return nil, err
	}
	m, plan := current.Model, current.Plan
	times := 1 / m.Months()
	if rate != nil {
		times *= *rate
	}
	lift := toolkit.Posterior[answer.Money](plan.Lift, times)
	d := Decision{Value: &lift}
	if current.Shifts() {
		d.Area, d.Priority, d.Decision = Action, Medium, "Move budget toward the optimized allocation in steps."
		d.Why = fmt.Sprintf("The optimized allocation of the same budget increases revenue with a probability of %s.", answer.Percent(100*plan.BeatsCurrent).Whole())
		d.Call = next(c, "autopilot_plan", map[string]any{}, "See the step-by-step plan.")
		return []Decision{d}, nil
	}
	d.Area, d.Priority, d.Decision, d.Value = Confidence, Low, "Keep the current allocation.", nil
	d.Why = answer.Sentence(plan.Advice.WhyHold())
	d.Call = next(c, "optimization", map[string]any{}, "See the evidence.")
	first, err := c.TestFirst(ctx)
	if first != "" {
		d.Decision = "Keep the current allocation, and test " + answer.ChannelName(first) + " first."
		d.Call = next(c, "geo_experiment_preflight", map[string]any{"channel": string(first)}, "Check whether a geo experiment can detect the effect.")
	}
	return []Decision{d}, err
}

// unitOf returns a sentence that states whether gains are revenue or contribution.
func unitOf(rate *float64) string {
	if rate == nil {
		return "The gains are revenue, because costs are unknown."
	}
	return fmt.Sprintf("The gains are contribution, computed as %s of revenue.", answer.Percent(100**rate))
}

// Estimates describes the values of decisions.
func (r *Results) Estimates() answer.Estimates {
	return answer.Estimates{LevelPct: 100 * answer.Level90, Method: "Values are expected gains per month. " + unitOf(r.Store.Rate), Basis: measure.Modelled}
}
