package tools

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"math"
	"slices"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/forecast"
	"assay/internal/number"
)

// Forecasts keeps forecasts and how they came out. The store of control data does.
type Forecasts interface {
	KeepForecasts(ctx context.Context, ws measure.WorkspaceID, all []control.Forecast) error
	OpenForecasts(ctx context.Context, ws measure.WorkspaceID, before civil.Date) ([]control.Forecast, error)
	JudgeForecasts(ctx context.Context, ws measure.WorkspaceID, all []control.Forecast) error
	LastForecast(ctx context.Context, ws measure.WorkspaceID) (civil.Date, error)
	ForecastRecords(ctx context.Context, ws measure.WorkspaceID) ([]control.ForecastRecord, error)
	ForecastState(ctx context.Context, ws measure.WorkspaceID) (control.ForecastState, error)
}

// keptLevels are the levels of [control.ForecastLevels] as fractions.
func keptLevels() []float64 {
	var levels []float64
	for _, pct := range control.ForecastLevels() {
		levels = append(levels, float64(pct)/100)
	}
	return levels
}

// at90 is the place of the interval that answers show among the kept levels.
const at90 = 1

const (
	backMade      = 36 // weeks back from which forecasts are made when a workspace has none yet
	leastBackMade = 60 // days that such a forecast is made from at least
)

// dailyMetrics are forecast each day. ROAS is a ratio of sums and has none.
var dailyMetrics = []trendMetric{trendRevenue, trendOrders, trendSpend}

// Forecast keeps what is expected of the workspace's days ahead and judges the forecasts whose days are over. Doing it again on
// a day makes no other forecast. A workspace that has none gets some of its past weeks too, each made from the days up to
// then; they are marked as made afterwards. Facts that changed since, such as an order that was cancelled later, are in
// them as they are now.
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
	if err := s.keepDaily(ctx); err != nil {
		return fmt.Errorf("forecast of %q: %w", w.ID, err)
	}
	if err := s.judgeForecasts(ctx); err != nil {
		return fmt.Errorf("forecasts of %q that are over: %w", w.ID, err)
	}
	return nil
}

// keepDaily makes the forecasts of today unless they are made, and those of the past where there are none. All are kept at
// once: half of them would say that all is done.
func (c *Snapshot) keepDaily(ctx context.Context) error {
	made, err := c.reader.Forecasts.LastForecast(ctx, c.Workspace.ID)
	if err != nil || made == c.Today {
		return err
	}
	horizons := control.ForecastDays()
	history := forecastDays
	if made.IsZero() {
		history += 7*backMade + horizons[len(horizons)-1]
	}
	yesterday := c.Today.AddDays(-1)
	var all []control.Forecast
	for _, metric := range dailyMetrics {
		s, err := c.daily(ctx, seriesKey{metric: metric}, civil.Range{First: yesterday.AddDays(1 - history), Last: yesterday})
		if err != nil {
			return err
		}
		if made.IsZero() {
			past, err := c.backMade(ctx, metric, s)
			if err != nil {
				return err
			}
			all = append(all, past...)
		}
		if s.last.Before(c.Today.AddDays(-staleAfter)) {
			continue
		}
		ahead, err := c.forecastsFrom(metric, s, len(s.raw), control.DailyForecast)
		if err != nil {
			return err
		}
		all = append(all, ahead...)
	}
	return c.reader.Forecasts.KeepForecasts(ctx, c.Workspace.ID, all)
}

// backMade returns forecasts of past weeks, each from the days before only.
func (c *Snapshot) backMade(ctx context.Context, metric trendMetric, s *expectedSeries) ([]control.Forecast, error) {
	var all []control.Forecast
	for week := 1; week <= backMade; week++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		known := len(s.raw) - 1 - 7*week
		if known < leastBackMade {
			break
		}
		made, err := c.forecastsFrom(metric, s, known, control.BackMadeForecast)
		if err != nil {
			return nil, err
		}
		all = append(all, slices.DeleteFunc(made, func(f control.Forecast) bool { return !f.Days.Last.Before(s.last) })...)
	}
	return all, nil
}

