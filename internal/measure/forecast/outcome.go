package forecast

import (
	"math"

	"assay/internal/fault"
)

// Expected is a forecast of the total of several future points.
type Expected struct {
	Points int
	Median float64
	Levels []float64 // levels of the bands, each between 0 and 1
	Bands  []Band    // one per level
}

// Outcome is the evaluation of a forecast.
type Outcome struct {
	Error   float64  // actual minus median, in the series' unit
	Inside  []bool   // whether each band contains the actual value, limits included
	Pinball float64  // mean [Pinball] loss of the median and of the limits of the bands, in the unit of the series
	MASE    *float64 // absolute error / mean absolute naive error; nil if the naive error is 0 or unknown
}

// Outcome compares a forecast with the actual value. The naive forecast is the sum of the same number of points, a
// whole number of seasons earlier. Its errors come from the history before the first point (Hyndman and Koehler 2006,
// as in [Scored]). The history must be long enough for at least one of these errors. A number that is not finite
// results in a fault of kind invalid.
func (e Expected) Outcome(history []float64, season int, actual float64) (Outcome, error) {
	if e.Points < 1 || len(e.Levels) != len(e.Bands) {
		return Outcome{}, fault.Invalid("invalid forecast of %d points with %d levels and %d bands", e.Points, len(e.Levels), len(e.Bands))
	}
	finite := []float64{e.Median, actual}
	for _, b := range e.Bands {
		finite = append(finite, b.Low, b.High)
	}
	for _, x := range finite {
		if math.IsNaN(x) || math.Abs(x) > largest {
			return Outcome{}, fault.Invalid("value %v, want a finite number", x)
		}
	}
	o := Outcome{Error: actual - e.Median}
	quantiles, at := []float64{e.Median}, []float64{.5}
	for i, b := range e.Bands {
		o.Inside = append(o.Inside, b.Low <= actual && actual <= b.High)
		quantiles, at = append(quantiles, b.Low, b.High), append(at, (1-e.Levels[i])/2, (1+e.Levels[i])/2)
	}
	for i, q := range quantiles {
		loss, err := Pinball(at[i], []float64{actual}, []float64{q})
		if err != nil {
			return Outcome{}, err
		}
		o.Pinball += loss / float64(len(quantiles))
	}
	if scale := naiveSum(history, e.Points, max(1, season)); scale > 0 {
		scaled := math.Abs(o.Error) / scale
		o.MASE = &scaled
	}
	return o, nil
}

// naiveSum returns the mean absolute error of the naive forecast of a sum, or 0 if the history is too short. The naive
// forecast is the latest earlier sum without overlap, at a distance of whole seasons.
func naiveSum(history []float64, points, season int) float64 {
	lag := (points + season - 1) / season * season
	n := len(history) - points - lag + 1
	if n < 1 {
		return 0
	}
	sums := make([]float64, len(history)-points+1)
	for t := range sums {
		for _, y := range history[t : t+points] {
			sums[t] += y
		}
	}
	return meanSize(stride(sums, lag))
}
