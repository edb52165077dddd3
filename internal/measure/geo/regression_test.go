package geo

import (
	"testing"

	"assay/internal/measure/stats/statstest"
)

// The example is a textbook regression: y = 2.2 + 0.6 x, residual variance 2.4/3, residuals -0.8, 0.6, 1, -0.6, -0.2.
// Student's t with 3 degrees of freedom has the distribution function 1/2 + (u/(1+u²) + atan u)/π, u = t/√3, and the
// quantile 3.182446 at 0.975.
func TestTimeBasedRegressionPredictsTheTest(t *testing.T) {
	t.Parallel()
	p := small([]float64{2, 4, 5, 4, 5, 8, 7}, []float64{1, 2, 3, 4, 5, 6, 7})
	r, err := regress(p, before(5, 5), []int{0}, []int{1})
	if err != nil {
		t.Fatal(err)
	}
	statstest.Near(t, "slope", r.slope, 0.6, 1e-6)
	statstest.Near(t, "intercept", r.intercept, 2.2, 1e-6)
	statstest.Near(t, "sigma", r.sigma, 0.8944271910, 1e-6)
	statstest.Near(t, "autocorrelation", r.lag1, -0.15, 1e-6)
	statstest.Near(t, "effect", r.effect, 8-5.8, 1e-6)
	statstest.Near(t, "standard error", r.se, 1.2961481397, 1e-6) // √(0.8 (1 + 1/5 + 9/10))
	statstest.Near(t, "p-value", r.p(), 0.1881993, 1e-6)
	i := r.interval(0.05)
	statstest.Near(t, "lower end", i.Low, 2.2-3.182446*1.2961481397, 1e-6)
	statstest.Near(t, "upper end", i.High, 2.2+3.182446*1.2961481397, 1e-6)
	statstest.Near(t, "level", i.Level, 0.95, 1e-6)
	r, err = regress(p, before(5, 6), []int{0}, []int{1})
	if err != nil {
		t.Fatal(err)
	}
	statstest.Near(t, "effect of two periods", r.effect, 2.2+0.6, 1e-6)
	statstest.Near(t, "its standard error", r.se, 2.4819347, 1e-6) // √(0.8 (2 + 4/5 + 49/10))
}

func TestPerfectRegressionsAreCertain(t *testing.T) {
	t.Parallel()
	x := []float64{1, 2, 3, 4, 5, 6}
	for y, want := range map[float64]float64{6: 1, 7: 0} {
		r, err := regress(small([]float64{1, 2, 3, 4, 5, y}, x), before(5, 5), []int{0}, []int{1})
		if err != nil || r.p() != want || r.lag1 != 0 {
			t.Errorf("an outcome of %v on an exact line: p-value %v, %v; want %v", y, r.p(), err, want)
		}
	}
}

// The sums are over all treated regions and all donors.
func TestRegressionsAddRegions(t *testing.T) {
	t.Parallel()
	p := small([]float64{1, 2, 3}, []float64{10, 20, 30}, []float64{100, 200, 300})
	for i, want := range []float64{101, 202} {
		statstest.Near(t, "sum", sumOf(p, []int{0, 2}, 1)[i], want, 1e-6)
	}
}
