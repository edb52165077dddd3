package decide

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/floats"
)

// curve is a response without uncertainty: a cubic between rungs with given values and slopes, in local powers.
type curve struct {
	rungs      []float64
	a, b, c, d []float64 // on stretch i at u = x - rungs[i]: a + u (b + u (c + u d))
}

// newCurve joins the rungs. The slope at the first is that of the parabola through the first two rungs with the slope
// of the second: a true slope may be infinite there.
func newCurve(rungs, value, slope []float64) curve {
	n := len(rungs) - 1
	k := curve{rungs, make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)}
	for i := range n {
		h := rungs[i+1] - rungs[i]
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

// mean returns the curve of the draws' mean, or of the mean over some of them.
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

// blend returns (1-w) k + w other, which have the same rungs.
func (k curve) blend(other curve, w float64) curve {
	mix := func(a, b []float64) []float64 {
		out := make([]float64, len(a))
		for i := range a {
			out[i] = (1-w)*a[i] + w*b[i]
		}
		return out
	}
	return curve{k.rungs, mix(k.a, other.a), mix(k.b, other.b), mix(k.c, other.c), mix(k.d, other.d)}
}

// stretch returns the index of the stretch that holds x.
func stretch(rungs []float64, x float64) int {
	return min(max(sort.SearchFloat64s(rungs, x)-1, 0), len(rungs)-2)
}

// at returns value and slope.
func (k curve) at(x float64) (value, slope float64) {
	i := stretch(k.rungs, x)
	return k.on(i, x-k.rungs[i])
}

func (k curve) on(i int, u float64) (value, slope float64) {
	return k.a[i] + u*(k.b[i]+u*(k.c[i]+u*k.d[i])), k.b[i] + u*(2*k.c[i]+u*3*k.d[i])
}

// steepest returns bounds of the slope between two spends.
func (k curve) steepest(from, to float64) (least, most float64) {
	least, most = math.Inf(1), math.Inf(-1)
	for i := stretch(k.rungs, from); i < len(k.a) && (k.rungs[i] < to || i == stretch(k.rungs, from)); i++ {
		h := k.rungs[i+1] - k.rungs[i]
		inner := math.Min(math.Max(-k.c[i]/(3*k.d[i]), 0), h) // where the slope turns; NaN on a straight stretch
		for _, u := range []float64{0, h, inner} {
			if _, slope := k.on(i, u); !math.IsNaN(slope) {
				least, most = math.Min(least, slope), math.Max(most, slope)
			}
		}
	}
	return least, most
}

// best returns the spend between two bounds at which value minus price times spend is largest, and that profit. It is
// exact: on each stretch the profit is a cubic, whose only inner maximum is a root of a quadratic.
func (k curve) best(from, to, price float64) (x, profit float64) {
	i, last := stretch(k.rungs, from), stretch(k.rungs, to)
	value, _ := k.at(from)
	x, profit = from, value-price*from
	for ; i <= last; i++ {
		start := k.rungs[i]
		low, high := math.Max(from-start, 0), math.Min(to, k.rungs[i+1])-start
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

// peak returns where b u + c u^2 + d u^3 has its maximum.
func peak(b, c, d float64) (u float64, ok bool) {
	square := c*c - 3*b*d
	if !(square > 0) {
		return 0, false
	}
	// Of the roots of b + 2 c u + 3 d u^2 this is the one with a negative second derivative, in the form that does not
	// cancel.
	root := math.Sqrt(square)
	if c < 0 {
		return b / (root - c), true
	}
	return -(root + c) / (3 * d), d != 0
}

// draws adds the response of each draw at a spend to out.
func (r Response) draws(out []float64, x float64) {
	i := stretch(r.Spend, x)
	h := r.Spend[i+1] - r.Spend[i]
	t := (x - r.Spend[i]) / h
	// The weights of the cubic with given ends and slopes (Hermite).
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

// At returns each draw's response at a spend between the first and the last rung.
func (r Response) At(spend float64) []float64 {
	out := make([]float64, r.size())
	r.draws(out, spend)
	return out
}
