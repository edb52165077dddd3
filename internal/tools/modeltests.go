package tools

import (
	"fmt"
	"math"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/measure/mix"
)

// modelTest is a completed test of a channel beside what the media mix model says without any.
type modelTest struct {
	ID      string           `json:"experiment_id"`
	Channel measure.Channel  `json:"channel"`
	Start   civil.Date       `json:"start"`
	End     civil.Date       `json:"end"`
	Used    bool             `json:"used" doc:"The model was fitted to it."`
	Why     string           `json:"why_not,omitempty"`
	Found   *Estimate[Ratio] `json:"found,omitempty" doc:"Revenue of the whole store for each unit of the spend that the test changed."`
	Weeks   *Estimate[Ratio] `json:"weeks_alone,omitempty" doc:"The same by a fit to weeks of sales and spend without any test."`
	Apart   *float64         `json:"apart_sd,omitempty" doc:"How much more a unit of spend brought in the test, in standard deviations of the difference; from 2 on, either way, the two contradict each other."`
	ROAS    *Estimate[Ratio] `json:"roas_without_tests,omitempty" doc:"The channel's return over the window by that fit."`
	Share   *Percent         `json:"share_of_sales_pct,omitempty" doc:"Of the treated regions, before the test."`
}

// modelTests lists the tests that a model knows.
func modelTests(m *mix.Model) []modelTest {
	var out []modelTest
	for _, t := range m.Tests {
		row := modelTest{
			ID: clean(t.ID), Channel: measure.Channel(clean(string(t.Channel))), Start: t.Days.First, End: t.Days.Last, Used: t.Used(), Why: clean(t.Why),
		}
		if t.Used() {
			found := t.PerCost()
			row.Found, row.Share = &Estimate[Ratio]{Value: Ratio(found.Mean), Low: Ratio(found.Low), High: Ratio(found.High)}, new(Percent(100*t.Share))
		}
		if a := t.Observational; a != nil {
			weeks := t.FitPerCost()
			row.Weeks = &Estimate[Ratio]{Value: Ratio(weeks.Mean), Low: Ratio(weeks.Low), High: Ratio(weeks.High)}
			row.Apart, row.ROAS = new(decimals(a.ZScore, 1)), new(posterior[Ratio](a.ROAS, 1))
		}
		out = append(out, row)
	}
	return out
}

// calibratedBy names the tests of a channel that a model was fitted to.
func calibratedBy(m *mix.Model, channel measure.Channel) []string {
	var out []string
	for _, t := range m.TestsOf(channel) {
		out = append(out, clean(t.ID))
	}
	return out
}

// warnTests says which tests contradict what weeks of sales and spend say.
func (c *Call) warnTests(a *closing, m *mix.Model) {
	for _, t := range m.Tests {
		if t.Contradicts() {
			a.warn("test_contradicts", contradiction(t))
		}
	}
}

func contradiction(t mix.Calibration) string {
	found, weeks := t.PerCost(), t.FitPerCost()
	more := "more"
	if t.Observational.ZScore < 0 {
		more = "less"
	}
	return fmt.Sprintf("The test of %s %s found that the changed spend brought %.2f for each unit; weeks of sales and spend alone say %.2f. The test found %s, by %.1f standard deviations: "+
		"one of the two is wrong, and what the model says of the channel is a compromise. Look at the test in experiments with experiment_id=%s, and at what budgets of the channel follow.",
		spoken(t.Channel), spell(t.Days), found.Mean, weeks.Mean, more, math.Abs(t.Observational.ZScore), clean(t.ID))
}

// testsSentence says how many tests a model was fitted to; "" where there is none.
func testsSentence(m *mix.Model) string {
	used := 0
	for _, t := range m.Tests {
		if t.Used() {
			used++
		}
	}
	if used == 0 {
		return ""
	}
	return " It was fitted to " + plural(used, "test by region", "tests by region") + "."
}
