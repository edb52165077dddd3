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

// Test is a completed test of a channel, as the model of a store may learn from it.
type Test struct {
	ID      string          `json:"id"`
	Channel measure.Channel `json:"channel"`
	Days    civil.Range     `json:"days"`
	Share   float64         `json:"share,omitempty"` // of what all regions sold before it, the part of the treated ones
	Lift    *mmm.Lift       `json:"lift,omitempty"`  // of the whole store by week, in the store's money; nil where nothing is to be learnt
	Why     string          `json:"why,omitempty"`   // nothing is; "" otherwise
	Waits   bool            `json:"waits,omitempty"` // for orders or reports of its days, which may yet come
}

// Calibration is a test beside what a fit to the weeks alone says.
type Calibration struct {
	Test

	Alone *Alone `json:"alone,omitempty"` // nil where the test is no part of the model, or the weeks alone carry none
}

// Alone is what a fit without any test says.
type Alone struct {
	Change stats.Summary `json:"change"` // of revenue a week, for the test's change of spend
	Apart  float64       `json:"apart"`  // by how much more a unit of spend brought in the test, in standard deviations of the difference
	ROAS   stats.Summary `json:"roas"`   // of the channel over the window
}

// farApart is the distance of a test and the weeks from which they contradict each other: chance alone gets there one time in
// twenty.
const farApart = 2

// Used reports whether the model was fitted to the test.
func (c Calibration) Used() bool { return c.Lift != nil }

// Contradicts reports whether the test and the weeks can hardly both be right.
func (c Calibration) Contradicts() bool { return c.Alone != nil && math.Abs(c.Alone.Apart) >= farApart }

// WeeksSurer reports whether the weeks alone know better than the test what its change of spend brings.
func (c Calibration) WeeksSurer() bool { return c.Alone != nil && c.Lift.Sigma > c.Alone.Change.SD }

// PerCost is what the test found a unit of the changed spend to bring, and its interval of 90 %.
func (c Calibration) PerCost() Interval {
	l := c.Lift
	reach := distuv.UnitNormal.Quantile(0.95) * l.Sigma / math.Abs(l.DeltaX)
	return Interval{Mean: l.DeltaY / l.DeltaX, Low: l.DeltaY/l.DeltaX - reach, High: l.DeltaY/l.DeltaX + reach}
}

// WeeksPerCost is what the weeks alone say that a unit of the changed spend brings, and its interval of 90 %. There must be an
// [Alone].
func (c Calibration) WeeksPerCost() Interval {
	low, high := c.Alone.Change.Q05/c.Lift.DeltaX, c.Alone.Change.Q95/c.Lift.DeltaX
	return Interval{Mean: c.Alone.Change.Mean / c.Lift.DeltaX, Low: math.Min(low, high), High: math.Max(low, high)}
}

// String says in words what the test says and what the weeks alone say.
func (c Calibration) String() string {
	text := fmt.Sprintf("test of %s from %s", c.Channel, c.Days)
	if !c.Used() {
		return text + ", not part of the model: " + c.Why
	}
	found := c.PerCost()
	text += fmt.Sprintf(": the change of spend brought %.2f (%.2f to %.2f) for each unit", found.Mean, found.Low, found.High)
	if c.Alone == nil {
		return text
	}
	weeks := c.WeeksPerCost()
	text += fmt.Sprintf("; the weeks alone say %.2f (%.2f to %.2f)", weeks.Mean, weeks.Low, weeks.High)
	if c.WeeksSurer() {
		text += ", surer than the test"
	}
	if c.Contradicts() {
		text += fmt.Sprintf(", which contradicts it by %.1f standard deviations", math.Abs(c.Alone.Apart))
	}
	return text
}

// TestsOf returns the tests of a channel that the model was fitted to.
func (m *Model) TestsOf(channel measure.Channel) []Calibration {
	return slices.DeleteFunc(slices.Clone(m.Tests), func(c Calibration) bool { return c.Channel != channel || !c.Used() })
}

// shortlyBefore is how many days before the window a test may have ended: a quarter, in which effects are taken to have changed as
// little as in the window itself.
const shortlyBefore = 13 * week

// unfit says why a test is none of a model with these channels and days; "" where nothing speaks against it.
func unfit(t Test, channels []measure.Channel, window civil.Range) (why string, waits bool) {
	switch {
	case t.Why != "":
		return t.Why, t.Waits
	case !slices.Contains(channels, t.Channel):
		return "the channel is not in the model", false
	case t.Days.Last.After(window.Last):
		return fmt.Sprintf("it ended after %s, the last day on which sales and spend are known", window.Last), true
	case t.Days.Last.Before(window.First.AddDays(-shortlyBefore)):
		return fmt.Sprintf("it ended more than a quarter before the model's first day, %s", window.First), false
	}
	return "", false
}

