package decide

import (
	"math"
	"strings"
	"testing"

	"assay/internal/fault"
	"assay/internal/measure"
)

func TestBurstsSpendTheSameInFewerPeriods(t *testing.T) {
	t.Parallel()
	s := newScheduler(Timetable{Periods: 5, Channels: make([]ScheduledChannel, 2)})
	steady := []float64{1, 1, 1, 1, 1, 3, 3, 3, 3, 3}
	equal(t, "every second period", s.bursts(steady, 2), []float64{2, 0, 2, 0, 2, 6, 0, 6, 0, 6})
	equal(t, "every fourth period", s.bursts(steady, 4), []float64{4, 0, 0, 0, 4, 12, 0, 0, 0, 12})
}

func TestEvenSchedulesShareTheRoomOfTheBounds(t *testing.T) {
	t.Parallel()
	s := newScheduler(Timetable{Budget: 60, Periods: 2, Channels: []ScheduledChannel{{Min: 10, Max: 30}, {Max: 20}}})
	equal(t, "half of the room", s.even(), []float64{20, 20, 10, 10})
	s = newScheduler(Timetable{Budget: 60, Periods: 2, Channels: []ScheduledChannel{{Min: 10, Max: 10}, {Min: 20, Max: 20}}})
	equal(t, "no room", s.even(), []float64{10, 10, 20, 20})
}

// ramp is a linear response with a slope per period.
type ramp []float64

func (r ramp) Response(spend, slope []float64) (sum float64) {
	for i, x := range spend {
		sum += r[i] * x
		slope[i] += r[i]
	}
	return sum
}

func TestConstantSpendAddsItsSlopes(t *testing.T) {
	t.Parallel()
	r := &repeated{ramp{1, 2, 4}, make([]float64, 3), make([]float64, 3)}
	for range 2 {
		slope := []float64{10}
		equal(t, "response", r.Response([]float64{5}, slope), 35.0)
		equal(t, "slope", slope, []float64{17})
	}
}

// The projection subtracts one price from all spends, as far as the bounds allow.
func TestProjectionSubtractsOnePrice(t *testing.T) {
	t.Parallel()
	channels := func(edit func(a, b *ScheduledChannel)) []ScheduledChannel {
		all := []ScheduledChannel{{Name: "a", Max: 10}, {Name: "b", Max: 10}}
		if edit != nil {
			edit(&all[0], &all[1])
		}
		return all
	}
	for _, c := range []struct {
		what  string
		table Timetable
		want  []float64
	}{
		{"no bound", Timetable{Channels: channels(nil)}, []float64{3, 5, 1, 3}},
		{"a minimum", Timetable{Channels: channels(func(a, _ *ScheduledChannel) { a.Min = 4 })}, []float64{4, 14. / 3, 2. / 3, 8. / 3}},
		{"a total", Timetable{Channels: channels(func(a, _ *ScheduledChannel) { a.Total = &Range{0, 6} })}, []float64{2, 4, 2, 4}},
		{"a minimum total", Timetable{Channels: channels(func(_, b *ScheduledChannel) { b.Total = &Range{6, 20} })}, []float64{2, 4, 2, 4}},
		{"a group", Timetable{Channels: channels(nil), Groups: []Group{{"g", []measure.Channel{"b"}, 6, 20}}}, []float64{2, 4, 2, 4}},
		{
			"a change",
			Timetable{Channels: channels(func(a, b *ScheduledChannel) { a.Change, b.Change = new(0.0), new(1.0) })},
			[]float64{4, 4, 1.5, 2.5},
		},
		{"a pace", Timetable{Channels: channels(nil), Pace: &Range{5, 7}}, []float64{3.5, 4.5, 1.5, 2.5}},
	} {
		c.table.Budget, c.table.Periods = 12, 2
		got := newScheduler(c.table).project([]float64{4, 6, 2, 4})
		sum := 0.0
		for _, x := range got {
			sum += x
		}
		if math.Abs(sum-12) > 1e-6 {
			t.Errorf("%s: the sum is %v, want 12", c.what, sum)
		}
		for i, want := range c.want {
			if math.Abs(got[i]-want) > 1e-6 {
				t.Errorf("%s: %v, want %v", c.what, got, c.want)
				break
			}
		}
	}
}

