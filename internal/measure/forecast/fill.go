package forecast

import (
	"math"
	"slices"
)

// Begun returns the position of the first value that is known and not zero, or 0 if there is none. Zeros before this
// value are not observations: the channel or the store did not exist yet.
func Begun(values []float64) int {
	return max(0, slices.IndexFunc(values, func(y float64) bool { return known(y) && y != 0 }))
}

// Filled returns the series with NaN replaced. The replacement is the local level plus a deviation. The level is the
// centered moving average of the linearly interpolated series. The deviation is interpolated linearly between the known
// deviations at the same place in the cycle. Without a season, and within half a season of the ends, Filled
// interpolates linearly between neighbors. A series without values is returned unchanged.
func Filled(values []float64, season int) []float64 {
	straight := joined(values, 1)
	if season < 2 || len(values) < 2*season {
		return straight
	}
	level := centered(straight, season)
	deviations := make([]float64, len(values))
	for t, y := range values {
		deviations[t] = y - level[t]
	}
	deviations = joined(deviations, season)
	out := make([]float64, len(values))
	for t, y := range values {
		out[t] = y
		if math.IsNaN(y) {
			if out[t] = level[t] + deviations[t]; math.IsNaN(out[t]) {
				out[t] = straight[t]
			}
		}
	}
	return out
}

// joined returns the values with gaps interpolated linearly between points that are a multiple of stride apart. Unknown
// values at the ends get the nearest known value.
func joined(values []float64, stride int) []float64 {
	out := make([]float64, len(values))
	copy(out, values)
	for place := range min(stride, len(values)) {
		before := -1
		for t := place; t < len(values); t += stride {
			if math.IsNaN(values[t]) {
				continue
			}
			for k := t - stride; k > before && k >= 0; k -= stride {
				out[k] = values[t]
				if before >= 0 {
					out[k] = values[before] + (values[t]-values[before])*float64(k-before)/float64(t-before)
				}
			}
			before = t
		}
		for k := before + stride; before >= 0 && k < len(values); k += stride {
			out[k] = values[before]
		}
	}
	return out
}
