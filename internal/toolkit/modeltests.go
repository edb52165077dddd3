package toolkit

import (
	"fmt"
	"math"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/measure/mix"
)

// modelTest is a completed test of a channel beside what the media mix model says without any.
type modelTest struct {
	ID      string                         `json:"experiment_id"`
	Channel measure.Channel                `json:"channel"`
	Start   civil.Date                     `json:"start"`
	End     civil.Date                     `json:"end"`
	Used    bool                           `json:"used" doc:"The model was fitted to it."`
	Why     string                         `json:"why_not,omitempty"`
	Found   *answer.Estimate[answer.Ratio] `json:"found,omitempty" doc:"Revenue of the whole store for each unit of the spend that the test changed."`
	Weeks   *answer.Estimate[answer.Ratio] `json:"weeks_alone,omitempty" doc:"The same by a fit to weeks of sales and spend without any test."`
	Apart   *float64                       `json:"apart_sd,omitempty" doc:"How much more a unit of spend brought in the test, in standard deviations of the difference; from 2 on, either way, the two contradict each other."`
	ROAS    *answer.Estimate[answer.Ratio] `json:"roas_without_tests,omitempty" doc:"The channel's return over the window by that fit."`
	Share   *answer.Percent                `json:"share_of_sales_pct,omitempty" doc:"Of the treated regions, before the test."`
}

// modelTests lists the tests that a model knows.
func modelTests(m *mix.Model) []modelTest {
	var out []modelTest
	for _, t := range m.Tests {
		row := modelTest{
			ID: answer.Clean(t.ID), Channel: measure.Channel(answer.Clean(string(t.Channel))), Start: t.Days.First, End: t.Days.Last, Used: t.Used(), Why: answer.Clean(t.Why),
		}
		if t.Used() {
			found := t.PerCost()
			row.Found, row.Share = &answer.Estimate[answer.Ratio]{Value: answer.Ratio(found.Mean), Low: answer.Ratio(found.Low), High: answer.Ratio(found.High)}, new(answer.Percent(100*t.Share))
		}
		if a := t.Observational; a != nil {
			weeks := t.FitPerCost()
			row.Weeks = &answer.Estimate[answer.Ratio]{Value: answer.Ratio(weeks.Mean), Low: answer.Ratio(weeks.Low), High: answer.Ratio(weeks.High)}
			row.Apart, row.ROAS = new(answer.Decimals(a.ZScore, 1)), new(Posterior[answer.Ratio](a.ROAS, 1))
		}
		out = append(out, row)
	}
	return out
}

// CalibratedBy names the tests of a channel that a model was fitted to.
func CalibratedBy(m *mix.Model, channel measure.Channel) []string {
	var out []string
	for _, t := range m.TestsOf(channel) {
		out = append(out, answer.Clean(t.ID))
	}
	return out
}

// WarnTests says which tests contradict what weeks of sales and spend say.
func (c *Call) WarnTests(a *answer.Closing, m *mix.Model) {
	for _, t := range m.Tests {
		if t.Contradicts() {
			a.Warn(answer.WarnTestContradicts, Contradiction(t))
		}
	}
}

// Contradiction says how an experiment and the model without experiments differ.
func Contradiction(t mix.Calibration) string {
	found, weeks := t.PerCost(), t.FitPerCost()
	more := "more"
	if t.Observational.ZScore < 0 {
		more = "less"
	}
	return fmt.Sprintf("The test of %s %s found that the changed spend brought %.2f for each unit; weeks of sales and spend alone say %.2f. The test found %s, by %.1f standard deviations: "+
		"one of the two is wrong, and what the model says of the channel is a compromise. Look at the test in experiments with experiment_id=%s, and at what budgets of the channel follow.",
		answer.ChannelName(t.Channel), answer.Dates(t.Days), found.Mean, weeks.Mean, more, math.Abs(t.Observational.ZScore), answer.Clean(t.ID))
}

// TestsSentence says how many tests a model was fitted to; "" where there is none.
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
	return " It was fitted to " + answer.Plural(used, "test by region", "tests by region") + "."
}
