package cohort

import (
	"math"
	"testing"
)

// The expectation has two forms: a series and a mean over the dropout probability. They agree where both are accurate.
// If customers differ little, a and b are large and the terms of the series overflow. The mean remains finite.
func TestExpectedPurchasesAreFiniteForEveryDropout(t *testing.T) {
	t.Parallel()
	histories := []History{
		{}, {Age: 50}, {Repeats: 3, Recency: 20, Age: 50}, {Repeats: 40, Recency: 50, Age: 50}, {Repeats: 1000, Recency: 99, Age: 100},
	}
	for _, a := range []float64{20, 60, 99} {
		for _, b := range []float64{a / 10, a, 5 * a} {
			m := BGNBD{R: 0.5, Alpha: 5, A: a, B: b}
			for _, h := range histories {
				since := m.Alpha + h.Age
				series, mean := m.whileActive(float64(h.Repeats), since, 52), m.meanOverDropout(float64(h.Repeats), since, 52)
				if math.Abs(series-mean) > 1e-6*series {
					t.Errorf("%+v, %+v: series %v, mean over dropout %v", m, h, series, mean)
				}
			}
		}
	}
	for _, a := range []float64{101, 300, 700, 5000, 1e5, 1e7} {
		m := BGNBD{R: 0.5, Alpha: 5, A: a, B: 3 * a}
		for _, h := range histories {
			// Every customer drops out with probability 1/4.
			p, r := 0.25, m.R+float64(h.Repeats)
			want := m.Alive(h) * (1 - math.Pow((m.Alpha+h.Age)/(m.Alpha+h.Age+p*52), r)) / p
			if got := m.Expected(h, 52); !(got >= 0) || a > 4000 && h.Repeats < 10 && math.Abs(got-want) > 0.01*want {
				t.Errorf("a = %v, %+v: %v further purchases, want a number near %v", a, h, got, want)
			}
		}
	}
	if got := (BGNBD{R: 0.5, Alpha: 1e-4, A: 90, B: 90}).Expected(History{}, 52); !(got > 0) || math.IsInf(got, 1) {
		t.Errorf("a customer of today: %v", got)
	}
}
