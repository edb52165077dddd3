package mix

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/measure/mmm"
	"assay/internal/measure/stats"
)

// Test is a completed geo experiment, used as a lift test in the model.
type Test struct {
	ID      string          `json:"id"`
	Channel measure.Channel `json:"channel"`
	Days    civil.Range     `json:"days"`
	Share   float64         `json:"share,omitempty"` // share of the treated regions in sales before the test
	// Lift is the weekly result for the whole store, in the store's currency; nil if the test is not usable.
	Lift  *mmm.Lift `json:"lift,omitempty"`
	Why   string    `json:"why,omitempty"`   // reason why the test is not usable; "" otherwise
	Waits bool      `json:"waits,omitempty"` // orders or reports of the test's days may still arrive
}

// Calibration compares a test with the observational fit.
type Calibration struct {
	Test

	// Observational is nil if the test is not used or there is no observational fit.
	Observational *Observational `json:"alone,omitempty"`
}

// Observational is the estimate without any lift test.
type Observational struct {
	Change stats.Summary `json:"change"` // change of weekly revenue for the test's change of spend
	ZScore float64       `json:"apart"`  // test result minus prediction, in standard deviations of the difference
	ROAS   stats.Summary `json:"roas"`   // ROAS of the channel over the window
}

// contradiction is the minimum absolute z-score at which a lift test and the observational fit contradict each other.
// It corresponds to about a 5% significance level.
const contradiction = 2

// Used reports whether the lift test is in the model.
func (c Calibration) Used() bool { return c.Lift != nil }

// Contradicts reports whether the lift test and the observational fit differ significantly.
func (c Calibration) Contradicts() bool {
	return c.Observational != nil && math.Abs(c.Observational.ZScore) >= contradiction
}

// FitMorePrecise reports whether the observational fit predicts the lift test's result more precisely than the lift
// test measured it.
func (c Calibration) FitMorePrecise() bool {
	return c.Observational != nil && c.Lift.Sigma > c.Observational.Change.SD
}

// PerCost returns the test's incremental revenue per unit of changed spend, with its 90% interval.
func (c Calibration) PerCost() measure.Estimate {
	perCost := c.Lift.DeltaY / c.Lift.DeltaX
	return measure.Estimate{
		Value: perCost, Interval: measure.NormalInterval(perCost, c.Lift.Sigma/math.Abs(c.Lift.DeltaX), mmm.Level),
		Method: measure.GeoExperiment, Basis: measure.Incremental,
	}
}

// FitPerCost returns the observational fit's prediction of [Calibration.PerCost], with its 90% interval. The
// calibration must have an [Observational].
func (c Calibration) FitPerCost() measure.Estimate {
	return mmm.EstimateOf(c.Observational.Change).Times(1 / c.Lift.DeltaX)
}

// String describes the results of the test and the observational fit.
func (c Calibration) String() string {
	text := fmt.Sprintf("geo experiment on %s from %s", c.Channel, c.Days)
	if !c.Used() {
		return text + ", not used in the model: " + c.Why
	}
	found := c.PerCost()
	text += fmt.Sprintf(": incremental revenue per unit of changed spend %.2f (90%% interval %.2f to %.2f)",
		found.Value, found.Low, found.High)
	if c.Observational == nil {
		return text
	}
	weeks := c.FitPerCost()
	text += fmt.Sprintf(". The observational fit estimates %.2f (%.2f to %.2f)", weeks.Value, weeks.Low, weeks.High)
	if c.FitMorePrecise() {
		text += ", which is more precise than the experiment"
	}
	if c.Contradicts() {
		text += fmt.Sprintf(". The estimates differ by %.1f standard deviations", math.Abs(c.Observational.ZScore))
	}
	return text
}

// Considered reports whether the model uses a test, or excludes it for a reason that later data cannot change.
func (m *Model) Considered(id string) bool {
	return slices.ContainsFunc(m.Tests, func(c Calibration) bool { return c.ID == id && !c.Waits })
}

