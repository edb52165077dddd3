package forecast

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"assay/internal/fault"
	"assay/internal/measure/stats"
)

// Anomaly describes how unusual one point of a series is, given all other points.
type Anomaly struct {
	Expected   float64 // expected value given the neighboring points, in the series' unit
	Z          float64 // standardized deviation: without an anomaly, |Z| > 2 has probability 0.0455 for every noise distribution
	P          float64 // two-sided p-value
	Q          float64 // false discovery rate among all points at least as unusual (Benjamini and Hochberg 1995)
	Actionable bool    // Q is at most [ActionableShare]
	Shift      float64 // at the first point of a new level: new level / former level - 1; otherwise 0
}

// ActionableShare is the maximum false discovery rate of actionable points.
const ActionableShare = 0.2

// leastJudged is the minimum number of points in a series for anomaly detection.
const leastJudged = 21

// Anomalies tests every point of a complete series against the points on both sides. The last point is tested against
// earlier points only.
//
// Anomalies predicts each point, without using it, from the season, a local line and the autocorrelated deviations of
// its neighbors. The line has tricube weights over three seasons to either side and bisquare weights against other
// outliers. The method is from Cleveland 1979, "Robust locally weighted regression and smoothing scatterplots". Errors
// within the half-year around a point have Student's t distribution. Scale and degrees of freedom maximize the
// likelihood with the largest 2% of errors censored, so that outliers do not inflate the scale. Anomalies uses the
// transformation with the highest likelihood of all errors: raw values, square roots or logarithms. P comes from the t
// distribution, and Z from P.
//
// Anomalies assumes one seasonal cycle. A level shift is one finding: its first point has Shift, and each point is
// predicted from its own side of the shift (see [levelShifts]). [OneStep] evaluates days as they arrive. A value that
// is not finite results in a fault of kind invalid. Fewer than 21 points or three seasons result in a not-ready fault.
func Anomalies(values []float64, season int) ([]Anomaly, error) {
	season = max(1, season)
	for t, y := range values {
		if math.IsNaN(y) || math.Abs(y) > largest {
			return nil, fault.Invalid("value %d is %v, want a finite number", t, y)
		}
	}
	if len(values) > mostPeriods {
		return nil, fault.Invalid("the series has %d points, more than the maximum of %d", len(values), mostPeriods)
	}
	if len(values) < max(leastJudged, 3*season) {
		return nil, fault.NotReady("the series has %d points; anomaly detection requires at least %d points", len(values), max(leastJudged, 3*season))
	}
	out := make([]Anomaly, len(values))
	if slices.Min(values) == slices.Max(values) {
		for t, y := range values {
			out[t] = Anomaly{Expected: y, P: 1, Q: 1}
		}
		return out, nil
	}
	best := bestLens(values, season)
	shifts := levelShifts(best, values, season)
	if len(shifts) > 0 {
		best = judged(values, season, best.lens, shifts)
	}
	nearby := best.nearby(season)
	for t := range values {
		out[t] = best.oddity(t, nearby(t))
	}
	for _, s := range shifts {
		out[s.At].Shift = s.After/s.Before - 1
	}
	discover(out)
	return out, nil
}

// lens is a transformation of the series.
type lens int

const (
	asIs lens = iota
	root
	logs
)

func (l lens) to(y float64) float64 {
	switch l {
	case root:
		return math.Sqrt(y)
	case logs:
		return math.Log(y)
	default:
		return y
	}
}

func (l lens) from(x float64) float64 {
	switch l {
	case root:
		return max(0, x) * max(0, x)
	case logs:
		return math.Exp(x)
	default:
		return x
	}
}

// habit is the minimum log-likelihood advantage over logarithms that raw values or square roots need. Logarithms are
// preferred because effects are usually proportional.
const habit = 5

func bestLens(values []float64, season int) judgement {
	lenses := []lens{asIs}
	least := slices.Min(values)
	if least >= 0 {
		lenses = append(lenses, root)
	}
	if least > 0 {
		lenses = append(lenses, logs)
	}
	seen, look := make([]judgement, len(lenses)), make([]func(), len(lenses))
	for i, l := range lenses {
		look[i] = func() { seen[i] = judged(values, season, l, nil) }
	}
	together(look...)
	best := seen[asIs]
	for _, other := range seen[1:] {
		lead := 0.0
		if other.lens == logs {
			lead = habit
		}
		if other.likelihood > best.likelihood-lead {
			best = other
		}
	}
	return best
}

