// Package pathfinder finds starting points for a sampler.
//
// It follows quasi-Newton paths from random points toward modes of the density. For each path, it selects the normal
// approximation with the highest evidence lower bound. It selects starts from the draws of all approximations by
// importance resampling, so a path that ends in a much lower mode provides no start. The method is multi-path
// Pathfinder (Zhang, Carpenter, Gelman, Vehtari: Pathfinder, JMLR 2022), with weights truncated as in Ionides (2008)
// instead of Pareto smoothing.
package pathfinder

import (
	"errors"
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"assay/internal/measure/stats"
	"assay/internal/panics"
)

// Options contains the settings of the search. Zero values mean the defaults.
type Options struct {
	Seed   uint64
	Paths  int         // number of paths; default 8
	Radius float64     // paths begin uniformly within ±Radius in each parameter; default 2
	Stop   func() bool // called before each path, concurrently; nil never stops
}

// Start is a starting point of a chain.
type Start struct {
	Point    []float64
	Variance []float64 // variance of each parameter in the approximation that provided the point
}

// ErrNoStart is the error if the density is not finite at any starting point of a path.
var ErrNoStart = errors.New("the density is not finite at any starting point")

const (
	drawsPerPath  = 50  // candidates for starts
	drawsPerBound = 5   // draws per estimate of an evidence lower bound
	startStream   = 1e6 // first stream of this package, apart from the streams of chains
	maxTries      = 100 // maximum number of random points for one path
)

// Find returns n starts. The starts differ unless there are fewer than n candidates. The same seed gives the same
// starts. Find calls newDensity once for each path, from the caller's goroutine. All densities must compute the same
// numbers.
func Find(newDensity func() stats.Density, n int, o Options) ([]Start, error) {
	paths, radius := o.Paths, o.Radius
	if paths == 0 {
		paths = 8
	}
	if radius == 0 {
		radius = 2
	}
	found := make([]candidates, paths)
	var work panics.Group
	for i := range found {
		density := newDensity()
		work.Go(func() {
			if o.Stop != nil && o.Stop() {
				return
			}
			random := stats.Stream(o.Seed, startStream+uint64(i))
			if from, ok := finitePoint(density, radius, random); ok {
				found[i].add(density, bestApproximation(density, ascend(density, from), random), random)
			}
		})
	}
	work.Wait()
	var pool candidates
	for _, path := range found {
		pool.points = append(pool.points, path.points...)
		pool.from = append(pool.from, path.from...)
		pool.logWeight = append(pool.logWeight, path.logWeight...)
	}
	if len(pool.points) == 0 {
		return nil, ErrNoStart
	}
	return pool.resample(n, stats.Stream(o.Seed, startStream+uint64(paths))), nil
}

// finitePoint returns a random point at which the density and its gradient are finite.
func finitePoint(density stats.Density, radius float64, random *rand.Rand) (point []float64, ok bool) {
	x, grad := make([]float64, density.Dim()), make([]float64, density.Dim())
	for range maxTries {
		for i := range x {
			x[i] = radius * (2*random.Float64() - 1)
		}
		if finite(density.LogDensity(x, grad)) && allFinite(grad) {
			return x, true
		}
	}
	return nil, false
}

// sample contains draws from the normal approximation at a step of a path, with the log densities of the draws in this
// approximation.
type sample struct {
	step int
	x    [drawsPerBound][]float64
	logq [drawsPerBound]float64
}

// bestApproximation returns the normal approximation along the path with the highest evidence lower bound. Bounds
// usually increase along a path, so the search starts at the end. The computation of a bound stops early if the first
// draws are far below the highest bound.
func bestApproximation(density stats.Density, path []iterate, random *rand.Rand) *normal {
	var samples []sample
	for step, q := range approximations(path) {
		s := sample{step: step}
		for k := range s.x {
			s.x[k], s.logq[k] = q.draw(random)
		}
		samples = append(samples, s)
	}
	best, highest := -1, math.Inf(-1)
	for _, s := range slices.Backward(samples) {
		if bound := s.bound(density, highest); best < 0 || bound >= highest {
			best, highest = s.step, bound
		}
	}
	// The approximations are computed again, because storing all of them needs more memory than the rest of a fit.
	for step, q := range approximations(path) {
		if step == best {
			return q
		}
	}
	return nil
}

