package forecast

import (
	"math"

	"assay/internal/fault"
)

// Change is a point at which a series goes over from one line to another.
type Change struct {
	At            int     // the first point of the new line
	Before, After float64 // where the two lines stand at that point, in the unit of the series
}

// Changes cuts the series, its season taken out, into the straight pieces that cost least, by optimal partitioning with
// pruning (Killick, Fearnhead and Eckley 2012, "Optimal detection of changepoints with a linear computational cost").
// A piece costs its sum of squares around its own line; a cut costs 5 log(n) times the variance of the noise, enlarged by
// (1+ρ)/(1-ρ) where neighbours are alike, so that slow noise is not cut up. Unusual points are brought back to three
// standard deviations first. Pieces are at least two seasons and ten points long; fewer points than two such pieces are
// not ready.
//
// A change says when a series behaved differently, not why; a curve is cut into lines, too.
func Changes(values []float64, season int) ([]Change, error) {
	season = max(1, season)
	least := max(10, 2*season)
	n := len(values)
	if n < max(2*least, leastJudged) {
		return nil, fault.NotReady("the series has %d points, a change needs at least %d", n, max(2*least, leastJudged))
	}
	odd, err := Oddities(values, season)
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

func ones(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = 1
	}
	return out
}

// partition returns the first points of all pieces but the first.
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

// sums are running totals, from which the cost of any piece follows at once.
type sums struct{ y, ty, yy []float64 }

func sumsOf(x []float64) sums {
	n := len(x)
	s := sums{y: make([]float64, n+1), ty: make([]float64, n+1), yy: make([]float64, n+1)}
	centre := mean(x)
	for t, v := range x {
		v -= centre
		s.y[t+1], s.ty[t+1], s.yy[t+1] = s.y[t]+v, s.ty[t]+float64(t)*v, s.yy[t]+v*v
	}
	return s
}

// cost is the sum of squares of the piece around its line.
func (s sums) cost(from, to int) float64 {
	n := float64(to - from)
	y := s.y[to] - s.y[from]
	middle := float64(from) + (n-1)/2
	ty := s.ty[to] - s.ty[from] - middle*y
	return max(0, s.yy[to]-s.yy[from]-y*y/n-ty*ty/(n*(n*n-1)/12))
}
