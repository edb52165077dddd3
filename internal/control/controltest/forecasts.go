package controltest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
)

// expected returns a forecast of revenue for a number of days, starting on the given day.
func expected(ws measure.WorkspaceID, made civil.Date, points int, occasion control.Occasion) control.Forecast {
	return control.Forecast{
		Workspace: ws, Metric: "revenue", Made: made, Days: civil.Range{First: made, Last: made.AddDays(points - 1)}, Median: 100.25,
		Bands: [3]control.ForecastBand{{Low: 90, High: 110}, {Low: 85, High: 115}, {Low: 80, High: 120}}, Method: "Pool", DataVersion: 3,
		Occasion: occasion, At: noon,
	}
}

// judged returns the forecast with an outcome that differs from the median by the parameter off.
func judged(f control.Forecast, off float64, mase *float64) control.Forecast {
	f.Outcome = &control.ForecastOutcome{
		Actual: f.Median + off, Error: off, Pinball: 1.5, MASE: mase, DataVersion: 9, At: noon.Add(time.Hour),
	}
	for i, b := range f.Bands {
		f.Outcome.Inside[i] = b.Low <= f.Median+off && f.Median+off <= b.High
	}
	return f
}

func forecastsOf(t *testing.T, s Store, ws measure.WorkspaceID) []control.Forecast {
	t.Helper()
	all, err := s.Forecasts(t.Context(), ws, civil.Date{})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func forecastsAreKept(t *testing.T, s Store) {
	acme, zoo := newWorkspace(t, s, "Acme"), newWorkspace(t, s, "Zoo")
	monday := civil.MustParse("2026-11-16")
	if day, err := s.LastForecast(t.Context(), acme.ID); err != nil || !day.IsZero() {
		t.Errorf("last forecast before there is any: %v, %v", day, err)
	}
	week, daily, before := expected(acme.ID, monday, 7, control.DailyForecast), expected(acme.ID, monday, 1, control.DailyForecast), expected(acme.ID, monday.AddDays(-700), 1, control.BackMadeForecast)
	other := week
	other.Median, other.Occasion = 7, control.AnswerForecast
	spend := expected(acme.ID, monday, 7, control.AnswerForecast)
	spend.Metric, spend.Channel = "spend", "facebook"
	for _, batch := range [][]control.Forecast{{week, daily, before}, {other, spend}} {
		if err := s.KeepForecasts(t.Context(), acme.ID, batch); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]control.Forecast{before, daily, week, spend}, forecastsOf(t, s, acme.ID), byDay); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
	if got := forecastsOf(t, s, zoo.ID); len(got) != 0 {
		t.Errorf("another workspace has %+v", got)
	}
	if day, err := s.LastForecast(t.Context(), acme.ID); err != nil || day != monday {
		t.Errorf("last forecast %v, %v, want %v", day, err, monday)
	}
	if open, err := s.OpenForecasts(t.Context(), acme.ID, monday.AddDays(1)); err != nil || len(open) != 2 {
		t.Errorf("open before Tuesday: %+v, %v, want those of one day", open, err)
	}
	first, second := judged(daily, 5, new(0.5)), judged(daily, 50, nil)
	for _, outcome := range []control.Forecast{first, second} {
		if err := s.JudgeForecasts(t.Context(), acme.ID, []control.Forecast{outcome}); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]control.Forecast{before, first, week, spend}, forecastsOf(t, s, acme.ID), byDay); diff != "" {
		t.Errorf("after it was judged twice (-want +got):\n%s", diff)
	}
	wantKind(t, "a forecast judged without an outcome", s.JudgeForecasts(t.Context(), acme.ID, []control.Forecast{week}), fault.KindInvalid)
	wantKind(t, "a forecast of no workspace", s.KeepForecasts(t.Context(), "missing", []control.Forecast{week}), fault.KindNotFound)
	if err := s.DeleteWorkspace(t.Context(), acme.ID, at(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if got := forecastsOf(t, s, acme.ID); len(got) != 0 {
		t.Errorf("a deleted workspace has %+v", got)
	}
}

func forecastsAreSummedUp(t *testing.T, s Store) {
	acme := newWorkspace(t, s, "Acme")
	monday := civil.MustParse("2026-11-16")
	// Weekly forecasts made on three consecutive days overlap. Two forecasts of the rest of the same month also
	// overlap.
	outcomes := []control.Forecast{
		judged(expected(acme.ID, monday, 7, control.DailyForecast), 5, new(0.5)),
		judged(expected(acme.ID, monday.AddDays(1), 7, control.DailyForecast), -12, new(1.5)),
		judged(expected(acme.ID, monday.AddDays(2), 7, control.DailyForecast), 40, nil),
		judged(expected(acme.ID, monday.AddDays(-10), 7, control.BackMadeForecast), 1, nil),
		judged(expected(acme.ID, monday, 15, control.AnswerForecast), 1, nil),
		judged(expected(acme.ID, monday.AddDays(8), 7, control.AnswerForecast), 1, nil),
	}
	unjudged := expected(acme.ID, monday.AddDays(3), 7, control.DailyForecast)
	if err := s.KeepForecasts(t.Context(), acme.ID, append([]control.Forecast{unjudged}, outcomes...)); err != nil {
		t.Fatal(err)
	}
	none := stateOf(t, s, acme.ID)
	if err := s.JudgeForecasts(t.Context(), acme.ID, outcomes[1:]); err != nil {
		t.Fatal(err)
	}
	some := stateOf(t, s, acme.ID)
	if err := s.JudgeForecasts(t.Context(), acme.ID, outcomes); err != nil {
		t.Fatal(err)
	}
	if all := stateOf(t, s, acme.ID); none != (control.ForecastState{}) || some == none || all == some {
		t.Errorf("states are %+v, %+v and %+v: want none at first and another one with each that is judged", none, some, all)
	}
	got, err := s.ForecastRecords(t.Context(), acme.ID)
	if err != nil {
		t.Fatal(err)
	}
	want := []control.ForecastRecord{
		{Metric: "revenue", Judged: 2, Separate: 1, Inside: [3]int{2, 2, 2}, Error: 2, Size: 2, Actual: 202.5, Days: days("2026-11-16", "2026-11-30")},
		{
			Metric: "revenue", Points: 7, Judged: 3, Separate: 1, Inside: [3]int{1, 2, 2}, Error: 33, Size: 57, Actual: 333.75, MASE: 1, Scaled: 2,
			Days: days("2026-11-16", "2026-11-24"),
		},
		{Metric: "revenue", Points: 7, BackMade: true, Judged: 1, Separate: 1, Inside: [3]int{1, 1, 1}, Error: 1, Size: 1, Actual: 101.25, Days: days("2026-11-06", "2026-11-12")},
	}
	if diff := cmp.Diff(want, got, byDay); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

func stateOf(t *testing.T, s Store, ws measure.WorkspaceID) control.ForecastState {
	t.Helper()
	state, err := s.ForecastState(t.Context(), ws)
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// forecastsThatShareNoDay checks the count of forecasts without a common day. The forecasts have gaps between them.
// Some forecasts cover the rest of a period, such as a week, a month or a quarter.
func forecastsThatShareNoDay(t *testing.T, s Store) {
	acme := newWorkspace(t, s, "Acme")
	first := civil.MustParse("2026-03-01")
	var outcomes []control.Forecast
	for i := range 10 { // weekly forecasts on ten consecutive days, twice, a quarter apart
		outcomes = append(outcomes,
			judged(expected(acme.ID, first.AddDays(i), 7, control.DailyForecast), 1, nil),
			judged(expected(acme.ID, first.AddDays(93+i), 7, control.DailyForecast), 1, nil))
	}
	for _, rest := range []struct{ day, points int }{{0, 31}, {0, 92}, {1, 6}, {8, 6}, {8, 24}, {31, 30}} {
		outcomes = append(outcomes, judged(expected(acme.ID, first.AddDays(rest.day), rest.points, control.AnswerForecast), 1, nil))
	}
	if err := s.KeepForecasts(t.Context(), acme.ID, outcomes); err != nil {
		t.Fatal(err)
	}
	if err := s.JudgeForecasts(t.Context(), acme.ID, outcomes); err != nil {
		t.Fatal(err)
	}
	got, err := s.ForecastRecords(t.Context(), acme.ID)
	if err != nil || len(got) != 2 {
		t.Fatalf("records %+v, %v, want a record of rests of periods and a record of weeks", got, err)
	}
	// Among the forecasts of the rest of a period, the two short forecasts and the forecast of the following month
	// share no day. In each set of ten weekly forecasts, two share no day.
	for i, want := range []struct{ points, judged, separate int }{{0, 6, 3}, {7, 20, 4}} {
		if got[i].Points != want.points || got[i].Judged != want.judged || got[i].Separate != want.separate {
			t.Errorf("record %+v, want %+v", got[i], want)
		}
	}
}
