package cohort

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// The logarithms of drawn parameters have the mean and the covariance of the fit. With 40,000 draws, each of these has
// a standard error below 0.01. The tolerance is five standard errors.
func TestDrawsHaveTheCovarianceOfTheFit(t *testing.T) {
	t.Parallel()
	const draws = 40_000
	f := Fit[[]float64]{logs: []float64{1, -2}, build: func(v []float64) []float64 { return v }}
	f.factor = *mat.NewTriDense(2, mat.Lower, []float64{1, 0, 0.8, 0.6})
	r := rand.New(rand.NewPCG(1, 2))
	first, second := make([]float64, draws), make([]float64, draws)
	for i := range draws {
		v := f.draw(r)
		first[i], second[i] = math.Log(v[0]), math.Log(v[1])
	}
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"mean 1", stat.Mean(first, nil), 1},
		{"mean 2", stat.Mean(second, nil), -2},
		{"variance 1", stat.Variance(first, nil), 1},
		{"variance 2", stat.Variance(second, nil), 1},
		{"covariance", stat.Covariance(first, second, nil), 0.8},
	} {
		if math.Abs(c.got-c.want) > 0.05 {
			t.Errorf("%s is %.3f, want %.3f", c.what, c.got, c.want)
		}
	}
}