// slope returns the logarithm of the transformation's derivative at y. This term makes likelihoods comparable between
// transformations.
func (l lens) slope(y, unit float64) float64 {
	switch l {
	case root:
		return -math.Log(2 * math.Sqrt(max(y, unit*1e-3)))
	case logs:
		return -math.Log(y)
	default:
		return 0
	}
}

// judgement contains a series on a transformed scale and its predictions.
type judgement struct {
	lens
	expected, errors []float64 // on the transformed scale
	size             float64   // mean size of a value on that scale
	likelihood       float64   // likelihood of all errors under one distribution
}

func judged(values []float64, season int, l lens, shifts []Change) judgement {
	x := make([]float64, len(values))
	unit := meanSize(values)
	for t, y := range values {
		x[t] = l.to(y)
	}
	j := judgement{lens: l, expected: around(x, season, shifts), size: meanSize(x)}
	j.errors = make([]float64, len(x))
	for t := range x {
		j.errors[t] = x[t] - j.expected[t]
	}
	_, j.likelihood = noiseOf(j.errors, j.size)
	dense := 1 - float64(censoredOf(len(values)))/float64(len(values)) // a censored error contributes a probability, not a density
	for _, y := range values {
		j.likelihood += dense * l.slope(y, unit)
	}
	return j
}

// The noise at a point is estimated from the half-year around it, because variance is seasonal. With the errors of a
// quarter of a year, only the two largest errors would be censored. A third outlier would then inflate the scale.
const (
	nearPoints = 182 // minimum number of errors
	nearCycles = 26  // minimum number of seasons
	nearShared = 4   // number of seasons that share a noise estimate, to reduce the number of fits
)

// nearby returns the error distribution at each point, from the nearest errors. If possible, half of these errors are
// before the point and half are after the point.
func (j judgement) nearby(season int) func(t int) distuv.StudentsT {
	n := len(j.errors)
	reach := min(n, max(nearPoints, nearCycles*season))
	step := nearShared * max(nearPoints/nearCycles, season)
	noise := make([]distuv.StudentsT, (n+step-1)/step)
	start := func(b int) int { return max(0, min(n-reach, b*step+(step-reach)/2)) }
	var fits []func()
	for b := range noise {
		if b == 0 || start(b) != start(b-1) {
			fits = append(fits, func() { noise[b], _ = noiseOf(j.errors[start(b):start(b)+reach], j.size) })
		}
	}
	together(fits...)
	for b := range noise {
		if b > 0 && start(b) == start(b-1) {
			noise[b] = noise[b-1]
		}
	}
	return func(t int) distuv.StudentsT { return noise[t/step] }
}

func (j judgement) oddity(t int, noise distuv.StudentsT) Anomaly {
	p := 2 * noise.Survival(math.Abs(j.errors[t]))
	p = min(1, max(p, 1e-300))
	return Anomaly{Expected: j.from(j.expected[t]), P: p, Z: math.Copysign(-distuv.UnitNormal.Quantile(p/2), j.errors[t])}
}

