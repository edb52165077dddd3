package pacing

import (
	"testing"

	"assay/internal/civil"
	"assay/internal/snapshot"
)

// daily returns goals of consecutive days.
func daily(metric snapshot.Metric, first civil.Date, values ...float64) []Goal {
	var out []Goal
	for i, v := range values {
		day := first.AddDays(i)
		out = append(out, Goal{Metric: metric, Period: DailyPeriod, Days: civil.Range{First: day, Last: day}, Value: v})
	}
	return out
}

func repeated(n int, value float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = value
	}
	return out
}

func TestDailyTargetsAreSummedWhereTheyAreTooMany(t *testing.T) {
	t.Parallel()
	monday := civil.New(2026, 3, 2)
	month := Goal{Metric: snapshot.Revenue, Period: MonthlyPeriod, Days: civil.Range{First: civil.New(2026, 3, 1), Last: civil.New(2026, 3, 31)}, Value: 5}
	days := append([]Goal{month}, daily(snapshot.Revenue, monday, repeated(28, 10)...)...)
	if got, by := Combined(days, 29); by != "" || len(got) != 29 {
		t.Errorf("%d goals by %q, want the 29 as they are", len(got), by)
	}
	got, by := Combined(days, 28)
	if by != civil.ByWeek || len(got) != 5 || got[0].Days != month.Days || got[0].Value != 5 || got[1].Value != 70 || got[1].Parts != 7 ||
		got[4].Days != (civil.Range{First: monday.AddDays(21), Last: monday.AddDays(27)}) {
		t.Errorf("by %q: %+v", by, got)
	}
	got, by = Combined(days, 4)
	if by != civil.ByMonth || len(got) != 2 || got[1].Value != 280 || got[1].Parts != 28 {
		t.Errorf("by %q: %+v", by, got)
	}
}

// A sum covers consecutive days only, so that its result has no day without a target. Ratios are not summed.
func TestSumsOfDailyTargetsHaveNoGaps(t *testing.T) {
	t.Parallel()
	monday := civil.New(2026, 3, 2)
	days := append(daily(snapshot.Revenue, monday, 1, 2, 3), daily(snapshot.Revenue, monday.AddDays(4), 4, 5)...)
	days = append(days, daily(snapshot.ROAS, monday, 2, 2, 3)...)
	got, _ := Combined(days, 5)
	var values []float64
	for _, g := range got {
		values = append(values, g.Value)
	}
	if len(values) != 4 || values[0] != 6 || values[1] != 9 || values[2] != 2 || values[3] != 3 || got[2].Parts != 2 {
		t.Errorf("%+v", got)
	}
}
