package forecast

import "math"

const (
	reachBack  = 7   // p: maximum order of the autoregression
	priorRho   = 0.3 // ρ₀: prior autocorrelation of daily errors
	priorCount = 28  // n₀: weight of the prior, in points
)

// Whitened returns the errors without autocorrelation. From each error, it subtracts the prediction from earlier
// errors, and divides by the standard deviation of the residual,
//
//	u_t = (e_t - Σ_k φ_k e_{t-k}) / √v,  k = 1 … p.
//
// φ and v solve the Yule-Walker equations by Levinson's recursion (Brockwell and Davis 1991, "Time Series: Theory and
// Methods", section 8.2). The equations use the autocovariances, about zero, of the errors before t, clipped to ±3. The
// prior is n₀ points with autocorrelation ρ₀^k. Whitened uses the order with the smallest AIC, at most p. Errors with a
// variance below one are not scaled up. A level shift of δ becomes a shift of δ (1 - Σ φ_k) / √v. The detection of a
// shift therefore takes longer in autocorrelated data. NaN marks a point without an error. This point stays NaN and is
// treated as zero for later points.
func Whitened(errors []float64) []float64 {
	out := make([]float64, len(errors))
	var sum, count [reachBack + 1]float64
	held := make([]float64, len(errors))
	for t, e := range errors {
		held[t] = max(-3, min(3, e)) // NaN stays NaN
		phi, v := yuleWalker(sum, count)
		u := e
		for k, f := range phi {
			if at := t - 1 - k; at >= 0 && known(held[at]) {
				u -= f * held[at]
			}
		}
		out[t] = u / math.Sqrt(v)
		for k := range sum {
			if at := t - k; at >= 0 && known(held[t]*held[at]) {
				sum[k] += held[t] * held[at]
				count[k]++
			}
		}
	}
	return out
}

// yuleWalker returns φ, nearest point first, and v from the sums of products at each lag.
func yuleWalker(sum, count [reachBack + 1]float64) (phi []float64, v float64) {
	var r [reachBack + 1]float64
	prior := 1.0
	for k := range r {
		// A common divisor keeps the autocovariances positive semidefinite.
		r[k] = (sum[k] + priorCount*prior) / (count[0] + priorCount)
		prior *= priorRho
	}
	v = r[0]
	bestV, best := v, []float64(nil)
	n := count[0] + priorCount
	least := n * math.Log(v)
	for p := 1; p <= reachBack; p++ {
		reflection := r[p]
		for k, f := range phi {
			reflection -= f * r[p-1-k]
		}
		reflection /= v
		next := make([]float64, p)
		for k, f := range phi {
			next[k] = f - reflection*phi[p-2-k]
		}
		next[p-1] = reflection
		phi, v = next, v*(1-reflection*reflection)
		if aic := n*math.Log(v) + 2*float64(p); aic < least {
			least, bestV, best = aic, v, phi
		}
	}
	return best, bestV * max(1, r[0]) / r[0]
}

// Drifts returns the [Alarms] of autocorrelated errors, such as daily errors. It applies [Whitened] first, which
// preserves the false alarm rate. The field Excess is computed from the original errors.
func Drifts(errors []float64, runLength float64) ([]Alarm, error) {
	alarms, err := Alarms(Whitened(errors), runLength)
	if err != nil {
		return nil, err
	}
	for i, a := range alarms {
		var total, points float64
		for _, e := range errors[max(0, a.Since+1) : a.At+1] {
			if known(e) {
				total += max(-3, min(3, e))
				points++
			}
		}
		alarms[i].Excess = total / points
	}
	return alarms, nil
}
