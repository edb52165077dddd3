package forecast

import (
	"math"

	"assay/internal/fault"
)

// Expected is what was expected of the sum of some points before any of them was known.
type Expected struct {
	Points int
	Median float64
	Levels []float64 // of the bands, each between 0 and 1
	Bands  []Band    // one for each level
}

// Outcome says how it came out.
type Outcome struct {
	Error   float64  // what came less the median, in the unit of the series
	Inside  []bool   // whether it lay inside each band, its limits included
	Pinball float64  // mean [Pinball] loss of the median and of the limits of the bands, in the unit of the series
	MASE    *float64 // size of the error over the mean size of that of the naive forecast; nil when it made none, or too few
}

// Outcome compares what was expected with what came. The naive forecast is the sum of as many points some whole seasons
// before; its errors are read from the history before the first of the points, which has to hold at least one of them
// (Hyndman and Koehler 2006, as [Scored]). Numbers that are not finite are invalid.
func (e Expected) Outcome(history []float64, season int, came float64) (Outcome, error) {
	if e.Points < 1 || len(e.Levels) != len(e.Bands) {
		return Outcome{}, fault.Invalid("%d points with %d levels and %d bands were expected", e.Points, len(e.Levels), len(e.Bands))
	}
	finite := []float64{e.Median, came}
	for _, b := range e.Bands {
		finite = append(finite, b.Low, b.High)
	}
	for _, x := range finite {
		if math.IsNaN(x) || math.Abs(x) > largest {
			return Outcome{}, fault.Invalid("%v was expected or came, want a finite number", x)
		}
	}
	o := Outcome{Error: came - e.Median}
	quantiles, at := []float64{e.Median}, []float64{.5}
	for i, b := range e.Bands {
		o.Inside = append(o.Inside, b.Low <= came && came <= b.High)
		quantiles, at = append(quantiles, b.Low, b.High), append(at, (1-e.Levels[i])/2, (1+e.Levels[i])/2)
	}
	for i, q := range quantiles {
		loss, err := Pinball(at[i], []float64{came}, []float64{q})
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

// naiveSum is the mean size of the error of the sum of points that is taken to be what it was the fewest whole seasons
// before that it does not share a point with; 0 where the history is too short for one.
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
