package geo

import (
	"math"

	"assay/internal/measure/stats"
)

// quadratic is a least-squares problem over the simplex,
//
//	minimize ½ wᵀ Q w - cᵀ w   subject to   w ≥ 0,  Σ w = 1,
//
// where Q is the donors' part of a larger Gram matrix, with ridge added to its diagonal.
type quadratic struct {
	gram   []float64 // size × size, by rows
	size   int
	donors []int     // rows of gram
	linear []float64 // c, one value per row of gram
	ridge  float64
}

func (q *quadratic) at(i, j int) float64 {
	v := q.gram[q.donors[i]*q.size+q.donors[j]]
	if i == j {
		v += q.ridge
	}
	return v
}

// row returns the products of the donor at a position with all rows of the Gram matrix.
func (q *quadratic) row(i int) []float64 { return q.gram[q.donors[i]*q.size:][:q.size] }

// simplex solves quadratic programs and reuses its scratch space. It is not safe for concurrent use.
//
// The method is a primal active set (Nocedal and Wright 2006, Numerical Optimization, section 16.5) in the order of
// Lawson and Hanson's nonnegative least squares (NNLS). Only the free donors have weight. A donor with a negative
// multiplier becomes free. A donor is no longer free if its weight would become negative. The result is the exact
// optimum up to rounding.
type simplex struct {
	free     []int       // donors with weight, as positions in quadratic.donors
	isFree   []bool      // by position
	factor   [][]float64 // rows of the Cholesky factor of the free part of Q; gonum's cannot append or drop rows
	w        []float64   // by position
	u, v     []float64   // solutions of L u = c and L v = 1, where L is the factor, by place in free
	solved   int         // number of places of u and v that are up to date
	z        []float64   // optimum of the free donors, by place in free
	gradient []float64   // by row of the Gram matrix
}

// slack is the minimum ridge relative to the mean diagonal. With more donors than periods, the weights are not unique.
// The ridge selects the weights with the smallest norm and changes only the tenth digit of the fit.
const slack = 1e-10

// solve returns the weights by position in q.donors. The next call overwrites the slice. The parameter start lists
// positions that likely have weight, such as the support of a similar problem. It affects only the speed.
func (s *simplex) solve(q *quadratic, start []int) []float64 {
	n := len(q.donors)
	s.reset(n)
	var trace float64
	for i := range n {
		trace += q.at(i, i)
	}
	own := *q
	own.ridge += slack * trace / float64(n)
	if own.ridge == 0 {
		own.ridge = 1 // all donors are flat, so all weights have the same fit
	}
	s.begin(&own, start)
	for range 20*n + 50 {
		s.descend(&own)
		next := s.steepest(&own, trace/float64(n))
		if next < 0 {
			break
		}
		s.add(&own, next)
	}
	return s.w
}

func (s *simplex) reset(n int) {
	if cap(s.w) < n {
		s.w, s.u, s.v, s.z = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
		s.isFree, s.free = make([]bool, n), make([]int, 0, n)
		s.factor = make([][]float64, n)
		for i := range s.factor {
			s.factor[i] = make([]float64, i+1)
		}
	}
	s.w, s.isFree, s.free, s.solved = s.w[:n], s.isFree[:n], s.free[:0], 0
	clear(s.w)
	clear(s.isFree)
}

// begin puts equal weight on the donors in start. If start is empty, it puts all weight on the best single donor.
func (s *simplex) begin(q *quadratic, start []int) {
	if len(start) == 0 {
		best, at := math.Inf(1), 0
		for i := range s.w {
			if f := q.at(i, i)/2 - q.linear[q.donors[i]]; f < best {
				best, at = f, i
			}
		}
		start = []int{at}
	}
	for _, i := range start {
		s.w[i] = 1 / float64(len(start))
		s.add(q, i)
	}
}

// add makes the weight of a donor free and appends the donor's row to the Cholesky factor.
func (s *simplex) add(q *quadratic, i int) {
	s.free = append(s.free, i)
	s.isFree[i] = true
	s.row(q, len(s.free)-1)
}

