package creator

import (
	"math"
	"testing"

	"assay/internal/measure"
	"assay/internal/measure/stats/statstest"
)

func learn(t *testing.T, ground Ground, all ...Signals) Rates {
	t.Helper()
	r, err := Learn(all, ground)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Without paths, 80% of the 40 code orders are the creator's: 32 orders with a code and 32/0.625 = 51.2 in total. The
// second creator has no code, so its orders count only for the touchpoint rate.
func TestRatesWithoutPaths(t *testing.T) {
	t.Parallel()
	r := learn(t, Ground{},
		Signals{HasCode: true, HasLink: true, Code: 40, Named: 4, NamedTouched: 2, Both: 3, Link: 10},
		Signals{HasLink: true, Code: 99, Named: 6, NamedTouched: 4, Both: 1, Link: 7})
	statstest.Near(t, "code", r.Code, (3+2.)/(4+4), 1e-9)
	statstest.Near(t, "survey", r.Survey, (4+1)/(51.2+9), 1e-9)
	statstest.Near(t, "link", r.Link, (10+2)/(51.2+5), 1e-9)
	statstest.Near(t, "met", r.Met, (6+1.)/(10+2), 1e-9)
	statstest.Near(t, "spread", r.Spread, math.Sqrt(.375/(.625*9)+.15*.15), 1e-9)
	if want := (Evidence{Named: 10, Both: 3, Code: 40, Link: 17}); r.Known != want || r.Cleaned || r.Stray != 0 {
		t.Errorf("known %+v, cleaned %t, stray %v; want %+v", r.Known, r.Cleaned, r.Stray, want)
	}
	unlinked := learn(t, Ground{}, Signals{HasCode: true, Code: 40}, Signals{HasLink: true, Link: 9})
	statstest.Near(t, "link rate without a creator with both", unlinked.Link, .4, 1e-9)
	few := learn(t, Ground{}, Signals{HasCode: true, HasLink: true, Code: .5, Link: 1}) // 0.8 orders
	statstest.Near(t, "link rate of few orders", few.Link, 3/(.8+5), 1e-9)
}

func TestPriorsAreUsedWithoutCodeOrders(t *testing.T) {
	t.Parallel()
	for what, r := range map[string]Rates{
		"no code":            learn(t, Ground{}, Signals{HasLink: true, Link: 50, Named: 3}),
		"no order of a code": learn(t, Ground{}, Signals{HasCode: true, Named: 3}),
		"no order of a path": learn(t, Ground{Orders: 500}, Signals{HasCode: true, Code: 50, Named: 18, NamedTouched: 15, Both: 16}),
		"only leaked orders": learn(t, Ground{Orders: 500, Touched: 50}, Signals{HasCode: true, Code: 50, CodeTouched: 1, Named: 18, NamedTouched: 15, Both: 16}),
	} {
		statstest.Near(t, what+": survey", r.Survey, 1./9, 1e-9)
		statstest.Near(t, what+": link", r.Link, .4, 1e-9)
		statstest.Near(t, what+": spread", r.Spread, .5, 1e-9)
	}
}

// The touchpoint rates are 16/20 of named orders and 50/500 of other orders. Of 20 code orders, 8 have a touchpoint, so
// (8 - 0.1·20)/(0.8 - 0.1) are the creator's.
func TestPathsSeparateTheCreatorsOrders(t *testing.T) {
	t.Parallel()
	one := Signals{HasCode: true, Code: 20, CodeTouched: 8, Named: 18, NamedTouched: 15, Both: 16}
	r := learn(t, Ground{Orders: 500, Touched: 50}, one)
	statstest.Near(t, "met", r.Met, .8, 1e-9)
	statstest.Near(t, "stray", r.Stray, .1, 1e-9)
	statstest.Near(t, "code orders", r.codeOrders(one), 6/.7, 1e-9)
	if !r.Cleaned {
		t.Error("paths are not used")
	}
	for _, c := range []struct {
		named, touched float64
		ground         Ground
		cleaned        bool
	}{
		{9, 9, Ground{1000, 10}, false}, // too few answers
		{10, 10, Ground{1000, 10}, true},
		{18, 7, Ground{1000, 199}, true}, // 8/20 - 0.199
		{18, 7, Ground{1000, 201}, false},
		{18, 15, Ground{0, 0}, false},
		{18, 15, Ground{.5, 0}, true},
	} {
		s := Signals{HasCode: true, Code: 1, CodeTouched: 1, Named: c.named, NamedTouched: c.touched, Both: c.named / 2}
		if r := learn(t, c.ground, s); r.Cleaned != c.cleaned {
			t.Errorf("%v answers, %v with a touchpoint, %+v: cleaned %t", c.named, c.touched, c.ground, r.Cleaned)
		}
	}
}

// Creators' orders without any signal are among the orders without a signal. At the solution, the touchpoint rate of
// the other orders excludes them: k/Code orders, less k with a code and those only named.
func TestHiddenOrdersAreNotStray(t *testing.T) {
	t.Parallel()
	one := Signals{HasCode: true, Code: 400, CodeTouched: 260, Named: 60, NamedTouched: 47, Both: 30}
	ground := Ground{Orders: 20_000, Touched: 900}
	r := learn(t, ground, one)
	k := (260 - r.Stray*400) / (r.Met - r.Stray)
	hidden := k/r.Code - (k + 60 - 30)
	if hidden < 100 {
		t.Fatalf("%v hidden orders, want many", hidden)
	}
	if want := (900 - hidden*r.Met) / (20_000 - hidden); !(math.Abs(r.Stray-want) <= 1e-6) {
		t.Errorf("stray %v, want %v", r.Stray, want)
	}
	// There are at most as many hidden orders as touchpoints allow.
	if r := learn(t, Ground{Orders: 20_000, Touched: 1}, one); r.Stray != 0 {
		t.Errorf("stray %v, want 0", r.Stray)
	}
}

func TestRatesAreClamped(t *testing.T) {
	t.Parallel()
	for p, want := range map[float64]float64{-1: .005, 0: .005, .006: .006, .5: .5, .94: .94, .96: .95, 2: .95} {
		statstest.Near(t, "rate", clamped(p), want, 1e-9)
	}
	sum := Signals{Code: 1, CodeTouched: 2, Named: 3, NamedTouched: 4, Both: 5, Link: 6}.plus(
		Signals{Code: 10, CodeTouched: 20, Named: 30, NamedTouched: 40, Both: 50, Link: 60})
	if want := (Signals{Code: 11, CodeTouched: 22, Named: 33, NamedTouched: 44, Both: 55, Link: 66}); sum != want {
		t.Errorf("sum %+v, want %+v", sum, want)
	}
	// Of 5 code orders, -2 are estimated as the creator's; then all 5 are leaked.
	r := Rates{Code: .5, Met: .6, Stray: .1, Cleaned: true}
	_, fixed := r.codeVariance(Signals{Code: 5, CodeTouched: -.5})
	statstest.Near(t, "variance of leaked orders", fixed, 5*.1*.9/(.25*.25), 1e-9)
	perOrder, fixed := Rates{Code: .5}.codeVariance(Signals{Code: 5})
	statstest.Near(t, "variance per order without paths", perOrder, .6/.4, 1e-9)
	statstest.Near(t, "fixed variance without paths", fixed, 0, 1e-9)
}

// The estimate of a signal is its count divided by its rate. Weights are inverse variances: (1 - 0.2)/0.2 = 4 and
// (1 - 0.5)/0.5 = 1.
func TestSignalsAreWeightedByTheirPrecision(t *testing.T) {
	t.Parallel()
	r := Rates{Survey: .2, Link: .5, Noise: 1, Known: Evidence{Named: 5}}
	e, err := r.Of(Signals{HasLink: true, Named: 8, Link: 30}, .9)
	if err != nil || len(e.Parts) != 2 {
		t.Fatalf("%+v, %v", e, err)
	}
	statstest.Near(t, "orders by survey", e.Parts[0].Orders, 40, 1e-9)
	statstest.Near(t, "orders by link", e.Parts[1].Orders, 60, 1e-9)
	statstest.Near(t, "weight of the survey", e.Parts[0].Weight, .2, 1e-9)
	statstest.Near(t, "estimate", e.Orders.Value, 56, 1e-9)
	statstest.Near(t, "confidence", e.Confidence, 1-(e.Orders.High-e.Orders.Low)/112, 1e-9)
	if e.Orders.Method != measure.CaptureRecapture || e.Orders.Basis != measure.Modelled || e.Orders.Level != .9 {
		t.Errorf("estimate %+v", e.Orders)
	}
	if alone, err := r.Of(Signals{Named: 8}, .9); err != nil || len(alone.Parts) != 1 || alone.Parts[0].Weight != 1 {
		t.Errorf("%+v, %v", alone, err)
	}
	none, err := Rates{Code: .5}.Of(Signals{Code: 9, Named: 9}, .9)
	if err != nil || len(none.Parts) != 0 || none.Orders != (measure.Estimate{}) {
		t.Errorf("without a signal: %+v, %v", none, err)
	}
	for _, level := range []float64{0, 1, -.1, 1.1} {
		if _, err := r.Of(Signals{Named: 8}, level); err == nil {
			t.Errorf("level %v is accepted", level)
		}
	}
	// A creator has at least the orders that a survey or the link counted.
	r.Survey, r.Link = .95, .95
	e, err = r.Of(Signals{HasLink: true, Named: 100, Link: 10}, .9)
	if err != nil || e.Orders.Value != 100 || e.Orders.Low != 100 || e.Orders.High < 100 {
		t.Errorf("%+v, %v; want 100 orders", e.Orders, err)
	}
}

// The score interval of 10 of 20 with Wilson's formula: T with (x-T)² = z²·a·T is x + z²a/2 ± z√(a x + z²a²/4).
func TestScoreIntervalIsWilsons(t *testing.T) {
	t.Parallel()
	low, high := within(20, 2, 1.5, 0, 0)
	statstest.Near(t, "low", low, 23-math.Sqrt(129), 1e-9)
	statstest.Near(t, "high", high, 23+math.Sqrt(129), 1e-9)
	if low, high := within(20, 2, 0, 0, 1); low < 0 || math.IsInf(high, 0) || high < 200 { // e is at most 0.9/z²
		t.Errorf("%v to %v with an error as large as the level", low, high)
	}
	low, high = within(20, 2, 0, 0, .225) // 1 ± √0.9
	statstest.Near(t, "low with a common error", low, 20/(1+math.Sqrt(.9)), 1e-9)
	statstest.Near(t, "high with a common error", high, 20/(1-math.Sqrt(.9)), 1e-9)
	if low, high := within(0, 2, 0, 0, .01); low != 0 || high != 0 {
		t.Errorf("%v to %v of no orders without variance", low, high)
	}
	if low, _ := within(1, 2, 0, 100, 0); low != 0 {
		t.Errorf("lower limit %v, want 0", low)
	}
}

// Without a common error, distances to the limits add as squares. A common error adds as it is.
func TestSumsSeparateCommonAndOwnErrors(t *testing.T) {
	t.Parallel()
	of := func(value, low, high float64) Estimate {
		return Estimate{Orders: measure.Estimate{Value: value, Interval: measure.Interval{Low: low, High: high, Level: .9}}}
	}
	z := 1.6448536269514722
	own := Rates{}.Sum([]Estimate{of(100, 80, 125), of(50, 40, 62)}, .9)
	statstest.Near(t, "sum", own.Orders.Value, 150, 1e-9)
	statstest.Near(t, "low", own.Orders.Low, 150-math.Sqrt(500), 1e-9)
	statstest.Near(t, "high", own.Orders.High, 150+math.Sqrt(25*25+12*12), 1e-9)
	statstest.Near(t, "confidence", own.Confidence, 1-(own.Orders.High-own.Orders.Low)/300, 1e-9)
	d := .1 * z
	common := Rates{Spread: .1}.Sum([]Estimate{of(100, 100-100*d, 100+100*d), of(50, 50-50*d, 50+50*d)}, .9)
	statstest.Near(t, "low with a common error", common.Orders.Low, 150-150*d, 1e-9)
	statstest.Near(t, "high with a common error", common.Orders.High, 150+150*d, 1e-9)
	both := Rates{Spread: .1}.Sum([]Estimate{
		of(100, 100-math.Hypot(100*d, 3), 100+math.Hypot(100*d, 8)), of(50, 50-math.Hypot(50*d, 4), 50+math.Hypot(50*d, 6)),
	}, .9)
	statstest.Near(t, "low with both", both.Orders.Low, 150-math.Hypot(150*d, 5), 1e-9)
	statstest.Near(t, "high with both", both.Orders.High, 150+math.Hypot(150*d, 10), 1e-9)
	if narrow := (Rates{Spread: .1}).Sum([]Estimate{of(100, 99, 101)}, .9); !(math.Abs(narrow.Orders.High-100-100*d) <= 1e-9) ||
		!(math.Abs(narrow.Orders.Low-100+100*d) <= 1e-9) {
		t.Errorf("%+v, want at least the common error", narrow.Orders)
	}
	if wide := (Rates{}).Sum([]Estimate{of(3, -9, 20)}, .9); wide.Orders.Low != 0 || wide.Confidence != 0 {
		t.Errorf("%+v, want no negative orders", wide)
	}
	if none := (Rates{}).Sum(nil, .9); none.Orders.Value != 0 || none.Confidence != 0 {
		t.Errorf("the sum of nothing is %+v", none)
	}
}
