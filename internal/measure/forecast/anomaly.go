package forecast

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"assay/internal/fault"
)

// Oddity is how unusual one point of a series is, given all the others.
type Oddity struct {
	Expected   float64 // what the points around it let expect, in the unit of the series
	Z          float64 // |Z| > 2 has the probability .0455 among points that are not unusual, whatever the shape of the noise
	P          float64 // the probability of a point as far off as this one
	Q          float64 // the share of false ones among all points that are no less unusual (Benjamini and Hochberg 1995)
	Actionable bool    // Q is at most [ActionableShare]: worth a look, also among many points
}

// ActionableShare is the share of false alarms among actionable points.
const ActionableShare = 0.2

// leastJudged is the number of points below which nothing is called unusual.
const leastJudged = 21

// Oddities judges every point of a finished series by the points on both sides of it, and so the newest by those before.
//
// Each point is left out and expected from the season, a local line (tricube weights over three seasons to either side,
// bisquare weights against other unusual points: Cleveland 1979, "Robust locally weighted regression and smoothing
// scatterplots") and the neighbours' own deviations, as far as deviations follow each other. The errors of the
// half-year around a point are taken to be Student's t; scale and degrees of freedom are those of the highest likelihood with the
// largest fiftieth of the errors censored, so that what is unusual does not hide itself. The same likelihood, of all
// errors, decides whether the series is judged as it is, by square roots or by logarithms. P is read from that distribution
// and Z from P.
//
// It assumes one season and a level without jumps; around a jump both sides look unusual. [OneStep] judges as days
// arrive. A value that is not finite is refused; fewer than 21 points, or than three seasons, are not ready.
func Oddities(values []float64, season int) ([]Oddity, error) {
	season = max(1, season)
	for t, y := range values {
		if math.IsNaN(y) || math.Abs(y) > largest {
			return nil, fault.Invalid("value %d is %v, want a finite number", t, y)
		}
	}
	if len(values) > mostPeriods {
		return nil, fault.Invalid("the series has %d points, more than %d", len(values), mostPeriods)
	}
	if len(values) < max(leastJudged, 3*season) {
		return nil, fault.NotReady("the series has %d points, an anomaly needs at least %d to stand out from", len(values), max(leastJudged, 3*season))
	}
	out := make([]Oddity, len(values))
	if slices.Min(values) == slices.Max(values) {
		for t, y := range values {
			out[t] = Oddity{Expected: y, P: 1, Q: 1}
		}
		return out, nil
	}
	best := bestLens(values, season)
	nearby := best.nearby(season)
	for t := range values {
		out[t] = best.oddity(t, nearby(t))
	}
	discover(out)
	return out, nil
}

// lens is what a series is seen through.
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

// habit is how much more likely a series has to be through another lens than through logarithms, in units of the
// log-likelihood: what changes by a share at one height does so at every height, until the contrary is plain.
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
		look[i] = func() { seen[i] = judged(values, season, l) }
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

// slope returns the logarithm of the derivative at y, which makes likelihoods comparable.
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

// judgement is a series seen through a lens.
type judgement struct {
	lens
	expected, errors []float64 // on the scale of the lens
	size             float64   // mean size of a value on that scale
	likelihood       float64   // of all errors as one distribution
}

func judged(values []float64, season int, l lens) judgement {
	x := make([]float64, len(values))
	unit := meanSize(values)
	for t, y := range values {
		x[t] = l.to(y)
	}
	j := judgement{lens: l, expected: around(x, season, nil), size: meanSize(x)}
	j.errors = make([]float64, len(x))
	for t := range x {
		j.errors[t] = x[t] - j.expected[t]
	}
	_, j.likelihood = noiseOf(j.errors, j.size)
	dense := 1 - float64(censoredOf(len(values)))/float64(len(values)) // what is censored has a probability, not a density
	for _, y := range values {
		j.likelihood += dense * l.slope(y, unit)
	}
	return j
}

// A point's noise is that of the half-year around it: what is usual in the weeks before Christmas is not usual in July. Of a
// quarter only two errors would be censored, which two bad days in it take up.
const (
	nearPoints = 182 // at least so many errors
	nearCycles = 26  // and those of so many seasons
	nearShared = 4   // seasons whose points are given the same noise, because each fit takes its time
)

// nearby returns the distribution of the errors around each point: that of the nearest ones, as many before as after it
// where the series goes on that far.
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

func (j judgement) oddity(t int, noise distuv.StudentsT) Oddity {
	p := 2 * noise.Survival(math.Abs(j.errors[t]))
	p = min(1, max(p, 1e-300))
	return Oddity{Expected: j.from(j.expected[t]), P: p, Z: math.Copysign(-distuv.UnitNormal.Quantile(p/2), j.errors[t])}
}

