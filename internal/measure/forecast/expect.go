// Package forecast computes expectations, forecasts and anomalies of a time series, with their uncertainty.
//
// [OneStep] compares each point with its one-step expectation. [Predict] forecasts with exponential smoothing, ARIMA,
// the Theta family, or their median or weighted mean, with intervals from past forecast errors of the same series. A
// series consists of values at equal steps, oldest first.
package forecast

import (
	"math"
	"slices"

	"assay/internal/measure/stats"
)

// Expectation is the expected value of one point given the points before it.
type Expectation struct {
	Value float64 // predictive median, in the series' unit
	Z     float64 // standardized error; NaN if there is no error
}

// Known reports whether there was enough history for an expectation.
func (e Expectation) Known() bool { return !math.IsNaN(e.Value) }

// Judged reports whether the point has a standardized error.
func (e Expectation) Judged() bool { return !math.IsNaN(e.Z) }

// Rhythm contains the parameters of [OneStep] for a kind of series: [Days], [SlowDays] or [Weeks].
type Rhythm struct {
	season  int     // points per cycle; 1: no cycle
	warmup  int     // points before the first expectation
	window  int     // number of points to estimate cycle, level and scale
	settle  int     // one-step errors before the first z
	forget  float64 // weight of the newest point in the level, a in the formulas
	clipAt  float64 // limit of errors in σ when the level is updated
	minimum float64 // minimum σ, so a change of one cent in a series without noise has a small z
}

// Days returns the parameters for daily data with a weekly cycle, estimated from the last twelve weeks. The first
// z-score is on day 50.
func Days() Rhythm {
	return Rhythm{season: 7, warmup: 28, window: 84, settle: 21, forget: 0.15, clipAt: 3, minimum: 0.02}
}

// SlowDays returns [Days] with a slower level: a weighted mean over about three weeks. [Alarms] needs the slower level,
// because a fast level follows persistent shifts before an alarm.
func SlowDays() Rhythm {
	r := Days()
	r.forget = 0.05
	return r
}

// OneStep returns the one-step expectation of each value. NaN marks a missing value. A missing value has an expectation
// but no z, and it does not affect other points.
//
// Let x be the value on a scale where effects are additive: the logarithm, or the square root for series with many
// zeros. Let w be the value's place in the cycle and t its position in the series. Then
//
//	x̂_t = ℓ_t + s_w,   ℓ_t = Σ_k (1-a)^k (x*_{t-1-k} - s_w(t-1-k)) / Σ_k (1-a)^k,   z_t = (x_t - x̂_t) / σ_t.
//
// s_w is the interquartile mean of the deviations from the centered cycle mean at place w. x* is x clipped to x̂ ± 3σ,
// so that an anomaly does not change later expectations. See Gelper, Fried and Croux 2010, "Robust forecasting with
// exponential and Holt-Winters smoothing", section 3. The scale σ_t is the larger of two values: 0.95 · 1.4826 times
// the median of the earlier |x - x̂|, and half the 95.45% quantile of |x - x̂|. Even with heavy tails, about one in
// twenty-two points has |z| > 2. The factor 0.95 corrects for the maximum of two estimates and comes from simulation
// (TestNormalSeriesAreRarelyFlagged). All estimates and the choice of scale depend only on points before t.
//
// Assumptions: one cycle, a slowly changing level, independent errors. Yearly seasonality and holidays are not modeled,
// so their days have large |z|.
func OneStep(values []float64, r Rhythm) []Expectation {
	out := make([]Expectation, len(values))
	f := newFilter(r, scale{root: true})
	before := heights{window: r.window}
	for t, y := range values {
		if next := before.scale(f.root); next.root != f.root {
			f = newFilter(r, next)
			for _, earlier := range values[:t] {
				f.step(earlier)
			}
		} else {
			f.scale = next
		}
		out[t] = f.step(y)
		before.add(y)
	}
	return out
}

// filter is the state of [OneStep] before the current point, on the scale of x. Window statistics are sorted, so a step
// needs only an insertion and a deletion.
type filter struct {
	Rhythm
	scale
	clean      []float64 // x*; NaN without a value
	existing   int       // number of points of the window with a value
	errors     []float64 // |x - x̂|; NaN without a value
	sizes      ranked    // the errors of the window
	deviations []ranked  // deviations in the window from the centered cycle mean, by place
	raw        []float64 // deviations by position, from the first position after half a cycle
	place      []float64 // s by place in the cycle
}

func newFilter(r Rhythm, s scale) filter {
	return filter{Rhythm: r, scale: s, deviations: make([]ranked, r.season), place: make([]float64, r.season)}
}

