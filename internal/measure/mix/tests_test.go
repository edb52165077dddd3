package mix

import (
	"math"
	"slices"
	"strings"
	"testing"

	"assay/internal/civil"
	"assay/internal/measure/mmm"
	"assay/internal/measure/stats"
)

// tested returns the store of [planted]: two channels, and the channel flyer with one day of spend.
func tested() Store {
	s, _ := planted()
	return s
}

// made returns a five-week test of search that starts the given number of days before the store's last day.
func made(s Store, id string, ago int) Test {
	first := s.Days.Last.AddDays(-ago)
	return Test{
		ID: id, Channel: "search", Days: civil.Range{First: first, Last: first.AddDays(34)}, Share: 0.25,
		Lift: &mmm.Lift{Channel: "search", X: 1000, DeltaX: 500, DeltaY: 900, Sigma: 300},
	}
}

func TestUsableTestsAreInTheModelByDate(t *testing.T) {
	t.Parallel()
	s := tested()
	unread, unestimated, recent := made(s, "unread", 100), made(s, "unestimated", 100), made(s, "recent", 60)
	unread.Why, unestimated.Lift = "no region is known", nil
	s.Tests = []Test{recent, made(s, "used", 100), unread, unestimated}
	want := map[string]string{"used": "", "unread": "no region is known", "unestimated": "the experiment has no result", "recent": ""}
	f := newFrame(s)
	f.addTests(s.Tests, "")
	for i, c := range f.tests {
		if why := want[c.ID]; c.Why != why || c.Used() != (why == "") || i > 0 &&
			c.Days.First.Before(f.tests[i-1].Days.First) {
			t.Errorf("%s: used %v (%q), or out of order", c.ID, c.Used(), c.Why)
		}
	}
	if n := len(f.spec().Lifts); n != 2 {
		t.Errorf("the model is fitted to %d tests, want 2", n)
	}
	if n := len(f.before(s.Days.Last.AddDays(-60)).lifts()); n != 1 {
		t.Errorf("a fit without the last weeks has %d tests, want the one that was over", n)
	}
	hash := func(f frame) string {
		text, err := hashOf(f.data, f.spec(), 1)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	if hash(f) == hash(f.withoutTests("left out")) || hash(f.withoutTests("left out")) != hash(newFrame(s)) {
		t.Error("the data hash does not depend on the tests in the model alone")
	}
	without := newFrame(s)
	without.addTests(s.Tests, "left out")
	if len(without.lifts()) != 0 {
		t.Error("a training without tests has some")
	}
}

func TestScopeIsThatOfTheTrainedModel(t *testing.T) {
	t.Parallel()
	s := tested()
	of := s.Scope()
	m := &Model{Window: newFrame(s).window}
	for _, media := range newFrame(s).data.Media {
		m.Effects = append(m.Effects, mmm.ChannelEffect{Channel: media.Channel})
	}
	if got := m.Scope(); !slices.Equal(of.Channels, got.Channels) || of.Days != got.Days || len(of.Channels) < 2 {
		t.Errorf("the store's scope is %v, the model's %v", of, got)
	}
	if of := (Store{}).Scope(); len(of.Channels) != 0 {
		t.Errorf("a store without days has a model of %v", of.Channels)
	}
}

// The standard error of each test is 300. The standard error of the observational fit is 100 or 500. If the fit is more
// precise, a confounding term would lose information.
func TestConfoundingTermIsDroppedWhenTheTestIsLessPrecise(t *testing.T) {
	t.Parallel()
	s := tested()
	s.Tests = []Test{made(s, "a", 100), made(s, "b", 200)}
	f := newFrame(s)
	f.addTests(s.Tests, "")
	for _, test := range []struct {
		what  string
		weeks []float64 // standard deviations of the observational fit per test; 0: no fit
		want  int
	}{
		{"both tests are less precise", []float64{100, 100}, 1},
		{"one test is more precise", []float64{100, 500}, 0},
		{"both tests are more precise", []float64{500, 500}, 0},
		{"there is no observational fit", []float64{0, 0}, 0},
	} {
		for i, sd := range test.weeks {
			if f.tests[i].Observational = nil; sd > 0 {
				f.tests[i].Observational = &Observational{Change: stats.Summary{Mean: 900, SD: sd}}
			}
		}
		if got := f.spec().Unconfounded; len(got) != test.want || len(got) > 0 && got[0] != "search" {
			t.Errorf("%s: with standard deviations %v of the fit, the term is dropped for %q; want %d channels", test.what, test.weeks, got, test.want)
		}
	}
}

func TestNewTestsMakeAModelStale(t *testing.T) {
	t.Parallel()
	s := tested()
	waiting := Calibration{Test: made(s, "waiting", 100)}
	waiting.Lift, waiting.Why, waiting.Waits = nil, "orders do not cover its days", true
	m := &Model{Status: Active, Window: s.Days, Tests: []Calibration{{Test: made(s, "known", 100)}, waiting}}
	if !m.Considered("known") || m.Considered("waiting") || m.Considered("new") {
		t.Error("a model considers tests with a final decision only")
	}
	held := Held{Model: m, NewTests: []string{"the test"}}
	if status, why := held.State(s.Days.Last, m.Settings); status != Stale || len(why) != 1 {
		t.Errorf("with a new test it is %s %q, want stale", status, why)
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

// Shares follow from the weights alpha^l / (1 + alpha + ... + alpha^4). For alpha = 1/2, the weights are 16, 8, 4, 2
// and 1, divided by 31.
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
