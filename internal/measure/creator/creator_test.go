package creator

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"
)

// store is what a simulated store planted: the orders of each creator and how orders leave traces.
type store struct {
	code, survey, link, met, stray, leak float64
	orders                               []int
}

// simulate draws what a store sees of its creators' orders. Codes leak to other customers, as many for each creator.
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

// seeds is how many stores are simulated: a few by default, ASSAY_NIGHTLY makes it enough to tell a rate.
func seeds(few, many int) int {
	if os.Getenv("ASSAY_NIGHTLY") != "" {
		return many
	}
	return few
}

// With 40 stores of 16 creators the share has a standard error of about 3 points, because the creators of a store share
// the error of its rates; the bounds lie three of them off the level.
func TestIntervalsHoldThePlantedOrders(t *testing.T) {
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
			if e.Low <= truth && truth <= e.High {
				inside++
			}
			squares += (e.Orders/truth - 1) * (e.Orders/truth - 1)
			all++
		}
	}
	got := float64(inside) / float64(all)
	t.Logf("%d of %d intervals hold the truth (%.3f), relative error %.3f", inside, all, got, math.Sqrt(squares/float64(all)))
	if got < 0.84 || got > 0.98 {
		t.Errorf("%.3f of the intervals at 0.90 hold the truth", got)
	}
}

// Codes that leak far more than they sell are no reason to believe in them.
func TestLeakedCodesAreTakenOut(t *testing.T) {
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
	if !rates.Cleaned || e.Low > 21 || e.High < 21 || e.Orders > signals[15].Code/2 {
		t.Errorf("%v code orders of which 21 brought: %.1f, %.1f to %.1f", signals[15].Code, e.Orders, e.Low, e.High)
	}
}

func TestEveryOrderCountsOnce(t *testing.T) {
	t.Parallel()
	// All signals see every order: the estimate is the orders, not their multiple.
	var all []Signals
	for range 8 {
		all = append(all, Signals{HasCode: true, HasLink: true, Code: 100, CodeTouched: 100, Named: 100, NamedTouched: 100, Both: 100, Link: 100})
	}
	rates, err := Learn(all, Ground{Orders: 5000})
	if err != nil {
		t.Fatal(err)
	}
	e, err := rates.Of(all[0], 0.9)
	if err != nil {
		t.Fatal(err)
	}
	if e.Orders < 100 || e.Orders > 106 {
		t.Errorf("100 orders that every signal sees are estimated as %.1f", e.Orders)
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
	if rates.Cleaned || e.High/e.Low < 3 || e.Confidence > 0.5 {
		t.Errorf("20 code orders and nothing else: %.1f, %.1f to %.1f, confidence %.2f", e.Orders, e.Low, e.High, e.Confidence)
	}
	for _, s := range []Signals{{}, {HasCode: true}, {HasLink: true}, {HasLink: true, Link: 3}} {
		rates, err := Learn([]Signals{s}, Ground{})
		if err != nil {
			t.Fatal(err)
		}
		e, err := rates.Of(s, 0.9)
		if err != nil || math.IsNaN(e.Orders+e.Low+e.High+e.Confidence) || math.IsInf(e.High, 0) {
			t.Errorf("%+v: %+v, %v", s, e, err)
		}
	}
}

func TestUnusableCountsAreRefused(t *testing.T) {
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
