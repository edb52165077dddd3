package hmc

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"assay/internal/measure/stats"
)

// correlated returns a covariance with strong correlations and scales from 1 to 100, and its inverse.
func correlated(dim int) (cov, precision *mat.SymDense) {
	cov = mat.NewSymDense(dim, nil)
	for i := range dim {
		for j := i; j < dim; j++ {
			scale := math.Pow(10, 2*float64(i+j)/float64(2*dim))
			cov.SetSym(i, j, scale*math.Pow(0.95, float64(j-i)))
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(cov) {
		panic("not positive definite")
	}
	precision = mat.NewSymDense(dim, nil)
	if err := chol.InverseTo(precision); err != nil {
		panic(err)
	}
	return cov, precision
}

func TestMetricOfANormalDensityIsItsCovariance(t *testing.T) {
	t.Parallel()
	const dim = 8
	cov, precision := correlated(dim)
	random := stats.Stream(1, 1)
	draws, grads := make([][]float64, 30), make([][]float64, 30)
	for k := range draws {
		// The draws need not be from the density. Only the gradients must be those of the density.
		draws[k], grads[k] = make([]float64, dim), make([]float64, dim)
		for i := range dim {
			draws[k][i] = random.NormFloat64()
		}
		g := mat.NewVecDense(dim, grads[k])
		g.MulVec(precision, mat.NewVecDense(dim, draws[k]))
		g.ScaleVec(-1, g)
	}
	m := unitMetric(dim)
	if !m.learn(draws, grads, false) {
		t.Fatal("nothing was learnt")
	}
	learnt := mat.NewSymDense(dim, nil)
	for i := range dim {
		unit, column := make([]float64, dim), make([]float64, dim)
		unit[i] = 1
		m.velocity(column, unit)
		for j := i; j < dim; j++ {
			learnt.SetSym(i, j, column[j])
		}
	}
	// The metric uses the diagonal for directions in which the variance is within a factor of two of the diagonal's.
	// The metric is exact in all other directions.
	for _, ratio := range ratios(cov, learnt) {
		if ratio < 0.49 || ratio > 2.01 {
			t.Errorf("a direction's variance is %v times the metric's", ratio)
		}
	}
}

// ratios returns the eigenvalues of b^-1 a.
func ratios(a, b *mat.SymDense) []float64 {
	root, ok := power(b, -0.5)
	if !ok {
		panic("not positive definite")
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(sandwich(root, a), false) {
		panic("no eigenvalues")
	}
	return eigen.Values(nil)
}

func TestMomentaHaveTheMassMatrixAsCovariance(t *testing.T) {
	t.Parallel()
	m := metric{
		scale: []float64{1, 10, 0.1}, values: []float64{25, 0.04}, along: make([]float64, 2),
		u: [][]float64{{0.6, 0.8, 0}, {-0.8, 0.6, 0}},
	}
	random := stats.Stream(1, 2)
	const n = 20000
	var product [3][3]float64 // product of velocity and momentum: the identity
	p, v := make([]float64, 3), make([]float64, 3)
	for range n {
		m.momentum(p, random)
		m.velocity(v, p)
		for i := range p {
			for j := range p {
				product[i][j] += p[i] * v[j] / n
			}
		}
	}
	for i := range product {
		for j, got := range product[i] {
			want := 0.0
			if i == j {
				want = 1
			}
			// Off the diagonal, the standard deviation of a term is proportional to the ratio of the scales.
			tolerance := 5 * math.Max(1, m.scale[j]/m.scale[i]*25) / math.Sqrt(n)
			if math.Abs(got-want) > tolerance {
				t.Errorf("velocity %d times momentum %d: got %v, want %v ± %v", j, i, got, want, tolerance)
			}
		}
	}
}

func TestConstantDrawsGiveNoMetric(t *testing.T) {
	t.Parallel()
	m := unitMetric(2)
	still := [][]float64{{1, 2}, {1, 2}, {1, 2}}
	if m.learn(still, still, false) {
		t.Error("a metric was learnt from draws without variance")
	}
	if m.scale[0] != 1 {
		t.Errorf("scale became %v", m.scale)
	}
}

func TestWindowsDoubleAndLeaveTimeForTheStep(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		warmup int
		want   []int
	}{
		{1000, []int{10, 30, 70, 150, 310, 900}},
		{400, []int{10, 30, 70, 150, 350}},
		{50, []int{10, 40}},
		{15, nil},
		{0, nil},
	} {
		if got := windowEnds(c.warmup); !slices.Equal(got, c.want) {
			t.Errorf("windows of %d draws end at %v, want %v", c.warmup, got, c.want)
		}
	}
}
