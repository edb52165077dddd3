package geo_test

import (
	"math"
	"testing"

	"assay/internal/fault"
	"assay/internal/measure/geo"
)

// Less spend with less revenue gives the same ratio as more spend with more revenue.
func TestGoingDarkHasAPositiveReturn(t *testing.T) {
	t.Parallel()
	p := simulate(market{regions: 40, periods: 120}, 21)
	test := tested(p, 20, "r004", "r011", "r023")
	up := fit(t, raise(p, test, .3), test, geo.Options{Cost: 5000})
	down := fit(t, raise(p, test, -.3), test, geo.Options{Cost: -5000})
	for name, r := range map[string]*geo.Return{"added": up.Return, "taken away": down.Return} {
		if r.PerCost <= 0 || *r.Each <= 0 || r.PerCostInterval.Low <= 0 || r.PerCostInterval.Low > r.PerCost ||
			r.PerCost > r.PerCostInterval.High {
			t.Errorf("spend %s: %+v with %+v", name, r, r.PerCostInterval)
		}
		near(t, name+": cost of one", *r.Each, 1/r.PerCost, 1e-12/r.PerCost)
		if r.EachInterval == nil || r.EachInterval.Low > *r.Each || *r.Each > r.EachInterval.High {
			t.Errorf("spend %s: one costs %v, interval %v", name, *r.Each, r.EachInterval)
		}
	}
	if quiet := fit(t, p, test, geo.Options{Cost: 5000}); quiet.Return.EachInterval != nil {
		t.Errorf("without a clear effect one costs %v, which has no upper end", quiet.Return.EachInterval)
	}
}

func TestResultCalibratesAModel(t *testing.T) {
	t.Parallel()
	p := simulate(market{regions: 40, periods: 120}, 22)
	test := tested(p, 20, "r004", "r011")
	r := fit(t, raise(p, test, .2), test, geo.Options{})
	plain, err := r.LiftTest("facebook", 100, 50, geo.Settling{})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "change of the target per period", plain.DeltaY, 2*r.ATT, 1e-9*r.ATT)
	near(t, "its deviation", plain.Sigma, 2*(r.Interval.High-r.Interval.Low)/2/1.959963984540054, 1e-9*r.ATT)
	settled, err := r.LiftTest("facebook", 100, 50, geo.Settling{Share: .8, Recency: .5, Duration: .06, Spend: 0})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "with carry-over to come", settled.DeltaY, plain.DeltaY/.8, 1e-9*r.ATT)
	near(t, "its deviation", settled.Sigma, plain.Sigma/.8*math.Sqrt(1.56), 1e-9*r.ATT)
	if _, err := r.LiftTest("facebook", 100, 0, geo.Settling{}); fault.KindOf(err) != fault.KindInvalid {
		t.Errorf("a test without a change of spend gave %v", err)
	}
}

func TestResultsOfAShareScaleToTheWhole(t *testing.T) {
	t.Parallel()
	test := geo.LiftTest{Channel: "facebook", X: 10, DeltaX: -4, DeltaY: -6, Sigma: 2}
	whole, err := test.Over(geo.Spread{Share: 0.25, Outcome: 0.8, Periods: 7})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "spend of a week", whole.X, 10*4*7, 1e-9)
	near(t, "its change", whole.DeltaX, -4*4*7, 1e-9)
	near(t, "the change of the target", whole.DeltaY, -6*4*7*0.8, 1e-9)
	near(t, "its deviation", whole.Sigma, 2*4*7*0.8, 1e-9)
	for _, s := range []geo.Spread{
		{Outcome: 1, Periods: 7},
		{Share: 1, Outcome: math.NaN(), Periods: 7},
		{Share: 1, Outcome: 1, Periods: math.Inf(1)},
	} {
		if _, err := test.Over(s); fault.KindOf(err) != fault.KindInvalid {
			t.Errorf("spread over %+v: %v, want a fault of kind invalid", s, err)
		}
	}
}
