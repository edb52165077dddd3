package decide

import (
	"math"
	"strings"
	"testing"

	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/stats"
)

// carried is a response with geometric adstock a and the curve m a / (h + a). It includes adstock after the last
// period.
type carried struct{ retention, magnitude, half, before float64 }

const tail = 40

func (c carried) Response(spend, slope []float64) (sum float64) {
	n := len(spend)
	by := make([]float64, n+tail)
	a := c.before
	for t := range by {
		a *= c.retention
		if t < n {
			a += (1 - c.retention) * spend[t]
		}
		sum += c.magnitude * a / (c.half + a)
		by[t] = c.magnitude * c.half / ((c.half + a) * (c.half + a))
	}
	var later float64
	for t := n + tail - 1; t >= 0; t-- {
		later = by[t] + c.retention*later
		if t < n {
			slope[t] += (1 - c.retention) * later
		}
	}
	return sum
}

func timetable() Timetable {
	return Timetable{Budget: 900, Periods: 12, Channels: []ScheduledChannel{
		{Name: "search", Max: 200, Response: carried{0.1, 300, 60, 0}, Concave: true},
		{Name: "tv", Max: 200, Response: carried{0.7, 500, 90, 400}, Concave: true},
		{Name: "email", Min: 5, Max: 200, Response: carried{0, 40, 10, 0}, Concave: true},
	}}
}

func TestScheduleMeetsItsBoundAndItsBudget(t *testing.T) {
	t.Parallel()
	for _, pace := range []*Range{nil, {70, 80}, {0, 75}} {
		table := timetable()
		table.Pace = pace
		plan, err := Spread(table)
		if err != nil {
			t.Fatal(err)
		}
		if gap := plan.Certificate.Gap(); gap < 0 || gap > 1e-4 {
			t.Errorf("pace %v: gap %v", pace, gap)
		}
		var spent float64
		for i := range table.Periods {
			var period float64
			for j, c := range table.Channels {
				x := plan.Spend[j][i]
				if x < c.Min-1e-9 || x > c.Max+1e-9 {
					t.Errorf("pace %v: %s spends %v in period %d", pace, c.Name, x, i)
				}
				period += x
			}
			if pace != nil && (period < pace.Min-1e-6 || period > pace.Max+1e-6) {
				t.Errorf("pace %v: period %d spends %v", pace, i, period)
			}
			spent += period
		}
		if math.Abs(spent-table.Budget) > 1e-6*table.Budget {
			t.Errorf("pace %v: spent %v of %v", pace, spent, table.Budget)
		}
	}
}

func TestFirstPeriodsSpendLessWhileEarlierSpendHasAnEffect(t *testing.T) {
	t.Parallel()
	plan, err := Spread(timetable())
	if err != nil {
		t.Fatal(err)
	}
	// An adstock of 400 from earlier spend remains in the first period.
	if tv := plan.Spend[1]; !(tv[0] < tv[5]) {
		t.Errorf("tv spends %v at first and %v later, while earlier spend still works", tv[0], tv[5])
	}
	// Without adstock all periods are equal, so the optimum is constant.
	if email := plan.Spend[2]; math.Abs(email[0]-email[7]) > 0.01*email[7] {
		t.Errorf("email spends %v and %v in equal periods", email[0], email[7])
	}
}

// limited returns a timetable with random, feasible bounds on sums over time, groups and changes.
func limited(seed uint64) Timetable {
	random := stats.Stream(seed, 5)
	t := timetable()
	for j := range t.Channels {
		c := &t.Channels[j]
		c.Response = carried{
			0.8 * random.Float64(), 100 + 400*random.Float64(), 20 + 80*random.Float64(), 200 * random.Float64(),
		}
		if random.Float64() < 0.7 {
			c.Change = new(15 * random.Float64())
		}
		if random.Float64() < 0.5 {
			c.Total = &Range{80 + 100*random.Float64(), 250 + 300*random.Float64()}
		}
	}
	t.Groups = []Group{{"of two", []measure.Channel{"email", "tv"}, 700 * random.Float64(), 710}}
	return t
}