// around returns what each point is expected to be from all the others. Points that stand apart, where apart is not nil,
// are expected like the rest and let nothing expect.
func around(x []float64, season int, apart []bool) []float64 {
	n := len(x)
	reach := max(3*season, 10)
	factors, level := make([]float64, n), make([]float64, n)
	weights, rest := make([]float64, n), make([]float64, n)
	for t := range weights {
		weights[t] = 1
	}
	leave(weights, apart)
	for range 3 {
		for t := range x {
			rest[t] = x[t] - factors[t]
		}
		for t := range x {
			level[t] = withoutIt(rest, weights, t, reach)
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
		leave(weights, apart)
	}
	clip := 2.5 * 1.4826 * typical(rest)
	for t := range rest {
		rest[t] = max(-clip, min(clip, rest[t]))
	}
	for t, alone := range apart {
		if alone {
			rest[t] = 0
		}
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

// barely is the weight of a point that decides nothing as long as there is another.
const barely = 1e-6

func leave(weights []float64, apart []bool) {
	for t, alone := range apart {
		if alone {
			weights[t] = barely
		}
	}
}

// others sets the factor of each point: the weighted mean of the deviations at its place of the cycle, without its own.
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

// bisquare sets the weight of each point by the size of its error, almost none beyond six times the typical one.
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

// typical returns the median size.
func typical(x []float64) float64 {
	sizes := make([]float64, len(x))
	for t, v := range x {
		sizes[t] = math.Abs(v)
	}
	return median(sizes)
}

// withoutIt returns the local line at t through the points around it, t left out.
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

// noiseOf returns the distribution of the errors and its log-likelihood. Degrees of freedom are taken from a list, which
// is all that a few hundred errors tell.
func noiseOf(errors []float64, size float64) (distuv.StudentsT, float64) {
	sizes := make([]float64, len(errors))
	for t, e := range errors {
		sizes[t] = math.Abs(e)
	}
	slices.Sort(sizes)
	censored := censoredOf(len(sizes))
	limit := sizes[len(sizes)-censored]
	sizes = sizes[:len(sizes)-censored]
	least := max(1e-9*size, 1e-300) // a series without any noise does not flag its rounding
	best, highest := distuv.StudentsT{}, math.Inf(-1)
	for _, freedom := range []float64{2, 3, 4, 5, 7, 10, 15, 30, 100} {
		shape := distuv.StudentsT{Sigma: 1, Nu: freedom}
		value := func(logScale float64) float64 {
			s := math.Exp(logScale)
			sum := float64(censored) * math.Log(max(1e-300, shape.Survival(limit/s)))
			quiet, product, inverse, each := 0.0, 1.0, 1/s, 1/freedom
			for i, e := range sizes {
				// One logarithm for sixteen factors, none of which is above 1e5 on the scales that are looked at.
				u := e * inverse
				if product *= 1 + u*u*each; i%16 == 15 {
					quiet += math.Log(product)
					product = 1
				}
			}
			quiet += math.Log(product)
			return sum - doubt/freedom - (freedom+1)/2*quiet + float64(len(sizes))*(shape.LogProb(0)-logScale)
		}
		centre := math.Log(max(least, 1.4826*quantile(sizes, 0.5), limit/20))
		at := highestBetween(value, centre-2, centre+2)
		if y := value(at); y > highest {
			highest, best = y, distuv.StudentsT{Sigma: max(least, math.Exp(at)), Nu: freedom}
		}
	}
	return best, highest
}

// censoredShare is the part of the errors, one in so many, of which only the rank is used.
const censoredShare = 50

func censoredOf(errors int) int { return (errors + censoredShare - 1) / censoredShare }

// doubt is how strongly normal errors are believed in before a series is seen: the logarithm of the odds of ν degrees of
// freedom is -doubt/ν. Without it few points make tails heavy by chance.
const doubt = 8

// closeEnough is how near [highestBetween] comes: a change of a scale by it is not seen in any probability.
const closeEnough = 1e-5

// highestBetween returns where a function with one hill is highest, by parabolas through the three best points and golden
// sections where those do not help (Brent 1973, "Algorithms for minimization without derivatives", chapter 5).
func highestBetween(f func(float64) float64, low, high float64) float64 {
	const golden = 0.3819660112501051
	best := low + golden*(high-low)
	second, third := best, best
	fBest := f(best)
	fSecond, fThird := fBest, fBest
	step, before := 0.0, 0.0 // the last one and the one before it
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

// discover sets Q and what follows from it.
func discover(all []Oddity) {
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
