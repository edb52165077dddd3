package mix

import (
	"testing"

	"gonum.org/v1/gonum/floats"

	"assay/internal/measure"
	"assay/internal/measure/mmm"
)

// The rates are so different that both allocations reach the limits of the channel with the higher rate.
func TestSchedulesMaximizeTheContributionLikePlans(t *testing.T) {
	t.Parallel()
	m := trainedWithTest(t).model
	for _, rates := range []map[measure.Channel]float64{{"search": 1, "radio": 0.01}, {"search": 0.01, "radio": 1}} {
		ask := Ask{Budget: m.Spend(), Rates: rates}
		plan, err := m.Plan(ask)
		if err != nil {
			t.Fatal(err)
		}
		schedule, err := m.Schedule(ask, mmm.Ahead{Periods: 8})
		if err != nil {
			t.Fatal(err)
		}
		for j, a := range plan.Allocations {
			want := a.Proposed / ask.Budget * schedule.Budget
			if got := floats.Sum(schedule.Spend[j]); !near(got, want, 1e-3) || !near(8*schedule.Steady[j], want, 1e-3) {
				t.Errorf("rates %v: %s gets %v, steadily %v, want %v as in the plan", rates, a.Channel, got, 8*schedule.Steady[j], want)
			}
		}
	}
}
