package snapshot

import (
	"context"
	"fmt"
	"math"
	"slices"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/forecast"
)

// Forecasts stores forecasts and their outcomes. The control store implements it.
type Forecasts interface {
	KeepForecasts(ctx context.Context, ws measure.WorkspaceID, all []control.Forecast) error
	OpenForecasts(ctx context.Context, ws measure.WorkspaceID, before civil.Date) ([]control.Forecast, error)
	JudgeForecasts(ctx context.Context, ws measure.WorkspaceID, all []control.Forecast) error
	LastForecast(ctx context.Context, ws measure.WorkspaceID) (civil.Date, error)
	ForecastRecords(ctx context.Context, ws measure.WorkspaceID) ([]control.ForecastRecord, error)
	ForecastState(ctx context.Context, ws measure.WorkspaceID) (control.ForecastState, error)
}

// ForecastLevels returns [control.ForecastLevels] as fractions.
func ForecastLevels() []float64 {
	var levels []float64
	for _, pct := range control.ForecastLevels() {
		levels = append(levels, float64(pct)/100)
	}
	return levels
}

// At90 is the index, among the stored levels, of the interval that answers show.
const At90 = 1

const (
	backMade      = 36 // number of past weeks to forecast if a workspace has no forecasts
	leastBackMade = 60 // minimum number of days of history for a forecast of a past week
)

// dailyMetrics are forecast each day. ROAS is a ratio of totals and has no forecast.
var dailyMetrics = []Metric{Revenue, Orders, Spend}

// Forecast stores forecasts for the coming days of the workspace and evaluates forecasts of past days. It stores new
// forecasts at most once per day. A workspace without forecasts also gets forecasts of past weeks. These forecasts are
// marked as backtests. Each backtest uses only the days before its week, with the current data of these days, including
// later changes such as canceled orders.
func (r *Reader) Forecast(ctx context.Context, w control.Workspace) error {
	if r.Forecasts == nil {
		return nil
	}
	s, err := r.Take(ctx, w, Wants{})
	if err != nil {
		return fmt.Errorf("forecast: %w", err)
	}
	if s.Store.OrderDays.Days() == 0 {
		return nil
	}
	if err := keepDaily(ctx, s); err != nil {
		return fmt.Errorf("forecast of %q: %w", w.ID, err)
	}
	if err := judgeForecasts(ctx, s); err != nil {
		return fmt.Errorf("completed forecasts of %q: %w", w.ID, err)
	}
	return nil
}

// keepDaily computes today's forecasts if they are missing. It also computes backtests if the workspace has no
// forecasts. It stores all of them in one transaction, because a stored forecast means that all forecasts of the day
// are stored.
func keepDaily(ctx context.Context, c *Snapshot) error {
	made, err := c.reader.Forecasts.LastForecast(ctx, c.Workspace.ID)
	if err != nil || made == c.Today {
		return err
	}
	horizons := control.ForecastDays()
	history := ForecastDays
	if made.IsZero() {
		history += 7*backMade + horizons[len(horizons)-1]
	}
	yesterday := c.Today.AddDays(-1)
	var all []control.Forecast
	for _, metric := range dailyMetrics {
		s, err := c.DailySeries(ctx, SeriesKey{Metric: metric}, civil.Range{
			First: yesterday.AddDays(1 - history), Last: yesterday,
		})
		if err != nil {
			return err
		}
		if made.IsZero() {
			past, err := pastForecasts(ctx, c, metric, s)
			if err != nil {
				return err
			}
			all = append(all, past...)
		}
		if s.Last.Before(c.Today.AddDays(-StaleAfter)) {
			continue
		}
		ahead, err := forecastsFrom(c, metric, s, len(s.raw), control.DailyForecast)
		if err != nil {
			return err
		}
		all = append(all, ahead...)
	}
	return c.reader.Forecasts.KeepForecasts(ctx, c.Workspace.ID, all)
}

// pastForecasts returns forecasts of past weeks, each from the days before that week only.
func pastForecasts(ctx context.Context, c *Snapshot, metric Metric, s *Daily) ([]control.Forecast, error) {
	var all []control.Forecast
	for week := 1; week <= backMade; week++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		known := len(s.raw) - 1 - 7*week
		if known < leastBackMade {
			break
		}
		made, err := forecastsFrom(c, metric, s, known, control.BackMadeForecast)
		if err != nil {
			return nil, err
		}
		all = append(all, slices.DeleteFunc(made, func(f control.Forecast) bool { return !f.Days.Last.Before(s.Last) })...)
	}
	return all, nil
}