// around returns the prediction of each point from all other points. The level of a point comes from its own side of a
// shift.
func around(x []float64, season int, shifts []Change) []float64 {
	n := len(x)
	reach := max(3*season, 10)
	factors, level := make([]float64, n), make([]float64, n)
	weights, rest := make([]float64, n), make([]float64, n)
	for t := range weights {
		weights[t] = 1
	}
	for range 3 {
		for t := range x {
			rest[t] = x[t] - factors[t]
		}
		for from := 0; from < n; {
			next := n
			if k := slices.IndexFunc(shifts, func(s Change) bool { return s.At > from }); k >= 0 {
				next = shifts[k].At
			}
			for t := from; t < next; t++ {
				level[t] = withoutIt(rest[from:next], weights[from:next], t-from, reach)
			}
			from = next
		}
		for t := range x {
			rest[t] = x[t] - level[t]
		}
		if season > 1 {
			others(rest, weights, season, factors)
		}
		for t := range x {
			rest[t] -= factors[t]
		}
		bisquare(rest, weights)
	}
	clip := 2.5 * 1.4826 * typical(rest)
	for t := range rest {
		rest[t] = max(-clip, min(clip, rest[t]))
	}
	follow := max(0, autocorrelation(rest, 1)[0])
	out := make([]float64, n)
	for t := range x {
		out[t] = level[t] + factors[t]
		switch t {
		case 0:
			out[t] += follow * rest[1]
		case n - 1:
			out[t] += follow * rest[n-2]
		default:
			out[t] += follow / (1 + follow*follow) * (rest[t-1] + rest[t+1])
		}
	}
	return out
}

// barely is a weight that has no effect unless all other weights are zero.
const barely = 1e-6

// others sets each point's seasonal factor: the weighted mean of the deviations at the same position in the cycle,
// without the point's own deviation.
func others(deviations, weights []float64, season int, factors []float64) {
	for place := range season {
		var sum, weight float64
		for t := place; t < len(deviations); t += season {
			sum += weights[t] * deviations[t]
			weight += weights[t]
		}
		for t := place; t < len(deviations); t += season {
			factors[t] = (sum - weights[t]*deviations[t]) / (weight - weights[t])
		}
	}
}

// bisquare sets each point's weight from its error. The weight is near zero beyond six times the median absolute error.
func bisquare(errors, weights []float64) {
	scale := 6 * typical(errors)
	for t, e := range errors {
		u := e / scale
		switch {
		case scale == 0:
			weights[t] = 1
		case math.Abs(u) < 1:
			weights[t] = max(barely, (1-u*u)*(1-u*u))
		default:
			weights[t] = barely
		}
	}
}

// typical returns the median absolute value.
func typical(x []float64) float64 {
	sizes := make([]float64, len(x))
	for t, v := range x {
		sizes[t] = math.Abs(v)
	}
	return median(sizes)
}

// withoutIt returns the value at t of a local linear regression on the points around t, excluding t.
func withoutIt(x, weights []float64, t, reach int) float64 {
	from, to := max(0, t-reach), min(len(x), t+reach+1)
	far := float64(reach + 1)
	var w, wx, wy, wxx, wxy float64
	for i := from; i < to; i++ {
		if i == t {
			continue
		}
		d := float64(i - t)
		u := math.Abs(d) / far
		c := 1 - u*u*u
		weight := c * c * c * weights[i]
		w += weight
		wx += weight * d
		wy += weight * x[i]
		wxx += weight * d * d
		wxy += weight * d * x[i]
	}
	if spread := w*wxx - wx*wx; spread > 1e-9*w*wxx {
		return (wxx*wy - wx*wxy) / spread
	}
	return wy / w
}

