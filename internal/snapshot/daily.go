package snapshot

import (
	"context"
	"fmt"
	"math"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/forecast"
	"assay/internal/measure/holiday"
	"assay/internal/measure/season"
)

// SeriesKey identifies a metric of a channel or of the store.
type SeriesKey struct {
	Metric  Metric
	Channel measure.Channel
}

// Daily is a metric by day up to the last complete day with data, and its forecast.
type Daily struct {
	Series
	First, Last civil.Date
	raw         []float64            // one value per day, NaN if unknown
	Values      []float64            // raw with unknown days filled in
	Prediction  *forecast.Prediction // nil if a forecast is impossible or not requested

	country  string // country of the holidays; empty: none
	begun    int    // position of the first value that the forecast uses
	calendar *forecast.Calendar
	unseen   []season.Unseen
}

// ForecastDays is the maximum number of days of history for a forecast.
const ForecastDays = 730

// Week is the seasonal period of daily figures in days.
const Week = 7

// Predict forecasts the series of a metric up to a day. The forecast does not use zeros before the first nonzero value.
func (s *Daily) Predict(key SeriesKey, last civil.Date) error {
	ahead := last.Sub(s.Last)
	if key.Metric == ROAS || ahead < 1 || len(s.Values) == 0 {
		return nil
	}
	s.begun = forecast.Begun(s.raw)
	p, calendar, unseen, err := predict(s.after(s.begun, len(s.raw), ahead), key.Metric)
	switch {
	case err == nil:
		s.Prediction, s.calendar, s.unseen = &p, calendar, unseen
	case fault.KindOf(err) != fault.KindNotReady:
		return fmt.Errorf("forecast of %s of %q: %w", key.Metric, key.Channel, err)
	}
	return nil
}

// after returns the input of a seasonal fit. It contains the values from the position from to the position before
// known, and the number of days to forecast.
func (s *Daily) after(from, known, ahead int) season.Ask {
	ask := season.Ask{First: s.First.AddDays(from), Values: s.raw[from:known], Ahead: ahead}
	if s.country != "" {
		ask.Countries = []string{s.country}
	}
	return ask
}

// predict forecasts the daily series of a metric with its yearly pattern. Without enough history for the pattern, the
// calendar is nil and every season ahead is unseen. Forecasts of spend assume that spend returns to its trend after a
// burst, a pause or a test.
func predict(ask season.Ask, metric Metric) (forecast.Prediction, *forecast.Calendar, []season.Unseen, error) {
	var calendar *forecast.Calendar
	var unseen []season.Unseen
	year, err := season.Fit(ask)
	switch {
	case err == nil:
		calendar, unseen = &forecast.Calendar{Factors: year.Factors, Covariance: year.Covariance}, year.Unseen
	case fault.KindOf(err) == fault.KindNotReady:
		next := ask.First.AddDays(len(ask.Values))
		unseen = season.Ahead(civil.Range{First: next, Last: next.AddDays(ask.Ahead - 1)})
	default:
		return forecast.Prediction{}, nil, nil, err
	}
	p, err := forecast.Predict(forecast.Filled(ask.Values, Week), forecast.Ask{
		Horizon: ask.Ahead, Season: Week, Levels: ForecastLevels(), Calendar: calendar, Reverts: metric == Spend,
	})
	return p, calendar, unseen, err
}

// Unseen returns the names of the seasons that begin within the given number of days and are not in the history.
func (s *Daily) Unseen(days int) []string {
	var names []string
	for _, u := range s.unseen {
		if u.From < days {
			names = append(names, u.Name)
		}
	}
	return names
}

// Index returns the pace index of a target; see [forecast.Pace].
func (s *Daily) Index(goal forecast.Goal) *float64 {
	return forecast.Index(s.Values[s.begun:], goal, forecast.Ask{Season: Week, Calendar: s.calendar})
}

// DailySeries returns a metric by day, from the first to the last known day.
func (c *Snapshot) DailySeries(ctx context.Context, key SeriesKey, days civil.Range) (*Daily, error) {
	of := c.SeriesOf
	if key.Metric == Spend && key.Channel != "" {
		of = c.spendSeries
	}
	read, err := of(ctx, key.Channel, days)
	if err != nil {
		return nil, err
	}
	s := &Daily{Series: read, Last: days.Last, country: holiday.CountryOf(c.Workspace.Zone)}
	known := c.Store.OrderDays.Intersect(read.Days)
	switch key.Metric {
	case Spend:
		known = spendDays(read.totals)
	case ROAS:
		known = known.Intersect(spendDays(read.totals))
	case Revenue, Orders, AOV:
	}
	if known.Days() == 0 || read.RevenueUnknown && key.Metric != Spend {
		return s, nil
	}
	s.First, s.Last = known.First, known.Last
	for i := range known.Days() {
		day := known.First.AddDays(i)
		s.raw = append(s.raw, c.Value(key.Metric, read.Point(civil.Range{First: day, Last: day})))
	}
	s.Values = forecast.Filled(s.raw, Week)
	return s, nil
}

// On returns the value of a day, and whether it is known.
func (s *Daily) On(day civil.Date) (value float64, known bool) {
	i := day.Sub(s.First)
	if i < 0 || i >= len(s.raw) || math.IsNaN(s.raw[i]) {
		return 0, false
	}
	return s.raw[i], true
}

// LastDays returns the last n complete days before today.
func (c *Snapshot) LastDays(n int) civil.Range {
	return civil.Range{First: c.Today.AddDays(-n), Last: c.Today.AddDays(-1)}
}

// Drift is a lasting deviation of a metric from the expected values.
type Drift struct {
	Raised   civil.Date // day of the alarm
	Since    civil.Date // most likely start of the deviation
	Up       bool
	Excess   float64 // mean deviation since the start, in standard deviations
	Actual   float64 // total of the checked days since the start
	Expected float64 // expected total of the same days
}

// Drift returns the latest lasting deviation from the expected values, or nil if there is none. runLength is the mean
// number of days between two false alarms.
func (s *Daily) Drift(judged []forecast.Expectation, runLength float64) (*Drift, error) {
	errors := make([]float64, len(judged))
	for i, e := range judged {
		errors[i] = e.Z
	}
	alarms, err := forecast.Drifts(errors, runLength)
	if err != nil || len(alarms) == 0 {
		return nil, err
	}
	moves := forecast.Lasting(alarms, Week)
	newest := moves[len(moves)-1]
	d := &Drift{
		Raised: s.First.AddDays(newest.At), Since: s.First.AddDays(newest.Since + 1), Up: newest.Up, Excess: newest.Excess,
	}
	for i := newest.Since + 1; i < len(judged); i++ {
		if judged[i].Judged() {
			d.Actual, d.Expected = d.Actual+s.Values[i], d.Expected+judged[i].Value
		}
	}
	return d, nil
}
