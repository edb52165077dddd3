package forecast

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"assay/internal/measure/stats"
)

// problem is a nonlinear least-squares problem. The function residuals stores the residuals at the parameters in the
// slice out, and reports whether the parameters are allowed.
type problem struct {
	points    int
	residuals func(params, out []float64) bool
	several   several // nil: one set of parameters at a time
	derive    derive  // nil: finite differences
	room      *room   // nil: allocated
	rival     float64 // sum of squares to beat; 0 or infinite: none
}

// several evaluates residuals for up to [abreast] sets of parameters at once. Each recursion depends only on its own
// previous step, so the processor can interleave the recursions.
type several func(params, out [][]float64, allowed []bool)

// derive sets the derivative of every residual with respect to every parameter, column by column, at the parameters of
// the last evaluation.
type derive func(params, now, columns []float64)

// room is reusable scratch memory.
type room struct{ all []float64 }

// take returns n uninitialized numbers, valid until the next reset.
func (r *room) take(n int) []float64 {
	if r == nil {
		return make([]float64, n)
	}
	if len(r.all) < n {
		r.all = make([]float64, n)
	}
	return r.all[:n]
}

// abreast is the number of parameter sets evaluated at once.
const abreast = 4

const (
	mostSteps  = 40
	straight   = 0.2  // residuals are linear if a step's actual and predicted gain differ by less than this share
	enough     = 1e-6 // relative decrease of the sum of squares at which the search stops
	difference = 1e-6 // step of finite differences, times the parameter's size if the size is above 1
)

// solve moves the parameters to a local minimum of the sum of squared residuals and returns that sum. It returns +Inf
// if the initial parameters are not allowed. It stops early if the sum is unlikely to fall below p.rival. The method is
// Levenberg-Marquardt (Moré 1978, "The Levenberg-Marquardt algorithm: implementation and theory") with Marquardt's
// scaling. Without p.derive, derivatives are finite differences.
func (p problem) solve(params []float64) float64 {
	k := len(params)
	all := p.room.take((k+2)*p.points + 2*k*k + 3*k)
	cut := func(n int) []float64 {
		part := all[:n:n]
		all = all[n:]
		return part
	}
	now, trial := cut(p.points), cut(p.points)
	if !p.residuals(params, now) {
		return math.Inf(1)
	}
	best := squares(now)
	if k == 0 {
		return best
	}
	columns, gram, damped := cut(k*p.points), cut(k*k), cut(k*k)
	slope, step, moved := cut(k), cut(k), cut(k)
	damping := 1e-3
	for left := mostSteps; left > 0; left-- {
		p.slopes(params, now, columns)
		normal(columns, now, gram, slope)
		before, predicted := best, 0.0
		for damping < 1e10 {
			copy(damped, gram)
			for i := range k {
				damped[i*k+i] += damping * (gram[i*k+i] + 1e-300)
			}
			if !cholesky(damped, slope, step) {
				damping *= 8
				continue
			}
			for i := range k {
				moved[i] = params[i] - step[i]
			}
			if p.residuals(moved, trial) {
				if sum := squares(trial); sum < best {
					best, predicted = sum, decline(gram, slope, step, damping)
					copy(params, moved)
					now, trial = trial, now
					damping = max(damping/6, 1e-12)
					break
				}
			}
			damping *= 8
		}
		gain := before - best
		if !(gain > enough*before) || p.rival > 0 && best-p.rival > gain*further(gain, predicted, left) {
			break
		}
	}
	return best
}

// decline returns the decrease of the sum of squares that a step would cause if the residuals were linear.
func decline(gram, slope, step []float64, damping float64) float64 {
	sum := 0.0
	for i, x := range step {
		sum += x * (slope[i] + damping*gram[i*len(step)+i]*x)
	}
	return sum
}

// further returns a bound on the remaining gain, as a multiple of the last step's gain. It assumes that no later step
// gains more than the last step. The bound is the number of remaining steps, or 1 if the last step gained as much as
// predicted.
func further(gain, predicted float64, left int) float64 {
	if math.Abs(gain-predicted) < straight*predicted {
		return 1
	}
	return float64(left)
}