// The response has the slopes 1 and 3 in two periods, so the best schedule spends as much as possible in the second.
func TestTangentBoundsALinearResponse(t *testing.T) {
	t.Parallel()
	table := Timetable{Budget: 10, Periods: 2, Channels: []ScheduledChannel{{Name: "a", Max: 8, Response: ramp{1, 3}, Concave: true}}}
	s := newScheduler(table)
	x := []float64{5, 5}
	value := s.response(x)
	equal(t, "value", value, 20.0)
	if got := s.tangent(x, value); got < 26 || got > 26*(1+1e-5) {
		t.Errorf("the bound is %v, want 2 + 24 and at most the error of the tangent", got)
	}
	plan, err := Spread(table)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(plan.Spend[0][1]-8) > 1e-6 || math.Abs(plan.Certificate.Objective-26) > 1e-5 || plan.SteadyValue != 20 ||
		math.Abs(plan.Steady[0]-5) > 1e-6 || !plan.Proven {
		t.Errorf("%+v, want 2 and 8 with 26, steadily 5 with 20", plan)
	}
	to, gained, _ := s.climb([]float64{5, 5}, 100)
	equal(t, "a long step", to, []float64{2, 8})
	equal(t, "its value", gained, 26.0)
}

// Search returns 2 per unit and tv 1, but a unit of the response of tv has 4 times the value.
func TestSchedulesMaximizeTheWeightedResponse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what      string
		weights   [2]float64
		search    float64 // spend on search per period, out of 5
		objective float64
	}{
		{"no weights", [2]float64{}, 4, 2*8 + 2},
		{"equal weights", [2]float64{0.3, 0.3}, 4, 2*8 + 2},
		{"tv has more value", [2]float64{0.2, 0.8}, 1, (0.2*2*2 + 0.8*8) / 0.8},
		{"search has no positive value", [2]float64{-1, 0.8}, 4, 2*8 + 2}, // the smallest positive weight
	} {
		plan, err := Spread(Timetable{Budget: 10, Periods: 2, Channels: []ScheduledChannel{
			{Name: "search", Max: 4, Weight: c.weights[0], Response: ramp{2, 2}, Concave: true},
			{Name: "tv", Max: 4, Weight: c.weights[1], Response: ramp{1, 1}, Concave: true},
		}})
		if err != nil {
			t.Fatal(err)
		}
		equals := func(got, want float64) bool { return math.Abs(got-want) < 1e-5 }
		if !equals(plan.Spend[0][0], c.search) || !equals(plan.Spend[0][1], c.search) || !equals(plan.Steady[0], c.search) ||
			!equals(plan.SteadyValue, c.objective) || !equals(plan.Certificate.Objective, c.objective) ||
			!equals(plan.Certificate.UpperBound, c.objective) {
			t.Errorf("%s: %+v, want %v on search and an objective of %v", c.what, plan, c.search, c.objective)
		}
	}
}

// parabola is the response -(x - at)² per period.
type parabola struct{ at float64 }

func (p parabola) Response(spend, slope []float64) (sum float64) {
	for i, x := range spend {
		sum -= (x - p.at) * (x - p.at)
		slope[i] -= 2 * (x - p.at)
	}
	return sum
}

// The quadratic model with the step 1/2 is exact for this response, so longer steps are halved to at most that.
func TestStepsAreHalvedUntilTheModelHolds(t *testing.T) {
	t.Parallel()
	s := newScheduler(Timetable{Budget: 10, Periods: 2, Channels: []ScheduledChannel{
		{Name: "a", Max: 10, Response: parabola{8}}, {Name: "b", Max: 10, Response: parabola{0}},
	}})
	_, _, used := s.climb([]float64{2, 2, 3, 3}, 4)
	if used > 0.5 || used < 0.25 {
		t.Errorf("a step of %v, want 0.5", used)
	}
	_, _, used = s.climb([]float64{2, 2, 3, 3}, 0.125)
	equal(t, "a short step", used, 0.125)
	// With the step s, the response gains linear - square and the model linear - square / (2 s).
	for step, want := range map[float64]float64{0.49: 0.49, 0.6: 0.3, 0.7: 0.35, 0.9: 0.45, 1.3: 0.325} {
		_, _, used := s.climb([]float64{2, 2, 3, 3}, step)
		equal(t, "the used step", used, want)
	}
}

