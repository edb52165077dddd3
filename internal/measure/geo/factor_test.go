package geo_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/geo"
)

func factor(value, low, high float64) measure.Estimate {
	return measure.Estimate{Value: value, Interval: measure.Interval{Low: low, High: high, Level: .9}}
}

// Expected values are computed by hand from DerSimonian and Laird's formulas for two tests of equal precision. They are
// the mean of the tests, with τ² = (f₁-f₂)²/2 - se² if that is positive.
func TestPooledFactorsAreWeightedAndWidenedByHeterogeneity(t *testing.T) {
	t.Parallel()
	z := 1.6448536269514722
	se := .1 / z
	alike, err := geo.Pool([]measure.Estimate{factor(.6, .5, .7), factor(.62, .52, .72)}, .9)
	if err != nil || math.Abs(alike.Value-.61) > 1e-12 || alike.Between != 0 ||
		math.Abs(alike.High-alike.Value-z*se/math.Sqrt2) > 1e-12 {
		t.Errorf("two tests that agree: %+v, %v", alike, err)
	}
	apart, err := geo.Pool([]measure.Estimate{factor(.4, .3, .5), factor(1, .9, 1.1)}, .9)
	between := math.Sqrt(.6*.6/2 - se*se)
	if err != nil || math.Abs(apart.Value-.7) > 1e-12 || math.Abs(apart.Between-between) > 1e-12 ||
		math.Abs(apart.High-apart.Value-z*math.Sqrt((se*se+between*between)/2)) > 1e-12 {
		t.Errorf("two tests that disagree: %+v, %v; want between %v", apart, err, between)
	}
	sure, err := geo.Pool([]measure.Estimate{factor(.4, .39, .41), factor(.5, -1, 2)}, .9)
	if err != nil || math.Abs(sure.Value-.4) > .01 {
		t.Errorf("a sure and an unsure test: %+v, %v", sure, err)
	}
	one, err := geo.Pool([]measure.Estimate{factor(.4, .1, .5)}, .9)
	if err != nil || one.Estimate != factor(.4, .1, .5) || one.Tests != 1 {
		t.Errorf("a single test: %+v, %v", one, err)
	}
	if _, err := geo.Pool(nil, .9); fault.KindOf(err) != fault.KindNotReady {
		t.Errorf("no test: %v", err)
	}
}

func TestFactorsPropagateTheirError(t *testing.T) {
	t.Parallel()
	f, err := geo.Factor(factor(1.5, .6, 2.4), 3)
	if err != nil || math.Abs(f.Value-.5) > 1e-12 {
		t.Fatalf("%+v, %v", f, err)
	}
	applied := f.Times(4)
	if math.Abs(applied.Value-2) > 1e-12 || math.Abs(applied.Low-.8) > 1e-12 || math.Abs(applied.High-3.2) > 1e-12 {
		t.Errorf("applied to 4: %+v", applied)
	}
	for _, reported := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := geo.Factor(factor(1, 0, 2), reported); fault.KindOf(err) != fault.KindInvalid {
			t.Errorf("reported %v: %v, want a refusal", reported, err)
		}
	}
	if d := geo.Uncertainty(nil, 0); d != geo.Untested {
		t.Errorf("doubt without a test %v", d)
	}
	if fresh, old := geo.Uncertainty(&f, 0), geo.Uncertainty(&f, 1); math.Abs(fresh-f.NormalSD()) > 1e-12 ||
		old <= fresh || old > geo.Untested {
		t.Errorf("doubt %v fresh, %v after a year", fresh, old)
	}
}

// During the test, the treated regions have twice the spend and a 10% higher outcome.
func TestAssessmentsAddUp(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 6))
	var rows, spend []geo.Row
	for r := range 20 {
		name := geo.Region(rune('a' + r))
		level := 50 + 100*rng.Float64()
		for day := range 128 {
			y, s := level*(1+.05*rng.NormFloat64()), 10.0
			if r < 4 && day >= 100 {
				y, s = y*1.1, 20
			}
			at := geo.Period{At: float64(day), Label: string(rune(day))}
			rows, spend = append(rows, geo.Row{Region: name, Period: at, Value: y}),
				append(spend, geo.Row{Region: name, Period: at, Value: s})
		}
	}
	p, err := geo.NewPanel(rows, geo.Refuse)
	if err != nil {
		t.Fatal(err)
	}
	costs, err := geo.NewPanel(spend, geo.Refuse)
	if err != nil {
		t.Fatal(err)
	}
	test := geo.Test{Treated: []geo.Region{"a", "b", "c", "d"}, Start: 100, End: 127}
	cost, known := geo.SpendChange(costs, test)
	if !known || math.Abs(cost-4*28*10) > 1e-9 {
		t.Errorf("spend changed by %v, want %v", cost, 4*28*10)
	}
	a, err := geo.Assess(p, test, 7, geo.Options{Alpha: .1, Seed: 1, Cost: cost})
	if err != nil {
		t.Fatal(err)
	}
	if e := a.LiftEstimate; e == nil || e.Value != a.Lift || e.Low > .1 || e.High < .1 || e.Low < 0 ||
		e.Basis != measure.Incremental {
		t.Errorf("lift %v in %+v, planted .1", a.Lift, e)
	}
	var gain float64
	inside := 0
	for _, b := range a.Blocks {
		if b.During {
			gain += b.Observed - b.Expected
		} else if b.Observed >= b.Low && b.Observed <= b.High {
			inside++
		}
	}
	if len(a.Blocks) != 18 || inside < 12 || math.Abs(gain-a.Incremental) > 1e-6*math.Abs(gain) {
		t.Errorf("%d blocks, %d of 14 before the test inside, which gained %v of %v",
			len(a.Blocks), inside, gain, a.Incremental)
	}
	if sets, own := a.Placebo.Effects(); len(sets) != a.Placebo.Sets || own < sets[len(sets)-1] {
		t.Errorf("%d sets, own effect %v, largest of theirs %v", len(sets), own, sets[len(sets)-1])
	}
}