// forecastsFrom returns the forecasts after the known days of a series, or none if a forecast is impossible.
func forecastsFrom(c *Snapshot, metric Metric, s *Daily, known int, occasion control.Occasion) (
	[]control.Forecast, error,
) {
	horizons := control.ForecastDays()
	from := max(0, known-ForecastDays)
	if known == from {
		return nil, nil
	}
	p, _, _, err := predict(s.after(from, known, horizons[len(horizons)-1]), metric)
	if fault.KindOf(err) == fault.KindNotReady {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", metric, err)
	}
	made := c.Today
	if occasion == control.BackMadeForecast {
		made = s.First.AddDays(known)
	}
	var all []control.Forecast
	for _, days := range horizons {
		total, err := p.Total(days)
		if err != nil {
			return nil, fmt.Errorf("%s of %d days: %w", metric, days, err)
		}
		f := c.ForecastRecord(SeriesKey{Metric: metric}, p.Model, total, civil.Range{
			First: s.First.AddDays(known), Last: s.First.AddDays(known + days - 1),
		})
		f.Made, f.Occasion = made, occasion
		all = append(all, f)
	}
	return all, nil
}

// ForecastRecord converts a forecast to the stored form.
func (c *Snapshot) ForecastRecord(
	key SeriesKey, method string, total forecast.Total, days civil.Range,
) control.Forecast {
	f := control.Forecast{
		Workspace: c.Workspace.ID, Metric: string(key.Metric), Channel: key.Channel, Made: c.Today, Days: days,
		Median: total.Value, Method: method,
		DataVersion: c.data, Occasion: control.AnswerForecast, At: c.Real,
	}
	for i, b := range total.Bands {
		f.Bands[i] = control.ForecastBand{Low: b.Low, High: b.High}
	}
	return f
}

// judgeForecasts compares forecasts of past days with the outcome. A day is complete if a later day has data; the last
// day with data may be incomplete.
func judgeForecasts(ctx context.Context, c *Snapshot) error {
	open, err := c.reader.Forecasts.OpenForecasts(ctx, c.Workspace.ID, c.Today)
	if err != nil || len(open) == 0 {
		return err
	}
	known := map[SeriesKey]*Daily{}
	var judged []control.Forecast
	for _, f := range open {
		key := SeriesKey{Metric: Metric(f.Metric), Channel: f.Channel}
		if known[key] == nil {
			days := civil.Range{First: c.Today.AddDays(-2 * ForecastDays), Last: c.Today.AddDays(-1)}
			if known[key], err = c.DailySeries(ctx, key, days); err != nil {
				return err
			}
		}
		done, err := outcome(c, f, known[key])
		if err != nil {
			return fmt.Errorf("%s %s: %w", f.Metric, f.Days, err)
		}
		if done.Outcome != nil {
			judged = append(judged, done)
		}
	}
	return c.reader.Forecasts.JudgeForecasts(ctx, c.Workspace.ID, judged)
}

// outcome returns the forecast with its outcome. The outcome is missing if a day is unknown.
func outcome(c *Snapshot, f control.Forecast, s *Daily) (control.Forecast, error) {
	if len(s.raw) == 0 || f.Days.First.Before(s.First) || !f.Days.Last.Before(s.Last) {
		return f, nil
	}
	from := f.Days.First.Sub(s.First)
	var came float64
	for _, y := range s.raw[from : from+f.Days.Days()] {
		came += y
	}
	if math.IsNaN(came) {
		return f, nil
	}
	expected := forecast.Expected{Points: f.Days.Days(), Median: f.Median, Levels: ForecastLevels()}
	for _, b := range f.Bands {
		expected.Bands = append(expected.Bands, forecast.Band(b))
	}
	o, err := expected.Outcome(forecast.Filled(s.raw[max(0, from-ForecastDays):from], Week), Week, came)
	if err != nil {
		return f, err
	}
	f.Outcome = &control.ForecastOutcome{
		Actual: came, Error: o.Error, Inside: [3]bool(o.Inside), Pinball: o.Pinball, MASE: o.MASE, DataVersion: c.data,
		At: c.Real,
	}
	return f, nil
}

// RecordsForecasts reports whether forecasts are recorded.
func (c *Snapshot) RecordsForecasts() bool { return c.reader.Forecasts != nil }

// RecordForecasts records the forecasts in an answer.
func (c *Snapshot) RecordForecasts(ctx context.Context, all []control.Forecast) error {
	if !c.RecordsForecasts() {
		return nil
	}
	return c.reader.Forecasts.KeepForecasts(ctx, c.Workspace.ID, all)
}