// slopes sets the derivatives of all residuals, column by column.
func (p problem) slopes(params, now, columns []float64) {
	if p.derive != nil {
		p.derive(params, now, columns)
		return
	}
	known := p.sideBySide(params, columns)
	for i, at := range params {
		h := stepAt(at)
		column := columns[i*p.points : (i+1)*p.points]
		if known == nil || !known[i] {
			params[i] = at + h
			if known != nil || !p.residuals(params, column) {
				h = -h
				params[i] = at + h
				if !p.residuals(params, column) {
					copy(column, now)
				}
			}
			params[i] = at
		}
		for t, x := range now {
			column[t] = (column[t] - x) / h
		}
	}
}

// stepAt returns the finite difference step of a parameter.
func stepAt(at float64) float64 { return difference * math.Max(1, math.Abs(at)) }

// sideBySide sets each column to the residuals after a move of one parameter, and reports which moves are allowed. It
// returns nil if the problem evaluates one set of parameters at a time.
func (p problem) sideBySide(params, columns []float64) []bool {
	if p.several == nil {
		return nil
	}
	k := len(params)
	allowed := make([]bool, k)
	room := make([]float64, abreast*k)
	var moved, out [abreast][]float64
	for first := 0; first < k; first += abreast {
		n := min(abreast, k-first)
		for j := range n {
			i := first + j
			moved[j], out[j] = room[j*k:(j+1)*k], columns[i*p.points:(i+1)*p.points]
			copy(moved[j], params)
			moved[j][i] += stepAt(params[i])
		}
		p.several(moved[:n], out[:n], allowed[first:first+n])
	}
	return allowed
}

// normal sets the products of the columns with each other and with the residuals (the normal equations).
func normal(columns, residuals, gram, slope []float64) {
	k, n := len(slope), len(residuals)
	for i := range k {
		a := columns[i*n : (i+1)*n]
		slope[i] = floats.Dot(a, residuals)
		for j := 0; j <= i; j++ {
			g := floats.Dot(a, columns[j*n:(j+1)*n])
			gram[i*k+j], gram[j*k+i] = g, g
		}
	}
}

// squares returns the sum of squares, or +Inf if it is not finite.
func squares(x []float64) float64 {
	sum := stats.Dot(x, x)
	if math.IsNaN(sum) {
		return math.Inf(1)
	}
	return sum
}

// cholesky solves a x = b for a symmetric positive definite matrix a and overwrites the matrix. It reports whether the
// matrix is positive definite. gonum's Potrf and Potrs take 3.5 times as long with 3 parameters and 1.4 times as long
// with 24. A fit solves thousands of systems.
func cholesky(a, b, x []float64) bool {
	k := len(b)
	for i := range k {
		for j := 0; j <= i; j++ {
			sum := a[i*k+j]
			for l := range j {
				sum -= a[i*k+l] * a[j*k+l]
			}
			if i != j {
				a[i*k+j] = sum / a[j*k+j]
				continue
			}
			if !(sum > 0) {
				return false
			}
			a[i*k+i] = math.Sqrt(sum)
		}
	}
	for i := range k {
		sum := b[i]
		for l := range i {
			sum -= a[i*k+l] * x[l]
		}
		x[i] = sum / a[i*k+i]
	}
	for i := k - 1; i >= 0; i-- {
		sum := x[i]
		for l := i + 1; l < k; l++ {
			sum -= a[l*k+i] * x[l]
		}
		x[i] = sum / a[i*k+i]
	}
	return true
}

// between maps any number into the open interval. The function inside is its inverse.
func between(u, low, high float64) float64 { return low + (high-low)/(1+math.Exp(-u)) }

func inside(x, low, high float64) float64 {
	f := min(1-1e-6, max(1e-6, (x-low)/(high-low)))
	return math.Log(f / (1 - f))
}