// forecastsFrom returns what is expected after so many known days of a series, nothing where that cannot be said.
func (c *Snapshot) forecastsFrom(metric trendMetric, s *expectedSeries, known int, occasion control.Occasion) ([]control.Forecast, error) {
	horizons := control.ForecastDays()
	values := forecast.Filled(s.raw[max(0, known-forecastDays):known], week)
	p, err := forecast.Predict(values, forecast.Ask{Horizon: horizons[len(horizons)-1], Season: week, Levels: keptLevels()})
	if fault.KindOf(err) == fault.KindNotReady || len(values) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", metric, err)
	}
	made := c.Today
	if occasion == control.BackMadeForecast {
		made = s.first.AddDays(known)
	}
	var all []control.Forecast
	for _, days := range horizons {
		total, err := p.Total(days)
		if err != nil {
			return nil, fmt.Errorf("%s of %d days: %w", metric, days, err)
		}
		f := c.keptForecast(seriesKey{metric: metric}, p.Model, total, civil.Range{First: s.first.AddDays(known), Last: s.first.AddDays(known + days - 1)})
		f.Made, f.Occasion = made, occasion
		all = append(all, f)
	}
	return all, nil
}

// keptForecast is a forecast in the form in which it is kept.
func (c *Snapshot) keptForecast(key seriesKey, method string, total forecast.Total, days civil.Range) control.Forecast {
	f := control.Forecast{
		Workspace: c.Workspace.ID, Metric: string(key.metric), Channel: key.channel, Made: c.Today, Days: days, Median: total.Value, Method: method,
		DataVersion: c.data, Occasion: control.AnswerForecast, At: c.Real,
	}
	for i, b := range total.Bands {
		f.Bands[i] = control.ForecastBand{Low: b.Low, High: b.High}
	}
	return f
}

// judgeForecasts compares forecasts whose days are over with what came. A day is over when a later one has data: the last
// one with data may have come in part.
func (c *Snapshot) judgeForecasts(ctx context.Context) error {
	open, err := c.reader.Forecasts.OpenForecasts(ctx, c.Workspace.ID, c.Today)
	if err != nil || len(open) == 0 {
		return err
	}
	known := map[seriesKey]*expectedSeries{}
	var judged []control.Forecast
	for _, f := range open {
		key := seriesKey{trendMetric(f.Metric), f.Channel}
		if known[key] == nil {
			days := civil.Range{First: c.Today.AddDays(-2 * forecastDays), Last: c.Today.AddDays(-1)}
			if known[key], err = c.daily(ctx, key, days); err != nil {
				return err
			}
		}
		done, err := c.outcome(f, known[key])
		if err != nil {
			return fmt.Errorf("%s %s: %w", f.Metric, f.Days, err)
		}
		if done.Outcome != nil {
			judged = append(judged, done)
		}
	}
	return c.reader.Forecasts.JudgeForecasts(ctx, c.Workspace.ID, judged)
}

// outcome returns the forecast with its outcome; without one where a day is not known.
func (c *Snapshot) outcome(f control.Forecast, s *expectedSeries) (control.Forecast, error) {
	if len(s.raw) == 0 || f.Days.First.Before(s.first) || !f.Days.Last.Before(s.last) {
		return f, nil
	}
	from := f.Days.First.Sub(s.first)
	var came float64
	for _, y := range s.raw[from : from+f.Days.Days()] {
		came += y
	}
	if math.IsNaN(came) {
		return f, nil
	}
	expected := forecast.Expected{Points: f.Days.Days(), Median: f.Median, Levels: keptLevels()}
	for _, b := range f.Bands {
		expected.Bands = append(expected.Bands, forecast.Band(b))
	}
	o, err := expected.Outcome(forecast.Filled(s.raw[max(0, from-forecastDays):from], week), week, came)
	if err != nil {
		return f, err
	}
	f.Outcome = &control.ForecastOutcome{
		Actual: came, Error: o.Error, Inside: [3]bool(o.Inside), Pinball: o.Pinball, MASE: o.MASE, DataVersion: c.data, At: c.Real,
	}
	return f, nil
}

// keepAnswered keeps what an answer stands on. An answer does not fail because it cannot be kept.
func (c *Call) keepAnswered(ctx context.Context, all []control.Forecast) {
	if err := c.recordForecasts(ctx, all); err != nil {
		c.Log.WarnContext(ctx, "forecasts of an answer are not kept", slog.String("workspace", string(c.Workspace.ID)), slog.Any("error", err))
	}
}

// What it takes to say how past forecasts did: so many judged, and so many of them that share no day.
const (
	leastJudged   = 20
	leastSeparate = 8
)

