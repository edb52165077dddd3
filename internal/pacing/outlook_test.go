package pacing

import (
	"math"
	"slices"
	"testing"
	"time"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/measure/forecast"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
	"assay/internal/toolkit/toolkittest"
	"assay/internal/warehouse/storetest"
)

var (
	march   = civil.Range{First: civil.New(2026, 3, 1), Last: civil.New(2026, 3, 31)}
	quarter = civil.Range{First: civil.New(2026, 1, 1), Last: civil.New(2026, 3, 31)}
)

// shop returns a call on March 10. Since January 10, every day has a revenue of 150 in two orders. Spend is 40 per day
// up to March 8.
func shop(t *testing.T) *toolkit.Call {
	t.Helper()
	reader := toolkittest.ShopReader(t)
	snap, err := reader.Take(t.Context(), control.Workspace{ID: "shop", Currency: "USD", Zone: storetest.Zone, Version: 1}, snapshot.Wants{})
	if err != nil {
		t.Fatal(err)
	}
	return &toolkit.Call{Snapshot: snap, Writer: answer.Writer{Figures: answer.Figures{Currency: "USD"}}}
}

// near reports whether a value is within 1% of the expected value. Forecasts of a constant series are nearly constant.
func near(got *float64, want float64) bool { return got != nil && math.Abs(*got-want) <= 0.01*want }

// The first nine days of March have results. The other 22 days have a forecast.
func TestGoalsHaveResultsAndForecasts(t *testing.T) {
	t.Parallel()
	c := shop(t)
	goals := []Goal{
		{Metric: snapshot.Revenue, Period: MonthlyPeriod, Days: march, Value: 4000},
		{Metric: snapshot.Revenue, Period: MonthlyPeriod, Days: march},
		{Metric: snapshot.Orders, Period: MonthlyPeriod, Days: march, Value: 80},
		{Metric: snapshot.Spend, Channel: "facebook", Period: MonthlyPeriod, Days: march, Value: 1000},
	}
	out, err := NewOutlook(t.Context(), c, goals)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		actual, expected, required, attained float64
		status                               Status
	}{
		{1350, 4650, 2650. / 22, 33.75, OnTrack},
		{1350, 4650, 0, 0, ""},
		{18, 62, 62. / 22, 22.5, OffTrack},
		{320, 1240, 680. / 23, 32, OverBudget},
	} {
		row, err := out.Row(goals[i])
		if err != nil {
			t.Fatal(err)
		}
		if !near(row.Actual, want.actual) || !near(row.Expected, want.expected) || row.Status != want.status || row.Start != march.First || row.End != march.Last {
			t.Errorf("goal %d: actual %v, expected %v, %s; want %+v", i, *row.Actual, *row.Expected, row.Status, want)
		}
		if last := c.Today.AddDays(-1 - i/3); row.Through != last {
			t.Errorf("goal %d: results up to %s, want %s", i, row.Through, last)
		}
		if *row.Low95 > *row.Low || *row.Low > *row.Low80 || *row.Low80 > *row.Expected || *row.Expected > *row.High80 || *row.High80 > *row.High || *row.High > *row.High95 {
			t.Errorf("goal %d: the intervals are not nested: %+v", i, row)
		}
		if goals[i].Value == 0 {
			if row.Target != nil || row.Required != nil || row.Attained != nil || row.Chance != nil {
				t.Errorf("a period without a goal: %+v", row)
			}
			continue
		}
		if *row.Target != goals[i].Value || !near(row.Required, want.required) || math.Abs(float64(*row.Attained)-want.attained) > 1e-9 {
			t.Errorf("goal %d: target %v, required %v, attained %v; want %+v", i, *row.Target, *row.Required, *row.Attained, want)
		}
	}
	if len(out.Used) != 4 || out.Used[0].Days != (civil.Range{First: c.Today, Last: march.Last}) || out.Used[0].Metric != "revenue" {
		t.Errorf("forecasts %+v, want four from today", out.Used)
	}
}

