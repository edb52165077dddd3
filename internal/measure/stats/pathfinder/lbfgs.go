package pathfinder

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"assay/internal/measure/stats"
)

// iterate is one point of a path with the value and the gradient of the log density.
type iterate struct {
	x, grad []float64
	logp    float64
}

const (
	memory       = 6    // pairs of steps that describe the curvature
	maxSteps     = 1000 // steps of one path
	gradientStop = 1e-5 // largest gradient at which a path ends
	valueStop    = 1e-8 // largest relative gain at which a path ends
)

// ascend maximizes the log density by L-BFGS from the point and returns every iterate, including the first (Nocedal and
// Wright 2006, algorithm 7.5).
func ascend(density stats.Density, from []float64) []iterate {
	at := iterate{x: from, grad: make([]float64, len(from))}
	at.logp = density.LogDensity(at.x, at.grad)
	path := []iterate{at}
	var pairs []pair
	for len(path) <= maxSteps && floats.Norm(at.grad, math.Inf(1)) > gradientStop {
		direction := newton(pairs, at.grad)
		next, ok := search(density, at, direction)
		if !ok {
			if len(pairs) == 0 {
				break
			}
			pairs = nil // the curvature is misleading: try once more along the gradient
			continue
		}
		if p := between(at, next); p.curved() {
			pairs = append(pairs, p)
			pairs = pairs[max(0, len(pairs)-memory):]
		}
		gain := next.logp - at.logp
		at = next
		path = append(path, at)
		if gain < valueStop*(1+math.Abs(at.logp)) {
			break
		}
	}
	return path
}

// pair is a step s and the change y of the negative gradient along this step.
type pair struct {
	s, y []float64
	sy   float64
}

func between(a, b iterate) pair {
	p := pair{s: make([]float64, len(a.x)), y: make([]float64, len(a.x))}
	floats.SubTo(p.s, b.x, a.x)
	floats.SubTo(p.y, a.grad, b.grad)
	p.sy = floats.Dot(p.s, p.y)
	return p
}

// curved reports whether the pair meets the curvature condition s·y > 0, with a tolerance for rounding. The log density
// is then concave along the step.
func (p pair) curved() bool { return p.sy > 1e-12*floats.Dot(p.y, p.y) }

// newton returns the product of the inverse Hessian from the pairs and the gradient, by the two-loop recursion.
func newton(pairs []pair, grad []float64) []float64 {
	d := append([]float64(nil), grad...)
	if len(pairs) == 0 {
		floats.Scale(1/math.Max(1, floats.Norm(d, 2)), d)
		return d
	}
	along := make([]float64, len(pairs))
	for i := len(pairs) - 1; i >= 0; i-- {
		p := pairs[i]
		along[i] = floats.Dot(p.s, d) / p.sy
		floats.AddScaled(d, -along[i], p.y)
	}
	last := pairs[len(pairs)-1]
	floats.Scale(last.sy/floats.Dot(last.y, last.y), d)
	for i, p := range pairs {
		floats.AddScaled(d, along[i]-floats.Dot(p.y, d)/p.sy, p.s)
	}
	return d
}

// search finds a step along the direction that satisfies the weak Wolfe conditions, by bisection (Lewis and Overton
// 2013). A value that is not finite is treated as too low, so steps remain inside the support.
func search(density stats.Density, at iterate, direction []float64) (next iterate, ok bool) {
	const (
		sufficient = 1e-4
		flatter    = 0.9
		maxTrials  = 40
	)
	slope := floats.Dot(at.grad, direction)
	if !(slope > 0) {
		return iterate{}, false
	}
	step, low, high := 1.0, 0.0, math.Inf(1)
	for range maxTrials {
		next = iterate{x: make([]float64, len(at.x)), grad: make([]float64, len(at.x))}
		floats.AddScaledTo(next.x, at.x, step, direction)
		next.logp = density.LogDensity(next.x, next.grad)
		switch {
		case !finite(next.logp) || !allFinite(next.grad) || next.logp < at.logp+sufficient*step*slope:
			high = step
		case floats.Dot(next.grad, direction) > flatter*slope:
			low = step
		default:
			return next, true
		}
		if math.IsInf(high, 1) {
			step = 2 * low
		} else {
			step = (low + high) / 2
		}
	}
	return next, low > 0 && finite(next.logp) && next.logp > at.logp && allFinite(next.grad)
}
