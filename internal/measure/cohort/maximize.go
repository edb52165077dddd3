package cohort

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"

	"assay/internal/fault"
)

// likelihood returns the log-likelihood per customer as a function of log parameters and sets the gradient.
type likelihood func(logs, gradient []float64) float64

// peak is the maximum of a likelihood.
type peak struct {
	logs       []float64
	covariance *mat.SymDense // covariance of the logarithms
}

const (
	// flat is the maximum gradient per customer that maximize treats as zero. Rounding errors are about 1e-13.
	flat = 1e-9
	// farOut is the absolute value of a parameter's logarithm at which maximize treats the parameter as unbounded. e^15
	// is three million.
	farOut = 15
)

var errNoPeak = fault.NotReady("the likelihood has no maximum at finite parameters").
	WithHint(
		"customers differ too little in how often they buy or how long they stay; use more customers or a longer history")

// maximize returns the peak of a likelihood. It uses BFGS from start and then Newton steps. The Newton steps improve
// the precision and provide the curvature for standard errors. n is the number of customers.
func maximize(f likelihood, start []float64, n float64) (peak, error) {
	last := memory{f: f}
	problem := optimize.Problem{
		Func: func(x []float64) float64 { return -last.at(x) },
		Grad: func(grad, x []float64) {
			last.at(x)
			for i := range grad {
				grad[i] = -last.gradient[i]
			}
		},
	}
	settings := &optimize.Settings{GradientThreshold: 1e-6, MajorIterations: 200, Converger: optimize.NeverTerminate{}}
	result, err := optimize.Minimize(problem, start, settings, &optimize.BFGS{})
	if result == nil {
		return peak{}, errNoPeak.Wrap(err)
	}
	x := result.X
	for range 20 {
		gradient := make([]float64, len(x))
		f(x, gradient)
		curvature, ok := negativeHessian(f, x)
		if !ok || !bounded(x) {
			return peak{}, errNoPeak
		}
		if steepest(gradient) < flat {
			var covariance mat.SymDense
			if err := curvature.InverseTo(&covariance); err != nil {
				return peak{}, errNoPeak.Wrap(err)
			}
			covariance.ScaleSym(1/n, &covariance)
			return peak{logs: x, covariance: &covariance}, nil
		}
		var step mat.VecDense
		if err := curvature.SolveVecTo(&step, mat.NewVecDense(len(x), gradient)); err != nil {
			return peak{}, errNoPeak.Wrap(err)
		}
		for i := range x {
			x[i] += max(-1, min(1, step.AtVec(i)))
		}
	}
	return peak{}, errNoPeak
}

// memory caches the likelihood at the last parameters, because value and gradient are requested separately.
type memory struct {
	f           likelihood
	x, gradient []float64
	value       float64
}

func (m *memory) at(x []float64) float64 {
	if !slices.Equal(x, m.x) {
		m.x, m.gradient = slices.Clone(x), make([]float64, len(x))
		m.value = m.f(m.x, m.gradient)
	}
	return m.value
}

func bounded(logs []float64) bool {
	for _, x := range logs {
		if math.IsNaN(x) || math.Abs(x) > farOut {
			return false
		}
	}
	return true
}

func steepest(gradient []float64) float64 {
	var largest float64
	for _, g := range gradient {
		largest = max(largest, math.Abs(g))
	}
	return largest
}

// negativeHessian returns the Cholesky factor of the negative Hessian, computed with central differences of the
// gradient. It reports whether the negative Hessian is positive definite and well-conditioned.
func negativeHessian(f likelihood, x []float64) (*mat.Cholesky, bool) {
	const step = 1e-5 // error about step² in the derivative and 1e-16 / step from rounding
	n := len(x)
	up, down, at := make([]float64, n), make([]float64, n), make([]float64, n)
	slopes := mat.NewDense(n, n, nil)
	for i := range n {
		copy(at, x)
		at[i] = x[i] + step
		f(at, up)
		at[i] = x[i] - step
		f(at, down)
		for j := range n {
			slopes.Set(i, j, (down[j]-up[j])/(2*step))
		}
	}
	hessian := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			hessian.SetSym(i, j, (slopes.At(i, j)+slopes.At(j, i))/2)
		}
	}
	var chol mat.Cholesky
	return &chol, chol.Factorize(hessian) && chol.Cond() < 1e12
}
