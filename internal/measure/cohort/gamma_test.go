package cohort

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// Gonum tests its draws against the distribution, so equal draws need no such test.
func TestGammaDrawsEqualGonums(t *testing.T) {
	t.Parallel()
	const rounding = 1e-14 // relative error of a power computed by logarithm
	for _, shape := range []float64{0.01, 0.2, 0.5, 0.999, 1, 1.001, 3, 40, 5000} {
		ours, theirs := rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(1, 2))
		for i := range 2000 {
			got, want := gamma(shape, ours), distuv.Gamma{Alpha: shape, Beta: 1, Src: theirs}.Rand()
			if math.Abs(got-want) > rounding*want {
				t.Fatalf("draw %d of shape %v: got %v, want %v", i, shape, got, want)
			}
		}
	}
	ours, theirs := rand.New(rand.NewPCG(3, 4)), rand.New(rand.NewPCG(3, 4))
	for i := range 2000 {
		if got, want := beta(0.7, 2.5, ours), (distuv.Beta{Alpha: 0.7, Beta: 2.5, Src: theirs}).
			Rand(); math.Abs(got-want) > rounding*want {
			t.Fatalf("draw %d of beta: got %v, want %v", i, got, want)
		}
	}
}
