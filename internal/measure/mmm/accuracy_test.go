package mmm

import (
	"math"
	"testing"

	"assay/internal/measure/stats"
	"assay/internal/measure/stats/hmc"
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
			area += math.Exp(m.logDensity(theta)(3, 0.4)) * width
		}
		// The t distribution has 1e-9 of its mass outside the range. The sum has a negligible error for smooth
		// functions that vanish at the ends.
		if math.Abs(area-1) > 1e-7 {
			t.Errorf("%s: area %v", l, area)
		}
	}
}

func TestAccuracyMatchesItsFormulas(t *testing.T) {
	t.Parallel()
	got := AccuracyOf([]float64{0, 2, 4}, []float64{1, 2, 3})
	// The squared errors sum to 2, and the squared deviations from the mean to 8. The relative errors of nonzero
	// targets are 0 and 1/4. The absolute errors sum to 2 of a total of 6.
	if !near(got.R2, 0.75, 1e-14) || !near(*got.MAPE, 0.125, 1e-14) || !near(got.WMAPE, 1.0/3, 1e-14) {
		t.Errorf("got %+v, MAPE %v", got, *got.MAPE)
	}
	if zero := AccuracyOf([]float64{0, 0}, []float64{1, -1}); zero.MAPE != nil {
		t.Errorf("a target of zeros has a relative error of %v", *zero.MAPE)
	}
}

func TestLeaveOneOutIsBelowTheFitAndFlagsAnOutlierWeek(t *testing.T) {
	t.Parallel()
	score := func(d Data) (LeaveOneOut, float64) {
		m, err := newModel(d, Spec{Trend: Trend{Kind: NoTrend}, Saturation: Unsaturated})
		if err != nil {
			t.Fatal(err)
		}
		run, err := hmc.Sample(
			func() stats.Density { return m.newDensity() }, hmc.Options{Seed: 3, Chains: 2, Warmup: 200, Draws: 500})
		if err != nil {
			t.Fatal(err)
		}
		return newPosterior(m, d, run).LeaveOneOut(), float64(len(m.parameters))
	}
	loo, parameters := score(toy())
	// Without informative priors, the effective number of parameters equals the number of parameters. Informative
	// priors reduce the effective number.
	if loo.Parameters < 1 || loo.Parameters > parameters || loo.Unreliable > 0 || !(loo.SE > 0) {
		t.Errorf("%+v of a model with %v parameters", loo, parameters)
	}
	odd := toy()
	odd.Target[17] *= 3
	if other, _ := score(odd); other.ELPD > loo.ELPD-20 {
		t.Errorf("log score %v with an odd week, %v without", other.ELPD, loo.ELPD)
	}
}
