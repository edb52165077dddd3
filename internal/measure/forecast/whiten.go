package forecast

import "math"

const (
	reachBack  = 7   // p: how many errors back an error may hang together with
	priorRho   = 0.3 // ρ₀: autocorrelation of the days of a store that is not known yet
	priorCount = 28  // n₀: points that it counts for
)

// Whitened returns errors without what hangs together in them: each less what the errors before it let expect of it, over
// the standard deviation of what is left,
//
//	u_t = (e_t - Σ_k φ_k e_{t-k}) / √v,  k = 1 … p.
//
// φ and v solve the Yule-Walker equations by Levinson's recursion (Brockwell and Davis 1991, "Time Series: Theory and
// Methods", section 8.2) for autocovariances about zero of the errors before t, held to ±3. They count beside n₀ points of
// an autocorrelation of ρ₀^k, on which all rests at first. Of the orders up to p the one of the least AIC is taken. Errors
// that are smaller than one on the whole stay so: what a scale holds down is not blown up again. A level that moves by δ for
// good remains as a move by δ (1 - Σ φ_k) / √v, which takes longer to tell from chance where days hang together. NaN stands
// for a point that was not judged: it stays one, and stands for zero where it is read.
func Whitened(errors []float64) []float64 {
	out := make([]float64, len(errors))
	var sum, count [reachBack + 1]float64
	held := make([]float64, len(errors))
	for t, e := range errors {
		held[t] = max(-3, min(3, e)) // NaN stays
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

// yuleWalker returns φ, the nearest point first, and v for sums of products at each distance.
func yuleWalker(sum, count [reachBack + 1]float64) (phi []float64, v float64) {
	var r [reachBack + 1]float64
	prior := 1.0
	for k := range r {
		// Over as many points at each distance: then no set of autocovariances is impossible.
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

// Drifts are the [Alarms] of errors that hang together, such as those of days: they are watched [Whitened], and so the
// stated rate of false alarms holds for them too. The excess is that of the errors themselves.
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