// Unfit says, for each test, why a model of the store would not be fitted to it whatever it found; "" where nothing speaks against
// it. So nobody need work out what such a test found.
func Unfit(s Store, tests []Test) []string {
	f, out := newFrame(s), make([]string, len(tests))
	for i, t := range tests {
		out[i], _ = unfit(t, f.channels(), f.window)
	}
	return out
}

func (f *frame) channels() []measure.Channel {
	var out []measure.Channel
	for _, m := range f.data.Media {
		out = append(out, m.Channel)
	}
	return out
}

// addTests notes the tests, in the order of their days, and which of them the model is not fitted to. The reason given is that of
// all where there is one.
func (f *frame) addTests(tests []Test, none string) {
	for _, t := range tests {
		t.Why, t.Waits = unfit(t, f.channels(), f.window)
		switch {
		case t.Why != "":
		case none != "":
			t.Why = none
		case t.Lift == nil:
			t.Why = "what it found is not known"
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

// withoutTests is the frame with its tests left out for a reason.
func (f frame) withoutTests(why string) frame {
	f.tests = slices.Clone(f.tests)
	for i := range f.tests {
		if t := &f.tests[i]; t.Used() {
			t.Lift, t.Why = nil, why
		}
	}
	return f
}

// lifts are the tests that the model is fitted to.
func (f frame) lifts() []mmm.Lift {
	var out []mmm.Lift
	for _, t := range f.tests {
		if t.Used() {
			out = append(out, *t.Lift)
		}
	}
	return out
}

// before is the frame without tests that saw days from one on.
func (f frame) before(day civil.Date) frame {
	f.tests = slices.DeleteFunc(slices.Clone(f.tests), func(t Calibration) bool { return !t.Days.Last.Before(day) })
	return f
}

// compare sets the tests beside what a model of the weeks alone says. Where the weeks alone carry none there is nothing to compare with.
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
		t.Alone = &Alone{Change: change, Apart: (t.Lift.DeltaY - change.Mean) / math.Hypot(t.Lift.Sigma, change.SD), ROAS: *roas[t.Channel]}
	}
}

// believed are the channels whose weeks are taken at their word beside their tests, since none of these is surer than the weeks.
// Whoever doubted the weeks for the sake of such a test would know less than before it.
func (f frame) unconfounded() (channels []measure.Channel) {
	for _, t := range f.tests {
		of := func(c Calibration) bool { return c.Used() && c.Channel == t.Channel && !c.WeeksSurer() }
		if t.Used() && !slices.Contains(channels, t.Channel) && !slices.ContainsFunc(f.tests, of) {
			channels = append(channels, t.Channel)
		}
	}
	return channels
}

// News says which of a store's completed tests the model has not heard of. Tests are as they are known without working out what they
// found: those that can tell nothing say why.
func (m *Model) News(tests []Test) []string {
	if m.Status == Refused {
		return nil
	}
	var channels []measure.Channel
	for _, e := range m.Effects {
		channels = append(channels, e.Channel)
	}
	var out []string
	for _, t := range tests {
		why, waits := unfit(t, channels, m.Window)
		if why != "" && (!waits || t.Why != "") { // one that ended after the window is no part of this model, but of the next
			continue
		}
		at := slices.IndexFunc(m.Tests, func(c Calibration) bool { return c.ID == t.ID })
		if at < 0 || m.Tests[at].Waits {
			out = append(out, fmt.Sprintf("the test of %s from %s is completed, and the model does not know it", t.Channel, t.Days))
		}
	}
	return out
}

// Shown returns which share of an effect shows within a test of so many days, its first day that of the change, and the standard
// deviation of that share: by the model's carry-over in weeks, as it is believed to be before the data.
func Shown(days int) (share, sd float64) {
	const steps = 200
	prior := distuv.Beta{Alpha: priors["alpha"].A, Beta: priors["alpha"].B}
	shares := make([]float64, steps)
	for i := range shares {
		shares[i] = shown(prior.Quantile((float64(i)+0.5)/steps), float64(days)/week)
	}
	return stats.MeanSD(shares)
}

// shown is the mean over so many weeks of the part of an effect that has arrived by then, with the weights alpha^l.
func shown(alpha, weeks float64) float64 {
	weight, arrived, all, sum := 1.0, 0.0, 0.0, 0.0
	for range carryOver {
		all += weight
		weight *= alpha
	}
	weight = 1
	for k := 0; float64(k) < weeks; k++ {
		if k < carryOver {
			arrived += weight / all
			weight *= alpha
		}
		sum += arrived * math.Min(1, weeks-float64(k))
	}
	return sum / weeks
}
