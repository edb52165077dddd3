package forecast

import (
	"math"

	"assay/internal/fault"
)

// Kinds lists the kinds.
func Kinds() []Kind { return []Kind{Auto, ETS, ARIMA, Theta, Pool} }

// Weeks returns the parameters for weekly data, estimated from the last year, without a yearly cycle. The first z-score
// is for week nineteen.
func Weeks() Rhythm {
	return Rhythm{season: 1, warmup: 8, window: 52, settle: 10, forget: 0.3, clipAt: 3, minimum: 0.02}
}

// PaceOf forecasts the rest of the period and compares it with the goal. It ignores the horizon of ask.
func PaceOf(values []float64, goal Goal, ask Ask) (Pace, error) {
	if err := goal.check(len(values)); err != nil {
		return Pace{}, err
	}
	ask.Horizon = goal.Length - goal.Elapsed
	p, err := Predict(values, ask)
	if err != nil {
		return Pace{}, err
	}
	pace, err := p.Pace(values, goal)
	if err != nil {
		return Pace{}, err
	}
	pace.Index = Index(values, goal, ask)
	return pace, nil
}

// Score contains the accuracy of a forecast.
type Score struct {
	SMAPE float64  // mean of 200 |y - f| / (|y| + |f|), percent; 0 where both are 0
	MASE  *float64 // mean |y - f| / mean |y_t - y_{t-season}| of the history; nil if the denominator is 0
	Bias  float64  // mean of y - f, in the unit of the series
}

// Scored compares a forecast with actual values, scaled by the history before them (Hyndman and Koehler 2006, "Another
// look at measures of forecast accuracy").
func Scored(history, actual, forecast []float64, season int) (Score, error) {
	if len(actual) != len(forecast) || len(actual) == 0 {
		return Score{}, fault.Invalid("%d values to compare with %d forecasts", len(actual), len(forecast))
	}
	season = max(1, season)
	if len(history) <= season {
		return Score{}, fault.NotReady("the history has %d points, the scale needs more than a season of %d", len(history), season)
	}
	var s Score
	var absolute float64
	n := float64(len(actual))
	for h, y := range actual {
		f := forecast[h]
		if size := math.Abs(y) + math.Abs(f); size > 0 {
			s.SMAPE += 200 * math.Abs(y-f) / size / n
		}
		absolute += math.Abs(y-f) / n
		s.Bias += (y - f) / n
	}
	if scale := meanSize(stride(history, season)); scale > 0 {
		scaled := absolute / scale
		s.MASE = &scaled
	}
	return s, nil
}

// Coverage returns the share of values inside their bands.
func Coverage(actual []float64, bands []Band) (float64, error) {
	if len(actual) != len(bands) || len(actual) == 0 {
		return 0, fault.Invalid("%d values to compare with %d bands", len(actual), len(bands))
	}
	inside := 0
	for i, y := range actual {
		if y >= bands[i].Low && y <= bands[i].High {
			inside++
		}
	}
	return float64(inside) / float64(len(actual)), nil
}