// pastForecasts says how forecasts did whose days are over.
type pastForecasts struct {
	Metric     trendMetric     `json:"metric"`
	Channel    measure.Channel `json:"channel,omitempty"`
	Days       int             `json:"days,omitempty" doc:"Summed in each forecast; absent: what was left of a period when the question was asked."`
	Afterwards bool            `json:"made_afterwards" doc:"Made later, from the days up to then only, and not kept at the time."`
	Judged     int             `json:"judged" doc:"Forecasts whose days are over."`
	Separate   int             `json:"separate" doc:"The most of them of which no two share a day: the others are no evidence of their own."`
	Enough     bool            `json:"enough" doc:"At least 20 judged and 8 separate; with fewer nothing is said of how they did."`
	Inside80   *answer.Percent `json:"inside_80_pct,omitempty" doc:"Share that came within the 80 % interval."`
	Inside90   *answer.Percent `json:"inside_90_pct,omitempty"`
	Inside95   *answer.Percent `json:"inside_95_pct,omitempty"`
	Error      *answer.Percent `json:"error_pct,omitempty" doc:"Sum of the sizes of errors in percent of what came."`
	Bias       *answer.Percent `json:"bias_pct,omitempty" doc:"What came less what was expected, in percent of what came."`
	MASE       *answer.Ratio   `json:"mase,omitempty" doc:"Size of the error over that of repeating the weeks before; below 1 is better."`
	Start      civil.Date      `json:"first_day"`
	End        civil.Date      `json:"last_day"`
}

// past returns how forecasts of the answer's metrics and channel did, those kept at the time first.
func (c *Call) past(a *forecastingAnswer) []pastForecasts {
	var all []pastForecasts
	for _, r := range c.Records {
		if r.Channel != a.Channel || !slices.ContainsFunc(a.Rows, func(row forecastRow) bool { return string(row.Metric) == r.Metric }) {
			continue
		}
		p := pastForecasts{
			Metric: trendMetric(r.Metric), Channel: r.Channel, Days: r.Points, Afterwards: r.BackMade, Judged: r.Judged, Separate: r.Separate,
			Enough: r.Judged >= leastJudged && r.Separate >= leastSeparate, Start: r.Days.First, End: r.Days.Last,
		}
		if p.Enough {
			p.Inside80, p.Inside90, p.Inside95 = shareIn(r, 0), shareIn(r, 1), shareIn(r, 2)
			if r.Actual > 0 {
				p.Error, p.Bias = new(answer.Percent(100*r.Size/r.Actual)), new(answer.Percent(100*r.Error/r.Actual))
			}
			if r.Scaled > 0 {
				p.MASE = new(answer.Ratio(r.MASE))
			}
		}
		all = append(all, p)
	}
	metrics := []trendMetric{trendRevenue, trendOrders, trendSpend}
	slices.SortStableFunc(all, func(x, y pastForecasts) int {
		kept := func(p pastForecasts) int {
			if p.Afterwards {
				return 1
			}
			return 0
		}
		return cmp.Or(cmp.Compare(slices.Index(metrics, x.Metric), slices.Index(metrics, y.Metric)), cmp.Compare(kept(x), kept(y)), cmp.Compare(x.Days, y.Days))
	})
	return all
}

func shareIn(r control.ForecastRecord, level int) *answer.Percent {
	return new(answer.Percent(100 * float64(r.Inside[level]) / float64(r.Judged)))
}

// apart says how many of the forecasts share no day.
func (p pastForecasts) apart() string {
	if p.Separate == p.Judged {
		return "which share no day"
	}
	return fmt.Sprintf("%d of which share no day", p.Separate)
}

// pastSentence says how forecasts of a week did, for the metric that the answer begins with.
func (c *Call) pastSentence(past []pastForecasts, metric trendMetric) string {
	if !c.recordsForecasts() {
		return ""
	}
	judged := 0
	var told *pastForecasts
	for i, p := range past {
		if p.Metric != metric || p.Days != week {
			continue
		}
		if !p.Afterwards {
			judged = p.Judged
		}
		if told == nil && p.Enough {
			told = &past[i]
		}
	}
	few := fmt.Sprintf("Of forecasts kept so far %d of a week can be judged: not enough yet to say how they do", judged)
	switch {
	case told == nil:
		return " " + few + "."
	case told.Afterwards:
		return fmt.Sprintf(" %s; of %d made afterwards for past weeks, %s, %s %% came within their 80 %% interval.", few, told.Judged, told.apart(), number.Grouped(answer.Decimals(float64(*told.Inside80), 0), 0))
	}
	return fmt.Sprintf(" Of %d past forecasts of a week, %s, %s %% came within their 80 %% interval.", told.Judged, told.apart(), number.Grouped(answer.Decimals(float64(*told.Inside80), 0), 0))
}

// recordsForecasts reports whether forecasts are recorded.
func (c *Snapshot) recordsForecasts() bool { return c.reader.Forecasts != nil }

// recordForecasts records the forecasts that an answer contains.
func (c *Snapshot) recordForecasts(ctx context.Context, all []control.Forecast) error {
	if !c.recordsForecasts() {
		return nil
	}
	return c.reader.Forecasts.KeepForecasts(ctx, c.Workspace.ID, all)
}
