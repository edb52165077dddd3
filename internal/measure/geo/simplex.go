package geo

import "math"

// quadratic is the problem of least squares over the simplex,
//
//	minimise ½ wᵀ Q w - cᵀ w   with   w ≥ 0,  Σ w = 1,
//
// where Q is the part of a larger Gram matrix that belongs to the donors. A donor's diagonal is raised by ridge.
type quadratic struct {
	gram   []float64 // size × size, by rows
	size   int
	donors []int     // rows of gram
	linear []float64 // c, one for each row of gram
	ridge  float64
}

func (q *quadratic) at(i, j int) float64 {
	v := q.gram[q.donors[i]*q.size+q.donors[j]]
	if i == j {
		v += q.ridge
	}
	return v
}

// simplex solves quadratic problems and keeps its scratch space between them. It serves one goroutine at a time.
//
// The method is a primal active set (Nocedal and Wright 2006, Numerical Optimization, section 16.5) in the order of
// Lawson and Hanson's least squares: the free donors carry all weight, one with a negative multiplier joins them, those
// whose weight would turn negative leave. It ends at the exact optimum up to rounding.
type simplex struct {
	free     []int       // donors with weight, as positions in quadratic.donors
	isFree   []bool      // by position
	factor   [][]float64 // rows of the Cholesky factor of the free part of Q
	w        []float64   // by position
	u, v, z  []float64   // scratch, by place in free
	gradient []float64   // by row of the Gram matrix
}

// slack is how much ridge is given to a problem of its own accord, relative to the mean diagonal. Donors that outnumber
// the periods leave the weights open; with this the smallest of the equally good ones are found, and the fit is the
// same to about ten digits.
const slack = 1e-10

// solve returns the weights by position in q.donors. The slice is overwritten by the next call. Start names positions
// that likely carry weight, such as the support of a similar problem; it changes the way and not the end.
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
		own.ridge = 1 // all donors are flat: every weight fits alike
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
	s.w, s.isFree, s.free = s.w[:n], s.isFree[:n], s.free[:0]
	clear(s.w)
	clear(s.isFree)
}

// begin puts equal weight on the start, and without one all weight on the best single donor.
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

// add lets a donor carry weight and appends its row to the factor.
func (s *simplex) add(q *quadratic, i int) {
	s.free = append(s.free, i)
	s.isFree[i] = true
	s.row(q, len(s.free)-1)
}

// row computes row k of the factor.
func (s *simplex) row(q *quadratic, k int) {
	row := s.factor[k]
	for j := range k {
		sum := q.at(s.free[k], s.free[j])
		other := s.factor[j]
		for l := range j {
			sum -= row[l] * other[l]
		}
		row[j] = sum / other[j]
	}
	pivot := q.at(s.free[k], s.free[k])
	for l := range k {
		pivot -= row[l] * row[l]
	}
	row[k] = math.Sqrt(max(pivot, q.ridge/2))
}

// drop takes the donors without weight out and computes the rows of the factor after the first of them anew.
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
	for k := max(first, 0); k < len(s.free); k++ {
		s.row(q, k)
	}
}

// descend moves to the optimum of the free donors, dropping those that reach zero on the way.
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

// target puts into z the minimum over the free donors with sum one and no other constraint: Q u = c, Q v = 1,
// z = u + v (1 - Σu) / Σv.
func (s *simplex) target(q *quadratic) {
	p := len(s.free)
	for k, i := range s.free {
		s.u[k], s.v[k] = q.linear[q.donors[i]], 1
	}
	for k := range p {
		row := s.factor[k]
		for l := range k {
			s.u[k] -= row[l] * s.u[l]
			s.v[k] -= row[l] * s.v[l]
		}
		s.u[k] /= row[k]
		s.v[k] /= row[k]
	}
	for k := p - 1; k >= 0; k-- {
		s.u[k] /= s.factor[k][k]
		s.v[k] /= s.factor[k][k]
		row := s.factor[k]
		for l := range k {
			s.u[l] -= row[l] * s.u[k]
			s.v[l] -= row[l] * s.v[k]
		}
	}
	var sumU, sumV float64
	for k := range p {
		sumU += s.u[k]
		sumV += s.v[k]
	}
	share := (1 - sumU) / sumV
	for k := range p {
		s.z[k] = s.u[k] + share*s.v[k]
	}
}

// steepest returns the position whose weight lowers the objective fastest, -1 when none does by more than rounding.
func (s *simplex) steepest(q *quadratic, scale float64) int {
	s.gradient = grow(s.gradient, q.size)
	g := s.gradient
	for r, c := range q.linear {
		g[r] = -c
	}
	for _, i := range s.free {
		w, row := s.w[i], q.gram[q.donors[i]*q.size:][:len(g)]
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