// TestsOf returns the channel's tests that are in the model.
func (m *Model) TestsOf(channel measure.Channel) []Calibration {
	return slices.DeleteFunc(slices.Clone(m.Tests), func(c Calibration) bool { return c.Channel != channel || !c.Used() })
}

// addTests lists the lift tests by date and marks unused tests. If the parameter none is not empty, the model uses no
// test, and the parameter states the reason.
func (f *frame) addTests(tests []Test, none string) {
	for _, t := range tests {
		switch {
		case t.Why != "":
		case none != "":
			t.Why = none
		case t.Lift == nil:
			t.Why = "the experiment has no result"
		}
		if t.Why != "" {
			t.Lift = nil
		}
		f.tests = append(f.tests, Calibration{Test: t})
	}
	slices.SortFunc(f.tests, func(a, b Calibration) int {
		return cmp.Or(a.Days.First.Sub(b.Days.First), cmp.Compare(a.ID, b.ID))
	})
}

// withoutTests returns the frame with all tests marked as unused, for the given reason.
func (f frame) withoutTests(why string) frame {
	f.tests = slices.Clone(f.tests)
	for i := range f.tests {
		if t := &f.tests[i]; t.Used() {
			t.Lift, t.Why = nil, why
		}
	}
	return f
}

// lifts returns the lift tests in the model.
func (f frame) lifts() []mmm.Lift {
	var out []mmm.Lift
	for _, t := range f.tests {
		if t.Used() {
			out = append(out, *t.Lift)
		}
	}
	return out
}

// before returns the frame with only the tests that ended before the day.
func (f frame) before(day civil.Date) frame {
	f.tests = slices.DeleteFunc(slices.Clone(f.tests), func(t Calibration) bool { return !t.Days.Last.Before(day) })
	return f
}

// compare adds the observational fit's predictions to the tests. Without an observational fit, compare does nothing.
func (f *frame) compare(weeks *Model) {
	if weeks.Status != Active {
		return
	}
	roas := map[measure.Channel]*stats.Summary{}
	for _, e := range weeks.Effects {
		roas[e.Channel] = e.ROAS
	}
	for i := range f.tests {
		t := &f.tests[i]
		if !t.Used() || roas[t.Channel] == nil {
			continue
		}
		change := weeks.Posterior().PredictLift(*t.Lift)
		t.Observational = &Observational{
			Change: change, ZScore: (t.Lift.DeltaY - change.Mean) / math.Hypot(t.Lift.Sigma, change.SD), ROAS: *roas[t.Channel],
		}
	}
}

// unconfounded returns the channels for which every lift test is less precise than the observational fit. A confounding
// term would then widen the posterior more than the test can narrow it.
func (f frame) unconfounded() (channels []measure.Channel) {
	for _, t := range f.tests {
		of := func(c Calibration) bool { return c.Used() && c.Channel == t.Channel && !c.FitMorePrecise() }
		if t.Used() && !slices.Contains(channels, t.Channel) && !slices.ContainsFunc(f.tests, of) {
			channels = append(channels, t.Channel)
		}
	}
	return channels
}

// Shown returns the share of an effect that occurs within a lift test, given adstock, and the share's standard
// deviation. The test has the given number of days, starting with the change of spend. Adstock has the model's prior.
func Shown(days int) (share, sd float64) {
	const steps = 200
	prior := distuv.Beta{Alpha: priors["alpha"].A, Beta: priors["alpha"].B}
	shares := make([]float64, steps)
	for i := range shares {
		shares[i] = shown(prior.Quantile((float64(i)+0.5)/steps), float64(days)/week)
	}
	return stats.MeanSD(shares)
}

// shown returns the mean cumulative effect over a number of weeks with adstock weights alpha^l.
func shown(alpha, weeks float64) float64 {
	weight, arrived, all, sum := 1.0, 0.0, 0.0, 0.0
	for range adstockWeeks {
		all += weight
		weight *= alpha
	}
	weight = 1
	for k := 0; float64(k) < weeks; k++ {
		if k < adstockWeeks {
			arrived += weight / all
			weight *= alpha
		}
		sum += arrived * math.Min(1, weeks-float64(k))
	}
	return sum / weeks
}
