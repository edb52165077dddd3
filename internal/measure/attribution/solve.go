package attribution

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/floats"

	"assay/internal/measure/stats"
)

// The solver restarts after krylov directions. If fewer than krylov states are targets of backward steps, the first
// round is exact.
const (
	krylov    = 120
	rounds    = 200
	tolerance = 1e-14
)

var errUnsolved = errors.New("the linear system does not converge")

// solve sets h to the probability of conversion from each state if every step into the removed channel leads to null.
// solve starts from the previous h. The removed channel's states have probability zero.
//
// The method is GMRES (Saad and Schultz 1986, algorithms 3 and 4) with the matrix I - Q. Q contains the transition
// probabilities between states. The preconditioner is the inverse of M, the upper triangle of I - Q with its diagonal:
// the steps to the same state or to a later state. Without cycles, the first direction is the solution.
func (c *chain) solve(h []float64, removed int) error {
	n := len(h)
	s := solver{chain: c, alive: make([]bool, n), residual: make([]float64, n)}
	for i := range h {
		if s.alive[i] = removed == removedNone || c.last[i] != removed; !s.alive[i] {
			h[i] = 0
		}
	}
	s.sweep(s.residual, c.convert)
	goal := tolerance * math.Sqrt(stats.Dot(s.residual, s.residual))
	for range rounds {
		if s.improve(h, goal) {
			return nil
		}
	}
	return errUnsolved
}

type solver struct {
	*chain
	alive    []bool
	residual []float64
	basis    [][]float64
}

// sweep sets y to M⁻¹ x on the remaining states and to zero elsewhere. x and y may be the same slice.
func (s *solver) sweep(y, x []float64) {
	for i := len(y) - 1; i >= 0; i-- {
		if !s.alive[i] {
			y[i] = 0
			continue
		}
		sum, stay := x[i], 0.0
		for k := s.ahead[i]; k < s.starts[i+1]; k++ {
			if j := int(s.to[k]); j > i {
				sum += s.chance[k] * y[j]
			} else {
				stay = s.chance[k]
			}
		}
		y[i] = sum / (1 - stay)
	}
}

// backward applies the backward steps to x, adds the offset if it is not nil, and stores the result in y. x is zero at
// the removed states.
func (s *solver) backward(y, x, offset []float64) {
	for i := range y {
		y[i] = 0
		if offset != nil {
			y[i] = offset[i]
		}
		for k := s.starts[i]; k < s.ahead[i]; k++ {
			y[i] += s.chance[k] * x[s.to[k]]
		}
	}
}

// improve runs one round of GMRES and reports whether the residual has reached the goal.
func (s *solver) improve(h []float64, goal float64) bool {
	s.backward(s.residual, h, s.convert)
	s.sweep(s.residual, s.residual)
	floats.AddScaled(s.residual, -1, h)
	first := math.Sqrt(stats.Dot(s.residual, s.residual))
	if first <= goal {
		return true
	}
	weights, left := s.directions(first, goal)
	for k, weight := range weights {
		floats.AddScaled(h, weight, s.basis[k])
	}
	return left <= goal
}

// directions builds an orthonormal basis of the Krylov space. It returns the weights of the basis vectors that minimize
// the residual, and the residual's norm.
func (s *solver) directions(first, goal float64) (weights []float64, left float64) {
	s.basis = append(s.basis[:0], scaled(s.residual, 1/first))
	var columns [][]float64 // columns of the triangular matrix after the rotations
	var rotations [][2]float64
	rhs := []float64{first}
	for k := 0; k < krylov && math.Abs(rhs[k]) > goal; k++ {
		column, length := s.extend(k)
		for i, g := range rotations {
			column[i], column[i+1] = g[0]*column[i]+g[1]*column[i+1], -g[1]*column[i]+g[0]*column[i+1]
		}
		size := math.Hypot(column[k], length)
		if size == 0 {
			break
		}
		cos, sin := column[k]/size, length/size
		rotations = append(rotations, [2]float64{cos, sin})
		column[k] = size
		columns = append(columns, column)
		rhs = append(rhs, -sin*rhs[k])
		rhs[k] *= cos
		if length <= 1e-300 {
			break
		}
	}
	return backSubstitute(columns, rhs), math.Abs(rhs[len(rhs)-1])
}

// extend adds the image of the last direction to the basis, orthogonalized twice for numerical orthogonality. It
// returns the coefficients and the remaining norm.
func (s *solver) extend(k int) (column []float64, length float64) {
	v := make([]float64, len(s.residual))
	s.backward(v, s.basis[k], nil)
	s.sweep(v, v)
	for i, x := range s.basis[k] {
		v[i] = x - v[i]
	}
	column = make([]float64, k+2)
	for range 2 {
		for i, b := range s.basis[:k+1] {
			overlap := stats.Dot(v, b)
			column[i] += overlap
			floats.AddScaled(v, -overlap, b)
		}
	}
	length = math.Sqrt(stats.Dot(v, v))
	if length > 1e-300 {
		s.basis = append(s.basis, scaled(v, 1/length))
	}
	return column, length
}

func backSubstitute(columns [][]float64, rhs []float64) []float64 {
	x := make([]float64, len(columns))
	for i := len(x) - 1; i >= 0; i-- {
		x[i] = rhs[i]
		for j := i + 1; j < len(x); j++ {
			x[i] -= columns[j][i] * x[j]
		}
		x[i] /= columns[i][i]
	}
	return x
}

func scaled(x []float64, a float64) []float64 {
	y := make([]float64, len(x))
	for i := range x {
		y[i] = a * x[i]
	}
	return y
}
