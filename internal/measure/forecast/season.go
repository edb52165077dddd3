package forecast

import (
	"math"
	"slices"

	"assay/internal/measure/stats"
)

// line returns the intercept and the slope of the least-squares line through the values at 0, 1, 2 ...
func line(values []float64) (intercept, slope float64) {
	n := float64(len(values))
	if n < 2 {
		return stats.Mean(values), 0
	}
	middle := (n - 1) / 2
	var xy, y float64
	for t, v := range values {
		xy += (float64(t) - middle) * v
		y += v
	}
	slope = xy / (n * (n*n - 1) / 12)
	return y/n - slope*middle, slope
}

func allPositive(values []float64) bool {
	for _, y := range values {
		if !(y > 0) {
			return false
		}
	}
	return true
}

// centered returns the centered moving average over one season, with half weights at the ends for an even season.
// Points within half a season of an end are NaN.
func centered(values []float64, season int) []float64 {
	out := make([]float64, len(values))
	half := season / 2
	for t := range out {
		out[t] = math.NaN()
		if t < half || t+half >= len(values) {
			continue
		}
		window := values[t-half : t+half+1]
		sum := 0.0
		for _, v := range window {
			sum += v
		}
		if season%2 == 0 {
			sum -= (window[0] + window[len(window)-1]) / 2
		}
		out[t] = sum / float64(season)
	}
	return out
}

// cycle returns the seasonal factors of classical decomposition. For each place of the cycle, the factor is the mean
// difference from the centered moving average, or the mean ratio to the moving average. The factors sum to 0 if they
// are differences, and to the season length if they are ratios.
func cycle(values []float64, season int, ratio bool) []float64 {
	trend := centered(values, season)
	sums, counts := make([]float64, season), make([]float64, season)
	for t, level := range trend {
		if math.IsNaN(level) || ratio && level == 0 {
			continue
		}
		d := values[t] - level
		if ratio {
			d = values[t] / level
		}
		sums[t%season] += d
		counts[t%season]++
	}
	rest := 0.0
	if ratio {
		rest = 1
	}
	for i := range sums {
		if counts[i] > 0 {
			sums[i] /= counts[i]
		} else {
			sums[i] = rest
		}
	}
	center := stats.Mean(sums)
	for i := range sums {
		if ratio {
			sums[i] /= center
		} else {
			sums[i] -= center
		}
	}
	return sums
}

// autocorrelation returns the autocorrelations of the values at the lags from 1 to the parameter most.
func autocorrelation(values []float64, most int) []float64 {
	center := stats.Mean(values)
	var variance float64
	for _, y := range values {
		variance += (y - center) * (y - center)
	}
	out := make([]float64, most)
	if variance == 0 {
		return out
	}
	for lag := 1; lag <= most && lag < len(values); lag++ {
		var sum float64
		for t := lag; t < len(values); t++ {
			sum += (values[t] - center) * (values[t-lag] - center)
		}
		out[lag-1] = sum / variance
	}
	return out
}

// isSeasonal reports whether the autocorrelation at the seasonal lag is outside its 90% limits. This is the seasonality
// test of the M competitions (Makridakis and Hibon 2000, "The M3-competition"). With values of fewer than three
// seasons, it returns false.
func isSeasonal(values []float64, season int) bool {
	if season < 2 || len(values) < 3*season {
		return false
	}
	correlations := autocorrelation(values, season)
	sum := 1.0
	for _, r := range correlations[:season-1] {
		sum += 2 * r * r
	}
	return math.Abs(correlations[season-1]) > 1.645*math.Sqrt(sum/float64(len(values)))
}

// median returns the median of the values and sorts them in place.
func median(values []float64) float64 {
	slices.Sort(values)
	return stats.Quantile(values, 0.5)
}

// adjusted contains a model of a seasonally adjusted series and the removed factors.
type adjusted struct {
	inner   track
	prefix  string
	factors []float64 // factors of the next points; the first one is at place
	place   int
	ratio   bool
}

func (a *adjusted) String() string { return a.prefix + a.inner.String() }

func (a *adjusted) observe(y float64) {
	f := a.factors[a.place]
	if a.ratio {
		a.inner.observe(y / f)
	} else {
		a.inner.observe(y - f)
	}
	a.place = (a.place + 1) % len(a.factors)
}

func (a *adjusted) ahead(out []float64) {
	a.inner.ahead(out)
	for h := range out {
		f := a.factors[(a.place+h)%len(a.factors)]
		if a.ratio {
			out[h] *= f
		} else {
			out[h] += f
		}
	}
}

// classical returns the model that inner fits. If the series passes [isSeasonal], inner fits the series after classical
// decomposition has removed its seasonal factors. The factors are multiplicative if all values are positive.
func classical(values []float64, season int, inner func([]float64) track) track {
	if !isSeasonal(values, season) {
		return inner(values)
	}
	a := &adjusted{ratio: allPositive(values), place: len(values) % season}
	a.factors = cycle(values, season, a.ratio)
	rest := make([]float64, len(values))
	for t, y := range values {
		if rest[t] = y - a.factors[t%season]; a.ratio {
			rest[t] = y / a.factors[t%season]
		}
	}
	a.inner = inner(rest)
	return a
}
