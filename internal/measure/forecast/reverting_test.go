package forecast

import (
	"math"
	"math/rand/v2"
	"testing"

	"assay/internal/measure/stats"
)

// levels returns days of spend: 1,000 with growth of 20% a year, times daily noise of 5%, times a level that changes
// every 28 days. If stays is true, the level is the product of all changes so far. Otherwise, it is the last change
// only.
func levels(seed uint64, n int, stays bool) []float64 {
	r := rand.New(rand.NewPCG(seed, 1))
	out := make([]float64, n)
	level := 0.0
	for t := range out {
		if t%28 == 0 {
			if !stays {
				level = 0
			}
			level += 0.2 * r.NormFloat64()
		}
		out[t] = 1000 * math.Exp(0.18*float64(t)/365+level+0.05*r.NormFloat64())
	}
	return out
}

func TestRevertingLineIsLeastSquares(t *testing.T) {
	t.Parallel()
	values := []float64{3, 1, 4, 1, 5, 9, 2, 6}
	r := reverting{}
	for _, y := range values {
		r.include(y)
	}
	intercept, slope := line(values)
	equal(t, "the line at 0 and at 20", []float64{r.line(0), r.line(20)}, []float64{intercept, intercept + 20*slope})
}

func TestRevertingForecastsItsOwnProcess(t *testing.T) {
	t.Parallel()
	const phi, alpha, n = 0.9, 0.5, 20_000
	random := rand.New(rand.NewPCG(3, 1))
	values, d := make([]float64, n), 0.0
	for i := range values {
		e := random.NormFloat64()
		values[i] = 5 + 0.01*float64(i) + d + e
		d = phi * (d + alpha*e)
	}
	values[0] = -1 // not all are positive, so the process is that of the values
	r := fitReverting(values).(*reverting)
	// The standard errors are 0.004 and 0.008.
	if math.Abs(r.phi-phi) > 0.016 || math.Abs(r.alpha-alpha) > 0.03 || r.logarithms {
		t.Errorf("φ %.3f, α %.3f, logarithms %v, want %v, %v and values", r.phi, r.alpha, r.logarithms, phi, alpha)
	}
	var out [200]float64
	r.ahead(out[:])
	for h, want := range []float64{0: d, 10: d * math.Pow(phi, 10), 199: 0} {
		if want += 5 + 0.01*float64(n+h); (h%100 == 0 || h == 10 || h == 199) && math.Abs(out[h]-want) > 0.1 {
			t.Errorf("step %d: %.3f, want %.3f", h, out[h], want)
		}
	}
}

// A new level begins with the month of the forecast. Its mean size, 0.16, is not predictable. If levels are temporary,
// the model must reduce the part of the error above 0.16 by 20%. If levels are permanent, the backtest must limit the
// increase of the error to 5%.
func TestRevertingHelpsOnlyWhereLevelsAreTemporary(t *testing.T) {
	t.Parallel()
	const known, horizon, series = 700, 28, 40
	for _, stays := range []bool{false, true} {
		var without, with float64
		for seed := range uint64(series) {
			values := levels(seed, known+horizon, stays)
			actual := stats.Sum(values[known:])
			for _, reverts := range []bool{false, true} {
				p, err := Predict(values[:known], Ask{Horizon: horizon, Season: 7, Reverts: reverts})
				if err != nil {
					t.Fatal(err)
				}
				e := math.Abs(math.Log(stats.Sum(p.Points)/actual)) / series
				if reverts {
					with += e
				} else {
					without += e
				}
			}
		}
		t.Logf("level stays %v: mean error of a month %.3f, with reverting %.3f", stays, without, with)
		const unknown = 0.16
		most := 1.05 * without
		if !stays {
			most = unknown + 0.8*(without-unknown)
		}
		if with > most {
			t.Errorf("level stays %v: mean error %.3f, want at most %.3f", stays, with, most)
		}
	}
}

func TestRevertingIsFiniteForUnusualSeries(t *testing.T) {
	t.Parallel()
	constant, paused, huge := make([]float64, 400), levels(1, 400, false), levels(2, 400, false)
	for i := range constant {
		constant[i] = 7
	}
	for i := 380; i < 400; i++ {
		paused[i] = 0
		huge[i] *= 1e80
	}
	for name, values := range map[string][]float64{"constant": constant, "paused": paused, "huge": huge} {
		p, err := Predict(values, Ask{Horizon: 300, Season: 7, Levels: []float64{0.9}, Reverts: true})
		if err != nil {
			t.Fatal(err)
		}
		for h, y := range p.Points {
			if math.IsNaN(y) || math.IsInf(y, 0) || y < 0 || math.IsNaN(p.Bands[0][h].High) {
				t.Fatalf("%s, step %d: %v in %v", name, h, y, p.Bands[0][h])
			}
		}
	}
	r := fitReverting(paused[:300]).(*reverting)
	r.observe(0)
	var out [3]float64
	if r.ahead(out[:]); !(out[0] > 500) {
		t.Errorf("after a day without spend, the forecast is %v, want the earlier level", out)
	}
}
