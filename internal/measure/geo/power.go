package geo

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"assay/internal/measure/stats"
)

// backtest contains a past window without treatment (placebo window) and the distribution of the test statistic.
type backtest struct {
	*estimator
	// The keys of the following maps are sizes of placebo sets.
	limit map[int]float64   // largest statistic that the test does not reject
	nulls map[int][]float64 // signed statistics of placebo sets, sorted
	scale map[int]float64   // mean square of these statistics
	drawn map[int][]reading // readings of the placebo sets in the order of drawing
}

// newBacktests returns one backtest per window, with placebo sets of each size, drawn from all regions.
func newBacktests(p *Panel, windows []span, sizes []int, draws int, alpha float64, seed uint64) []*backtest {
	pool := complement(nil, len(p.Regions), nil)
	tests := make([]*backtest, len(windows))
	each(len(windows), func() struct{} { return struct{}{} }, func(_ struct{}, i int) {
		tests[i] = &backtest{
			estimator: &estimator{frame: newFrame(p, scaled, windows[i]), method: Scaled},
			limit:     map[int]float64{}, nulls: map[int][]float64{}, scale: map[int]float64{}, drawn: map[int][]reading{},
		}
	})
	for _, k := range sizes {
		sets, _ := placeboSets(pool, k, draws, seed)
		readings := make([][]reading, len(sets)) // set × window
		each(len(sets), newBench, func(w *bench, i int) {
			readings[i] = throughWindows(w, tests, sets[i])
		})
		for l, b := range tests {
			drawn := make([]reading, len(sets))
			for i := range sets {
				drawn[i] = readings[i][l]
			}
			b.learn(drawn, k, alpha)
		}
	}
	return tests
}

// throughWindows returns the readings of one set of regions in each window. Each fit starts from the donors of the
// previous window's fit.
func throughWindows(w *bench, windows []*backtest, set []int) []reading {
	w.rest = complement(w.rest[:0], len(windows[0].z), set)
	readings := make([]reading, len(windows))
	for l, b := range windows {
		readings[l] = b.read(w, set, w.rest)
		w.start = append(w.start[:0], w.free...)
	}
	w.start = w.start[:0]
	return readings
}

// learn computes the null distribution of the statistic and its critical value from the placebo sets of one size.
func (b *backtest) learn(drawn []reading, size int, alpha float64) {
	for _, r := range drawn {
		u := r.effect / r.scale()
		b.nulls[size] = append(b.nulls[size], u)
		b.scale[size] += u * u / float64(len(drawn))
	}
	b.drawn[size] = drawn
	slices.Sort(b.nulls[size])
	limit, ok := critical(drawn, newSmallSample(len(b.z)-size, size).level(alpha))
	if !ok {
		limit = math.Inf(1)
	}
	b.limit[size] = limit
}

// record contains the statistic of a set of regions in one window.
type record struct {
	statistic float64 // signed: relative effect over the root of the fit
	scale     float64 // the root of the fit
	outcome   float64 // mean outcome in the window relative to the level before: the effect of a lift of 1
}

// records returns the statistic of a set of regions in each window.
func records(b *bench, p *Panel, windows []*backtest, set []int) []record {
	own := make([]record, len(windows))
	for i, r := range throughWindows(b, windows, set) {
		var outcome float64
		for _, row := range set {
			outcome += stats.Mean(p.Values[row][windows[i].start:windows[i].end+1]) / float64(len(set))
		}
		own[i] = record{statistic: r.effect / r.scale(), scale: r.scale(), outcome: outcome / r.level}
	}
	return own
}

// shrinkage is the weight of the placebo sets in the estimate of a set's noise, as a number of independent windows.
const shrinkage = 4

// noisiness returns the ratio of a set's errors to the errors of placebo sets with the same fit. It is the square root
// of the set's mean squared statistic, in units of the placebo sets' mean squared statistic, shrunk toward 1. The
// number of overlapping windows is replaced by the number of disjoint windows.
func noisiness(windows []*backtest, own []record, size int) float64 {
	var sum float64
	for i, w := range windows {
		if s := w.scale[size]; s > 0 {
			sum += own[i].statistic * own[i].statistic / s
		} else {
			sum++
		}
	}
	n := float64(len(windows))
	first, last := windows[0], windows[len(windows)-1]
	apart := min(n, float64(last.end-first.start+1)/float64(first.end-first.start+1))
	return math.Sqrt((shrinkage + apart*sum/n) / (shrinkage + apart))
}

