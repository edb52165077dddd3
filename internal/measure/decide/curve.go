package decide

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/floats"
)

// curve is a deterministic response: a piecewise cubic with given values and slopes on a grid of spends. The
// coefficients are for powers of the distance to the interval's start.
type curve struct {
	grid       []float64
	a, b, c, d []float64 // on interval i at u = x - grid[i]: a + u (b + u (c + u d))
}

// newCurve returns the curve with the given values and slopes. The true slope may be infinite at the first point.
// newCurve replaces this slope with the slope of a parabola. The parabola passes through the first two points and has
// the second point's slope.
func newCurve(grid, value, slope []float64) curve {
	n := len(grid) - 1
	k := curve{grid, make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)}
	for i := range n {
		h := grid[i+1] - grid[i]
		secant := (value[i+1] - value[i]) / h
		from := slope[i]
		if i == 0 {
			from = 2*secant - slope[1]
		}
		k.a[i], k.b[i] = value[i], from
		k.c[i] = (3*secant - 2*from - slope[i+1]) / h
		k.d[i] = (from + slope[i+1] - 2*secant) / (h * h)
	}
	return k
}

// mean returns the mean curve of the given draws.
func (r Response) mean(draws []int) curve {
	value, slope := make([]float64, len(r.Spend)), make([]float64, len(r.Spend))
	for i := range r.Spend {
		value[i] = meanOf(r.Value[i], draws)
		if i > 0 {
			slope[i] = meanOf(r.Slope[i], draws)
		}
	}
	return newCurve(r.Spend, value, slope)
}

func meanOf(values []float64, at []int) float64 {
	var sum float64
	for _, i := range at {
		sum += values[i]
	}
	return sum / float64(len(at))
}

// blend returns (1-w) k + w other, on the same grid.
func (k curve) blend(other curve, w float64) curve {
	mix := func(a, b []float64) []float64 {
		out := make([]float64, len(a))
		for i := range a {
			out[i] = (1-w)*a[i] + w*b[i]
		}
		return out
	}
	return curve{k.grid, mix(k.a, other.a), mix(k.b, other.b), mix(k.c, other.c), mix(k.d, other.d)}
}

// interval returns the index of the grid interval that contains x.
func interval(grid []float64, x float64) int {
	return min(max(sort.SearchFloat64s(grid, x)-1, 0), len(grid)-2)
}

// at returns the value and the slope at a spend.
func (k curve) at(x float64) (value, slope float64) {
	i := interval(k.grid, x)
	return k.on(i, x-k.grid[i])
}

func (k curve) on(i int, u float64) (value, slope float64) {
	return k.a[i] + u*(k.b[i]+u*(k.c[i]+u*k.d[i])), k.b[i] + u*(2*k.c[i]+u*3*k.d[i])
}

// steepest returns the smallest and the largest slope between two spends.
func (k curve) steepest(from, to float64) (least, most float64) {
	least, most = math.Inf(1), math.Inf(-1)
	for i := interval(k.grid, from); i < len(k.a) && (k.grid[i] < to || i == interval(k.grid, from)); i++ {
		h := k.grid[i+1] - k.grid[i]
		inner := math.Min(math.Max(-k.c[i]/(3*k.d[i]), 0), h) // the slope's extremum; NaN on a linear interval
		for _, u := range []float64{0, h, inner} {
			if _, slope := k.on(i, u); !math.IsNaN(slope) {
				least, most = math.Min(least, slope), math.Max(most, slope)
			}
		}
	}
	return least, most
}

// best returns the spend between two bounds that maximizes the profit, value minus price times spend. It also returns
// the profit. The result is exact: the profit is cubic on each interval, and its only inner maximum is at the root of a
// quadratic.
func (k curve) best(from, to, price float64) (x, profit float64) {
	i, last := interval(k.grid, from), interval(k.grid, to)
	value, _ := k.at(from)
	x, profit = from, value-price*from
	for ; i <= last; i++ {
		start := k.grid[i]
		low, high := math.Max(from-start, 0), math.Min(to, k.grid[i+1])-start
		try := func(u float64) {
			value := k.a[i] + u*(k.b[i]+u*(k.c[i]+u*k.d[i]))
			if p := value - price*(start+u); p > profit {
				x, profit = start+u, p
			}
		}
		try(high)
		if u, ok := peak(k.b[i]-price, k.c[i], k.d[i]); ok && u > low && u < high {
			try(u)
		}
	}
	return x, profit
}

// peak returns the u at the local maximum of b u + c u^2 + d u^3, and false if there is none.
func peak(b, c, d float64) (u float64, ok bool) {
	square := c*c - 3*b*d
	if !(square > 0) {
		return 0, false
	}
	// At this root of b + 2 c u + 3 d u^2, the second derivative is negative. This form avoids cancellation.
	root := math.Sqrt(square)
	if c < 0 {
		return b / (root - c), true
	}
	return -(root + c) / (3 * d), d != 0
}

// draws adds each draw's response at a spend to out.
func (r Response) draws(out []float64, x float64) {
	i := interval(r.Spend, x)
	h := r.Spend[i+1] - r.Spend[i]
	t := (x - r.Spend[i]) / h
	// Weights of cubic Hermite interpolation.
	fromValue, toValue := (1+2*t)*(1-t)*(1-t), t*t*(3-2*t)
	fromSlope, toSlope := h*t*(1-t)*(1-t), h*t*t*(t-1)
	if i == 0 { // the first slope is 2 (to - from) / h - slope of the second
		fromValue, toValue, toSlope, fromSlope = fromValue-2*fromSlope/h, toValue+2*fromSlope/h, toSlope-fromSlope, 0
	}
	floats.AddScaled(out, fromValue, r.Value[i])
	floats.AddScaled(out, toValue, r.Value[i+1])
	if fromSlope != 0 {
		floats.AddScaled(out, fromSlope, r.Slope[i])
	}
	floats.AddScaled(out, toSlope, r.Slope[i+1])
}

// At returns each draw's response at a spend within the grid.
func (r Response) At(spend float64) []float64 {
	out := make([]float64, r.size())
	r.draws(out, spend)
	return out
}
