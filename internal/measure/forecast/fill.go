package forecast

import "math"

// Filled returns the series with a value in place of every NaN: the mean of the nearest known values before and after it
// at the same place of the cycle, moved by how far the neighbours stand above or below theirs; without a season, or where
// a side is not known, by the line between the neighbours. A series without any value stays as it is.
func Filled(values []float64, season int) []float64 {
	straight := joined(values, 1)
	if season < 2 || len(values) < 2*season {
		return straight
	}
	level := centred(straight, season)
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

// joined draws a straight line over what is missing, among the points that lie a multiple of the stride apart. Ends keep
// the nearest value.
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