// approximations iterates over the steps of a path with a normal approximation.
func approximations(path []iterate) iter.Seq2[int, *normal] {
	return func(yield func(int, *normal) bool) {
		history := newCurvature(len(path[0].x))
		for i, at := range path {
			if i > 0 {
				history.update(path[i-1], at)
			}
			if q := history.normalAt(at); q != nil && !yield(i, q) {
				return
			}
		}
	}
}

// bound estimates the evidence lower bound. It returns -Inf as soon as its draws are improbably far below the highest
// bound. For a good approximation, the standard deviation of a draw's log density is the square root of half the
// dimension.
func (s *sample) bound(density stats.Density, highest float64) float64 {
	hopeless, sum := 5+math.Sqrt(float64(density.Dim())), 0.0
	for k, x := range s.x {
		sum += value(density, x) - s.logq[k]
		if sum/float64(k+1) < highest-hopeless {
			return math.Inf(-1)
		}
	}
	return sum / drawsPerBound
}

// candidates contains draws from all paths' approximations with their log importance weights.
type candidates struct {
	points    [][]float64
	from      []*normal
	logWeight []float64
}

func (c *candidates) add(density stats.Density, q *normal, random *rand.Rand) {
	if q == nil {
		return
	}
	for range drawsPerPath {
		x, logq := q.draw(random)
		if logw := value(density, x) - logq; finite(logw) {
			c.points = append(c.points, x)
			c.from = append(c.from, q)
			c.logWeight = append(c.logWeight, logw)
		}
	}
}

// resample draws n candidates by weight, without replacement if possible.
func (c *candidates) resample(n int, random *rand.Rand) []Start {
	weights := truncated(c.logWeight)
	left := append([]float64(nil), weights...)
	starts := make([]Start, 0, n)
	for range n {
		i, ok := pick(left, random)
		if !ok {
			copy(left, weights)
			i, _ = pick(left, random)
		}
		left[i] = 0
		starts = append(starts, Start{Point: c.points[i], Variance: c.from[i].variances()})
	}
	return starts
}

// truncated returns weights truncated at sqrt(n) times their mean, so that not all starts are the same draw.
func truncated(logWeight []float64) []float64 {
	highest := math.Inf(-1)
	for _, w := range logWeight {
		highest = math.Max(highest, w)
	}
	weights := make([]float64, len(logWeight))
	var mean float64
	for i, w := range logWeight {
		weights[i] = math.Exp(w - highest)
		mean += weights[i] / float64(len(weights))
	}
	limit := mean * math.Sqrt(float64(len(weights)))
	for i := range weights {
		weights[i] = math.Min(weights[i], limit)
	}
	return weights
}

// pick draws an index by weight. The result ok is false if no weight is left.
func pick(weights []float64, random *rand.Rand) (index int, ok bool) {
	var total float64
	for _, w := range weights {
		total += w
	}
	if total == 0 {
		return 0, false
	}
	u := random.Float64() * total
	last := 0
	for i, w := range weights {
		if w == 0 {
			continue
		}
		last = i
		if u -= w; u < 0 {
			return i, true
		}
	}
	return last, true
}

// value returns the log density if it is finite, otherwise -Inf.
func value(density stats.Density, x []float64) float64 {
	if v := density.LogDensity(x, make([]float64, len(x))); !math.IsNaN(v) {
		return v
	}
	return math.Inf(-1)
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

func allFinite(x []float64) bool {
	for _, v := range x {
		if !finite(v) {
			return false
		}
	}
	return true
}