// noiseOf returns the error distribution, and the log-likelihood with the best degrees of freedom from a short list.
// The distribution has the posterior geometric mean of the degrees of freedom, because their most likely value is
// imprecise with a few hundred errors. Too low a value misses anomalies, and too high a value flags normal points.
func noiseOf(errors []float64, size float64) (distuv.StudentsT, float64) {
	sizes := make([]float64, len(errors))
	for t, e := range errors {
		sizes[t] = math.Abs(e)
	}
	slices.Sort(sizes)
	censored := censoredOf(len(sizes))
	limit := sizes[len(sizes)-censored]
	sizes = sizes[:len(sizes)-censored]
	least := max(1e-9*size, 1e-300) // for a series without noise, rounding errors are not anomalies
	fit := func(freedom float64) (distuv.StudentsT, float64) {
		shape := distuv.StudentsT{Sigma: 1, Nu: freedom}
		value := func(logScale float64) float64 {
			s := math.Exp(logScale)
			sum := float64(censored) * math.Log(max(1e-300, shape.Survival(limit/s)))
			quiet, product, inverse, each := 0.0, 1.0, 1/s, 1/freedom
			for i, e := range sizes {
				// One logarithm is computed for the product of sixteen factors. The product does not overflow, because
				// each factor is below 1e5 on these scales.
				u := e * inverse
				if product *= 1 + u*u*each; i%16 == 15 {
					quiet += math.Log(product)
					product = 1
				}
			}
			quiet += math.Log(product)
			return sum - normality/freedom - (freedom+1)/2*quiet + float64(len(sizes))*(shape.LogProb(0)-logScale)
		}
		center := math.Log(max(least, 1.4826*stats.Quantile(sizes, 0.5), limit/20))
		at := highestBetween(value, center-2, center+2)
		return distuv.StudentsT{Sigma: max(least, math.Exp(at)), Nu: freedom}, value(at)
	}
	freedoms := []float64{2, 3, 4, 5, 7, 10, 15, 30, 100}
	likelihoods, highest := make([]float64, len(freedoms)), math.Inf(-1)
	for i, freedom := range freedoms {
		_, likelihoods[i] = fit(freedom)
		highest = max(highest, likelihoods[i])
	}
	var logFreedom, weights float64
	for i, freedom := range freedoms {
		weight := math.Exp(likelihoods[i] - highest)
		logFreedom, weights = logFreedom+weight*math.Log(freedom), weights+weight
	}
	noise, _ := fit(math.Exp(logFreedom / weights))
	return noise, highest
}

// censoredShare is the number of errors per censored error. The largest errors are censored.
const censoredShare = 50

func censoredOf(errors int) int { return (errors + censoredShare - 1) / censoredShare }

// normality is the strength of the prior for normal errors: the log odds of ν degrees of freedom against a normal
// distribution are -normality/ν. Without the prior, the distribution fitted to a short series often has heavy tails by
// chance.
const normality = 14

// closeEnough is the tolerance of [highestBetween]. A change of the scale by this amount has no noticeable effect on
// probabilities.
const closeEnough = 1e-5

// highestBetween returns the position of the maximum of a unimodal function. It uses parabolic interpolation and golden
// section steps (Brent 1973, "Algorithms for minimization without derivatives", chapter 5).
func highestBetween(f func(float64) float64, low, high float64) float64 {
	const golden = 0.3819660112501051
	best := low + golden*(high-low)
	second, third := best, best
	fBest := f(best)
	fSecond, fThird := fBest, fBest
	step, before := 0.0, 0.0 // the last step and the one before it
	for {
		middle := (low + high) / 2
		if math.Abs(best-middle) <= 2*closeEnough-(high-low)/2 {
			return best
		}
		r, q := (best-second)*(fBest-fThird), (best-third)*(fBest-fSecond)
		p := (best-third)*q - (best-second)*r
		if q = 2 * (q - r); q > 0 {
			p = -p
		}
		q = math.Abs(q)
		limit := math.Abs(q * before / 2)
		before = step
		switch {
		case math.Abs(p) < limit && p > q*(low-best) && p < q*(high-best):
			step = p / q
			if at := best + step; at-low < 2*closeEnough || high-at < 2*closeEnough {
				step = math.Copysign(closeEnough, middle-best)
			}
		case best < middle:
			before = high - best
			step = golden * before
		default:
			before = low - best
			step = golden * before
		}
		at := best + math.Copysign(max(closeEnough, math.Abs(step)), step)
		fAt := f(at)
		if fAt >= fBest {
			if at < best {
				high = best
			} else {
				low = best
			}
			third, second, best = second, best, at
			fThird, fSecond, fBest = fSecond, fBest, fAt
			continue
		}
		if at < best {
			low = at
		} else {
			high = at
		}
		switch {
		case fAt >= fSecond || second == best:
			third, second = second, at
			fThird, fSecond = fSecond, fAt
		case fAt >= fThird || third == best || third == second:
			third, fThird = at, fAt
		}
	}
}

// discover sets Q and Actionable of all points.
func discover(all []Anomaly) {
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(all[a].P, all[b].P) })
	least := 1.0
	for rank := len(order); rank > 0; rank-- {
		o := &all[order[rank-1]]
		least = min(least, o.P*float64(len(all))/float64(rank))
		o.Q = least
		o.Actionable = least <= ActionableShare
	}
}
