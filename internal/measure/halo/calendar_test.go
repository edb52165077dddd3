package halo

import (
	"slices"
	"testing"

	"assay/internal/civil"
)

// Thanksgiving is November 26 in 2026 and November 28 in 2024.
func TestDaysWithHighSalesEverywhereAreDisjoint(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		inside func(civil.Date) bool
		want   []string
	}{
		"Black Friday":     {blackFriday, []string{"2026-11-26 to 2026-11-28"}},
		"Cyber Monday":     {cyberMonday, []string{"2026-11-29 to 2026-11-30"}},
		"before Christmas": {runUp, []string{"2026-12-01 to 2026-12-15"}},
		"Christmas":        {christmas, []string{"2026-12-16 to 2026-12-24"}},
		"after Christmas":  {afterwards, []string{"2026-12-25 to 2026-12-31"}},
	} {
		var got []string
		var run civil.Range
		for day := civil.MustParse("2026-01-01"); day.Year() == 2026; day = day.AddDays(1) {
			if !c.inside(day) {
				continue
			}
			if run.Last.AddDays(1) != day {
				run.First = day
			}
			run.Last = day
			if !c.inside(day.AddDays(1)) || day.AddDays(1).Year() != 2026 {
				got = append(got, run.String())
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
	if last := civil.MustParse("2024-12-03"); !runUp(last) || runUp(last.AddDays(-1)) {
		t.Error("in 2024, the weeks before Christmas start on December 3, after Cyber Monday")
	}
}

func TestControlsAreALevelWeekdaysAndDaysWithHighSales(t *testing.T) {
	t.Parallel()
	const days = 70
	columns := controls(civil.MustParse("2026-03-02"), days) // a Monday; no high sales in spring
	if len(columns) != 4+6 {
		t.Fatalf("%d columns, want knots at days 0, 28, 56 and 84, and six weekdays", len(columns))
	}
	for day := range days {
		level := 0.0
		for _, knot := range columns[:4] {
			level += knot[day]
		}
		if level < 1-1e-12 || level > 1+1e-12 {
			t.Errorf("the knots of day %d add up to %v, want 1", day, level)
		}
	}
	if knot := columns[1]; knot[28] != 1 || knot[14] != 0.5 || knot[0] != 0 || knot[56] != 0 {
		t.Errorf("the knot at day 28 is %v", knot)
	}
	for w, column := range columns[4:] {
		for day := range 7 {
			want := 0.0
			switch day {
			case w:
				want = 1
			case 6: // Sunday
				want = -1
			}
			if column[day] != want || column[day+7] != want {
				t.Errorf("weekday %d, day %d: %v, want %v", w, day, column[day], want)
			}
		}
	}
	if got := len(controls(civil.MustParse("2026-10-05"), 88)); got != 5+6+5 {
		t.Errorf("%d columns from October 5 to December 31, want 5 knots, 6 weekdays and 5 groups of days with high sales", got)
	}
}
