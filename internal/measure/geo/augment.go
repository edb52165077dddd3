package geo

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"assay/internal/measure/stats"
)

// cholesky solves symmetric positive semidefinite systems, including those with more donors than periods. It sets a
// minimum for small pivots, because gonum's factorization would fail with them. It reuses its scratch space.
type cholesky struct {
	a []float64
	n int
}

// factor factorizes m + lambda I, n × n by rows. Lambda is raised to a minimum that keeps the factorization stable.
func (c *cholesky) factor(m []float64, n int, lambda float64) {
	c.a, c.n = grow(c.a, n*n), n
	copy(c.a, m[:n*n])
	var trace float64
	for i := range n {
		trace += m[i*n+i]
	}
	lambda = max(lambda, 1e-12*trace/float64(n))
	if lambda == 0 {
		lambda = 1
	}
	for i := range n {
		row := c.a[i*n : i*n+i+1]
		row[i] += lambda
		for j := range i {
			other := c.a[j*n : j*n+j+1]
			row[j] = (row[j] - stats.Dot(row[:j], other[:j])) / other[j]
		}
		row[i] = math.Sqrt(max(row[i]-stats.Dot(row[:i], row[:i]), lambda/2))
	}
}

// solve overwrites x with the solution.
func (c *cholesky) solve(x []float64) {
	n := c.n
	for i := range n {
		x[i] = (x[i] - stats.Dot(c.a[i*n:i*n+i], x[:i])) / c.a[i*n+i]
	}
	for i := n - 1; i >= 0; i-- {
		x[i] /= c.a[i*n+i]
		for j := range i {
			x[j] -= c.a[i*n+j] * x[i]
		}
	}
}

// centered contains the donors' part of a Gram matrix, after each period's mean over donors is subtracted. It also
// contains the donors' products with the target, centered in the same way.
type centered struct {
	n      int
	gram   []float64 // n × n
	linear []float64
}

// center computes centered from the products alone: with J = I - 11ᵀ/n, it maps Z to JZ and z₁ to z₁ - Zᵀ1/n.
func center(q *quadratic) centered {
	n := len(q.donors)
	c := centered{n: n, gram: make([]float64, n*n), linear: make([]float64, n)}
	rows := make([]float64, n)
	var total, linear float64
	for i, r := range q.donors {
		for j, u := range q.donors {
			c.gram[i*n+j] = q.gram[r*q.size+u]
			rows[i] += c.gram[i*n+j] / float64(n)
		}
		total += rows[i] / float64(n)
		linear += q.linear[r] / float64(n)
	}
	for i, r := range q.donors {
		c.linear[i] = q.linear[r] - linear - rows[i] + total
		for j := range n {
			c.gram[i*n+j] += total - rows[i] - rows[j]
		}
	}
	return c
}

// correction returns the ridge correction of the weights: (ZZᵀ + λI)⁻¹ Z (z₁ - Zᵀw).
func (c centered) correction(solver *cholesky, w []float64, lambda float64) []float64 {
	x := make([]float64, c.n)
	for i := range x {
		x[i] = c.linear[i] - stats.Dot(c.gram[i*c.n:(i+1)*c.n], w)
	}
	solver.factor(c.gram, c.n, lambda)
	solver.solve(x)
	return x
}

// augment adds the ridge correction to synthetic control weights.
func (e *estimator) augment(b *bench, q *quadratic, w []float64) {
	c := center(q)
	for i, v := range c.correction(&b.solver, w, e.lambda) {
		w[i] += v
	}
}

// The grid of ridge penalties starts at the largest eigenvalue of the donors' Gram matrix and extends down by eight
// orders of magnitude.
const (
	ridges     = 21
	ridgeRange = 1e-8
)

// crossValidate chooses the ridge penalty by leave-one-period-out cross-validation (Ben-Michael, Feller and Rothstein
// 2021, section 5.3). It returns the largest penalty on the grid that has a mean squared error within one standard
// error of the minimum.
func (e *estimator) crossValidate(t target, donors []int) float64 {
	n := len(e.z)
	lin := make([]float64, n)
	e.linear(lin, t)
	whole := center(&quadratic{gram: e.gram, size: n, donors: donors, linear: lin})
	var eigen mat.EigenSym
	if !eigen.Factorize(mat.NewSymDense(whole.n, whole.gram), false) {
		return 0
	}
	values := eigen.Values(nil)
	largest := values[len(values)-1]
	if largest <= 0 {
		return 0
	}
	grid := make([]float64, ridges)
	for i := range grid {
		grid[i] = largest * math.Pow(ridgeRange, float64(i)/(ridges-1))
	}
	errors := e.heldOut(t, donors, grid)
	return chooseRidge(grid, errors)
}

// heldOut returns the squared errors in the left-out periods, by period and ridge penalty.
func (e *estimator) heldOut(t target, donors []int, grid []float64) [][]float64 {
	series := e.series(t)
	folds := e.start - 1 // the last period is never left out, as in augsynth
	errors := make([][]float64, folds)
	type scratch struct {
		*bench
		gram, lin []float64
	}
	n := len(e.z)
	lin := make([]float64, n)
	e.linear(lin, t)
	each(folds, func() scratch {
		return scratch{newBench(), make([]float64, n*n), make([]float64, n)}
	}, func(s scratch, p int) {
		for i, z := range e.z {
			s.lin[i] = lin[i] - z[p]*series[p]
			for j, u := range e.z {
				s.gram[i*n+j] = e.gram[i*n+j] - z[p]*u[p]
			}
		}
		q := quadratic{gram: s.gram, size: n, donors: donors, linear: s.lin}
		w := s.solve(&q, nil)
		gap := series[p]
		var centreOf float64
		for i, r := range donors {
			gap -= w[i] * e.z[r][p]
			centreOf += e.z[r][p] / float64(len(donors))
		}
		c := center(&q)
		for _, lambda := range grid {
			left := gap
			for i, v := range c.correction(&s.solver, w, lambda) {
				left -= v * (e.z[donors[i]][p] - centreOf)
			}
			errors[p] = append(errors[p], left*left)
		}
	})
	return errors
}

func chooseRidge(grid []float64, errors [][]float64) float64 {
	means, ses := make([]float64, len(grid)), make([]float64, len(grid))
	n := float64(len(errors))
	best := 0
	for j := range grid {
		for _, row := range errors {
			means[j] += row[j] / n
		}
		for _, row := range errors {
			ses[j] += (row[j] - means[j]) * (row[j] - means[j])
		}
		ses[j] = math.Sqrt(ses[j] / (n - 1) / n)
		if means[j] < means[best] {
			best = j
		}
	}
	for j := range grid {
		if means[j] <= means[best]+ses[best] {
			return grid[j]
		}
	}
	return grid[best]
}
