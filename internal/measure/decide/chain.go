package decide

import "math"

// chain finds the spends that are nearest to a channel's spends and have bounded changes between periods. It is
// reusable scratch space.
//
// Let f_1(b) = (b - y_1)^2 / 2 and f_t(b) = (b - y_t)^2 / 2 + min of f_(t-1)(a) over |a - b| <= change. The last spend
// minimizes f_n. Each earlier spend minimizes its f, and is then clipped so that the difference to the next spend is at
// most change. The derivative of f is piecewise linear and increasing. Minimizing over a neighborhood shifts
// the derivative outward from its root: the left part to the left, and the right part to the right. The derivative is
// zero between the two parts. This is dynamic programming as in Johnson 2013 for the fused lasso. The result is exact.
type chain struct {
	corners, moved []corner
	roots          []float64
}

// corner is a knot of a piecewise linear derivative. Two knots at one spend are a jump.
type corner struct{ at, slope float64 }

// nearest sets y to the nearest values within bounds that have consecutive differences of at most change.
func (c *chain) nearest(y []float64, within Range, change float64) {
	c.corners = append(c.corners[:0], corner{within.Min, within.Min - y[0]}, corner{within.Max, within.Max - y[0]})
	c.roots = append(c.roots[:0], root(c.corners))
	for t := 1; t < len(y); t++ {
		c.widen(c.roots[t-1], within, change)
		for i := range c.corners {
			c.corners[i].slope += c.corners[i].at - y[t]
		}
		c.roots = append(c.roots, root(c.corners))
	}
	last := len(y) - 1
	y[last] = c.roots[last]
	for t := last - 1; t >= 0; t-- {
		y[t] = math.Min(math.Max(c.roots[t], y[t+1]-change), y[t+1]+change)
	}
}

// root returns the zero of a piecewise linear, increasing derivative. Without a zero, it returns the end at which the
// derivative is closest to zero.
func root(corners []corner) float64 {
	for i, k := range corners {
		if k.slope < 0 {
			continue
		}
		if i == 0 || k.slope == 0 {
			return k.at
		}
		before := corners[i-1]
		return before.at + (k.at-before.at)*(-before.slope/(k.slope-before.slope))
	}
	return corners[len(corners)-1].at
}

// widen replaces the derivative of f with the derivative of f's minimum over neighborhoods, within bounds.
func (c *chain) widen(root float64, within Range, change float64) {
	out := c.moved[:0]
	for _, k := range c.corners {
		if k.slope < 0 {
			out = append(out, corner{k.at - change, k.slope})
		}
	}
	out = append(out, corner{root - change, 0}, corner{root + change, 0})
	for _, k := range c.corners {
		if k.slope > 0 {
			out = append(out, corner{k.at + change, k.slope})
		}
	}
	c.corners, c.moved = clip(c.corners[:0], out, within), out
}

// clip appends to out the part of a derivative between two spends, with knots at both ends.
func clip(out, corners []corner, within Range) []corner {
	// If there is a jump on a bound, clip uses the value inside the bounds.
	from, to := 0, len(corners)-1
	for from < to && corners[from+1].at <= within.Min {
		from++
	}
	for to > from && corners[to-1].at >= within.Max {
		to--
	}
	out = append(out, between(corners[from], corners[min(from+1, len(corners)-1)], within.Min))
	for _, k := range corners {
		if k.at > within.Min && k.at < within.Max {
			out = append(out, k)
		}
	}
	return append(out, between(corners[max(to-1, 0)], corners[to], within.Max))
}

// between returns the knot at a spend, interpolated between two knots.
func between(a, b corner, at float64) corner {
	if a.at == b.at {
		return corner{at, a.slope}
	}
	return corner{at, a.slope + (b.slope-a.slope)*(at-a.at)/(b.at-a.at)}
}
