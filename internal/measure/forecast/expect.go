// Package forecast says what a series was expected to do, what it will do, and how wrong that may be.
//
// [OneStep] judges each point by those before it. [Predict] looks ahead with exponential smoothing, ARIMA, the Theta
// family or the median of them all, and with intervals from the errors that the model made on the series itself. A series
// is values at equal steps, the oldest first.
package forecast

import (
	"math"
	"slices"
)

// Expectation is what one point of a series was expected to be, judged only by the points before it.
type Expectation struct {
	Value float64 // the median of what was expected, in the series' own unit
	Z     float64 // how far the point lies from it, in standard deviations; NaN when it cannot be judged
}

// Known reports whether there was enough history to expect anything.
func (e Expectation) Known() bool { return !math.IsNaN(e.Value) }

// Judged reports whether the point can be compared with its expectation.
func (e Expectation) Judged() bool { return !math.IsNaN(e.Z) }

// Rhythm is how a series moves and how much of it is read. [Days] and [Weeks] return the two that are used.
type Rhythm struct {
	season  int     // points per cycle, 1 for a series without one
	warmup  int     // points before the first expectation
	window  int     // points that cycle, level and scale are read from
	settle  int     // one-step errors before the first z
	forget  float64 // a: the weight of the newest point in the level
	clipAt  float64 // σ beyond which a point does not move what is expected later
	minimum float64 // the smallest σ, so that a series without any noise does not flag a change of a cent
}

// Days is the rhythm of daily figures with a weekly cycle, read from the last twelve weeks. The first z stands at the
// fiftieth day.
func Days() Rhythm {
	return Rhythm{season: 7, warmup: 28, window: 84, settle: 21, forget: 0.15, clipAt: 3, minimum: 0.02}
}

// SlowDays is [Days] with a level that follows slowly, over about three weeks: what [Alarms] watches, because a level
// that follows within days hides the moves that an alarm is for.
func SlowDays() Rhythm {
	r := Days()
	r.forget = 0.05
	return r
}

// Weeks is the rhythm of weekly figures, read from the last year. A yearly cycle is not assumed. The first z stands
// at the nineteenth week.
func Weeks() Rhythm {
	return Rhythm{season: 1, warmup: 8, window: 52, settle: 10, forget: 0.3, clipAt: 3, minimum: 0.02}
}

// OneStep returns for each value what the values before it let expect. NaN stands for a value that does not exist;
// it is expected, not judged, and changes nothing.
//
// With x the value on a scale where a change of a given size means the same at any height (the logarithm, or the
// square root where the series is often zero), w its place in the cycle and t its position,
//
//	x̂_t = ℓ_t + s_w,   ℓ_t = Σ_k (1-a)^k (x*_{t-1-k} - s_w(t-1-k)) / Σ_k (1-a)^k,   z_t = (x_t - x̂_t) / σ_t.
//
// s_w is the mean of the middle half of the deviations from the centred cycle mean at place w. x* is x drawn back to
// x̂ ± 3σ, so that an anomaly does not move what is expected after it (Gelper, Fried and Croux 2010, "Robust
// forecasting with exponential and Holt-Winters smoothing", section 3). σ_t is the larger of 0.95 · 1.4826 times the
// median of the earlier |x - x̂| and half their 95.45 % quantile: with heavy tails |z| > 2 then still means about one
// point in twenty-two. The factor 0.95 makes up for taking the larger of two estimates; it was set by simulation
// (TestQuietSeriesIsSeldomFlagged). Everything is read from the points before t only, the scale included: when they call
// for another one, they are read again on it.
//
// Assumptions: one cycle, a level that drifts slowly, errors that do not depend on each other. A yearly pattern and
// holidays are not known to it, so their days stand out.
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

// filter is what is remembered of the points before the present one, on the scale of x. What is read from its window is kept
// in order, so that a point costs what comes and goes with it and not the whole window.
type filter struct {
	Rhythm
	scale
	clean      []float64 // x*, NaN where there was no value
	existing   int       // points of the window that have a value
	errors     []float64 // |x - x̂|, NaN where there was no value
	sizes      ranked    // the errors of the window
	deviations []ranked  // of the window from the centred cycle mean, by place in the cycle
	raw        []float64 // deviations by position, from the first that has half a cycle before it
	place      []float64 // s by place in the cycle
}

func newFilter(r Rhythm, s scale) filter {
	return filter{Rhythm: r, scale: s, deviations: make([]ranked, r.season), place: make([]float64, r.season)}
}

// step judges the point that comes now and remembers it.
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

// take remembers x*, and the deviation of the point half a cycle before, whose centred mean it completes.
func (f *filter) take(x float64) {
	f.clean = append(f.clean, x)
	if known(x) {
		f.existing++
	}
	gone := len(f.clean) - 1 - f.window
	if gone >= 0 && known(f.clean[gone]) {
		f.existing--
	}
	if f.season == 1 {
		return
	}
	half := f.season / 2
	if at := len(f.clean) - 1 - half; at >= half {
		d := f.clean[at] - mean(f.clean[at-half:at+half+1])
		f.raw = append(f.raw, d)
		f.deviations[at%f.season].add(d)
	}
	if gone >= 0 { // the first of the window has no half cycle before it any more
		f.deviations[(gone+half)%f.season].drop(f.raw[gone])
	}
}

// next returns x̂ of the point that comes now.
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

// factors sets s by place in the cycle, with mean zero.
func (f *filter) factors() {
	if f.season == 1 {
		return
	}
	for place, d := range f.deviations {
		f.place[place] = d.middle()
	}
	centre := mean(f.place)
	for place := range f.place {
		f.place[place] -= centre
	}
}

// slack makes up for taking the larger of two estimates of the same thing.
const slack = 0.95

// sigma returns the scale of the errors so far, NaN when there are too few.
func (f *filter) sigma() float64 {
	if len(f.sizes) < f.settle {
		return math.NaN()
	}
	return max(slack*1.4826*quantile(f.sizes, 0.5), quantile(f.sizes, 0.9545)/2, f.minimum)
}

// ranked is numbers in order, of which some come and others go. NaN is none.
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

// middle returns the mean of the middle half, 0 for nothing.
func (r ranked) middle() float64 {
	if len(r) == 0 {
		return 0
	}
	cut := len(r) / 4
	return mean(r[cut : len(r)-cut])
}

// scale carries values to where a change of a given size means the same at any height.
type scale struct {
	root  bool
	floor float64 // smallest value whose logarithm is taken
}

// heights is what the scale of a point is read from: the values before it.
type heights struct {
	window             int
	existing, positive int
	recent             []float64 // positive values
	sorted             ranked    // the last of them, a window of them
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

// scale returns the scale for the point that follows these values. Logarithms give way to the square root once more
// than one value in twenty is zero or less, and come back when fewer than one in forty is: between the two the scale
// stays, so that a series at the border does not change it with each zero. Single zeros, such as a day on which the
// shop was down, stand at a hundredth of the median of the last positive values so that their logarithm exists.
func (h *heights) scale(root bool) scale {
	zeros, most := h.existing-h.positive, 20
	if root {
		most = 40
	}
	if h.positive == 0 || zeros*most > h.existing {
		return scale{root: true}
	}
	return scale{floor: quantile(h.sorted, 0.5) / 100}
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

func mean(values []float64) float64 {
	var sum float64
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// quantile reads between the points of a sorted sample.
func quantile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	low := int(at)
	if low+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[low] + (at-float64(low))*(sorted[low+1]-sorted[low])
}
