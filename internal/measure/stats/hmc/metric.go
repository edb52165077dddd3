package hmc

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
)

// metric is an estimate of the density's covariance: D (I + U (diag(values) - I) U') D. Here D = diag(scale), and U has
// orthonormal columns, which are the rows of the field u. The inverse of the covariance is the mass matrix.
type metric struct {
	scale  []float64
	values []float64
	u      [][]float64 // one row per value
	along  []float64   // scratch
}

func unitMetric(dim int) metric {
	m := metric{scale: make([]float64, dim)}
	for i := range m.scale {
		m.scale[i] = 1
	}
	return m
}

// velocity sets v to the covariance times the momentum.
func (m *metric) velocity(v, p []float64) {
	floats.MulTo(v, m.scale, p)
	m.stretch(v, func(value float64) float64 { return value })
	floats.Mul(v, m.scale)
}

// momentum sets p to a draw from the normal distribution with the mass matrix as covariance.
func (m *metric) momentum(p []float64, random *rand.Rand) {
	for i := range p {
		p[i] = random.NormFloat64()
	}
	m.stretch(p, func(value float64) float64 { return 1 / math.Sqrt(value) })
	floats.Div(p, m.scale)
}

// stretch multiplies v by f(values) along the rows of U.
func (m *metric) stretch(v []float64, f func(value float64) float64) {
	for j, u := range m.u {
		m.along[j] = (f(m.values[j]) - 1) * floats.Dot(u, v)
	}
	for j, u := range m.u {
		floats.AddScaled(v, m.along[j], u)
	}
}
