package mmm

import (
	"math"
	"testing"
)

func TestPredictiveDensitiesIntegrateToOne(t *testing.T) {
	t.Parallel()
	for _, l := range []Likelihood{Normal, StudentT, LogNormal} {
		m, err := newModel(toy(), Spec{Likelihood: l})
		if err != nil {
			t.Fatal(err)
		}
		theta := []float64{0.1, 6}[:len(l.parameters())]
		var area float64
		const step = 1e-3
		for y := -6.0; y < 6; y += step {
			m.y[3] = y
			width := m.yScale * step
			if l == LogNormal {
				width *= math.Exp(y)
			}
			area += math.Exp(m.logDensityAt(3, 0.4, theta)) * width
		}
		// The t distribution has 1e-9 of its mass outside; the sum is exact for smooth functions that vanish at the ends.
		if math.Abs(area-1) > 1e-7 {
			t.Errorf("%s: area %v", l, area)
		}
	}
}

func TestAccuracyIsThatOfItsFormulas(t *testing.T) {
	t.Parallel()
	got := accuracy([]float64{0, 2, 4}, []float64{1, 2, 3})
	// Squared errors 2 of a total of 8; relative errors 0 and 1/4 where the target is not 0; absolute errors 2 of 6.
	if !near(got.R2, 0.75, 1e-14) || !near(*got.MAPE, 0.125, 1e-14) || !near(got.WMAPE, 1.0/3, 1e-14) {
		t.Errorf("got %+v, MAPE %v", got, *got.MAPE)
	}
	if zero := accuracy([]float64{0, 0}, []float64{1, -1}); zero.MAPE != nil {
		t.Errorf("a target of zeros has a relative error of %v", *zero.MAPE)
	}
}
