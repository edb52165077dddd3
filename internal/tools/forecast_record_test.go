package tools

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/control/sqlstore"
	"assay/internal/pacing"
	"assay/internal/toolkit"
)

// controlStore is an empty control database with the workspace "quiet".
func controlStore(t *testing.T) (*sqlstore.Store, control.Workspace) {
	t.Helper()
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{Path: filepath.Join(t.TempDir(), "control.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	w, err := store.CreateWorkspace(t.Context(), newWorkspace("quiet"), control.By{Actor: "test", At: fixtureClock()})
	if err != nil {
		t.Fatal(err)
	}
	return store, w
}

// forecastOn computes the forecasts of a day and returns all stored forecasts.
func forecastOn(t *testing.T, s *toolkit.Service, store *sqlstore.Store, w control.Workspace) []control.Forecast {
	t.Helper()
	if err := s.Snapshots().Forecast(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	all, err := store.Forecasts(t.Context(), w.ID, civil.Date{})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func steady(civil.Date) float64 { return 60 }

var byDay = cmp.Comparer(func(a, b civil.Date) bool { return a == b })

// Forecasts run twice on one day, and again 40 days later when the results are known.
func TestForecastsAreStoredOnceAndJudgedWhenDue(t *testing.T) {
	t.Parallel()
	facts := quietFacts(t, civil.Range{First: fixtureToday.AddDays(-160), Last: fixtureToday.AddDays(-1)}, steady)
	store, w := controlStore(t)
	then := fixtureToday.AddDays(-40)
	early := quietService(t, facts, store, func() time.Time { return fixtureClock().AddDate(0, 0, -40) })
	first := forecastOn(t, early, store, w)
	if diff := cmp.Diff(first, forecastOn(t, early, store, w), byDay); diff != "" {
		t.Errorf("second run on the same day (-first +second):\n%s", diff)
	}
	made := map[control.Occasion]int{}
	for _, f := range first {
		made[f.Occasion]++
		if f.Days.First != f.Made || f.Occasion == control.DailyForecast && (f.Made != then || f.Outcome != nil) || f.Occasion == control.BackMadeForecast && f.Outcome == nil {
			t.Errorf("%s forecast made %s of %s, outcome %v", f.Occasion, f.Made, f.Days, f.Outcome)
		}
	}
	if made[control.DailyForecast] != 6 || made[control.BackMadeForecast] < 30 || len(made) != 2 {
		t.Errorf("made %v, want 6 of the day (revenue and orders, no spend) and backtests of past weeks", made)
	}
	for _, f := range forecastOn(t, quietService(t, facts, store, fixtureClock), store, w) {
		if f.Made != then {
			continue
		}
		if f.Outcome == nil {
			t.Fatalf("%s of %s has no outcome", f.Metric, f.Days)
		}
		sums := quietAnswer[PerformanceAnswer](t, quietService(t, facts, nil, fixtureClock), "performance", `{"start_date":"`+f.Days.First.String()+`","end_date":"`+f.Days.Last.String()+`","detail_level":"debug"}`).Metrics
		want := map[string]float64{"revenue": float64(*sums.Revenue.Value), "orders": float64(*sums.Orders.Value)}[f.Metric]
		near(t, "actual "+f.Metric+" of "+f.Days.String(), f.Outcome.Actual, want, 1)
		if f.Outcome.Error != f.Outcome.Actual-f.Median || f.Outcome.MASE == nil || f.Outcome.Inside[2] != (f.Bands[2].Low <= want && want <= f.Bands[2].High) {
			t.Errorf("%s of %s: median %v, bands %v, outcome %+v", f.Metric, f.Days, f.Median, f.Bands, *f.Outcome)
		}
	}
}

// A backtest for a day equals the forecast of a store with data up to that day.
func TestForecastsMadeAfterwardsKnowOnlyTheDaysBefore(t *testing.T) {
	t.Parallel()
	day := fixtureToday.AddDays(-1 - 7*5)
	rising := func(d civil.Date) float64 {
		if d.Before(day) {
			return 60
		}
		return 90 // unknown at that time
	}
	before := civil.Range{First: fixtureToday.AddDays(-130), Last: day.AddDays(-1)}
	whole := civil.Range{First: before.First, Last: fixtureToday.AddDays(-1)}
	then, backtest := map[string]control.Forecast{}, map[string]control.Forecast{}
	for _, c := range []struct {
		days     civil.Range
		today    civil.Date
		occasion control.Occasion
		into     map[string]control.Forecast
	}{
		{before, day, control.DailyForecast, then},
		{whole, fixtureToday, control.BackMadeForecast, backtest},
	} {
		store, w := controlStore(t)
		s := quietService(t, quietFacts(t, c.days, rising), store, func() time.Time { return fixtureClock().AddDate(0, 0, c.today.Sub(fixtureToday)) })
		for _, f := range forecastOn(t, s, store, w) {
			if f.Made == day && f.Occasion == c.occasion {
				c.into[f.Metric+f.Days.String()] = f
			}
		}
	}
	if len(then) != 6 {
		t.Fatalf("%d forecasts of the day, want 6", len(then))
	}
	ignored := cmpopts.IgnoreFields(control.Forecast{}, "Occasion", "At", "Outcome", "DataVersion")
	if diff := cmp.Diff(then, backtest, byDay, ignored); diff != "" {
		t.Errorf("forecast and backtest (-forecast +backtest):\n%s", diff)
	}
}

// An answer reports the accuracy of past forecasts once enough are due, and stores its own forecasts.
func TestAnswersReportAccuracyOfPastForecasts(t *testing.T) {
	t.Parallel()
	facts := quietFacts(t, civil.Range{First: fixtureToday.AddDays(-220), Last: fixtureToday.AddDays(-1)}, steady)
	store, w := controlStore(t)
	s := quietService(t, facts, store, fixtureClock)
	ask := func() ForecastingAnswer {
		t.Helper()
		return quietAnswer[ForecastingAnswer](t, s, "forecasting", `{"period_type":"monthly","detail_level":"debug"}`)
	}
	a := ask()
	if !strings.Contains(a.Summary, "No stored weekly forecast is due yet.") || len(a.Past) != 0 {
		t.Errorf("before any forecast is due: %q, %+v", a.Summary, a.Past)
	}
	all, err := store.Forecasts(t.Context(), w.ID, fixtureToday)
	if err != nil || len(all) != 2 || all[0].Occasion != control.AnswerForecast {
		t.Fatalf("stored forecasts of the answer: %+v, %v; want revenue and orders of the rest of the month", all, err)
	}
	for i, metric := range []string{"orders", "revenue"} {
		for _, r := range a.Rows {
			if string(r.Metric) != metric || all[i].Metric != metric {
				continue
			}
			sofar := quietAnswer[PerformanceAnswer](t, s, "performance", `{"start_date":"`+r.Start.String()+`","end_date":"`+all[i].Days.First.AddDays(-1).String()+`","detail_level":"debug"}`).Metrics
			actual := map[string]float64{"revenue": float64(*sofar.Revenue.Value), "orders": float64(*sofar.Orders.Value)}[metric]
			near(t, "stored expected "+metric, actual+all[i].Median, *r.Expected, 2)
			near(t, "stored upper bound of "+metric, actual+all[i].Bands[2].High, *r.High95, 2)
		}
	}
	forecastOn(t, s, store, w)
	a = ask()
	if !strings.Contains(a.Summary, " in a backtest of 22 past weeks") {
		t.Errorf("after backtests: %q", a.Summary)
	}
	enough := 0
	for _, p := range a.Past {
		if !p.Afterwards {
			t.Errorf("no stored forecast is due: %+v", p)
		}
		if p.Enough {
			enough++
			if p.Judged < pacing.MinJudged || p.Separate < pacing.MinSeparate || *p.Inside80 < 50 || *p.Inside80 > 100 || *p.Inside95 < *p.Inside80 || *p.Error > 20 {
				t.Errorf("steady store: %+v", p)
			}
		}
	}
	if enough < 4 {
		t.Errorf("%d of %d have enough judged forecasts, want days and weeks of both metrics", enough, len(a.Past))
	}
	if none := decoded[ForecastingAnswer](t, callAs(t, quietService(t, facts, nil, fixtureClock).Session(reader(newWorkspace("quiet")), "r1"), "forecasting", `{}`).StructuredContent); strings.Contains(none.Summary, "stored") {
		t.Errorf("a service that stores no forecasts answers %q", none.Summary)
	}
}

// quietAnswer is the answer of a tool for the workspace "quiet".
func quietAnswer[A any](t *testing.T, s *toolkit.Service, tool, args string) A {
	t.Helper()
	r := callAs(t, s.Session(reader(newWorkspace("quiet")), "r1"), tool, args)
	if r.IsError {
		t.Fatalf("%s %s: %s", tool, args, r.Content[0].Text)
	}
	return decoded[A](t, r.StructuredContent)
}
