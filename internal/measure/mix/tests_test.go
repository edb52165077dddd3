package mix

import (
	"math"
	"strings"
	"testing"

	"assay/internal/civil"
	"assay/internal/measure/mmm"
	"assay/internal/measure/stats"
)

// tested is a store with two channels and a flyer.
func tested() Store {
	s, _ := planted()
	return s
}

// made is a five-week test of search that starts the given number of days before the store's last day.
func made(s Store, id string, ago int) Test {
	first := s.Days.Last.AddDays(-ago)
	return Test{
		ID: id, Channel: "search", Days: civil.Range{First: first, Last: first.AddDays(34)}, Share: 0.25,
		Lift: &mmm.Lift{Channel: "search", X: 1000, DeltaX: 500, DeltaY: 900, Sigma: 300},
	}
}

func TestOnlyTestsOfTheModelsChannelsAndDaysAreUsed(t *testing.T) {
	t.Parallel()
	s := tested()
	other, unread, old, recent, late := made(s, "other", 100), made(s, "unread", 100), made(s, "old", 0), made(s, "recent", 0), made(s, "late", 20)
	other.Channel, unread.Why, unread.Lift = "podcast", "no region is known", nil
	old.Days.First, old.Days.Last = s.Days.First.AddDays(-200), s.Days.First.AddDays(-170)
	recent.Days.First, recent.Days.Last = s.Days.First.AddDays(-60), s.Days.First.AddDays(-20)
	s.Tests = []Test{late, made(s, "used", 100), other, unread, old, recent}
	want := map[string]string{
		"used": "", "other": "not in the model", "unread": "no region is known", "old": "more than 13 weeks before", "late": "it ended after", "recent": "",
	}
	f := newFrame(s)
	f.addTests(s.Tests, "")
	for i, why := range Unfit(s, s.Tests) {
		if part := want[s.Tests[i].ID]; (part == "") != (why == "") || !strings.Contains(why, part) {
			t.Errorf("%s: %q, want %q", s.Tests[i].ID, why, part)
		}
	}
	for i, c := range f.tests {
		if c.Used() != (want[c.ID] == "") || i > 0 && c.Days.First.Before(f.tests[i-1].Days.First) {
			t.Errorf("%s: used %v (%q), or out of order", c.ID, c.Used(), c.Why)
		}
	}
	if n := len(f.spec().Lifts); n != 2 {
		t.Errorf("the model is fitted to %d tests, want 2", n)
	}
	if n := len(f.before(s.Days.Last.AddDays(-80)).lifts()); n != 1 {
		t.Errorf("a fit without the last weeks knows %d tests, want the one that was over", n)
	}
	hash := func(f frame) string {
		text, err := hashOf(f.data, f.spec(), 1)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	if hash(f) == hash(f.withoutTests("left out")) || hash(f.withoutTests("left out")) != hash(newFrame(s)) {
		t.Error("what a model is fitted to is named alike with its tests and without, or otherwise when they are left out")
	}
	asked := newFrame(s)
	asked.addTests(s.Tests, "left out")
	if len(asked.lifts()) != 0 {
		t.Error("asked to leave tests out, the model is fitted to some")
	}
}

// The test's standard error is 300, the fit's 100 or 500. A confounding term next to an imprecise test would lose
// information.
func TestConfoundingTermIsDroppedWhenTheTestIsLessPrecise(t *testing.T) {
	t.Parallel()
	s := tested()
	s.Tests = []Test{made(s, "a", 100), made(s, "b", 200)}
	f := newFrame(s)
	f.addTests(s.Tests, "")
	for _, test := range []struct {
		what  string
		weeks []float64 // standard deviations of the observational fit per test; 0: there is none
		want  int
	}{
		{"both tests know less", []float64{100, 100}, 1},
		{"one knows more", []float64{100, 500}, 0},
		{"both know more", []float64{500, 500}, 0},
		{"the weeks carry no model", []float64{0, 0}, 0},
	} {
		for i, sd := range test.weeks {
			if f.tests[i].Observational = nil; sd > 0 {
				f.tests[i].Observational = &Observational{Change: stats.Summary{Mean: 900, SD: sd}}
			}
		}
		if got := f.spec().Unconfounded; len(got) != test.want || len(got) > 0 && got[0] != "search" {
			t.Errorf("%s: weeks of %v are taken at their word, want those of %d channels", test.what, got, test.want)
		}
	}
}

func TestNewTestsAreThoseTheModelDoesNotUse(t *testing.T) {
	t.Parallel()
	s := tested()
	waited := Calibration{Test: made(s, "waited", 100)}
	waited.Lift, waited.Why, waited.Waits = nil, "orders do not cover its days", true
	refused := Calibration{Test: made(s, "refused", 100)}
	refused.Lift, refused.Why = nil, "no interval"
	m := &Model{Status: Active, Window: s.Days, Effects: []mmm.ChannelEffect{{Channel: "search"}}, Tests: []Calibration{{Test: made(s, "known", 100)}, waited, refused}}
	study, other := made(s, "study", 90), made(s, "other", 90)
	study.Why, other.Channel = "a study", "podcast"
	news := m.NewTests([]Test{made(s, "known", 100), made(s, "refused", 100), study, other})
	if len(news) != 0 {
		t.Errorf("nothing is new: %q", news)
	}
	later := made(s, "later", -10) // after the window, so only the next model can use it
	if news := m.NewTests([]Test{made(s, "new", 100), made(s, "waited", 100), later}); len(news) != 3 {
		t.Errorf("three are new, one of which had to wait: %q", news)
	}
	if news := m.NewTests([]Test{waited.Test}); len(news) != 0 {
		t.Errorf("one that still waits is not new: %q", news)
	}
	held := Held{Model: m, NewTests: []string{"the test"}}
	if status, why := held.State(s.Days.Last, m.Settings); status != Stale || len(why) != 1 {
		t.Errorf("with news it is %s %q, want stale", status, why)
	}
}

func TestContradictionStartsAtTwoStandardDeviations(t *testing.T) {
	t.Parallel()
	c := Calibration{Test: made(tested(), "t", 100)}
	if i := c.PerCost(); i.Value != 1.8 || math.Abs(i.High-(900+1.6449*300)/500) > 1e-3 {
		t.Errorf("900 ± 300 for 500 is %+v", i)
	}
	for apart, want := range map[float64]bool{1.9: false, -1.9: false, 2.1: true, -2.1: true} {
		c.Observational = &Observational{Change: stats.Summary{Mean: 100, Q05: 50, Q95: 150}, ZScore: apart}
		if c.Contradicts() != want || strings.Contains(c.String(), "standard deviations") != want {
			t.Errorf("%v standard deviations apart: %s", apart, c)
		}
	}
	c.Lift.DeltaX = -500 // spend was reduced
	c.Observational.Change = stats.Summary{Mean: -100, Q05: -150, Q95: -50}
	if i := c.FitPerCost(); i.Value != 0.2 || i.Low != 0.1 || i.High != 0.3 {
		t.Errorf("a loss of 100 (50 to 150) for 500 less is %+v for each unit", i)
	}
}

// Shares follow from the weights alpha^l / (1 + alpha + ... + alpha^4): for alpha = 1/2 they are 16, 8, 4, 2 and 1 of
// 31.
func TestShortTestsShowPartOfTheEffect(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ weeks, want float64 }{
		{1, 16. / 31}, {2, (16. + 24) / 62}, {1.5, (16. + 24./2) / 31 / 1.5}, {5, (16. + 24 + 28 + 30 + 31) / 155},
	} {
		if got := shown(0.5, test.weeks); math.Abs(got-test.want) > 1e-12 {
			t.Errorf("%v weeks show %v, want %v", test.weeks, got, test.want)
		}
	}
	short, shortDoubt := Shown(7)
	long, longDoubt := Shown(56)
	if !(short < long && long < 1 && shortDoubt > longDoubt && longDoubt > 0) {
		t.Errorf("a week shows %v ± %v, eight weeks %v ± %v", short, shortDoubt, long, longDoubt)
	}
}
