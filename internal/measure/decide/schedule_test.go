package decide

import (
	"math"
	"strings"
	"testing"

	"assay/internal/fault"
)

// carried is a response with geometric carry-over and a curve m a / (h + a) on what is carried; the tail is counted.
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
		{"search", 0, 200, carried{0.1, 300, 60, 0}}, {"tv", 0, 200, carried{0.7, 500, 90, 400}}, {"email", 5, 200, carried{0, 40, 10, 0}},
	}}
}

func TestScheduleMeetsItsBoundAndItsBudget(t *testing.T) {
	t.Parallel()
	for _, pace := range []*Pace{nil, {70, 80}, {0, 75}} {
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

func TestEarlyMoneyWaitsForWhatIsStillWorking(t *testing.T) {
	t.Parallel()
	plan, err := Spread(timetable())
	if err != nil {
		t.Fatal(err)
	}
	// 400 of tv's carried-over spend are still at work in the first period.
	if tv := plan.Spend[1]; !(tv[0] < tv[5]) {
		t.Errorf("tv spends %v at first and %v later, while earlier spend still works", tv[0], tv[5])
	}
	// Without carry-over every period is alike, so the best is the same in all.
	if email := plan.Spend[2]; math.Abs(email[0]-email[7]) > 0.01*email[7] {
		t.Errorf("email spends %v and %v in periods that are alike", email[0], email[7])
	}
}

func TestTimetablesThatCannotBeKeptAreRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(*Timetable)
		says  string
	}{
		"no periods":  {func(t *Timetable) { t.Periods = 0 }, "nothing to fill"},
		"no budget":   {func(t *Timetable) { t.Budget = 0 }, "budget 0"},
		"much money":  {func(t *Timetable) { t.Budget = 1e6 }, "the budget is 1e+06"},
		"bad bounds":  {func(t *Timetable) { t.Channels[1].Min = 300 }, "tv may spend"},
		"slow pace":   {func(t *Timetable) { t.Pace = &Pace{0, 1} }, "a pace of"},
		"steady pace": {func(t *Timetable) { t.Pace = &Pace{10, 20} }, "12 periods spend"},
	} {
		table := timetable()
		c.spoil(&table)
		_, err := Spread(table)
		text, hint, _ := fault.Public(err)
		if !strings.Contains(text, c.says) || hint == "" {
			t.Errorf("%s: got %v, want a refusal that says %q, and a remedy", name, err, c.says)
		}
	}
}
