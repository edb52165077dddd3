package forecast

import (
	"math"
	"slices"

	"assay/internal/fault"
	"assay/internal/measure/stats"
)

// Change is a change point between two linear segments of a series.
type Change struct {
	At            int     // first point of the new line
	Before, After float64 // values of the two lines at that point, in the series' unit
}

// Changes finds change points by optimal partitioning with pruning (PELT; Killick, Fearnhead and Eckley 2012, "Optimal
// detection of changepoints with a linear computational cost"). The cost of a segment is its residual sum of squares
// around a line, after seasonal adjustment. The penalty of a change point is 5 log(n) times the noise variance, times
// (1+ρ)/(1-ρ) for autocorrelated noise. Anomalies with |Z| above 3 are first replaced by their expected values.
// Segments have at least two seasons and ten points. A series shorter than two segments or 21 points results in a
// not-ready fault.
//
// Changes estimates the time of a change, not the cause. It also splits a smooth curve into segments.
func Changes(values []float64, season int) ([]Change, error) {
	season = max(1, season)
	least := max(10, 2*season)
	n := len(values)
	if n < max(2*least, leastJudged) {
		return nil, fault.NotReady("the series has %d points; change detection requires at least %d points", n, max(2*least, leastJudged))
	}
	odd, err := Anomalies(values, season)
	if err != nil {
		return nil, err
	}
	x := make([]float64, n)
	copy(x, values)
	for t, o := range odd {
		if math.Abs(o.Z) > 3 {
			x[t] = o.Expected
		}
	}
	if season > 1 {
		factors := cycle(x, season, false)
		for t := range x {
			x[t] -= factors[t%season]
		}
	}
	changes := x[1:]
	noise := make([]float64, n)
	for t := range x {
		noise[t] = x[t] - withoutIt(x, ones(n), t, least)
	}
	alike := min(0.9, max(0, autocorrelation(noise, 1)[0]))
	scale := 1.4826 * typical(noise)
	if scale == 0 || len(changes) == 0 {
		return nil, nil
	}
	cuts := partition(x, least, 5*math.Log(float64(n))*scale*scale*(1+alike)/(1-alike))
	var out []Change
	for i, at := range cuts {
		from, to := 0, n
		if i > 0 {
			from = cuts[i-1]
		}
		if i+1 < len(cuts) {
			to = cuts[i+1]
		}
		a, slope := line(x[from:at])
		b, _ := line(x[at:to])
		out = append(out, Change{At: at, Before: a + slope*float64(at-from), After: b})
	}
	return out, nil
}

// These limits distinguish a level shift from a slow change.
const (
	shiftNoise  = 4   // minimum shift, in standard deviations of the errors
	shiftLevel  = 0.5 // minimum shift on the log scale: 65% higher or 40% lower
	shiftSpread = 2   // seasons on either side that are compared
)

// levelShifts returns the permanent level changes of a series without negative values. A change is at least
// [shiftLevel] and at least [shiftNoise] standard deviations of the errors. As in [Changes], segments are long, so a
// few outliers are not a shift. levelShifts compares the median of the two seasons before with the median of the two
// seasons after.
func levelShifts(j judgement, values []float64, season int) (shifts []Change) {
	n, least := len(values), max(10, 2*season)
	if n < 2*least || slices.Min(values) < 0 {
		return nil
	}
	x, most := make([]float64, n), 6*typical(j.errors)
	for t, y := range values {
		if x[t] = j.to(y); math.Abs(j.errors[t]) > most {
			x[t] = median(slices.Clone(x[max(0, t-season) : t+1]))
		}
	}
	scale := 1.4826 * typical(j.errors)
	if scale == 0 {
		return nil
	}
	alike := min(0.9, max(0, autocorrelation(j.errors, 1)[0]))
	for _, at := range partition(x, least, 5*math.Log(float64(n))*scale*scale*(1+alike)/(1-alike)) {
		reach := shiftSpread * season
		before, after := median(slices.Clone(values[max(0, at-reach):at])), median(slices.Clone(values[at:min(n, at+reach)]))
		if before <= 0 || after <= 0 || math.Abs(math.Log(after/before)) < shiftLevel || math.Abs(j.to(after)-j.to(before)) < shiftNoise*scale {
			continue
		}
		shifts = append(shifts, Change{At: at, Before: before, After: after})
	}
	return shifts
}

func ones(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = 1
	}
	return out
}

// partition returns the index of the first point of every segment except the first segment.
func partition(x []float64, least int, penalty float64) []int {
	n := len(x)
	s := sumsOf(x)
	best, from := make([]float64, n+1), make([]int, n+1)
	best[0] = -penalty
	candidates := []int{0}
	for end := least; end <= n; end++ {
		best[end] = math.Inf(1)
		if begin := end - least; begin >= least {
			candidates = append(candidates, begin)
		}
		kept := candidates[:0]
		costs := make([]float64, len(candidates))
		for i, begin := range candidates {
			costs[i] = best[begin] + s.cost(begin, end)
			if costs[i]+penalty < best[end] {
				best[end], from[end] = costs[i]+penalty, begin
			}
		}
		for i, begin := range candidates {
			if costs[i] <= best[end] {
				kept = append(kept, begin)
			}
		}
		candidates = kept
	}
	var cuts []int
	for at := from[n]; at > 0; at = from[at] {
		cuts = append([]int{at}, cuts...)
	}
	return cuts
}

// sums contains cumulative sums for the cost of any segment in constant time.
type sums struct{ y, ty, yy []float64 }

func sumsOf(x []float64) sums {
	n := len(x)
	s := sums{y: make([]float64, n+1), ty: make([]float64, n+1), yy: make([]float64, n+1)}
	center := stats.Mean(x)
	for t, v := range x {
		v -= center
		s.y[t+1], s.ty[t+1], s.yy[t+1] = s.y[t]+v, s.ty[t]+float64(t)*v, s.yy[t]+v*v
	}
	return s
}

// cost returns the residual sum of squares of the segment around its least-squares line.
func (s sums) cost(from, to int) float64 {
	n := float64(to - from)
	y := s.y[to] - s.y[from]
	middle := float64(from) + (n-1)/2
	ty := s.ty[to] - s.ty[from] - middle*y
	return max(0, s.yy[to]-s.yy[from]-y*y/n-ty*ty/(n*(n*n-1)/12))
}
