package control

import (
	"time"

	"assay/internal/civil"
	"assay/internal/measure"
)

// ForecastLevels returns the levels of the prediction intervals stored with a forecast, in percent.
func ForecastLevels() [3]int { return [3]int{80, 90, 95} }

// Occasion is the reason for a forecast.
type Occasion string

// The occasions.
const (
	DailyForecast    Occasion = "daily"      // scheduled, each day
	AnswerForecast   Occasion = "answer"     // an answer used it
	BackMadeForecast Occasion = "afterwards" // backtest: computed later from the data before the forecast's days
)

// Forecast is the predicted total of a metric over future days.
type Forecast struct {
	Workspace   measure.WorkspaceID
	Metric      string
	Channel     measure.Channel // "" for the whole store
	Made        civil.Date      // date in the workspace's time zone
	Days        civil.Range     // the days that the forecast covers
	Median      float64         // money in whole currency units
	Bands       [3]ForecastBand // prediction intervals at [ForecastLevels]
	Method      string          // forecasting method, such as "Pool"
	DataVersion uint64          // data version of the facts that the forecast was computed from
	Occasion    Occasion
	At          time.Time
	Outcome     *ForecastOutcome // nil: the forecast's days have not ended
}

// ForecastBand is a prediction interval.
type ForecastBand struct{ Low, High float64 }

// ForecastOutcome compares a forecast with the actual value.
type ForecastOutcome struct {
	Actual      float64
	Error       float64 // actual minus median
	Inside      [3]bool // whether each interval contains the actual value
	Pinball     float64
	MASE        *float64 // nil: no scale to compare with
	DataVersion uint64   // data version of the facts that the forecast was evaluated with
	At          time.Time
}

// ForecastState identifies the set of evaluated forecasts of a workspace.
type ForecastState struct {
	Judged int
	Last   int64 // time of the last evaluation, in microseconds since 1970; 0: never
}

// ForecastRecord summarizes the evaluated forecasts of a metric that have the same number of days.
type ForecastRecord struct {
	Metric   string
	Channel  measure.Channel
	Points   int  // days of each forecast; 0: forecasts of the rest of a period, of varying length
	BackMade bool // backtests

	Judged   int
	Separate int // the largest number of forecasts with no day in common
	Inside   [3]int
	Error    float64 // sum of errors
	Size     float64 // sum of absolute errors
	Actual   float64 // sum of actual values
	MASE     float64 // mean over the forecasts that have a MASE
	Scaled   int     // number of forecasts that have a MASE
	Days     civil.Range
}

// ForecastDays returns the horizons, in days, of the forecasts that are made every day.
func ForecastDays() [3]int { return [3]int{1, 7, 28} }