// step returns the expectation of the next point and updates the state with the point's value.
func (f *filter) step(y float64) Expectation {
	x := f.to(y)
	expected, ok := f.next()
	if !ok {
		f.take(x)
		return Expectation{Value: math.NaN(), Z: math.NaN()}
	}
	e, sigma := x-expected, f.sigma()
	if math.IsNaN(sigma) {
		f.take(x)
	} else {
		f.take(expected + max(-f.clipAt*sigma, min(f.clipAt*sigma, e)))
	}
	f.errors = append(f.errors, math.Abs(e))
	f.sizes.add(math.Abs(e))
	if gone := len(f.errors) - 1 - f.window; gone >= 0 {
		f.sizes.drop(f.errors[gone])
	}
	return Expectation{Value: f.from(expected), Z: e / sigma}
}

// take adds the clipped value x* and the deviation of the point half a cycle earlier. The centered mean of that point
// is complete with x*.
func (f *filter) take(x float64) {
	f.clean = append(f.clean, x)
	if known(x) {
		f.existing++
	}
	gone := len(f.clean) - 1 - f.window
	if gone >= 0 && known(f.clean[gone]) {
		f.existing--
	}
	half := f.season / 2
	if at := len(f.clean) - 1 - half; at >= half {
		d := f.clean[at] - stats.Mean(f.clean[at-half:at+half+1])
		f.raw = append(f.raw, d)
		f.deviations[at%f.season].add(d)
	}
	if gone >= 0 { // the first point of the window no longer has half a cycle before it
		f.deviations[(gone+half)%f.season].drop(f.raw[gone])
	}
}

// next returns x̂ of the next point.
func (f *filter) next() (float64, bool) {
	if f.existing < f.warmup {
		return 0, false
	}
	f.factors()
	now := len(f.clean) % f.season
	var sum, weight float64
	w, place := 1.0, now
	for _, x := range slices.Backward(f.clean[max(0, len(f.clean)-f.window):]) {
		if place--; place < 0 {
			place = f.season - 1
		}
		if !math.IsNaN(x) {
			sum += w * (x - f.place[place])
			weight += w
		}
		w *= 1 - f.forget
	}
	return sum/weight + f.place[now], true
}

// factors sets the seasonal term s for each place in the cycle, with mean zero.
func (f *filter) factors() {
	for place, d := range f.deviations {
		f.place[place] = d.middle()
	}
	center := stats.Mean(f.place)
	for place := range f.place {
		f.place[place] -= center
	}
}

// slack reduces the first estimate of the scale, because the maximum of two estimates is biased upward.
const slack = 0.95

// sigma returns the scale of the errors so far, or NaN if there are too few.
func (f *filter) sigma() float64 {
	if len(f.sizes) < f.settle {
		return math.NaN()
	}
	return max(slack*1.4826*stats.Quantile(f.sizes, 0.5), stats.Quantile(f.sizes, 0.9545)/2, f.minimum)
}

// ranked is a sorted sample with insertion and deletion. It ignores NaN.
type ranked []float64

func (r *ranked) add(x float64) {
	if known(x) {
		at, _ := slices.BinarySearch(*r, x)
		*r = slices.Insert(*r, at, x)
	}
}

func (r *ranked) drop(x float64) {
	if at, ok := slices.BinarySearch(*r, x); ok {
		*r = slices.Delete(*r, at, at+1)
	}
}

// middle returns the interquartile mean, or 0 for an empty sample.
func (r ranked) middle() float64 {
	if len(r) == 0 {
		return 0
	}
	cut := len(r) / 4
	return stats.Mean(r[cut : len(r)-cut])
}

// scale transforms values so that effects are additive.
type scale struct {
	root  bool
	floor float64 // smallest value for a logarithm
}

// heights contains the earlier values that determine a point's scale.
type heights struct {
	window             int
	existing, positive int
	recent             []float64 // positive values
	sorted             ranked    // the values in the window, sorted
}

func (h *heights) add(y float64) {
	if known(y) {
		h.existing++
	}
	if !(y > 0) {
		return
	}
	h.positive++
	h.recent = append(h.recent, y)
	h.sorted.add(y)
	if gone := len(h.recent) - 1 - h.window; gone >= 0 {
		h.sorted.drop(h.recent[gone])
	}
}

// scale returns the scale for the next point. It changes from logarithms to square roots if more than 5% of the values
// are zero or less. It changes back if at most 2.5% of the values are zero or less. The gap between the two limits
// avoids alternation. Before taking logarithms, it replaces single zeros, such as a day of downtime, with a hundredth
// of the median of the most recent positive values.
func (h *heights) scale(root bool) scale {
	zeros, most := h.existing-h.positive, 20
	if root {
		most = 40
	}
	if h.positive == 0 || zeros*most > h.existing {
		return scale{root: true}
	}
	return scale{floor: stats.Quantile(h.sorted, 0.5) / 100}
}

func (s scale) to(y float64) float64 {
	if s.root {
		return math.Copysign(math.Sqrt(math.Abs(y)), y)
	}
	return math.Log(math.Max(y, s.floor))
}

func (s scale) from(x float64) float64 {
	if s.root {
		return math.Max(0, x) * math.Max(0, x)
	}
	return math.Exp(x)
}