// If the data do not cover the first days of a target's period, the status is unknown and there is no forecast.
func TestAGoalFromBeforeTheDataHasNoForecast(t *testing.T) {
	t.Parallel()
	g := Goal{Metric: snapshot.Revenue, Period: QuarterlyPeriod, Days: quarter, Value: 13_500}
	out, err := NewOutlook(t.Context(), shop(t), []Goal{g})
	if err != nil {
		t.Fatal(err)
	}
	row, err := out.Row(g)
	if err != nil || row.Status != Unknown || *row.Target != g.Value || row.Actual != nil || row.Expected != nil || row.Chance != nil || len(out.Used) != 0 {
		t.Errorf("%+v, %v; want an unknown status without a forecast", row, err)
	}
}

func TestOutlookByDay(t *testing.T) {
	t.Parallel()
	c := shop(t)
	month, year := Goal{Metric: snapshot.Revenue, Days: march}, Goal{Metric: snapshot.Revenue, Days: quarter}
	out, err := NewOutlook(t.Context(), c, []Goal{month, year})
	if err != nil {
		t.Fatal(err)
	}
	days, err := out.ByDay(month)
	if err != nil || len(days) != 31 {
		t.Fatalf("%d days, %v", len(days), err)
	}
	for i, day := range days {
		want := 150 * float64(i+1)
		if day.Date != march.First.AddDays(i) {
			t.Errorf("day %d is %s", i, day.Date)
		}
		if i < 9 {
			if !near(day.Actual, want) || day.Expected != nil || day.Low80 != nil || day.High95 != nil {
				t.Errorf("%s: %+v, want the result %v", day.Date, day, want)
			}
			continue
		}
		if day.Actual != nil || !near(day.Expected, want) || *day.Low95 > *day.Low80 || *day.Low80 > *day.Expected || *day.Expected > *day.High80 || *day.High80 > *day.High95 {
			t.Errorf("%s: %+v, want the forecast %v", day.Date, day, want)
		}
	}
	// The quarter starts nine days before the store's first day.
	days, err = out.ByDay(year)
	if err != nil || len(days) != 81 || days[0].Date != storetest.First {
		t.Fatalf("%d days from %s, %v", len(days), days[0].Date, err)
	}
}

func TestStatusesOfGoals(t *testing.T) {
	t.Parallel()
	today := civil.New(2026, 3, 10)
	past := civil.Range{First: today.AddDays(-7), Last: today.AddDays(-1)}
	for what, c := range map[string]struct {
		metric  snapshot.Metric
		days    civil.Range
		actual  *float64
		through civil.Date
		want    Status
	}{
		"tomorrow":          {snapshot.Revenue, civil.Range{First: today.AddDays(1), Last: today.AddDays(7)}, nil, civil.Date{}, Upcoming},
		"from today":        {snapshot.Revenue, civil.Range{First: today, Last: today.AddDays(7)}, nil, civil.Date{}, UnderWay},
		"up to today":       {snapshot.Revenue, civil.Range{First: today.AddDays(-7), Last: today}, new(99.0), today, UnderWay},
		"a missing day":     {snapshot.Revenue, past, new(99.0), today.AddDays(-2), Unknown},
		"no result":         {snapshot.Revenue, past, nil, past.Last, Unknown},
		"exactly":           {snapshot.Revenue, past, new(100.0), past.Last, Met},
		"less":              {snapshot.Revenue, past, new(99.0), past.Last, Missed},
		"more":              {snapshot.Revenue, past, new(101.0), past.Last, Met},
		"all of a budget":   {snapshot.Spend, past, new(100.0), past.Last, Met},
		"less than budget":  {snapshot.Spend, past, new(99.0), past.Last, Met},
		"more than budget":  {snapshot.Spend, past, new(101.0), past.Last, Missed},
		"spend is not read": {snapshot.Spend, past, nil, past.Last, Unknown},
	} {
		g := Goal{Metric: c.metric, Days: c.days, Value: 100}
		if got := g.Status(today, Row{Actual: c.actual, Through: c.through}); got != c.want {
			t.Errorf("%s: %s, want %s", what, got, c.want)
		}
	}
	for p, want := range map[float64]Status{
		0: WithinBudget, 1 - forecast.OnTrackFrom: WithinBudget, 0.5: NearBudget, forecast.OnTrackFrom: OverBudget, 1: OverBudget,
	} {
		if got := (Goal{Metric: snapshot.Spend}).paceStatus(forecast.Pace{Probability: p}); got != want {
			t.Errorf("a probability of %v to exceed a budget is %s, want %s", p, got, want)
		}
	}
}

