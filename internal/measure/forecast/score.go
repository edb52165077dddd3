package forecast

import (
	"math"

	"assay/internal/fault"
)

// Score is the accuracy of a forecast.
type Score struct {
	SMAPE float64  // mean of 200 |y - f| / (|y| + |f|), percent; 0 where both are 0
	MASE  *float64 // mean |y - f| / mean |y_t - y_{t-season}| of the history; nil when that is 0
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

// Coverage is the share of values inside their bands.
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

// Pinball is the mean pinball loss of forecasts of the p-quantile: p times the excess of the value, 1 - p times the
// shortfall (Koenker and Bassett 1978, "Regression quantiles"). The true quantile minimizes its expectation.
func Pinball(p float64, actual, quantiles []float64) (float64, error) {
	if !(p > 0 && p < 1) {
		return 0, fault.Invalid("the quantile is %v, want a fraction between 0 and 1", p)
	}
	if len(actual) != len(quantiles) || len(actual) == 0 {
		return 0, fault.Invalid("%d values to compare with %d quantiles", len(actual), len(quantiles))
	}
	var sum float64
	for i, y := range actual {
		d := y - quantiles[i]
		sum += max(p*d, (p-1)*d)
	}
	return sum / float64(len(actual)), nil
}