// row computes row k of the factor.
func (s *simplex) row(q *quadratic, k int) {
	row := s.factor[k]
	products := q.row(s.free[k])
	for j := range k {
		other := s.factor[j]
		row[j] = (products[q.donors[s.free[j]]] - stats.Dot(row[:j], other[:j])) / other[j]
	}
	row[k] = math.Sqrt(max(q.at(s.free[k], s.free[k])-stats.Dot(row[:k], row[:k]), q.ridge/2))
}

// drop removes the donors with a weight of zero and recomputes the later rows of the Cholesky factor.
func (s *simplex) drop(q *quadratic) {
	first, kept := -1, s.free[:0]
	for k, i := range s.free {
		if s.w[i] > 0 {
			kept = append(kept, i)
			continue
		}
		s.isFree[i] = false
		if first < 0 {
			first = k
		}
	}
	s.free = kept
	s.solved = min(s.solved, max(first, 0))
	for k := max(first, 0); k < len(s.free); k++ {
		s.row(q, k)
	}
}

// descend moves toward the optimum of the free donors and drops the donors with a weight of zero.
func (s *simplex) descend(q *quadratic) {
	for {
		s.target(q)
		step, blocking := 1.0, -1
		for k, i := range s.free {
			if s.z[k] <= 0 {
				if t := s.w[i] / (s.w[i] - s.z[k]); t < step || blocking < 0 {
					step, blocking = min(t, step), i
				}
			}
		}
		for k, i := range s.free {
			s.w[i] += step * (s.z[k] - s.w[i])
			if s.w[i] < 0 {
				s.w[i] = 0
			}
		}
		if blocking < 0 || len(s.free) == 1 {
			return
		}
		s.w[blocking] = 0
		s.drop(q)
	}
}

// target sets z to the minimizer over the free donors, with sum one as the only constraint. Let Q = L Lᵀ, L u = c and L
// v = 1. target solves Lᵀ z = u + v (1 - uᵀv) / vᵀv. A new free donor only appends to u and v.
func (s *simplex) target(q *quadratic) {
	p := len(s.free)
	for ; s.solved < p; s.solved++ {
		k := s.solved
		row := s.factor[k]
		s.u[k] = (q.linear[q.donors[s.free[k]]] - stats.Dot(row[:k], s.u[:k])) / row[k]
		s.v[k] = (1 - stats.Dot(row[:k], s.v[:k])) / row[k]
	}
	u, v, z := s.u[:p], s.v[:p], s.z[:p]
	share := (1 - stats.Dot(u, v)) / stats.Dot(v, v)
	for k := range z {
		z[k] = u[k] + share*v[k]
	}
	for k := p - 1; k >= 0; k-- {
		row := s.factor[k][:k+1]
		at := z[k] / row[k]
		z[k] = at
		for l, f := range row[:k] {
			z[l] -= f * at
		}
	}
}

// steepest returns the position of the weight to increase for the fastest decrease of the objective. It returns -1 if
// no increase reduces the objective by more than the rounding error.
func (s *simplex) steepest(q *quadratic, scale float64) int {
	s.gradient = grow(s.gradient, q.size)
	g := s.gradient
	for r, c := range q.linear {
		g[r] = -c
	}
	free := s.free
	for ; len(free) >= 4; free = free[4:] { // four rows at a time reduce memory traffic
		w0, w1, w2, w3 := s.w[free[0]], s.w[free[1]], s.w[free[2]], s.w[free[3]]
		row0, row1, row2, row3 := q.row(free[0])[:len(g)], q.row(free[1])[:len(g)], q.row(free[2])[:len(g)],
			q.row(free[3])[:len(g)]
		for r := range g {
			g[r] += (w0*row0[r] + w1*row1[r]) + (w2*row2[r] + w3*row3[r])
		}
	}
	for _, i := range free {
		w, row := s.w[i], q.row(i)[:len(g)]
		for r := range g {
			g[r] += w * row[r]
		}
	}
	var multiplier float64
	for _, i := range s.free {
		multiplier += (g[q.donors[i]] + q.ridge*s.w[i]) * s.w[i]
	}
	position := -1
	lowest := multiplier - 1e-9*scale
	for i, r := range q.donors {
		if g[r] < lowest && !s.isFree[i] {
			lowest, position = g[r], i
		}
	}
	return position
}
