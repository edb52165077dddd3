package toolkit

import (
	"fmt"
	"strings"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/measure/mix"
	"assay/internal/measure/stats"
	"assay/internal/snapshot"
)

// MmmMethod is how the media mix model infers.
const MmmMethod = "Bayesian media mix model of weekly sales and spend: geometric carry-over, diminishing returns along a curve whose bend is learnt, trend, waves of the year; " +
	"posterior means with 90 % intervals. The store's completed tests by region are part of it, where there are any. Spend that follows demand is taken for its cause; only an experiment can tell."

// WhyNotNewer says why the last training did not replace the model that answers; "" where it did.
func (c *Call) WhyNotNewer() string {
	m := c.MMM.Attempt
	if m == nil {
		return ""
	}
	return fmt.Sprintf("A newer training (model %d, up to %s) was refused, so model %d goes on to answer: %s.",
		m.Version, m.Window.Last, c.MMM.Model.Version, answer.Clean(strings.Join(m.Why(), "; ")))
}

// Model returns the workspace's media mix model. Without one that has figures the fault says how it is trained.
func (c *Call) Model() (*mix.Model, error) {
	status, why := ModelState(c.Snapshot)
	train := "Train one with: assay train mmm --workspace " + string(c.Workspace.ID)
	switch status {
	case "":
		if c.MMM.Training {
			return nil, fault.NotReady("the media mix model is being trained, %d %% done", c.MMM.DonePct).WithHint("Ask again in a minute.")
		}
		return nil, fault.NotReady("this workspace has no trained media mix model").
			WithHint("%s. Meanwhile performance and campaigns show spend beside revenue.", train)
	case mix.Refused:
		return nil, fault.NotReady("the media mix model was refused, so there are no figures: %s", strings.Join(why, "; ")).
			WithHint("Then train again: assay train mmm --workspace %s", c.Workspace.ID)
	case mix.Active, mix.Stale:
	}
	if c.MMM.Model.Settings != c.Workspace.ModelSettings() {
		return nil, fault.NotReady("the media mix model speaks of another currency or meaning of revenue than the workspace now has").WithHint("%s", train)
	}
	return c.MMM.Model, nil
}

// WarnModelAge says that the store has moved on since the model was trained, or that a newer training was refused.
func (c *Call) WarnModelAge(a *answer.Closing) {
	if status, why := ModelState(c.Snapshot); status == mix.Stale {
		a.Warn(answer.WarnModelStale, "The model is stale: "+strings.Join(why, "; ")+". Train again with: assay train mmm --workspace "+string(c.Workspace.ID))
	}
	if why := c.WhyNotNewer(); why != "" {
		a.Warn(answer.WarnTrainingRefused, why)
	}
}

// ModelTools names the tools that answer from the media mix model.
func ModelTools(all []Spec) []string {
	var names []string
	for _, s := range all {
		if s.Model {
			names = append(names, s.Name)
		}
	}
	return names
}

// ModelState returns the status of the workspace's model and why it is not active, as it is written.
func ModelState(s *snapshot.Snapshot) (status mix.Status, why []string) {
	status, why = s.ModelState()
	for i := range why {
		why[i] = answer.Clean(why[i])
	}
	return status, why
}

// ModelInfo says which model an answer rests on.
type ModelInfo struct {
	Version  int          `json:"version"`
	Status   mix.Status   `json:"status" doc:"active or stale."`
	Start    civil.Date   `json:"window_start"`
	End      civil.Date   `json:"window_end"`
	Weeks    int          `json:"weeks"`
	R2       answer.Ratio `json:"r2" doc:"Share of the weeks' variance that the model explains."`
	LeftOut  []string     `json:"left_out,omitempty" doc:"Channels with too little spend to be in the model."`
	Tests    []modelTest  `json:"tests,omitempty" detail:"analyst" doc:"Completed tests of channels: those that the model was fitted to, and why it was not to others."`
	Seed     uint64       `json:"seed,omitempty" detail:"debug"`
	DataHash string       `json:"data_hash,omitempty" detail:"debug"`
}

// ModelInfo says which model an answer uses.
func (c *Call) ModelInfo(m *mix.Model) ModelInfo {
	status, _ := ModelState(c.Snapshot)
	info := ModelInfo{
		Version: m.Version, Status: status, Start: m.Window.First, End: m.Window.Last, Weeks: m.Weeks, R2: answer.Ratio(m.Accuracy.R2),
		Seed: m.Seed, DataHash: m.DataHash, Tests: modelTests(m),
	}
	for _, l := range m.LeftOut {
		info.LeftOut = append(info.LeftOut, answer.Clean(string(l.Channel)))
	}
	return info
}

// ModelEstimates says what the intervals of the model's answers are.
func ModelEstimates() answer.Estimates {
	return answer.Estimates{LevelPct: 90, Method: "posterior of a media mix model", Basis: "modelled"}
}

// Posterior turns a summary of draws, times a factor, into an estimate.
func Posterior[T ~float64](s stats.Summary, times float64) answer.Estimate[T] {
	return answer.Estimate[T]{Value: T(times * s.Mean), Low: T(times * s.Q05), High: T(times * s.Q95)}
}

// ModelSentence says in a sentence how the model stands.
func (c *Call) ModelSentence() string {
	status, _ := ModelState(c.Snapshot)
	switch {
	case c.MMM.Training:
		return fmt.Sprintf("An MMM model is being trained, %d %% done.", c.MMM.DonePct)
	case status == mix.Active && c.MMM.Attempt != nil:
		return "The MMM model is active; a newer training was refused."
	case status == mix.Active:
		return "The MMM model is active."
	case status == mix.Stale && c.MMM.Attempt != nil:
		return "The MMM model is stale; a newer training was refused."
	case status == mix.Stale:
		return "The MMM model is stale."
	case status == mix.Refused:
		return "The MMM model was refused."
	}
	return "There is no trained MMM model yet."
}

// ModelCapability says whether the tools that need a model can answer.
func (c *Call) ModelCapability() (status, why string) {
	switch _, err := c.Model(); {
	case err == nil:
		return "has_data", c.WhyNotNewer()
	case c.MMM.Training:
		return "empty", "the media mix model is being trained"
	default:
		text, hint, _ := fault.Public(err)
		return "empty", text + ". " + hint
	}
}
