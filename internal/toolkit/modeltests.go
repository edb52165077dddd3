package toolkit

import (
	"fmt"
	"math"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/measure/mix"
)

// modelTest is a completed experiment on a channel, compared with the observational fit.
type modelTest struct {
	ID      string                         `json:"experiment_id"`
	Channel measure.Channel                `json:"channel"`
	Start   civil.Date                     `json:"start"`
	End     civil.Date                     `json:"end"`
	Used    bool                           `json:"used" doc:"true if the experiment calibrates the model."`
	Why     string                         `json:"why_not,omitempty"`
	Found   *answer.Estimate[answer.Ratio] `json:"found,omitempty" doc:"Revenue of the whole store per unit of spend that the experiment changed."`
	Weeks   *answer.Estimate[answer.Ratio] `json:"weeks_alone,omitempty" doc:"Revenue per unit of the same spend change in the observational fit, without experiments."`
	Apart   *float64                       `json:"apart_sd,omitempty" doc:"z-score: experiment minus observational fit, in standard deviations of the difference. An absolute value of at least 2 is a contradiction."`
	ROAS    *answer.Estimate[answer.Ratio] `json:"roas_without_tests,omitempty" doc:"The channel's ROAS over the window in the observational fit."`
	Share   *answer.Percent                `json:"share_of_sales_pct,omitempty" doc:"Share of the store's sales in the treated regions before the experiment."`
}

// modelTests lists the experiments of a model.
func modelTests(m *mix.Model) []modelTest {
	var out []modelTest
	for _, t := range m.Tests {
		row := modelTest{
			ID: answer.Clean(t.ID), Channel: measure.Channel(answer.Clean(string(t.Channel))), Start: t.Days.First, End: t.Days.Last, Used: t.Used(), Why: answer.Clean(t.Why),
		}
		if t.Used() {
			row.Found, row.Share = answer.EstimateOf[answer.Ratio](t.PerCost(), 1), new(answer.Percent(100*t.Share))
		}
		if a := t.Observational; a != nil {
			row.Weeks = answer.EstimateOf[answer.Ratio](t.FitPerCost(), 1)
			row.Apart, row.ROAS = new(answer.Decimals(a.ZScore, 1)), new(Posterior[answer.Ratio](a.ROAS, 1))
		}
		out = append(out, row)
	}
	return out
}

// CalibratedBy lists the experiments on a channel that calibrate a model.
func CalibratedBy(m *mix.Model, channel measure.Channel) []string {
	var out []string
	for _, t := range m.TestsOf(channel) {
		out = append(out, answer.Clean(t.ID))
	}
	return out
}

// WarnTests warns of experiments that contradict the observational fit.
func (c *Call) WarnTests(a *answer.Closing, m *mix.Model) {
	for _, t := range m.Tests {
		if t.Contradicts() {
			a.Warn(answer.WarnTestContradicts, Contradiction(t))
		}
	}
}

// Contradiction describes the difference between an experiment and the observational fit.
func Contradiction(t mix.Calibration) string {
	found, weeks := t.PerCost(), t.FitPerCost()
	more := "higher"
	if t.Observational.ZScore < 0 {
		more = "lower"
	}
	return fmt.Sprintf("The experiment on %s %s and the observational fit contradict each other. The experiment measures an iROAS of %.2f, %.1f standard deviations %s than the fit's prediction of %.2f. "+
		"The model's estimate for the channel combines the experiment and the fit. Check the experiment (experiment_id=%s), and check whether the channel's spend follows demand.",
		answer.ChannelName(t.Channel), answer.Dates(t.Days), found.Value, math.Abs(t.Observational.ZScore), more, weeks.Value, answer.Clean(t.ID))
}

// TestsSentence returns a sentence about the number of experiments that calibrate a model, or "" if there are none.
func TestsSentence(m *mix.Model) string {
	used := 0
	for _, t := range m.Tests {
		if t.Used() {
			used++
		}
	}
	if used == 0 {
		return ""
	}
	return " " + answer.Plural(used, "geo experiment calibrates", "geo experiments calibrate") + " the model."
}
