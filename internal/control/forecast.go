package control

import (
	"time"

	"assay/internal/civil"
	"assay/internal/measure"
)

// ForecastLevels are the levels of the intervals that are kept with a forecast, in percent.
func ForecastLevels() [3]int { return [3]int{80, 90, 95} }

// Occasion is why a forecast was made.
type Occasion string

// The occasions.
const (
	DailyForecast    Occasion = "daily"      // each day, by itself
	AnswerForecast   Occasion = "answer"     // an answer stood on it
	BackMadeForecast Occasion = "afterwards" // later, from the days up to then only; it was never kept at the time
)

// Forecast is what was expected of a metric's sum over some days, none of which was known.
type Forecast struct {
	Workspace   measure.WorkspaceID
	Metric      string
	Channel     measure.Channel // "" for the whole store
	Made        civil.Date      // the day in the workspace's zone
	Days        civil.Range     // that are summed
	Median      float64         // money in whole units
	Bands       [3]ForecastBand // of [ForecastLevels]
	Method      string          // what made it, such as "Pool"
	DataVersion uint64          // of the facts that it was made from
	Occasion    Occasion
	At          time.Time
	Outcome     *ForecastOutcome // nil: the days are not over
}

// ForecastBand is an interval.
type ForecastBand struct{ Low, High float64 }

// ForecastOutcome is how a forecast came out.
type ForecastOutcome struct {
	Actual      float64
	Error       float64 // actual less median
	Inside      [3]bool // each interval
	Pinball     float64
	MASE        *float64 // nil: there was nothing to compare with
	DataVersion uint64   // of the facts that it was judged by
	At          time.Time
}

// ForecastState tells states of a workspace's judged forecasts apart.
type ForecastState struct {
	Judged int
	Last   int64 // when the last ones were judged, in microseconds since 1970; 0: never
}

// ForecastRecord sums up the judged forecasts of a metric over so many days.
type ForecastRecord struct {
	Metric   string
	Channel  measure.Channel
	Points   int  // days in each; 0: of the rest of periods, as many as they had
	BackMade bool // made afterwards, and not kept at the time

	Judged   int
	Separate int // the most of them of which no two share a day
	Inside   [3]int
	Error    float64 // sum of errors
	Size     float64 // sum of their sizes
	Actual   float64 // sum of what came
	MASE     float64 // mean over those that have one
	Scaled   int     // how many have one
	Days     civil.Range
}

// ForecastDays are the numbers of days that forecasts are made for each day.
func ForecastDays() [3]int { return [3]int{1, 7, 28} }
