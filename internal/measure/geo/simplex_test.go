package geo

import (
	"math"
	"slices"
	"testing"

	"assay/internal/measure/stats"
)

// problem returns a random least-squares problem with n donors and m periods. For m < n the Gram matrix is singular.
func problem(seed uint64) (q quadratic, x [][]float64, y []float64) {
	rng := stats.Stream(seed, 0)
	n, m := 1+rng.IntN(25), 1+rng.IntN(40)
	y = make([]float64, m)
	for t := range y {
		y[t] = rng.NormFloat64()
	}
	for i := range n {
		z := make([]float64, m)
		for t := range z {
			z[t] = rng.NormFloat64() + .5*y[t]
		}
		if i > 0 && rng.IntN(6) == 0 {
			copy(z, x[rng.IntN(i)]) // duplicates make the weights non-unique
		}
		x = append(x, z)
	}
	q = quadratic{gram: make([]float64, n*n), size: n, linear: make([]float64, n)}
	for i := range n {
		q.donors = append(q.donors, i)
		q.linear[i] = stats.Dot(x[i], y)
		for j := range n {
			q.gram[i*n+j] = stats.Dot(x[i], x[j])
		}
	}
	return q, x, y
}

// gradient returns the gradient of the objective at w, and the mean diagonal element of the Gram matrix.
func (q *quadratic) gradient(w []float64) (g []float64, scale float64) {
	g = make([]float64, len(w))
	for i := range w {
		g[i] = -q.linear[i]
		for j := range w {
			g[i] += q.gram[i*q.size+j] * w[j]
		}
		scale += q.gram[i*q.size+i] / float64(len(w))
	}
	return g, scale
}

func TestSimplexSatisfiesTheOptimalityConditions(t *testing.T) {
	t.Parallel()
	var s simplex
	for seed := range uint64(1000) {
		q, _, _ := problem(seed)
		w := s.solve(&q, nil)
		g, scale := q.gradient(w)
		var sum, multiplier float64
		for i := range w {
			if w[i] < 0 {
				t.Fatalf("problem %d: weight %d is %v", seed, i, w[i])
			}
			sum += w[i]
			multiplier += w[i] * g[i]
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Fatalf("problem %d: the weights add up to %v", seed, sum)
		}
		for i := range w {
			// The tolerance is 1e-8 of the scale, ten times the solver's tolerance.
			if g[i] < multiplier-1e-8*scale || w[i] > 1e-9 && g[i] > multiplier+1e-7*scale {
				t.Fatalf("problem %d: donor %d has weight %v and gradient %v, the multiplier is %v",
					seed, i, w[i], g[i], multiplier)
			}
		}
	}
}

// The fit is unique even if the weights are not. The test compares it with accelerated projected gradient descent.
func TestSimplexFitsAsWellAsProjectedGradients(t *testing.T) {
	t.Parallel()
	var s simplex
	for seed := range uint64(40) {
		q, x, y := problem(seed)
		w := slices.Clone(s.solve(&q, nil))
		if got, want := loss(x, y, w), loss(x, y, projectedGradient(&q)); got > want+1e-7*stats.Dot(y, y) {
			t.Errorf("problem %d: loss %v, projected gradients reach %v", seed, got, want)
		}
	}
}

func TestSimplexResultDoesNotDependOnTheStart(t *testing.T) {
	t.Parallel()
	var s simplex
	for seed := range uint64(200) {
		q, x, y := problem(seed)
		cold := loss(x, y, s.solve(&q, nil))
		start := []int{0, len(q.donors) - 1}
		if len(q.donors) == 1 {
			start = start[:1]
		}
		if warm := loss(x, y, s.solve(&q, start)); math.Abs(warm-cold) > 1e-7*(1+cold) {
			t.Errorf("problem %d: loss %v from another start, %v from the best donor", seed, warm, cold)
		}
	}
}

// Tolerances are relative, so the unit of the series does not change the weights.
func TestSimplexResultDoesNotDependOnTheUnit(t *testing.T) {
	t.Parallel()
	var s simplex
	for seed := range uint64(60) {
		q, x, y := problem(seed)
		want := loss(x, y, s.solve(&q, nil))
		for _, unit := range []float64{1e-12, 1e12} {
			other := quadratic{gram: slices.Clone(q.gram), size: q.size, donors: q.donors, linear: slices.Clone(q.linear)}
			for i := range other.gram {
				other.gram[i] *= unit
			}
			for i := range other.linear {
				other.linear[i] *= unit
			}
			if got := loss(x, y, s.solve(&other, nil)); !(math.Abs(got-want) <= 1e-7*(1+want)) {
				t.Errorf("problem %d: loss %v with products in units of %v, want %v", seed, got, unit, want)
			}
		}
	}
}

func loss(x [][]float64, y, w []float64) float64 {
	var sum float64
	for t := range y {
		e := y[t]
		for i := range w {
			e -= w[i] * x[i][t]
		}
		sum += e * e
	}
	return sum
}

// projectedGradient is FISTA with Euclidean projection onto the simplex.
func projectedGradient(q *quadratic) []float64 {
	n := len(q.donors)
	var trace float64
	for i := range n {
		trace += q.gram[i*n+i]
	}
	w, v := slices.Repeat([]float64{1 / float64(n)}, n), slices.Repeat([]float64{1 / float64(n)}, n)
	momentum := 1.0
	for range 3000 {
		g, _ := q.gradient(v)
		next := make([]float64, n)
		for i := range next {
			next[i] = v[i] - g[i]/trace
		}
		project(next)
		following := (1 + math.Sqrt(1+4*momentum*momentum)) / 2
		for i := range v {
			v[i] = next[i] + (momentum-1)/following*(next[i]-w[i])
		}
		w, momentum = next, following
	}
	return w
}

func project(w []float64) {
	sorted := slices.Sorted(slices.Values(w))
	slices.Reverse(sorted)
	var sum, shift float64
	for i, v := range sorted {
		sum += v
		if s := (sum - 1) / float64(i+1); v > s {
			shift = s
		}
	}
	for i := range w {
		w[i] = max(0, w[i]-shift)
	}
}
