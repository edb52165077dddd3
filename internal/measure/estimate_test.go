package measure_test

import (
	"math"
	"testing"

	"assay/internal/measure"
)

func estimate(value, low, high float64) measure.Estimate {
	return measure.Estimate{
		Value: value, Interval: measure.Interval{Low: low, High: high, Level: 0.9},
		Method: measure.GeoExperiment, Basis: measure.Incremental,
	}
}

func TestMultiplesOfEstimatesKeepTheirBoundsInOrder(t *testing.T) {
	t.Parallel()
	if got, want := estimate(2, 1, 4).Times(-3), estimate(-6, -12, -3); got != want {
		t.Errorf("2 (1 to 4) times -3 is %+v, want %+v", got, want)
	}
	var none *measure.Interval
	if got := none.Times(2); got != nil {
		t.Errorf("a multiple of no interval is %+v", got)
	}
}

// Independent errors of 3 and 4 below the estimates give an error of 5 below the sum. Errors of 6 and 8 above the
// estimates give an error of 10 above the sum.
func TestSumsOfEstimatesAddVariances(t *testing.T) {
	t.Parallel()
	if got, want := estimate(10, 7, 16).Plus(estimate(20, 16, 28)), estimate(30, 25, 40); got != want {
		t.Errorf("the sum is %+v, want %+v", got, want)
	}
	if got, want := (measure.Estimate{}).Plus(estimate(1, 0, 3)), estimate(1, 0, 3); got != want {
		t.Errorf("the sum of one estimate is %+v, want %+v", got, want)
	}
}

// The 95% and 97.5% quantiles of the standard normal distribution are 1.644853627 and 1.959963985.
func TestNormalIntervalsInvertTheirStandardDeviation(t *testing.T) {
	t.Parallel()
	i := measure.NormalInterval(10, 2, 0.9)
	if math.Abs(i.High-10-2*1.644853627) > 1e-8 || math.Abs(10-i.Low-2*1.644853627) > 1e-8 ||
		math.Abs(i.NormalSD()-2) > 1e-12 {
		t.Errorf("10 with standard deviation 2: %+v, which implies %v", i, i.NormalSD())
	}
	e := measure.Estimate{Value: 10, Interval: i, Method: measure.MetaAnalysis}
	wide := e.At(0.95)
	if math.Abs(wide.High-10-2*1.959963985) > 1e-8 || wide.Level != 0.95 || wide.Method != e.Method || e.At(0.9) != e {
		t.Errorf("at 95%%: %+v", wide)
	}
}
