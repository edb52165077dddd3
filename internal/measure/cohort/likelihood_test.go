package cohort

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// randomGroups returns random histories, including extreme histories.
func randomGroups(r *rand.Rand, n int) (groups []group, most int) {
	for range n {
		g := group{T: .05 + .95*r.Float64(), n: 1 + float64(r.IntN(5))}
		if g.x = r.IntN(4) * r.IntN(12); g.x > 0 {
			g.tx = g.T * math.Pow(r.Float64(), .3)
		}
		if r.IntN(10) == 0 && g.x > 0 {
			g.tx = g.T
		}
		groups, most = append(groups, g), max(most, g.x)
	}
	return groups, most
}

func TestGradientsEqualFiniteDifferences(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(11, 0))
	rule := newRule()
	spends := []Spend{{1, 10}, {3, 25}, {40, 7}, {2, 300}}
	for range 60 {
		groups, most := randomGroups(r, 12)
		for name, f := range map[string]struct {
			f likelihood
			n int
		}{
			"BG/NBD":      {grouping{groups: groups, most: most}.timed().bgnbdLikelihood(1), 4},
			"Pareto/NBD":  {func(x, g []float64) float64 { return paretoLikelihood(groups, most, 1, rule, x, g) }, 4},
			"Gamma-Gamma": {gammaGammaLikelihood(spends, 20), 3},
		} {
			x, gradient, unused := make([]float64, f.n), make([]float64, f.n), make([]float64, f.n)
			for i := range x {
				x[i] = 2 * r.NormFloat64()
			}
			value := f.f(x, gradient)
			for i := range x {
				const step = 1e-5
				at := append([]float64{}, x...)
				at[i] = x[i] + step
				up := f.f(at, unused)
				at[i] = x[i] - step
				// A central difference has a truncation error of order step², and a rounding error of 1e-16/step times
				// the value.
				if want := (up - f.f(at, unused)) / (2 * step); math.Abs(gradient[i]-want) > 1e-6*(1+math.Abs(want))+
					1e-10*math.Abs(value) {
					t.Errorf("%s at %v: derivative %d is %v, differences give %v", name, x, i, gradient[i], want)
				}
			}
		}
	}
}

// hypergeometric sums the series of ₂F₁ for 0 ≤ z < 1.
func hypergeometric(a, b, c, z float64) float64 {
	sum, term := 1.0, 1.0
	for n := 0.0; n < 1e6 && math.Abs(term) > 1e-18*math.Abs(sum); n++ {
		term *= (a + n) * (b + n) / ((c + n) * (n + 1)) * z
		sum += term
	}
	return sum
}

// TestIntegralMatchesTheNote compares the integral with A₀ of Fader and Hardie (2005), a difference of two
// hypergeometric functions. It uses arguments for which the difference is accurate.
func TestIntegralMatchesTheNote(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(12, 0))
	rule := newRule()
	for range 300 {
		m := ParetoNBD{
			R: math.Exp(r.NormFloat64()), Alpha: math.Exp(r.NormFloat64()), S: math.Exp(r.NormFloat64()),
			Beta: math.Exp(r.NormFloat64()),
		}
		x, tx := float64(r.IntN(30)), r.Float64()
		until := tx + .3 + r.Float64()
		larger, smaller, b := m.Alpha, m.Beta, m.S+1
		if m.Beta > m.Alpha {
			larger, smaller, b = m.Beta, m.Alpha, m.R+x
		}
		whole := m.R + m.S + x
		part := func(t float64) float64 {
			return hypergeometric(whole, b, whole+1, (larger-smaller)/(larger+t)) * math.Pow(larger+t, -whole)
		}
		want := math.Log(m.S / whole * (part(tx) - part(until)))
		if got := m.left(rule, x, tx, until).log; math.Abs(got-want) > 1e-10*(1+math.Abs(want)) {
			t.Errorf("%+v, x %v, t_x %v, T %v: %.14g, want %.14g", m, x, tx, until, got, want)
		}
	}
}

// TestExpectationMatchesThePaper compares the expectation with equation (10) of Fader, Hardie and Lee (2005) as
// printed, away from a = 1, where the equation is undefined.
func TestExpectationMatchesThePaper(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(13, 0))
	for range 300 {
		m := BGNBD{
			R: math.Exp(r.NormFloat64()), Alpha: math.Exp(r.NormFloat64()), A: math.Exp(r.NormFloat64()),
			B: math.Exp(r.NormFloat64()),
		}
		x, since, time := float64(1+r.IntN(20)), m.Alpha+r.Float64(), 2*r.Float64()
		z := time / (since + time)
		power := math.Pow(1-z, m.R+x)
		want := (m.A + m.B + x - 1) / (m.A - 1) * (1 - power*hypergeometric(m.R+x, m.B+x, m.A+m.B+x-1, z))
		// The published equation loses digits as a approaches 1.
		if got := m.whileActive(x, since, time); math.Abs(got-want) > 1e-11*want/min(1, math.Abs(m.A-1)) {
			t.Errorf("%+v, x %v, since %v, time %v: %.14g, want %.14g", m, x, since, time, got, want)
		}
	}
}