func TestErrorsOfTimetablesNameTheirAmounts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		edit       func(t *Timetable)
		text, hint string
	}{
		{func(t *Timetable) { t.Periods = 0 }, "the schedule has 0 periods and 3 channels", "at least one period"},
		{func(t *Timetable) { t.Channels = nil }, "the schedule has 12 periods and 0 channels", ""},
		{func(t *Timetable) { t.Budget = math.Inf(1) }, "the budget +Inf is not an amount of money above zero", "above zero"},
		{func(t *Timetable) { t.Budget = math.NaN() }, "the budget NaN", ""},
		{func(t *Timetable) { t.Channels[0].Min = -1 }, "channel search: invalid bounds -1 to 200 per period", "0 <= min <= max"},
		{func(t *Timetable) { t.Channels[0].Max = math.Inf(1) }, "channel search: invalid bounds 0 to +Inf", ""},
		{func(t *Timetable) { t.Channels[0].Max = math.NaN() }, "channel search: invalid bounds", ""},
		{func(t *Timetable) { t.Channels[2].Max = 4 }, "channel email: invalid bounds 5 to 4", ""},
		{func(t *Timetable) { t.Channels[1].Change = new(-1.0) }, "channel tv: the limit on changes between periods, -1,", "at least 0"},
		{func(t *Timetable) { t.Channels[1].Change = new(math.NaN()) }, "channel tv: the limit on changes", ""},
		{func(t *Timetable) { t.Channels[1].Total = &Range{-1, 5} }, "channel tv: bounds -1 to 5 over 12 periods", "widen"},
		{func(t *Timetable) { t.Channels[1].Total = &Range{6, 5} }, "channel tv: bounds 6 to 5 over 12 periods", ""},
		{
			func(t *Timetable) { t.Channels[1].Total = &Range{2401, 9999} },
			"channel tv: bounds 2401 to 9999 over 12 periods contradict bounds 0 to 200 per period", "",
		},
		{func(t *Timetable) { t.Channels[2].Total = &Range{0, 59} }, "channel email: bounds 0 to 59 over 12 periods", ""},
		{
			func(t *Timetable) { t.Pace = &Range{0, 4.9} },
			"a pace of 0 to 4.9 per period contradicts the channels' bounds, which add up to 5 to 600", "widen the pace",
		},
		{func(t *Timetable) { t.Pace = &Range{601, 700} }, "a pace of 601 to 700 per period contradicts", ""},
		{func(t *Timetable) { t.Pace = &Range{80, 70} }, "a pace of 80 to 70 per period contradicts", ""},
		{
			func(t *Timetable) { t.Pace = &Range{76, 80} },
			"the bounds of 12 periods add up to 912 to 960; the budget is 900", "change the budget",
		},
		{func(t *Timetable) { t.Pace = &Range{0, 74} }, "the bounds of 12 periods add up to 60 to 888; the budget is 900", ""},
		{func(t *Timetable) { t.Pace = &Range{70, 80}; t.Channels[0].Total = &Range{0, 900} }, "cannot be combined", "remove the pace"},
		{func(t *Timetable) {
			t.Pace = &Range{70, 80}
			t.Groups = []Group{{"g", []measure.Channel{"tv"}, 0, 900}}
		}, "cannot be combined", ""},
	} {
		table := timetable()
		c.edit(&table)
		text, hint, _ := fault.Public(table.validate())
		if !strings.Contains(text, c.text) || !strings.Contains(hint, c.hint) {
			t.Errorf("%q with the hint %q, want %q with %q", text, hint, c.text, c.hint)
		}
	}
	for i, edit := range []func(t *Timetable){
		func(t *Timetable) { t.Channels[1].Total = &Range{400, 400} },
		func(t *Timetable) { t.Channels[2].Total = &Range{0, 60} },
		func(t *Timetable) { t.Channels[2].Min = 200; t.Budget = 2400 },
		func(t *Timetable) { t.Channels[1].Change = new(0.0) },
		func(t *Timetable) { t.Pace = &Range{75, 75} },
		func(t *Timetable) { t.Pace = &Range{600, 600}; t.Budget = 7200 },
		func(t *Timetable) { t.Pace = &Range{0, 5}; t.Budget = 60 },
		func(t *Timetable) { t.Periods, t.Budget = 1, 75 },
	} {
		table := timetable()
		edit(&table)
		if err := table.validate(); err != nil {
			t.Errorf("case %d: %v", i, err)
		}
	}
	unit := timetable()
	unit.MessageUnit, unit.Budget = 12, 12000
	if text, _, _ := fault.Public(unit.validate()); !strings.Contains(text, "add up to 600, below the budget of 1000") {
		t.Errorf("in the caller's unit: %q", text)
	}
}
