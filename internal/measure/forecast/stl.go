package forecast

import (
	"math"
	"slices"

	"assay/internal/measure/stats"
)

// Parts is the decomposition of a series. At every point, trend, seasonal components and remainder add up to the value.
type Parts struct {
	Trend     []float64
	Seasonal  [][]float64 // one per period, in the order of the periods
	Remainder []float64
}

// MSTL decomposes a series with several seasons by repeated STL, shortest period first. See Bandara, Hyndman and
// Bergmeir 2021, "MSTL: a seasonal-trend decomposition algorithm for time series with multiple seasonal patterns".
// Periods are in points. If there are fewer values than two periods, the component of the period is zero. Without
// periods, the trend is a loess curve.
func MSTL(values []float64, periods ...int) Parts {
	n := len(values)
	p := Parts{Trend: make([]float64, n), Remainder: make([]float64, n), Seasonal: make([][]float64, len(periods))}
	usable := 0
	for i, period := range periods {
		p.Seasonal[i] = make([]float64, n)
		if period > 1 && n >= 2*period {
			usable++
		}
	}
	rest := slices.Clone(values)
	rounds := 2
	if usable == 1 {
		rounds = 1
	}
	for range rounds {
		for i, period := range periods {
			if period < 2 || n < 2*period {
				continue
			}
			for t := range rest {
				rest[t] += p.Seasonal[i][t]
			}
			p.Seasonal[i], p.Trend = stl(rest, period, 11+4*i)
			for t := range rest {
				rest[t] -= p.Seasonal[i][t]
			}
		}
	}
	if usable == 0 {
		loess(rest, odd(float64(n)/10+5), p.Trend)
	}
	for t := range rest {
		p.Remainder[t] = rest[t] - p.Trend[t]
	}
	return p
}

// stl returns the seasonal component and the trend, with five inner iterations and no robustness iterations. See
// Cleveland, Cleveland, McRae and Terpenning 1990, "STL: a seasonal-trend decomposition procedure based on loess". The
// parameter window is the number of cycles in the smoothing of a seasonal component.
func stl(values []float64, period, window int) (seasonal, trend []float64) {
	n := len(values)
	seasonal, trend = make([]float64, n), make([]float64, n)
	span := odd(1.5 * float64(period) / (1 - 1.5/float64(window)))
	low := odd(float64(period))
	extended := make([]float64, n+2*period)
	adjusted, smoothed := make([]float64, n), make([]float64, n)
	for range 5 {
		for t, y := range values {
			adjusted[t] = y - trend[t]
		}
		cycles(adjusted, period, window, extended)
		passed := moving(moving(moving(extended, period), period), 3)
		loess(passed, low, smoothed)
		for t := range n {
			seasonal[t] = extended[t+period] - smoothed[t]
			adjusted[t] = values[t] - seasonal[t]
		}
		loess(adjusted, span, trend)
	}
	return seasonal, trend
}

// odd returns the smallest odd number that is at least x and at least 3.
func odd(x float64) int {
	k := max(3, int(math.Ceil(x)))
	if k%2 == 0 {
		k++
	}
	return k
}

// cycles smooths each cycle-subseries (the points at one position of the cycle) and extends it by one cycle at both
// ends.
func cycles(values []float64, period, window int, extended []float64) {
	n := len(values)
	sub, out := make([]float64, 0, n/period+1), make([]float64, n/period+3)
	for place := range period {
		sub = sub[:0]
		for t := place; t < n; t += period {
			sub = append(sub, values[t])
		}
		out[0] = loessAt(sub, window, -1)
		loess(sub, window, out[1:len(sub)+1])
		out[len(sub)+1] = loessAt(sub, window, float64(len(sub)))
		for k := range len(sub) + 2 {
			extended[place+k*period] = out[k]
		}
	}
}

// moving returns the moving average over k points.
func moving(values []float64, k int) []float64 {
	out := make([]float64, len(values)-k+1)
	var sum float64
	for t, y := range values {
		sum += y
		if t >= k {
			sum -= values[t-k]
		}
		if t >= k-1 {
			out[t-k+1] = sum / float64(k)
		}
	}
	return out
}

// loess stores local linear fits with tricube weights in the slice out. Each fit uses the nearest points. The parameter
// window is the number of these points. As in Cleveland et al. 1990 (see [stl]), loess computes one point per tenth of
// the window and interpolates linearly.
func loess(values []float64, window int, out []float64) {
	n := len(values)
	step := max(1, window/10)
	last := 0
	for t := 0; t < n; t += step {
		out[t] = loessAt(values, window, float64(t))
		draw(out, last, t)
		last = t
	}
	if last < n-1 {
		out[n-1] = loessAt(values, window, float64(n-1))
		draw(out, last, n-1)
	}
}

func draw(out []float64, from, to int) {
	for t := from + 1; t < to; t++ {
		f := float64(t-from) / float64(to-from)
		out[t] = out[from] + f*(out[to]-out[from])
	}
}

// loessAt returns the fit at a point, which is at most one point outside the values. A window has at least three
// points, so the nearest points have a positive weight.
func loessAt(values []float64, window int, at float64) float64 {
	n := len(values)
	from := min(max(0, int(at)-window/2), max(0, n-window))
	to := min(n, from+window)
	reach := max(at-float64(from), float64(to-1)-at)
	if window > n {
		reach += float64(window-n) / 2
	}
	var w, wx, wy, wxx, wxy float64
	for t := from; t < to; t++ {
		x := float64(t) - at
		u := math.Abs(x) / reach
		weight := 1.0
		if u > 0.999 {
			continue
		}
		if u > 0.001 {
			weight = 1 - u*u*u
			weight *= weight * weight
		}
		w += weight
		wx += weight * x
		wy += weight * values[t]
		wxx += weight * x * x
		wxy += weight * x * values[t]
	}
	if spread := w*wxx - wx*wx; spread > 1e-9*w*wxx {
		return (wxx*wy - wx*wxy) / spread
	}
	return wy / w
}

// seasonalStrength returns the strength of the seasonal component with the given period.
func seasonalStrength(values []float64, period int) float64 { return strength(MSTL(values, period)) }

// strength returns the strength of the first seasonal component: 1 - var(remainder) / var(seasonal + remainder), at
// least 0. See Wang, Smith and Hyndman 2006, "Characteristic-based clustering for time series data".
func strength(p Parts) float64 {
	both := make([]float64, len(p.Remainder))
	for t := range both {
		both[t] = p.Seasonal[0][t] + p.Remainder[t]
	}
	whole := variance(both)
	if whole == 0 {
		return 0
	}
	return max(0, 1-variance(p.Remainder)/whole)
}

func variance(values []float64) float64 {
	center := stats.Mean(values)
	var sum float64
	for _, y := range values {
		sum += (y - center) * (y - center)
	}
	return sum / float64(len(values))
}