// power returns the probability that the test detects a lift. It averages over windows and errors from the placebo
// sets:
//
//	P( |k u s + δ y| > c s ),
//
// where u is a placebo set's statistic, s the square root of the treated set's fit and k the treated set's ratio from
// [noisiness]. y is the relative outcome, δ the lift and c the critical value.
func power(windows []*backtest, own []record, size int, lift float64) float64 {
	k := noisiness(windows, own, size)
	var sum float64
	for i, w := range windows {
		if math.IsInf(w.limit[size], 0) {
			continue
		}
		r, u := own[i], w.nulls[size]
		shift := lift * r.outcome / r.scale
		above := (w.limit[size] - shift) / k // a u above this value is detected
		below := (-w.limit[size] - shift) / k
		up, _ := slices.BinarySearch(u, math.Nextafter(above, math.Inf(1)))
		down, _ := slices.BinarySearch(u, below)
		sum += float64(len(u)-up+down) / float64(len(u))
	}
	return sum / float64(len(windows))
}

// largestLift is the largest lift considered.
const largestLift = 2.0

// detectable returns the minimum detectable lift at the given power, by bisection. It returns false if even the largest
// lift is not detectable.
func detectable(windows []*backtest, own []record, size int, wanted float64) (float64, bool) {
	if power(windows, own, size, largestLift) < wanted {
		return 0, false
	}
	low, high := 0.0, largestLift
	for range 40 {
		middle := (low + high) / 2
		if power(windows, own, size, middle) >= wanted {
			high = middle
		} else {
			low = middle
		}
	}
	return high, true
}

// PowerAt is the power of a test at one lift.
type PowerAt struct {
	Lift       float64  // fraction of the treated regions' outcome
	Planning   float64  // power in the later windows
	Optimistic *float64 // power in the windows used to choose the regions; nil if the regions were given
}

// curvePoints is the number of lifts on a power curve, starting at 0.
const curvePoints = 31

// powerCurve returns a set's power from no lift to 1.5 times the planning lift, or to the largest lift.
func powerCurve(b *bench, p *Panel, judging, choosing []*backtest, set []int, plan Plan) []PowerAt {
	last := largestLift
	if plan.Planning != nil {
		last = min(largestLift, 1.5**plan.Planning)
	}
	later, size := records(b, p, judging, set), len(set)
	var chosen []record
	if len(choosing) > 0 {
		chosen = records(b, p, choosing, set)
	}
	curve := make([]PowerAt, curvePoints)
	for i := range curve {
		lift := last * float64(i) / (curvePoints - 1)
		curve[i] = PowerAt{Lift: lift, Planning: power(judging, later, size, lift)}
		if chosen != nil {
			best := power(choosing, chosen, size, lift)
			curve[i].Optimistic = &best
		}
	}
	return curve
}

// analytic returns the textbook MDE: standard error × (z of the size + z of the power), as a share of the outcome.
func analytic(windows []*backtest, own []record, size int, alpha, wanted float64) float64 {
	var squares, outcome float64
	for i, w := range windows {
		se := own[i].scale * math.Sqrt(w.scale[size]) * noisiness(windows, own, size)
		squares += se * se / float64(len(windows))
		outcome += own[i].outcome / float64(len(windows))
	}
	if outcome <= 0 {
		return math.Inf(1)
	}
	return math.Sqrt(squares) / outcome * (distuv.UnitNormal.Quantile(1-alpha/2) + distuv.UnitNormal.Quantile(wanted))
}

// backtestWindows returns choosing windows for the search and judging windows for its evaluation, without a common
// period. The first half of the history, and at least LeastHistory periods, precede all windows. The choosing windows
// are in the first half of the remaining periods, and the judging windows in the second half. The parameter most limits
// the number of windows of each kind. The windows are evenly spaced.
func backtestWindows(periods, length, most int) (choosing, judging []span) {
	first := max(LeastHistory, periods/2)
	boundary := first + (periods-first)/2
	return spaced(first, boundary-length, length, most), spaced(boundary, periods-length, length, most)
}

// spaced returns windows with evenly spaced starts from low to high.
func spaced(low, high, length, most int) []span {
	if high < low || most < 1 {
		return nil
	}
	count := min(most, high-low+1)
	windows := make([]span, count)
	for i := range windows {
		start := high
		if count > 1 {
			start = low + int(math.Round(float64(i)*float64(high-low)/float64(count-1)))
		}
		windows[i] = before(start, start+length-1)
	}
	return windows
}
