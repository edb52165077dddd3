package health

import (
	"fmt"
	"strings"

	"assay/internal/answer"
	"assay/internal/measure/mix"
	"assay/internal/toolkit"
)

// checkModel checks the media mix model.
func checkModel(c *toolkit.Call) Finding {
	status, why := toolkit.ModelState(c.Snapshot)
	train := "assay train mmm --workspace " + string(c.Workspace.ID)
	f := Finding{Check: "mmm_model", Severity: SeverityInfo, Finding: c.ModelSentence(), Fix: "Train a model: " + train}
	switch {
	case c.MMM.Training:
		f.Fix = "Try again in a minute."
	case status == mix.Active:
		m := c.MMM.Model
		f.Severity, f.Fix = SeverityOK, ""
		f.Finding = fmt.Sprintf("Model %d is active. The model is fitted to %d channels and %d weeks from %s.", m.Version, len(m.Effects), m.Weeks, m.Window) + toolkit.TestsSentence(m)
		for _, t := range m.Tests {
			if t.Contradicts() {
				f.Severity, f.Fix = SeverityWarning, "Check the experiment, and check whether the channel's spend follows demand."
				f.Finding += " " + toolkit.Contradiction(t)
				f.about = "a geo experiment contradicts the media mix model"
			}
		}
		if c.MMM.Drift.Share > 0 {
			f.Finding += " Since the training, " + answer.Clean(c.MMM.Drift.String()) + "."
		}
	case status == mix.Stale:
		f.Severity, f.Finding = SeverityWarning, "The model is stale: "+strings.Join(why, "; ")+"."
		f.about = "the media mix model is stale"
	case status == mix.Refused:
		f.Severity, f.Finding, f.Fix = SeverityWarning, "The model was rejected: "+strings.Join(why, "; ")+".", "Correct the cause, then run "+train
		f.about = "the media mix model was rejected"
	default:
		f.Finding = "There is no trained media mix model. These tools require a model: " + strings.Join(toolkit.ModelTools(c.Tools), ", ") + "."
	}
	if why := c.WhyNotNewer(); why != "" && !c.MMM.Training {
		f.Severity, f.Finding, f.Fix = SeverityWarning, f.Finding+" "+why, "Correct the cause, then run "+train
		f.about = "a newer training of the media mix model was rejected"
	}
	return f
}
