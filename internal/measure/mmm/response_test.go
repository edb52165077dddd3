package mmm

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"

	"assay/internal/measure/stats"
)

// Points of a curve from the addition formula equal those from separate exponentials, also for tiny exposures. For tiny
// exposures, the exponential form loses digits and tanh does not.
func TestLogisticCurvePointsByAdditionFormulaAreExact(t *testing.T) {
	t.Parallel()
	random := stats.Stream(41, 0)
	const n, points = 208, 41
	a, weights, sums := make([]float64, n), make([]float64, n), make([]float64, points)
	c := climb{first: make([]float64, n), at: make([]float64, n)}
	for _, lam := range []float64{0, 1e-9, 1e-3, 0.1, 3, 40, 1e4} {
		for t := range a {
			a[t], weights[t] = random.Float64(), random.ExpFloat64()
			if t%9 == 0 {
				a[t] = 0
			}
		}
		c.sums(sums, a, weights, lam)
		for k, got := range sums {
			var want float64
			for t := range a {
				want += weights[t] * math.Tanh(float64(k)*lam*a[t]/2)
			}
			if math.Abs(got-want) > 1e-13*want {
				t.Errorf("lam %v, point %d: got %v, want %v, off by %.2g of it", lam, k, got, want, math.Abs(got/want-1))
			}
		}
	}
}

func TestEvenResponsesEqualResponses(t *testing.T) {
	t.Parallel()
	d := wide()
	for _, s := range []Spec{{}, {Effect: ROI, TimeVarying: 60}, {Saturation: Tanh}, {Likelihood: LogNormal}} {
		t.Run(fmt.Sprintf("%+v", s), func(t *testing.T) {
			t.Parallel()
			m, err := newModel(d, s)
			if err != nil {
				t.Fatal(err)
			}
			p := &Posterior{model: m, data: d, chains: 1}
			for i := range uint64(20) {
				p.draws = append(p.draws, m.drawPrior(stats.Stream(42, i)))
			}
			factors := floats.Span(make([]float64, 41), 0, 2)
			got, want := p.evenResponses("channel3", factors), p.Responses("channel3", factors)
			for k := range want {
				for i := range want[k] {
					// 1 - exp(-x) in [Saturation.fill] has fewer correct digits than tanh for small x.
					if !near(got[k][i], want[k][i], 1e-12) {
						t.Errorf("draw %d at %v: got %v, want %v", i, factors[k], got[k][i], want[k][i])
					}
				}
			}
		})
	}
}

func BenchmarkResponseCurve(b *testing.B) {
	d := wide()
	m, err := newModel(d, Spec{Yearly: 2})
	if err != nil {
		b.Fatal(err)
	}
	p := &Posterior{model: m, data: d, chains: 1}
	for i := range uint64(100) {
		p.draws = append(p.draws, m.drawPrior(stats.Stream(43, i)))
	}
	for b.Loop() {
		p.ResponseCurve("channel3", 2, 41)
	}
}