func TestExpectationIsContinuousWhereThePaperDividesByZero(t *testing.T) {
	t.Parallel()
	for _, b := range []float64{.2, 2.4} {
		at := func(a float64) float64 { return BGNBD{R: .3, Alpha: 4, A: a, B: b}.Purchases(50) }
		if got, want := at(1), (at(1-1e-6)+at(1+1e-6))/2; math.Abs(got-want) > 1e-9 {
			t.Errorf("b = %v: %v at a = 1, %v next to it", b, got, want)
		}
		if got, want := at(1-b), (at(1-b-1e-6)+at(1-b+1e-6))/2; math.Abs(got-want) > 1e-9 {
			t.Errorf("b = %v: %v at a + b = 1, %v next to it", b, got, want)
		}
	}
	pareto := func(s float64) float64 { return ParetoNBD{R: .5, Alpha: 10, S: s, Beta: 12}.Purchases(50) }
	if got, want := pareto(1), (pareto(1-1e-6)+pareto(1+1e-6))/2; math.Abs(got-want) > 1e-9 {
		t.Errorf("%v at s = 1, %v next to it", got, want)
	}
}

func TestDrawnFuturesHaveTheExpectedMean(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(14, 0))
	histories := []History{{0, 0, 30}, {2, 20, 35}, {7, 30, 31}}
	for _, m := range []Model{BGNBD{R: .8, Alpha: 6, A: .8, B: 2.5}, ParetoNBD{R: .8, Alpha: 8, S: 1.2, Beta: 20}} {
		for _, h := range histories {
			const draws = 40_000
			var sum, squares float64
			counts, room := make([]int, draws), make([]float64, 2*draws)
			m.futures(slices.Repeat([]Buyer{{History: h}}, draws), 25, r, counts, room)
			for _, n := range counts {
				sum += float64(n)
				squares += float64(n) * float64(n)
			}
			mean := sum / draws
			se := math.Sqrt((squares/draws - mean*mean) / draws)
			if want := m.Expected(h, 25); math.Abs(mean-want) > 4*se {
				t.Errorf("%T of %+v: mean %v ± %v, want %v", m, h, mean, se, want)
			}
		}
	}
}

// The closed form is compared with sequential simulation. The limit accounts for about sixty comparisons.
func TestPurchasesByClosedFormMatchSimulation(t *testing.T) {
	t.Parallel()
	const draws, weeks = 40_000, 25
	m := BGNBD{R: .8, Alpha: 6, A: .8, B: 2.5}
	for _, h := range []History{{0, 0, 30}, {0, 0, 2}, {2, 20, 35}, {7, 30, 31}, {40, 51, 52}} {
		r := rand.New(rand.NewPCG(15, uint64(h.Repeats)))
		counts, room := make([]int, draws), make([]float64, 2*draws)
		m.futures(slices.Repeat([]Buyer{{History: h}}, draws), weeks, r, counts, room)
		drawn, lived := map[int]float64{}, map[int]float64{}
		for _, n := range counts {
			drawn[n/h.wide()]++
			switch {
			case r.Float64() < m.Alive(h):
				lived[m.lived(&h, weeks, r)/h.wide()]++
			default:
				lived[0]++
			}
		}
		for n := range 12 {
			a, b := drawn[n], lived[n]
			if math.Abs(a-b) > 4*math.Sqrt(a+b+1) {
				t.Errorf("%+v: %v futures with %d purchases, %v that were lived", h, a, n*h.wide(), b)
			}
		}
	}
}

// wide returns the number of purchase counts per bin.
func (h History) wide() int { return 1 + h.Repeats/10 }

// With thousands of purchases the probability of no purchase underflows.
func TestVeryLongHistoriesHaveFutures(t *testing.T) {
	t.Parallel()
	m := BGNBD{R: .8, Alpha: 6, A: .01, B: 2.5}
	h := History{Repeats: 5000, Recency: 52, Age: 52}
	const draws = 2000
	counts, room := make([]int, draws), make([]float64, 2*draws)
	m.futures(slices.Repeat([]Buyer{{History: h}}, draws), 52, rand.New(rand.NewPCG(16, 0)), counts, room)
	mean := 0.0
	for _, n := range counts {
		mean += float64(n) / draws
	}
	if want := m.Expected(h, 52); math.Abs(mean-want) > .01*want {
		t.Errorf("mean of %v purchases, want %v", mean, want)
	}
}
