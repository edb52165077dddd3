package toolkit

import (
	"fmt"
	"strings"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/mix"
	"assay/internal/measure/mmm"
	"assay/internal/measure/stats"
	"assay/internal/snapshot"
)

// MmmMethod describes the media mix model.
const MmmMethod = "A Bayesian media mix model of weekly sales and spend estimates incremental revenue. The model has geometric adstock, saturation with an estimated shape, " +
	"a trend and seasonal terms. Estimates are posterior means with 90% credible intervals. Completed geo experiments calibrate the model. Confounding, such as spend that follows demand, biases the estimates of channels without an experiment."

// WhyNotNewer explains why the last training did not replace the model in use. It returns "" if the last training was
// not rejected.
func (c *Call) WhyNotNewer() string {
	m := c.MMM.Attempt
	if m == nil {
		return ""
	}
	return fmt.Sprintf("Model %d remains in use. A newer training (model %d, data up to %s) was rejected: %s.",
		c.MMM.Model.Version, m.Version, m.Window.Last, answer.Clean(strings.Join(m.Why(), "; ")))
}

// Model returns the workspace's media mix model. Without a usable model it returns a fault that explains how to train a
// model.
func (c *Call) Model() (*mix.Model, error) {
	status, why := ModelState(c.Snapshot)
	train := "Train a model with: assay train mmm --workspace " + string(c.Workspace.ID)
	switch status {
	case "":
		if c.MMM.Training {
			return nil, fault.NotReady("the media mix model is being trained, %d%% done", c.MMM.DonePct).WithHint("Try again in a minute.")
		}
		return nil, fault.NotReady("this workspace has no trained media mix model").
			WithHint("%s. Meanwhile, the performance and campaigns tools show spend and revenue.", train)
	case mix.Refused:
		return nil, fault.NotReady("the last training of the media mix model was rejected: %s", strings.Join(why, "; ")).
			WithHint("Correct the cause, then train again: assay train mmm --workspace %s", c.Workspace.ID)
	case mix.Active, mix.Stale:
	}
	if c.MMM.Model.Settings != c.Workspace.ModelSettings() {
		return nil, fault.NotReady("the currency or the revenue basis of the workspace has changed since the media mix model was trained").WithHint("%s", train)
	}
	return c.MMM.Model, nil
}

// WarnModelAge warns about a stale model or a rejected newer training.
func (c *Call) WarnModelAge(a *answer.Closing) {
	if status, why := ModelState(c.Snapshot); status == mix.Stale {
		a.Warn(answer.WarnModelStale, "The model is stale: "+strings.Join(why, "; ")+". Train again with: assay train mmm --workspace "+string(c.Workspace.ID))
	}
	if why := c.WhyNotNewer(); why != "" {
		a.Warn(answer.WarnTrainingRefused, why)
	}
}

// ModelTools lists the tools that use the media mix model.
func ModelTools(all []Spec) []string {
	var names []string
	for _, s := range all {
		if s.Model {
			names = append(names, s.Name)
		}
	}
	return names
}

// ModelState returns the status of the workspace's model and the reasons why it is not active, without control
// characters.
func ModelState(s *snapshot.Snapshot) (status mix.Status, why []string) {
	status, why = s.ModelState()
	for i := range why {
		why[i] = answer.Clean(why[i])
	}
	return status, why
}

// ModelInfo describes the model behind an answer.
type ModelInfo struct {
	Version  int          `json:"version"`
	Status   mix.Status   `json:"status" doc:"active or stale."`
	Start    civil.Date   `json:"window_start"`
	End      civil.Date   `json:"window_end"`
	Weeks    int          `json:"weeks"`
	R2       answer.Ratio `json:"r2" doc:"Share of the weekly variance that the model explains."`
	LeftOut  []string     `json:"left_out,omitempty" doc:"Channels with too little spend for the model."`
	Tests    []modelTest  `json:"tests,omitempty" detail:"analyst" doc:"Completed experiments, with the reason if an experiment does not calibrate the model."`
	Seed     uint64       `json:"seed,omitempty" detail:"debug"`
	DataHash string       `json:"data_hash,omitempty" detail:"debug"`
}

// ModelInfo describes the model that an answer uses.
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

// ModelEstimates describes the intervals of the model's estimates.
func ModelEstimates() answer.Estimates {
	return answer.Estimates{LevelPct: 100 * mmm.Level, Method: "Values are posterior means of a media mix model, with 90% credible intervals.", Basis: measure.Modelled}
}

// Posterior converts a summary of posterior draws, scaled by a factor, to an estimate.
func Posterior[T ~float64](s stats.Summary, times float64) answer.Estimate[T] {
	return *answer.EstimateOf[T](mmm.EstimateOf(s), times)
}

// ModelSentence returns a sentence on the model's status.
func (c *Call) ModelSentence() string {
	status, _ := ModelState(c.Snapshot)
	switch {
	case c.MMM.Training:
		return fmt.Sprintf("The MMM is being trained, %d%% done.", c.MMM.DonePct)
	case status == mix.Active && c.MMM.Attempt != nil:
		return "The MMM is active; a newer training was rejected."
	case status == mix.Active:
		return "The MMM is active."
	case status == mix.Stale && c.MMM.Attempt != nil:
		return "The MMM is stale; a newer training was rejected."
	case status == mix.Stale:
		return "The MMM is stale."
	case status == mix.Refused:
		return "The last MMM training was rejected."
	}
	return "No MMM has been trained."
}

// ModelCapability returns the status of the tools that need a model, and an explanation of the status.
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