func TestSchedulesKeepEveryBoundAndAreNoWorseThanSteadyOnes(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		table := limited(seed)
		plan, err := Spread(table)
		if err != nil {
			t.Fatalf("%d: %v", seed, err)
		}
		if gap := plan.Certificate.Gap(); gap < 0 || gap > 1e-4 || !plan.Proven {
			t.Errorf("%d: gap %v, proven %v", seed, gap, plan.Proven)
		}
		if plan.Certificate.Objective < plan.SteadyValue {
			t.Errorf("%d: the schedule returns %v, spending the same in every period %v",
				seed, plan.Certificate.Objective, plan.SteadyValue)
		}
		const rounding = 1e-7 * 900
		sums, all, steady := map[measure.Channel]float64{}, 0.0, 0.0
		for j, c := range table.Channels {
			for i, x := range plan.Spend[j] {
				if x < c.Min-rounding || x > c.Max+rounding {
					t.Errorf("%d: %s spends %v in period %d", seed, c.Name, x, i)
				}
				if i > 0 && c.Change != nil && math.Abs(x-plan.Spend[j][i-1]) > *c.Change+rounding {
					t.Errorf("%d: %s goes from %v to %v, by more than %v", seed, c.Name, plan.Spend[j][i-1], x, *c.Change)
				}
				sums[c.Name] += x
			}
			if c.Total != nil && math.Abs(sums[c.Name]-c.Total.hold(sums[c.Name])) > rounding {
				t.Errorf("%d: %s spends %v of %v", seed, c.Name, sums[c.Name], *c.Total)
			}
			all += sums[c.Name]
			steady += 12 * plan.Steady[j]
		}
		if sum, g := sums["email"]+sums["tv"], table.Groups[0]; sum < g.Min-rounding || sum > g.Max+rounding {
			t.Errorf("%d: the group spends %v of %v to %v", seed, sum, g.Min, g.Max)
		}
		if math.Abs(all-900) > rounding || math.Abs(steady-900) > rounding {
			t.Errorf("%d: spends %v, steadily %v, of 900", seed, all, steady)
		}
	}
}

// The point p of a convex set is the projection of y if (y - p)·(z - p) ≤ 0 for every z in the set.
func TestProjectionSatisfiesTheVariationalInequality(t *testing.T) {
	t.Parallel()
	random := stats.Stream(8, 0)
	for seed := range uint64(20) {
		s := newScheduler(limited(seed))
		somewhere := func() []float64 {
			y := make([]float64, len(s.slope))
			for i := range y {
				y[i] = 25 + 80*random.NormFloat64()
			}
			return y
		}
		y := somewhere()
		p := s.project(y)
		for range 30 {
			z := s.project(somewhere())
			var across float64
			for i := range y {
				across += (y[i] - p[i]) * (z[i] - p[i])
			}
			if across > 1e-6*900*900 {
				t.Errorf("%d: a schedule lies %v beyond the nearest one", seed, across)
			}
		}
	}
}

// eager is an S-shaped response without adstock.
type eager struct{ half float64 }

func (e eager) Response(spend, slope []float64) (sum float64) {
	for i, x := range spend {
		v, d := shape{100, e.half, 3}.at(x)
		sum, slope[i] = sum+v, slope[i]+d
	}
	return sum
}

func TestSShapedResponsesLeadToBursts(t *testing.T) {
	t.Parallel()
	plan, err := Spread(
		Timetable{Budget: 120, Periods: 12, Channels: []ScheduledChannel{{Name: "tv", Max: 100, Response: eager{30}}}})
	if err != nil {
		t.Fatal(err)
	}
	if plan.Proven || plan.Certificate.Objective < 3*plan.SteadyValue {
		t.Errorf("bursts bring %v, steady spends %v; proven %v", plan.Certificate.Objective, plan.SteadyValue, plan.Proven)
	}
}

func TestInfeasibleTimetablesAreRejected(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(*Timetable)
		says  string
	}{
		"no periods": {func(t *Timetable) { t.Periods = 0 }, "the schedule has 0 periods"},
		"no budget":  {func(t *Timetable) { t.Budget = 0 }, "budget 0"},
		"much money": {func(t *Timetable) { t.Budget = 1e6 }, "add up to 7200, below the budget of 1000000"},
		"bad bounds": {func(t *Timetable) { t.Channels[1].Min = 300 }, "channel tv: invalid bounds"},
		"slow pace":  {func(t *Timetable) { t.Pace = &Range{0, 1} }, "a pace of"},
		"little total": {
			func(t *Timetable) { t.Channels[2].Total = &Range{0, 50} },
			"channel email: bounds 0 to 50 over 12 periods",
		},
		"large total": {func(t *Timetable) {
			t.Channels[1].Total = &Range{700, 800}
			t.Channels[0].Total = &Range{300, 400}
		}, "add up to 1060, above the budget of 900"},
		"small group": {
			func(t *Timetable) { t.Groups = []Group{{"brand", []measure.Channel{"tv", "email"}, 0, 30}} },
			`in group "brand" add up to 60`,
		},
		"unknown group": {
			func(t *Timetable) { t.Groups = []Group{{"brand", []measure.Channel{"radio"}, 0, 30}} },
			`"radio"`,
		},
		"a pace and more": {
			func(t *Timetable) { t.Pace = &Range{70, 80}; t.Channels[1].Change = new(5.0) },
			"cannot be combined with groups",
		},
		"steady pace": {func(t *Timetable) { t.Pace = &Range{10, 20} }, "bounds of 12 periods"},
	} {
		table := timetable()
		c.spoil(&table)
		_, err := Spread(table)
		text, hint, _ := fault.Public(err)
		if !strings.Contains(text, c.says) || hint == "" {
			t.Errorf("%s: got %v, want an error with %q, and a remedy", name, err, c.says)
		}
	}
}
