package creator

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"assay/internal/measure/stats"
)

// store contains the true values of a simulated store: each creator's orders and the capture probabilities.
type store struct {
	code, survey, link, met, stray, leak float64
	orders                               []int
}

// simulate draws a store's signals. Codes leak to the same number of other customers for each creator.
func (st store) simulate(rng *rand.Rand) ([]Signals, Ground) {
	var out []Signals
	yes := func(p float64) bool { return rng.Float64() < p }
	ground := Ground{}
	for _, n := range st.orders {
		s := Signals{HasCode: true, HasLink: true}
		for range n {
			code, named, met := yes(st.code), yes(st.survey), yes(st.met)
			s.Code += count(code)
			s.CodeTouched += count(code && met)
			s.Named += count(named)
			s.NamedTouched += count(named && met)
			s.Both += count(code && named)
			s.Link += count(yes(st.link))
			if !code && !named {
				ground.Orders++
				ground.Touched += count(met)
			}
		}
		for range 4000 {
			if yes(st.leak / 4000) {
				s.Code++
				s.CodeTouched += count(yes(st.stray))
			}
		}
		out = append(out, s)
	}
	for range 30_000 {
		ground.Orders++
		ground.Touched += count(yes(st.stray))
	}
	return out, ground
}

func count(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

func planted() store {
	return store{
		code: 0.55, survey: 0.10, link: 0.32, met: 0.63, stray: 0.03, leak: 20,
		orders: []int{260, 220, 200, 170, 150, 140, 120, 110, 95, 85, 75, 70, 50, 34, 25, 21},
	}
}

// seeds returns the number of simulated stores: few by default, many with ASSAY_NIGHTLY.
func seeds(few, many int) int {
	if os.Getenv("ASSAY_NIGHTLY") != "" {
		return many
	}
	return few
}

// The creators of a store share the rates' error. With 40 stores of 16 creators, coverage therefore has a standard
// error of about 3 percentage points. The bounds are three standard errors from the nominal level.
func TestIntervalsContainTheSimulatedOrders(t *testing.T) {
	t.Parallel()
	st := planted()
	n := seeds(40, 400)
	inside, all, squares := 0, 0, 0.0
	for seed := range n {
		signals, ground := st.simulate(rand.New(rand.NewPCG(uint64(seed), 7)))
		rates, err := Learn(signals, ground)
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range signals {
			e, err := rates.Of(s, 0.9)
			if err != nil {
				t.Fatal(err)
			}
			truth := float64(st.orders[i])
			if e.Orders.Low <= truth && truth <= e.Orders.High {
				inside++
			}
			squares += (e.Orders.Value/truth - 1) * (e.Orders.Value/truth - 1)
			all++
		}
	}
	got := float64(inside) / float64(all)
	t.Logf("%d of %d intervals hold the truth (%.3f), relative error %.3f",
		inside, all, got, math.Sqrt(squares/float64(all)))
	if got < 0.84 || got > 0.98 {
		t.Errorf("%.3f of the intervals at 0.90 hold the truth", got)
	}
}

// Leaked code orders are excluded, even if they far exceed a creator's own orders.
func TestLeakedCodeOrdersAreRemoved(t *testing.T) {
	t.Parallel()
	st := planted()
	st.leak = 200
	signals, ground := st.simulate(rand.New(rand.NewPCG(5, 5)))
	rates, err := Learn(signals, ground)
	if err != nil {
		t.Fatal(err)
	}
	e, err := rates.Of(signals[15], 0.9)
	if err != nil {
		t.Fatal(err)
	}
	if !rates.Cleaned || e.Orders.Low > 21 || e.Orders.High < 21 || e.Orders.Value > signals[15].Code/2 {
		t.Errorf("%v code orders of which 21 brought: %.1f, %.1f to %.1f",
			signals[15].Code, e.Orders.Value, e.Orders.Low, e.Orders.High)
	}
}

func TestEveryOrderCountsOnce(t *testing.T) {
	t.Parallel()
	// If all signals capture every order, the estimate equals the number of orders, not a multiple.
	var all []Signals
	for range 8 {
		all = append(all, Signals{
			HasCode: true, HasLink: true, Code: 100, CodeTouched: 100, Named: 100, NamedTouched: 100, Both: 100, Link: 100,
		})
	}
	rates, err := Learn(all, Ground{Orders: 5000})
	if err != nil {
		t.Fatal(err)
	}
	e, err := rates.Of(all[0], 0.9)
	if err != nil {
		t.Fatal(err)
	}
	if e.Orders.Value < 100 || e.Orders.Value > 106 {
		t.Errorf("100 orders that every signal sees are estimated as %.1f", e.Orders.Value)
	}
	weights := 0.0
	for _, p := range e.Parts {
		weights += p.Weight
	}
	if math.Abs(weights-1) > 1e-12 {
		t.Errorf("the weights sum to %v", weights)
	}
}

func TestLittleEvidenceGivesWideIntervals(t *testing.T) {
	t.Parallel()
	one := Signals{ID: "a", HasCode: true, Code: 20}
	rates, err := Learn([]Signals{one}, Ground{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := rates.Of(one, 0.9)
	if err != nil {
		t.Fatal(err)
	}
	if rates.Cleaned || e.Orders.High/e.Orders.Low < 3 || e.Confidence > 0.5 {
		t.Errorf("20 code orders and nothing else: %.1f, %.1f to %.1f, confidence %.2f",
			e.Orders.Value, e.Orders.Low, e.Orders.High, e.Confidence)
	}
	for _, s := range []Signals{{}, {HasCode: true}, {HasLink: true}, {HasLink: true, Link: 3}} {
		rates, err := Learn([]Signals{s}, Ground{})
		if err != nil {
			t.Fatal(err)
		}
		e, err := rates.Of(s, 0.9)
		if err != nil || math.IsNaN(e.Orders.Value+e.Orders.Low+e.Orders.High+e.Confidence) || math.IsInf(e.Orders.High, 0) {
			t.Errorf("%+v: %+v, %v", s, e, err)
		}
	}
}

func TestInvalidCountsAreRejected(t *testing.T) {
	t.Parallel()
	for _, n := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := Learn([]Signals{{ID: "ann", Named: n}}, Ground{}); err == nil {
			t.Errorf("%v orders were taken", n)
		}
	}
	if _, err := (Rates{}).Of(Signals{}, 1); err == nil {
		t.Error("an interval of level 1 was given")
	}
}

// With known rates, the variance of the code estimate over simulated stores equals its formula, per order of the
// creator and per leaked order.
func TestVarianceOfTheCodeEstimateMatchesSimulation(t *testing.T) {
	t.Parallel()
	r := Rates{Code: 0.5, Met: 0.6, Stray: 0.35, Cleaned: true}
	random := rand.New(rand.NewPCG(1, 2))
	count := func(n int, p float64) (hits float64) {
		for range n {
			if random.Float64() < p {
				hits++
			}
		}
		return hits
	}
	const orders, leaked, stores = 100, 80, 20_000
	var estimates []float64
	for range stores {
		own := count(orders, r.Code)
		s := Signals{HasCode: true, Code: own + leaked, CodeTouched: count(int(own), r.Met) + count(leaked, r.Stray)}
		estimates = append(estimates, r.codeOrders(s)/r.Code)
	}
	mean, sd := stats.MeanSD(estimates)
	perOrder, fixed := r.codeVariance(
		Signals{Code: r.Code*orders + leaked, CodeTouched: r.Met*r.Code*orders + r.Stray*leaked})
	// The tolerance is five standard errors of the mean. The standard deviation has a standard error of 0.5%.
	if want := perOrder*orders + fixed; math.Abs(mean-orders) > 5*sd/math.Sqrt(stores) ||
		math.Abs(sd/math.Sqrt(want)-1) > 0.025 {
		t.Errorf("mean %.2f and variance %.1f, want %d and %.1f", mean, sd*sd, orders, want)
	}
	// The square of cleaningSpread is the sum of two squared relative standard errors: that of the code orders with
	// known rates, and that of r.Met - r.Stray.
	coded := Signals{Code: r.Code*orders + leaked, CodeTouched: r.Met*r.Code*orders + r.Stray*leaked}
	r.Known.Named = 97
	variance := (50*0.6*0.4 + 80*0.35*0.65) / (0.25 * 0.25)
	if got, want := r.cleaningSpread(coded),
		math.Sqrt(variance/(50*50)+0.6*0.4/100/(0.25*0.25)); !(math.Abs(got-want) <= 1e-12) {
		t.Errorf("relative standard error of code orders %v, want %v", got, want)
	}
	if r.Cleaned = false; r.cleaningSpread(coded) != 0.15 {
		t.Errorf("without a touchpoint rate, the relative standard error is %v, want 0.15", r.cleaningSpread(coded))
	}
}

// The limits of the score interval solve their equation: each limit is z standard deviations from the estimate.
func TestLimitsSolveTheScoreEquation(t *testing.T) {
	t.Parallel()
	const x, z, a, d, e = 120.0, 1.6, 3.0, 40.0, 0.01
	low, high := within(x, z, a, d, e)
	for _, limit := range []float64{low, high} {
		if got, want := math.Abs(x-limit), z*math.Sqrt(a*limit+d+e*limit*limit); math.Abs(got-want) > 1e-9 {
			t.Errorf("limit %v is %v from the estimate, want %v", limit, got, want)
		}
	}
	if !(low < x && x < high) {
		t.Errorf("%v to %v does not contain %v", low, high, x)
	}
}

// With one creator and two signals, the interval and the overdispersion follow from the variances of the two signals'
// estimates.
func TestIntervalsAndNoiseFollowFromTheVariances(t *testing.T) {
	t.Parallel()
	r := Rates{Code: 0.5, Survey: 0.1, Met: 0.6, Stray: 0.35, Cleaned: true, Noise: 1.5, Spread: 0.1, Known: Evidence{
		Named: 100,
	}}
	s := Signals{HasCode: true, Code: 200, CodeTouched: 90, Named: 16}
	e, err := r.Of(s, 0.9)
	if err != nil {
		t.Fatal(err)
	}
	perOrder, fixed := r.codeVariance(s)
	code, survey := e.Parts[0], e.Parts[1]
	variance := func(orders float64) float64 {
		named := (1 - r.Survey) / r.Survey
		return r.Noise * (code.Weight*code.Weight*(perOrder*orders+fixed) + survey.Weight*survey.Weight*named*orders)
	}
	z := 1.6448536269514722
	for _, limit := range []float64{e.Orders.Low, e.Orders.High} {
		if got, want := math.Abs(e.Orders.Value-limit),
			z*math.Sqrt(variance(limit)+0.1*0.1*limit*limit); math.Abs(got/want-1) > 1e-9 {
			t.Errorf("limit %v is %v from the estimate, want %v", limit, got, want)
		}
	}
	distance := func(p Part) float64 {
		return (p.Orders - e.Orders.Value) * (p.Orders - e.Orders.Value) / (p.perOrder*e.Orders.Value + p.fixed)
	}
	s.CodeTouched, s.Named = 60, 60 // signals that contradict each other
	if e, err = r.Of(s, 0.9); err != nil {
		t.Fatal(err)
	}
	if got, want := r.noise([]Signals{s}), distance(e.Parts[0])+distance(e.Parts[1]); want <= 1 ||
		math.Abs(got/want-1) > 1e-9 {
		t.Errorf("overdispersion %v, want %v, above 1", got, want)
	}
	s.CodeTouched, s.Named = 90, 16 // signals that agree better than their variances imply
	for what, all := range map[string][]Signals{"agreement": {s, s}, "nothing": nil} {
		if got := r.noise(all); got != 1 {
			t.Errorf("%s: overdispersion %v, want 1", what, got)
		}
	}
}