func TestPeriodsAroundADay(t *testing.T) {
	t.Parallel()
	day := civil.New(2026, 5, 20) // a Wednesday
	for period, want := range map[Period]civil.Range{
		DailyPeriod:     {First: day, Last: day},
		WeeklyPeriod:    {First: civil.New(2026, 5, 18), Last: civil.New(2026, 5, 24)},
		MonthlyPeriod:   {First: civil.New(2026, 5, 1), Last: civil.New(2026, 5, 31)},
		QuarterlyPeriod: {First: civil.New(2026, 4, 1), Last: civil.New(2026, 6, 30)},
	} {
		if got := period.around(day); got != want {
			t.Errorf("the %s period of %s is %s, want %s", period, day, got, want)
		}
	}
	for _, month := range []time.Month{1, 3, 10, 12} {
		q := QuarterlyPeriod.around(civil.New(2026, month, 15))
		if q.First != civil.New(2026, (month-1)/3*3+1, 1) || !q.Contains(civil.New(2026, month, 15)) || q.Last.AddDays(1).Day() != 1 || q.Days() < 90 || q.Days() > 92 {
			t.Errorf("the quarter of month %d is %s", month, q)
		}
	}
}

func TestGoalsInProgressAreFirst(t *testing.T) {
	t.Parallel()
	at := func(month time.Month, status Status) Row {
		return Row{Start: civil.New(2026, month, 1), Status: status}
	}
	rows := []Row{at(1, Met), at(6, Upcoming), at(4, UnderWay), at(2, Missed), at(5, Upcoming), at(3, UnderWay)}
	SortByTime(rows)
	var months []int
	for _, r := range rows {
		months = append(months, int(r.Start.Month()))
	}
	if want := []int{4, 3, 5, 6, 2, 1}; !slices.Equal(months, want) {
		t.Errorf("months %v, want %v", months, want)
	}
	goals := []Goal{
		{Channel: "facebook", Metric: snapshot.Revenue, Period: MonthlyPeriod},
		{Metric: snapshot.Spend, Period: MonthlyPeriod},
		{Metric: snapshot.Revenue, Period: DailyPeriod},
		{Metric: snapshot.Revenue, Period: MonthlyPeriod, Days: march},
		{Metric: snapshot.Revenue, Period: MonthlyPeriod, Days: quarter},
	}
	sorted := slices.Clone(goals)
	slices.SortStableFunc(sorted, inOrder)
	if want := []Goal{goals[4], goals[3], goals[2], goals[1], goals[0]}; !slices.Equal(sorted, want) {
		t.Errorf("goals %+v, want %+v", sorted, want)
	}
}

func TestCountsListEachStatusOfTheTargets(t *testing.T) {
	t.Parallel()
	rows := []Row{{Status: Unknown}, {Status: OverBudget}, {Status: OnTrack}, {Status: WithinBudget}, {Status: OnTrack}, {Status: NearBudget}, {Status: OffTrack}}
	if got, want := Counts(rows), "2 on track, 1 off track, 1 within budget, 1 near budget, 1 over budget, 1 unknown"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
